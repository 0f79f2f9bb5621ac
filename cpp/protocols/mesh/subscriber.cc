/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/subscriber.h"

#include "protocols/mesh/own-word.h"

#include <algorithm>
#include <utility>

namespace mftpubsub::mesh
{

namespace
{

/// A NACK and a HELLO around their SUMMARY.
constexpr size_t NACK_BYTES = HEADER_BYTES + 8;
constexpr size_t HELLO_BYTES = HEADER_BYTES + 4;

} // namespace

Subscriber::Subscriber(const Context& context, SubscriberMemory memory, bool hasBroker)
    : m_context(context),
      m_memory(KeepFitting(context, std::move(memory))),
      m_hasBroker(hasBroker),
      m_smallStates(context)
{
}

void
Subscriber::Start(Instant now)
{
    if (m_memory.timestamp > 0)
    {
        SayWord(now + Times(m_context.options.limits.word.first, m_context.uniform()));
    }
}

void
Subscriber::SayWord(Instant at)
{
    if (m_hasBroker)
    {
        return;
    }
    m_word.isHeard = false;
    m_word.said = 0;
    m_word.at = at;
    m_knowing.brokers.clear();
    m_knowing.goodHash.reset();
    m_knowing.doubts.clear();
}

void
Subscriber::WordHeard(const Header& by)
{
    m_word.isHeard = true;
    m_word.at = NEVER;
    m_knowing.brokers[by.source] = by.life;
}

void
Subscriber::HearHash(Instant now, const Header& from, uint32_t hash)
{
    const auto known = m_knowing.brokers.find(from.source);
    if (known != m_knowing.brokers.end() && known->second == from.life)
    {
        m_knowing.goodHash = hash;
    }
    else if (hash == m_knowing.goodHash)
    {
        m_knowing.brokers[from.source] = from.life;
    }
    else if (m_word.isHeard)
    {
        m_knowing.doubts.insert(hash);
        if (m_word.at == NEVER)
        {
            const auto& limits = m_context.options.limits.word;
            const auto wait = m_context.Draw(limits.doubtFrom, limits.doubtTo);
            m_word.at = now + wait * (AreTablesCompared(now) ? limits.doubtCompared : 1);
        }
    }
    else if (m_word.at == NEVER && now >= m_word.saidAt + m_context.options.limits.word.gap)
    {
        m_word.at =
            now + m_context.Draw(Instant(0), m_context.options.limits.subscriber.nackJitter);
    }
}

/// Large tables differ all the time, and where they do brokers send each other words.
bool
Subscriber::AreTablesCompared(Instant now) const
{
    return m_knowing.comparedAt != NEVER &&
           now < m_knowing.comparedAt + m_context.options.limits.word.compared;
}

bool
Subscriber::IsInDoubt() const
{
    return std::ranges::any_of(m_knowing.doubts,
                               [this](uint32_t hash) { return hash != m_knowing.goodHash; });
}

void
Subscriber::Subscribe(Instant now, const Filter& filter)
{
    CheckFit(m_context, m_memory, filter);
    m_memory.filters.emplace(filter, now);
    ++m_memory.timestamp;
    SayWord(now + Times(m_context.options.limits.word.first, m_context.uniform()));
}

void
Subscriber::Unsubscribe(Instant now, const Filter& filter)
{
    m_memory.filters.erase(filter);
    ++m_memory.timestamp;
    SayWord(now + Times(m_context.options.limits.word.first, m_context.uniform()));
}

Word
Subscriber::GetWord(Instant now) const
{
    return MakeWord(m_context.self, m_memory.timestamp, m_memory.filters, now);
}

void
Subscriber::Receive(Instant now, const Frame& frame, Output& output)
{
    const auto& from = frame.header;
    const auto hear = [&](const std::vector<CarriedEvent>& events) {
        for (const auto& carried : events)
        {
            Hear(now, carried, from.source, output);
        }
    };
    const auto hearState = [&](const std::optional<State>& state, size_t eventBytes) {
        if (state)
        {
            m_smallStates.Hear(now, from.source, *state, eventBytes);
            HearState(now, from, *state);
        }
    };
    if (const auto* heartbeat = std::get_if<Heartbeat>(&frame.body))
    {
        m_smallStates.Hear(now, from.source, heartbeat->state);
        HearState(now, from, heartbeat->state);
    }
    else if (const auto* pub = std::get_if<Pub>(&frame.body))
    {
        hear(pub->events);
        hearState(pub->state, CountBytes(pub->events));
    }
    else if (const auto* rep = std::get_if<Rep>(&frame.body))
    {
        hear(rep->events);
        if (from.destination == m_context.self)
        {
            Answered(now, from.source);
        }
        if (rep->cover)
        {
            HearCover(from, *rep->cover);
        }
        hearState(rep->state, CountBytes(rep->events));
    }
    else if (const auto* mix = std::get_if<Mix>(&frame.body))
    {
        hearState(mix->state, CountSumBytes(*mix));
    }
    else if (const auto* blocks = std::get_if<BlockMix>(&frame.body))
    {
        HearBlocks(now, from);
        hearState(blocks->state, CountSumBytes(*blocks));
    }
    else
    {
        HearWords(now, frame);
    }
}

/// A sum may answer a NACK, and who sends one is near: it is asked before others.
void
Subscriber::HearBlocks(Instant now, const Header& from)
{
    if (from.destination == m_context.self)
    {
        Answered(now, from.source);
    }
    if (const auto offer = m_offers.find(from.source); offer != m_offers.end())
    {
        offer->second.heardAt = now;
    }
}

void
Subscriber::HearWords(Instant now, const Frame& frame)
{
    if (std::holds_alternative<BsubHashes>(frame.body))
    {
        m_knowing.comparedAt = now;
    }
    else if (const auto* sub = std::get_if<Sub>(&frame.body))
    {
        for (const auto& word : sub->words)
        {
            if (word.subscriber == m_context.self && word.timestamp == m_memory.timestamp)
            {
                WordHeard(frame.header);
            }
        }
    }
}

bool
Subscriber::Wants(const Event& event) const
{
    return std::ranges::any_of(m_memory.filters,
                               [&](const auto& entry) { return entry.first.Matches(event); });
}

void
Subscriber::HearLocally(Instant now, const EventPtr& event, Output& output)
{
    Hear(now, {event, 0}, m_context.self, output);
}

void
Subscriber::Hear(Instant now, const CarriedEvent& carried, NodeId from, Output& output)
{
    const auto id = carried.event->id;
    const auto isNew = m_memory.done.Add(id);
    if (Wants(*carried.event))
    {
        const auto isAsked = m_context.options.forgetAfter != NEVER || m_isSettledCut;
        if (isNew && m_done.at == NEVER && isAsked)
        {
            m_done.at = std::max(now,
                                 m_done.saidAt +
                                     m_context.Draw(m_context.options.limits.subscriber.helloFrom,
                                                    m_context.options.limits.subscriber.helloTo));
        }
        output.deliveries.push_back(
            {id, from, carried.hops, isNew, isNew ? carried.event : nullptr});
        AnswerCopy(now, carried, from);
    }
}

void
Subscriber::AnswerCopy(Instant now, const CarriedEvent& carried, NodeId from)
{
    const auto id = carried.event->id;
    const auto isForMe = carried.path.GetOpen().Has(m_context.self);
    const auto isPublishers = from == id.publisher && from != m_context.self;
    if (isForMe)
    {
        m_soughtUntil = now + m_context.options.limits.distance.sought;
        m_done.at =
            std::min(m_done.at,
                     now + m_context.Draw(Instant(0), m_context.options.limits.subscriber.arrived));
        m_done.arrived = id;
    }
    else if (isPublishers && now < m_soughtUntil)
    {
        m_done.at =
            std::min(m_done.at,
                     now + m_context.Draw(m_context.options.limits.subscriber.arrived,
                                          m_context.options.limits.subscriber.arrivedDirectly));
        m_done.arrived = id;
    }
    else if (!isPublishers && m_done.arrived == id) // it is on its way to everybody
    {
        m_done.arrived.reset();
        m_done.at = NEVER;
    }
}

void
Subscriber::HearState(Instant now, const Header& from, const State& state)
{
    if (m_hasBroker || m_memory.timestamp == 0)
    {
        return;
    }
    HearHash(now, from, state.wordsHash);
    m_isSettledCut = !state.settled.IsWhole();
    if (m_knowing.goodHash == state.wordsHash) // by a table with its word: it does not want these
    {
        IsDoneWith(state.settled.GetSummary());
        for (const auto& [id, subscribers] : state.open)
        {
            if (std::ranges::find(subscribers, m_context.self) == subscribers.end())
            {
                m_memory.done.Add(id);
            }
        }
    }
    if (m_memory.filters.empty())
    {
        return; // whatever there is, it does not want it
    }
    Offered(now, from.source, state);
}

void
Subscriber::Offered(Instant now, NodeId broker, const State& state)
{
    // By a table with its word, what is settled it is done with, and what is not told of is unknown
    const auto isTrusted = m_knowing.goodHash == state.wordsHash;
    const auto& has = state.has.GetSummary();
    const auto missing = (isTrusted ? state.settled.LackingOf(has) : has).Minus(m_memory.done);
    auto& offer = m_offers[broker];
    offer.heardAt = now;
    offer.events = offer.events.Minus(state.has.LackingOf(offer.events)); // it has given them up
    if (offer.events.Minus(m_memory.done).IsEmpty())
    {
        offer.events = missing;
        offer.since = now;
    }
    if (offer.events.IsEmpty())
    {
        m_offers.erase(broker);
        return;
    }
    AskSoon(now, offer.since + m_context.Settle(now));
}

void
Subscriber::AskSoon(Instant now, Instant ripe)
{
    const auto& limits = m_context.options.limits.subscriber;
    const auto soonest =
        std::max({now, ripe, m_asking.askedAt + m_context.Stretch(limits.nackGap)});
    m_asking.at = std::min(m_asking.at, soonest + m_context.Draw(Instant(0), limits.nackJitter));
}

/// It asks for the rest at once, of whoever has it.
void
Subscriber::Answered(Instant now, NodeId broker)
{
    m_asking.unanswered = 0;
    m_asking.fit.Told(true, m_context.options.limits.frame.halvings);
    if (const auto offer = m_offers.find(broker); offer != m_offers.end())
    {
        offer->second.unanswered = 0;
    }
    AskSoon(now, now);
}

void
Subscriber::HearCover(const Header& from, const Cover& cover)
{
    if (from.destination != m_context.self || cover.timestamp != m_memory.timestamp)
    {
        return; // it is for others, or was worked out with an older word
    }
    WordHeard(from);
    IsDoneWith(cover.events.GetSummary());
}

void
Subscriber::IsDoneWith(const Summary& events)
{
    m_memory.done.Add(events);
}

size_t
Subscriber::CountRemembered() const
{
    auto entries = m_memory.done.CountRuns() + m_knowing.brokers.size() + m_knowing.doubts.size() +
                   m_smallStates.Count();
    for (const auto& [broker, offer] : m_offers)
    {
        entries += 1 + offer.events.CountRuns();
    }
    return entries;
}

Instant
Subscriber::Due(Turn turn) const
{
    switch (turn)
    {
    case Turn::NACKS:
        return m_hasBroker ? NEVER : std::min(m_asking.at, m_done.at);
    case Turn::OWN_WORD:
        return m_word.at;
    default:
        return NEVER;
    }
}

std::optional<Outgoing>
Subscriber::Build(Instant now, Turn turn)
{
    if (turn == Turn::OWN_WORD)
    {
        return BuildWord(now);
    }
    return m_done.at <= now ? BuildHello(now) : BuildNack(now);
}

bool
Subscriber::IsRipe(Instant now, const Offer& offer) const
{
    return offer.since <= now - m_context.Settle(now) &&
           !offer.events.Minus(m_memory.done).IsEmpty();
}

std::optional<Outgoing>
Subscriber::BuildNack(Instant now)
{
    m_asking.at = NEVER;
    const auto& limits = m_context.options.limits;
    const auto lately = m_context.LatelyHeard(now);
    std::erase_if(m_offers, [&](const auto& entry) {
        return entry.second.heardAt < lately ||
               entry.second.unanswered >= limits.subscriber.nacksInVain;
    });
    auto asked = m_offers.end();
    for (auto at = m_offers.begin(); at != m_offers.end(); ++at)
    {
        const auto& [broker, offer] = *at;
        const auto isBetter =
            asked == m_offers.end() || offer.unanswered < asked->second.unanswered ||
            (offer.unanswered == asked->second.unanswered && offer.heardAt > asked->second.heardAt);
        asked = isBetter && IsRipe(now, offer) ? at : asked;
    }
    if (asked == m_offers.end())
    {
        return {};
    }
    ++asked->second.unanswered;
    m_asking.askedAt = now;
    m_asking.at = now + m_context.Stretch(limits.subscriber.nackRetry);
    if (++m_asking.unanswered >= limits.subscriber.nacksInVain)
    {
        m_asking.unanswered = 0;
        SayWord(now);
    }
    auto oldest = now;
    for (const auto& [filter, since] : m_memory.filters)
    {
        oldest = std::min(oldest, since);
    }
    Nack nack;
    nack.timestamp = m_memory.timestamp;
    nack.ageMilliseconds = ToMilliseconds(now - oldest);
    const auto missed = asked->second.events.Minus(m_memory.done);
    const auto& [publisher, sequences] = *missed.GetPublishers().begin();
    EventId from{publisher, sequences.GetRuns().front().begin};
    m_asking.fit.SentAgain(from, limits.frame.halvings);
    const auto most = m_asking.fit.GetMost(m_smallStates.GetMost(asked->first), MIN_FRAME_BYTES);
    nack.done = GetDone(most - NACK_BYTES, from);
    m_done.saidAt = now;
    return Outgoing{asked->first, std::move(nack)};
}

std::optional<Outgoing>
Subscriber::BuildHello(Instant now)
{
    m_done.at = NEVER;
    m_done.from = m_done.arrived.value_or(m_done.from);
    m_done.arrived.reset();
    m_done.saidAt = now;
    return Outgoing{NO_NODE,
                    Hello{m_memory.timestamp,
                          GetDone(m_context.options.maxFrameBytes - HELLO_BYTES, m_done.from)}};
}

SummaryPart
Subscriber::GetDone(size_t budget, EventId& from) const
{
    return {m_memory.done, budget, from, m_context.options.limits.frame.publishers};
}

std::optional<Outgoing>
Subscriber::BuildWord(Instant now)
{
    m_word.at = NEVER;
    if (m_word.isHeard && !IsInDoubt())
    {
        m_knowing.doubts.clear();
        return {};
    }
    m_knowing.doubts.clear();
    if (!m_word.isHeard && m_word.said < m_context.options.limits.word.retries)
    {
        m_word.at =
            now + m_context.Stretch(m_context.options.limits.word.retry * (1 << m_word.said));
    }
    ++m_word.said;
    m_word.saidAt = now;
    return Outgoing{NO_NODE, Sub{{GetWord(now)}}};
}

} // namespace mftpubsub::mesh
