/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/handoff/jedi.h"

namespace mftpubsub::handoff
{

Jedi::Jedi(NodeId self, const Options& options)
    : OneAtATime(self, options),
      m_parent(options.tree->GetParent(self))
{
    m_isAnnounced = true;
    m_isAcknowledged = false;
}

void
Jedi::Receive(Instant now, NodeId from, const Message& message, Output& output)
{
    Dispatch(*this, now, from, message, output);
}

void
Jedi::Spread(NodeId subscriber, Place& place, Output& output)
{
    if (m_parent != NO_NODE)
    {
        Send(m_parent, TreeSub{subscriber, NO_NODE, place.filters}, output);
    }
}

void
Jedi::Handle(Instant, NodeId from, const TreeSub& sub, Output& output)
{
    auto& place = Touch(sub.subscriber);
    const auto isKnown = (place.isLocal || !place.hops.empty()) && place.filters == sub.filters;
    place.hops[from] = from;
    m_places.SetFilters(sub.subscriber, sub.filters);
    if (!isKnown && m_parent != NO_NODE)
    {
        Send(m_parent, sub, output);
    }
    else if (sub.broker != NO_NODE)
    {
        Send(sub.broker, SubOk{sub.subscriber}, output);
    }
}

void
Jedi::Handle(Instant, NodeId from, const TreeUns& uns, Output& output)
{
    auto& place = Touch(uns.subscriber);
    place.hops.erase(from);
    Leave(uns.subscriber, place, output);
}

void
Jedi::Withdraw(NodeId subscriber, Place& place, Output& output)
{
    Drop(place);
    Leave(subscriber, place, output);
    Forget(subscriber, output);
}

void
Jedi::Leave(NodeId subscriber, Place& place, Output& output)
{
    Tidy(subscriber, place);
    if (place.hops.empty() && !place.isLocal && m_parent != NO_NODE)
    {
        Send(m_parent, TreeUns{subscriber, NO_NODE}, output);
    }
}

void
Jedi::Handle(Instant, NodeId from, const Pub& pub, Output& output)
{
    Forward(from, pub, m_parent, output);
}

void
Jedi::SendAsk(NodeId to, NodeId subscriber, const Ask& ask, Output& output)
{
    Send(to, GetState{subscriber, ask.session, ask.broker}, output);
}

void
Jedi::Handle(Instant, NodeId, const GetState& ask, Output& output)
{
    TakeUp(ask.subscriber, {ask.broker, ask.session}, output);
}

void
Jedi::Depart(NodeId subscriber, Place& place, const Ask& ask, Output& output)
{
    place.isDeparting = true;
    Send(ask.broker, State1{subscriber, place.filters}, output);
}

void
Jedi::Handle(Instant, NodeId from, const State1& state, Output& output)
{
    auto& place = Touch(state.subscriber);
    const auto isKnown = !place.hops.empty() || m_parent == NO_NODE;
    place.isLocal = true;
    m_places.SetFilters(state.subscriber, state.filters);
    m_sources[state.subscriber] = from;
    Answer(state.subscriber, place, output);
    if (isKnown)
    {
        Handle({}, from, SubOk{state.subscriber}, output);
    }
    else
    {
        Send(m_parent, TreeSub{state.subscriber, m_self, state.filters}, output);
    }
}

void
Jedi::Handle(Instant, NodeId, const SubOk& ok, Output& output)
{
    Send(m_sources.at(ok.subscriber), Release{ok.subscriber}, output);
}

void
Jedi::Handle(Instant, NodeId from, const Release& release, Output& output)
{
    auto& place = Touch(release.subscriber);
    place.isDeparting = false;
    place.isLocal = false;
    Leave(release.subscriber, place, output);
    Send(from, State2{release.subscriber, TakeStored(place)}, output);
}

void
Jedi::Handle(Instant, NodeId, const State2& state, Output& output)
{
    auto& place = Touch(state.subscriber);
    GiveAll(state.subscriber, place, state.events, output);
    Finish(state.subscriber, place, output);
}

} // namespace mftpubsub::handoff
