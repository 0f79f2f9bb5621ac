/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/pubsub-node.h"

#include "hosts/frame-kind.h"
#include "hosts/node-address.h"
#include "hosts/protocol-numbers.h"

#include "ns3/integer.h"
#include "ns3/log.h"
#include "ns3/mobility-model.h"
#include "ns3/node.h"
#include "ns3/uinteger.h"

#include <string>
#include <utility>

namespace mftpubsub
{

NS_LOG_COMPONENT_DEFINE("PubSubNode");

NS_OBJECT_ENSURE_REGISTERED(PubSubNode);

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
    : m_trace(trace),
      m_uniform(ns3::CreateObjectWithAttributes<ns3::UniformRandomVariable>(
          "Stream",
          ns3::IntegerValue(options.stream))),
      m_station(
          std::move(options),
          [u = m_uniform] { return u->GetValue(); },
          *this),
      m_sessions(GetId(),
                 TREE_PROTOCOL_NUMBER,
                 m_station.GetOptions().transport,
                 m_uniform,
                 [this](NodeId to, uint8_t kind, uint32_t attempts) {
                     return m_station.Retries(Now(), to, kind, attempts);
                 },
                 {.happened =
                      [this](const SessionEvent& event) {
                          m_station.Happened(Now(), event);
                          SetTimer();
                      }}),
      m_timer([this] { TimerExpired(); })
{
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
    NS_LOG_FUNCTION(this << GetId());
    m_device = DevicePort::On(*GetNode());
    m_device->SetReceiver(TREE_PROTOCOL_NUMBER, [this](const auto& frame, double rssiDbm) {
        ReceiveFrame(frame, rssiDbm);
    });
    m_device->TraceConnectWithoutContext("Transmit",
                                         ns3::MakeCallback(&PubSubNode::FrameOnAir, this));
    m_sessions.Start(m_device);
    m_station.Start(Now());
    SetTimer();
}

void
PubSubNode::StopApplication()
{
    NS_LOG_FUNCTION(this << GetId());
    if (!m_device) // not started yet, or stopped before
    {
        return;
    }
    m_timer.Cancel();
    m_station.Stop();
    m_sessions.Stop();
    m_device->SetReceiver(TREE_PROTOCOL_NUMBER, nullptr);
    m_device->TraceDisconnectWithoutContext("Transmit",
                                            ns3::MakeCallback(&PubSubNode::FrameOnAir, this));
    m_device = nullptr;
}

std::optional<Subscriber>
PubSubNode::Crash()
{
    auto subscriber = m_station.Crash();
    StopApplication();
    return subscriber;
}

void
PubSubNode::Publish(const EventPtr& event)
{
    NS_LOG_INFO("node " << GetId() << " publishes event " << event->id.sequence);
    m_publishedTrace(*event);
    m_station.Publish(Now(), event);
    SetTimer();
}

void
PubSubNode::Subscribe(const Filter& filter)
{
    m_station.Subscribe(Now(), filter);
    SetTimer();
}

void
PubSubNode::Unsubscribe(const Filter& filter)
{
    m_station.Unsubscribe(Now(), filter);
    SetTimer();
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
            const auto body = m_sessions.ReceiveBroadcast(header, bytes);
            m_station.Hear(Now(), header.source, header.kind, body, rssiDbm);
        }
        else
        {
            m_sessions.Receive(bytes);
        }
    }
    catch (const DecodeError&)
    {
        // somebody else's, who uses our protocol number
    }
    SetTimer();
}

void
PubSubNode::Send(MessageHandle handle, NodeId to, uint8_t kind, Bytes body)
{
    m_sessions.Send(handle, to, kind, std::move(body));
}

void
PubSubNode::Broadcast(uint8_t kind, const Bytes& body)
{
    m_sessions.Broadcast(kind, body);
}

void
PubSubNode::BroadcastHeartbeat(const Bytes& body)
{
    m_sessions.BroadcastHeartbeat(body);
}

void
PubSubNode::CloseSession(NodeId neighbour)
{
    m_sessions.Close(neighbour);
}

void
PubSubNode::Attached(NodeId parent, std::string_view kind)
{
    if (m_trace.Attached(GetId(), parent, kind))
    {
        m_migratedTrace(std::string(kind), parent);
    }
}

void
PubSubNode::Delivered(const EventPtr& event, NodeId from, uint8_t hops, bool isDuplicate)
{
    m_trace.Delivered(GetId(), event->id, from, hops, isDuplicate);
    m_deliveredTrace(*event, from, hops, isDuplicate);
}

EventLog&
PubSubNode::GetLog()
{
    return m_trace;
}

double
PubSubNode::GetSpeed() const
{
    return GetNode()->GetObject<ns3::MobilityModel>()->GetVelocity().GetLength();
}

void
PubSubNode::FrameOnAir(ns3::Ptr<const ns3::Packet> frame,
                       uint16_t,
                       ns3::Mac48Address to,
                       uint32_t bytesOnAir)
{
    const auto kind = GetFrameKind(frame, m_station.GetOptions().ownKinds);
    m_trace.Frame(GetId(), kind, ToNodeId(to), bytesOnAir);
    m_frameTrace(std::string(kind), ToNodeId(to), bytesOnAir);
}

void
PubSubNode::TimerExpired()
{
    m_station.Expire(Now());
    SetTimer();
}

void
PubSubNode::SetTimer()
{
    if (m_device) // started
    {
        m_timer.Set(m_station.NextTimer());
    }
}

NodeId
PubSubNode::GetId() const
{
    return m_station.GetOptions().id;
}

NodeId
PubSubNode::GetParent() const
{
    return m_station.GetParent();
}

NodeId
PubSubNode::GetLeader() const
{
    return m_station.GetLeader();
}

uint32_t
PubSubNode::CountQueuedEvents() const
{
    const auto* broker = m_station.GetBroker();
    return broker ? static_cast<uint32_t>(broker->CountHeld()) : 0;
}

std::vector<RouteView>
PubSubNode::GetTable() const
{
    const auto* broker = m_station.GetBroker();
    return broker ? broker->GetTable() : std::vector<RouteView>();
}

std::vector<QueueView>
PubSubNode::GetQueues() const
{
    const auto* broker = m_station.GetBroker();
    return broker ? broker->GetQueues() : std::vector<QueueView>();
}

void
PubSubNode::NoteQueued(LossCause cause) const
{
    m_station.NoteQueued(cause);
}

void
PubSubNode::NoteUnderway(LossCause cause) const
{
    m_station.NoteUnderway(cause);
}

} // namespace mftpubsub
