/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Protocols that are another one with settings of their own.
 */
#ifndef MFTPUBSUB_POLICIES_OWN_POLICIES_H
#define MFTPUBSUB_POLICIES_OWN_POLICIES_H

#include "policies/policies.h"

#include <string_view>

namespace mftpubsub
{

/// The successor of mft-pubsub-r, which has settings of its own besides.
inline constexpr std::string_view MFT_PUBSUB_2 = "mft-pubsub-2";

/// @return the policies that belong to @p protocol, whatever a scenario says; most have none
const PolicySpecs& GetOwnPolicies(std::string_view protocol);

/// @return @p specs, where @p protocol has its own these
PolicySpecs WithOwnPolicies(std::string_view protocol, PolicySpecs specs);

} // namespace mftpubsub

#endif /* MFTPUBSUB_POLICIES_OWN_POLICIES_H */
