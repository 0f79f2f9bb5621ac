/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_RUN_FAULTS_H
#define MFTPUBSUB_RUN_FAULTS_H

#include "content/node-id.h"
#include "scenario/scenario.h"
#include "trace/run-trace.h"

#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace mftpubsub
{

/// What a scenario lets go wrong, at its times: knows who is down and which links are cut now.
class Faults
{
  public:
    /// What a network does about a fault.
    struct Handlers
    {
        std::function<void(NodeId)> crash;
        std::function<void(NodeId)> restart;
        std::function<void()> linksChanged;
    };

    /// Schedules all faults of @p scenario, which like @p trace must outlive this.
    Faults(const Scenario& scenario, RunTrace& trace, Handlers handlers);

    Faults(const Faults&) = delete;
    Faults& operator=(const Faults&) = delete;

    bool IsDown(NodeId node) const;

    /// @return whether nothing passes between two nodes now, whichever sends
    bool IsCut(NodeId one, NodeId other) const;

  private:
    void Schedule(const CrashSpec& crash);
    void Schedule(const BlackoutSpec& blackout);
    void Schedule(const PartitionSpec& partition);

    RunTrace& m_trace;
    Handlers m_handlers;
    std::set<NodeId> m_down;
    std::map<std::pair<NodeId, NodeId>, int> m_blackouts; //!< lower id first; how many are on now
    std::vector<std::set<NodeId>> m_partitions;           //!< by order in the scenario; empty: off
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_RUN_FAULTS_H */
