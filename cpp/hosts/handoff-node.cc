/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/handoff-node.h"

#include "hosts/frame-kind.h"
#include "hosts/machine-io.h"
#include "hosts/protocol-numbers.h"
#include "protocols/handoff/radio-codec.h"

#include "ns3/integer.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace mftpubsub
{

NS_LOG_COMPONENT_DEFINE("HandoffNode");

NS_OBJECT_ENSURE_REGISTERED(HandoffNode);

ns3::TypeId
HandoffNode::GetTypeId()
{
    static ns3::TypeId tid =
        ns3::TypeId("mftpubsub::HandoffNode").SetParent<RadioHost>().SetGroupName("mftpubsub");
    return tid;
}

HandoffNode::HandoffNode(HandoffNodeOptions options,
                         std::unique_ptr<handoff::Broker> machine,
                         Backbone& backbone,
                         RunTrace& trace)
    : RadioHost(options.id, HANDOFF_PROTOCOL_NUMBER, trace),
      m_options(std::move(options)),
      m_sessions(m_options.id,
                 HANDOFF_PROTOCOL_NUMBER,
                 TellFor(HeartbeatsUntilLost(m_options.overlay), m_options.transport),
                 ns3::CreateObjectWithAttributes<ns3::UniformRandomVariable>(
                     "Stream",
                     ns3::IntegerValue(m_options.stream)),
                 [this](NodeId to, uint8_t kind, uint32_t attempts) {
                     return m_options.policies.retry->Decide(Describe(),
                                                             to,
                                                             handoff::GetRadioName(kind),
                                                             attempts);
                 },
                 {.happened = [this](const SessionEvent& event) { Happened(event); }}),
      m_clients(m_options.id,
                m_options.roles,
                m_options.client,
                m_options.queueBytes,
                static_cast<HandoffServices&>(*this))
{
    if (machine)
    {
        m_broker.emplace(m_options.id,
                         std::move(machine),
                         m_options.client.carriesFilters,
                         backbone,
                         static_cast<HandoffServices&>(*this),
                         [this] { Finish(); });
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

HandoffNode::~HandoffNode() = default;

void
HandoffNode::DoDispose()
{
    m_heartbeatTimer.Cancel();
    m_pingTimer.Cancel();
    RadioHost::DoDispose();
}

void
HandoffNode::Start()
{
    NS_LOG_FUNCTION(this << GetId());
    m_sessions.Start(GetPort());
    if (m_broker)
    {
        m_clients.Attach(m_options.id);
        ScheduleHeartbeat();
        m_pingTimer = ns3::Simulator::Schedule(m_options.pingInterval, &HandoffNode::Ping, this);
    }
    Finish();
}

void
HandoffNode::Stop()
{
    m_heartbeatTimer.Cancel();
    m_pingTimer.Cancel();
    m_clients.Detach();
    m_sessions.Stop();
}

void
HandoffNode::Publish(const EventPtr& event)
{
    NS_LOG_INFO("node " << GetId() << " publishes event " << event->id.sequence);
    TellPublished(*event);
    m_clients.Publish(event);
    Finish();
}

void
HandoffNode::Subscribe(const Filter& filter)
{
    m_clients.Subscribe(filter);
}

NodeId
HandoffNode::GetParent() const
{
    return m_attachment ? m_attachment->GetBroker() : NO_NODE;
}

uint32_t
HandoffNode::CountHeldEvents() const
{
    return m_broker ? static_cast<uint32_t>(m_broker->CountHeld()) : 0;
}

void
HandoffNode::NoteHeld(LossCause cause) const
{
    if (m_broker)
    {
        m_broker->NoteHeld(cause);
    }
}

void
HandoffNode::NoteUnderway(LossCause cause) const
{
    for (const auto& [handle, underway] : m_underway)
    {
        const auto* pub = std::get_if<handoff::Pub>(&underway.message);
        if (m_broker && pub)
        {
            GetTrace().Fate(pub->event->id, underway.to, cause);
        }
    }
}

void
HandoffNode::SendToBroker(NodeId broker, const handoff::RadioMessage& message)
{
    if (broker == m_options.id)
    {
        m_toBroker.push_back(message);
    }
    else
    {
        Transmit(broker, message);
    }
}

void
HandoffNode::SendToClient(NodeId client, const handoff::RadioMessage& message)
{
    if (client == m_options.id)
    {
        m_toClients.push_back(message);
    }
    else
    {
        Transmit(client, message);
    }
}

void
HandoffNode::Transmit(NodeId to, const handoff::RadioMessage& message)
{
    if (!GetPort()) // stopped
    {
        return;
    }
    m_underway.emplace(++m_lastHandle, Underway{to, message});
    m_sessions.Send(m_lastHandle,
                    to,
                    static_cast<uint8_t>(message.index()),
                    handoff::Encode(message));
}

void
HandoffNode::CloseSession(NodeId neighbour)
{
    if (GetPort())
    {
        m_sessions.Close(neighbour);
    }
}

void
HandoffNode::Attached(NodeId broker)
{
    TellAttached(broker, "MIG");
}

void
HandoffNode::Delivered(const EventPtr& event, NodeId from, bool isDuplicate)
{
    GetTrace().Delivered(m_options.id, event->id, from, 1, isDuplicate);
    TellDelivered(event->id, from, 1, isDuplicate);
}

EventLog&
HandoffNode::GetLog()
{
    return GetTrace();
}

void
HandoffNode::Receive(const Bytes& frame, double rssiDbm)
{
    m_sessions.Receive(frame, [&](const FrameHeader& header, std::span<const uint8_t> body) {
        Hear(header.source, body, rssiDbm);
    });
    Finish();
}

void
HandoffNode::Hear(NodeId broker, std::span<const uint8_t> body, double rssiDbm)
{
    if (m_attachment)
    {
        const auto heartbeat = DecodeHeartbeat(body);
        AttachmentChanged(m_attachment->Receive(Now(), broker, heartbeat, rssiDbm));
    }
}

void
HandoffNode::AttachmentChanged(AttachmentChange change)
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
HandoffNode::Happened(const SessionEvent& event)
{
    if (const auto* received = std::get_if<ReceivedMessage>(&event))
    {
        ReceiveMessage(*received);
    }
    else if (const auto* delivered = std::get_if<DeliveredMessage>(&event))
    {
        const auto message = m_underway.extract(delivered->handle).mapped().message;
        if (m_broker)
        {
            m_broker->Delivered(delivered->to);
        }
        else
        {
            m_clients.Delivered(message);
        }
    }
    else
    {
        HasEnded(std::get<SessionEnded>(event));
    }
    Finish();
}

void
HandoffNode::ReceiveMessage(const ReceivedMessage& received)
{
    handoff::RadioMessage message;
    try
    {
        message = handoff::DecodeRadio(received.kind, received.body);
    }
    catch (const DecodeError&)
    {
        return; // a neighbour of another language
    }
    if (m_broker)
    {
        m_broker->Receive(received.from, message);
    }
    else
    {
        m_clients.Receive(received.from, message);
    }
}

void
HandoffNode::HasEnded(const SessionEnded& ended)
{
    std::vector<handoff::RadioMessage> failed;
    failed.reserve(ended.failed.size());
    for (const auto handle : ended.failed)
    {
        failed.push_back(m_underway.extract(handle).mapped().message);
    }
    if (m_broker)
    {
        m_broker->SessionEnded(ended.neighbour);
    }
    else
    {
        m_clients.SessionEnded(ended.neighbour, ended.why, failed);
    }
}

std::string_view
HandoffNode::NameFrame(const ns3::Ptr<const ns3::Packet>& frame) const
{
    const auto kind = DecodeFrameHeader(GetBytes(frame)).kind;
    return kind < KIND_ASK ? handoff::GetRadioName(kind) : GetFrameKind(frame);
}

void
HandoffNode::ScheduleHeartbeat()
{
    const auto interval = m_options.overlay.heartbeatInterval;
    const auto offset = Instant(m_options.heartbeatOffset.GetNanoSeconds());
    const auto round = std::max((Now() - offset) / interval, int64_t{0}) + 1;
    m_options.heartbeat.round = static_cast<uint32_t>(round);
    const auto due = round * interval + offset;
    m_heartbeatTimer = ns3::Simulator::Schedule(ns3::NanoSeconds((due - Now()).count()),
                                                &HandoffNode::BroadcastHeartbeat,
                                                this);
}

void
HandoffNode::BroadcastHeartbeat()
{
    m_sessions.BroadcastHeartbeat(Encode(m_options.heartbeat));
    ScheduleHeartbeat();
}

void
HandoffNode::Ping()
{
    m_broker->Ping();
    m_pingTimer = ns3::Simulator::Schedule(m_options.pingInterval, &HandoffNode::Ping, this);
    Finish();
}

void
HandoffNode::Expire()
{
    if (m_broker)
    {
        m_broker->Expire();
    }
    else
    {
        AttachmentChanged(m_attachment->Expire(Now()));
    }
    Finish();
}

std::optional<Instant>
HandoffNode::NextTimer() const
{
    return m_broker ? m_broker->NextTimer() : m_attachment->NextTimer();
}

NodeView
HandoffNode::Describe() const
{
    if (m_attachment)
    {
        return m_attachment->Describe(Now());
    }
    NodeView me;
    me.id = m_options.id;
    me.roles = m_options.roles;
    me.timeNanoseconds = Now().count();
    CompleteView(me);
    return me;
}

void
HandoffNode::CompleteView(NodeView& me) const
{
    me.speedMetresPerSecond = GetMetresPerSecond();
    me.queuedEvents = CountHeldEvents();
}

void
HandoffNode::Finish()
{
    while (!m_toBroker.empty() || !m_toClients.empty())
    {
        if (!m_toBroker.empty())
        {
            const auto message = std::move(m_toBroker.front());
            m_toBroker.pop_front();
            m_broker->Receive(m_options.id, message);
            m_clients.Delivered(message);
        }
        else
        {
            const auto message = std::move(m_toClients.front());
            m_toClients.pop_front();
            m_clients.Receive(m_options.id, message);
        }
    }
    SetTimer();
}

} // namespace mftpubsub
