/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/broker.h"

#include <algorithm>
#include <utility>

namespace mftpubsub::mesh
{

// Rule 2: new events

void
Broker::HearEvents(Instant now,
                   const Header& from,
                   const std::vector<CarriedEvent>& events,
                   bool isRepair,
                   Output& output)
{
    auto* neighbour = m_neighbours.Find(from.source);
    for (const auto& carried : events)
    {
        const auto id = carried.event->id;
        m_repairing.repairs.Erase(id);
        if (neighbour)
        {
            neighbour->has.Note(id);
        }
        if (auto* held = Keep(now, carried, from.source, output))
        {
            held->copies = from.source == id.publisher ? 0 : 1;
            if (!held->isForAll)
            {
                HearPath(now, id, *held, carried.path, from.source);
                ApproachSoon(now, id, *held);
            }
            else if (!IsSettled(id) && !m_context.blocks->Has(id) &&
                     (!isRepair || SomebodyLacks(now, id)))
            {
                m_forwarding.at.Set(id,
                                    now + m_context.Draw(Instant(0), m_context.options.forward));
            }
        }
        else if (const auto at = m_store.find(id); at != m_store.end())
        {
            HearCopy(now, at->second, carried, from.source);
        }
    }
}

void
Broker::HearCopy(Instant now, Held& held, const CarriedEvent& carried, NodeId from)
{
    const auto id = carried.event->id;
    if (from == id.publisher)
    {
        held.isAnswered = false;
        if (IsSettled(id))
        {
            AnswerSoon(now, id, true);
        }
        else
        {
            m_answers.isPublishers[id] =
                true; // by the next STATE, which may not speak of it otherwise
        }
        return;
    }
    held.isAnswered = true;
    ++held.copies;
    Serve(now, id, held, {from});
    if (IsSettled(id))
    {
        if (!held.wanted->IsEmpty())
        {
            AnswerSoon(now, id, false); // to those who still look for who has got it
        }
    }
    else if (!held.isForAll && carried.path.IsForAll())
    {
        held.isForAll = true;
        m_forwarding.at.Set(id,
                            now + m_context.Draw(Instant(0),
                                                 m_context.options.limits.broker.stalledForwards *
                                                     m_context.options.forward));
    }
    else if (!held.isForAll)
    {
        TellOfBetterHands(now, id, held, carried.path);
        HearPath(now, id, held, carried.path, from);
    }
    else if (!IsMixing() && (held.copies >= m_context.options.copies || !SomebodyLacks(now, id)))
    {
        m_forwarding.at.Erase(id);
    }
}

Broker::Held*
Broker::Keep(Instant now, const CarriedEvent& carried, NodeId from, Output& output)
{
    const auto id = carried.event->id;
    if (EVENTS_BYTES + CountBytes(mesh::OneHopOn(carried)) > m_context.options.maxFrameBytes)
    {
        return nullptr; // it could not be sent on
    }
    const auto isPublishers = from == id.publisher;
    const auto isAsked = isPublishers && IsSettled(id) && !m_store.contains(id);
    if (!m_known.has.Add(id) && !isAsked)
    {
        return nullptr;
    }
    auto& held = m_store[id];
    held.carried = {carried.event, carried.hops, {}};
    held.since = now;
    held.way.from = from;
    held.wanted = m_sets.Get(IdSet(m_words.Match(*carried.event)));
    held.isAnswered = !isPublishers || from == m_context.self;
    held.open = held.wanted;
    output.taken.push_back(id);
    output.kept.push_back(carried.event);
    output.wanted.push_back({id, held.wanted});
    m_forwarding.mixer.Note(now, id);
    if (m_context.options.isScoped)
    {
        Scope(now, id, held, carried, from);
    }
    return &held;
}

bool
Broker::SomebodyLacks(Instant now, EventId id) const
{
    const auto since = m_context.LatelyHeard(now);
    return m_neighbours.HasAny([&](const Neighbour& neighbour) {
        return neighbour.heardAt >= since && neighbour.has.Says(id) == SummaryPart::Answer::LACKS;
    });
}

CarriedEvent
Broker::OneHopOn(const Held& held) const
{
    auto carried = mesh::OneHopOn(held.carried);
    if (!held.isForAll)
    {
        carried.path = GetPath(held);
    }
    return carried;
}

std::vector<EventId>
Broker::ChooseForwards(Instant now)
{
    std::vector<std::pair<Instant, EventId>> order;
    const auto forwards = std::exchange(m_forwarding.at, {});
    for (const auto& [id, at] : forwards.Get())
    {
        auto& held = m_store.at(id);
        if (held.isForAll || (at <= now && Approaches(now, id, held)))
        {
            order.emplace_back(at, id);
        }
        else if (!m_forwarding.at.Contains(id))
        {
            m_forwarding.at.Set(id, at);
        }
    }
    std::ranges::sort(order);
    std::vector<EventId> chosen;
    for (const auto& [at, id] : order)
    {
        chosen.push_back(id);
    }
    return chosen;
}

/// @return when events that are published here may go
Instant
Broker::DueOwn() const
{
    return m_forwarding.own.empty() ? NEVER : std::max(m_forwarding.ownAt, m_forwarding.pace.Due());
}

/// Its own events, as fast as they may go.
void
Broker::ReleaseOwn(Instant now)
{
    auto& own = m_forwarding.own;
    while (DueOwn() <= now)
    {
        const auto id = *own.begin();
        own.erase(own.begin());
        m_forwarding.at.Set(id, now);
        m_forwarding.pace.Take(now);
        m_forwarding.gathering.Went(id);
    }
}

std::optional<Outgoing>
Broker::BuildForwards(Instant now)
{
    if (auto block = BuildOwnBlock(now))
    {
        return block;
    }
    ReleaseOwn(now);
    if (auto mix = BuildBlockMix(now))
    {
        return mix;
    }
    if (auto mix = BuildMix(now))
    {
        return mix;
    }
    Pub pub;
    auto bytes = EVENTS_BYTES;
    auto isOpen = false;
    auto hasPlaces = m_context.places != nullptr;
    for (const auto id : ChooseForwards(now))
    {
        auto& held = m_store.at(id);
        auto carried = OneHopOn(held);
        const auto more = CountBytes(carried);
        if (pub.events.size() >= m_context.options.limits.frame.events ||
            (!pub.events.empty() && bytes + more > m_context.options.maxFrameBytes))
        {
            m_forwarding.at.Set(id, now);
            held.way.sent -= held.isForAll ? 0 : 1;
            continue;
        }
        bytes += more;
        pub.events.push_back(std::move(carried));
        isOpen = isOpen || held.way.sent > 1;
        hasPlaces = hasPlaces && !held.isForAll;
        held.isAnswered = true;
    }
    if (pub.events.empty())
    {
        return {};
    }
    if (!hasPlaces) // where it goes fast is told instead
    {
        pub.state = StateToTakeAlong(now, bytes, m_context.options.maxFrameBytes);
    }
    return Outgoing{NO_NODE, std::move(pub), isOpen};
}

// Rule 3: repair

/// A neighbour has told what it has, of which it lacks these that are held.
void
Broker::HearFate(Neighbour& neighbour,
                 const SummaryPart& has,
                 const std::vector<Store::iterator>& lacking) const
{
    const auto sent = neighbour.fit.GetSent();
    if (sent && has.Says(*sent) != SummaryPart::Answer::UNKNOWN)
    {
        const auto isSent = [&sent](const auto& held) { return held->first == *sent; };
        neighbour.fit.Told(std::ranges::none_of(lacking, isSent),
                           m_context.options.limits.frame.halvings);
    }
}

void
Broker::RepairSoon(Instant now, NodeId neighbour, double hops, std::vector<Store::iterator> lacking)
{
    std::erase_if(lacking,
                  [this](const auto& held) { return m_forwarding.own.contains(held->first); });
    std::ranges::sort(lacking, {}, [](const auto& held) { return held->second.since; });
    std::vector<EventId> events;
    const auto most =
        m_context.HearsBlocks(now) ? MAX_COUNT : m_context.options.limits.broker.repairs;
    for (size_t i = 0; i < std::min(lacking.size(), most); ++i)
    {
        events.push_back(lacking[i]->first);
    }
    m_repairing.repairs.Add(now, neighbour, hops, events);
    if (!m_repairing.repairs.IsEmpty() && m_repairing.at == NEVER)
    {
        m_repairing.at =
            now + m_context.Draw(Instant(0), m_context.options.limits.broker.repairJitter);
    }
}

std::vector<Broker::Store::iterator>
Broker::FindHeld(const Summary& events)
{
    std::vector<Store::iterator> held;
    for (const auto& [publisher, sequences] : events.GetPublishers())
    {
        for (const auto& run : sequences.GetRuns())
        {
            for (auto at = m_store.lower_bound({publisher, run.begin});
                 at != m_store.end() && at->first < EventId{publisher, run.end};
                 ++at)
            {
                held.push_back(at);
            }
        }
    }
    return held;
}

/// @return bytes of a repair to @p neighbour
size_t
Broker::MostTo(NodeId neighbour, const Neighbour& its) const
{
    return its.fit.GetMost(m_repairing.smallStates.GetMost(neighbour), MIN_FRAME_BYTES);
}

void
Broker::RepairLater(Instant now)
{
    m_repairing.at = m_repairing.repairs.IsEmpty()
                         ? NEVER
                         : now + m_context.Stretch(m_context.options.limits.broker.repairGap);
}

/// @return whether all of @p events fit into @p most bytes, of which some are taken, and one frame
bool
Broker::AddRepairs(Rep& rep, size_t& bytes, size_t most, const std::set<EventId>& events)
{
    for (const auto id : events)
    {
        auto carried = OneHopOn(m_store.at(id));
        const auto more = CountBytes(carried);
        if (rep.events.size() >= m_context.options.limits.frame.events ||
            (!rep.events.empty() && bytes + more > most))
        {
            return false;
        }
        bytes += more;
        rep.events.push_back(std::move(carried));
        m_repairing.repairs.Erase(id);
    }
    return true;
}

std::optional<Outgoing>
Broker::BuildRepair(Instant now)
{
    if (auto mix = BuildBlockRepair(now))
    {
        return mix;
    }
    if (auto mix = BuildMixedRepair(now))
    {
        return mix;
    }
    Rep rep;
    auto bytes = EVENTS_BYTES;
    auto most = m_context.options.maxFrameBytes;
    auto isFull = false;
    while (!isFull && !m_repairing.repairs.IsEmpty())
    {
        const auto [neighbour, events] = m_repairing.repairs.GetFirst(now);
        auto* known = m_neighbours.Find(neighbour);
        if (rep.events.empty() && known)
        {
            known->fit.Sent(*events.begin());
            most = MostTo(neighbour, *known);
        }
        isFull = !AddRepairs(rep, bytes, most, events);
    }
    RepairLater(now);
    if (rep.events.empty())
    {
        return {};
    }
    rep.state = StateToTakeAlong(now, bytes, most);
    return Outgoing{NO_NODE, std::move(rep)};
}

} // namespace mftpubsub::mesh
