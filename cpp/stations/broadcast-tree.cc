/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "stations/broadcast-tree.h"

#include "protocols/tree/message-codec.h"
#include "session/frame.h"

#include <algorithm>
#include <set>
#include <utility>

namespace mftpubsub
{

namespace
{

/// A system that does not take a datagram is given time.
constexpr Instant AFTER_DROP = std::chrono::milliseconds(10);
/// Timestamps of a subscriber that are stored at a time.
constexpr uint32_t RESERVED_AT_ONCE = 1000;

/// @return @p options with what the subscriber had on stable storage
TreeOptions
WithMemory(TreeOptions options, const mesh::SubscriberMemory& memory)
{
    if (options.roles & ROLE_SUBSCRIBER)
    {
        std::set<Filter> filters;
        for (const auto& [filter, since] : memory.filters)
        {
            filters.insert(filter);
        }
        EventSet seen;
        for (const auto& [publisher, sequences] : memory.done.GetPublishers())
        {
            for (const auto& run : sequences.GetRuns())
            {
                for (auto sequence = run.begin; sequence != run.end; ++sequence)
                {
                    seen.Insert({publisher, sequence});
                }
            }
        }
        options.subscriber.emplace(options.id,
                                   std::move(filters),
                                   memory.timestamp,
                                   std::move(seen));
    }
    return options;
}

} // namespace

BroadcastTree::BroadcastTree(TreeOptions options,
                             const UniformSource& uniform,
                             mesh::SubscriberMemory memory)
    : m_station(WithMemory(std::move(options), memory), uniform, *this),
      m_sessions(m_station.GetOptions().id,
                 TellFor(HeartbeatsUntilLost(m_station.GetOptions().overlay),
                         m_station.GetOptions().transport),
                 uniform,
                 [this](NodeId to, uint8_t kind, uint32_t attempts) {
                     return m_station.Retries(m_now, to, kind, attempts);
                 }),
      m_filters(std::move(memory.filters)),
      m_seen(std::move(memory.done)),
      m_reserved(memory.timestamp)
{
}

std::vector<Pair>
BroadcastTree::GetHeld() const
{
    const auto* broker = m_station.GetBroker();
    return broker ? broker->GetHeld() : std::vector<Pair>();
}

size_t
BroadcastTree::CountHeld() const
{
    const auto* broker = m_station.GetBroker();
    return broker ? broker->CountHeld() : 0;
}

std::optional<mesh::SubscriberMemory>
BroadcastTree::GetMemory() const
{
    if (!m_station.GetSubscriber())
    {
        return std::nullopt;
    }
    return mesh::SubscriberMemory{m_filters, m_reserved, m_seen};
}

void
BroadcastTree::Begin(Instant now, Output& output)
{
    m_now = now;
    m_output = &output;
}

void
BroadcastTree::Start(Instant now, Output& output)
{
    Begin(now, output);
    m_station.Start(now);
    Speak();
}

void
BroadcastTree::Receive(Instant now, std::span<const uint8_t> frame, double rssiDbm, Output& output)
{
    Begin(now, output);
    try
    {
        const auto header = DecodeFrameHeader(frame);
        TransportOutput answer;
        if (header.destination != NO_NODE)
        {
            m_sessions.Receive(now, frame, answer);
            Execute(answer);
        }
        else if (IsOtherNode(header.source, m_station.GetOptions().id))
        {
            const auto body = m_sessions.ReceiveBroadcast(header, frame, answer);
            Execute(answer);
            m_station.Hear(now, header.source, header.kind, body, rssiDbm);
        }
    }
    catch (const DecodeError&)
    {
        // bytes from the air may be anything
    }
    Speak();
}

void
BroadcastTree::Transmitted(Instant now, Instant airTime, Output& output)
{
    Begin(now, output);
    FrameGone(now + airTime, false);
    Speak();
}

void
BroadcastTree::Dropped(Instant now, Output& output)
{
    Begin(now, output);
    FrameGone(now + AFTER_DROP, true);
    Speak();
}

void
BroadcastTree::FrameGone(Instant until, bool isLost)
{
    const auto ticket = m_frames.front().ticket;
    m_frames.pop_front();
    m_isSending = false;
    m_freeAt = until;
    if (ticket != 0)
    {
        m_sessions.Transmitted(m_now, ticket, isLost);
    }
}

void
BroadcastTree::Publish(Instant now, const EventPtr& event, Output& output)
{
    Begin(now, output);
    m_station.Publish(now, event);
    Speak();
}

void
BroadcastTree::Subscribe(Instant now, const Filter& filter, Output& output)
{
    Begin(now, output);
    m_filters.try_emplace(filter, now);
    m_station.Subscribe(now, filter);
    Speak();
}

void
BroadcastTree::Unsubscribe(Instant now, const Filter& filter, Output& output)
{
    Begin(now, output);
    m_filters.erase(filter);
    m_station.Unsubscribe(now, filter);
    Speak();
}

void
BroadcastTree::Expire(Instant now, Output& output)
{
    Begin(now, output);
    if (const auto timer = m_sessions.NextTimer(); timer && now >= *timer)
    {
        TransportOutput answer;
        m_sessions.Expire(now, answer);
        Execute(answer);
    }
    if (const auto timer = m_station.NextTimer(); timer && now >= *timer)
    {
        m_station.Expire(now);
    }
    Speak();
}

Instant
BroadcastTree::NextDue() const
{
    const auto sessions = m_sessions.NextTimer().value_or(mesh::NEVER);
    const auto station = m_station.NextTimer().value_or(mesh::NEVER);
    const auto frame = m_frames.empty() || m_isSending ? mesh::NEVER : m_freeAt;
    return std::min({sessions, station, frame});
}

void
BroadcastTree::ReserveTimestamps()
{
    const auto* subscriber = m_station.GetSubscriber();
    if (subscriber && subscriber->GetTimestamp() > m_reserved)
    {
        m_reserved = subscriber->GetTimestamp() + RESERVED_AT_ONCE;
        m_output->remembers = true;
    }
}

void
BroadcastTree::Speak()
{
    ReserveTimestamps();
    if (!m_isSending && !m_frames.empty() && m_now >= m_freeAt)
    {
        m_isSending = true;
        const auto& bytes = m_frames.front().bytes;
        m_output->frame =
            mesh::OutgoingFrame{std::string(GetFrameName(DecodeFrameHeader(bytes).kind,
                                                         m_station.GetOptions().ownKinds)),
                                bytes};
    }
}

void
BroadcastTree::Send(MessageHandle handle, NodeId to, uint8_t kind, Bytes body)
{
    TransportOutput answer;
    m_sessions.Send(handle, to, kind, std::move(body), answer);
    Execute(answer);
}

void
BroadcastTree::Broadcast(uint8_t kind, const Bytes& body)
{
    TransportOutput answer;
    m_sessions.Broadcast(kind, body, answer);
    Execute(answer);
}

void
BroadcastTree::BroadcastHeartbeat(const Bytes& body)
{
    TransportOutput answer;
    m_sessions.BroadcastHeartbeat(body, answer);
    Execute(answer);
}

void
BroadcastTree::CloseSession(NodeId neighbour)
{
    TransportOutput answer;
    m_sessions.Close(neighbour, answer);
    Execute(answer);
}

void
BroadcastTree::Execute(const TransportOutput& output)
{
    m_frames.insert(m_frames.end(), output.frames.begin(), output.frames.end());
    for (const auto& event : output.events)
    {
        m_station.Happened(m_now, event);
    }
}

void
BroadcastTree::Attached(NodeId, std::string_view)
{
}

void
BroadcastTree::Delivered(const EventPtr& event, NodeId from, uint8_t hops, bool isDuplicate)
{
    m_seen.Add(event->id);
    m_output->deliveries.push_back(
        {event->id, from, hops, !isDuplicate, isDuplicate ? nullptr : event, true});
}

EventLog&
BroadcastTree::GetLog()
{
    return *this;
}

double
BroadcastTree::GetSpeed() const
{
    return 0; // nobody measures it
}

void
BroadcastTree::Taken(EventId event)
{
    m_output->taken.push_back(event);
}

void
BroadcastTree::Matched(NodeId, EventId event, NodeId subscriber)
{
    m_output->matches.push_back({event, subscriber});
}

void
BroadcastTree::Fate(EventId event, NodeId subscriber, LossCause cause)
{
    if (cause == LossCause::DROPPED_BY_QUEUE)
    {
        m_output->drops.push_back({event, subscriber});
    }
}

void
BroadcastTree::FateUnmatched(EventId, LossCause)
{
}

} // namespace mftpubsub
