/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/handoff/mhh.h"

namespace mftpubsub::handoff
{

Mhh::Mhh(NodeId self, const Options& options)
    : OneAtATime(self, options)
{
}

void
Mhh::Receive(Instant now, NodeId from, const Message& message, Output& output)
{
    Dispatch(*this, now, from, message, output);
}

void
Mhh::Spread(NodeId subscriber, Place& place, Output& output)
{
    FloodSub(subscriber, place, output);
}

void
Mhh::Withdraw(NodeId subscriber, Place& place, Output& output)
{
    FloodUns(subscriber, place, output);
    Forget(subscriber, output);
}

void
Mhh::Handle(Instant, NodeId from, const TreeSub& sub, Output& output)
{
    auto& place = Touch(sub.subscriber);
    place.hops = {{from, from}};
    m_places.SetFilters(sub.subscriber, sub.filters);
    Flood(sub, from, output);
}

void
Mhh::Handle(Instant, NodeId from, const TreeUns& uns, Output& output)
{
    auto& place = Touch(uns.subscriber);
    place.hops.clear();
    Tidy(uns.subscriber, place);
    Flood(uns, from, output);
}

void
Mhh::SendAsk(NodeId to, NodeId subscriber, const Ask& ask, Output& output)
{
    Send(to, MhReq{subscriber, ask.session, ask.broker}, output);
}

void
Mhh::Handle(Instant, NodeId, const MhReq& ask, Output& output)
{
    TakeUp(ask.subscriber, {ask.broker, ask.session}, output);
}

void
Mhh::Depart(NodeId subscriber, Place& place, const Ask& ask, Output& output)
{
    place.isLocal = false;
    TurnTowards(ask.broker, subscriber, true, output);
    if (!place.buffer.IsEmpty())
    {
        Send(ask.broker, Rep{subscriber, TakeStored(place)}, output);
    }
}

void
Mhh::TurnTowards(NodeId target, NodeId subscriber, bool isUpstreamDone, Output& output)
{
    const auto next = m_options.tree->GetNextHop(m_self, target);
    auto& place = Touch(subscriber);
    place.hops = {{next, next}};
    m_turns[subscriber] = {target, next, isUpstreamDone, false};
    Send(next, Migrate{subscriber, target, place.filters}, output);
}

void
Mhh::Handle(Instant, NodeId from, const Migrate& migrate, Output& output)
{
    const auto subscriber = migrate.subscriber;
    Send(from, Flip{subscriber}, output);
    m_places.SetFilters(subscriber, migrate.filters);
    if (migrate.broker != m_self)
    {
        TurnTowards(migrate.broker, subscriber, false, output);
        return;
    }
    auto& place = Touch(subscriber);
    place.hops.clear();
    place.isLocal = true;
    m_seen[subscriber] = place.last;
    Answer(subscriber, place, output);
}

std::set<NodeId>
Mhh::Route(NodeId subscriber, Place& place, const Held& held, Output& output)
{
    if (!m_turns.contains(subscriber))
    {
        return OneAtATime::Route(subscriber, place, held, output);
    }
    Store(place.temp, held, output);
    return {};
}

void
Mhh::Handle(Instant, NodeId, const Flip& flip, Output& output)
{
    m_turns.at(flip.subscriber).isFlipped = true;
    EndTurn(flip.subscriber, output);
}

void
Mhh::Handle(Instant, NodeId, const Rep& rep, Output& output)
{
    GiveNew(rep.subscriber, rep.events, output);
}

void
Mhh::Handle(Instant, NodeId, const End& end, Output& output)
{
    auto& place = Touch(end.subscriber);
    if (place.isLocal)
    {
        GiveNew(end.subscriber, place.temp.Take(), output);
        Finish(end.subscriber, place, output);
        return;
    }
    m_turns.at(end.subscriber).isUpstreamDone = true;
    EndTurn(end.subscriber, output);
}

void
Mhh::EndTurn(NodeId subscriber, Output& output)
{
    const auto turn = m_turns.at(subscriber);
    if (!turn.isFlipped || !turn.isUpstreamDone)
    {
        return;
    }
    if (auto caught = Touch(subscriber).temp.Take(); !caught.empty())
    {
        Send(turn.target, Rep{subscriber, Transferred(std::move(caught))}, output);
    }
    Send(turn.next, End{subscriber}, output);
    m_turns.erase(subscriber);
}

void
Mhh::GiveNew(NodeId subscriber, const std::vector<Held>& events, Output& output)
{
    auto& place = Touch(subscriber);
    auto& seen = m_seen[subscriber];
    seen.Add(place.last); // it may have come again since MIGRATE, from where it has consumed more
    for (const auto& held : events)
    {
        if (!seen.Covers(held.event->id))
        {
            seen.Add(held.event->id);
            Give(subscriber, place, held, output);
        }
    }
}

} // namespace mftpubsub::handoff
