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

void
Broker::Step(Instant now, const Input& input, Output& output)
{
    std::visit(Overloaded{
                   [&](const input::Received<Message>& received) {
                       Receive(now, received.from, received.message, output);
                   },
                   [&](const input::LinkDown& down) { LinkDown(now, down.neighbour, output); },
                   [&](const input::Expired&) { Expire(now, output); },
               },
               input);
}

namespace
{

std::string
List(const std::string& label, const std::vector<NodeId>& nodes, const Namer& name)
{
    std::string names;
    for (const auto node : nodes)
    {
        names += (names.empty() ? "" : " ") + name(node);
    }
    return names.empty() ? "" : " " + label + "=[" + names + "]";
}

std::string
Count(const std::string& label, size_t count)
{
    return count == 0 ? "" : " " + label + "=" + std::to_string(count);
}

} // namespace

Description
Broker::Describe(const Namer& name) const
{
    Description rows;
    for (const auto& view : GetCopies())
    {
        rows[name(view.subscriber)] =
            view.state + (view.control == NO_NODE ? "" : " ctrl=" + name(view.control)) +
            List("to", view.hops, name) + (view.hold ? " hold" : "") +
            List("awaits", view.awaits, name) + Count("buf", view.buffer.size()) +
            Count("temp", view.temp.size());
    }
    return rows;
}

std::vector<Pair>
Broker::GetHeld() const
{
    std::vector<Pair> held;
    for (const auto& view : GetCopies())
    {
        for (const auto* events : {&view.buffer, &view.temp})
        {
            for (const auto& event : *events)
            {
                held.push_back({event, view.subscriber});
            }
        }
    }
    return held;
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
