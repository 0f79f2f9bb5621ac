/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/broker.h"

#include <algorithm>

namespace mftpubsub::mesh
{

namespace
{

/// @return whether @p state names an event as one that nobody but some of @p open may lack
bool
TellsArrivals(const State& state, EventId id, const IdSet& open)
{
    return state.settled.GetSummary().Has(id) ||
           std::ranges::any_of(state.open, [&](const OpenEvent& told) {
               return told.id == id && std::ranges::all_of(told.subscribers, [&](NodeId each) {
                          return open.Has(each);
                      });
           });
}

} // namespace

// Rule 8: events that few want

/// The sooner the further the event gets on.
void
Broker::ApproachSoon(Instant now, EventId id, const Held& held)
{
    if (held.isForAll)
    {
        return; // it has arrived
    }
    const auto& limits = m_context.options.limits.scope;
    auto progress = 0.0;
    for (const auto subscriber : *held.open)
    {
        progress = std::max(progress, Progress(now, held, subscriber));
    }
    const auto wait = m_context.Stretch(
        limits.approach + Times(limits.approachSpread, 1 - progress / limits.bestProgress));
    const auto jitter = progress > 0 ? limits.approachJitter : limits.searchJitter;
    m_forwarding.at.Set(id, now + m_context.Draw(wait, wait + jitter));
}

bool
Broker::Approaches(Instant now, EventId id, Held& held)
{
    const auto& limits = m_context.options.limits.scope;
    auto& way = held.way;
    if (way.isLeft && way.asked < limits.asks)
    {
        AskAgain(held);
    }
    if (!way.isLeft && way.sent >= limits.sent && GetUntaken(held).IsEmpty())
    {
        LeaveToOthers(now, id, held);
        return false;
    }
    if (way.isLeft || way.sent >= limits.sent)
    {
        held.isForAll = true; // wherever they are
        return true;
    }
    auto charge = GetUntaken(held); // also where it begins anew, as a subscriber says HELLO
    if (way.sent == 0)
    {
        charge.Insert(ChooseCharge(now, held));
    }
    if (charge.IsEmpty() && way.sent == 0)
    {
        charge = GetNobodys(held);
        if (!charge.IsEmpty() && !std::exchange(way.hasWaited, true))
        {
            m_forwarding.at.Set(id, now + m_context.Draw(limits.custody, 2 * limits.custody));
            return false;
        }
    }
    if (charge.IsEmpty())
    {
        LeaveToOthers(now, id, held);
        return false;
    }
    Take(now, held, charge);
    const auto wait = m_context.Stretch(way.sent <= limits.openings
                                            ? limits.openAfter
                                            : limits.custody * (way.sent - limits.openings));
    m_forwarding.at.Set(id, now + m_context.Draw(wait, 2 * wait));
    return true;
}

/// The event is sent to @p charge.
void
Broker::Take(Instant now, Held& held, const IdSet& charge)
{
    const auto& limits = m_context.options.limits.scope;
    auto& way = held.way;
    for (auto& [subscriber, bearing] : way.bearings)
    {
        if (!charge.Has(subscriber))
        {
            bearing.said.reset();
        }
    }
    for (const auto subscriber : charge)
    {
        auto& bearing = way.bearings.try_emplace(subscriber, subscriber).first->second;
        if (way.sent > limits.openings && // in vain: it has led nowhere
            (!IsFar(*bearing.said) || way.sent + 1 == limits.sent))
        {
            m_distances.Forget(subscriber);
            bearing.SearchAnew();
        }
    }
    for (const auto& claim : MakeClaims(now, held, charge))
    {
        auto& said = way.bearings.at(claim.subscriber).said;
        said = way.sent > 0 && said && said->IsNearerThan(claim) ? *said : claim;
    }
    way.before = held.copies;
    ++way.sent;
}

void
Broker::HearPublisher(Instant now, const Pub& pub, NodeId from)
{
    for (const auto& carried : pub.events)
    {
        const auto id = carried.event->id;
        const auto at = m_store.find(id);
        if (from != id.publisher || at == m_store.end() || at->second.isForAll)
        {
            continue;
        }
        auto& held = at->second;
        if (held.way.isLeft) // it is not in good hands
        {
            held.way = {from};
        }
        NoteClaims(held, GetAsked(held, pub, carried.path.isOpen, from), false);
        if (held.way.sent == 0)
        {
            ApproachSoon(now, id, held);
        }
    }
}

/// News of an arrival come back from where it is: who is nearer asks first where they were lost.
void
Broker::LeaveToOthers(Instant now, EventId id, Held& held)
{
    const auto& limits = m_context.options.limits.scope;
    const auto spread = limits.othersTo - limits.othersFrom;
    held.way.isLeft = true;
    auto hops = 0.0;
    for (const auto subscriber : *held.open)
    {
        const auto known = m_distances.Get(now, subscriber);
        hops = std::max(hops, known < m_distances.GetUnknown() ? known : 0.0);
    }
    const auto until =
        std::max(held.since + limits.othersFrom, now + spread) + Times(limits.othersHop, hops);
    const auto within = limits.othersHop > Instant(0) ? limits.othersHop : spread;
    m_forwarding.at.Set(id, m_context.Draw(until, until + within));
}

/// It may have arrived long ago: who knows that answers.
void
Broker::AskAgain(Held& held)
{
    auto& way = held.way;
    way.isLeft = false;
    way.sent = 0;
    ++way.asked;
    for (const auto subscriber : *held.open)
    {
        way.bearings.try_emplace(subscriber, subscriber).first->second.SearchAnew();
    }
}

void
Broker::HearPath(Instant now, EventId id, Held& held, const Path& path, NodeId from)
{
    if (path.wordsHash == m_words.GetHash())
    {
        held.open = m_sets.And(held.open, path.GetOpen());
        if (held.open->IsEmpty())
        {
            Settle(now, id);
            return;
        }
    }
    NoteClaims(held, path, from != id.publisher);
    if (held.way.isLeft && (held.way.sent == 0 || HasEndedBeyond(held, path)) &&
        IsAsked(now, held, path))
    {
        held.way.isLeft = false;
        held.way.sent = 0;
        ApproachSoon(now, id, held);
    }
    else if ((held.way.sent > 0 || held.way.isLeft) && GetUntaken(held).IsEmpty())
    {
        LeaveToOthers(now, id, held);
    }
}

void
Broker::TellOfBetterHands(Instant now, EventId id, const Held& held, const Path& path)
{
    if (IsInBetterHands(held, path) && !m_answers.taken.Contains(id))
    {
        const auto& limits = m_context.options.limits.scope;
        m_answers.taken.Set(id, now + m_context.Draw(limits.takenFrom, limits.takenTo));
    }
}

void
Broker::Hear(Instant now, const Header& from, const Taken& taken, double, Output&)
{
    for (const auto& [id, path] : taken.events)
    {
        m_answers.taken.Erase(id); // it is told
        const auto at = m_store.find(id);
        if (at != m_store.end() && !at->second.isForAll)
        {
            HearPath(now, id, at->second, path, from.source);
        }
    }
}

/// As many as fit into a frame, those that are not due yet included.
std::optional<Outgoing>
Broker::BuildTaken()
{
    Taken taken;
    auto bytes = HEADER_BYTES + 1;
    const auto waiting = std::exchange(m_answers.taken, {});
    for (const auto& [id, at] : waiting.Get())
    {
        const auto& held = m_store.at(id);
        TakenEvent event{id, {m_words.GetHash(), {}}};
        for (const auto subscriber : *held.open)
        {
            event.path.elsewhere.push_back(GetBearing(held, subscriber).GetBest());
        }
        PutTogether(event.path.elsewhere);
        bytes += CountBytes(event);
        if (taken.events.size() >= m_context.options.limits.frame.events ||
            (!taken.events.empty() && bytes > m_context.options.maxFrameBytes))
        {
            m_answers.taken.Set(id, at);
        }
        else if (!held.isForAll)
        {
            taken.events.push_back(std::move(event));
        }
    }
    if (taken.events.empty())
    {
        return {};
    }
    return Outgoing{NO_NODE, std::move(taken)};
}

void
Broker::AnswerSoon(Instant now, EventId id, bool isPublishers)
{
    m_answers.isPublishers[id] |= isPublishers;
    if (m_answers.at != NEVER)
    {
        return;
    }
    const auto& limits = m_context.options.limits.scope;
    const auto sinceState = std::chrono::duration<double>(now - m_heartbeats.stateSentAt);
    const auto interval = std::chrono::duration<double>(m_context.options.heartbeatMax);
    const auto freshness = 1 - std::min(1.0, sinceState / interval);
    const auto wait = limits.freshness * freshness + (1 - limits.freshness) * m_context.uniform();
    m_answers.at = now + m_context.Stretch(limits.answer + Times(limits.answerWithin, wait));
}

void
Broker::HearAnswers(const State& state)
{
    for (const auto& id : state.answers)
    {
        if (const auto at = m_store.find(id); at != m_store.end())
        {
            at->second.isAnswered = true;
        }
    }
    std::erase_if(m_answers.isPublishers, [&state](const auto& answer) {
        return answer.second ? SaysItHolds(state, answer.first)
                             : state.settled.GetSummary().Has(answer.first);
    });
    if (m_answers.isPublishers.empty())
    {
        m_answers.at = NEVER;
    }
}

/// Who has sent an event on to some of @p arrived tells back that it has arrived, and with it how
/// far away they are now.
void
Broker::TellBack(Instant now, EventId id, Held& held, const IdSet& arrived)
{
    const auto isIts = [&held](NodeId subscriber) {
        return GetBearing(held, subscriber).said.has_value();
    };
    if (held.way.sent == 0 || held.isForAll || held.way.from == id.publisher ||
        std::ranges::none_of(arrived, isIts))
    {
        return;
    }
    const auto& limits = m_context.options.limits.scope;
    held.way.told = 0;
    m_answers.arrivals.Set(id, now + m_context.Draw(limits.arrivalFrom, limits.arrivalTo));
}

/// It is known where an event came from, or others have told enough.
void
Broker::HearArrivals(const State& state, NodeId from)
{
    std::vector<EventId> told;
    for (const auto& [id, at] : m_answers.arrivals.Get())
    {
        auto& held = m_store.at(id);
        if (TellsArrivals(state, id, *held.open) &&
            (from == held.way.from || ++held.way.told >= m_context.options.copies))
        {
            told.push_back(id);
        }
    }
    for (const auto id : told)
    {
        m_answers.arrivals.Erase(id);
    }
}

} // namespace mftpubsub::mesh
