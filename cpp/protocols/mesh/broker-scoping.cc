/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/broker.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace mftpubsub::mesh
{

namespace
{

/// Who may want by a filter what came since some time, each.
class Wanting
{
  public:
    explicit Wanting(std::optional<unsigned> number)
        : m_number(number)
    {
    }

    std::optional<unsigned> GetNumber() const
    {
        return m_number;
    }

    void Add(NodeId subscriber, Instant from)
    {
        m_all.Insert(subscriber);
        m_latest = std::max(m_latest, from);
        m_each.emplace_back(from, subscriber);
    }

    /// @return who may want what came at @p since
    IdSet WhoWants(Instant since) const
    {
        if (since >= m_latest)
        {
            return m_all;
        }
        IdSet some;
        for (const auto& [from, subscriber] : m_each)
        {
            if (since >= from)
            {
                some.Insert(subscriber);
            }
        }
        return some;
    }

  private:
    std::optional<unsigned> m_number; //!< of the filter
    IdSet m_all;
    Instant m_latest{Instant::min()};
    std::vector<std::pair<Instant, NodeId>> m_each;
};

} // namespace

/// Whatever its publisher or other tables say: a frame of our own has to carry the claims.
bool
Broker::HintsFit(const CarriedEvent& carried, size_t subscribers) const
{
    const auto& options = m_context.options;
    const auto bytes =
        EVENTS_BYTES + CountBytes(mesh::OneHopOn(carried)) + CountClaimBytes(subscribers);
    return subscribers <= std::min<size_t>(options.few, MAX_CLAIMS) &&
           bytes <= options.maxFrameBytes;
}

/// What goes to everybody costs little where there are few brokers. In a large network they are
/// elsewhere, if not around: one of a lonely place would send all others what few want.
bool
Broker::IsForFew(Instant now, size_t subscribers) const
{
    if (m_words.IsLarge())
    {
        return true;
    }
    const auto since = m_context.LatelyHeard(now);
    const auto around = m_neighbours.CountIf(
        [since](const Neighbour& neighbour) { return neighbour.heardAt >= since; });
    return subscribers * m_context.options.crowd <= around;
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
    const auto isOnItsWay = !carried.path.IsForAll();
    const auto isForFew = isOnItsWay || (from == id.publisher && IsForFew(now, held.open->Count()));
    held.isForAll = !isForFew || !HintsFit(carried, held.open->Count());
    if (held.open->IsEmpty())
    {
        Settle(now, id);
        if (isOnItsWay && !held.wanted->IsEmpty())
        {
            AnswerSoon(now, id, false); // it has arrived, here
        }
    }
    else if (!held.isForAll)
    {
        for (const auto subscriber : *held.open)
        {
            m_distances.Seek(now, subscriber);
        }
    }
}

void
Broker::Settle(Instant now, EventId id)
{
    m_settled.Add(now, id);
    m_forwarding.at.Erase(id);
    m_forwarding.own.erase(id);
    m_forwarding.gathering.Went(id);
    m_repairing.repairs.Erase(id);
    const auto at = m_store.find(id);
    if (at == m_store.end())
    {
        return;
    }
    TellBack(now, id, at->second, *std::exchange(at->second.open, m_sets.Get({})));
    at->second.isForAll = true;
    MayForget(now, id);
    if (!at->second.isAnswered)
    {
        AnswerSoon(now, id, true);
    }
}

void
Broker::Serve(Instant now, EventId id, Held& held, const IdSet& served)
{
    Narrow(now, id, held, m_sets.Minus(held.open, served));
}

/// Only @p open may lack the event.
void
Broker::Narrow(Instant now, EventId id, Held& held, Subscribers open)
{
    if (m_context.options.isScoped && open->IsEmpty() && !held.open->IsEmpty())
    {
        Settle(now, id);
        return;
    }
    const auto before = std::exchange(held.open, std::move(open));
    if (m_context.options.isScoped && held.open != before)
    {
        TellBack(now, id, held, before->Minus(*held.open));
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
    auto& known = m_known.done[subscriber];
    if (known.timestamp != timestamp)
    {
        known = {timestamp, now, {}};
    }
    known.heardAt = now;
    const IdSet served{subscriber};
    for (const auto& at : FindHeld(done.Minus(m_settled.GetEvents()).Minus(known.events)))
    {
        known.events.Add(at->first);
        Serve(now, at->first, at->second, served);
    }
}

void
Broker::HearHello(Instant now, NodeId subscriber, const Hello& hello)
{
    HearSubscriber(now, subscriber, hello.timestamp, hello.done.GetSummary());
    for (const auto& [id, at] : m_forwarding.at.Get())
    {
        auto& held = m_store.at(id);
        if (!held.isForAll && (held.way.sent > 0 || held.way.isLeft) &&
            held.since < now - m_context.options.limits.scope.greeted &&
            held.open->Has(subscriber) && hello.done.Says(id) == SummaryPart::Answer::LACKS)
        {
            held.way.sent = 0;
            held.way.isLeft = false;
            held.way.bearings.try_emplace(subscriber, subscriber).first->second.SearchAnew();
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
    std::map<Filter, Wanting> wanting;
    for (const auto& [subscriber, filter, since] : news)
    {
        const auto from = since - limits.wordMargin - Times(now - since, limits.ageDrift);
        first = std::min(first, from);
        if (subscriber != m_context.self)
        {
            wanting.try_emplace(filter, m_known.filters.Get(filter))
                .first->second.Add(subscriber, from);
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
            if (held.since >= first &&
                held.answers.Ask(subscribers.GetNumber(), filter, *held.carried.event))
            {
                more.Insert(subscribers.WhoWants(held.since));
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
        m_heartbeats.awaited = EventId{publisher, sequences.GetRuns().front().begin};
        m_heartbeats.smallFrom = *m_heartbeats.awaited;
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
        Narrow(now, id, at->second, m_sets.And(at->second.open, IdSet(subscribers)));
    }
    if (const auto* word = m_words.Find(from.source))
    {
        HearSubscriber(now, from.source, word->timestamp, state.has.GetSummary());
    }
}

} // namespace mftpubsub::mesh
