/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "session/sessions.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace mftpubsub
{

void
Write(ByteWriter& out, const std::vector<SessionNotice>& notices)
{
    out.Put(static_cast<uint8_t>(notices.size()));
    for (const auto& [neighbour, number] : notices)
    {
        out.Put(neighbour);
        out.Put(number);
    }
}

std::vector<SessionNotice>
ReadNotices(ByteReader& in)
{
    std::vector<SessionNotice> notices(in.Get<uint8_t>());
    for (auto& [neighbour, number] : notices)
    {
        neighbour = in.Get<NodeId>();
        number = in.Get<SessionNumber>();
    }
    return notices;
}

Sessions::Sessions(NodeId self,
                   TransportOptions options,
                   UniformSource uniform,
                   RetryDecision retry)
    : m_context{self, options, std::move(uniform), std::move(retry)},
      m_life(static_cast<SessionNumber>(1 + m_context.uniform() * (UINT16_MAX - 1)))
{
}

Session&
Sessions::With(NodeId neighbour)
{
    return m_sessions.try_emplace(neighbour, m_context, neighbour, m_life).first->second;
}

void
Sessions::Note(NodeId neighbour, const Session& session)
{
    if (session.IsWaiting())
    {
        m_waiting.insert(neighbour);
    }
    else
    {
        m_waiting.erase(neighbour);
    }
    if (session.HasNotice())
    {
        m_untold.insert(neighbour);
    }
}

void
Sessions::Send(MessageHandle handle, NodeId to, uint8_t kind, Bytes body, TransportOutput& output)
{
    auto& session = With(to);
    session.Send(m_context, handle, kind, std::move(body), output);
    Note(to, session);
}

void
Sessions::Broadcast(uint8_t kind, const Bytes& body, TransportOutput& output) const
{
    const auto size = FRAME_HEADER_BYTES + body.size();
    if (size > m_context.options.maxFrameBytes)
    {
        throw std::length_error("a broadcast of " + std::to_string(size) +
                                " bytes does not fit in a frame, and broadcasts are not split");
    }
    const FrameHeader header{m_context.self, NO_NODE, kind, m_life, NO_SESSION, 0, false};
    output.frames.push_back({NO_NODE, EncodeFrame(header, body), 0, 0});
}

void
Sessions::BroadcastHeartbeat(const Bytes& body, TransportOutput& output)
{
    const auto taken = FRAME_HEADER_BYTES + sizeof(uint8_t) + body.size(); // with their number
    const auto most = size_t{m_context.options.maxFrameBytes};
    ByteWriter out;
    Write(out, TakeNotices(taken < most ? (most - taken) / NOTICE_BYTES : 0));
    auto bytes = out.Take();
    bytes.insert(bytes.end(), body.begin(), body.end());
    Broadcast(KIND_HEARTBEAT, bytes, output);
}

void
Sessions::Close(NodeId neighbour, TransportOutput& output)
{
    if (const auto session = m_sessions.find(neighbour); session != m_sessions.end())
    {
        session->second.Close(m_context, output);
        Note(neighbour, session->second);
    }
}

void
Sessions::Receive(Instant now, std::span<const uint8_t> frame, TransportOutput& output)
{
    const auto header = DecodeFrameHeader(frame);
    if (header.destination != m_context.self || !IsOtherNode(header.source, m_context.self))
    {
        return;
    }
    auto& session = With(header.source);
    session.Receive(m_context, now, header, GetFrameBody(frame), output);
    Note(header.source, session);
}

std::span<const uint8_t>
Sessions::ReceiveBroadcast(const FrameHeader& header,
                           std::span<const uint8_t> frame,
                           TransportOutput& output)
{
    auto body = GetFrameBody(frame);
    std::vector<SessionNotice> notices;
    if (header.kind == KIND_HEARTBEAT)
    {
        ByteReader in(body);
        notices = ReadNotices(in);
        body = body.last(in.Remaining());
    }
    ReceiveBroadcast(header.source, header.session, notices, output);
    return body;
}

void
Sessions::ReceiveBroadcast(NodeId from,
                           SessionNumber life,
                           const std::vector<SessionNotice>& notices,
                           TransportOutput& output)
{
    if (life == NO_SESSION || !IsOtherNode(from, m_context.self))
    {
        return;
    }
    auto& session = With(from);
    session.HearLife(m_context, life, output);
    for (const auto& [neighbour, number] : notices)
    {
        if (neighbour == m_context.self && number != NO_SESSION)
        {
            session.Learn(m_context, number, output);
        }
    }
    Note(from, session);
}

std::vector<SessionNotice>
Sessions::TakeNotices(size_t most)
{
    std::vector<SessionNotice> notices;
    const auto room = std::min<size_t>(most, m_context.options.limits.noticesPerHeartbeat);
    for (auto untold = m_untold.begin(); untold != m_untold.end() && notices.size() < room;)
    {
        if (const auto number = With(*untold).TakeNotice())
        {
            notices.push_back({*untold, *number});
            ++untold;
        }
        else
        {
            untold = m_untold.erase(untold);
        }
    }
    return notices;
}

SessionNumber
Sessions::GetLife() const
{
    return m_life;
}

void
Sessions::Transmitted(Instant now, uint64_t ticket, bool isLost)
{
    const auto to = static_cast<NodeId>(ticket);
    const auto found = m_sessions.find(to);
    if (found == m_sessions.end())
    {
        return;
    }
    const auto busy = found->second.Transmitted(m_context, now, ticket, isLost);
    if (!busy)
    {
        return;
    }
    // Our own frame keeps the channel busy for those who want to acknowledge earlier ones.
    for (const auto neighbour : m_waiting)
    {
        if (neighbour != to)
        {
            m_sessions.at(neighbour).Postpone(*busy);
        }
    }
}

void
Sessions::Acknowledged(Instant now, uint64_t ticket, TransportOutput& output)
{
    const auto to = static_cast<NodeId>(ticket);
    if (const auto found = m_sessions.find(to); found != m_sessions.end())
    {
        found->second.Acknowledged(m_context, now, ticket, output);
        Note(to, found->second);
    }
}

void
Sessions::GivenUp(Instant now, uint64_t ticket, TransportOutput& output)
{
    const auto to = static_cast<NodeId>(ticket);
    if (const auto found = m_sessions.find(to); found != m_sessions.end())
    {
        found->second.GivenUp(m_context, now, ticket, output);
        Note(to, found->second);
    }
}

void
Sessions::Expire(Instant now, TransportOutput& output)
{
    const auto waiting = m_waiting;
    for (const auto neighbour : waiting)
    {
        auto& session = m_sessions.at(neighbour);
        session.Expire(m_context, now, output);
        Note(neighbour, session);
    }
}

std::optional<Instant>
Sessions::NextTimer() const
{
    std::optional<Instant> next;
    for (const auto neighbour : m_waiting)
    {
        const auto timer = m_sessions.at(neighbour).NextTimer();
        if (timer && (!next || *timer < *next))
        {
            next = timer;
        }
    }
    return next;
}

} // namespace mftpubsub
