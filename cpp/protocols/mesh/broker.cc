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

constexpr auto FIRST_HEARTBEAT = Seconds(1.0);
/// Of the interval between heartbeats, either way.
constexpr double HEARTBEAT_JITTER = 0.1;
constexpr double MAX_HEARTBEAT_LOAD = 3;
/// PUB and REP take STATE along when none was sent for so long.
constexpr auto STATE_PAUSE = Seconds(1.0);
/// A neighbour not heard for so many heartbeats may have gone.
constexpr int NEIGHBOUR_HEARTBEATS = 3;

constexpr auto REPAIR_JITTER = Seconds(0.06);
constexpr auto REPAIR_GAP = Seconds(0.05);
/// Events that one STATE may ask for.
constexpr size_t MAX_REPAIRS = 12;

/// How much later than a subscription an event may seem to be that came before it: flat, and what
/// clocks drift in the meantime.
constexpr auto AGE_MARGIN = Seconds(1.0);
constexpr double AGE_DRIFT = 1e-3;

/// How much older a word may be than it says, for what frames waited in MACs on its way.
constexpr auto WORD_MARGIN = Seconds(5.0);

/// Until a publisher whose event nobody wants is answered by a STATE: it is drawn from the later
/// part, the younger the broker's latest one is.
constexpr auto ACKNOWLEDGE_FROM = Seconds(0.01);
constexpr auto ACKNOWLEDGE_WITHIN = Seconds(0.13);
constexpr double FRESHNESS_SHARE = 0.6;

/// Bytes of a PUB or REP around STATE and events, and of a STATE around its SUMMARY.
constexpr size_t EVENTS_BYTES = HEADER_BYTES + 2;
constexpr size_t STATE_BYTES = 5;
constexpr size_t COVER_BYTES = 4;
/// Less is not worth a STATE.
constexpr size_t MIN_SUMMARY_BYTES = 24;
constexpr size_t MAX_COUNT = 255;

} // namespace

Broker::Broker(const Context& context, QueueOptions queues)
    : m_context(context),
      m_queues(std::move(queues)),
      m_words(context)
{
}

void
Broker::Start(Instant now)
{
    m_heartbeatAt = now + Times(FIRST_HEARTBEAT, m_context.uniform());
    m_interval = m_context.options.heartbeat;
    m_stateSentAt = now;
}

void
Broker::Receive(Instant now, const Frame& frame, Output& output)
{
    const auto& from = frame.header;
    if (const auto known = m_neighbours.find(from.source);
        known != m_neighbours.end() && known->second.life != from.life)
    {
        m_neighbours.erase(known);
    }
    if (const auto* heartbeat = std::get_if<Heartbeat>(&frame.body))
    {
        HearState(now, from, heartbeat->state);
    }
    else if (const auto* pub = std::get_if<Pub>(&frame.body))
    {
        if (pub->state)
        {
            HearState(now, from, *pub->state);
        }
        HearEvents(now, from, pub->events, false, output);
    }
    else if (const auto* rep = std::get_if<Rep>(&frame.body))
    {
        if (rep->state)
        {
            HearState(now, from, *rep->state);
        }
        HearEvents(now, from, rep->events, true, output);
    }
    else if (const auto* nack = std::get_if<Nack>(&frame.body))
    {
        if (from.destination == m_context.self)
        {
            m_questions.push_back({from.source, *nack, now});
        }
    }
    else if (const auto* sub = std::get_if<Sub>(&frame.body))
    {
        for (const auto& word : sub->words)
        {
            HearWord(now, word, from.source);
        }
    }
    else if (const auto* bsub = std::get_if<Bsub>(&frame.body))
    {
        m_words.HearBsub(now, *bsub);
    }
    ApplyPolicy(now, output);
}

void
Broker::Publish(Instant now, const EventPtr& event, Output& output)
{
    const auto* held = Keep(now, {event, 0}, output);
    if (held && !IsSettled(event->id))
    {
        m_forwards[event->id] = now; // nobody else can have it
    }
    ApplyPolicy(now, output);
}

void
Broker::Say(Instant now, const Word& word)
{
    HearWord(now, word, word.subscriber);
}

std::vector<Pair>
Broker::TakeMatches()
{
    return std::exchange(m_matches, {});
}

std::vector<Pair>
Broker::GetHeld() const
{
    std::vector<Pair> pairs;
    for (const auto& [id, held] : m_store)
    {
        for (const auto subscriber : held.wanted)
        {
            pairs.push_back({id, subscriber});
        }
    }
    return pairs;
}

Instant
Broker::Due(Turn turn) const
{
    switch (turn)
    {
    case Turn::ANSWERS:
        return m_questions.empty() ? NEVER : m_questions.front().heardAt;
    case Turn::FORWARDS: {
        auto due = NEVER;
        for (const auto& [id, at] : m_forwards)
        {
            due = std::min(due, at);
        }
        return due;
    }
    case Turn::WORDS:
        return m_words.DueWords();
    case Turn::BSUBS:
        return m_words.DueBsub();
    case Turn::REPAIRS:
        return m_repairAt;
    case Turn::HEARTBEATS:
        return std::min({m_heartbeatAt, m_acknowledgeAt, m_checkAt});
    default:
        return NEVER;
    }
}

std::optional<Outgoing>
Broker::Build(Instant now, Turn turn)
{
    switch (turn)
    {
    case Turn::ANSWERS:
        return BuildAnswer();
    case Turn::FORWARDS:
        return BuildForwards(now);
    case Turn::WORDS:
        return m_words.BuildWords(now);
    case Turn::BSUBS:
        return m_words.BuildBsub();
    case Turn::REPAIRS:
        return BuildRepair(now);
    case Turn::HEARTBEATS:
        return BuildHeartbeat(now);
    default:
        return {};
    }
}

// Rule 1: heartbeats

State
Broker::MakeState(size_t budget)
{
    return {m_context.roles,
            m_words.GetHash(),
            SummaryPart(m_has, budget / 2, m_stateFrom),
            SummaryPart(m_settled, budget / 2, m_settledFrom)};
}

std::optional<State>
Broker::StateToTakeAlong(Instant now, size_t bytesTaken)
{
    const auto most = m_context.options.maxFrameBytes;
    if (now < m_stateSentAt + STATE_PAUSE || bytesTaken + STATE_BYTES + MIN_SUMMARY_BYTES > most)
    {
        return {};
    }
    auto state = MakeState(most - bytesTaken - STATE_BYTES);
    StateSent(now);
    return state;
}

std::optional<Outgoing>
Broker::BuildHeartbeat(Instant now)
{
    if (m_checkAt <= now)
    {
        CheckMissing(now);
    }
    if (std::min(m_heartbeatAt, m_acknowledgeAt) > now)
    {
        return {};
    }
    auto state = MakeState(m_context.options.maxFrameBytes - HEADER_BYTES - STATE_BYTES);
    StateSent(now);
    return Outgoing{NO_NODE, Heartbeat{std::move(state)}};
}

void
Broker::StateSent(Instant now)
{
    const auto factor = std::min(m_context.load(), MAX_HEARTBEAT_LOAD) *
                        (1 + HEARTBEAT_JITTER * (2 * m_context.uniform() - 1));
    m_stateSentAt = now;
    m_acknowledge.reset();
    m_acknowledgeAt = NEVER;
    m_heartbeatAt = now + Times(m_interval, factor);
    m_interval = std::min(2 * m_interval, m_context.options.heartbeatMax);
}

void
Broker::Changed(Instant now)
{
    m_interval = m_context.options.heartbeat;
    const auto soon = now + Times(m_interval, 0.5 + 0.5 * m_context.uniform());
    m_heartbeatAt = std::min(m_heartbeatAt, soon);
}

void
Broker::NoteMissing(Instant now, const SummaryPart& has)
{
    if (m_checkAt != NEVER)
    {
        return;
    }
    m_missing = {};
    for (const auto& [publisher, sequences] : has.GetSummary().GetPublishers())
    {
        for (const auto& run : sequences.Minus(m_has.Of(publisher)))
        {
            m_missing.Add(publisher, run);
            m_checkAt = now + m_context.Stretch(m_context.options.settle);
        }
    }
}

void
Broker::CheckMissing(Instant now)
{
    m_checkAt = NEVER;
    for (const auto& [publisher, sequences] : m_missing.GetPublishers())
    {
        if (!sequences.Minus(m_has.Of(publisher)).empty())
        {
            Changed(now); // whoever hears what it has will send it
            return;
        }
    }
}

// Rule 2: new events

void
Broker::HearEvents(Instant now,
                   const Header& from,
                   const std::vector<CarriedEvent>& events,
                   bool isRepair,
                   Output& output)
{
    const auto neighbour = m_neighbours.find(from.source);
    for (const auto& carried : events)
    {
        const auto id = carried.event->id;
        const auto isPublishers = from.source == id.publisher;
        m_repairs.erase(id);
        if (neighbour != m_neighbours.end())
        {
            neighbour->second.has.Note(id);
        }
        if (auto* held = Keep(now, carried, output))
        {
            held->copies = isPublishers ? 0 : 1;
            if (!IsSettled(id) && (!isRepair || SomebodyLacks(now, id)))
            {
                m_forwards[id] = now + m_context.Draw(Instant(0), m_context.options.forward);
            }
        }
        else if (const auto at = m_store.find(id); at != m_store.end() && !isPublishers)
        {
            ++at->second.copies;
            if (at->second.copies >= m_context.options.copies || !SomebodyLacks(now, id))
            {
                m_forwards.erase(id);
            }
        }
        if (isPublishers && IsSettled(id))
        {
            AcknowledgeSoon(now, id);
        }
    }
}

Broker::Held*
Broker::Keep(Instant now, const CarriedEvent& carried, Output& output)
{
    const auto id = carried.event->id;
    if (!m_has.Add(id))
    {
        return nullptr;
    }
    auto& held = m_store[id];
    held.carried = carried;
    held.since = now;
    held.wanted = m_words.Match(*carried.event);
    output.taken.push_back(id);
    if (m_context.options.isScoped && held.wanted.empty())
    {
        KeepSettled(now, id);
    }
    for (const auto subscriber : held.wanted)
    {
        output.matches.push_back({id, subscriber});
    }
    return &held;
}

bool
Broker::SomebodyLacks(Instant now, EventId id) const
{
    const auto since = now - NEIGHBOUR_HEARTBEATS * m_context.options.heartbeatMax;
    return std::ranges::any_of(m_neighbours, [&](const auto& entry) {
        const auto& neighbour = entry.second;
        return neighbour.heardAt >= since && neighbour.has.Says(id) == SummaryPart::Answer::LACKS;
    });
}

std::optional<Outgoing>
Broker::BuildForwards(Instant now)
{
    std::vector<std::pair<Instant, EventId>> order;
    for (const auto& [id, at] : m_forwards)
    {
        order.emplace_back(at, id);
    }
    std::ranges::sort(order);
    Pub pub;
    auto bytes = EVENTS_BYTES;
    for (const auto& [at, id] : order)
    {
        auto& held = m_store.at(id);
        const auto more = CountBytes(held.carried);
        if (pub.events.size() == MAX_COUNT ||
            (!pub.events.empty() && bytes + more > m_context.options.maxFrameBytes))
        {
            break;
        }
        bytes += more;
        pub.events.push_back(OneHopOn(held.carried));
        m_forwards.erase(id);
    }
    pub.state = StateToTakeAlong(now, bytes);
    return Outgoing{NO_NODE, std::move(pub)};
}

// Rule 3: repair

void
Broker::HearState(Instant now, const Header& from, const State& state)
{
    auto& neighbour = m_neighbours[from.source];
    neighbour.life = from.life;
    neighbour.heardAt = now;
    neighbour.has.Update(state.has);
    m_words.HearHash(now, state.wordsHash);
    HearSettled(now, state);
    auto lacking = FindLacking(state.has);
    const auto since = now - m_context.Stretch(m_context.options.settle);
    std::erase_if(lacking, [&](const auto& held) {
        return held->second.since > since || m_forwards.contains(held->first) ||
               IsSettled(held->first);
    });
    NoteMissing(now, state.has);
    if (!lacking.empty() || state.wordsHash != m_words.GetHash())
    {
        Changed(now);
    }
    std::ranges::sort(lacking, {}, [](const auto& held) { return held->second.since; });
    for (size_t i = 0; i < std::min(lacking.size(), MAX_REPAIRS); ++i)
    {
        m_repairs.insert(lacking[i]->first);
    }
    if (!m_repairs.empty() && m_repairAt == NEVER)
    {
        m_repairAt = now + m_context.Draw(Instant(0), REPAIR_JITTER);
    }
}

std::vector<Broker::Store::const_iterator>
Broker::FindLacking(const SummaryPart& has) const
{
    std::vector<Store::const_iterator> lacking;
    for (const auto& [publisher, sequences] : m_has.GetPublishers())
    {
        for (const auto& run : sequences.Minus(has.GetSummary().Of(publisher)))
        {
            for (auto at = m_store.lower_bound({publisher, run.begin});
                 at != m_store.end() && at->first < EventId{publisher, run.end};
                 ++at)
            {
                if (has.Says(at->first) == SummaryPart::Answer::LACKS)
                {
                    lacking.push_back(at);
                }
            }
        }
    }
    return lacking;
}

std::optional<Outgoing>
Broker::BuildRepair(Instant now)
{
    Rep rep;
    auto bytes = EVENTS_BYTES;
    while (!m_repairs.empty())
    {
        const auto id = *m_repairs.begin();
        const auto at = m_store.find(id);
        const auto more = at == m_store.end() ? 0 : CountBytes(at->second.carried);
        if (!rep.events.empty() && bytes + more > m_context.options.maxFrameBytes)
        {
            break;
        }
        m_repairs.erase(id);
        if (at != m_store.end())
        {
            bytes += more;
            rep.events.push_back(OneHopOn(at->second.carried));
        }
    }
    m_repairAt = m_repairs.empty() ? NEVER : now + m_context.Stretch(REPAIR_GAP);
    if (rep.events.empty())
    {
        return {};
    }
    rep.state = StateToTakeAlong(now, bytes);
    return Outgoing{NO_NODE, std::move(rep)};
}

// Rule 4: answers to NACKs

std::optional<Outgoing>
Broker::BuildAnswer()
{
    const auto [subscriber, nack, heardAt] = std::move(m_questions.front());
    m_questions.pop_front();
    const auto* word = m_words.Find(subscriber);
    if (!word || word->timestamp != nack.timestamp)
    {
        return {};
    }
    const auto age = std::chrono::milliseconds(nack.ageMilliseconds);
    const auto since = heardAt - age - AGE_MARGIN - Times(age, AGE_DRIFT);
    Rep rep;
    auto covered = m_has;
    auto bytes = EVENTS_BYTES + COVER_BYTES;
    const auto most = m_context.options.maxFrameBytes - MIN_SUMMARY_BYTES;
    for (const auto& at : FindLacking(nack.done))
    {
        const auto& [id, held] = *at;
        const auto& event = *held.carried.event;
        if (held.since < since || std::ranges::none_of(
                                      word->filters,
                                      [&](const auto& f) { return f.first.Matches(event); }))
        {
            continue;
        }
        const auto more = CountBytes(held.carried);
        if (rep.events.size() == MAX_COUNT || (!rep.events.empty() && bytes + more > most))
        {
            covered.Remove(id);
            continue;
        }
        bytes += more;
        rep.events.push_back(OneHopOn(held.carried));
        m_matches.push_back({id, subscriber});
    }
    if (bytes <= most) // else one event fills the frame, and the rest is for the next NACK
    {
        NodeId from = 0;
        const auto budget = m_context.options.maxFrameBytes - bytes;
        rep.cover = Cover{nack.timestamp, SummaryPart(covered, budget, from)};
    }
    return Outgoing{subscriber, std::move(rep)};
}

// Rule 7: what nobody wants

void
Broker::KeepSettled(Instant now, EventId id)
{
    if (m_settled.Add(id))
    {
        m_known.push_back({now, id.publisher, {id.sequence, id.sequence + 1}});
    }
}

void
Broker::HearWord(Instant now, const Word& word, NodeId from)
{
    for (const auto& news : m_words.Hear(now, word, from))
    {
        Unsettle(now, news);
    }
}

void
Broker::Unsettle(Instant now, const WordTable::NewFilter& news)
{
    const auto age = now - news.since;
    const auto since = news.since - WORD_MARGIN - Times(age, AGE_DRIFT);
    for (auto known = m_known.rbegin(); known != m_known.rend() && known->at >= since; ++known)
    {
        for (auto sequence = known->run.begin; sequence < known->run.end; ++sequence)
        {
            const EventId id{known->publisher, sequence};
            const auto at = m_store.find(id);
            if (at == m_store.end())
            {
                if (m_settled.Remove(id))
                {
                    m_has.Remove(id); // somebody may bring it: its content decides
                }
            }
            else if (news.filter.Matches(*at->second.carried.event))
            {
                m_settled.Remove(id);
            }
        }
    }
}

void
Broker::HearSettled(Instant now, const State& state)
{
    if (m_acknowledge && state.has.GetSummary().Has(*m_acknowledge))
    {
        m_acknowledge.reset();
        m_acknowledgeAt = NEVER;
    }
    if (!m_context.options.isScoped || state.wordsHash != m_words.GetHash())
    {
        return;
    }
    for (const auto& [publisher, sequences] : state.settled.GetSummary().GetPublishers())
    {
        for (const auto& run : sequences.Minus(m_settled.Of(publisher)))
        {
            m_settled.Add(publisher, run);
            m_has.Add(publisher, run);
            m_known.push_back({now, publisher, run});
        }
    }
}

void
Broker::AcknowledgeSoon(Instant now, EventId id)
{
    if (m_acknowledge)
    {
        return;
    }
    const auto sinceState = std::chrono::duration<double>(now - m_stateSentAt);
    const auto interval = std::chrono::duration<double>(m_context.options.heartbeatMax);
    const auto freshness = 1 - std::min(1.0, sinceState / interval);
    const auto wait = FRESHNESS_SHARE * freshness + (1 - FRESHNESS_SHARE) * m_context.uniform();
    m_acknowledge = id;
    m_acknowledgeAt = now + m_context.Stretch(ACKNOWLEDGE_FROM + Times(ACKNOWLEDGE_WITHIN, wait));
}

// Rule 6: the queue policy

void
Broker::ApplyPolicy(Instant now, Output& output)
{
    if (!m_queues.policy || m_store.empty())
    {
        return;
    }
    std::vector<Store::iterator> order;
    for (auto at = m_store.begin(); at != m_store.end(); ++at)
    {
        order.push_back(at);
    }
    std::ranges::stable_sort(order, {}, [](const auto& at) { return at->second.since; });
    std::vector<QueuedEvent> queue;
    for (const auto& at : order)
    {
        const std::chrono::duration<double> age = now - at->second.since;
        queue.push_back({at->first.publisher,
                         at->first.sequence,
                         age.count(),
                         at->second.carried.event->payloadBytes});
    }
    for (const auto position : m_queues.policy->Drop(m_queues.describe(), NO_NODE, queue))
    {
        const auto& at = order[position];
        for (const auto subscriber : at->second.wanted)
        {
            output.drops.push_back({at->first, subscriber});
        }
        m_forwards.erase(at->first);
        m_repairs.erase(at->first);
        m_store.erase(at);
    }
}

} // namespace mftpubsub::mesh
