/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/handoff/pro-active.h"

#include <utility>

namespace mftpubsub::handoff
{

ProActive::ProActive(NodeId self, const Options& options)
    : ProActiveBroker(self, options, {})
{
}

void
ProActive::Reconnected(const Reconnect& reconnect, SharedCopy& copy, bool isNew, Output& output)
{
    const auto subscriber = reconnect.subscriber;
    const auto isMove = reconnect.old != m_self;
    if (isMove && (isNew || copy.state == State::FETCHING))
    {
        copy.state = State::FETCHING;
        output.sends.push_back({reconnect.old, Fetch{subscriber, {}}});
        return;
    }
    if (copy.state == State::FETCHING)
    {
        return; // it is back, and its context is still on its way
    }
    copy.complete |= copy.state == State::ACTIVE && !m_options.completionMark;
    const auto wasHome = std::exchange(copy.state, State::HOME) == State::HOME;
    copy.control = NO_NODE;
    if (copy.complete)
    {
        DeliverBuffer(subscriber, copy, output);
    }
    else if (!isMove && !wasHome)
    {
        copy.complete = true; // as published: nobody is left to be asked
    }
    if (isMove)
    {
        output.sends.push_back(
            {reconnect.old,
             Moved{subscriber, {}, m_neighbours.Get(), !copy.complete, reconnect.last}});
    }
}

void
ProActive::Fetched(Instant now, NodeId from, const Subs& subs, SharedCopy& copy, Output& output)
{
    if (!subs.filters.empty())
    {
        m_copies.SetFilters(subs.subscriber, subs.filters);
    }
    output.sends.push_back({from, Remove{subs.subscriber, {}, m_neighbours.Get(), copy.last}});
    TellAskers(subs.subscriber, copy, output);
    if (copy.IsNeighbours())
    {
        return;
    }
    copy.complete = false;
    if (std::exchange(copy.state, State::HOME) == State::FETCHING && !copy.connected)
    {
        Leave(now, subs.subscriber, copy, output);
    }
}

void
ProActive::Succeed(NodeId subscriber, const Successor& successor, Output& output)
{
    auto* copy = m_copies.Find(subscriber);
    if (!copy || (copy->state == State::HOME && copy->connected))
    {
        Answer(subscriber, successor, {}, output);
    }
    else if (copy->IsHolding() || copy->state == State::FETCHING)
    {
        copy->successors = {successor};
    }
    else
    {
        HandOver(subscriber, *copy, successor, copy->buffer.Take(), output);
    }
}

void
ProActive::TakeOver(NodeId subscriber, const Answered& answered, Output& output)
{
    auto* copy = m_copies.Find(subscriber);
    if (!copy)
    {
        return;
    }
    if (copy->IsHolding())
    {
        const auto events = Complete(*copy, answered.events);
        const auto successors = std::exchange(copy->successors, {});
        if (!successors.empty() && !copy->connected)
        {
            HandOver(subscriber, *copy, successors.front(), events, output);
            return;
        }
        for (const auto& successor : successors)
        {
            Answer(subscriber, successor, {}, output);
        }
        Release(subscriber, *copy, events, output);
    }
    if (copy->state != State::PASSIVE)
    {
        SubscribeNeighbours(subscriber, *copy, answered.from, answered.neighbours, output);
    }
}

} // namespace mftpubsub::handoff
