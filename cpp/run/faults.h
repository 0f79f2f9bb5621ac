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

/**
 * What a scenario lets go wrong, at its times: knows who is down and which links are cut now.
 *
 * Who leaves says so first, and goes a second later. A node whose battery has run out stays down.
 */
class Faults
{
  public:
    /// What a network does about a fault.
    struct Handlers
    {
        std::function<void(NodeId)> crash;
        std::function<void(NodeId)> restart;
        std::function<void(NodeId)> leave;       //!< it will go soon
        std::function<void(NodeId)> come;        //!< for the first time; else restart, then this
        std::function<void(NodeId, bool)> sleep; //!< whether its radio is to sleep
        std::function<double(NodeId)> getJoules; //!< consumed so far
        std::function<void()> linksChanged;
    };

    /// Schedules all faults of @p scenario, which like @p trace must outlive this.
    Faults(const Scenario& scenario, RunTrace& trace, Handlers handlers);

    Faults(const Faults&) = delete;
    Faults& operator=(const Faults&) = delete;

    bool IsDown(NodeId node) const;

    bool IsAsleep(NodeId node) const;

    /// @return whether its application does nothing now
    bool IsSilent(NodeId node) const;

    /// @return whether nothing passes between two nodes now, whichever sends
    bool IsCut(NodeId one, NodeId other) const;

  private:
    void Schedule(const CrashSpec& crash);
    void Schedule(const BlackoutSpec& blackout);
    void Schedule(const PartitionSpec& partition);
    void Leave(const CrashSpec& absence);
    void Come(NodeId node, bool isFirst);
    void Sleep(const SleepSpec& sleep, bool isAsleep);
    void LookAt(const BatterySpec& battery);
    void GoDown(NodeId node);

    RunTrace& m_trace;
    Handlers m_handlers;
    double m_mostWatts;
    std::set<NodeId> m_down;
    std::set<NodeId> m_leaving; //!< and still there
    std::set<NodeId> m_spent;   //!< whose battery has run out
    std::set<NodeId> m_asleep;
    std::map<std::pair<NodeId, NodeId>, int> m_blackouts; //!< lower id first; how many are on now
    std::vector<std::set<NodeId>> m_partitions;           //!< by order in the scenario; empty: off
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_RUN_FAULTS_H */
