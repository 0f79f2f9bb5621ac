/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/handoff/pro-active.h"

#include <algorithm>

namespace mftpubsub::handoff
{

ProActive::ProActive(NodeId self, const Options& options)
    : m_self(self),
      m_options(options),
      m_neighbours(options)
{
}

void
ProActive::Receive(Instant now, NodeId from, const Message& message, Output& output)
{
    Dispatch(*this, now, from, message, output);
}

// Case 1
void
ProActive::Handle(Instant, NodeId, const Sub& sub, Output& output)
{
    auto& copy = m_copies.Touch(sub.subscriber, m_options);
    copy.state = State::SERVING;
    auto filters = copy.filters;
    filters.push_back(sub.filter);
    m_copies.SetFilters(sub.subscriber, filters);
    for (const auto neighbour : m_neighbours.Get())
    {
        output.sends.push_back({neighbour, Subs{sub.subscriber, {}, filters, Subs::Mode::PASSIVE}});
    }
}

// Case 6
void
ProActive::Handle(Instant, NodeId, const Uns& uns, Output& output)
{
    m_copies.Erase(uns.subscriber);
    DeleteAtNeighbours(uns.subscriber, Delete::Why::UNSUBSCRIBE, output);
}

void
ProActive::LinkDown(Instant now, NodeId client, Output& output)
{
    auto* copy = m_copies.Find(client);
    if (!copy)
    {
        return;
    }
    copy->connected = false;
    if (copy->state == State::SERVING)
    {
        Leave(now, client, *copy, output);
    }
}

// Case 2
void
ProActive::Leave(Instant now, NodeId subscriber, ProActiveCopy& copy, Output& output)
{
    copy.state = State::AWAY;
    copy.control = m_self;
    copy.awaySince = now;
    copy.acked.clear();
    ReturnUnacknowledged(copy);
    const auto neighbours = m_neighbours.Get();
    copy.told = {neighbours.begin(), neighbours.end()};
    for (const auto neighbour : neighbours)
    {
        output.sends.push_back({neighbour, Activate{subscriber, {}, copy.last}});
    }
}

void
ProActive::Handle(Instant, NodeId from, const Activate& activate, Output& output)
{
    auto* copy = m_copies.Find(activate.subscriber);
    if (!copy)
    {
        output.sends.push_back({from, Nack{activate.subscriber, {}}});
        return;
    }
    if (copy->state != State::PASSIVE && copy->state != State::ACTIVE)
    {
        return; // the subscriber is here, or was here last
    }
    const auto stored = copy->buffer.Take();
    for (const auto& held : stored)
    {
        if (!activate.last.Covers(held.event->id))
        {
            copy->buffer.Append(held);
        }
    }
    copy->state = State::ACTIVE;
    copy->control = from;
    copy->complete = false;
    output.sends.push_back({from, Ack{activate.subscriber, {}}});
}

void
ProActive::Handle(Instant, NodeId from, const Ack& ack, Output& output)
{
    auto* copy = m_copies.Find(ack.subscriber);
    if (!copy || copy->state != State::AWAY)
    {
        return;
    }
    if (copy->hold)
    {
        copy->acked.insert(from);
        return;
    }
    auto events = Transferred(Missing(EventsOf(copy->buffer), copy->last));
    if (m_options.completionMark || !events.empty())
    {
        output.sends.push_back({from, Forward{ack.subscriber, {}, std::move(events)}});
    }
}

void
ProActive::Handle(Instant, NodeId from, const Nack& nack, Output& output)
{
    auto* copy = m_copies.Find(nack.subscriber);
    if (copy && copy->state == State::AWAY)
    {
        output.sends.push_back({from,
                                Context{nack.subscriber,
                                        {},
                                        copy->filters,
                                        copy->last,
                                        Transferred(Missing(EventsOf(copy->buffer), copy->last))}});
    }
}

void
ProActive::Handle(Instant, NodeId from, const Forward& forward, Output& output)
{
    auto* copy = m_copies.Find(forward.subscriber);
    if (!copy || copy->state != State::ACTIVE || copy->control != from)
    {
        return;
    }
    auto events = copy->buffer.Take();
    events.insert(events.end(), forward.events.begin(), forward.events.end());
    for (const auto& held : Missing(events, {}))
    {
        copy->buffer.Append(held);
    }
    output.stored += static_cast<uint32_t>(forward.events.size());
    copy->complete = true;
}

void
ProActive::Handle(Instant, NodeId from, const Context& context, Output& output)
{
    auto& copy = m_copies.Touch(context.subscriber, m_options);
    if (copy.state != State::PASSIVE && copy.state != State::ACTIVE)
    {
        return;
    }
    m_copies.SetFilters(context.subscriber, context.filters);
    auto events = copy.buffer.Take();
    events.insert(events.end(), context.events.begin(), context.events.end());
    for (const auto& held : Missing(events, context.last))
    {
        copy.buffer.Append(held);
    }
    output.stored += static_cast<uint32_t>(context.events.size());
    copy.state = State::ACTIVE;
    copy.control = from;
    copy.complete = false;
    output.sends.push_back({from, Ack{context.subscriber, {}}});
}

void
ProActive::Handle(Instant, NodeId, const Pub& pub, Output& output)
{
    m_copies.Match(*pub.event, m_options, [&](NodeId subscriber, ProActiveCopy& copy) {
        switch (copy.state)
        {
        case State::PASSIVE:
        case State::FETCHING:
            return;
        case State::SERVING:
            if (!copy.hold)
            {
                Deliver(subscriber, copy, {pub.event}, output);
                return;
            }
            [[fallthrough]];
        case State::AWAY:
        case State::ACTIVE:
            Store(copy.hold ? copy.temp : copy.buffer, {pub.event}, output);
        }
    });
}

void
ProActive::Handle(Instant, NodeId, const Evack& evack, Output&)
{
    if (auto* copy = m_copies.Find(evack.subscriber))
    {
        copy->last.Add(evack.id);
        Acknowledge(*copy, evack.id);
    }
}

// Cases 3 and 5, algorithm 2a
void
ProActive::Handle(Instant now, NodeId, const Reconnect& reconnect, Output& output)
{
    const auto subscriber = reconnect.subscriber;
    const auto old = reconnect.old;
    if (old != m_self)
    {
        m_neighbours.Touch(now, old, output);
    }
    const auto isNew = !m_copies.Find(subscriber);
    auto& copy = m_copies.Touch(subscriber, m_options);
    copy.last.Add(reconnect.last);
    copy.connected = true;
    DeactivateTold(subscriber, copy, output);
    if (old != m_self && (isNew || copy.state == State::FETCHING))
    {
        copy.state = State::FETCHING;
        output.sends.push_back({old, Fetch{subscriber, {}}});
        return;
    }
    if (copy.state == State::FETCHING)
    {
        return; // it is back, and its context is still on its way
    }
    const auto isComplete = copy.state == State::ACTIVE
                                ? copy.complete || !m_options.completionMark
                                : copy.state != State::PASSIVE && !copy.hold;
    copy.state = State::SERVING;
    copy.control = NO_NODE;
    if (isComplete)
    {
        DeliverBuffer(subscriber, copy, output);
    }
    if (old != m_self)
    {
        copy.hold = !isComplete;
        output.sends.push_back(
            {old, Moved{subscriber, {}, m_neighbours.Get(), !isComplete, reconnect.last}});
    }
}

void
ProActive::DeactivateTold(NodeId subscriber, ProActiveCopy& copy, Output& output) const
{
    for (const auto neighbour : copy.told)
    {
        output.sends.push_back({neighbour, Deactivate{subscriber, {}}});
    }
    copy.told.clear();
}

void
ProActive::DeliverBuffer(NodeId subscriber, ProActiveCopy& copy, Output& output) const
{
    for (const auto& held : Missing(copy.buffer.Take(), copy.last))
    {
        Deliver(subscriber, copy, held, output);
    }
}

// Algorithm 2b
void
ProActive::Handle(Instant now, NodeId from, const Fetch& fetch, Output& output)
{
    m_neighbours.Touch(now, from, output);
    auto* copy = m_copies.Find(fetch.subscriber);
    if (copy && copy->state == State::FETCHING)
    {
        copy->asker = from;
        return;
    }
    output.sends.push_back({from,
                            Subs{fetch.subscriber,
                                 {},
                                 copy ? copy->filters : std::vector<Filter>{},
                                 Subs::Mode::ACTIVE}});
}

// Case 7, and the end of FETCHING
void
ProActive::Handle(Instant now, NodeId from, const Subs& subs, Output& output)
{
    auto* copy = m_copies.Find(subs.subscriber);
    if (subs.mode == Subs::Mode::PASSIVE)
    {
        m_copies.Touch(subs.subscriber, m_options);
        m_copies.SetFilters(subs.subscriber, subs.filters);
        return;
    }
    if (!copy)
    {
        return; // it has unsubscribed meanwhile
    }
    if (!subs.filters.empty())
    {
        m_copies.SetFilters(subs.subscriber, subs.filters);
    }
    const auto wasFetching = copy->state == State::FETCHING;
    copy->hold = wasFetching || copy->state == State::SERVING || copy->state == State::AWAY;
    output.sends.push_back({from, Remove{subs.subscriber, {}, m_neighbours.Get(), copy->last}});
    if (copy->asker)
    {
        output.sends.push_back(
            {*copy->asker, Subs{subs.subscriber, {}, copy->filters, Subs::Mode::ACTIVE}});
        copy->asker.reset();
    }
    if (wasFetching)
    {
        copy->state = State::SERVING;
        if (!copy->connected)
        {
            Leave(now, subs.subscriber, *copy, output);
        }
    }
}

// Case 4
void
ProActive::Handle(Instant now, NodeId from, const Moved& moved, Output& output)
{
    if (!m_options.literalEdgeRefresh)
    {
        m_neighbours.Touch(now, from, output);
    }
    Succeed(now, moved.subscriber, {from, moved.neighbours, moved.last, moved.need, false}, output);
}

void
ProActive::Handle(Instant now, NodeId from, const Remove& remove, Output& output)
{
    Succeed(now, remove.subscriber, {from, *remove.neighbours, remove.last, true, true}, output);
}

void
ProActive::Succeed(Instant, NodeId subscriber, const Successor& successor, Output& output)
{
    auto* copy = m_copies.Find(subscriber);
    if (!copy || copy->state == State::SERVING)
    {
        Answer(subscriber, successor, {}, output);
    }
    else if (copy->hold || copy->state == State::FETCHING)
    {
        copy->onward = successor;
    }
    else
    {
        HandOver(subscriber, *copy, successor, copy->buffer.Take(), output);
    }
}

void
ProActive::HandOver(NodeId subscriber,
                    ProActiveCopy& copy,
                    const Successor& successor,
                    const std::vector<Held>& events,
                    Output& output) const
{
    for (const auto neighbour : m_neighbours.Get())
    {
        if (neighbour == successor.broker)
        {
            continue;
        }
        if (Contains(successor.neighbours, neighbour))
        {
            output.sends.push_back({neighbour, Deactivate{subscriber, {}}});
        }
        else
        {
            output.sends.push_back({neighbour, Delete{subscriber, {}, Delete::Why::MOVED}});
        }
    }
    Answer(subscriber,
           successor,
           successor.need ? Transferred(Missing(events, successor.last)) : std::vector<Held>{},
           output);
    copy.state = State::PASSIVE;
    copy.control = NO_NODE;
    copy.complete = false;
    copy.buffer.Clear();
    copy.told.clear();
}

void
ProActive::Answer(NodeId subscriber,
                  const Successor& successor,
                  const std::vector<Held>& events,
                  Output& output) const
{
    if (successor.isTransfer)
    {
        output.sends.push_back(
            {successor.broker, Transfer{subscriber, {}, events, m_neighbours.Get()}});
    }
    else
    {
        output.sends.push_back(
            {successor.broker, MovedAck{subscriber, {}, m_neighbours.Get(), events}});
    }
}

// Case 5, second half
void
ProActive::Handle(Instant, NodeId from, const MovedAck& acknowledged, Output& output)
{
    TakeOver(from, acknowledged.subscriber, acknowledged.neighbours, acknowledged.events, output);
}

void
ProActive::Handle(Instant, NodeId from, const Transfer& transfer, Output& output)
{
    TakeOver(from, transfer.subscriber, *transfer.neighbours, transfer.events, output);
}

void
ProActive::TakeOver(NodeId from,
                    NodeId subscriber,
                    const Neighbours& neighbours,
                    const std::vector<Held>& events,
                    Output& output)
{
    auto* copy = m_copies.Find(subscriber);
    if (!copy)
    {
        return;
    }
    if (copy->hold)
    {
        Release(subscriber, *copy, events, output);
    }
    if (copy->state == State::PASSIVE)
    {
        return;
    }
    for (const auto neighbour : m_neighbours.Get())
    {
        if (neighbour != from && !Contains(neighbours, neighbour))
        {
            output.sends.push_back(
                {neighbour, Subs{subscriber, {}, copy->filters, Subs::Mode::PASSIVE}});
        }
    }
}

void
ProActive::Release(NodeId subscriber,
                   ProActiveCopy& copy,
                   const std::vector<Held>& awaited,
                   Output& output) const
{
    auto all = copy.buffer.Take();
    all.insert(all.end(), awaited.begin(), awaited.end());
    const auto live = copy.temp.Take();
    all.insert(all.end(), live.begin(), live.end());
    const auto events = Missing(all, copy.last);
    copy.complete = true;
    copy.hold = false;
    if (copy.onward)
    {
        const auto onward = *copy.onward;
        copy.onward.reset();
        if (copy.state == State::SERVING)
        {
            Answer(subscriber, onward, {}, output);
        }
        else
        {
            HandOver(subscriber, copy, onward, events, output);
            return;
        }
    }
    for (const auto& held : events)
    {
        if (copy.state == State::SERVING)
        {
            Deliver(subscriber, copy, held, output);
        }
        else
        {
            Store(copy.buffer, held, output);
        }
    }
    for (const auto neighbour : copy.acked)
    {
        output.sends.push_back({neighbour, Forward{subscriber, {}, Transferred(events)}});
    }
    copy.acked.clear();
}

void
ProActive::Handle(Instant, NodeId from, const Deactivate& deactivate, Output&)
{
    auto* copy = m_copies.Find(deactivate.subscriber);
    if (copy && copy->state == State::ACTIVE && copy->control == from)
    {
        copy->state = State::PASSIVE;
        copy->control = NO_NODE;
        copy->complete = false;
        copy->buffer.Clear();
    }
}

void
ProActive::Handle(Instant, NodeId from, const Delete& request, Output&)
{
    auto* copy = m_copies.Find(request.subscriber);
    if (!copy)
    {
        return;
    }
    const auto isStored = copy->state == State::PASSIVE || copy->state == State::ACTIVE;
    const auto isControlled = copy->control == from || copy->control == NO_NODE;
    if (request.why == Delete::Why::UNSUBSCRIBE || (isStored && isControlled))
    {
        m_copies.Erase(request.subscriber);
    }
}

// Case 8
void
ProActive::TimeOut(NodeId subscriber, Output& output)
{
    auto* copy = m_copies.Find(subscriber);
    if (copy && copy->state == State::AWAY)
    {
        m_copies.Erase(subscriber);
        DeleteAtNeighbours(subscriber, Delete::Why::TIMEOUT, output);
    }
}

void
ProActive::AddNeighbour(Instant now, NodeId broker, Output& output)
{
    m_neighbours.Touch(now, broker, output);
}

void
ProActive::DeleteAtNeighbours(NodeId subscriber, Delete::Why why, Output& output) const
{
    for (const auto neighbour : m_neighbours.Get())
    {
        output.sends.push_back({neighbour, Delete{subscriber, {}, why}});
    }
}

std::optional<Instant>
ProActive::NextTimer() const
{
    auto next = m_neighbours.NextRemoval();
    if (!m_options.contextTimeout)
    {
        return next;
    }
    for (const auto subscriber : m_copies.GetSubscribers())
    {
        const auto& copy = m_copies.Get(subscriber);
        if (copy.state == State::AWAY)
        {
            const auto due = copy.awaySince + *m_options.contextTimeout;
            next = next ? std::min(*next, due) : due;
        }
    }
    return next;
}

void
ProActive::Expire(Instant now, Output& output)
{
    const auto removed = m_neighbours.RemoveOld(now, output);
    for (const auto subscriber : m_copies.GetSubscribers())
    {
        const auto& copy = m_copies.Get(subscriber);
        if (copy.state == State::SERVING || copy.state == State::AWAY)
        {
            for (const auto neighbour : removed)
            {
                output.sends.push_back({neighbour, Delete{subscriber, {}, Delete::Why::EDGE}});
            }
        }
        if (m_options.contextTimeout && copy.state == State::AWAY &&
            now - copy.awaySince >= *m_options.contextTimeout)
        {
            TimeOut(subscriber, output);
        }
    }
}

std::vector<CopyView>
ProActive::GetCopies() const
{
    static constexpr const char* NAMES[] = {"PASSIVE", "ACTIVE", "SERVING", "AWAY", "FETCHING"};
    std::vector<CopyView> views;
    for (const auto subscriber : m_copies.GetSubscribers())
    {
        const auto& copy = m_copies.Get(subscriber);
        auto& view = views.emplace_back();
        view.subscriber = subscriber;
        view.state = NAMES[static_cast<size_t>(copy.state)];
        view.control = copy.control;
        view.hold = copy.hold;
        view.buffer = GetIds(copy.buffer);
        view.temp = GetIds(copy.temp);
    }
    return views;
}

size_t
ProActive::CountHeld() const
{
    return m_copies.CountHeld();
}

} // namespace mftpubsub::handoff
