/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/message-port.h"

#include "hosts/protocol-numbers.h"
#include "protocols/tree/message-codec.h"

#include <optional>
#include <utility>

namespace mftpubsub
{

std::string_view
GetFrameKind(ns3::Ptr<const ns3::Packet> frame, std::span<const std::string> own)
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
        return GetKindName(kind, own);
    }
}

MessagePort::MessagePort(NodeId self,
                         const TransportOptions& options,
                         ns3::Ptr<ns3::UniformRandomVariable> uniform,
                         RetryDecision retry,
                         Handlers handlers)
    : m_handlers(std::move(handlers)),
      m_maxFrameBytes(options.maxFrameBytes),
      m_sessions(self,
                 TREE_PROTOCOL_NUMBER,
                 options,
                 std::move(uniform),
                 std::move(retry),
                 {.happened = [this](const SessionEvent& event) { Happened(event); }})
{
}

SessionPort&
MessagePort::GetSessions()
{
    return m_sessions;
}

void
MessagePort::Send(const mftpubsub::Send& send, uint32_t failures)
{
    auto body = Encode(send.message);
    if (send.to == NO_NODE)
    {
        m_sessions.Broadcast(GetKind(send.message), body);
        return;
    }
    const auto* rep = std::get_if<Rep>(&send.message);
    if (rep && rep->events.size() > 1 && body.size() + FRAME_HEADER_BYTES > m_maxFrameBytes)
    {
        const auto half = rep->events.begin() + static_cast<ptrdiff_t>(rep->events.size() / 2);
        Send({send.to, Rep{rep->subscriber, {rep->events.begin(), half}, rep->hops}}, failures);
        Send({send.to, Rep{rep->subscriber, {half, rep->events.end()}, rep->hops}}, failures);
        return;
    }
    m_underway.emplace(++m_lastHandle, FailedSend{send, failures});
    m_sessions.Send(m_lastHandle, send.to, GetKind(send.message), std::move(body));
}

std::vector<FailedSend>
MessagePort::GetUnderway() const
{
    std::vector<FailedSend> sends;
    for (const auto& [handle, underway] : m_underway)
    {
        sends.push_back(underway);
    }
    return sends;
}

void
MessagePort::Forget()
{
    m_underway.clear();
}

namespace
{

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

void
MessagePort::Happened(const SessionEvent& event)
{
    if (const auto* received = std::get_if<ReceivedMessage>(&event))
    {
        if (const auto message = ReadMessage(*received))
        {
            m_handlers.received(received->from, *message);
        }
    }
    else if (const auto* delivered = std::get_if<DeliveredMessage>(&event))
    {
        m_underway.erase(delivered->handle);
        m_handlers.delivered(delivered->to);
    }
    else
    {
        const auto& ended = std::get<SessionEnded>(event);
        std::vector<FailedSend> failed;
        for (const auto handle : ended.failed)
        {
            failed.push_back(std::move(m_underway.extract(handle).mapped()));
            ++failed.back().failures;
        }
        m_handlers.ended(ended.neighbour, ended.why, failed);
    }
}

} // namespace mftpubsub
