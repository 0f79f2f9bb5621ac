/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/tree/flooding.h"

namespace mftpubsub
{

std::unique_ptr<Broker>
Flooding::Clone() const
{
    return std::make_unique<Flooding>(*this);
}

void
Flooding::Receive(Instant, NodeId from, const Message& message, BrokerOutput& output)
{
    Dispatch(*this, from, message, output);
}

void
Flooding::Handle(NodeId from, const Sub& message, BrokerOutput&)
{
    m_table.SetNextHop(from, from);
    m_table.AddFilter(from, message.filter);
}

void
Flooding::Handle(NodeId from, const Uns& message, BrokerOutput&)
{
    m_table.RemoveFilter(from, message.filter);
}

void
Flooding::Handle(NodeId from, const Mig&, BrokerOutput& output)
{
    output.sends.push_back({from, Filters{m_table.GetFilters(from)}});
}

void
Flooding::Handle(NodeId, const Pub& message, BrokerOutput& output)
{
    if (!m_seen.Insert(message.event->id))
    {
        return;
    }
    const auto hops = AddHops(message.hops, 1);
    output.sends.push_back({NO_NODE, Pub{message.event, hops, {}}});
    for (const auto subscriber : m_table.Match(*message.event))
    {
        output.matches.push_back({message.event->id, subscriber});
        output.sends.push_back({subscriber, Pub{message.event, hops, {subscriber}}});
    }
}

bool
Flooding::HasTable() const
{
    return false; // rows are of who is attached here
}

std::vector<RouteView>
Flooding::GetTable() const
{
    return m_table.GetView();
}

std::string
Flooding::GetDigest() const
{
    return Broker::GetDigest() + m_seen.GetText();
}

} // namespace mftpubsub
