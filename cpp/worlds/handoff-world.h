/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WORLDS_HANDOFF_WORLD_H
#define MFTPUBSUB_WORLDS_HANDOFF_WORLD_H

#include "hosts/wire-message.h"
#include "hosts/wire-rows.h"
#include "worlds/handoff-scenario.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mftpubsub
{

/// A subscriber connects to a broker, or has lost it.
struct HandoffMove
{
    double seconds{0};
    NodeId subscriber{NO_NODE};
    NodeId broker{NO_NODE}; //!< NO_NODE: none
};

/// What came of it: counts within the window, and of events published within it.
struct HandoffResult
{
    uint64_t published{0};      //!< events, in the window
    uint64_t wanted{0};         //!< pairs of subscriber and event published in the window
    uint64_t lost{0};           //!< of these, never received
    uint64_t copies{0};         //!< received of events published in the window
    uint64_t duplicates{0};     //!< of these, beyond the first
    uint64_t copiesInWindow{0}; //!< received in the window
    uint64_t transferred{0};    //!< of these, by a hand-off
    double delaySum{0};         //!< over copies
    double delayFirstSum{0};    //!< over copies without duplicates
    uint64_t moves{0};          //!< connections to another broker, in the window
    std::map<std::string, uint64_t> control; //!< hand-off messages in the window, by kind
    uint64_t controlHops{0};                 //!< links of the tree that they crossed
    uint64_t trafficHops{0};                 //!< and that events and their acknowledgements crossed
    uint64_t transferredEvents{0};           //!< in hand-off messages, in the window
    uint64_t messageBytes{0};                //!< of hand-off messages, in the window
    double heldMean{0};                      //!< events in all buffers, mean over the window
    std::vector<double> latencies;        //!< of hand-offs that began in the window, s, in no order
    uint64_t delivered{0};                //!< copies sent to subscribers in the window
    std::vector<uint64_t> copiesByBroker; //!< received in the window, by broker - 1
    std::vector<uint64_t> storedByBroker; //!< put into buffers in the window, by broker - 1
    std::vector<double> connectedByBroker; //!< mean subscribers connected, by broker - 1
    std::vector<WireMessage> log;          //!< of a run that is logged: every message, in its order
    std::vector<HandoffMove> moveLog;      //!< likewise
    std::vector<WireRow> rowLog;           //!< likewise: what brokers know and hold
};

/// Runs @p scenario on ns-3's scheduler.
/// @throws std::invalid_argument for what cannot be run
/// @throws std::logic_error while another network uses the simulator
HandoffResult RunHandoff(const HandoffScenario& scenario);

} // namespace mftpubsub

#endif /* MFTPUBSUB_WORLDS_HANDOFF_WORLD_H */
