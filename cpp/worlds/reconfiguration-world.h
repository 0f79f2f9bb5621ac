/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WORLDS_RECONFIGURATION_WORLD_H
#define MFTPUBSUB_WORLDS_RECONFIGURATION_WORLD_H

#include "hosts/wire-message.h"
#include "hosts/wire-rows.h"
#include "hosts/wired-host.h"
#include "protocols/reconfiguration/forest.h"

#include <string>
#include <vector>

namespace mftpubsub
{

/// All that happens to a network of dispatchers, the same for every protocol.
struct ReconfigurationWorld
{
    /// A link goes, or the one that replaces it comes.
    struct Change
    {
        double seconds{0};
        reconfiguration::ReconfigurationId id{0};
        bool breaks{false};
        reconfiguration::Edge link;
    };

    /// The clients of a dispatcher begin or cease to want a pattern.
    struct Swap
    {
        double seconds{0};
        NodeId node{NO_NODE};
        reconfiguration::Pattern pattern{0};
        bool subscribes{false};
    };

    struct Publishing
    {
        double seconds{0};
        NodeId node{NO_NODE};
        reconfiguration::Patterns patterns;
    };

    reconfiguration::Forest tree{0};
    std::vector<reconfiguration::Patterns> wanted; //!< by dispatcher, at the beginning
    std::vector<bool> isCore;                      //!< by dispatcher: its subscriptions stay
    std::vector<Change> changes;                   //!< in their order
    std::vector<Swap> swaps;                       //!< in their order
    std::vector<Publishing> publications;          //!< in their order
};

/// How a world is run.
struct WorldRun
{
    std::string protocol; //!< of reconfiguration::GetProtocols(), or what RoutingNetwork has
    DispatchingOptions dispatching;
    double binSeconds{0.1};
    bool isLogged{false};
};

/// What is counted of a run (C V-B); costs are in SUBs.
struct WorldResult
{
    reconfiguration::CostLedger ledger;
    std::vector<size_t> involved; //!< dispatchers, by reconfiguration
    uint64_t eventHops{0};
    uint64_t goodEventHops{0};
    std::vector<uint64_t> expected;  //!< (event, core subscriber) that match, by bin of publication
    std::vector<uint64_t> delivered; //!< of those
    std::vector<double> traffic;     //!< cost of all messages, EVENTs and clients' included, by bin
    std::vector<std::string> faults; //!< what is not as from scratch at the end
    std::vector<WireMessage> log;    //!< of a run that is logged: every message, in its order
    std::vector<WireRow> rowLog;     //!< likewise: what dispatchers know and hold
};

/**
 * Runs @p world until nothing is scheduled. The process's simulator must be taken (SimulatorLease).
 * What RoutingNetwork has ends a second after the last change, swap and publication: where its
 * tables are wrong a REP may go to and fro for ever.
 *
 * @throws std::invalid_argument for a world that cannot be: a cycle, no such link, overlapping
 * reconfigurations under a protocol that cannot have them
 */
WorldResult RunWorld(const ReconfigurationWorld& world, const WorldRun& run);

} // namespace mftpubsub

#endif /* MFTPUBSUB_WORLDS_RECONFIGURATION_WORLD_H */
