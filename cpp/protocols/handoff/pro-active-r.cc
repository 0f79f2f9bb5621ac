/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/handoff/pro-active-r.h"

#include <algorithm>

namespace mftpubsub::handoff
{

ProActiveR::ProActiveR(NodeId self, const Options& options)
    : m_self(self),
      m_options(options),
      m_neighbours(options)
{
}

void
ProActiveR::Receive(Instant now, NodeId from, const Message& message, Output& output)
{
    Dispatch(*this, now, from, message, output);
}

void
ProActiveR::Handle(Instant, NodeId, const Sub& sub, Output& output)
{
    auto& copy = m_copies.Touch(sub.subscriber, m_options);
    copy.state = State::HOME;
    copy.connected = true;
    copy.complete = true;
    auto filters = copy.filters;
    filters.push_back(sub.filter);
    m_copies.SetFilters(sub.subscriber, filters);
    for (const auto neighbour : m_neighbours.Get())
    {
        output.sends.push_back(
            {neighbour, Subs{sub.subscriber, copy.session, filters, Subs::Mode::PASSIVE}});
    }
}

void
ProActiveR::Handle(Instant, NodeId, const Uns& uns, Output& output)
{
    if (const auto* copy = m_copies.Find(uns.subscriber))
    {
        DeleteAtNeighbours(uns.subscriber, *copy, Delete::Why::UNSUBSCRIBE, output);
        m_copies.Erase(uns.subscriber);
    }
}

void
ProActiveR::LinkDown(Instant now, NodeId client, Output& output)
{
    auto* copy = m_copies.Find(client);
    if (!copy || !copy->connected)
    {
        return;
    }
    copy->connected = false;
    if (copy->state == State::HOME)
    {
        Leave(now, client, *copy, output);
    }
}

void
ProActiveR::Leave(Instant now, NodeId subscriber, RepairedCopy& copy, Output& output)
{
    copy.awaySince = now;
    copy.acked.clear();
    ReturnUnacknowledged(copy);
    const auto neighbours = m_neighbours.Get();
    copy.told = {neighbours.begin(), neighbours.end()};
    copy.toldSession = copy.session;
    for (const auto neighbour : neighbours)
    {
        output.sends.push_back({neighbour, Activate{subscriber, copy.session, copy.last}});
    }
}

void
ProActiveR::Handle(Instant, NodeId from, const Activate& activate, Output& output)
{
    auto* copy = m_copies.Find(activate.subscriber);
    if (!copy)
    {
        output.sends.push_back({from, Nack{activate.subscriber, activate.session}});
        return;
    }
    const auto isStored = copy->state == State::PASSIVE || copy->state == State::ACTIVE;
    if (!isStored || *activate.session < copy->session)
    {
        return;
    }
    copy->session = *activate.session;
    copy->control = from;
    copy->state = State::ACTIVE;
    for (const auto& held : Missing(copy->buffer.Take(), activate.last))
    {
        copy->buffer.Append(held);
    }
    output.sends.push_back({from, Ack{activate.subscriber, activate.session}});
}

void
ProActiveR::Handle(Instant, NodeId from, const Ack& ack, Output& output)
{
    auto* copy = m_copies.Find(ack.subscriber);
    if (!copy || copy->state != State::HOME || copy->connected || copy->session != *ack.session)
    {
        return;
    }
    if (!copy->complete)
    {
        copy->acked.insert(from);
        return;
    }
    output.sends.push_back({from,
                            Forward{ack.subscriber,
                                    ack.session,
                                    Transferred(Missing(EventsOf(copy->buffer), copy->last))}});
}

void
ProActiveR::Handle(Instant, NodeId from, const Nack& nack, Output& output)
{
    auto* copy = m_copies.Find(nack.subscriber);
    if (copy && copy->state == State::HOME && !copy->connected && copy->session == *nack.session)
    {
        output.sends.push_back({from,
                                Context{nack.subscriber,
                                        nack.session,
                                        copy->filters,
                                        copy->last,
                                        Transferred(Missing(EventsOf(copy->buffer), copy->last))}});
    }
}

void
ProActiveR::Handle(Instant, NodeId from, const Forward& forward, Output& output)
{
    auto* copy = m_copies.Find(forward.subscriber);
    if (!copy || copy->state != State::ACTIVE || copy->control != from ||
        copy->session != *forward.session)
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
ProActiveR::Handle(Instant, NodeId from, const Context& context, Output& output)
{
    auto& copy = m_copies.Touch(context.subscriber, m_options);
    const auto isStored = copy.state == State::PASSIVE || copy.state == State::ACTIVE;
    if (!isStored || *context.session < copy.session)
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
    copy.session = *context.session;
    output.sends.push_back({from, Ack{context.subscriber, context.session}});
}

void
ProActiveR::Handle(Instant, NodeId, const Pub& pub, Output& output)
{
    m_copies.Match(*pub.event, m_options, [&](NodeId subscriber, RepairedCopy& copy) {
        if (copy.state == State::PASSIVE || copy.state == State::FETCHING)
        {
            return;
        }
        if (copy.connected && copy.complete)
        {
            Deliver(subscriber, copy, {pub.event}, output);
            return;
        }
        const auto isHeld = copy.state == State::HOME && !copy.complete;
        Store(isHeld ? copy.temp : copy.buffer, {pub.event}, output);
    });
}

void
ProActiveR::Handle(Instant, NodeId, const Evack& evack, Output&)
{
    if (auto* copy = m_copies.Find(evack.subscriber))
    {
        copy->last.Add(evack.id);
        Acknowledge(*copy, evack.id);
    }
}

void
ProActiveR::Handle(Instant now, NodeId, const Reconnect& reconnect, Output& output)
{
    const auto subscriber = reconnect.subscriber;
    const auto isMove = reconnect.old != m_self;
    if (isMove)
    {
        m_neighbours.Touch(now, reconnect.old, output);
    }
    const auto isNew = !m_copies.Find(subscriber);
    auto& copy = m_copies.Touch(subscriber, m_options);
    copy.last.Add(reconnect.last);
    copy.session = reconnect.session;
    copy.connected = true;
    DeactivateTold(subscriber, copy, output);
    if (isNew && isMove)
    {
        copy.state = State::FETCHING;
        output.sends.push_back({reconnect.old, Fetch{subscriber, reconnect.session}});
        return;
    }
    if (copy.state == State::FETCHING)
    {
        if (isMove)
        {
            copy.predecessors.push_back({reconnect.old, reconnect.session});
        }
        return; // nothing can be stored here yet, so the others must not stop
    }
    copy.state = State::HOME;
    copy.control = NO_NODE;
    if (copy.complete)
    {
        DeliverBuffer(subscriber, copy, output);
    }
    if (isMove)
    {
        if (!copy.complete)
        {
            copy.awaited.insert(reconnect.session);
        }
        output.sends.push_back({reconnect.old,
                                Moved{subscriber,
                                      reconnect.session,
                                      m_neighbours.Get(),
                                      !copy.complete,
                                      reconnect.last}});
    }
}

void
ProActiveR::DeactivateTold(NodeId subscriber, RepairedCopy& copy, Output& output) const
{
    for (const auto neighbour : copy.told)
    {
        output.sends.push_back({neighbour, Deactivate{subscriber, copy.toldSession}});
    }
    copy.told.clear();
}

void
ProActiveR::DeliverBuffer(NodeId subscriber, RepairedCopy& copy, Output& output) const
{
    for (const auto& held : Missing(copy.buffer.Take(), copy.last))
    {
        Deliver(subscriber, copy, held, output);
    }
}

void
ProActiveR::Handle(Instant now, NodeId from, const Fetch& fetch, Output& output)
{
    m_neighbours.Touch(now, from, output);
    auto* copy = m_copies.Find(fetch.subscriber);
    if (copy && copy->state == State::FETCHING)
    {
        copy->askers.push_back({from, *fetch.session});
        return;
    }
    output.sends.push_back({from,
                            Subs{fetch.subscriber,
                                 fetch.session,
                                 copy ? copy->filters : std::vector<Filter>{},
                                 Subs::Mode::ACTIVE}});
}

void
ProActiveR::Handle(Instant now, NodeId from, const Subs& subs, Output& output)
{
    auto* copy = m_copies.Find(subs.subscriber);
    if (subs.mode == Subs::Mode::PASSIVE)
    {
        auto& passive = m_copies.Touch(subs.subscriber, m_options);
        m_copies.SetFilters(subs.subscriber, subs.filters);
        passive.claimed = std::max(passive.claimed, *subs.session);
        return;
    }
    if (!copy || copy->state != State::FETCHING)
    {
        return; // it has unsubscribed meanwhile
    }
    if (subs.filters.empty() && !copy->predecessors.empty())
    {
        // Gone where it was fetched from, but the subscriber has been here again since.
        const auto [broker, session] = copy->predecessors.back();
        copy->predecessors.pop_back();
        output.sends.push_back({broker, Fetch{subs.subscriber, session}});
        return;
    }
    m_copies.SetFilters(subs.subscriber, subs.filters);
    copy->state = State::HOME;
    output.sends.push_back(
        {from, Remove{subs.subscriber, subs.session, m_neighbours.Get(), copy->last}});
    copy->awaited.insert(*subs.session);
    for (const auto& asker : copy->askers)
    {
        output.sends.push_back(
            {asker.broker,
             Subs{subs.subscriber, asker.session, copy->filters, Subs::Mode::ACTIVE}});
    }
    copy->askers.clear();
    for (const auto& [broker, session] : copy->predecessors)
    {
        output.sends.push_back(
            {broker, Moved{subs.subscriber, session, m_neighbours.Get(), true, copy->last}});
        copy->awaited.insert(session);
    }
    copy->predecessors.clear();
    if (!copy->connected)
    {
        Leave(now, subs.subscriber, *copy, output);
    }
}

void
ProActiveR::Handle(Instant now, NodeId from, const Moved& moved, Output& output)
{
    if (!m_options.literalEdgeRefresh)
    {
        m_neighbours.Touch(now, from, output);
    }
    Succeed(moved.subscriber,
            {from, *moved.session, moved.neighbours, moved.last, moved.need, false},
            output);
}

void
ProActiveR::Handle(Instant, NodeId from, const Remove& remove, Output& output)
{
    Succeed(remove.subscriber,
            {from, *remove.session, *remove.neighbours, remove.last, true, true},
            output);
}

void
ProActiveR::Succeed(NodeId subscriber, const Successor& successor, Output& output)
{
    auto* copy = m_copies.Find(subscriber);
    const auto isHome = copy && (copy->state == State::HOME || copy->state == State::FETCHING);
    if (!isHome)
    {
        AnswerObsolete(subscriber, successor, output);
        return;
    }
    if (copy->session < successor.session)
    {
        copy->connected = false; // seen before LinkDown was
        ReturnUnacknowledged(*copy);
    }
    if (copy->state == State::HOME && !copy->complete && !Awaits(*copy, successor))
    {
        AnswerObsolete(subscriber, successor, output);
    }
    else if (copy->state == State::FETCHING || !copy->complete)
    {
        copy->successors.push_back(successor);
    }
    else if (copy->session < successor.session)
    {
        HandOver(subscriber, *copy, successor, output);
    }
    else
    {
        // The subscriber is back: this broker goes on, and passes on what it may still have to
        // give.
        auto events = EventsOf(copy->buffer);
        events.insert(events.end(), copy->unacknowledged.begin(), copy->unacknowledged.end());
        Answer(subscriber,
               successor,
               successor.need ? Missing(events, successor.last) : std::vector<Held>{},
               output);
    }
}

void
ProActiveR::HandOver(NodeId subscriber,
                     RepairedCopy& copy,
                     const Successor& successor,
                     Output& output) const
{
    auto affected = copy.told;
    const auto neighbours = m_neighbours.Get();
    affected.insert(neighbours.begin(), neighbours.end());
    affected.erase(successor.broker);
    for (const auto neighbour : affected)
    {
        if (Contains(successor.neighbours, neighbour))
        {
            output.sends.push_back({neighbour, Deactivate{subscriber, copy.session}});
        }
        else
        {
            output.sends.push_back(
                {neighbour, Delete{subscriber, copy.session, Delete::Why::MOVED}});
        }
    }
    const auto events = copy.buffer.Take();
    Answer(subscriber,
           successor,
           successor.need ? Missing(events, successor.last) : std::vector<Held>{},
           output);
    copy.state = State::PASSIVE;
    copy.complete = false;
    copy.awaited.clear();
    copy.told.clear();
}

void
ProActiveR::Answer(NodeId subscriber,
                   const Successor& successor,
                   std::vector<Held> events,
                   Output& output) const
{
    events = Transferred(std::move(events));
    if (successor.isTransfer)
    {
        output.sends.push_back(
            {successor.broker,
             Transfer{subscriber, successor.session, std::move(events), m_neighbours.Get()}});
    }
    else
    {
        output.sends.push_back(
            {successor.broker,
             MovedAck{subscriber, successor.session, m_neighbours.Get(), std::move(events)}});
    }
}

void
ProActiveR::AnswerObsolete(NodeId subscriber, const Successor& successor, Output& output) const
{
    const auto neighbours = m_neighbours.Get();
    if (successor.isTransfer)
    {
        output.sends.push_back(
            {successor.broker, Transfer{subscriber, successor.session, {}, neighbours, true}});
    }
    else
    {
        output.sends.push_back(
            {successor.broker, MovedAck{subscriber, successor.session, neighbours, {}, true}});
    }
}

void
ProActiveR::Handle(Instant, NodeId from, const MovedAck& acknowledged, Output& output)
{
    if (acknowledged.isObsolete)
    {
        Forgo(acknowledged.subscriber, *acknowledged.session, output);
        return;
    }
    TakeOver(from,
             acknowledged.subscriber,
             *acknowledged.session,
             acknowledged.neighbours,
             acknowledged.events,
             output);
}

void
ProActiveR::Handle(Instant, NodeId from, const Transfer& transfer, Output& output)
{
    if (transfer.isObsolete)
    {
        Forgo(transfer.subscriber, *transfer.session, output);
        return;
    }
    TakeOver(from,
             transfer.subscriber,
             *transfer.session,
             *transfer.neighbours,
             transfer.events,
             output);
}

bool
ProActiveR::Awaits(const RepairedCopy& copy, const Successor& successor)
{
    return !copy.awaited.empty() && *copy.awaited.begin() < successor.session;
}

void
ProActiveR::Forgo(NodeId subscriber, Session session, Output& output)
{
    auto* copy = m_copies.Find(subscriber);
    if (!copy || copy->awaited.erase(session) == 0)
    {
        return;
    }
    // The subscriber went back to where it had come from, and on from there. Who asked for what was
    // awaited asks in vain, and if nothing else is awaited nobody needs this copy.
    for (const auto& successor : std::exchange(copy->successors, {}))
    {
        if (Awaits(*copy, successor))
        {
            copy->successors.push_back(successor);
        }
        else
        {
            AnswerObsolete(subscriber, successor, output);
        }
    }
    if (copy->awaited.empty() && !copy->connected)
    {
        DeactivateTold(subscriber, *copy, output);
        Pacify(*copy);
        copy->temp.Clear();
    }
}

void
ProActiveR::TakeOver(NodeId from,
                     NodeId subscriber,
                     Session session,
                     const Neighbours& neighbours,
                     const std::vector<Held>& given,
                     Output& output)
{
    auto* copy = m_copies.Find(subscriber);
    if (!copy || copy->state == State::FETCHING)
    {
        return; // what it awaits with its filters has these events too
    }
    if (copy->awaited.contains(session))
    {
        copy->awaited.clear();
        auto events = copy->buffer.Take();
        events.insert(events.end(), given.begin(), given.end());
        const auto live = copy->temp.Take();
        events.insert(events.end(), live.begin(), live.end());
        events = Missing(events, copy->last);
        copy->complete = true;
        for (const auto neighbour : copy->acked)
        {
            output.sends.push_back(
                {neighbour, Forward{subscriber, copy->session, Transferred(events)}});
        }
        copy->acked.clear();
        for (const auto& held : events)
        {
            if (copy->connected)
            {
                Deliver(subscriber, *copy, held, output);
            }
            else
            {
                Store(copy->buffer, held, output);
            }
        }
        for (const auto& successor : std::exchange(copy->successors, {}))
        {
            Succeed(subscriber, successor, output);
        }
    }
    if (copy->state == State::ACTIVE && copy->control == from)
    {
        Pacify(*copy); // its ACTIVATE came after this broker had handed over; nobody else ends it
    }
    if (copy->state != State::HOME)
    {
        return;
    }
    for (const auto neighbour : m_neighbours.Get())
    {
        if (neighbour != from && !Contains(neighbours, neighbour))
        {
            output.sends.push_back(
                {neighbour, Subs{subscriber, copy->session, copy->filters, Subs::Mode::PASSIVE}});
        }
    }
}

void
ProActiveR::Handle(Instant, NodeId from, const Deactivate& deactivate, Output&)
{
    auto* copy = m_copies.Find(deactivate.subscriber);
    if (copy && copy->state == State::ACTIVE && copy->control == from &&
        copy->session == *deactivate.session)
    {
        Pacify(*copy);
    }
}

void
ProActiveR::Pacify(RepairedCopy& copy)
{
    copy.state = State::PASSIVE;
    copy.control = NO_NODE;
    copy.complete = false;
    copy.buffer.Clear();
}

void
ProActiveR::Handle(Instant, NodeId from, const Delete& request, Output& output)
{
    auto* copy = m_copies.Find(request.subscriber);
    if (!copy)
    {
        return;
    }
    const auto isStored = copy->state == State::PASSIVE || copy->state == State::ACTIVE;
    const auto isControlled = copy->control == from || copy->control == NO_NODE;
    if (request.why == Delete::Why::UNSUBSCRIBE)
    {
        if (!isStored)
        {
            DeleteAtNeighbours(request.subscriber, *copy, request.why, output);
        }
        m_copies.Erase(request.subscriber);
    }
    else if (isStored && isControlled && copy->session <= *request.session)
    {
        if (copy->claimed <= *request.session)
        {
            m_copies.Erase(request.subscriber);
        }
        else
        {
            Pacify(*copy); // a later session's broker has come to want it
        }
    }
}

void
ProActiveR::DeleteAtNeighbours(NodeId subscriber,
                               const RepairedCopy& copy,
                               Delete::Why why,
                               Output& output) const
{
    auto affected = copy.told;
    const auto neighbours = m_neighbours.Get();
    affected.insert(neighbours.begin(), neighbours.end());
    for (const auto neighbour : affected)
    {
        output.sends.push_back({neighbour, Delete{subscriber, copy.session, why}});
    }
}

std::optional<Instant>
ProActiveR::NextTimer() const
{
    auto next = m_neighbours.NextRemoval();
    if (!m_options.contextTimeout)
    {
        return next;
    }
    for (const auto subscriber : m_copies.GetSubscribers())
    {
        const auto& copy = m_copies.Get(subscriber);
        if (copy.state == State::HOME && !copy.connected)
        {
            const auto due = copy.awaySince + *m_options.contextTimeout;
            next = next ? std::min(*next, due) : due;
        }
    }
    return next;
}

void
ProActiveR::Expire(Instant now, Output& output)
{
    const auto removed = m_neighbours.RemoveOld(now, output);
    for (const auto subscriber : m_copies.GetSubscribers())
    {
        const auto& copy = m_copies.Get(subscriber);
        if (copy.state != State::HOME)
        {
            continue;
        }
        for (const auto neighbour : removed)
        {
            output.sends.push_back(
                {neighbour, Delete{subscriber, copy.session, Delete::Why::EDGE}});
        }
        if (m_options.contextTimeout && !copy.connected &&
            now - copy.awaySince >= *m_options.contextTimeout)
        {
            DeleteAtNeighbours(subscriber, copy, Delete::Why::TIMEOUT, output);
            m_copies.Erase(subscriber);
        }
    }
}

std::vector<CopyView>
ProActiveR::GetCopies() const
{
    std::vector<CopyView> views;
    for (const auto subscriber : m_copies.GetSubscribers())
    {
        static constexpr const char* NAMES[] = {"PASSIVE", "ACTIVE", "AWAY", "FETCHING"};
        const auto& copy = m_copies.Get(subscriber);
        auto& view = views.emplace_back();
        view.subscriber = subscriber;
        const auto isServing = copy.state == State::HOME && copy.connected;
        view.state = isServing ? "SERVING" : NAMES[static_cast<size_t>(copy.state)];
        view.control = view.state == "AWAY" ? m_self : copy.control;
        view.hold = copy.state == State::HOME && !copy.complete;
        view.buffer = GetIds(copy.buffer);
        view.temp = GetIds(copy.temp);
    }
    return views;
}

size_t
ProActiveR::CountHeld() const
{
    return m_copies.CountHeld();
}

} // namespace mftpubsub::handoff
