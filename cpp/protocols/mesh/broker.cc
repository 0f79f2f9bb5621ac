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

constexpr size_t COVER_BYTES = 4;

} // namespace

Broker::Broker(const Context& context, BrokerPolicies policies)
    : m_context(context),
      m_policies(std::move(policies)),
      m_words(context),
      m_forwarding{{}, Mixer(context), BlockMixer(context), Pace(context), Gathering(context), {}},
      m_repairing{Repairs(m_policies.repair, m_policies.describe), SmallStates(context)},
      m_settled(context.options.limits.settled),
      m_distances(context.options.limits.distance, context.places)
{
}

void
Broker::Start(Instant now)
{
    m_heartbeats.at =
        now + Times(m_context.options.limits.broker.firstHeartbeat, m_context.uniform());
    m_heartbeats.interval = m_context.options.heartbeat;
    m_heartbeats.stateSentAt = now;
}

void
Broker::Receive(Instant now, const Frame& frame, double link, Output& output)
{
    const auto& from = frame.header;
    if (auto* known = m_neighbours.Find(from.source))
    {
        known->heardAt = now;
        if (known->life != from.life)
        {
            m_neighbours.Erase(from.source);
        }
    }
    if (m_words.Find(from.source))
    {
        m_distances.Note(now, from.source, link);
    }
    std::visit([&](const auto& body) { Hear(now, from, body, link, output); }, frame.body);
    ApplyPolicy(now, output);
}

void
Broker::Hear(Instant now, const Header& from, const Heartbeat& heartbeat, double link, Output&)
{
    m_repairing.smallStates.Hear(now, from.source, heartbeat.state);
    HearState(now, from, heartbeat.state, link);
}

void
Broker::Hear(Instant now, const Header& from, const Pub& pub, double link, Output& output)
{
    HearStateAlong(now, from, pub.state, CountBytes(pub.events), link);
    NotePaths(now, pub.events, link);
    m_distances.Note(now, pub.distances, link);
    HearEvents(now, from, pub.events, false, output);
    HearPublisher(now, pub, from.source);
}

void
Broker::Hear(Instant now, const Header& from, const Rep& rep, double link, Output& output)
{
    HearStateAlong(now, from, rep.state, CountBytes(rep.events), link);
    NotePaths(now, rep.events, link);
    HearEvents(now, from, rep.events, true, output);
}

void
Broker::Hear(Instant now, const Header& from, const Nack& nack, double, Output&)
{
    HearSubscriber(now, from.source, nack.timestamp, nack.done.GetSummary());
    if (from.destination == m_context.self)
    {
        std::erase_if(m_answers.questions, [&from](const Question& question) {
            return question.subscriber == from.source;
        });
        m_answers.questions.push_back({from.source, nack, now, 0, {}});
    }
}

void
Broker::Hear(Instant now, const Header& from, const Hello& hello, double, Output&)
{
    HearHello(now, from.source, hello);
}

void
Broker::Hear(Instant now, const Header& from, const Sub& sub, double, Output&)
{
    HearWords(now, sub.words, from.source);
}

void
Broker::Hear(Instant now, const Header& from, const Bsub& bsub, double, Output&)
{
    m_words.HearBsub(now, from.source, bsub);
}

void
Broker::Hear(Instant now, const Header& from, const BsubHashes& bsub, double, Output&)
{
    m_words.HearBsub(now, from.source, bsub);
}

void
Broker::NotePaths(Instant now, const std::vector<CarriedEvent>& events, double link)
{
    for (const auto& carried : events)
    {
        m_distances.NotePath(now, carried.path, link);
    }
}

void
Broker::Publish(Instant now, const EventPtr& event, Output& output)
{
    const auto* held = Keep(now, {event, 0}, m_context.self, output);
    if (held && !IsSettled(event->id))
    {
        auto& forwarding = m_forwarding;
        forwarding.own.insert(event->id); // nobody else can have it
        const auto isGathered = MayMix() && held->isForAll;
        forwarding.ownAt = isGathered ? forwarding.gathering.Publish(now, event) : now;
        if (forwarding.ownAt <= now && !forwarding.gathering.IsGathering(now))
        {
            ReleaseOwn(now);
        }
    }
    ApplyPolicy(now, output);
}

void
Broker::Recall(Instant now, const EventPtr& event, Instant since, Output& output)
{
    if (!KnowsOthers())
    {
        m_forgettable.recalled.insert(event->id);
    }
    if (auto* held = Keep(now, {event, 0}, m_context.self, output))
    {
        held->since = since;
        held->isForAll = true;
    }
    ApplyPolicy(now, output);
}

void
Broker::Say(Instant now, const Word& word)
{
    HearWords(now, {word}, word.subscriber);
}

std::vector<Pair>
Broker::TakeMatches()
{
    return std::exchange(m_matches, {});
}

std::vector<Wanted>
Broker::GetWanted() const
{
    std::vector<Wanted> events;
    for (const auto& [id, held] : m_store)
    {
        events.push_back({id, held.wanted});
    }
    return events;
}

Instant
Broker::Due(Turn turn) const
{
    switch (turn)
    {
    case Turn::ANSWERS:
        return std::min(m_answers.taken.GetEarliest(),
                        m_answers.questions.empty() ? NEVER : m_answers.questions.front().heardAt);
    case Turn::FORWARDS:
        return std::min({m_forwarding.at.GetEarliest(),
                         m_forwarding.mixer.Due(),
                         m_forwarding.blockMixer.Due(),
                         DueOwn()});
    case Turn::WORDS:
        return m_words.DueWords();
    case Turn::BSUBS:
        return m_words.DueBsub();
    case Turn::REPAIRS:
        return m_repairing.at;
    case Turn::HEARTBEATS:
        return std::min({m_heartbeats.at, m_answers.Due(), m_known.checkAt});
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
        return m_answers.taken.GetEarliest() <= now ? BuildTaken() : BuildAnswer(now);
    case Turn::FORWARDS:
        return BuildForwards(now);
    case Turn::WORDS:
        return m_words.BuildWords(now);
    case Turn::BSUBS:
        return m_words.BuildBsub(now);
    case Turn::REPAIRS:
        return BuildRepair(now);
    case Turn::HEARTBEATS:
        return BuildHeartbeat(now);
    default:
        return {};
    }
}

// Rule 4: answers to NACKs

std::vector<Broker::Store::iterator>
Broker::FindAsked(const Question& question, const WordTable::Entry& word, const Summary& lacking)
{
    const auto& limits = m_context.options.limits;
    const auto age = std::chrono::milliseconds(question.nack.ageMilliseconds);
    const auto since =
        question.heardAt - age - limits.broker.ageMargin - Times(age, limits.scope.ageDrift);
    auto asked = FindHeld(lacking);
    std::erase_if(asked, [&](const auto& at) {
        const auto& held = at->second;
        return held.since < since || !word.Wants(*held.carried.event);
    });
    return asked;
}

/// @return bytes of a frame that answers with what is @p asked for
size_t
Broker::FitAnswer(const Question& question, const std::vector<Store::iterator>& asked)
{
    const auto most = m_context.options.maxFrameBytes;
    if (asked.empty())
    {
        m_answers.fits.erase(question.subscriber);
        return most;
    }
    auto& fit = m_answers.fits[question.subscriber];
    if (question.sent.empty())
    {
        fit.SentAgain(asked.front()->first, m_context.options.limits.frame.halvings);
    }
    return fit.GetMost(IsSmall(question) ? m_context.SmallFrame() : most, MIN_FRAME_BYTES);
}

/// @return whether it is asked over a weak link
bool
Broker::IsSmall(const Question& question) const
{
    const auto& done = question.nack.done;
    return !done.IsWhole() && done.CountBytes() <= m_context.SmallFrame();
}

std::optional<Outgoing>
Broker::BuildAnswer(Instant now)
{
    auto question = std::move(m_answers.questions.front());
    m_answers.questions.pop_front();
    const auto* word = m_words.Find(question.subscriber);
    const auto& nack = question.nack;
    if (!word || word->timestamp != nack.timestamp)
    {
        return {};
    }
    const auto& limits = m_context.options.limits.frame;
    auto covered = nack.done.LackingOf(m_known.has);
    auto asked = FindAsked(question, *word, covered);
    const auto inBlocks = TakeInBlocks(now, question, asked, covered);
    // A frame of what is in no block goes first.
    const auto sumsFollow = question.sent.empty() && !asked.empty() && !inBlocks.empty();
    if (!sumsFollow)
    {
        if (auto mix = BuildBlockAnswer(question, inBlocks))
        {
            return mix;
        }
    }
    const auto frameBytes = FitAnswer(question, asked);
    const auto most = frameBytes - SummaryPart::MIN_BYTES;
    Rep rep;
    auto bytes = EVENTS_BYTES + COVER_BYTES;
    for (const auto& at : asked)
    {
        const auto& [id, held] = *at;
        const auto more = CountBytes(OneHopOn(held));
        if (question.sent.contains(id) || rep.events.size() >= limits.events ||
            (!rep.events.empty() && bytes + more > most))
        {
            covered.Remove(id);
            continue;
        }
        bytes += more;
        rep.events.push_back(OneHopOn(held));
        question.sent.insert(id);
        m_matches.push_back({id, question.subscriber});
    }
    if (bytes <= most) // else one event fills the frame, and the rest is for the next NACK
    {
        auto from = nack.done.GetFrom();
        rep.cover = Cover{nack.timestamp,
                          SummaryPart(covered, frameBytes - bytes, from, limits.publishers)};
    }
    const auto subscriber = question.subscriber;
    const auto isMore = question.sent.size() < asked.size() &&
                        ++question.frames < m_context.options.maxFrameBytes / frameBytes;
    if (isMore || sumsFollow)
    {
        m_answers.questions.push_front(std::move(question));
    }
    return Outgoing{subscriber, std::move(rep)};
}

} // namespace mftpubsub::mesh
