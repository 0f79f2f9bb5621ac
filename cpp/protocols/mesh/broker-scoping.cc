/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/broker.h"

#include <algorithm>
#include <utility>

namespace mftpubsub::mesh
{

namespace
{

/// Until an event goes on to a few: flat, for each hop that they are away, and at random.
constexpr auto APPROACH_FROM = Seconds(0.04);
constexpr auto APPROACH_HOP = Seconds(0.07);
constexpr auto APPROACH_JITTER = Seconds(0.08);
constexpr auto SEARCH_JITTER = Seconds(0.4);
/// Further away is far: it was known too long ago, or from too many others, to decide much.
constexpr double FAR_HOPS = 2;
/// By so many hops somebody must be nearer to be worth a frame, and may be further away and still
/// see to it that the event arrives.
constexpr double PROGRESS = 0.2;
constexpr double AS_NEAR = 0.3;
/// Until it is sent again, unless somebody nearer has sent it: a search takes as long. It is sent
/// so often.
constexpr auto CUSTODY = Seconds(1.0);
constexpr uint32_t MAX_SENT = 2;
/// Those who leave it to others wait so long to hear that it has arrived.
constexpr auto OTHERS_FROM = Seconds(30);
constexpr auto OTHERS_TO = Seconds(40);
/// A subscriber that is here and lacks an event held for so long is given it within this.
constexpr auto GREETED = Seconds(0.3);
constexpr auto GREETING = Seconds(0.06);

/// How much older a word may be than it says, for what frames waited in MACs on its way.
constexpr auto WORD_MARGIN = Seconds(5.0);

/// Until a STATE answers: it is drawn from the later part, the younger the broker's latest one is.
constexpr auto ANSWER_FROM = Seconds(0.01);
constexpr auto ANSWER_WITHIN = Seconds(0.13);
constexpr double FRESHNESS_SHARE = 0.6;

} // namespace

bool
Broker::IsForFew(Instant now, size_t subscribers) const
{
    const auto since = now - NEIGHBOUR_HEARTBEATS * m_context.options.heartbeatMax;
    const auto around = std::ranges::count_if(m_neighbours, [&](const auto& neighbour) {
        return neighbour.second.heardAt >= since;
    });
    return subscribers <= m_context.options.few &&
           subscribers * m_context.options.crowd <= static_cast<size_t>(around);
}

void
Broker::Scope(Instant now, EventId id, Held& held, const CarriedEvent& carried, NodeId from)
{
    if (IsSettled(id)) // others said so, and its publisher asks
    {
        held.open.clear();
        AnswerSoon(now, id, true);
        return;
    }
    std::erase_if(held.open, [&](NodeId s) { return s == m_context.self || s == from; });
    const auto isOnItsWay = !carried.path.hints.empty();
    held.isForAll = isOnItsWay ? held.open.size() > MAX_COUNT
                               : from != id.publisher || !IsForFew(now, held.open.size());
    if (held.open.empty())
    {
        Settle(now, id);
        if (!carried.path.hints.empty() && !held.wanted.empty())
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
    return std::ranges::any_of(held.open, [&](NodeId subscriber) {
        const auto found = held.nearest.find(subscriber);
        const auto best = found == held.nearest.end() ? Distances::UNKNOWN : found->second;
        return m_distances.Get(now, subscriber) < best - PROGRESS ||
               (best >= Distances::UNKNOWN && held.copies < m_context.options.copies);
    });
}

void
Broker::NoteNearest(Held& held, const Hint& hint)
{
    auto& best = held.nearest.try_emplace(hint.subscriber, Distances::UNKNOWN).first->second;
    best = std::min(best, hint.GetHops());
}

Instant
Broker::WaitToApproach(Instant now, const Held& held) const
{
    auto hops = FAR_HOPS;
    for (const auto subscriber : held.open)
    {
        hops = std::min(hops, m_distances.Get(now, subscriber));
    }
    const auto wait = APPROACH_FROM + Times(APPROACH_HOP, hops);
    const auto jitter = hops < FAR_HOPS ? APPROACH_JITTER : SEARCH_JITTER;
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
    if (held.sent >= MAX_SENT)
    {
        held.isForAll = true; // wherever they are
        return true;
    }
    ++held.sent;
    m_forwards.Set(id, now + m_context.Stretch(CUSTODY * held.sent));
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
            if (hint.GetHops() <= FAR_HOPS)
            {
                NoteNearest(held, hint);
            }
        }
        if (held.sent == MAX_SENT) // it is not in good hands
        {
            held.sent = 1;
            m_forwards.Set(id, now + WaitToApproach(now, held));
        }
    }
}

void
Broker::LeaveToOthers(Instant now, EventId id, Held& held)
{
    held.sent = MAX_SENT;
    const auto until = std::max(held.since + OTHERS_FROM, now + OTHERS_TO - OTHERS_FROM);
    m_forwards.Set(id, m_context.Draw(until, until + OTHERS_TO - OTHERS_FROM));
}

void
Broker::HearPath(Instant now, Held& held, const CarriedEvent& carried)
{
    const auto id = carried.event->id;
    const auto& path = carried.path;
    const auto isNamed = [&path](NodeId subscriber) {
        return std::ranges::any_of(path.hints, [subscriber](const Hint& hint) {
            return hint.subscriber == subscriber;
        });
    };
    if (path.wordsHash == m_words.GetHash())
    {
        std::erase_if(held.open, [&](NodeId subscriber) { return !isNamed(subscriber); });
        if (held.open.empty())
        {
            Settle(now, id);
            return;
        }
    }
    for (const auto& hint : path.hints)
    {
        NoteNearest(held, hint);
    }
    const auto isTaken = std::ranges::all_of(held.open, [&](NodeId subscriber) {
        const auto at = held.nearest.find(subscriber);
        const auto best = at == held.nearest.end() ? Distances::UNKNOWN : at->second;
        return best < Distances::UNKNOWN ? best <= m_distances.Get(now, subscriber) + AS_NEAR
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
    m_forwards.Erase(id);
    m_repairs.Erase(id);
    const auto at = m_store.find(id);
    if (at == m_store.end())
    {
        return;
    }
    at->second.open.clear();
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
Broker::Serve(Instant now, EventId id, Held& held, NodeId subscriber)
{
    if (std::erase(held.open, subscriber) > 0 && held.open.empty() && m_context.options.isScoped)
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
    for (const auto& [publisher, sequences] : done.GetPublishers())
    {
        for (const auto& run : sequences.Minus(m_settled.GetEvents().Of(publisher)))
        {
            for (auto at = m_store.lower_bound({publisher, run.begin});
                 at != m_store.end() && at->first < EventId{publisher, run.end};
                 ++at)
            {
                Serve(now, at->first, at->second, subscriber);
            }
        }
    }
}

void
Broker::HearHello(Instant now, NodeId subscriber, const Hello& hello)
{
    HearSubscriber(now, subscriber, hello.timestamp, hello.done.GetSummary());
    for (const auto& [id, at] : m_forwards.Get())
    {
        auto& held = m_store.at(id);
        if (!held.isForAll && held.sent > 0 && held.since < now - GREETED &&
            std::ranges::find(held.open, subscriber) != held.open.end() &&
            hello.done.Says(id) == SummaryPart::Answer::LACKS)
        {
            held.sent = 1;
            m_forwards.Set(id, now + m_context.Draw(Instant(0), GREETING));
        }
    }
}

void
Broker::HearWord(Instant now, const Word& word, NodeId from)
{
    const auto* before = m_words.Find(word.subscriber);
    const auto isNew = !before || before->timestamp < word.timestamp;
    for (const auto& news : m_words.Hear(now, word, from))
    {
        Unsettle(now, word.subscriber, news);
    }
    if (!isNew || !m_context.options.isScoped)
    {
        return;
    }
    const auto& filters = m_words.Find(word.subscriber)->filters;
    for (auto& [id, held] : m_store)
    {
        const auto& event = *held.carried.event;
        if (std::ranges::none_of(filters, [&](const auto& f) { return f.first.Matches(event); }))
        {
            Serve(now, id, held, word.subscriber);
        }
    }
}

void
Broker::Unsettle(Instant now, NodeId subscriber, const WordTable::NewFilter& news)
{
    const auto age = now - news.since;
    const auto since = news.since - WORD_MARGIN - Times(age, AGE_DRIFT);
    for (const auto id : m_settled.Since(since))
    {
        if (!m_store.contains(id))
        {
            m_settled.Remove(id);
            m_has.Remove(id); // somebody may bring it: its content decides
        }
    }
    for (auto& [id, held] : m_store)
    {
        if (held.since >= since && subscriber != m_context.self &&
            news.filter.Matches(*held.carried.event))
        {
            m_settled.Remove(id);
            std::erase(held.open, subscriber);
            held.open.push_back(subscriber);
            if (!held.isForAll)
            {
                m_forwards.Erase(id);
                held.isForAll = true;
            }
        }
    }
}

void
Broker::HearSettled(Instant now, const Header& from, const State& state)
{
    if (!m_context.options.isScoped || state.wordsHash != m_words.GetHash())
    {
        return;
    }
    const auto news = m_settled.Merge(now, state.settled.GetSummary());
    m_has.Add(news);
    for (const auto& at : FindHeld(news))
    {
        Settle(now, at->first);
    }
    for (const auto& [id, subscribers] : state.open)
    {
        const auto at = m_store.find(id);
        if (at == m_store.end() || at->second.open.empty())
        {
            continue;
        }
        std::erase_if(at->second.open, [&open = subscribers](NodeId subscriber) {
            return std::ranges::find(open, subscriber) == open.end();
        });
        if (at->second.open.empty())
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
    const auto isFirst = m_answers.empty();
    m_answers[id] |= isPublishers;
    if (!isFirst)
    {
        return;
    }
    const auto sinceState = std::chrono::duration<double>(now - m_stateSentAt);
    const auto interval = std::chrono::duration<double>(m_context.options.heartbeatMax);
    const auto freshness = 1 - std::min(1.0, sinceState / interval);
    const auto wait = FRESHNESS_SHARE * freshness + (1 - FRESHNESS_SHARE) * m_context.uniform();
    m_answerAt = now + m_context.Stretch(ANSWER_FROM + Times(ANSWER_WITHIN, wait));
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
    std::erase_if(m_answers, [&state](const auto& answer) {
        return answer.second ? SaysItHolds(state, answer.first)
                             : state.settled.GetSummary().Has(answer.first);
    });
    if (m_answers.empty())
    {
        m_answerAt = NEVER;
    }
}

} // namespace mftpubsub::mesh
