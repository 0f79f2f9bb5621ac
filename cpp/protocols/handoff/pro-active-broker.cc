/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/handoff/pro-active-broker.h"

#include <algorithm>

namespace mftpubsub::handoff
{

bool
ProActiveBroker::SharedCopy::IsHolding() const
{
    return state == State::HOME && !complete;
}

ProActiveBroker::ProActiveBroker(NodeId self, const Options& options, std::optional<Session> first)
    : m_self(self),
      m_options(options),
      m_neighbours(options),
      m_first(first)
{
}

void
ProActiveBroker::Receive(Instant now, NodeId from, const Message& message, Output& output)
{
    Dispatch(*this, now, from, message, output);
}

// Case 1
void
ProActiveBroker::Handle(Instant, NodeId, const Sub& sub, Output& output)
{
    auto& copy = m_copies.Touch(sub.subscriber, m_options);
    copy.state = State::HOME;
    copy.session = std::max(copy.session, m_first);
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

// Case 6
void
ProActiveBroker::Handle(Instant, NodeId, const Uns& uns, Output& output)
{
    if (const auto* copy = m_copies.Find(uns.subscriber))
    {
        DeleteAtNeighbours(uns.subscriber, *copy, Delete::Why::UNSUBSCRIBE, output);
        EndClaims(uns.subscriber, copy->session);
        m_copies.Erase(uns.subscriber);
    }
}

void
ProActiveBroker::LinkDown(Instant now, NodeId client, Output& output)
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
ProActiveBroker::Leave(Instant now, NodeId subscriber, SharedCopy& copy, Output& output)
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
ProActiveBroker::Handle(Instant, NodeId from, const Ack& ack, Output& output)
{
    auto* copy = m_copies.Find(ack.subscriber);
    if (!copy || copy->state != State::HOME || copy->connected || copy->session != ack.session)
    {
        return;
    }
    if (!copy->complete)
    {
        copy->acked.insert(from);
        return;
    }
    auto events = Transferred(Missing(EventsOf(copy->buffer), copy->last));
    if (m_options.completionMark || !events.empty())
    {
        output.sends.push_back({from, Forward{ack.subscriber, ack.session, std::move(events)}});
    }
}

void
ProActiveBroker::Handle(Instant, NodeId from, const Nack& nack, Output& output)
{
    auto* copy = m_copies.Find(nack.subscriber);
    if (copy && copy->state == State::HOME && !copy->connected && copy->session == nack.session)
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
ProActiveBroker::Handle(Instant, NodeId, const Pub& pub, Output& output)
{
    m_copies.Match(*pub.event, m_options, [&](NodeId subscriber, SharedCopy& copy) {
        if (copy.state == State::PASSIVE || copy.state == State::FETCHING)
        {
            return;
        }
        if (copy.connected && copy.complete)
        {
            Deliver(subscriber, copy, {pub.event}, output);
            return;
        }
        handoff::Store(copy.IsHolding() ? copy.temp : copy.buffer, {pub.event}, output);
    });
}

void
ProActiveBroker::Handle(Instant, NodeId, const Evack& evack, Output&)
{
    if (auto* copy = m_copies.Find(evack.subscriber))
    {
        for (const auto& held : Acknowledge(copy->unacknowledged, evack.id))
        {
            copy->last.Add(held.event->id);
        }
    }
}

// Cases 3 and 5, algorithm 2a
void
ProActiveBroker::Handle(Instant now, NodeId, const Reconnect& reconnect, Output& output)
{
    const auto subscriber = reconnect.subscriber;
    if (reconnect.old != m_self)
    {
        m_neighbours.Touch(now, reconnect.old, output);
    }
    const auto isNew = !m_copies.Find(subscriber);
    auto& copy = m_copies.Touch(subscriber, m_options);
    copy.last.Add(reconnect.last);
    copy.connected = true;
    DeactivateTold(subscriber, copy, output);
    Reconnected(reconnect, copy, isNew, output);
}

void
ProActiveBroker::DeactivateTold(NodeId subscriber, SharedCopy& copy, Output& output) const
{
    for (const auto neighbour : copy.told)
    {
        output.sends.push_back({neighbour, Deactivate{subscriber, copy.toldSession}});
    }
    copy.told.clear();
}

void
ProActiveBroker::DeliverBuffer(NodeId subscriber, SharedCopy& copy, Output& output) const
{
    for (const auto& held : Missing(copy.buffer.Take(), copy.last))
    {
        Deliver(subscriber, copy, held, output);
    }
}

// Algorithm 2b
void
ProActiveBroker::Handle(Instant now, NodeId from, const Fetch& fetch, Output& output)
{
    m_neighbours.Touch(now, from, output);
    auto* copy = m_copies.Find(fetch.subscriber);
    if (copy && copy->state == State::FETCHING)
    {
        if (!m_first)
        {
            copy->askers.clear(); // as published: the last one is answered
        }
        copy->askers.push_back({from, fetch.session});
        return;
    }
    output.sends.push_back({from,
                            Subs{fetch.subscriber,
                                 fetch.session,
                                 copy ? copy->filters : std::vector<Filter>{},
                                 Subs::Mode::ACTIVE}});
}

// Case 7, and the end of FETCHING
void
ProActiveBroker::Handle(Instant now, NodeId from, const Subs& subs, Output& output)
{
    const auto isLate = IsOver(subs.subscriber, subs.session, &Ended::claiming);
    if (subs.mode == Subs::Mode::PASSIVE && !isLate)
    {
        auto& copy = m_copies.Touch(subs.subscriber, m_options);
        m_copies.SetFilters(subs.subscriber, subs.filters);
        copy.claimed = std::max(copy.claimed, subs.session);
    }
    else if (auto* copy = m_copies.Find(subs.subscriber); copy && subs.mode == Subs::Mode::ACTIVE)
    {
        Fetched(now, from, subs, *copy, output);
    }
}

void
ProActiveBroker::TellAskers(NodeId subscriber, SharedCopy& copy, Output& output) const
{
    for (const auto& [broker, session] : copy.askers)
    {
        output.sends.push_back(
            {broker, Subs{subscriber, session, copy.filters, Subs::Mode::ACTIVE}});
    }
    copy.askers.clear();
}

// Case 4
void
ProActiveBroker::Handle(Instant now, NodeId from, const Moved& moved, Output& output)
{
    if (!m_options.literalEdgeRefresh)
    {
        m_neighbours.Touch(now, from, output);
    }
    Succeed(moved.subscriber,
            {from, moved.session, moved.neighbours, moved.last, moved.need, false},
            output);
}

void
ProActiveBroker::Handle(Instant, NodeId from, const Remove& remove, Output& output)
{
    Succeed(remove.subscriber,
            {from, remove.session, *remove.neighbours, remove.last, true, true},
            output);
}

std::set<NodeId>
ProActiveBroker::GetStoring(const SharedCopy&) const
{
    const auto neighbours = m_neighbours.Get();
    return {neighbours.begin(), neighbours.end()};
}

void
ProActiveBroker::HandOver(NodeId subscriber,
                          SharedCopy& copy,
                          const Successor& successor,
                          const std::vector<Held>& events,
                          Output& output) const
{
    auto storing = GetStoring(copy);
    storing.erase(successor.broker);
    LetGo(subscriber, copy.session, storing, successor.neighbours, output);
    Answer(subscriber,
           successor,
           successor.need ? Missing(events, successor.last) : std::vector<Held>{},
           output);
    Pacify(copy);
    copy.awaited.clear();
    copy.told.clear();
}

void
ProActiveBroker::LetGo(NodeId subscriber,
                       std::optional<Session> session,
                       const std::set<NodeId>& brokers,
                       const Neighbours& kept,
                       Output& output)
{
    for (const auto broker : brokers)
    {
        const Message stop = Deactivate{subscriber, session};
        const Message forget = Delete{subscriber, session, Delete::Why::MOVED};
        output.sends.push_back({broker, Contains(kept, broker) ? stop : forget});
    }
}

void
ProActiveBroker::Answer(NodeId subscriber,
                        const Successor& successor,
                        std::vector<Held> events,
                        Output& output,
                        Standing standing) const
{
    const auto& session = successor.session;
    const auto isObsolete = standing != Standing::CURRENT;
    const auto neighbours = standing == Standing::GONE ? Neighbours{} : m_neighbours.Get();
    events = Transferred(std::move(events));
    if (successor.isTransfer)
    {
        output.sends.push_back(
            {successor.broker,
             Transfer{subscriber, session, std::move(events), neighbours, isObsolete}});
    }
    else
    {
        output.sends.push_back(
            {successor.broker,
             MovedAck{subscriber, session, neighbours, std::move(events), isObsolete}});
    }
}

void
ProActiveBroker::Handle(Instant, NodeId from, const MovedAck& acknowledged, Output& output)
{
    TakeOver(acknowledged.subscriber,
             {from,
              acknowledged.session,
              acknowledged.neighbours,
              acknowledged.events,
              acknowledged.isObsolete},
             output);
}

void
ProActiveBroker::Handle(Instant, NodeId from, const Transfer& transfer, Output& output)
{
    TakeOver(transfer.subscriber,
             {from, transfer.session, *transfer.neighbours, transfer.events, transfer.isObsolete},
             output);
}

std::vector<Held>
ProActiveBroker::Complete(SharedCopy& copy, const std::vector<Held>& given)
{
    auto events = copy.buffer.Take();
    events.insert(events.end(), given.begin(), given.end());
    const auto live = copy.temp.Take();
    events.insert(events.end(), live.begin(), live.end());
    copy.complete = true;
    return Missing(events, copy.last);
}

void
ProActiveBroker::Release(NodeId subscriber,
                         SharedCopy& copy,
                         const std::vector<Held>& events,
                         Output& output) const
{
    for (const auto& held : events)
    {
        if (copy.connected)
        {
            Deliver(subscriber, copy, held, output);
        }
        else
        {
            handoff::Store(copy.buffer, held, output);
        }
    }
    for (const auto neighbour : copy.acked)
    {
        output.sends.push_back({neighbour, Forward{subscriber, copy.session, Transferred(events)}});
    }
    copy.acked.clear();
}

void
ProActiveBroker::SubscribeNeighbours(NodeId subscriber,
                                     const SharedCopy& copy,
                                     NodeId predecessor,
                                     const Neighbours& others,
                                     Output& output) const
{
    for (const auto neighbour : m_neighbours.Get())
    {
        if (neighbour != predecessor && !Contains(others, neighbour))
        {
            output.sends.push_back(
                {neighbour, Subs{subscriber, copy.session, copy.filters, Subs::Mode::PASSIVE}});
        }
    }
}

void
ProActiveBroker::TimeOut(NodeId subscriber, Output& output)
{
    const auto* copy = m_copies.Find(subscriber);
    if (copy && copy->state == State::HOME && !copy->connected)
    {
        DeleteAtNeighbours(subscriber, *copy, Delete::Why::TIMEOUT, output);
        m_copies.Erase(subscriber);
    }
}

void
ProActiveBroker::AddNeighbour(Instant now, NodeId broker, Output& output)
{
    m_neighbours.Touch(now, broker, output);
}

void
ProActiveBroker::DeleteAtNeighbours(NodeId subscriber,
                                    const SharedCopy& copy,
                                    Delete::Why why,
                                    Output& output) const
{
    for (const auto broker : GetStoring(copy))
    {
        output.sends.push_back({broker, Delete{subscriber, copy.session, why}});
    }
}

std::optional<Instant>
ProActiveBroker::NextTimer() const
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
ProActiveBroker::Expire(Instant now, Output& output)
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
        if (m_options.contextTimeout && now - copy.awaySince >= *m_options.contextTimeout)
        {
            TimeOut(subscriber, output);
        }
    }
}

std::vector<CopyView>
ProActiveBroker::GetCopies() const
{
    static constexpr const char* NAMES[] = {"PASSIVE", "ACTIVE", "AWAY", "FETCHING"};
    std::vector<CopyView> views;
    for (const auto subscriber : m_copies.GetSubscribers())
    {
        const auto& copy = m_copies.Get(subscriber);
        const auto isHome = copy.state == State::HOME;
        auto& view = views.emplace_back();
        view.subscriber = subscriber;
        view.state = isHome && copy.connected ? "SERVING" : NAMES[static_cast<size_t>(copy.state)];
        view.control = isHome && !copy.connected ? m_self : copy.control;
        view.hold = copy.IsHolding();
        view.buffer = GetIds(copy.buffer);
        view.temp = GetIds(copy.temp);
    }
    return views;
}

size_t
ProActiveBroker::CountHeld() const
{
    return m_copies.CountHeld();
}

} // namespace mftpubsub::handoff
