/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/handoff/one-at-a-time.h"

#include <utility>

namespace mftpubsub::handoff
{

void
OneAtATime::Arrive(Place& place, const Reconnect& reconnect, Output& output)
{
    const auto& successor = m_turns[reconnect.subscriber].successor;
    const auto to = reconnect.old == m_self ? successor.broker : reconnect.old;
    if (to == NO_NODE)
    {
        CallOff(reconnect.subscriber, place, output);
        return;
    }
    SendAsk(to, reconnect.subscriber, {m_self, place.session}, output);
}

void
OneAtATime::TakeUp(NodeId subscriber, const Ask& ask, Output& output)
{
    auto& place = Touch(subscriber);
    auto& turn = m_turns[subscriber];
    const auto isExpected = place.role == Place::Role::ARRIVING &&
                            (place.isAnswered || turn.successor.broker == NO_NODE);
    if (place.role == Place::Role::HERE)
    {
        HandOver(subscriber, place, ask, output);
    }
    else if (isExpected && ask.broker != m_self)
    {
        turn.waiting.push_back(ask);
    }
    else if (turn.successor.broker != NO_NODE)
    {
        SendAsk(turn.successor.broker, subscriber, ask, output);
    }
    else if (ask.broker != m_self)
    {
        Send(ask.broker, Refused{subscriber}, output);
    }
    else
    {
        CallOff(subscriber, place, output);
    }
}

void
OneAtATime::HandOver(NodeId subscriber, Place& place, const Ask& ask, Output& output)
{
    const auto asksBack = place.isConnected && ask.session < place.session;
    if (!asksBack)
    {
        place.isConnected = false;
        ReturnUnacknowledged(place);
    }
    place.role = Place::Role::ELSEWHERE;
    m_turns[subscriber].successor = ask;
    Depart(subscriber, place, ask, output);
    if (asksBack)
    {
        place.role = Place::Role::ARRIVING;
        place.isAnswered = false;
        SendAsk(ask.broker, subscriber, {m_self, place.session}, output);
        return;
    }
    for (const auto& other : std::exchange(m_turns[subscriber].waiting, {}))
    {
        SendAsk(ask.broker, subscriber, other, output);
    }
}

void
OneAtATime::Finish(NodeId subscriber, Place& place, Output& output)
{
    Complete(subscriber, place, output);
    auto& waiting = m_turns[subscriber].waiting;
    if (!waiting.empty()) // it has not left for good
    {
        const auto next = waiting.front();
        waiting.pop_front();
        HandOver(subscriber, place, next, output);
    }
}

void
OneAtATime::Forget(NodeId subscriber, Output& output)
{
    for (const auto& ask : m_turns[subscriber].waiting)
    {
        Send(ask.broker, Refused{subscriber}, output);
    }
    m_turns.erase(subscriber);
}

void
OneAtATime::Handle(Instant, NodeId, const Refused& refused, Output& output)
{
    auto& place = Touch(refused.subscriber);
    if (place.role == Place::Role::ARRIVING) // else it has subscribed here meanwhile
    {
        CallOff(refused.subscriber, place, output);
    }
}

void
OneAtATime::CallOff(NodeId subscriber, Place& place, Output& output)
{
    if (place.isLocal)
    {
        Withdraw(subscriber, place, output);
        return;
    }
    Drop(place);
    Forget(subscriber, output);
}

} // namespace mftpubsub::handoff
