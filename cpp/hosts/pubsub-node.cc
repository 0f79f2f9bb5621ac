/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/pubsub-node.h"

#include "hosts/machine-io.h"
#include "hosts/node-address.h"

#include "ns3/mobility-model.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace mftpubsub
{

NS_OBJECT_ENSURE_REGISTERED(PubSubNode);

namespace
{

/// @return whether a message called @p name is among @p sends
bool
Sends(const std::vector<Send>& sends, std::string_view name)
{
    return std::ranges::any_of(sends, [&](const Send& s) { return GetName(s.message) == name; });
}

/// @return whether @p message is one that client @p from says for itself
bool
IsFromClient(NodeId from, const Message& message)
{
    return std::visit(
        [from](const auto& m) {
            using M = std::decay_t<decltype(m)>;
            if constexpr (std::is_same_v<M, Sub> || std::is_same_v<M, Uns> ||
                          std::is_same_v<M, Mig>)
            {
                return m.subscriber == from;
            }
            return std::is_same_v<M, Attach>;
        },
        message);
}

bool
CarriesEvents(const Message& message)
{
    return std::holds_alternative<Pub>(message) || std::holds_alternative<Rep>(message);
}

} // namespace

std::string_view
GetFrameKind(ns3::Ptr<const ns3::Packet> frame)
{
    Bytes bytes(FRAME_HEADER_BYTES);
    frame->CopyData(bytes.data(), FRAME_HEADER_BYTES);
    switch (const auto kind = DecodeFrameHeader(bytes).kind)
    {
    case KIND_HEARTBEAT:
        return "HEARTBEAT";
    case KIND_ACK:
        return "ACK";
    default:
        return GetKindName(kind);
    }
}

ns3::TypeId
PubSubNode::GetTypeId()
{
    static ns3::TypeId tid = ns3::TypeId("mftpubsub::PubSubNode")
                                 .SetParent<ns3::Application>()
                                 .SetGroupName("mftpubsub");
    return tid;
}

PubSubNode::PubSubNode(PubSubOptions options, RunTrace& trace)
    : m_options(std::move(options)),
      m_trace(trace),
      m_uniform(ns3::CreateObject<ns3::UniformRandomVariable>()),
      m_transport(
          m_options.id,
          m_options.incarnation,
          m_options.transport,
          [u = m_uniform] { return u->GetValue(); },
          [this](NodeId to, uint8_t kind, uint32_t attempts) {
              return m_options.retry->Retry(Describe(), to, kind, attempts);
          })
{
    m_uniform->SetStream(m_options.stream);
    const auto complete = [this](NodeView& me) { CompleteView(me); };
    if (m_options.roles & ROLE_BROKER)
    {
        m_overlay.emplace(
            m_options.id,
            m_options.roles,
            m_options.overlay,
            [u = m_uniform] { return u->GetValue(); },
            m_options.policies,
            complete);
        m_broker = m_options.makeBroker(m_options.id, [this] { return Describe(); });
    }
    else
    {
        m_attachment.emplace(m_options.id,
                             m_options.roles,
                             m_options.overlay,
                             m_options.policies,
                             complete);
    }
    if (m_options.roles & ROLE_SUBSCRIBER)
    {
        m_subscriber =
            m_options.subscriber ? std::move(m_options.subscriber) : Subscriber(m_options.id);
    }
    if (m_options.roles & ROLE_PUBLISHER)
    {
        m_publisher.emplace();
    }
}

PubSubNode::~PubSubNode() = default;

void
PubSubNode::DoDispose()
{
    m_timer.Cancel();
    m_device = nullptr;
    Application::DoDispose();
}

void
PubSubNode::StartApplication()
{
    m_device = WsnNetDevice::On(*GetNode());
    m_device->SetWantsSignalQuality(true);
    m_device->SetDirectReceiveCallback(
        PUBSUB_PROTOCOL_NUMBER,
        [this](const WsnFrame& frame, float rssiDbm) { ReceiveFrame(frame, rssiDbm); });
    m_device->TraceConnectWithoutContext("Transmit",
                                         ns3::MakeCallback(&PubSubNode::FrameOnAir, this));
    m_device->TraceConnectWithoutContext("MacDrop",
                                         ns3::MakeCallback(&PubSubNode::FrameDropped, this));
    if (m_overlay)
    {
        OverlayOutput output;
        m_overlay->Start(Now(), output);
        Execute(output);
        AttachClients(m_options.id);
    }
    RunLocalMessages();
    Reschedule();
}

void
PubSubNode::StopApplication()
{
    m_timer.Cancel();
    m_device->SetDirectReceiveCallback(PUBSUB_PROTOCOL_NUMBER, nullptr);
    m_device->TraceDisconnectWithoutContext("Transmit",
                                            ns3::MakeCallback(&PubSubNode::FrameOnAir, this));
    m_device->TraceDisconnectWithoutContext("MacDrop",
                                            ns3::MakeCallback(&PubSubNode::FrameDropped, this));
}

std::optional<Subscriber>
PubSubNode::Crash()
{
    NoteQueued(LossCause::CRASHED);
    NoteUnderway(LossCause::CRASHED);
    if (m_subscriber && !m_broker)
    {
        for (const auto& [handle, unsettled] : m_unsettled)
        {
            m_subscriber->DeliveryFailed(unsettled.send.to);
        }
    }
    m_broker.reset();
    m_unsettled.clear();
    m_tickets.clear();
    StopApplication();
    if (m_subscriber)
    {
        m_subscriber->Detached();
    }
    return std::move(m_subscriber);
}

void
PubSubNode::Publish(const EventPtr& event)
{
    std::vector<Send> sends;
    m_publisher->Publish(event, sends);
    SendAll(sends, false);
    RunLocalMessages();
    Reschedule();
}

void
PubSubNode::Subscribe(const Filter& filter)
{
    SubscriberOutput output;
    m_subscriber->Subscribe(filter, output);
    Execute(output);
    RunLocalMessages();
    Reschedule();
}

void
PubSubNode::Unsubscribe(const Filter& filter)
{
    SubscriberOutput output;
    m_subscriber->Unsubscribe(filter, output);
    Execute(output);
    RunLocalMessages();
    Reschedule();
}

NodeId
PubSubNode::GetParent() const
{
    return m_overlay ? m_overlay->GetParent() : m_attachment->GetBroker();
}

NodeId
PubSubNode::GetLeader() const
{
    return m_overlay ? m_overlay->GetLeader() : NO_NODE;
}

size_t
PubSubNode::CountQueuedEvents() const
{
    return m_broker ? m_broker->CountQueued() : 0;
}

void
PubSubNode::ReceiveFrame(const WsnFrame& frame, float rssiDbm)
{
    const auto bytes = GetBytes(frame.packet);
    const auto header = DecodeFrameHeader(bytes);
    if (header.kind == KIND_HEARTBEAT)
    {
        ReceiveHeartbeat(header.source, DecodeHeartbeat(GetFrameBody(bytes)), rssiDbm);
    }
    else if (header.destination == NO_NODE)
    {
        if (m_broker) // broadcasts are among brokers (Send::to)
        {
            ReceiveMessage(header.source, Decode(header.kind, GetFrameBody(bytes)));
        }
    }
    else
    {
        TransportOutput output;
        m_transport.Receive(bytes, output);
        Execute(std::move(output));
    }
    RunLocalMessages();
    Reschedule();
}

void
PubSubNode::ReceiveHeartbeat(NodeId from, const Heartbeat& heartbeat, double rssiDbm)
{
    if (m_overlay)
    {
        OverlayOutput output;
        m_overlay->Receive(Now(), from, heartbeat, rssiDbm, output);
        Execute(output);
    }
    else
    {
        AttachmentChanged(m_attachment->Receive(Now(), from, heartbeat, rssiDbm));
    }
}

void
PubSubNode::AttachmentChanged(AttachmentChange change)
{
    SubscriberOutput output;
    std::vector<Send> sends;
    switch (change)
    {
    case AttachmentChange::NONE:
        return;
    case AttachmentChange::MOVED:
        AttachClients(m_attachment->GetBroker());
        return;
    case AttachmentChange::ALIVE:
        if (m_subscriber)
        {
            m_subscriber->BrokerAlive(output);
        }
        if (m_publisher)
        {
            m_publisher->BrokerAlive(sends);
        }
        break;
    case AttachmentChange::LOST:
        if (m_subscriber)
        {
            m_subscriber->Detached();
        }
        if (m_publisher)
        {
            m_publisher->Detached();
        }
        break;
    }
    Execute(output);
    SendAll(sends, false);
}

void
PubSubNode::AttachClients(NodeId broker)
{
    if (m_subscriber)
    {
        SubscriberOutput output;
        m_subscriber->Attached(broker, output);
        if (Sends(output.sends, Mig::NAME))
        {
            m_trace.Migrated(m_options.id, Mig::NAME, broker);
        }
        Execute(output);
    }
    if (m_publisher)
    {
        std::vector<Send> sends;
        m_publisher->Attached(broker, sends);
        SendAll(sends, false);
    }
}

void
PubSubNode::ReceiveMessage(NodeId from, const Message& message)
{
    if (m_broker)
    {
        NoteChild(from, message);
        if (!m_overlay->IsNeighbour(from) && !IsFromClient(from, message) &&
            !CarriesEvents(message))
        {
            return;
        }
        GiveToBroker(from, message);
    }
    else if (m_subscriber)
    {
        SubscriberOutput output;
        m_subscriber->Receive(from, message, output);
        Execute(output);
    }
}

void
PubSubNode::GiveToBroker(NodeId from, const Message& message)
{
    if (const auto* pub = std::get_if<Pub>(&message))
    {
        m_trace.Taken(pub->event->id);
    }
    BrokerOutput output;
    m_broker->Receive(from, message, output);
    Execute(output);
}

void
PubSubNode::NoteFate(const Message& message, LossCause cause) const
{
    if (const auto* rep = std::get_if<Rep>(&message))
    {
        for (const auto& event : rep->events)
        {
            m_trace.Fate(event->id, rep->subscriber, cause);
        }
    }
    else if (const auto* pub = std::get_if<Pub>(&message))
    {
        for (const auto subscriber : pub->subscribers)
        {
            m_trace.Fate(pub->event->id, subscriber, cause);
        }
        if (pub->subscribers.empty())
        {
            m_trace.FateUnmatched(pub->event->id, cause);
        }
    }
}

void
PubSubNode::NoteQueued(LossCause cause) const
{
    if (!m_broker)
    {
        return;
    }
    for (const auto& [subscriber, events] : m_broker->GetQueues())
    {
        for (const auto& event : events)
        {
            m_trace.Fate(event, subscriber, cause);
        }
    }
}

void
PubSubNode::NoteUnderway(LossCause cause) const
{
    if (!m_broker)
    {
        return; // what a publisher has not got rid of is UNSENT
    }
    for (const auto& [handle, unsettled] : m_unsettled)
    {
        NoteFate(unsettled.send.message, cause);
    }
}

void
PubSubNode::NoteChild(NodeId from, const Message& message)
{
    const auto* bmig = std::get_if<Bmig>(&message);
    const auto* cascading = std::get_if<CascadingBmig>(&message);
    if ((bmig && bmig->hops == 0) || (cascading && cascading->origin == from))
    {
        OverlayOutput output;
        m_overlay->ChildJoined(Now(), from, output);
        Execute(output);
    }
}

void
PubSubNode::MessageSettled(const SettledMessage& settled)
{
    const auto unsettled = m_unsettled.extract(settled.handle);
    if (settled.delivered)
    {
        return;
    }
    const auto& [send, before] = unsettled.mapped();
    const auto failures = before + 1;
    const auto action =
        m_options.failure->OnFailure(Describe(), send.to, GetKind(send.message), failures);
    if (action == FailureAction::RESEND)
    {
        SendOverRadio(send, failures);
    }
    else
    {
        DeliveryFailed(send, action);
    }
}

void
PubSubNode::DeliveryFailed(const Send& failed, FailureAction action)
{
    if (m_broker)
    {
        NoteFate(failed.message, LossCause::RADIO);
        if (action == FailureAction::DROP_LINK)
        {
            OverlayOutput lost;
            m_overlay->LinkFailed(failed.to, lost);
            Execute(lost);
        }
        BrokerOutput output;
        m_broker->DeliveryFailed(failed.to, failed.message, output);
        Execute(output);
    }
    else if (m_publisher && std::holds_alternative<Pub>(failed.message))
    {
        m_publisher->DeliveryFailed(failed.message);
    }
    else if (m_subscriber)
    {
        m_subscriber->DeliveryFailed(failed.to);
    }
}

void
PubSubNode::Execute(const OverlayOutput& output)
{
    for (const auto& heartbeat : output.broadcasts)
    {
        Broadcast(KIND_HEARTBEAT, Encode(heartbeat));
    }
    for (const auto neighbour : output.linksDown)
    {
        m_broker->LinkDown(neighbour);
    }
    for (const auto neighbour : output.linksUp)
    {
        m_broker->LinkUp(neighbour);
    }
    if (output.parentChange)
    {
        BrokerOutput migration;
        m_broker->ParentChanged(output.parentChange->previous,
                                output.parentChange->current,
                                migration);
        if (Sends(migration.sends, Bmig::NAME))
        {
            m_trace.Migrated(m_options.id, Bmig::NAME, output.parentChange->current);
        }
        Execute(migration);
    }
}

void
PubSubNode::Execute(TransportOutput output)
{
    for (const auto& frame : output.frames)
    {
        SendFrame(frame.to, frame.bytes, frame.ticket);
    }
    for (const auto& settled : output.settled)
    {
        MessageSettled(settled);
    }
    for (const auto& [from, kind, body] : output.received)
    {
        ReceiveMessage(from, Decode(kind, body));
    }
}

void
PubSubNode::Execute(const BrokerOutput& output)
{
    for (const auto& match : output.matches)
    {
        m_trace.Matched(m_options.id, match.event, match.subscriber);
    }
    for (const auto& drop : output.drops)
    {
        m_trace.Fate(drop.event, drop.subscriber, LossCause::DROPPED_BY_QUEUE);
    }
    for (const auto& send : output.sends)
    {
        if (std::holds_alternative<Rep>(
                send.message)) // whatever kept its events has let go of them
        {
            NoteFate(send.message, LossCause::STRANDED);
        }
    }
    SendAll(output.sends, true);
}

void
PubSubNode::Execute(const SubscriberOutput& output)
{
    for (const auto& delivery : output.deliveries)
    {
        m_trace.Delivered(m_options.id,
                          delivery.event->id,
                          delivery.from,
                          delivery.hops,
                          delivery.duplicate);
    }
    SendAll(output.sends, false);
}

void
PubSubNode::SendAll(const std::vector<Send>& sends, bool fromBroker)
{
    for (const auto& send : sends)
    {
        if (send.to == m_options.id)
        {
            m_local.push_back({!fromBroker, send.message});
        }
        else
        {
            SendOverRadio(send);
        }
    }
}

void
PubSubNode::SendOverRadio(const Send& send, uint32_t failures)
{
    auto body = Encode(send.message);
    if (send.to == NO_NODE)
    {
        Broadcast(GetKind(send.message), body);
        return;
    }
    const auto* rep = std::get_if<Rep>(&send.message);
    if (rep && rep->events.size() > 1 &&
        body.size() + FRAME_HEADER_BYTES > m_options.transport.maxFrameBytes)
    {
        // A replay of more than a frame goes as several, so that what arrives need not be repeated.
        const auto half = rep->events.begin() + static_cast<ptrdiff_t>(rep->events.size() / 2);
        SendOverRadio({send.to, Rep{rep->subscriber, {rep->events.begin(), half}, rep->hops}},
                      failures);
        SendOverRadio({send.to, Rep{rep->subscriber, {half, rep->events.end()}, rep->hops}},
                      failures);
        return;
    }
    TransportOutput output;
    const auto handle = m_transport.Send(send.to, GetKind(send.message), std::move(body), output);
    m_unsettled.emplace(handle, Unsettled{send, failures});
    Execute(std::move(output));
}

void
PubSubNode::Broadcast(uint8_t kind, const Bytes& body)
{
    const auto size = FRAME_HEADER_BYTES + body.size();
    if (size > m_options.transport.maxFrameBytes)
    {
        throw std::length_error("a broadcast of " + std::to_string(size) +
                                " bytes does not fit in a frame, and broadcasts are not split");
    }
    const FrameHeader header{m_options.id, NO_NODE, kind, 0, 0, 0, 0, 1};
    SendFrame(NO_NODE, EncodeFrame(header, body), 0);
}

void
PubSubNode::SendFrame(NodeId to, const Bytes& frame, uint64_t ticket)
{
    const auto packet = ns3::Create<ns3::Packet>(frame.data(), static_cast<uint32_t>(frame.size()));
    if (ticket != 0)
    {
        m_tickets.emplace(packet->GetUid(), ticket);
    }
    m_device->Send(packet, ToMacAddress(to), PUBSUB_PROTOCOL_NUMBER);
}

void
PubSubNode::FrameOnAir(ns3::Ptr<const ns3::Packet> frame,
                       uint16_t,
                       ns3::Mac48Address to,
                       uint32_t bytesOnAir)
{
    m_trace.Frame(m_options.id, GetFrameKind(frame), ToNodeId(to), bytesOnAir);
    FrameDropped(frame, 0, to, bytesOnAir);
}

void
PubSubNode::FrameDropped(ns3::Ptr<const ns3::Packet> frame, uint16_t, ns3::Mac48Address, uint32_t)
{
    if (const auto ticket = m_tickets.extract(frame->GetUid()))
    {
        m_transport.Transmitted(Now(), ticket.mapped());
        Reschedule();
    }
}

void
PubSubNode::RunLocalMessages()
{
    while (!m_local.empty())
    {
        const auto local = std::move(m_local.front());
        m_local.pop_front();
        if (local.toBroker)
        {
            GiveToBroker(m_options.id, local.message);
        }
        else
        {
            SubscriberOutput output;
            m_subscriber->Receive(m_options.id, local.message, output);
            Execute(output);
        }
    }
}

void
PubSubNode::TimerExpired()
{
    TransportOutput transport;
    m_transport.Expire(Now(), transport);
    Execute(std::move(transport));
    if (m_overlay)
    {
        OverlayOutput output;
        m_overlay->Expire(Now(), output);
        Execute(output);
    }
    else
    {
        AttachmentChanged(m_attachment->Expire(Now()));
    }
    RunLocalMessages();
    Reschedule();
}

NodeView
PubSubNode::Describe() const
{
    return m_overlay ? m_overlay->Describe(Now()) : m_attachment->Describe(Now());
}

void
PubSubNode::CompleteView(NodeView& me) const
{
    me.speedMetresPerSecond = GetNode()->GetObject<ns3::MobilityModel>()->GetVelocity().GetLength();
    me.queuedEvents = m_broker ? m_broker->CountQueued() : 0;
}

void
PubSubNode::Reschedule()
{
    if (!m_device) // not started yet
    {
        return;
    }
    auto next = m_transport.NextTimer();
    const auto other =
        m_overlay ? std::optional(m_overlay->NextTimer()) : m_attachment->NextTimer();
    if (other && (!next || *other < *next))
    {
        next = other;
    }
    if (m_timer.IsPending() && next && *next == m_timerAt)
    {
        return;
    }
    m_timer.Cancel();
    if (next)
    {
        m_timerAt = *next;
        const auto delay = std::max(*next - Now(), Instant(0));
        m_timer = ns3::Simulator::Schedule(ns3::NanoSeconds(delay.count()),
                                           &PubSubNode::TimerExpired,
                                           this);
    }
}

} // namespace mftpubsub
