/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/pubsub-node.h"

#include "hosts/event-fates.h"
#include "hosts/machine-io.h"
#include "hosts/node-address.h"
#include "protocols/message-codec.h"

#include "ns3/integer.h"
#include "ns3/mobility-model.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <string>
#include <utility>

namespace mftpubsub
{

NS_OBJECT_ENSURE_REGISTERED(PubSubNode);

namespace
{

std::optional<Subscriber>
MakeSubscriber(PubSubOptions& options)
{
    if (!(options.roles & ROLE_SUBSCRIBER))
    {
        return std::nullopt;
    }
    return options.subscriber ? std::move(options.subscriber) : Subscriber(options.id);
}

std::optional<Publisher>
MakePublisher(uint8_t roles)
{
    return roles & ROLE_PUBLISHER ? std::optional<Publisher>(std::in_place) : std::nullopt;
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
    case KIND_CLOSED:
        return "CLOSED";
    default:
        return GetKindName(kind);
    }
}

ns3::TypeId
PubSubNode::GetTypeId()
{
    const auto flags = ns3::TypeId::ATTR_GET;
    const auto id = ns3::MakeUintegerChecker<uint16_t>();
    static ns3::TypeId tid =
        ns3::TypeId("mftpubsub::PubSubNode")
            .SetParent<ns3::Application>()
            .SetGroupName("mftpubsub")
            .AddAttribute("Parent",
                          "A broker's parent, a client's broker, by node id; 65535: none",
                          flags,
                          ns3::UintegerValue(NO_NODE),
                          ns3::MakeUintegerAccessor(&PubSubNode::GetParent),
                          id)
            .AddAttribute("Leader",
                          "Whom a broker follows, by node id; 65535: nobody, or no broker",
                          flags,
                          ns3::UintegerValue(NO_NODE),
                          ns3::MakeUintegerAccessor(&PubSubNode::GetLeader),
                          id)
            .AddAttribute("QueuedEvents",
                          "Events that a broker holds, one for each subscriber that they are for",
                          flags,
                          ns3::UintegerValue(0),
                          ns3::MakeUintegerAccessor(&PubSubNode::CountQueuedEvents),
                          ns3::MakeUintegerChecker<uint32_t>())
            .AddTraceSource("Published",
                            "The application on this device has published an event",
                            ns3::MakeTraceSourceAccessor(&PubSubNode::m_publishedTrace),
                            "mftpubsub::PubSubNode::EventTracedCallback")
            .AddTraceSource("Delivered",
                            "An event has reached the subscriber on this device",
                            ns3::MakeTraceSourceAccessor(&PubSubNode::m_deliveredTrace),
                            "mftpubsub::PubSubNode::DeliveryTracedCallback")
            .AddTraceSource("Migrated",
                            "A role on this device migrates to another broker",
                            ns3::MakeTraceSourceAccessor(&PubSubNode::m_migratedTrace),
                            "mftpubsub::PubSubNode::MigrationTracedCallback")
            .AddTraceSource("Frame",
                            "A frame goes on the air",
                            ns3::MakeTraceSourceAccessor(&PubSubNode::m_frameTrace),
                            "mftpubsub::PubSubNode::FrameTracedCallback");
    return tid;
}

PubSubNode::PubSubNode(PubSubOptions options, RunTrace& trace)
    : m_options(std::move(options)),
      m_trace(trace),
      m_uniform(ns3::CreateObjectWithAttributes<ns3::UniformRandomVariable>(
          "Stream",
          ns3::IntegerValue(m_options.stream))),
      m_port(m_options.id,
             PUBSUB_PROTOCOL_NUMBER,
             m_options.transport,
             m_uniform,
             [this](NodeId to, uint8_t kind, uint32_t attempts) {
                 return m_options.retry->Retry(Describe(), to, kind, attempts);
             },
             {.happened = [this](const SessionEvent& event) { Happened(event); }}),
      m_clients(MakeSubscriber(m_options), MakePublisher(m_options.roles), *this)
{
    if (m_options.roles & ROLE_BROKER)
    {
        MakeBroker();
    }
    else
    {
        m_attachment.emplace(m_options.id,
                             m_options.roles,
                             m_options.overlay,
                             m_options.policies,
                             [this](NodeView& me) { CompleteView(me); });
    }
}

void
PubSubNode::MakeBroker()
{
    m_broker.emplace(m_options.id,
                     BrokerOverlay(
                         m_options.id,
                         m_options.roles,
                         m_options.overlay,
                         [u = m_uniform] { return u->GetValue(); },
                         m_options.policies,
                         [this](NodeView& me) { CompleteView(me); }),
                     m_options.makeBroker(m_options.id, [this] { return Describe(); }),
                     m_options.failure,
                     static_cast<NodeServices&>(*this));
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
    m_port.Start(m_device);
    if (m_broker)
    {
        m_broker->Start(Now());
        m_clients.Attach(m_options.id);
    }
    Finish();
}

void
PubSubNode::StopApplication()
{
    m_timer.Cancel();
    m_port.Stop();
    m_device->SetDirectReceiveCallback(PUBSUB_PROTOCOL_NUMBER, nullptr);
    m_device->TraceDisconnectWithoutContext("Transmit",
                                            ns3::MakeCallback(&PubSubNode::FrameOnAir, this));
}

std::optional<Subscriber>
PubSubNode::Crash()
{
    NoteQueued(LossCause::CRASHED);
    NoteUnderway(LossCause::CRASHED);
    if (!m_broker)
    {
        for (const auto& [handle, unsettled] : m_unsettled)
        {
            m_clients.DeliveryFailed(unsettled.send);
        }
    }
    m_broker.reset();
    m_unsettled.clear();
    StopApplication();
    return m_clients.TakeSubscriber();
}

void
PubSubNode::Publish(const EventPtr& event)
{
    m_publishedTrace(*event);
    m_clients.Publish(event);
    Finish();
}

void
PubSubNode::Subscribe(const Filter& filter)
{
    m_clients.Subscribe(filter);
    Finish();
}

void
PubSubNode::Unsubscribe(const Filter& filter)
{
    m_clients.Unsubscribe(filter);
    Finish();
}

NodeId
PubSubNode::GetParent() const
{
    if (m_attachment)
    {
        return m_attachment->GetBroker();
    }
    return m_broker ? m_broker->GetOverlay().GetParent() : NO_NODE;
}

NodeId
PubSubNode::GetLeader() const
{
    return m_broker ? m_broker->GetOverlay().GetLeader() : NO_NODE;
}

uint32_t
PubSubNode::CountQueuedEvents() const
{
    return m_broker ? m_broker->GetMachine().CountQueued() : 0;
}

void
PubSubNode::NoteQueued(LossCause cause) const
{
    if (m_broker)
    {
        mftpubsub::NoteQueued(m_trace, m_broker->GetMachine(), cause);
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
        NoteFate(m_trace, unsettled.send.message, cause);
    }
}

void
PubSubNode::ReceiveFrame(const WsnFrame& frame, float rssiDbm)
{
    const auto bytes = GetBytes(frame.packet);
    const auto header = DecodeFrameHeader(bytes);
    if (header.destination == NO_NODE)
    {
        ReceiveBroadcast(header, bytes, rssiDbm);
    }
    else
    {
        m_port.Receive(bytes);
    }
    Finish();
}

void
PubSubNode::ReceiveBroadcast(const FrameHeader& header, const Bytes& frame, double rssiDbm)
{
    const auto body = m_port.ReceiveBroadcast(header, frame);
    if (header.kind == KIND_HEARTBEAT)
    {
        ReceiveHeartbeat(header.source, DecodeHeartbeat(body), rssiDbm);
    }
    else if (m_broker) // broadcasts are among brokers (Send::to)
    {
        m_broker->Receive(Now(), header.source, Decode(header.kind, body));
    }
}

void
PubSubNode::ReceiveHeartbeat(NodeId from, const Heartbeat& heartbeat, double rssiDbm)
{
    if (m_broker)
    {
        m_broker->ReceiveHeartbeat(Now(), from, heartbeat, rssiDbm);
    }
    else
    {
        AttachmentChanged(m_attachment->Receive(Now(), from, heartbeat, rssiDbm));
    }
}

void
PubSubNode::AttachmentChanged(AttachmentChange change)
{
    switch (change)
    {
    case AttachmentChange::NONE:
        break;
    case AttachmentChange::MOVED:
        m_clients.Attach(m_attachment->GetBroker());
        break;
    case AttachmentChange::ALIVE:
        m_clients.BrokerAlive();
        break;
    case AttachmentChange::LOST:
        m_clients.Detach();
        break;
    }
}

void
PubSubNode::Happened(const SessionEvent& event)
{
    if (const auto* received = std::get_if<ReceivedMessage>(&event))
    {
        ReceiveMessage(received->from, Decode(received->kind, received->body));
    }
    else if (const auto* delivered = std::get_if<DeliveredMessage>(&event))
    {
        m_unsettled.erase(delivered->handle);
        if (m_broker)
        {
            m_broker->Alive(Now(), delivered->to);
        }
    }
    else
    {
        SessionHasEnded(std::get<SessionEnded>(event));
    }
    Finish();
}

void
PubSubNode::ReceiveMessage(NodeId from, const Message& message)
{
    if (m_broker)
    {
        m_broker->Receive(Now(), from, message);
    }
    else
    {
        m_clients.Receive(from, message);
    }
}

void
PubSubNode::SessionHasEnded(const SessionEnded& ended)
{
    std::vector<FailedSend> failed;
    for (const auto handle : ended.failed)
    {
        auto unsettled = m_unsettled.extract(handle);
        ++unsettled.mapped().failures;
        failed.push_back(std::move(unsettled.mapped()));
    }
    if (m_broker)
    {
        m_broker->SessionEnded(Now(), ended.neighbour, ended.why, failed);
        return;
    }
    for (const auto& one : failed)
    {
        const auto action = m_options.failure->OnFailure(Describe(),
                                                         ended.neighbour,
                                                         GetKind(one.send.message),
                                                         one.failures);
        if (action == FailureAction::RESEND && ended.why == SessionEnd::GIVEN_UP)
        {
            SendAgain(one);
        }
        else
        {
            m_clients.DeliveryFailed(one.send);
        }
    }
    if (ended.why == SessionEnd::RENEWED && ended.neighbour == m_attachment->GetBroker())
    {
        m_clients.Attach(ended.neighbour); // the broker may have forgotten us
    }
}

void
PubSubNode::SendAll(const std::vector<Send>& sends, bool isFromBroker)
{
    for (const auto& send : sends)
    {
        if (send.to == m_options.id)
        {
            m_local.push_back({!isFromBroker, send.message});
        }
        else
        {
            SendOverRadio(send, 0);
        }
    }
}

void
PubSubNode::SendAgain(const FailedSend& failed)
{
    SendOverRadio(failed.send, failed.failures);
}

void
PubSubNode::SendOverRadio(const Send& send, uint32_t failures)
{
    auto body = Encode(send.message);
    if (send.to == NO_NODE)
    {
        m_port.Broadcast(GetKind(send.message), body);
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
    m_unsettled.emplace(++m_lastHandle, FailedSend{send, failures});
    m_port.Send(m_lastHandle, send.to, GetKind(send.message), std::move(body));
}

void
PubSubNode::BroadcastHeartbeat(const Heartbeat& heartbeat)
{
    m_port.BroadcastHeartbeat(Encode(heartbeat));
}

void
PubSubNode::CloseSession(NodeId neighbour)
{
    m_port.Close(neighbour);
}

void
PubSubNode::Migrated(std::string_view kind, NodeId parent)
{
    m_trace.Migrated(m_options.id, kind, parent);
    m_migratedTrace(std::string(kind), parent);
}

void
PubSubNode::Delivered(const EventPtr& event, NodeId from, uint8_t hops, bool isDuplicate)
{
    m_trace.Delivered(m_options.id, event->id, from, hops, isDuplicate);
    m_deliveredTrace(*event, from, hops, isDuplicate);
}

RunTrace&
PubSubNode::GetTrace()
{
    return m_trace;
}

void
PubSubNode::FrameOnAir(ns3::Ptr<const ns3::Packet> frame,
                       uint16_t,
                       ns3::Mac48Address to,
                       uint32_t bytesOnAir)
{
    const auto kind = GetFrameKind(frame);
    m_trace.Frame(m_options.id, kind, ToNodeId(to), bytesOnAir);
    m_frameTrace(std::string(kind), ToNodeId(to), bytesOnAir);
}

void
PubSubNode::RunLocalMessages()
{
    while (!m_local.empty())
    {
        const auto local = std::move(m_local.front());
        m_local.pop_front();
        if (local.isToBroker)
        {
            m_broker->Receive(Now(), m_options.id, local.message);
        }
        else
        {
            m_clients.Receive(m_options.id, local.message);
        }
    }
}

void
PubSubNode::TimerExpired()
{
    if (m_broker)
    {
        m_broker->Expire(Now());
    }
    else
    {
        AttachmentChanged(m_attachment->Expire(Now()));
    }
    Finish();
}

NodeView
PubSubNode::Describe() const
{
    return m_broker ? m_broker->GetOverlay().Describe(Now()) : m_attachment->Describe(Now());
}

void
PubSubNode::CompleteView(NodeView& me) const
{
    me.speedMetresPerSecond = GetNode()->GetObject<ns3::MobilityModel>()->GetVelocity().GetLength();
    me.queuedEvents = CountQueuedEvents();
}

void
PubSubNode::Finish()
{
    RunLocalMessages();
    if (!m_device) // not started yet
    {
        return;
    }
    const auto next = m_broker ? std::optional(m_broker->NextTimer()) : m_attachment->NextTimer();
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
