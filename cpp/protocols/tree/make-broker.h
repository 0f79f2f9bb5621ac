/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_TREE_MAKE_BROKER_H
#define MFTPUBSUB_PROTOCOLS_TREE_MAKE_BROKER_H

#include "content/instant.h"
#include "policies/queue-policy.h"
#include "protocols/tree/addressing-limits.h"
#include "protocols/tree/broker.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mftpubsub
{

/// Switches of the protocols; each is read by the protocol that its comment names.
struct BrokerOptions
{
    bool literalChildren{false};                       //!< mft-pubsub: see MftPubsub::Options
    bool replay{true};                                 //!< cascading: see Cascading::Options
    QueueOptions queues{};                             //!< of those that have queues
    AddressingLimits addressing{};                     //!< mft-pubsub-r
    OverhearingLimits overhearing{};                   //!< mft-pubsub-2
    Instant unsubscribeAfter{std::chrono::seconds(3)}; //!< deferred-unsub-*: T_u
    UniformSource renaming{}; //!< family of C, if the broker has run before: see LinkName
};

/// @return the names that MakeBroker knows
const std::vector<std::string>& GetBrokerProtocols();

/**
 * @param protocol a name of GetBrokerProtocols
 * @param self the broker's address
 * @throws std::invalid_argument for an unknown protocol
 */
std::unique_ptr<Broker> MakeBroker(std::string_view protocol,
                                   NodeId self,
                                   const BrokerOptions& options);

} // namespace mftpubsub

#endif /* MFTPUBSUB_PROTOCOLS_TREE_MAKE_BROKER_H */
