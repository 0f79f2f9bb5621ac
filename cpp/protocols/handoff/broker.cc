/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/handoff/broker.h"

#include <iterator>

namespace mftpubsub::handoff
{

void
Output::Clear()
{
    sends.clear();
    deliveries.clear();
    accepted.clear();
    stored = 0;
}

std::optional<Instant>
Broker::NextTimer() const
{
    return {};
}

void
Broker::Expire(Instant, Output&)
{
}

Copy::Copy(const Options& options)
    : buffer(options.queueBytes),
      temp(options.queueBytes)
{
}

void
Deliver(NodeId subscriber, Copy& copy, const Held& held, Output& output)
{
    copy.unacknowledged.push_back(held);
    output.deliveries.push_back({subscriber, held});
}

void
Store(EventBuffer& buffer, const Held& held, Output& output)
{
    buffer.Append(held);
    ++output.stored;
}

std::vector<Held>
Acknowledge(std::deque<Held>& sent, EventId id)
{
    // The first copy of two: the second may still be on its way, and others before it.
    const auto newest = std::find_if(sent.begin(), sent.end(), [&](const Held& held) {
        return held.event->id == id;
    });
    if (newest == sent.end())
    {
        return {};
    }
    const auto end = std::next(newest);
    std::vector<Held> acknowledged(std::make_move_iterator(sent.begin()),
                                   std::make_move_iterator(end));
    sent.erase(sent.begin(), end);
    return acknowledged;
}

void
ReturnUnacknowledged(Copy& copy)
{
    copy.buffer.Return(copy.unacknowledged);
    copy.unacknowledged.clear();
}

std::vector<EventId>
GetIds(const EventBuffer& buffer)
{
    std::vector<EventId> ids;
    for (const auto& held : buffer.GetEvents())
    {
        ids.push_back(held.event->id);
    }
    return ids;
}

} // namespace mftpubsub::handoff
