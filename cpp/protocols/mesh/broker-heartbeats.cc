/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/broker.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace mftpubsub::mesh
{

namespace
{

/// Bytes of a STATE around its SUMMARYs and lists.
constexpr size_t STATE_BYTES = 8;
constexpr size_t ANSWER_BYTES = 6;
/// A STATE has two.
constexpr size_t MIN_SUMMARY_BYTES = 2 * SummaryPart::MIN_BYTES;

} // namespace

/// Over a weak link a large STATE never arrives: it takes turns with a small part of it. What a
/// neighbour waits for takes turns with the rest, as neighbours may always wait for something.
State
Broker::MakeState(Instant now, size_t budget)
{
    const auto& limits = m_context.options.limits.frame;
    auto state = MakeState(budget);
    if (m_context.options.isScoped)
    {
        const auto most = (budget - std::min(budget, MIN_SUMMARY_BYTES)) / 3;
        state.distances = m_distances.GetNearest(now, std::min(limits.distances, most));
        budget -= 3 * state.distances.size();
    }
    const auto isAwaited = m_heartbeats.awaited && !m_heartbeats.wasAwaited;
    auto from = isAwaited ? *m_heartbeats.awaited : m_heartbeats.tellFrom;
    Tell(state, budget, from);
    const auto isLarge =
        HEADER_BYTES + STATE_BYTES + state.has.CountBytes() + state.settled.CountBytes() >
        m_context.SmallFrame();
    if (isLarge && m_heartbeats.isSmallNext)
    {
        return MakeSmallState();
    }
    m_heartbeats.isSmallNext = isLarge;
    m_heartbeats.wasAwaited = isAwaited;
    if (isAwaited)
    {
        m_heartbeats.awaited.reset();
    }
    else
    {
        m_heartbeats.tellFrom = from;
    }
    return state;
}

State
Broker::MakeSmallState()
{
    m_heartbeats.isSmallNext = false;
    auto left = m_context.SmallFrame() - HEADER_BYTES - STATE_BYTES;
    auto state = MakeState(left);
    Tell(state, left, m_heartbeats.smallFrom);
    return state;
}

/// @return one without SUMMARYs and distances, for which @p budget has left room
State
Broker::MakeState(size_t& budget) const
{
    const auto& limits = m_context.options.limits.frame;
    State state{m_context.roles, m_words.GetHash(), {}, {}, {}, {}, {}};
    for (const auto& [id, isPublishers] : m_answers.isPublishers)
    {
        if (isPublishers && state.answers.size() < limits.answers &&
            budget >= MIN_SUMMARY_BYTES + ANSWER_BYTES)
        {
            state.answers.push_back(id);
            budget -= ANSWER_BYTES;
        }
    }
    for (const auto id : GetOnTheWay())
    {
        const auto& open = *m_store.at(id).open;
        const auto bytes = 7 + 2 * open.Count();
        if (state.open.size() < limits.open && budget > MIN_SUMMARY_BYTES + bytes)
        {
            state.open.push_back({id, {open.begin(), open.end()}});
            budget -= bytes;
        }
    }
    std::ranges::sort(state.open, {}, &OpenEvent::id);
    return state;
}

/// @return events that go to a few: first of which an arrival is told, then what is sent first
std::vector<EventId>
Broker::GetOnTheWay() const
{
    std::vector<std::tuple<bool, Instant, EventId>> order;
    for (const auto& [id, at] : m_forwarding.at.Get())
    {
        if (!m_store.at(id).isForAll)
        {
            order.emplace_back(!m_answers.arrivals.Contains(id), at, id);
        }
    }
    std::ranges::sort(order);
    std::vector<EventId> events;
    for (const auto& [isQuiet, at, id] : order)
    {
        events.push_back(id);
    }
    return events;
}

/// Everybody would ask for what is told to be there, and not for whom.
/// @return what it has but for events to a few that @p state does not name
Summary
Broker::GetTold(const State& state) const
{
    Summary untold;
    for (const auto id : GetOnTheWay())
    {
        if (!std::ranges::binary_search(state.open, id, {}, &OpenEvent::id))
        {
            untold.Add(id);
        }
    }
    return untold.IsEmpty() ? m_known.has : m_known.has.Minus(untold);
}

/// Both begin with the same event if not even `has` fits: who lets go of an event must hear both.
void
Broker::Tell(State& state, size_t budget, EventId& next) const
{
    const auto publishers = m_context.options.limits.frame.publishers;
    auto beyond = next;
    state.has = SummaryPart(GetTold(state), budget / 2, beyond, publishers);
    const auto left = budget - state.has.CountBytes();
    if (state.has.IsWhole())
    {
        state.settled = SummaryPart(m_settled.GetEvents(), left, next, publishers);
        return;
    }
    auto from = state.has.GetFrom();
    state.settled = SummaryPart(m_settled.GetEvents(), left, from, publishers);
    next = std::min(from, beyond, [](EventId one, EventId other) {
        return one != SummaryPart::BEGIN && (other == SummaryPart::BEGIN || one < other);
    });
}

std::optional<State>
Broker::StateToTakeAlong(Instant now, size_t bytesTaken, size_t most)
{
    if (now < m_heartbeats.stateSentAt + m_context.options.limits.broker.statePause ||
        bytesTaken + STATE_BYTES + MIN_SUMMARY_BYTES > most)
    {
        return {};
    }
    if (m_heartbeats.isSmallNext) // small is what goes alone
    {
        m_heartbeats.at = std::min(m_heartbeats.at, now);
        return {};
    }
    auto state = MakeState(now, most - bytesTaken - STATE_BYTES);
    StateSent(now);
    return state;
}

std::optional<Outgoing>
Broker::BuildHeartbeat(Instant now)
{
    if (m_known.checkAt <= now)
    {
        CheckMissing(now);
    }
    if (std::min(m_heartbeats.at, m_answers.Due()) > now)
    {
        return {};
    }
    ForgetSettled(now);
    ForgetNeighbours(now);
    if (m_answers.Due() > now && m_heartbeats.agreed >= m_context.options.redundancy &&
        !m_heartbeats.isSilent)
    {
        m_heartbeats.isSilent = true; // but not twice: who hears nobody else would hear nothing
        ScheduleHeartbeat(now);
        return {};
    }
    auto state = MakeState(now, m_context.options.maxFrameBytes - HEADER_BYTES - STATE_BYTES);
    StateSent(now);
    return Outgoing{NO_NODE, Heartbeat{std::move(state)}};
}

void
Broker::StateSent(Instant now)
{
    m_heartbeats.stateSentAt = now;
    m_heartbeats.isSilent = false;
    m_answers.isPublishers.clear();
    m_answers.at = NEVER;
    m_answers.arrivals = {};
    ScheduleHeartbeat(now);
}

void
Broker::ScheduleHeartbeat(Instant now)
{
    const auto& limits = m_context.options.limits.broker;
    const auto factor = std::min(m_context.load(), limits.heartbeatLoad) *
                        (1 + limits.heartbeatJitter * (2 * m_context.uniform() - 1));
    m_heartbeats.agreed = 0;
    m_heartbeats.told = m_settled.GetEvents();
    m_heartbeats.at = now + Times(m_heartbeats.interval, factor);
    m_heartbeats.interval = std::min(2 * m_heartbeats.interval, m_context.options.heartbeatMax);
}

void
Broker::Changed(Instant now)
{
    m_heartbeats.agreed = 0;
    m_heartbeats.interval = m_context.options.heartbeat;
    const auto soon = now + Times(m_heartbeats.interval, 0.5 + 0.5 * m_context.uniform());
    m_heartbeats.at = std::min(m_heartbeats.at, soon);
}

/// A frame with so many bytes of events took it along, perhaps.
void
Broker::HearStateAlong(Instant now,
                       const Header& from,
                       const std::optional<State>& state,
                       size_t eventBytes,
                       double link)
{
    if (state)
    {
        m_repairing.smallStates.Hear(now, from.source, *state, eventBytes);
        HearState(now, from, *state, link);
    }
}

void
Broker::HearState(Instant now, const Header& from, const State& state, double link)
{
    auto& neighbour = m_neighbours[from.source];
    neighbour.life = from.life;
    neighbour.heardAt = now;
    neighbour.has.Update(state.has);
    m_distances.Note(now, state.distances, link);
    m_words.HearHash(now, state.wordsHash);
    HearAnswers(state);
    HearSettled(now, from, state);
    HearArrivals(state, from.source);
    auto lacking = FindHeld(state.has.LackingOf(m_known.has));
    const auto since = now - m_context.Stretch(m_context.options.settle);
    const auto blocksSince = now - m_context.options.limits.block.window;
    std::erase_if(lacking, [&](const auto& held) {
        return held->second.since > (m_context.blocks->Has(held->first) ? blocksSince : since) ||
               m_forwarding.at.Contains(held->first) || IsSettled(held->first);
    });
    const auto isOtherTable = state.wordsHash != m_words.GetHash();
    NoteMissing(now, state);
    if (!lacking.empty() || isOtherTable)
    {
        Changed(now);
    }
    else if (state.settled.LackingOf(m_heartbeats.told).IsEmpty())
    {
        ++m_heartbeats.agreed;
    }
    HearFate(neighbour, state.has, lacking);
    RepairSoon(now, from.source, link, std::move(lacking));
}

void
Broker::NoteMissing(Instant now, const State& state)
{
    auto missing = state.has.GetSummary().Minus(m_known.has);
    for (const auto& open : state.open)
    {
        missing.Remove(open.id);
    }
    if (!missing.IsEmpty() && m_known.checkAt == NEVER)
    {
        m_known.missing = missing;
        m_known.checkAt = now + m_context.Settle(now);
    }
}

void
Broker::CheckMissing(Instant now)
{
    m_known.checkAt = NEVER;
    if (!m_known.missing.Minus(m_known.has).IsEmpty())
    {
        Changed(now); // whoever hears what it has will send it
    }
}

} // namespace mftpubsub::mesh
