/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/subscriber.h"

#include "protocols/mesh/word-table.h"

#include <algorithm>
#include <utility>

namespace mftpubsub::mesh
{

namespace
{

constexpr auto NACK_JITTER = Seconds(0.05);
constexpr auto NACK_GAP = Seconds(0.2);
constexpr auto NACK_RETRY = Seconds(1.0);
/// NACKs without an answer, after which brokers may not know its word.
constexpr uint32_t NACKS_IN_VAIN = 3;

constexpr auto FIRST_WORD = Seconds(0.3);
constexpr auto WORD_RETRY = Seconds(0.25);
constexpr uint32_t WORD_RETRIES = 3;
/// Between words that heartbeats provoke.
constexpr auto WORD_GAP = Seconds(1.0);
/// After a STATE that may come from a broker without its word; tables may agree by then.
constexpr auto DOUBT_FROM = Seconds(1.0);
constexpr auto DOUBT_TO = Seconds(2.0);

/// Until a HELLO tells that an event has arrived which a broker sent to it, or its publisher.
constexpr auto ARRIVED = Seconds(0.015);
constexpr auto ARRIVED_DIRECTLY = Seconds(0.03);
/// Between HELLOs that tell brokers what they may forget.
constexpr auto HELLO_FROM = Seconds(45);
constexpr auto HELLO_TO = Seconds(75);

/// A NACK and a HELLO around their SUMMARY.
constexpr size_t NACK_BYTES = HEADER_BYTES + 8;
constexpr size_t HELLO_BYTES = HEADER_BYTES + 4;
/// Events whose absence is remembered one by one.
constexpr size_t MAX_MISSING = 1024;

} // namespace

Subscriber::Subscriber(const Context& context, SubscriberMemory memory, bool hasBroker)
    : m_context(context),
      m_memory(std::move(memory)),
      m_hasBroker(hasBroker)
{
}

void
Subscriber::Start(Instant now)
{
    if (m_memory.timestamp > 0)
    {
        SayWord(now + Times(FIRST_WORD, m_context.uniform()));
    }
}

void
Subscriber::SayWord(Instant at)
{
    if (m_hasBroker)
    {
        return;
    }
    m_isHeard = false;
    m_said = 0;
    m_wordAt = at;
    m_knowing.clear();
    m_goodHash.reset();
    m_doubts.clear();
}

void
Subscriber::WordHeard(const Header& by)
{
    m_isHeard = true;
    m_wordAt = NEVER;
    m_knowing[by.source] = by.life;
}

void
Subscriber::HearHash(Instant now, const Header& from, uint32_t hash)
{
    const auto known = m_knowing.find(from.source);
    if (known != m_knowing.end() && known->second == from.life)
    {
        m_goodHash = hash;
    }
    else if (hash == m_goodHash)
    {
        m_knowing[from.source] = from.life;
    }
    else if (m_isHeard)
    {
        m_doubts.insert(hash);
        if (m_wordAt == NEVER)
        {
            m_wordAt = now + m_context.Draw(DOUBT_FROM, DOUBT_TO);
        }
    }
    else if (m_wordAt == NEVER && now >= m_saidAt + WORD_GAP)
    {
        m_wordAt = now + m_context.Draw(Instant(0), NACK_JITTER);
    }
}

bool
Subscriber::IsInDoubt() const
{
    return std::ranges::any_of(m_doubts, [this](uint32_t hash) { return hash != m_goodHash; });
}

void
Subscriber::Subscribe(Instant now, const Filter& filter)
{
    m_memory.filters.emplace(filter, now);
    ++m_memory.timestamp;
    SayWord(now + Times(FIRST_WORD, m_context.uniform()));
}

void
Subscriber::Unsubscribe(Instant now, const Filter& filter)
{
    m_memory.filters.erase(filter);
    ++m_memory.timestamp;
    SayWord(now + Times(FIRST_WORD, m_context.uniform()));
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
    if (const auto* heartbeat = std::get_if<Heartbeat>(&frame.body))
    {
        HearState(now, from, heartbeat->state);
    }
    else if (const auto* pub = std::get_if<Pub>(&frame.body))
    {
        hear(pub->events);
        if (pub->state)
        {
            HearState(now, from, *pub->state);
        }
    }
    else if (const auto* rep = std::get_if<Rep>(&frame.body))
    {
        hear(rep->events);
        if (rep->cover)
        {
            HearCover(from, *rep->cover);
        }
        if (rep->state)
        {
            HearState(now, from, *rep->state);
        }
    }
    else if (const auto* sub = std::get_if<Sub>(&frame.body))
    {
        for (const auto& word : sub->words)
        {
            if (word.subscriber == m_context.self && word.timestamp == m_memory.timestamp)
            {
                WordHeard(from);
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
    m_missing.erase(id);
    if (Wants(*carried.event))
    {
        if (isNew && m_helloAt == NEVER && m_context.options.forgetAfter != NEVER)
        {
            m_helloAt = std::max(now, m_saidDoneAt + m_context.Draw(HELLO_FROM, HELLO_TO));
        }
        output.deliveries.push_back({id, from, carried.hops, isNew});
        AnswerCopy(now, carried, from);
    }
}

void
Subscriber::AnswerCopy(Instant now, const CarriedEvent& carried, NodeId from)
{
    const auto id = carried.event->id;
    const auto isForMe = std::ranges::any_of(carried.path.hints, [this](const Hint& hint) {
        return hint.subscriber == m_context.self;
    });
    const auto isPublishers = from == id.publisher && from != m_context.self;
    if (isForMe)
    {
        m_soughtUntil = now + SOUGHT;
        m_helloAt = std::min(m_helloAt, now + m_context.Draw(Instant(0), ARRIVED));
        m_arrived = id;
    }
    else if (isPublishers && now < m_soughtUntil)
    {
        m_helloAt = std::min(m_helloAt, now + m_context.Draw(ARRIVED, ARRIVED_DIRECTLY));
        m_arrived = id;
    }
    else if (!isPublishers && m_arrived == id) // it is on its way to everybody
    {
        m_arrived.reset();
        m_helloAt = NEVER;
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
    if (m_goodHash == state.wordsHash) // by a table with its word: it does not want these
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
    auto first = NEVER;
    for (const auto& [publisher, sequences] : state.has.GetSummary().GetPublishers())
    {
        for (const auto& run : sequences.Minus(m_memory.done.Of(publisher)))
        {
            for (auto s = run.begin; s < run.end && m_missing.size() < MAX_MISSING; ++s)
            {
                first = std::min(first, m_missing.try_emplace({publisher, s}, now).first->second);
            }
        }
    }
    if (from.source == m_asked)
    {
        m_askedHas.Update(state.has); // it may have given up what it had
    }
    else if (first != NEVER)
    {
        m_asked = from.source;
        m_askedHas = state.has;
    }
    if (first == NEVER)
    {
        return;
    }
    const auto ripe = std::max(now, first + m_context.Stretch(m_context.options.settle));
    const auto soonest = std::max(ripe, m_nackedAt + m_context.Stretch(NACK_GAP));
    m_nackAt = std::min(m_nackAt, soonest + m_context.Draw(Instant(0), NACK_JITTER));
}

void
Subscriber::HearCover(const Header& from, const Cover& cover)
{
    if (from.destination != m_context.self || cover.timestamp != m_memory.timestamp)
    {
        return; // it is for others, or was worked out with an older word
    }
    m_unanswered = 0;
    WordHeard(from);
    IsDoneWith(cover.events.GetSummary());
}

void
Subscriber::IsDoneWith(const Summary& events)
{
    m_memory.done.Add(events);
    std::erase_if(m_missing, [this](const auto& entry) { return m_memory.done.Has(entry.first); });
}

Instant
Subscriber::Due(Turn turn) const
{
    switch (turn)
    {
    case Turn::NACKS:
        return m_hasBroker ? NEVER : std::min(m_nackAt, m_helloAt);
    case Turn::OWN_WORD:
        return m_wordAt;
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
    return m_helloAt <= now ? BuildHello(now) : BuildNack(now);
}

std::optional<EventId>
Subscriber::FindMissed(Instant now) const
{
    const auto since = now - m_context.Stretch(m_context.options.settle);
    for (const auto& [id, knownAt] : m_missing)
    {
        if (knownAt <= since && m_askedHas.GetSummary().Has(id))
        {
            return id;
        }
    }
    return {};
}

std::optional<Outgoing>
Subscriber::BuildNack(Instant now)
{
    m_nackAt = NEVER;
    const auto missed = FindMissed(now);
    if (!missed)
    {
        return {};
    }
    m_nackedAt = now;
    m_nackAt = now + m_context.Stretch(NACK_RETRY);
    if (++m_unanswered >= NACKS_IN_VAIN)
    {
        m_unanswered = 0;
        m_nackAt = NEVER;
        SayWord(now);
    }
    auto oldest = now;
    for (const auto& [filter, since] : m_memory.filters)
    {
        oldest = std::min(oldest, since);
    }
    Nack nack;
    nack.timestamp = m_memory.timestamp;
    nack.ageMilliseconds = static_cast<uint32_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(now - oldest).count());
    auto from = missed->publisher;
    nack.done = GetDone(NACK_BYTES, from);
    m_saidDoneAt = now;
    return Outgoing{m_asked, std::move(nack)};
}

std::optional<Outgoing>
Subscriber::BuildHello(Instant now)
{
    m_helloAt = NEVER;
    m_helloFrom = m_arrived ? m_arrived->publisher : m_helloFrom;
    m_arrived.reset();
    m_saidDoneAt = now;
    return Outgoing{NO_NODE, Hello{m_memory.timestamp, GetDone(HELLO_BYTES, m_helloFrom)}};
}

SummaryPart
Subscriber::GetDone(size_t bytesAround, NodeId& from) const
{
    return {m_memory.done, m_context.options.maxFrameBytes - bytesAround, from};
}

std::optional<Outgoing>
Subscriber::BuildWord(Instant now)
{
    m_wordAt = NEVER;
    if (m_isHeard && !IsInDoubt())
    {
        m_doubts.clear();
        return {};
    }
    m_doubts.clear();
    if (!m_isHeard && m_said < WORD_RETRIES)
    {
        m_wordAt = now + m_context.Stretch(WORD_RETRY * (1 << m_said));
    }
    ++m_said;
    m_saidAt = now;
    return Outgoing{NO_NODE, Sub{{GetWord(now)}}};
}

} // namespace mftpubsub::mesh
