/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What a laboratory of trees shows; what is done to it is in tree-lab.cc.
 */
#include "lab/tree/lab-invariants.h"
#include "lab/tree/lab-state.h"
#include "lab/tree/tree-lab.h"

#include <algorithm>

namespace mftpubsub
{

namespace
{

std::string
Join(const std::vector<std::string>& words, const std::string& separator)
{
    std::string joined;
    for (const auto& word : words)
    {
        joined += (joined.empty() ? "" : separator) + word;
    }
    return joined;
}

} // namespace

std::vector<LabRoute>
TreeLab::GetTable(const std::string& broker) const
{
    const auto& processes = m_state->GetProcesses();
    std::vector<LabRoute> table;
    for (const auto& view : processes.Get(processes.FindLiveBroker(broker)).machine->GetTable())
    {
        auto& row = table.emplace_back(LabRoute{processes.Name(view.subscriber),
                                                processes.Name(view.nextHop),
                                                view.freshness.timestamp,
                                                view.freshness.hops,
                                                {}});
        for (const auto& filter : view.filters)
        {
            row.filters.push_back(filter.GetText());
        }
    }
    return table;
}

std::vector<LabQueue>
TreeLab::GetQueues(const std::string& broker) const
{
    const auto& processes = m_state->GetProcesses();
    std::vector<LabQueue> queues;
    for (const auto& view : processes.Get(processes.FindLiveBroker(broker)).machine->GetQueues())
    {
        auto& row = queues.emplace_back(LabQueue{processes.Name(view.subscriber), {}});
        for (const auto& event : view.events)
        {
            row.events.push_back(processes.NameEvent(event));
        }
    }
    return queues;
}

std::vector<std::string>
TreeLab::GetDelivered(const std::string& subscriber) const
{
    const auto& processes = m_state->GetProcesses();
    std::vector<std::string> events;
    for (const auto& event : processes.Get(processes.FindClient(subscriber)).delivered)
    {
        events.push_back(processes.NameEvent(event));
    }
    return events;
}

std::string
TreeLab::GetParent(const std::string& broker) const
{
    const auto& processes = m_state->GetProcesses();
    return processes.Name(processes.Get(processes.FindBroker(broker)).parent);
}

uint64_t
TreeLab::GetBrokerState(const std::string& broker) const
{
    const auto& processes = m_state->GetProcesses();
    return processes.Get(processes.FindLiveBroker(broker)).machine->GetState();
}

std::vector<std::string>
TreeLab::GetBrokers() const
{
    const auto& processes = m_state->GetProcesses();
    std::vector<std::string> names;
    for (const auto broker : processes.GetBrokers())
    {
        names.push_back(processes.Name(broker));
    }
    return names;
}

bool
TreeLab::IsUp(const std::string& broker) const
{
    const auto& processes = m_state->GetProcesses();
    return processes.IsUp(processes.FindBroker(broker));
}

std::vector<LabClient>
TreeLab::GetClients() const
{
    const auto& processes = m_state->GetProcesses();
    std::vector<LabClient> clients;
    for (const auto id : processes.GetClients())
    {
        const auto& client = processes.Get(id);
        clients.push_back({client.name, processes.Name(client.at), client.subscribes});
    }
    return clients;
}

std::vector<LabLink>
TreeLab::GetLinks() const
{
    const auto& processes = m_state->GetProcesses();
    std::vector<LabLink> links;
    for (const auto broker : processes.GetBrokers())
    {
        for (const auto neighbour : m_state->GetLinks().GetNeighbours(broker))
        {
            if (broker < neighbour)
            {
                links.emplace_back(processes.Name(broker), processes.Name(neighbour));
            }
        }
    }
    return links;
}

std::vector<std::string>
TreeLab::DescribeTable(const std::string& broker) const
{
    std::vector<std::string> lines;
    for (auto route : GetTable(broker))
    {
        std::ranges::sort(route.filters);
        route.filters.erase(std::unique(route.filters.begin(), route.filters.end()),
                            route.filters.end());
        const auto filters = Join(route.filters, ", ");
        const auto freshness = route.timestamp == 0 ? ""
                                                    : " t=" + std::to_string(route.timestamp) +
                                                          " h=" + std::to_string(route.hops);
        lines.push_back(route.subscriber + " via " +
                        (route.nextHop.empty() ? "nobody" : route.nextHop) + freshness + ": " +
                        (filters.empty() ? "(tombstone)" : filters));
    }
    return lines;
}

std::vector<std::string>
TreeLab::DescribeQueues(const std::string& broker) const
{
    std::vector<std::string> lines;
    for (const auto& queue : GetQueues(broker))
    {
        lines.push_back(queue.subscriber + ": " + Join(queue.events, " "));
    }
    return lines;
}

std::string
TreeLab::GetProcessName(uint16_t id) const
{
    return m_state->GetProcesses().Name(id);
}

uint64_t
TreeLab::CountSent() const
{
    return m_state->GetLinks().CountSent();
}

std::vector<std::string>
TreeLab::FindViolations() const
{
    return mftpubsub::FindViolations(*m_state);
}

std::string
TreeLab::GetDigest() const
{
    return m_state->GetDigest();
}

} // namespace mftpubsub
