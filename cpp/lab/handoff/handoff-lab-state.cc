/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/handoff/handoff-lab-state.h"

#include "lab/tree/tree-lab.h"
#include "protocols/handoff/pro-active-broker.h"

#include <utility>

namespace mftpubsub
{

namespace
{

using namespace handoff;

constexpr Instant NOW{0}; //!< the laboratory has no time

/// @return the other end of each of @p edges that ends at @p broker
std::vector<NodeId>
FindNeighbours(const HandoffNames& names,
               const std::vector<std::pair<std::string, std::string>>& edges,
               NodeId broker)
{
    std::vector<NodeId> neighbours;
    for (const auto& edge : edges)
    {
        const auto one = names.FindBroker(edge.first);
        const auto other = names.FindBroker(edge.second);
        if (one == broker || other == broker)
        {
            neighbours.push_back(one == broker ? other : one);
        }
    }
    return neighbours;
}

} // namespace

HandoffLabState::HandoffLabState(const HandoffLabOptions& options)
    : m_scheme(FindScheme(options.scheme)),
      m_names(options.links),
      m_tree(m_scheme.routes ? MakeTree(options) : nullptr),
      m_wires(options.links),
      m_links(m_tree, options.hasLanes),
      m_isLogging(options.isLogging)
{
    m_clientOptions =
        MakeClientOptions(m_scheme, MakeBrokerOptions(options, 1), options.filtersInReconnect);
    m_clientOptions.ackBatch = options.ackBatch;
    for (NodeId broker = 1; broker <= m_names.CountBrokers(); ++broker)
    {
        m_brokers.push_back(m_scheme.make(broker, MakeBrokerOptions(options, broker)));
    }
    if (m_scheme.advertises)
    {
        Advertise(options.publishers.empty() ? std::vector{m_names.Name(NodeId{1})}
                                             : options.publishers);
    }
}

std::shared_ptr<const Tree>
HandoffLabState::MakeTree(const HandoffLabOptions& options) const
{
    std::vector<HandoffLinks::Link> links;
    for (const auto& [one, other] : options.links)
    {
        links.emplace_back(m_names.FindBroker(one), m_names.FindBroker(other));
    }
    const auto root = options.root.empty() ? NodeId{1} : m_names.FindBroker(options.root);
    return std::make_shared<const Tree>(links, root);
}

Options
HandoffLabState::MakeBrokerOptions(const HandoffLabOptions& options, NodeId broker) const
{
    Options own;
    own.tree = m_tree;
    own.implicitMoveOut = options.implicitMoveOut;
    own.sessionExpiry = std::chrono::hours(1); // when the laboratory says so
    own.queueBytes = options.queueBytes;
    own.home = options.home;
    own.neighbours = FindNeighbours(m_names, options.neighbours, broker);
    return own;
}

void
HandoffLabState::Advertise(const std::vector<std::string>& brokers)
{
    for (const auto& name : brokers)
    {
        const auto broker = m_names.FindBroker(name);
        const auto publisher = HandoffNames::PublisherAt(broker);
        m_advertised.insert(publisher);
        Receive(broker, publisher, Adv{publisher});
    }
}

const HandoffNames&
HandoffLabState::GetNames() const
{
    return m_names;
}

HandoffLinks&
HandoffLabState::GetLinks()
{
    return m_links;
}

Client&
HandoffLabState::GetClient(NodeId subscriber)
{
    return m_subscribers.at(subscriber).client;
}

NodeId
HandoffLabState::GetBrokerOf(NodeId subscriber) const
{
    const auto broker = m_subscribers.at(subscriber).client.GetBroker();
    if (broker == NO_NODE)
    {
        throw LabError(m_names.Name(subscriber) + " is not connected");
    }
    return broker;
}

void
HandoffLabState::Subscribe(const std::string& name,
                           NodeId broker,
                           const Filter& filter,
                           NodeId user)
{
    EndFormer(name);
    const auto id = m_names.AddSubscriber(name);
    auto& client =
        m_subscribers.emplace(id, Subscriber{Client(id, m_clientOptions), filter, true, {}, {}})
            .first->second.client;
    auto sub = client.Subscribe(broker, filter);
    sub.user = user;
    Receive(broker, id, sub);
}

void
HandoffLabState::EndFormer(const std::string& name)
{
    for (const auto& [id, former] : m_subscribers)
    {
        if (m_names.Name(id) != name)
        {
            continue;
        }
        if (former.isSubscribed)
        {
            throw LabError(name + " has subscribed");
        }
        if (former.client.GetBroker() != NO_NODE)
        {
            Disconnect(id);
        }
    }
}

void
HandoffLabState::Unsubscribe(NodeId subscriber)
{
    const auto broker = GetBrokerOf(subscriber);
    m_subscribers.at(subscriber).isSubscribed = false;
    Receive(broker, subscriber, GetClient(subscriber).Unsubscribe());
}

void
HandoffLabState::Publish(const std::string& name, NodeId at)
{
    const auto publisher = HandoffNames::PublisherAt(at);
    if (m_scheme.advertises && !m_advertised.contains(publisher))
    {
        const auto broker = m_names.Name(at);
        throw LabError(broker + " has not advertised: lab ... publishers=" + broker);
    }
    auto event = std::make_shared<Event>();
    event->id = {publisher, ++m_published[publisher]};
    m_names.AddEvent(event->id, name);
    for (auto& [id, subscriber] : m_subscribers)
    {
        if (subscriber.isSubscribed && subscriber.filter.Matches(*event))
        {
            subscriber.wanted.push_back(event->id);
        }
    }
    for (NodeId broker = 1; broker <= m_names.CountBrokers(); ++broker)
    {
        if (!m_scheme.routes || broker == at)
        {
            Receive(broker, publisher, Pub{event});
        }
    }
}

void
HandoffLabState::Connect(NodeId subscriber, NodeId broker)
{
    auto& client = GetClient(subscriber);
    if (client.GetBroker() != NO_NODE)
    {
        throw LabError(m_names.Name(subscriber) + " is connected: disconnect it first");
    }
    Tell(broker, client.Connect(broker));
}

void
HandoffLabState::Tell(NodeId broker, const Reconnect& reconnect)
{
    Log(reconnect.subscriber, broker, reconnect);
    Receive(broker, reconnect.subscriber, reconnect);
}

void
HandoffLabState::Disconnect(NodeId subscriber)
{
    const auto broker = GetBrokerOf(subscriber);
    auto& client = GetClient(subscriber);
    const auto leaving = client.GetLeaving();
    client.Disconnect();
    BreakLink(broker, subscriber);
    if (leaving != NO_NODE)
    {
        BreakLink(leaving, subscriber);
    }
}

void
HandoffLabState::BreakLink(NodeId broker, NodeId subscriber)
{
    Output output;
    m_brokers[broker - 1]->Step(NOW, input::LinkDown{subscriber}, output);
    CarryOut(broker, output);
}

void
HandoffLabState::MoveOut(NodeId subscriber, bool keep)
{
    if (!m_clientOptions.announces)
    {
        throw LabError("clients of " + m_scheme.name + " do not say that they leave");
    }
    const auto broker = GetBrokerOf(subscriber);
    const handoff::MoveOut moveOut{subscriber, keep};
    Log(subscriber, broker, moveOut);
    Receive(broker, subscriber, moveOut);
    Disconnect(subscriber);
}

void
HandoffLabState::RequireController() const
{
    if (!m_clientOptions.isRedirected)
    {
        throw LabError("no controller sends clients of " + m_scheme.name + " elsewhere");
    }
}

void
HandoffLabState::Ping(NodeId subscriber, NodeId broker, double milliseconds)
{
    RequireController();
    const std::chrono::duration<double, std::milli> roundTrip(milliseconds);
    m_controller.Measured(subscriber,
                          broker,
                          GetLatencyGroup(std::chrono::duration_cast<Instant>(roundTrip)));
}

void
HandoffLabState::Balance()
{
    RequireController();
    for (const auto& [id, subscriber] : m_subscribers)
    {
        m_controller.Attached(id, subscriber.client.GetBroker());
    }
    for (auto& [id, subscriber] : m_subscribers)
    {
        const auto present = subscriber.client.GetBroker();
        const auto chosen = m_controller.Choose(id);
        if (present == NO_NODE || chosen == NO_NODE || chosen == present ||
            subscriber.client.GetLeaving() != NO_NODE)
        {
            continue;
        }
        m_controller.Attached(id, chosen);
        Tell(chosen, subscriber.client.Redirect(chosen));
    }
}

void
HandoffLabState::TimeOut(NodeId subscriber, NodeId broker)
{
    auto& machine = *m_brokers[broker - 1];
    Output output;
    if (auto* proActive = dynamic_cast<ProActiveBroker*>(&machine))
    {
        proActive->TimeOut(subscriber, output);
    }
    else if (machine.NextTimer())
    {
        machine.Step(Instant::max(), input::Expired(), output);
    }
    else
    {
        throw LabError("nothing at " + m_names.Name(broker) + " can time out");
    }
    CarryOut(broker, output);
}

void
HandoffLabState::AddEdge(NodeId one, NodeId other)
{
    for (const auto& [broker, neighbour] : {std::pair(one, other), std::pair(other, one)})
    {
        auto* machine = dynamic_cast<ProActiveBroker*>(m_brokers[broker - 1].get());
        if (!machine)
        {
            throw LabError("only pro-active brokers have neighbours");
        }
        Output output;
        machine->AddNeighbour(NOW, neighbour, output);
        CarryOut(broker, output);
    }
}

bool
HandoffLabState::Deliver(std::optional<uint64_t> choice)
{
    return Arrive(m_links.Take(choice));
}

bool
HandoffLabState::DeliverFrom(HandoffLinks::Link link)
{
    return Arrive(m_links.TakeFrom(link));
}

bool
HandoffLabState::Arrive(const std::optional<HandoffLinks::Pending>& taken)
{
    if (!taken)
    {
        return false;
    }
    const auto& [link, origin, target, message] = *taken;
    const auto [from, to] = link;
    if (to == target)
    {
        Log(from, to, message);
        Receive(target, origin, message);
    }
    else
    {
        Log(from, to, message, " to=" + m_names.Name(target));
        m_links.Send(to, origin, target, message);
    }
    return true;
}

void
HandoffLabState::Receive(NodeId broker, NodeId from, const Message& message)
{
    Output output;
    m_brokers[broker - 1]->Step(NOW, input::Received<Message>{from, message}, output);
    CarryOut(broker, output);
}

void
HandoffLabState::CarryOut(NodeId broker, const Output& output)
{
    for (const auto& [to, message] : output.sends)
    {
        m_links.Send(broker, broker, to, message);
    }
    for (const auto& [subscriber, session] : output.accepted)
    {
        GetClient(subscriber).Accept(session);
    }
    for (const auto& delivery : output.deliveries)
    {
        GiveToSubscriber(broker, delivery);
    }
}

void
HandoffLabState::GiveToSubscriber(NodeId broker, const Delivery& delivery)
{
    const auto& [id, held] = delivery;
    auto& subscriber = m_subscribers.at(id);
    if (!subscriber.client.Hears(broker))
    {
        return; // on the air when the link broke
    }
    const auto event = held.event->id;
    const auto reception = subscriber.client.Receive(held);
    m_duplicates += reception.isDuplicate;
    m_disorder += !reception.isDuplicate && subscriber.received.Covers(event);
    subscriber.received.Add(event);
    if (m_isLogging)
    {
        Log(broker,
            id,
            "PUB",
            " " + m_names.Name(event) + (reception.isDuplicate ? " duplicate" : ""));
    }
    if (reception.acknowledgement)
    {
        Receive(broker, id, *reception.acknowledgement);
    }
}

void
HandoffLabState::Log(NodeId from, NodeId to, const Message& message, const std::string& more)
{
    if (m_isLogging)
    {
        Log(from, to, std::string(GetName(message)), m_names.Describe(message) + more);
    }
}

void
HandoffLabState::Log(NodeId from, NodeId to, const std::string& kind, const std::string& words)
{
    const auto& source = m_names.Name(from);
    const auto& target = m_names.Name(to);
    m_log.push_back({source + " -> " + target + " " + kind + words, kind, source, {target}, false});
}

std::vector<LabLine>
HandoffLabState::TakeLog()
{
    return std::exchange(m_log, {});
}

uint64_t
HandoffLabState::CountDuplicates() const
{
    return m_duplicates;
}

uint64_t
HandoffLabState::CountDisorder() const
{
    return m_disorder;
}

} // namespace mftpubsub
