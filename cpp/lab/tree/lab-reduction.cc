/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/tree/lab-reduction.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace mftpubsub
{

namespace
{

using Edge = LabState::Edge;
using Choices = std::vector<size_t>;

/// Who can send to whom, and what is under way, while no command is given.
class Traffic
{
  public:
    Traffic(const LabState& state, const std::vector<Edge>& choices)
    {
        const auto& links = state.GetLinks();
        const auto& processes = links.GetProcesses();
        const auto brokers = processes.GetBrokers();
        for (const auto broker : brokers)
        {
            m_neighbours[broker].insert(links.GetNeighbours(broker).begin(),
                                        links.GetNeighbours(broker).end());
        }
        for (const auto client : processes.GetClients())
        {
            const auto& process = processes.Get(client);
            const auto senders = process.isSlippery ? brokers : std::vector<NodeId>{process.at};
            for (const auto broker : senders)
            {
                m_neighbours[client].insert(broker);
                m_neighbours[broker].insert(client);
            }
        }
        for (size_t i = 0; i < choices.size(); ++i)
        {
            m_arriving[choices[i].second][choices[i].first] = i;
        }
    }

    /// @return the deliveries to @p process, empty if others can come before them
    Choices FindPersistent(NodeId process) const
    {
        const auto& arriving = m_arriving.at(process);
        for (const auto neighbour : m_neighbours.at(process))
        {
            if (!arriving.contains(neighbour) && CanAct(neighbour, process))
            {
                return {};
            }
        }
        Choices choices;
        for (const auto& [source, choice] : arriving)
        {
            choices.push_back(choice);
        }
        return choices;
    }

    std::vector<NodeId> GetReceivers() const
    {
        std::vector<NodeId> receivers;
        for (const auto& [receiver, arriving] : m_arriving)
        {
            receivers.push_back(receiver);
        }
        return receivers;
    }

  private:
    /// @return whether anything can reach @p process while @p without does nothing
    bool CanAct(NodeId process, NodeId without) const
    {
        std::set<NodeId> reached{without, process};
        std::vector<NodeId> open{process};
        while (!open.empty())
        {
            const auto at = open.back();
            open.pop_back();
            if (m_arriving.contains(at))
            {
                return true;
            }
            for (const auto next : m_neighbours.at(at))
            {
                if (reached.insert(next).second)
                {
                    open.push_back(next);
                }
            }
        }
        return false;
    }

    std::map<NodeId, std::set<NodeId>> m_neighbours;
    std::map<NodeId, std::map<NodeId, size_t>> m_arriving; //!< choices by receiver and sender
};

/// @return whether @p choice is a delivery that changes its receiver alone
bool
IsPlainDelivery(const LabState& state, const Edge& choice)
{
    const auto& [source, destination] = choice;
    const auto& receiver = state.GetLinks().GetProcesses().Get(destination);
    return source != destination && (receiver.broker || receiver.at == source);
}

} // namespace

std::vector<size_t>
FindPersistentChoices(const LabState& state)
{
    const auto choices = state.GetChoices();
    Choices best(choices.size());
    std::iota(best.begin(), best.end(), 0);
    if (!std::ranges::all_of(choices,
                             [&](const auto& choice) { return IsPlainDelivery(state, choice); }))
    {
        return best;
    }
    const Traffic traffic(state, choices);
    for (const auto receiver : traffic.GetReceivers())
    {
        const auto persistent = traffic.FindPersistent(receiver);
        if (!persistent.empty() && persistent.size() < best.size())
        {
            best = persistent;
        }
    }
    return best;
}

} // namespace mftpubsub
