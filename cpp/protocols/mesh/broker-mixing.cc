/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "content/content-codec.h"
#include "protocols/mesh/broker.h"
#include "protocols/mesh/giving-up.h"
#include "protocols/mesh/sums.h"

#include <algorithm>

namespace mftpubsub::mesh
{

// Rule 10: sums

void
Broker::Hear(Instant now, const Header& from, const Mix& mix, double link, Output&)
{
    HearStateAlong(now, from, mix.state, CountSumBytes(mix), link);
    auto* neighbour = m_neighbours.Find(from.source);
    const auto ids = GetMixed(mix);
    m_repairing.repairs.EraseMixed(ids, mix.sums.size());
    for (const auto id : ids)
    {
        if (neighbour)
        {
            neighbour->has.Note(id);
        }
        if (const auto held = m_store.find(id); held != m_store.end())
        {
            held->second.isAnswered = true;
        }
    }
}

bool
Broker::MayMix() const
{
    return mesh::MayMix(m_policies.queue.get(), m_context.options.limits.givingUp);
}

/// Where it is words that make the channel busy, sums of few events wait for others that do not
/// come.
bool
Broker::IsMixing() const
{
    const auto& mixer = m_forwarding.mixer;
    const auto isOfEvents =
        !m_words.IsLarge() || mixer.CountRemembered() >= m_context.options.limits.mix.fewest;
    return MayMix() && mixer.IsMixing() && isOfEvents;
}

/// What is on its way to a few goes as it is, and so does what is too long for several sums.
bool
Broker::CanBeMixed(EventId id) const
{
    const auto held = m_store.find(id);
    const auto most =
        Times(Instant(m_context.options.maxFrameBytes), m_context.options.limits.mix.longest);
    return held != m_store.end() && held->second.isForAll && !IsSettled(id) &&
           !m_context.blocks->Has(id) && !m_forwarding.own.contains(id) &&
           CountBytes(held->second.carried) <= static_cast<size_t>(most.count());
}

size_t
Broker::CountBrokersAround(Instant now) const
{
    const auto since = now - m_context.options.limits.mix.around;
    return m_neighbours.CountIf(
        [since](const Neighbour& neighbour) { return neighbour.heardAt >= since; });
}

/// Sums of late events, in place of the forwards that are due or will be.
std::optional<Outgoing>
Broker::BuildMix(Instant now)
{
    auto& mixer = m_forwarding.mixer;
    if (!IsMixing())
    {
        mixer.Stop();
        return {};
    }
    std::vector<EventId> forwards;
    for (const auto& [id, at] : m_forwarding.at.Get())
    {
        if (id.publisher != m_context.self && CanBeMixed(id)) // nobody else sends what is its own
        {
            forwards.push_back(id);
        }
    }
    std::ranges::for_each(forwards, [this](EventId id) { m_forwarding.at.Erase(id); });
    mixer.Owe(now, forwards.size(), CountBrokersAround(now));
    const auto sums = mixer.Take(now);
    Summary events;
    size_t count = 0;
    for (const auto id : mixer.GetLate(now))
    {
        if (count < m_context.options.limits.mix.events && CanBeMixed(id))
        {
            count += events.Add(id);
        }
    }
    if (sums == 0 || count == 0)
    {
        return {};
    }
    return MakeMix(now, events, sums);
}

std::optional<Outgoing>
Broker::BuildMixedRepair(Instant now)
{
    const auto& limits = m_context.options.limits.mix;
    if (!IsMixing() || m_repairing.repairs.IsEmpty())
    {
        return {};
    }
    const auto canBeMixed = [this, since = now - limits.repaired](EventId id) {
        return CanBeMixed(id) && m_store.at(id).since >= since;
    };
    const auto first = m_repairing.repairs.GetFirst(now);
    auto* known = m_neighbours.Find(first.neighbour);
    if (!known || !std::ranges::all_of(first.events, canBeMixed) ||
        MostTo(first.neighbour, *known) < m_context.options.maxFrameBytes)
    {
        return {}; // over a weak link a few events arrive sooner than sums of many
    }
    known->fit.Sent(*first.events.begin());
    const auto sums = std::min(first.events.size(), limits.sums);
    const auto most = std::max(sums, limits.events / 2);
    auto mix = MakeMix(now, m_repairing.repairs.ChooseMixed(first, sums, most, canBeMixed), sums);
    RepairLater(now);
    return mix;
}

/// @return as many of @p sums sums of @p events as fit into a frame, of which one does
Outgoing
Broker::MakeMix(Instant now, const Summary& events, size_t sums)
{
    const auto frame = m_context.options.maxFrameBytes;
    Mix mix;
    auto from = SummaryPart::BEGIN;
    mix.events = SummaryPart(events, std::max(frame / 4, SummaryPart::MIN_BYTES), from);
    mix.seed = static_cast<uint16_t>(m_context.uniform() * (UINT16_MAX + 1));
    std::vector<EventPtr> mixed;
    size_t longest = 0;
    const auto ids = GetMixed(mix);
    for (const auto id : ids)
    {
        auto& held = m_store.at(id);
        held.isAnswered = true;
        mix.hops = std::max(mix.hops, mesh::OneHopOn(held.carried).hops);
        longest = std::max(longest, mftpubsub::CountBytes(*held.carried.event));
        mixed.push_back(held.carried.event);
    }
    const auto bytes = MIX_BYTES + mix.events.CountBytes();
    mix.sums = MakeSums(mixed, mix.seed, std::min(sums, (frame - bytes) / longest));
    m_repairing.repairs.EraseMixed(ids, mix.sums.size());
    mix.state = StateToTakeAlong(now, bytes + CountSumBytes(mix), frame);
    return {NO_NODE, std::move(mix)};
}

} // namespace mftpubsub::mesh
