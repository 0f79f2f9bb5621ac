/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/handoff/pro-active-r.h"

#include <utility>

namespace mftpubsub::handoff
{

namespace
{

/// FORWARD marks completeness here, whatever else is asked for.
Options
WithMark(Options options)
{
    options.completionMark = true;
    return options;
}

} // namespace

ProActiveR::ProActiveR(NodeId self, const Options& options)
    : ProActiveBroker(self, WithMark(options), Session{0})
{
}

void
ProActiveR::Reconnected(const Reconnect& reconnect, SharedCopy& copy, bool isNew, Output& output)
{
    const auto subscriber = reconnect.subscriber;
    const auto isMove = reconnect.old != m_self;
    copy.session = reconnect.session;
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
ProActiveR::Fetched(Instant now, NodeId from, const Subs& subs, SharedCopy& copy, Output& output)
{
    const auto subscriber = subs.subscriber;
    if (copy.state != State::FETCHING)
    {
        return;
    }
    if (subs.filters.empty() && !copy.predecessors.empty())
    {
        // Gone where it was fetched from, but the subscriber has been here again since.
        const auto [broker, session] = copy.predecessors.back();
        copy.predecessors.pop_back();
        output.sends.push_back({broker, Fetch{subscriber, session}});
        return;
    }
    m_copies.SetFilters(subscriber, subs.filters);
    copy.state = State::HOME;
    output.sends.push_back({from, Remove{subscriber, subs.session, m_neighbours.Get(), copy.last}});
    copy.awaited.insert(*subs.session);
    TellAskers(subscriber, copy, output);
    for (const auto& [broker, session] : copy.predecessors)
    {
        output.sends.push_back(
            {broker, Moved{subscriber, session, m_neighbours.Get(), true, copy.last}});
        copy.awaited.insert(*session);
    }
    copy.predecessors.clear();
    RefuseSuccessors(subscriber, copy, Standing::OBSOLETE, output);
    if (!copy.connected)
    {
        Leave(now, subscriber, copy, output);
    }
}

void
ProActiveR::Succeed(NodeId subscriber, const Successor& successor, Output& output)
{
    auto* copy = m_copies.Find(subscriber);
    if (!copy || copy->IsNeighbours())
    {
        Answer(subscriber, successor, {}, output, Standing::GONE);
        return;
    }
    if (copy->session < successor.session)
    {
        copy->connected = false; // seen before LinkDown was
        ReturnUnacknowledged(*copy);
    }
    if (copy->IsHolding() && !Awaits(*copy, successor))
    {
        Answer(subscriber, successor, {}, output, Standing::OBSOLETE);
    }
    else if (!copy->complete)
    {
        copy->successors.push_back(successor);
    }
    else if (copy->session < successor.session)
    {
        HandOver(subscriber, *copy, successor, copy->buffer.Take(), output);
        Tidy(subscriber);
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

std::set<NodeId>
ProActiveR::GetStoring(const SharedCopy& copy) const
{
    auto storing = ProActiveBroker::GetStoring(copy);
    storing.insert(copy.told.begin(), copy.told.end());
    return storing;
}

bool
ProActiveR::Awaits(const SharedCopy& copy, const Successor& successor)
{
    return !copy.awaited.empty() && *copy.awaited.begin() < *successor.session;
}

void
ProActiveR::Forgo(NodeId subscriber, SharedCopy& copy, const Answered& answered, Output& output)
{
    if (copy.awaited.erase(*answered.session) == 0)
    {
        return;
    }
    // The subscriber went back to where it had come from, and on from there: if nothing else is
    // awaited nobody needs this copy.
    const auto isGone = copy.awaited.empty() && !copy.connected;
    RefuseSuccessors(subscriber, copy, isGone ? Standing::GONE : Standing::OBSOLETE, output);
    if (isGone)
    {
        auto kept = answered.neighbours;
        if (!kept.empty()) // else it has handed over, and wants no copy either
        {
            kept.push_back(answered.from);
        }
        LetGo(subscriber, copy.toldSession, std::exchange(copy.told, {}), kept, output);
        Pacify(copy);
        copy.temp.Clear();
        EndClaims(subscriber, copy.session);
        Tidy(subscriber);
    }
}

void
ProActiveR::RefuseSuccessors(NodeId subscriber,
                             SharedCopy& copy,
                             Standing standing,
                             Output& output) const
{
    for (const auto& successor : std::exchange(copy.successors, {}))
    {
        if (Awaits(copy, successor))
        {
            copy.successors.push_back(successor);
        }
        else
        {
            Answer(subscriber, successor, {}, output, standing);
        }
    }
}

void
ProActiveR::TakeOver(NodeId subscriber, const Answered& answered, Output& output)
{
    auto* copy = m_copies.Find(subscriber);
    if (!copy)
    {
        return;
    }
    if (answered.isObsolete)
    {
        Forgo(subscriber, *copy, answered, output);
        return;
    }
    if (copy->state == State::FETCHING)
    {
        return; // what it awaits with its filters has these events too
    }
    if (copy->awaited.contains(*answered.session))
    {
        copy->awaited.clear();
        Release(subscriber, *copy, Complete(*copy, answered.events), output);
        for (const auto& successor : std::exchange(copy->successors, {}))
        {
            Succeed(subscriber, successor, output);
        }
        copy = m_copies.Find(subscriber);
        if (!copy)
        {
            return;
        }
    }
    if (copy->state == State::ACTIVE && copy->control == answered.from)
    {
        Pacify(*copy); // its ACTIVATE came after this broker had handed over; nobody else ends it
        Tidy(subscriber);
    }
    else if (copy->state == State::HOME)
    {
        SubscribeNeighbours(subscriber, *copy, answered.from, answered.neighbours, output);
    }
}

} // namespace mftpubsub::handoff
