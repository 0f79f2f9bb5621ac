/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/pubsub-node.h"

#include "hosts/frame-kind.h"
#include "hosts/machine-io.h"
#include "hosts/protocol-numbers.h"

#include "ns3/integer.h"
#include "ns3/log.h"

#include <utility>

namespace mftpubsub
{

NS_LOG_COMPONENT_DEFINE("PubSubNode");

NS_OBJECT_ENSURE_REGISTERED(PubSubNode);

ns3::TypeId
PubSubNode::GetTypeId()
{
    static ns3::TypeId tid =
        ns3::TypeId("mftpubsub::PubSubNode").SetParent<RadioHost>().SetGroupName("mftpubsub");
    return tid;
}

PubSubNode::PubSubNode(PubSubOptions options, RunTrace& trace)
    : RadioHost(options.id, TREE_PROTOCOL_NUMBER, trace),
      m_uniform(ns3::CreateObjectWithAttributes<ns3::UniformRandomVariable>(
          "Stream",
          ns3::IntegerValue(options.stream))),
      m_station(
          std::move(options),
          [u = m_uniform] { return u->GetValue(); },
          *this),
      m_sessions(GetId(),
                 TREE_PROTOCOL_NUMBER,
                 TellFor(HeartbeatsUntilLost(m_station.GetOptions().overlay),
                         m_station.GetOptions().transport),
                 m_uniform,
                 [this](NodeId to, uint8_t kind, uint32_t attempts) {
                     return m_station.Retries(Now(), to, kind, attempts);
                 },
                 {.happened = [this](const SessionEvent& event) {
                     m_station.Happened(Now(), event);
                     SetTimer();
                 }})
{
}

PubSubNode::~PubSubNode() = default;

void
PubSubNode::Start()
{
    NS_LOG_FUNCTION(this << GetId());
    m_sessions.Start(GetPort());
    m_station.Start(Now());
}

void
PubSubNode::Stop()
{
    m_station.Stop();
    m_sessions.Stop();
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
    TellPublished(*event);
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
PubSubNode::Receive(const Bytes& frame, double rssiDbm)
{
    m_sessions.Receive(frame, [&](const FrameHeader& header, std::span<const uint8_t> body) {
        m_station.Hear(Now(), header.source, header.kind, body, rssiDbm);
    });
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
    TellAttached(parent, kind);
}

void
PubSubNode::Delivered(const EventPtr& event, NodeId from, uint8_t hops, bool isDuplicate)
{
    GetTrace().Delivered(GetId(), event->id, from, hops, isDuplicate);
    TellDelivered(event->id, from, hops, isDuplicate);
}

EventLog&
PubSubNode::GetLog()
{
    return GetTrace();
}

double
PubSubNode::GetSpeed() const
{
    return GetMetresPerSecond();
}

std::string_view
PubSubNode::NameFrame(const ns3::Ptr<const ns3::Packet>& frame) const
{
    return GetFrameKind(frame, m_station.GetOptions().ownKinds);
}

void
PubSubNode::Expire()
{
    m_station.Expire(Now());
}

std::optional<Instant>
PubSubNode::NextTimer() const
{
    return m_station.NextTimer();
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
PubSubNode::CountHeldEvents() const
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
