/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "stations/tree-station.h"

#include "protocols/tree/message-codec.h"
#include "protocols/tree/message-split.h"
#include "session/frame.h"
#include "stations/event-fates.h"

#include <utility>

namespace mftpubsub
{

namespace
{

std::optional<Subscriber>
MakeSubscriber(TreeOptions& options)
{
    if (!(options.roles & ROLE_SUBSCRIBER))
    {
        return std::nullopt;
    }
    auto subscriber = options.subscriber ? std::move(*options.subscriber) : Subscriber(options.id);
    if (options.clientsOverhear)
    {
        subscriber.Overhear();
    }
    return subscriber;
}

std::optional<Publisher>
MakePublisher(uint8_t roles)
{
    return roles & ROLE_PUBLISHER ? std::optional<Publisher>(std::in_place) : std::nullopt;
}

/// @return the message, nothing if it is none
std::optional<Message>
ReadMessage(const ReceivedMessage& received)
{
    try
    {
        return Decode(received.kind, received.body);
    }
    catch (const DecodeError&)
    {
        return std::nullopt;
    }
}

} // namespace

TreeStation::TreeStation(TreeOptions options, const UniformSource& uniform, TreeHost& host)
    : m_options(std::move(options)),
      m_host(host),
      m_clients(
          MakeSubscriber(m_options),
          MakePublisher(m_options.roles),
          m_options.policies.failure,
          [this] { return Describe(); },
          *this),
      m_underway(GetRoom(), m_options.clientsOverhear && !m_options.transport.usesLinkAcks)
{
    if (m_options.roles & ROLE_BROKER)
    {
        MakeBroker(uniform);
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
TreeStation::MakeBroker(const UniformSource& uniform)
{
    m_broker.emplace(m_options.id,
                     BrokerOverlay(m_options.id,
                                   m_options.roles,
                                   m_options.overlay,
                                   uniform,
                                   m_options.policies,
                                   [this](NodeView& me) { CompleteView(me); }),
                     m_options.makeBroker(m_options.id, uniform, [this] { return Describe(); }),
                     m_options.policies.failure,
                     static_cast<TreeServices&>(*this));
}

void
TreeStation::Start(Instant now)
{
    m_now = now;
    m_isOn = true;
    if (m_broker)
    {
        m_broker->Start(now);
        m_clients.Attach(m_options.id);
    }
    RunLocalMessages();
}

void
TreeStation::Stop()
{
    m_isOn = false;
    m_clients.Detach();
}

void
TreeStation::Publish(Instant now, const EventPtr& event)
{
    m_now = now;
    m_clients.Publish(event);
    RunLocalMessages();
}

void
TreeStation::Subscribe(Instant now, const Filter& filter)
{
    m_now = now;
    m_clients.Subscribe(filter);
    RunLocalMessages();
}

void
TreeStation::Unsubscribe(Instant now, const Filter& filter)
{
    m_now = now;
    m_clients.Unsubscribe(filter);
    RunLocalMessages();
}

void
TreeStation::Hear(Instant now,
                  NodeId from,
                  uint8_t kind,
                  std::span<const uint8_t> body,
                  double rssiDbm)
{
    m_now = now;
    if (kind == KIND_HEARTBEAT)
    {
        ReceiveHeartbeat(from, DecodeHeartbeat(body), rssiDbm);
    }
    else if (m_broker || m_options.clientsOverhear)
    {
        HearBroadcast(from, Decode(kind, body));
    }
    RunLocalMessages();
}

void
TreeStation::HearBroadcast(NodeId from, const Message& message)
{
    if (m_broker)
    {
        m_broker->Receive(m_now, from, message);
    }
    if (m_options.clientsOverhear)
    {
        m_clients.Receive(from, message);
    }
}

void
TreeStation::ReceiveHeartbeat(NodeId from, const Heartbeat& heartbeat, double rssiDbm)
{
    if (m_broker)
    {
        m_broker->ReceiveHeartbeat(m_now, from, heartbeat, rssiDbm);
    }
    else
    {
        AttachmentChanged(m_attachment->Receive(m_now, from, heartbeat, rssiDbm));
    }
}

void
TreeStation::AttachmentChanged(AttachmentChange change)
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
TreeStation::Happened(Instant now, const SessionEvent& event)
{
    m_now = now;
    if (const auto* received = std::get_if<ReceivedMessage>(&event))
    {
        if (const auto message = ReadMessage(*received))
        {
            ReceiveMessage(received->from, *message);
        }
    }
    else if (const auto* delivered = std::get_if<DeliveredMessage>(&event))
    {
        MessageDelivered(*delivered);
    }
    else
    {
        SessionHasEnded(std::get<SessionEnded>(event));
    }
    RunLocalMessages();
}

void
TreeStation::ReceiveMessage(NodeId from, const Message& message)
{
    if (m_broker)
    {
        m_broker->Receive(m_now, from, message);
    }
    else
    {
        m_clients.Receive(from, message);
    }
}

void
TreeStation::MessageDelivered(const DeliveredMessage& delivered)
{
    m_underway.Delivered(m_now, delivered);
    if (m_broker)
    {
        m_broker->Alive(m_now, delivered.to);
    }
}

void
TreeStation::SessionHasEnded(const SessionEnded& ended)
{
    const auto failed = m_underway.SessionEnded(m_now, ended);
    if (m_broker)
    {
        m_broker->SessionEnded(m_now, ended.neighbour, ended.why, failed);
    }
    else
    {
        m_clients.SessionEnded(ended.neighbour, ended.why, failed);
    }
}

void
TreeStation::Expire(Instant now)
{
    m_now = now;
    if (m_broker)
    {
        m_broker->Expire(now);
    }
    else
    {
        AttachmentChanged(m_attachment->Expire(now));
    }
    RunLocalMessages();
}

std::optional<Instant>
TreeStation::NextTimer() const
{
    if (!m_isOn)
    {
        return std::nullopt;
    }
    return m_broker ? m_broker->NextTimer() : m_attachment->NextTimer();
}

std::optional<Subscriber>
TreeStation::Crash()
{
    NoteQueued(LossCause::CRASHED);
    NoteUnderway(LossCause::CRASHED);
    if (!m_broker)
    {
        for (const auto& send : m_underway.GetSends())
        {
            m_clients.DeliveryFailed(send);
        }
    }
    m_broker.reset();
    m_underway.Clear();
    Stop();
    return m_clients.TakeSubscriber();
}

bool
TreeStation::Retries(Instant now, NodeId to, uint8_t kind, uint32_t attempts)
{
    m_now = now;
    if (m_underway.Retries(now, to, attempts))
    {
        return true;
    }
    const auto name = GetKindName(kind, m_options.ownKinds);
    return m_options.policies.retry->Decide(Describe(), to, name, attempts);
}

void
TreeStation::SendAll(const std::vector<Send>& sends, bool isFromBroker)
{
    for (const auto& send : sends)
    {
        if (send.to == m_options.id)
        {
            m_local.push_back({!isFromBroker, send.message});
        }
        else if (send.to == NO_NODE)
        {
            if (m_broker && m_options.clientsOverhear)
            {
                m_local.push_back({!isFromBroker, send.message});
            }
            Broadcast(send.message);
        }
        else
        {
            SendMessage(send);
        }
    }
}

void
TreeStation::Broadcast(const Message& message)
{
    for (const auto& part : SplitToFit(message, GetRoom()))
    {
        const auto body = Encode(part);
        if (body.size() <= GetRoom() || !m_options.clientsOverhear)
        {
            m_host.Broadcast(GetKind(part), body);
        } // else it is an event that no frame holds, and goes along the routes alone
    }
}

size_t
TreeStation::GetRoom() const
{
    return m_options.transport.maxFrameBytes - FRAME_HEADER_BYTES;
}

void
TreeStation::SendMessage(const Send& send, uint32_t failures)
{
    for (auto& part : m_underway.Add(m_now, send, failures))
    {
        m_host.Send(part.handle, send.to, part.kind, std::move(part.body));
    }
}

void
TreeStation::SendAgain(const FailedSend& failed)
{
    SendMessage(failed.send, failed.failures);
}

void
TreeStation::BroadcastHeartbeat(const Heartbeat& heartbeat)
{
    m_host.BroadcastHeartbeat(Encode(heartbeat));
    if (m_options.clientsOverhear)
    {
        m_clients.BrokerAlive();
    }
}

void
TreeStation::CloseSession(NodeId neighbour)
{
    m_host.CloseSession(neighbour);
}

void
TreeStation::Attached(NodeId parent, std::string_view kind)
{
    m_host.Attached(parent, kind);
}

void
TreeStation::Delivered(const EventPtr& event, NodeId from, uint8_t hops, bool isDuplicate)
{
    m_host.Delivered(event, from, hops, isDuplicate);
}

EventLog&
TreeStation::GetLog()
{
    return m_host.GetLog();
}

void
TreeStation::RunLocalMessages()
{
    while (!m_local.empty())
    {
        const auto local = std::move(m_local.front());
        m_local.pop_front();
        if (local.isToBroker)
        {
            m_broker->Receive(m_now, m_options.id, local.message);
        }
        else
        {
            m_clients.Receive(m_options.id, local.message);
        }
    }
}

void
TreeStation::NoteQueued(LossCause cause) const
{
    if (m_broker)
    {
        NoteHeld(m_host.GetLog(), m_broker->GetMachine().GetHeld(), cause);
    }
}

void
TreeStation::NoteUnderway(LossCause cause) const
{
    if (!m_broker)
    {
        return; // what a publisher has not got rid of is UNSENT
    }
    for (const auto& send : m_underway.GetSends())
    {
        NoteFate(m_host.GetLog(), send.message, cause);
    }
}

NodeId
TreeStation::GetParent() const
{
    if (m_attachment)
    {
        return m_attachment->GetBroker();
    }
    return m_broker ? m_broker->GetOverlay().GetParent() : NO_NODE;
}

NodeId
TreeStation::GetLeader() const
{
    return m_broker ? m_broker->GetOverlay().GetLeader() : NO_NODE;
}

const Broker*
TreeStation::GetBroker() const
{
    return m_broker ? &m_broker->GetMachine() : nullptr;
}

const Subscriber*
TreeStation::GetSubscriber() const
{
    return m_clients.GetSubscriber();
}

const TreeOptions&
TreeStation::GetOptions() const
{
    return m_options;
}

NodeView
TreeStation::Describe() const
{
    return m_broker ? m_broker->GetOverlay().Describe(m_now) : m_attachment->Describe(m_now);
}

void
TreeStation::CompleteView(NodeView& me) const
{
    me.speedMetresPerSecond = m_host.GetSpeed();
    me.queuedEvents = m_broker ? static_cast<uint32_t>(m_broker->GetMachine().CountHeld()) : 0;
}

} // namespace mftpubsub
