/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_RECONFIGURATION_MAKE_DISPATCHER_H
#define MFTPUBSUB_PROTOCOLS_RECONFIGURATION_MAKE_DISPATCHER_H

#include "protocols/reconfiguration/dispatcher.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mftpubsub::reconfiguration
{

using DispatcherFactory =
    std::function<std::unique_ptr<Dispatcher>(NodeId self, const TimerOptions& timers)>;

/// @return what makes dispatchers of @p protocol
/// @throws std::invalid_argument if it is none of GetProtocols()
DispatcherFactory GetFactory(const std::string& protocol);

/// @return the names of the protocols
std::vector<std::string> GetProtocols();

/// @return whether @p protocol works while several links wait for their replacement
bool AllowsOverlap(const std::string& protocol);

} // namespace mftpubsub::reconfiguration

#endif /* MFTPUBSUB_PROTOCOLS_RECONFIGURATION_MAKE_DISPATCHER_H */
