/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HELPER_PROTOCOL_CHECKS_H
#define MFTPUBSUB_HELPER_PROTOCOL_CHECKS_H

#include "scenario/scenario.h"

#include <string>

namespace mftpubsub
{

/// @throws std::invalid_argument if PubSubHelper has no protocol of this name
void CheckProtocol(const std::string& protocol);

/// @throws std::invalid_argument if @p protocol makes nothing of an attribute of PubSubSettings
void CheckTakesAttribute(const std::string& protocol, const std::string& name);

/// @throws std::invalid_argument if @p protocol never asks a policy of this @p kind
void CheckAsksPolicy(const std::string& protocol, const std::string& kind);

/// @throws std::logic_error if the protocol of @p scenario forwards by brokers, and there are none
void CheckHasBrokers(const Scenario& scenario);

} // namespace mftpubsub

#endif /* MFTPUBSUB_HELPER_PROTOCOL_CHECKS_H */
