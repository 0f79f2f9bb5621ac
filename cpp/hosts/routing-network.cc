/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/routing-network.h"

#include "hosts/machine-io.h"
#include "protocols/tree/make-broker.h"

#include <algorithm>
#include <stdexcept>

namespace mftpubsub
{

using reconfiguration::CONTROL_WEIGHT;
using reconfiguration::Edge;
using reconfiguration::FindPath;
using reconfiguration::Forest;
using reconfiguration::NO_RECONFIGURATION;

namespace
{

std::string
NameOf(reconfiguration::Pattern pattern)
{
    return "p" + std::to_string(pattern);
}

Filter
MakeFilter(reconfiguration::Pattern pattern)
{
    return Filter::Parse(NameOf(pattern) + " = TRUE");
}

/// @return what @p message brings of events
std::vector<EventPtr>
GetEvents(const Message& message)
{
    if (const auto* pub = std::get_if<Pub>(&message))
    {
        return {pub->event};
    }
    const auto* rep = std::get_if<Rep>(&message);
    return rep ? rep->events : std::vector<EventPtr>();
}

/// Tells how many items C would weigh in a message: patterns, events, or what names a subscriber
/// with its t and h.
struct CountItems
{
    size_t operator()(const Bmig& m) const
    {
        return m.children.size() + m.others.size();
    }

    size_t operator()(const OpeningBmig& m) const
    {
        return m.children.size() + m.others.size();
    }

    size_t operator()(const ClaimingBmig& m) const
    {
        return m.children.size();
    }

    size_t operator()(const Bsub& m) const
    {
        return m.filters.size();
    }

    size_t operator()(const ClaimingBsub& m) const
    {
        return m.filters.size();
    }

    size_t operator()(const Rep& m) const
    {
        return m.events.size();
    }

    size_t operator()(const Yield&) const
    {
        return 0;
    }

    template <typename M>
    size_t operator()(const M&) const
    {
        return 1;
    }
};

/// @return the cost of one hop, that of a SUB being 1
double
GetWeight(const Message& message)
{
    const auto items = std::visit(CountItems(), message);
    return items == 0 ? CONTROL_WEIGHT : static_cast<double>(items);
}

} // namespace

bool
RoutingNetwork::Has(const std::string& protocol)
{
    return protocol == "mft-pubsub" || protocol == "mft-pubsub-r";
}

RoutingNetwork::RoutingNetwork(const std::string& protocol,
                               const Forest& tree,
                               const std::vector<Patterns>& wanted,
                               DispatchingOptions options)
    : WiredHost(options),
      m_links([this](auto to, auto from, const auto& packet) { Receive(to, from, packet); }),
      m_tree(tree)
{
    for (NodeId node = 0; node < tree.GetSize(); ++node)
    {
        m_dispatchers.push_back({MakeBroker(protocol, node, {}), Subscriber(node), {}});
    }
    for (const auto& [one, other] : tree.GetEdges())
    {
        m_links.Up(one, other);
    }
    Orient(0);
    for (NodeId node = 0; node < tree.GetSize(); ++node)
    {
        for (const auto pattern : wanted[node])
        {
            Subscribe(node, pattern);
        }
        Settle();
    }
    for (NodeId node = 0; node < tree.GetSize(); ++node)
    {
        LetTimePass(node);
    }
    Settle();
    m_isSettling = false;
}

void
RoutingNetwork::Orient(NodeId root)
{
    for (NodeId node = 0; node < m_tree.GetSize(); ++node)
    {
        TellClients(node, NO_RECONFIGURATION, [node](auto& clients, auto& output) {
            clients.Attached(node, output);
        });
        for (const auto neighbour : m_tree.GetNeighbours(node))
        {
            Tell(node, NO_RECONFIGURATION, input::LinkUp{neighbour});
        }
    }
    std::vector<bool> isBelow(m_tree.GetSize(), true);
    for (const auto node : m_tree.GetPart(root))
    {
        isBelow[node] = false;
        for (const auto neighbour : m_tree.GetNeighbours(node))
        {
            if (isBelow[neighbour])
            {
                MoveTo(neighbour, NO_NODE, node, NO_RECONFIGURATION);
            }
        }
    }
    Settle();
}

void
RoutingNetwork::LetTimePass(NodeId node)
{
    while (const auto due = GetBroker(node).NextTimer())
    {
        Tell(node, NO_RECONFIGURATION, input::Expired(), *due);
    }
}

void
RoutingNetwork::Settle()
{
    while (!m_waiting.empty())
    {
        const auto next = std::move(m_waiting.front());
        m_waiting.pop_front();
        Receive(next.to, next.from, next.packet);
    }
}

void
RoutingNetwork::Subscribe(NodeId node, Pattern pattern)
{
    TellClients(node, NO_RECONFIGURATION, [pattern](auto& clients, auto& output) {
        clients.Subscribe(MakeFilter(pattern), output);
    });
}

void
RoutingNetwork::Unsubscribe(NodeId node, Pattern pattern)
{
    TellClients(node, NO_RECONFIGURATION, [pattern](auto& clients, auto& output) {
        clients.Unsubscribe(MakeFilter(pattern), output);
    });
}

void
RoutingNetwork::Publish(NodeId node, const reconfiguration::PublicationPtr& publication)
{
    Event event{{node, publication->id}, {}, 0};
    for (const auto pattern : publication->patterns)
    {
        event.attributes.emplace_back(NameOf(pattern), true);
    }
    Pub pub;
    pub.event = std::make_shared<const Event>(std::move(event));
    pub.hops = 1;
    Tell(node, NO_RECONFIGURATION, input::Received<Message>{node, pub});
}

void
RoutingNetwork::Break(ReconfigurationId id, NodeId one, NodeId other)
{
    if (m_missing.contains(id))
    {
        throw std::invalid_argument("reconfiguration " + std::to_string(id) + " has begun already");
    }
    m_tree.Remove(one, other);
    m_links.Down(one, other);
    const Edge old = std::minmax(one, other);
    m_missing.emplace(id, old);
    for (const auto& [end, lost] : {old, Edge{old.second, old.first}})
    {
        m_ledger.NoteInvolved(id, end);
        Tell(end, id, input::LinkDown{lost});
    }
}

void
RoutingNetwork::Replace(ReconfigurationId id, NodeId one, NodeId other)
{
    const auto missing = m_missing.find(id);
    if (missing == m_missing.end())
    {
        throw std::invalid_argument("no link of reconfiguration " + std::to_string(id) +
                                    " is missing");
    }
    const auto [a, b] = missing->second;
    const auto path = FindPath(m_tree, {a, b}, {one, other});
    m_missing.erase(missing);
    const auto headLength = static_cast<std::ptrdiff_t>(path.headLength);
    const auto c = path.nodes[path.headLength - 1];
    const auto d = path.nodes[path.headLength];
    m_tree.Add(c, d);
    m_links.Up(c, d);
    for (const auto& [end, neighbour] : {Edge{c, d}, Edge{d, c}})
    {
        m_ledger.NoteInvolved(id, end);
        Tell(end, id, input::LinkUp{neighbour});
    }
    if (c == a)
    {
        MoveTo(a, b, d, id);
        return;
    }
    const std::vector<NodeId> tail(path.nodes.begin() + headLength, path.nodes.end());
    for (size_t place = 0; place < tail.size(); ++place)
    {
        const auto previous = place + 1 < tail.size() ? tail[place + 1] : a;
        MoveTo(tail[place], previous, place == 0 ? c : tail[place - 1], id);
    }
}

void
RoutingNetwork::MoveTo(NodeId node, NodeId previous, NodeId current, ReconfigurationId cause)
{
    Tell(node, cause, input::ParentChanged{previous, current});
}

const Broker&
RoutingNetwork::GetBroker(NodeId node) const
{
    return *m_dispatchers[node].broker;
}

Description
RoutingNetwork::DescribeTable(NodeId node) const
{
    return GetBroker(node).Describe([](NodeId id) { return std::to_string(id); });
}

std::vector<std::string>
RoutingNetwork::FindFaults() const
{
    std::vector<std::string> faults;
    for (NodeId node = 0; node < m_dispatchers.size(); ++node)
    {
        const auto name = "dispatcher " + std::to_string(node);
        const auto& broker = GetBroker(node);
        if (broker.CountHeld() > 0)
        {
            faults.push_back(name + " still queues events");
        }
        std::map<NodeId, RouteView> routes;
        for (auto& route : broker.GetTable())
        {
            routes.emplace(route.subscriber, std::move(route));
        }
        for (const auto home : m_tree.GetPart(node))
        {
            const auto& wanted = m_dispatchers[home].clients.GetFilters();
            if (wanted.empty())
            {
                continue;
            }
            const auto path = m_tree.GetPath(node, home);
            const auto& route = routes[home];
            if (route.nextHop != path[std::min<size_t>(1, path.size() - 1)])
            {
                faults.push_back(name + " has a wrong way to " + std::to_string(home));
            }
            if (!std::equal(route.filters.begin(),
                            route.filters.end(),
                            wanted.begin(),
                            wanted.end()))
            {
                faults.push_back(name + " has wrong filters of " + std::to_string(home));
            }
        }
    }
    return faults;
}

void
RoutingNetwork::Tell(NodeId node, ReconfigurationId cause, const Broker::Input& input)
{
    Tell(node, cause, input, Now());
}

void
RoutingNetwork::Tell(NodeId node, ReconfigurationId cause, const Broker::Input& input, Instant now)
{
    BrokerOutput output;
    m_dispatchers[node].broker->Step(now, input, output);
    for (auto& send : output.sends)
    {
        if (send.to != node)
        {
            Transmit(node, cause, send);
            continue;
        }
        TellClients(node, cause, [&send, node](auto& clients, auto& answer) {
            clients.Receive(node, send.message, answer);
        });
    }
    TellHandled(node);
}

void
RoutingNetwork::TellClients(NodeId node, ReconfigurationId cause, const ClientCall& call)
{
    SubscriberOutput output;
    auto& dispatcher = m_dispatchers[node];
    call(dispatcher.clients, output);
    for (const auto& delivery : output.deliveries)
    {
        const auto& id = delivery.event->id;
        if (const auto arrival = dispatcher.arrivals.find(id);
            arrival != dispatcher.arrivals.end() && !delivery.duplicate)
        {
            m_hops.MarkGood(arrival->second);
        }
        TellDelivery(node, id.sequence);
    }
    for (auto& send : output.sends)
    {
        Tell(node, cause, input::Received<Message>{node, send.message});
    }
}

void
RoutingNetwork::Receive(NodeId to, NodeId from, const Packet& packet)
{
    const std::string_view kind = GetName(packet.message);
    if (kind == Bmig::NAME || kind == Bsub::NAME)
    {
        m_ledger.NoteInvolved(packet.cause, to);
    }
    const auto events = GetEvents(packet.message);
    for (size_t index = 0; index < events.size(); ++index)
    {
        m_dispatchers[to].arrivals.insert_or_assign(events[index]->id, packet.hops[index]);
    }
    Tell(to, packet.cause, input::Received<Message>{from, packet.message});
}

void
RoutingNetwork::Transmit(NodeId node, ReconfigurationId cause, Send& send)
{
    if (m_isSettling)
    {
        m_waiting.push_back({send.to, node, {std::move(send.message), cause, {}}});
        return;
    }
    if (!m_links.IsUp(node, send.to))
    {
        return;
    }
    const auto weight = GetWeight(send.message);
    TellSend(node, send.to, GetName(send.message), weight);
    Packet packet{std::move(send.message), cause, {}};
    for (const auto& event : GetEvents(packet.message))
    {
        const auto& arrivals = m_dispatchers[node].arrivals;
        const auto arrival = arrivals.find(event->id);
        packet.hops.push_back(
            m_hops.Add(arrival == arrivals.end() ? EventHops::NONE : arrival->second));
    }
    if (packet.hops.empty()) // EVENTs are no overhead, whatever sets them free
    {
        m_ledger.NoteSent(cause, GetName(packet.message), weight, true);
    }
    m_links.Send(node, send.to, std::move(packet), weight * GetOptions().subBits);
}

} // namespace mftpubsub
