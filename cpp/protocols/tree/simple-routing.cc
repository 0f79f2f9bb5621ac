/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/tree/simple-routing.h"

#include <algorithm>

namespace mftpubsub
{

std::unique_ptr<Broker>
SimpleRouting::Clone() const
{
    return std::make_unique<SimpleRouting>(*this);
}

void
SimpleRouting::Receive(Instant, NodeId from, const Message& message, BrokerOutput& output)
{
    if (!GetNeighbours().contains(from))
    {
        AddClient(from);
    }
    Dispatch(*this, from, message, output);
}

void
SimpleRouting::Handle(NodeId from, const Sub& message, BrokerOutput& output)
{
    m_table[from].insert(message.filter);
    SendToNeighbours(message, from, output);
}

void
SimpleRouting::Handle(NodeId from, const Uns& message, BrokerOutput& output)
{
    if (const auto row = m_table.find(from); row != m_table.end())
    {
        if (const auto entry = row->second.find(message.filter); entry != row->second.end())
        {
            row->second.erase(entry);
        }
    }
    SendToNeighbours(message, from, output);
}

void
SimpleRouting::Handle(NodeId from, const Pub& message, BrokerOutput& output)
{
    for (const auto& [interface, filters] : m_table)
    {
        const auto back = interface == from && !IsFromPublisher(from, message);
        const auto matches = [&](const Filter& filter) { return filter.Matches(*message.event); };
        if (back || !IsConnected(interface) || std::ranges::none_of(filters, matches))
        {
            continue;
        }
        Pub copy{message.event, AddHops(message.hops, 1), {}};
        if (!GetNeighbours().contains(interface)) // only here is the subscriber known by name
        {
            output.matches.push_back({message.event->id, interface});
            copy.subscribers.push_back(interface);
        }
        output.sends.push_back({interface, std::move(copy)});
    }
}

bool
SimpleRouting::HasTable() const
{
    return false; // rows are of interfaces
}

std::vector<RouteView>
SimpleRouting::GetTable() const
{
    std::vector<RouteView> view;
    for (const auto& [interface, filters] : m_table)
    {
        view.push_back({interface, interface, {}, {filters.begin(), filters.end()}});
    }
    return view;
}

} // namespace mftpubsub
