/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/handoff/thesis-broker.h"

#include "protocols/handoff/tree.h"
#include "protocols/tree/mft-pubsub.h"
#include "protocols/tree/phoenix.h"

#include <utility>

namespace mftpubsub::handoff
{

namespace
{

/// An event with attributes in place of its drawn audience.
struct AddressedEvent : Event
{
    EventPtr original;
};

/// As EventBuffer: when the events are too large together the oldest go.
class BoundedBytes : public QueuePolicy
{
  public:
    explicit BoundedBytes(uint64_t bytes)
        : m_bound(bytes)
    {
    }

    std::vector<size_t> Decide(const NodeView&,
                               NodeId,
                               const std::vector<QueuedEvent>& events) override
    {
        constexpr uint64_t ID = 6; // bytes, of GetSize(event)
        uint64_t bytes = 0;
        std::vector<size_t> dropped;
        for (auto position = events.size(); position-- > 0;)
        {
            bytes += ID + events[position].payloadBytes;
            if (bytes > m_bound)
            {
                dropped.push_back(position);
            }
        }
        return dropped;
    }

  private:
    uint64_t m_bound;
};

std::unique_ptr<mftpubsub::Broker>
MakeMachine(NodeId self, const Options& options, ThesisBroker::Protocol protocol)
{
    const QueueOptions queues{std::make_shared<BoundedBytes>(options.queueBytes),
                              [] { return NodeView{}; }};
    if (protocol == ThesisBroker::Protocol::PHOENIX)
    {
        return std::make_unique<Phoenix>(self, queues);
    }
    return std::make_unique<MftPubsub>(self, MftPubsub::Options{}, queues);
}

std::string
AttributeOf(NodeId subscriber)
{
    return "to" + std::to_string(subscriber);
}

/// Timestamp of a subscriber's word in @p session: its subscription comes before its first move.
uint32_t
TimestampOf(Session session)
{
    return session + 1;
}

} // namespace

ThesisBroker::ThesisBroker(NodeId self, const Options& options, Protocol protocol)
    : m_options(options),
      m_protocol(protocol),
      m_machine(MakeMachine(self, options, protocol))
{
    for (const auto neighbour : options.tree->GetNeighbours(self))
    {
        m_neighbours.insert(neighbour);
        BrokerOutput none; // neither protocol says anything on a new link
        m_machine->Step(Instant{0}, input::LinkUp{neighbour}, none);
    }
}

void
ThesisBroker::Receive(Instant now, NodeId from, const Message& message, Output& output)
{
    Dispatch(*this, now, from, message, output);
}

void
ThesisBroker::Handle(Instant now, NodeId from, const Sub& sub, Output& output)
{
    m_connected[sub.subscriber] = 0;
    Tell(now,
         from,
         mftpubsub::Sub{sub.subscriber, FilterOf(sub.subscriber, sub.filter), {TimestampOf(0), 0}},
         output);
}

void
ThesisBroker::Handle(Instant now, NodeId from, const Uns& uns, Output& output)
{
    const auto timestamp = TimestampOf(m_connected[uns.subscriber] + 1);
    m_connected.erase(uns.subscriber);
    m_unacknowledged.erase(uns.subscriber);
    for (const auto& route : m_machine->GetTable())
    {
        if (route.subscriber == uns.subscriber && !route.filters.empty())
        {
            Tell(now,
                 from,
                 mftpubsub::Uns{uns.subscriber, route.filters.front(), {timestamp, 0}},
                 output);
        }
    }
}

void
ThesisBroker::Handle(Instant now, NodeId from, const Reconnect& reconnect, Output& output)
{
    m_connected[reconnect.subscriber] = reconnect.session;
    Tell(now,
         from,
         mftpubsub::Mig{reconnect.subscriber,
                        reconnect.old,
                        {TimestampOf(reconnect.session), 0},
                        reconnect.lastReceived},
         output);
}

void
ThesisBroker::Handle(Instant, NodeId, const Evack& evack, Output&)
{
    Acknowledge(m_unacknowledged[evack.subscriber], evack.id);
}

void
ThesisBroker::Handle(Instant now, NodeId from, const Pub& pub, Output& output)
{
    const uint8_t hops = m_neighbours.contains(from) ? 2 : 1; // 1: from the publisher itself
    Tell(now, from, mftpubsub::Pub{Addressed(pub.event), hops, {}}, output);
}

void
ThesisBroker::Handle(Instant now, NodeId from, const RoutedSub& sub, Output& output)
{
    Tell(now,
         from,
         mftpubsub::Sub{sub.subscriber, sub.filters.front(), {sub.timestamp, sub.hops}},
         output);
}

void
ThesisBroker::Handle(Instant now, NodeId from, const RoutedUns& uns, Output& output)
{
    Tell(now,
         from,
         mftpubsub::Uns{uns.subscriber, uns.filters.front(), {uns.timestamp, uns.hops}},
         output);
}

void
ThesisBroker::Handle(Instant now, NodeId from, const Mig& mig, Output& output)
{
    Tell(now,
         from,
         mftpubsub::Mig{mig.subscriber, mig.old, {mig.timestamp, mig.hops}, mig.lastReceived},
         output);
}

void
ThesisBroker::Handle(Instant now, NodeId from, const Rep& rep, Output& output)
{
    mftpubsub::Rep message{rep.subscriber, {}, 2, 0};
    for (const auto& held : rep.events)
    {
        message.events.push_back(Addressed(held.event));
    }
    Tell(now, from, message, output);
}

void
ThesisBroker::LinkDown(Instant now, NodeId client, Output& output)
{
    if (m_connected.erase(client) == 0 || m_protocol == Protocol::PHOENIX)
    {
        return;
    }
    const auto before = m_machine->CountHeld();
    BrokerOutput answer;
    m_machine->Step(now, input::LinkDown{client}, answer);
    for (const auto& held : std::exchange(m_unacknowledged[client], {}))
    {
        m_machine->Step(
            now,
            input::DeliveryFailed{client, mftpubsub::Rep{client, {Addressed(held.event)}, 1, 0}},
            answer);
    }
    CarryOut(answer, before, output);
}

void
ThesisBroker::Tell(Instant now, NodeId from, const mftpubsub::Message& message, Output& output)
{
    const auto before = m_machine->CountHeld();
    BrokerOutput answer;
    m_machine->Step(now, input::Received<mftpubsub::Message>{from, message}, answer);
    CarryOut(answer, before, output);
}

void
ThesisBroker::CarryOut(const BrokerOutput& answer, size_t heldBefore, Output& output)
{
    for (const auto& [to, message] : answer.sends)
    {
        if (m_neighbours.contains(to))
        {
            SendToBroker(to, message, output);
        }
        else
        {
            SendToClient(to, message, output);
        }
    }
    const auto held = m_machine->CountHeld();
    output.stored += held > heldBefore ? static_cast<uint32_t>(held - heldBefore) : 0;
}

void
ThesisBroker::SendToBroker(NodeId to, const mftpubsub::Message& message, Output& output) const
{
    if (const auto* pub = std::get_if<mftpubsub::Pub>(&message))
    {
        output.sends.push_back({to, Pub{Original(pub->event)}});
    }
    else if (const auto* rep = std::get_if<mftpubsub::Rep>(&message))
    {
        std::vector<Held> events;
        for (const auto& event : rep->events)
        {
            events.push_back({Original(event)});
        }
        output.sends.push_back({to, Rep{rep->subscriber, Transferred(std::move(events))}});
    }
    else if (const auto* sub = std::get_if<mftpubsub::Sub>(&message))
    {
        const auto [timestamp, hops] = sub->freshness;
        output.sends.push_back({to, RoutedSub{sub->subscriber, {sub->filter}, timestamp, hops}});
    }
    else if (const auto* uns = std::get_if<mftpubsub::Uns>(&message))
    {
        const auto [timestamp, hops] = uns->freshness;
        output.sends.push_back({to, RoutedUns{uns->subscriber, {uns->filter}, timestamp, hops}});
    }
    else if (const auto* mig = std::get_if<mftpubsub::Mig>(&message))
    {
        const auto [timestamp, hops] = mig->freshness;
        output.sends.push_back(
            {to, Mig{mig->subscriber, mig->previous, timestamp, hops, mig->lastReceived}});
    }
}

void
ThesisBroker::SendToClient(NodeId client, const mftpubsub::Message& message, Output& output)
{
    if (const auto* pub = std::get_if<mftpubsub::Pub>(&message))
    {
        SendToClient(client, {Original(pub->event), false, pub->timestamp}, output);
    }
    else if (const auto* rep = std::get_if<mftpubsub::Rep>(&message))
    {
        const auto isTransferred = rep->hops > 1; // else it waited here
        for (const auto& event : rep->events)
        {
            SendToClient(client, {Original(event), isTransferred, rep->timestamp}, output);
        }
    }
}

void
ThesisBroker::SendToClient(NodeId client, const Held& held, Output& output)
{
    output.deliveries.push_back({client, held});
    if (m_protocol == Protocol::MFT_PUBSUB)
    {
        m_unacknowledged[client].push_back(held);
    }
}

EventPtr
ThesisBroker::Addressed(const EventPtr& event) const
{
    if (!m_options.audience)
    {
        return event;
    }
    auto addressed = std::make_shared<AddressedEvent>();
    addressed->id = event->id;
    addressed->payloadBytes = event->payloadBytes;
    addressed->original = event;
    for (const auto subscriber : m_options.audience(*event))
    {
        addressed->attributes.emplace_back(AttributeOf(subscriber), int64_t{1});
    }
    return addressed;
}

EventPtr
ThesisBroker::Original(const EventPtr& event) const
{
    return m_options.audience ? static_cast<const AddressedEvent&>(*event).original : event;
}

Filter
ThesisBroker::FilterOf(NodeId subscriber, const Filter& filter) const
{
    return m_options.audience ? Filter::Parse(AttributeOf(subscriber) + " = 1") : filter;
}

std::vector<CopyView>
ThesisBroker::GetCopies() const
{
    std::map<NodeId, CopyView> views;
    for (const auto& route : m_machine->GetTable())
    {
        if (!route.filters.empty())
        {
            auto& view = views[route.subscriber];
            view.state = m_connected.contains(route.subscriber) ? "SERVING" : "ROUTING";
            if (m_neighbours.contains(route.nextHop))
            {
                view.hops = {route.nextHop};
            }
        }
    }
    for (const auto& queue : m_machine->GetQueues())
    {
        auto& view = views[queue.subscriber];
        view.buffer = queue.events;
        if (!m_connected.contains(queue.subscriber))
        {
            view.state = "STORING";
        }
    }
    std::vector<CopyView> all;
    for (auto& [subscriber, view] : views)
    {
        view.subscriber = subscriber;
        all.push_back(std::move(view));
    }
    return all;
}

size_t
ThesisBroker::CountHeld() const
{
    return m_machine->CountHeld();
}

} // namespace mftpubsub::handoff
