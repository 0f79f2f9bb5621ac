/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/reconfiguration/dispatching-broker.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace mftpubsub
{

using reconfiguration::Actions;
using reconfiguration::NO_RECONFIGURATION;
using reconfiguration::Pattern;
using reconfiguration::ReconfigurationId;

DispatchingBroker::DispatchingBroker(std::unique_ptr<reconfiguration::Dispatcher> machine,
                                     uint32_t opened)
    : Broker(machine->GetId()),
      m_machine(std::move(machine)),
      m_opened(opened)
{
}

DispatchingBroker::DispatchingBroker(const DispatchingBroker& other)
    : Broker(other),
      m_machine(other.m_machine->Clone()),
      m_now(other.m_now),
      m_parent(other.m_parent),
      m_opened(other.m_opened),
      m_links(other.m_links),
      m_lost(other.m_lost),
      m_names(other.m_names),
      m_filters(other.m_filters),
      m_clients(other.m_clients)
{
}

std::unique_ptr<Broker>
DispatchingBroker::Clone() const
{
    return std::unique_ptr<Broker>(new DispatchingBroker(*this)); // its copying is nobody else's
}

void
DispatchingBroker::LinkDown(Instant now, NodeId neighbour, BrokerOutput& output)
{
    m_now = now;
    Broker::LinkDown(now, neighbour, output);
    m_parent = m_parent == neighbour ? NO_NODE : m_parent;
    if (m_links.contains(neighbour))
    {
        Cut(neighbour, output);
    }
    else
    {
        Forget(neighbour, output);
    }
}

void
DispatchingBroker::LinkReset(Instant now, NodeId neighbour, BrokerOutput& output)
{
    m_now = now;
    if (m_links.contains(neighbour))
    {
        Cut(neighbour, output);
    }
}

void
DispatchingBroker::ParentChanged(Instant now, NodeId previous, NodeId current, BrokerOutput& output)
{
    m_now = now;
    m_parent = current;
    if (!m_links.contains(current))
    {
        Open(current, previous, output);
    }
}

void
DispatchingBroker::NeighbourAlive(Instant now, NodeId neighbour, BrokerOutput& output)
{
    m_now = now;
    if (neighbour == m_parent && !m_links.contains(neighbour))
    {
        Open(neighbour, neighbour, output);
    }
}

void
DispatchingBroker::Receive(Instant now, NodeId from, const Message& message, BrokerOutput& output)
{
    m_now = now;
    Dispatch(*this, from, message, output);
}

void
DispatchingBroker::DeliveryFailed(Instant now,
                                  NodeId to,
                                  const Message& message,
                                  BrokerOutput& output)
{
    m_now = now;
    const auto* pub = std::get_if<Pub>(&message);
    if (pub && !pub->subscribers.empty())
    {
        Forget(to, output);
    }
}

std::optional<Instant>
DispatchingBroker::NextTimer() const
{
    return m_machine->NextTimer();
}

void
DispatchingBroker::Expire(Instant now, BrokerOutput& output)
{
    m_now = now;
    while (m_machine->NextTimer().value_or(Instant::max()) <= now)
    {
        Tell(input::Expired(), output);
    }
}

void
DispatchingBroker::Handle(NodeId from, const Attach&, BrokerOutput&)
{
    AddClient(from);
}

void
DispatchingBroker::Handle(NodeId from, const Sub& message, BrokerOutput& output)
{
    const auto pattern = GetPattern(message.filter);
    if (message.subscriber == from)
    {
        AddClient(from);
        const bool isFirst = !IsWanted(message.filter);
        m_clients[from].insert(message.filter);
        if (isFirst)
        {
            Tell(input::PatternWanted{pattern}, output);
        }
    }
    else if (m_links.contains(from))
    {
        Receive(from, reconfiguration::Sub{pattern}, output);
    }
}

void
DispatchingBroker::Handle(NodeId from, const Uns& message, BrokerOutput& output)
{
    if (message.subscriber == from)
    {
        Unsubscribe(from, message.filter, output);
    }
    else if (m_links.contains(from))
    {
        Receive(from, reconfiguration::Unsub{GetPattern(message.filter)}, output);
    }
}

void
DispatchingBroker::Handle(NodeId from, const Mig&, BrokerOutput& output)
{
    AddClient(from);
    const auto& known = m_clients[from];
    output.sends.push_back({from, Filters{{known.begin(), known.end()}}});
}

void
DispatchingBroker::Handle(NodeId from, const Pub& message, BrokerOutput& output)
{
    if (message.hops == UNKNOWN_HOPS)
    {
        return; // round and round a cycle, which trees have for moments
    }
    const auto& event = *message.event;
    auto publication = std::make_shared<reconfiguration::Publication>();
    publication->id = event.id.sequence;
    publication->patterns = m_filters.Match(event);
    const auto hops = AddHops(message.hops, 1);
    for (const auto& [client, filters] : m_clients)
    {
        if (std::ranges::any_of(filters, [&](const Filter& f) { return f.Matches(event); }))
        {
            output.matches.push_back({event.id, client});
            output.sends.push_back({client, Pub{message.event, hops, {client}}});
        }
    }
    if (IsFromPublisher(from, message))
    {
        Tell(input::PublicationMade{publication}, output, &message);
    }
    else
    {
        Receive(from, reconfiguration::Event{publication}, output, &message);
    }
}

void
DispatchingBroker::Handle(NodeId from, const OpeningLink& message, BrokerOutput& output)
{
    if (const auto open = m_links.find(from); open != m_links.end())
    {
        open->second = std::min(open->second, message.link); // each has taken the other as parent
        return;
    }
    Activate(from, message.link, message.replaced, output);
}

void
DispatchingBroker::Handle(NodeId from, const Flush& message, BrokerOutput& output)
{
    const auto left = std::ranges::find_if(m_links, [&](const auto& link) {
        return link.second == message.lost && link.first != from;
    });
    if (left != m_links.end())
    {
        Cut(left->first, output);
    }
    Receive(from, reconfiguration::Flush{GetReconfiguration(message.lost), nullptr}, output);
}

void
DispatchingBroker::Open(NodeId parent, NodeId previous, BrokerOutput& output)
{
    const LinkName link{GetId(), ++m_opened};
    const auto lost = m_lost.find(previous);
    const auto replaced = lost == m_lost.end() ? LinkName() : lost->second;
    output.sends.push_back({parent, OpeningLink{link, replaced}});
    Activate(parent, link, replaced, output);
}

void
DispatchingBroker::Activate(NodeId neighbour,
                            LinkName link,
                            LinkName replaced,
                            BrokerOutput& output)
{
    m_links[neighbour] = link;
    m_lost.erase(neighbour);
    const auto id = replaced.opener == NO_NODE ? NO_RECONFIGURATION : GetReconfiguration(replaced);
    Tell(input::LinkAdded{neighbour, id}, output);
}

void
DispatchingBroker::Cut(NodeId neighbour, BrokerOutput& output)
{
    const auto link = m_links.extract(neighbour).mapped();
    m_lost[neighbour] = link;
    const auto id = GetReconfiguration(link);
    Tell(input::LinkRemoved{neighbour, id}, output);
}

void
DispatchingBroker::Forget(NodeId client, BrokerOutput& output)
{
    const auto known = m_clients.find(client);
    if (known == m_clients.end())
    {
        return;
    }
    for (const auto& filter : std::set(known->second))
    {
        Unsubscribe(client, filter, output);
    }
    m_clients.erase(client);
}

void
DispatchingBroker::Unsubscribe(NodeId client, const Filter& filter, BrokerOutput& output)
{
    if (m_clients[client].erase(filter) > 0 && !IsWanted(filter))
    {
        Tell(input::PatternUnwanted{GetPattern(filter)}, output);
    }
}

bool
DispatchingBroker::IsWanted(const Filter& filter) const
{
    return std::ranges::any_of(m_clients,
                               [&](const auto& client) { return client.second.contains(filter); });
}

Pattern
DispatchingBroker::GetPattern(const Filter& filter)
{
    return m_filters.Number(filter,
                            [this](Pattern pattern) { return m_machine->NeedsPattern(pattern); });
}

ReconfigurationId
DispatchingBroker::GetReconfiguration(LinkName lost)
{
    const auto known =
        std::ranges::find(m_names, lost, [](const auto& name) { return name.second; });
    if (known != m_names.end())
    {
        return known->first;
    }
    const auto id = m_names.empty() ? 0 : m_names.rbegin()->first + 1;
    m_names.emplace(id, lost);
    return id;
}

void
DispatchingBroker::Receive(NodeId from,
                           const reconfiguration::Message& message,
                           BrokerOutput& output,
                           const Pub* pub)
{
    Tell(input::Received<reconfiguration::Message>{from, message}, output, pub);
}

void
DispatchingBroker::Tell(const reconfiguration::Dispatcher::Input& input,
                        BrokerOutput& output,
                        const Pub* pub)
{
    Actions actions;
    m_machine->Step(m_now, input, actions);
    for (const auto& send : actions.sends)
    {
        output.sends.push_back({send.to, Translate(send.message, pub)});
    }
    std::erase_if(m_names, [this](const auto& name) { return !m_machine->IsWaiting(name.first); });
}

Message
DispatchingBroker::Translate(const reconfiguration::Message& sent, const Pub* pub) const
{
    if (const auto* sub = std::get_if<reconfiguration::Sub>(&sent))
    {
        return Sub{NO_NODE, m_filters.Get(sub->pattern), {}};
    }
    if (const auto* unsub = std::get_if<reconfiguration::Unsub>(&sent))
    {
        return Uns{NO_NODE, m_filters.Get(unsub->pattern), {}};
    }
    if (const auto* flush = std::get_if<reconfiguration::Flush>(&sent))
    {
        return Flush{m_names.at(flush->reconfiguration)};
    }
    if (std::holds_alternative<reconfiguration::Event>(sent))
    {
        Pub copy;
        copy.event = pub->event;
        copy.hops = AddHops(pub->hops, 1);
        return copy;
    }
    throw std::logic_error("this message needs more than the overlay tells");
}

bool
DispatchingBroker::HasTable() const
{
    return false; // rows are of interfaces
}

std::vector<RouteView>
DispatchingBroker::GetTable() const
{
    std::map<NodeId, RouteView> routes;
    const auto add = [&routes](NodeId interface, const Filter& filter) {
        auto& route = routes[interface];
        route.subscriber = interface;
        route.nextHop = interface;
        route.filters.push_back(filter);
    };
    for (const auto& [client, filters] : m_clients)
    {
        for (const auto& filter : filters)
        {
            add(client, filter);
        }
    }
    for (const auto neighbour : m_machine->GetNeighbours())
    {
        for (const auto pattern : m_machine->GetTable().GetRow(neighbour))
        {
            add(neighbour, m_filters.Get(pattern));
        }
    }
    std::vector<RouteView> view;
    for (auto& [interface, route] : routes)
    {
        view.push_back(std::move(route));
    }
    return view;
}

std::string
DispatchingBroker::GetDigest() const
{
    std::ostringstream text;
    text << Broker::GetDigest() << m_machine->GetDigest() << "parent " << m_parent << " opened "
         << m_opened;
    for (const auto* links : {&m_links, &m_lost})
    {
        text << ';';
        for (const auto& [neighbour, link] : *links)
        {
            text << neighbour << '=' << link.opener << '/' << link.number << ' ';
        }
    }
    for (const auto& [id, link] : m_names)
    {
        text << id << ':' << link.opener << '/' << link.number << ' ';
    }
    text << m_filters.GetDigest();
    return text.str();
}

} // namespace mftpubsub
