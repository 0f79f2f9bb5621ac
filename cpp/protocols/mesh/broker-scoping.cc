/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/broker.h"

#include <algorithm>
#include <utility>

namespace mftpubsub::mesh
{

/// Whatever its publisher or other tables say: a frame of our own has to carry the hints.
bool
Broker::HintsFit(const CarriedEvent& carried, size_t subscribers) const
{
    const auto& options = m_context.options;
    const auto bytes =
        EVENTS_BYTES + CountBytes(mesh::OneHopOn(carried)) + CountHintBytes(subscribers);
    return subscribers <= options.few && bytes <= options.maxFrameBytes;
}

bool
Broker::IsForFew(Instant now, size_t subscribers) const
{
    const auto since = m_context.LatelyHeard(now);
    const auto around = std::ranges::count_if(m_neighbours, [&](const auto& neighbour) {
        return neighbour.second.heardAt >= since;
    });
    return subscribers * m_context.options.crowd <= static_cast<size_t>(around);
}

void
Broker::Scope(Instant now, EventId id, Held& held, const CarriedEvent& carried, NodeId from)
{
    if (IsSettled(id)) // others said so, and its publisher asks
    {
        Settle(now, id);
        return;
    }
    held.open = m_sets.Minus(held.open, {m_context.self, from});
    const auto isOnItsWay = !carried.path.hints.empty();
    const auto isForFew = isOnItsWay || (from == id.publisher && IsForFew(now, held.open->Count()));
    held.isForAll = !isForFew || !HintsFit(carried, held.open->Count());
    if (held.open->IsEmpty())
    {
        Settle(now, id);
        if (!carried.path.hints.empty() && !held.wanted->IsEmpty())
        {
            AnswerSoon(now, id, false); // it has arrived, here
        }
    }
    else if (!held.isForAll)
    {
        m_distances.Seek(now);
    }
}

bool
Broker::IsNearer(Instant now, const Held& held) const
{
    return std::ranges::any_of(*held.open, [&](NodeId subscriber) {
        const auto found = held.nearest.find(subscriber);
        const auto best = found == held.nearest.end() ? m_distances.GetUnknown() : found->second;
        return m_distances.Get(now, subscriber) < best - m_context.options.limits.scope.progress ||
               (best >= m_distances.GetUnknown() && held.copies < m_context.options.copies);
    });
}

void
Broker::NoteNearest(Held& held, const Hint& hint) const
{
    auto& best = held.nearest.try_emplace(hint.subscriber, m_distances.GetUnknown()).first->second;
    best = std::min(best, hint.GetHops());
}

Instant
Broker::WaitToApproach(Instant now, const Held& held) const
{
    const auto& limits = m_context.options.limits.scope;
    auto hops = limits.farHops;
    for (const auto subscriber : *held.open)
    {
        hops = std::min(hops, m_distances.Get(now, subscriber));
    }
    const auto wait = limits.approach + Times(limits.approachHop, hops);
    const auto jitter = hops < limits.farHops ? limits.approachJitter : limits.searchJitter;
    return m_context.Draw(m_context.Stretch(wait), m_context.Stretch(wait) + jitter);
}

bool
Broker::Approaches(Instant now, EventId id, Held& held)
{
    if (held.sent == 0 && !IsNearer(now, held))
    {
        LeaveToOthers(now, id, held);
        return false;
    }
    if (held.sent >= m_context.options.limits.scope.sent)
    {
        held.isForAll = true; // wherever they are
        return true;
    }
    ++held.sent;
    m_forwarding.at.Set(id,
                        now +
                            m_context.Stretch(m_context.options.limits.scope.custody * held.sent));
    return true;
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
        for (const auto& hint : pub.distances)
        {
            if (hint.GetHops() <= m_context.options.limits.scope.farHops)
            {
                NoteNearest(held, hint);
            }
        }
        if (held.sent == m_context.options.limits.scope.sent) // it is not in good hands
        {
            held.sent = 1;
            m_forwarding.at.Set(id, now + WaitToApproach(now, held));
        }
    }
}

void
Broker::LeaveToOthers(Instant now, EventId id, Held& held)
{
    const auto& limits = m_context.options.limits.scope;
    const auto spread = limits.othersTo - limits.othersFrom;
    held.sent = limits.sent;
    const auto until = std::max(held.since + limits.othersFrom, now + spread);
    m_forwarding.at.Set(id, m_context.Draw(until, until + spread));
}

void
Broker::HearPath(Instant now, Held& held, const CarriedEvent& carried)
{
    const auto id = carried.event->id;
    const auto& path = carried.path;
    if (path.wordsHash == m_words.GetHash())
    {
        IdSet named;
        for (const auto& hint : path.hints)
        {
            named.Insert(hint.subscriber);
        }
        held.open = m_sets.And(held.open, named);
        if (held.open->IsEmpty())
        {
            Settle(now, id);
            return;
        }
    }
    for (const auto& hint : path.hints)
    {
        NoteNearest(held, hint);
    }
    const auto isTaken = std::ranges::all_of(*held.open, [&](NodeId subscriber) {
        const auto at = held.nearest.find(subscriber);
        const auto best = at == held.nearest.end() ? m_distances.GetUnknown() : at->second;
        return best < m_distances.GetUnknown() ? best <= m_distances.Get(now, subscriber) +
                                                             m_context.options.limits.scope.asNear
                                               : held.copies >= m_context.options.copies;
    });
    if (held.sent > 0 && isTaken)
    {
        LeaveToOthers(now, id, held);
    }
}

void
Broker::Settle(Instant now, EventId id)
{
    m_settled.Add(now, id);
    m_forwarding.at.Erase(id);
    m_repairing.repairs.Erase(id);
    const auto at = m_store.find(id);
    if (at == m_store.end())
    {
        return;
    }
    at->second.open = m_sets.Get({});
    at->second.isForAll = true;
    if (m_context.options.forgetAfter != NEVER)
    {
        m_forgettable.emplace_back(now, id);
    }
    if (!at->second.isAnswered)
    {
        AnswerSoon(now, id, true);
    }
}

void
Broker::Serve(Instant now, EventId id, Held& held, const IdSet& served)
{
    const auto before = std::exchange(held.open, m_sets.Minus(held.open, served));
    if (held.open != before && held.open->IsEmpty() && m_context.options.isScoped)
    {
        Settle(now, id);
    }
}

void
Broker::HearSubscriber(Instant now, NodeId subscriber, uint32_t timestamp, const Summary& done)
{
    const auto* word = m_words.Find(subscriber);
    if (!word || word->timestamp != timestamp)
    {
        return;
    }
    const IdSet served{subscriber};
    for (const auto& [publisher, sequences] : done.GetPublishers())
    {
        for (const auto& run : sequences.Minus(m_settled.GetEvents().Of(publisher)))
        {
            for (auto at = m_store.lower_bound({publisher, run.begin});
                 at != m_store.end() && at->first < EventId{publisher, run.end};
                 ++at)
            {
                Serve(now, at->first, at->second, served);
            }
        }
    }
}

void
Broker::HearHello(Instant now, NodeId subscriber, const Hello& hello)
{
    HearSubscriber(now, subscriber, hello.timestamp, hello.done.GetSummary());
    for (const auto& [id, at] : m_forwarding.at.Get())
    {
        auto& held = m_store.at(id);
        if (!held.isForAll && held.sent > 0 &&
            held.since < now - m_context.options.limits.scope.greeted &&
            held.open->Has(subscriber) && hello.done.Says(id) == SummaryPart::Answer::LACKS)
        {
            held.sent = 1;
            m_forwarding.at.Set(
                id,
                now + m_context.Draw(Instant(0), m_context.options.limits.scope.greeting));
        }
    }
}

void
Broker::HearWords(Instant now, const std::vector<Word>& words, NodeId from)
{
    std::vector<WordTable::NewFilter> news;
    for (const auto& word : words)
    {
        const auto change = m_words.Hear(now, word, from);
        news.insert(news.end(), change.news.begin(), change.news.end());
        if (change.isNarrower)
        {
            Unsettle(now, std::exchange(news, {}));
            NoLongerWants(now, word.subscriber);
        }
    }
    Unsettle(now, news);
}

void
Broker::NoLongerWants(Instant now, NodeId subscriber)
{
    if (!m_context.options.isScoped)
    {
        return;
    }
    const auto& entry = *m_words.Find(subscriber);
    for (auto& [id, held] : m_store)
    {
        if (!entry.Wants(*held.carried.event))
        {
            Serve(now, id, held, {subscriber});
        }
    }
}

/// Who may want what came before their words: a word may be older than it is known here.
void
Broker::Unsettle(Instant now, const std::vector<WordTable::NewFilter>& news)
{
    if (news.empty())
    {
        return;
    }
    const auto& limits = m_context.options.limits.scope;
    auto first = now;
    std::map<Filter, std::vector<std::pair<Instant, NodeId>>> wanting;
    for (const auto& [subscriber, filter, since] : news)
    {
        const auto from = since - limits.wordMargin - Times(now - since, limits.ageDrift);
        first = std::min(first, from);
        if (subscriber != m_context.self)
        {
            wanting[filter].emplace_back(from, subscriber);
        }
    }
    auto elsewhere = m_settled.Since(first); // somebody may bring it: its content decides
    for (const auto& at : FindHeld(elsewhere))
    {
        elsewhere.Remove(at->first);
    }
    m_settled.Remove(elsewhere);
    m_known.has = m_known.has.Minus(elsewhere);
    for (auto& [id, held] : m_store)
    {
        IdSet more;
        for (const auto& [filter, subscribers] : wanting)
        {
            if (!filter.Matches(*held.carried.event))
            {
                continue;
            }
            for (const auto& [from, subscriber] : subscribers)
            {
                if (held.since >= from)
                {
                    more.Insert(subscriber);
                }
            }
        }
        if (!more.IsEmpty())
        {
            Reopen(id, held, more);
        }
    }
}

void
Broker::Reopen(EventId id, Held& held, const IdSet& subscribers)
{
    m_settled.Remove(id);
    held.open = m_sets.Plus(held.open, subscribers);
    if (!held.isForAll)
    {
        m_forwarding.at.Erase(id);
        held.isForAll = true;
    }
}

void
Broker::HearSettled(Instant now, const Header& from, const State& state)
{
    if (!m_context.options.isScoped || state.wordsHash != m_words.GetHash())
    {
        return;
    }
    if (const auto lacking = state.has.LackingOf(m_settled.GetEvents()); !lacking.IsEmpty())
    {
        const auto& [publisher, sequences] = *lacking.GetPublishers().begin();
        m_heartbeats.tellFrom = {publisher, sequences.GetRuns().front().begin}; // it waits for this
        m_heartbeats.smallFrom = m_heartbeats.tellFrom;
    }
    const auto news = m_settled.Merge(now, state.settled.GetSummary());
    m_known.has.Add(news);
    for (const auto& at : FindHeld(news))
    {
        Settle(now, at->first);
    }
    for (const auto& [id, subscribers] : state.open)
    {
        const auto at = m_store.find(id);
        if (at == m_store.end() || at->second.open->IsEmpty())
        {
            continue;
        }
        at->second.open = m_sets.And(at->second.open, IdSet(subscribers));
        if (at->second.open->IsEmpty())
        {
            Settle(now, id);
        }
    }
    if (const auto* word = m_words.Find(from.source))
    {
        HearSubscriber(now, from.source, word->timestamp, state.has.GetSummary());
    }
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

} // namespace mftpubsub::mesh
