/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/pubsub-node.h"

#include "hosts/node-address.h"
#include "hosts/protocol-numbers.h"
#include "protocols/tree/message-codec.h"

#include "ns3/integer.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/uinteger.h"

#include <string>
#include <utility>

namespace mftpubsub
{

NS_LOG_COMPONENT_DEFINE("PubSubNode");

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
             m_options.transport,
             m_uniform,
             [this](NodeId to, uint8_t kind, uint32_t attempts) {
                 const auto name = GetKindName(kind, m_options.ownKinds);
                 return m_options.policies.retry->Decide(Describe(), to, name, attempts);
             },
             {.received = [this](NodeId from,
                                 const Message& message) { ReceiveMessage(from, message); },
              .delivered = [this](NodeId to) { MessageDelivered(to); },
              .ended =
                  [this](NodeId neighbour, SessionEnd why, const std::vector<FailedSend>& failed) {
                      SessionHasEnded(neighbour, why, failed);
                  }}),
      m_clients(
          MakeSubscriber(m_options),
          MakePublisher(m_options.roles),
          m_options.policies.failure,
          [this] { return Describe(); },
          *this),
      m_timer([this] { TimerExpired(); })
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
                     m_options.policies.failure,
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
    NS_LOG_FUNCTION(this << m_options.id);
    m_device = DevicePort::On(*GetNode());
    m_device->SetReceiver(TREE_PROTOCOL_NUMBER, [this](const auto& frame, double rssiDbm) {
        ReceiveFrame(frame, rssiDbm);
    });
    m_device->TraceConnectWithoutContext("Transmit",
                                         ns3::MakeCallback(&PubSubNode::FrameOnAir, this));
    m_port.GetSessions().Start(m_device);
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
    NS_LOG_FUNCTION(this << m_options.id);
    if (!m_device) // not started yet, or stopped before
    {
        return;
    }
    m_timer.Cancel();
    m_clients.Detach();
    m_port.GetSessions().Stop();
    m_device->SetReceiver(TREE_PROTOCOL_NUMBER, nullptr);
    m_device->TraceDisconnectWithoutContext("Transmit",
                                            ns3::MakeCallback(&PubSubNode::FrameOnAir, this));
    m_device = nullptr;
}

std::optional<Subscriber>
PubSubNode::Crash()
{
    NoteQueued(LossCause::CRASHED);
    NoteUnderway(LossCause::CRASHED);
    if (!m_broker)
    {
        for (const auto& underway : m_port.GetUnderway())
        {
            m_clients.DeliveryFailed(underway.send);
        }
    }
    m_broker.reset();
    m_port.Forget();
    StopApplication();
    return m_clients.TakeSubscriber();
}

void
PubSubNode::Publish(const EventPtr& event)
{
    NS_LOG_INFO("node " << m_options.id << " publishes event " << event->id.sequence);
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

void
PubSubNode::ReceiveFrame(const ns3::Ptr<const ns3::Packet>& frame, double rssiDbm)
{
    const auto bytes = GetBytes(frame);
    try
    {
        const auto header = DecodeFrameHeader(bytes);
        if (header.destination == NO_NODE)
        {
            ReceiveBroadcast(header, bytes, rssiDbm);
        }
        else
        {
            m_port.GetSessions().Receive(bytes);
        }
    }
    catch (const DecodeError&)
    {
        // somebody else's, who uses our protocol number
    }
    Finish();
}

void
PubSubNode::ReceiveBroadcast(const FrameHeader& header, const Bytes& frame, double rssiDbm)
{
    const auto body = m_port.GetSessions().ReceiveBroadcast(header, frame);
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
    Finish();
}

void
PubSubNode::MessageDelivered(NodeId to)
{
    if (m_broker)
    {
        m_broker->Alive(Now(), to);
    }
    Finish();
}

void
PubSubNode::SessionHasEnded(NodeId neighbour, SessionEnd why, const std::vector<FailedSend>& failed)
{
    NS_LOG_INFO("node " << m_options.id << ": the session with " << neighbour << " has ended, with "
                        << failed.size() << " messages");
    if (m_broker)
    {
        m_broker->SessionEnded(Now(), neighbour, why, failed);
    }
    else
    {
        m_clients.SessionEnded(neighbour, why, failed);
    }
    Finish();
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
            m_port.Send(send);
        }
    }
}

void
PubSubNode::SendAgain(const FailedSend& failed)
{
    m_port.Send(failed.send, failed.failures);
}

void
PubSubNode::BroadcastHeartbeat(const Heartbeat& heartbeat)
{
    m_port.GetSessions().BroadcastHeartbeat(Encode(heartbeat));
}

void
PubSubNode::CloseSession(NodeId neighbour)
{
    m_port.GetSessions().Close(neighbour);
}

void
PubSubNode::Attached(NodeId parent, std::string_view kind)
{
    if (m_trace.Attached(m_options.id, parent, kind))
    {
        m_migratedTrace(std::string(kind), parent);
    }
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
    const auto kind = GetFrameKind(frame, m_options.ownKinds);
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

void
PubSubNode::Finish()
{
    RunLocalMessages();
    if (!m_device) // not started yet
    {
        return;
    }
    m_timer.Set(m_broker ? m_broker->NextTimer() : m_attachment->NextTimer());
}

} // namespace mftpubsub
