/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "stations/underway.h"

#include "protocols/tree/message-codec.h"
#include "protocols/tree/message-split.h"

#include <utility>

namespace mftpubsub
{

Underway::Underway(size_t room, bool yieldsToWeakLinks)
    : m_room(room),
      m_yieldsToWeakLinks(yieldsToWeakLinks)
{
}

std::vector<OutgoingMessage>
Underway::Add(Instant now, const Send& send, uint32_t failures)
{
    const auto yields = m_yieldsToWeakLinks && std::holds_alternative<Rep>(send.message);
    const auto room = yields ? m_weakLinks.GetRoom(now, send.to, m_room) : m_room;
    std::vector<OutgoingMessage> outgoing;
    for (auto& part : SplitToFit(send.message, room))
    {
        outgoing.push_back({++m_lastHandle, GetKind(part), Encode(part)});
        m_sends.emplace(m_lastHandle, FailedSend{{send.to, std::move(part)}, failures});
    }
    return outgoing;
}

void
Underway::Delivered(Instant now, const DeliveredMessage& delivered)
{
    const auto sent = m_sends.extract(delivered.handle);
    if (!m_yieldsToWeakLinks || !sent)
    {
        return;
    }
    if (const auto& message = sent.mapped().send.message; std::holds_alternative<Rep>(message))
    {
        m_weakLinks.Arrived(now, delivered.to, Encode(message).size(), m_room);
    }
}

std::vector<FailedSend>
Underway::SessionEnded(Instant now, const mftpubsub::SessionEnded& ended)
{
    std::vector<FailedSend> failed;
    for (const auto handle : ended.failed)
    {
        failed.push_back(std::move(m_sends.extract(handle).mapped()));
        ++failed.back().failures;
    }
    // What waited behind the first was not sent.
    if (ended.why == SessionEnd::GIVEN_UP && !failed.empty() &&
        std::holds_alternative<Rep>(failed.front().send.message))
    {
        m_weakLinks.Lost(now, ended.neighbour);
    }
    return failed;
}

bool
Underway::Retries(Instant now, NodeId neighbour, uint32_t attempts) const
{
    return m_yieldsToWeakLinks && m_weakLinks.Retries(now, neighbour, attempts);
}

std::vector<Send>
Underway::GetSends() const
{
    std::vector<Send> sends;
    sends.reserve(m_sends.size());
    for (const auto& [handle, send] : m_sends)
    {
        sends.push_back(send.send);
    }
    return sends;
}

void
Underway::Clear()
{
    m_sends.clear();
}

} // namespace mftpubsub
