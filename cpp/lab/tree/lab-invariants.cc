/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/tree/lab-invariants.h"

#include <algorithm>
#include <set>
#include <utility>

namespace mftpubsub
{

namespace
{

/// Looks at one state and collects what is wrong with it.
class Inspection
{
  public:
    explicit Inspection(const LabState& state)
        : m_state(state),
          m_links(state.GetLinks()),
          m_processes(state.GetProcesses())
    {
    }

    std::vector<std::string> Run() &&
    {
        for (const auto subscriber : m_processes.GetClients())
        {
            if (IsAttached(subscriber))
            {
                CheckRoutes(subscriber);
            }
        }
        for (const auto& [event, owed] : m_links.GetOwed().Get())
        {
            for (const auto subscriber : owed.wanted)
            {
                if (owed.matched.contains(subscriber))
                {
                    CheckEvent(event, subscriber);
                }
            }
        }
        return std::move(m_violations);
    }

  private:
    bool IsAttached(NodeId client) const
    {
        const auto at = m_processes.Get(client).at;
        return at != NO_NODE && m_processes.IsUp(at);
    }

    const std::string& Name(NodeId id) const
    {
        return m_processes.Name(id);
    }

    /// Every broker that @p subscriber is connected to has its place and its filters.
    void CheckRoutes(NodeId subscriber)
    {
        const auto& client = m_processes.Get(subscriber);
        const auto& truth = client.subscriber.GetFilters();
        for (const auto broker : m_links.GetComponent(client.at))
        {
            const auto& machine = *m_processes.Get(broker).machine;
            if (!machine.HasTable())
            {
                continue;
            }
            const auto table = machine.GetTable();
            const auto row = std::ranges::find(table, subscriber, &RouteView::subscriber);
            const auto held = row == table.end()
                                  ? std::set<Filter>{}
                                  : std::set<Filter>(row->filters.begin(), row->filters.end());
            if (!std::ranges::includes(held, truth))
            {
                m_violations.push_back("filters: " + Name(broker) + " lacks a filter of " +
                                       client.name);
            }
            if (!std::ranges::includes(truth, held))
            {
                m_violations.push_back("phantom: " + Name(broker) + " holds a filter that " +
                                       client.name + " has not");
            }
            // Of whom nobody has heard a filter nothing is routed yet.
            const auto isRouted =
                row != table.end() && (row->freshness.timestamp > 0 || !held.empty());
            if (isRouted && !LeadsHome(broker, row->nextHop, subscriber))
            {
                m_violations.push_back("route: " + Name(broker) + " has " + client.name + " via '" +
                                       Name(row->nextHop) + "', who is at " + Name(client.at));
            }
        }
    }

    /// @return whether @p nextHop is the way from @p broker to @p subscriber
    bool LeadsHome(NodeId broker, NodeId nextHop, NodeId subscriber) const
    {
        const auto home = m_processes.Get(subscriber).at;
        if (broker == home)
        {
            return nextHop == subscriber;
        }
        return m_links.GetNeighbours(broker).contains(nextHop) &&
               m_links.GetComponent(nextHop, broker).contains(home);
    }

    /// @p event, which @p subscriber has to get, has reached it or waits where it cannot.
    void CheckEvent(const EventId& event, NodeId subscriber)
    {
        const auto& client = m_processes.Get(subscriber);
        if (std::ranges::find(client.delivered, event) != client.delivered.end())
        {
            return;
        }
        const auto holders = FindHolders(event, subscriber);
        const auto what = m_processes.NameEvent(event) + " for " + client.name;
        if (holders.empty())
        {
            m_violations.push_back("lost: " + what);
        }
        else if (IsAttached(subscriber))
        {
            const auto reachable = m_links.GetComponent(client.at);
            for (const auto holder : holders)
            {
                if (reachable.contains(holder))
                {
                    m_violations.push_back("stuck: " + what + " at " + Name(holder));
                }
            }
        }
    }

    /// @return the brokers in whose queues @p event is for @p subscriber
    std::vector<NodeId> FindHolders(const EventId& event, NodeId subscriber) const
    {
        std::vector<NodeId> holders;
        for (const auto broker : m_state.GetLeaders())
        {
            if (!m_processes.IsUp(broker))
            {
                continue;
            }
            for (const auto& queue : m_processes.Get(broker).machine->GetQueues())
            {
                if (queue.subscriber == subscriber &&
                    std::ranges::find(queue.events, event) != queue.events.end())
                {
                    holders.push_back(broker);
                }
            }
        }
        return holders;
    }

    const LabState& m_state;
    const LabLinks& m_links;
    const LabProcesses& m_processes;
    std::vector<std::string> m_violations;
};

} // namespace

std::vector<std::string>
FindViolations(const LabState& state)
{
    return Inspection(state).Run();
}

} // namespace mftpubsub
