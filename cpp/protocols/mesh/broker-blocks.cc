/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/broker.h"

#include <algorithm>
#include <utility>

namespace mftpubsub::mesh
{

// Rule 12: sums of blocks

void
Broker::Hear(Instant now, const Header& from, const BlockMix& mix, double link, Output&)
{
    HearStateAlong(now, from, mix.state, CountSumBytes(mix), link);
    m_forwarding.blockMixer.Hear(now, CountBrokersAround(now));
    if (!m_repairing.repairs.IsEmpty())
    {
        for (const auto id : m_context.blocks->GetEvents(mix))
        {
            m_repairing.repairs.Erase(id);
        }
    }
}

Outgoing
Broker::TakeStateAlong(Instant now, BlockMix mix)
{
    mix.state = StateToTakeAlong(now,
                                 BLOCK_MIX_BYTES + CountSumBytes(mix),
                                 m_context.options.maxFrameBytes);
    return {NO_NODE, std::move(mix)};
}

/// A block of what is published here and concerns all.
std::optional<Outgoing>
Broker::BuildOwnBlock(Instant now)
{
    if (!MayMix() || DueOwn() > now)
    {
        return {};
    }
    std::vector<EventPtr> fresh;
    for (const auto id : m_forwarding.own)
    {
        const auto& held = m_store.at(id);
        if (held.isForAll)
        {
            fresh.push_back(held.carried.event);
        }
    }
    std::vector<CarriedEvent> block;
    for (const auto& event : m_forwarding.gathering.ChooseBlock(now, std::move(fresh)))
    {
        block.push_back({event, 0});
        m_forwarding.own.erase(event->id);
        m_forwarding.gathering.Went(event->id);
        m_forwarding.pace.Take(now);
    }
    if (block.empty())
    {
        return {};
    }
    m_forwarding.blockMixer.Hear(now, CountBrokersAround(now));
    return TakeStateAlong(now, m_context.blocks->MakeBlock(now, m_context.self, block));
}

std::optional<Outgoing>
Broker::BuildBlockMix(Instant now)
{
    auto& mixer = m_forwarding.blockMixer;
    if (mixer.Due() > now || !mixer.Take(now, CountBrokersAround(now)))
    {
        return {};
    }
    auto mix = m_context.blocks->MakeSum(now, m_context.options.maxFrameBytes);
    return mix ? std::optional(TakeStateAlong(now, std::move(*mix))) : std::nullopt;
}

/// What is in no block, if a neighbour lacks some of that.
std::optional<Outgoing>
Broker::BuildRepairOfAlone(Instant now, const Repairs::First& first)
{
    auto alone = first.events;
    std::erase_if(alone, [this](EventId id) { return m_context.blocks->Has(id); });
    if (alone.empty())
    {
        return {};
    }
    auto* known = m_neighbours.Find(first.neighbour);
    if (known)
    {
        known->fit.Sent(*alone.begin());
    }
    Rep rep;
    auto bytes = EVENTS_BYTES;
    const auto most = known ? MostTo(first.neighbour, *known) : m_context.options.maxFrameBytes;
    AddRepairs(rep, bytes, most, alone);
    RepairLater(now);
    rep.state = StateToTakeAlong(now, bytes, most);
    return Outgoing{NO_NODE, std::move(rep)};
}

/// A sum of all that a neighbour lacks: it has heard sums of that, and may need few more. How many
/// is not known. Where no more blocks come, events as they are serve it as well. What is in no
/// block goes first, as no sum brings it.
std::optional<Outgoing>
Broker::BuildBlockRepair(Instant now)
{
    if (m_repairing.repairs.IsEmpty() || !m_context.AreBlocksNew(now))
    {
        return {};
    }
    const auto first = m_repairing.repairs.GetFirst(now);
    if (auto alone = BuildRepairOfAlone(now, first))
    {
        return alone;
    }
    const auto* known = m_neighbours.Find(first.neighbour);
    if (known && MostTo(first.neighbour, *known) < m_context.options.maxFrameBytes)
    {
        return {}; // a sum is a full frame, which does not come over a weak link
    }
    auto mix = m_context.blocks->MakeSumOf(m_context.options.maxFrameBytes,
                                           {first.events.begin(), first.events.end()});
    if (!mix)
    {
        return {};
    }
    const auto& limits = m_context.options.limits.block;
    auto left = std::max(limits.atOnce, first.events.size() / limits.repairs);
    for (const auto id : m_context.blocks->GetEvents(*mix))
    {
        if (left > 0 && first.events.contains(id))
        {
            m_repairing.repairs.Erase(id);
            --left;
        }
    }
    RepairLater(now);
    return TakeStateAlong(now, std::move(*mix));
}

/// @return those that sums of blocks bring while there are some, taken out of what is @p asked for
/// and of what an answer covers
std::vector<Broker::Store::iterator>
Broker::TakeInBlocks(Instant now,
                     const Question& question,
                     std::vector<Store::iterator>& asked,
                     Summary& covered) const
{
    if (!m_context.AreBlocksNew(now) || IsSmall(question))
    {
        return {};
    }
    const auto others = std::stable_partition(asked.begin(), asked.end(), [this](const auto& at) {
        return !m_context.blocks->Has(at->first);
    });
    std::vector<Store::iterator> inBlocks(others, asked.end());
    asked.erase(others, asked.end());
    for (const auto& at : inBlocks)
    {
        covered.Remove(at->first);
    }
    return inBlocks;
}

std::optional<Outgoing>
Broker::BuildBlockAnswer(Question& question, const std::vector<Store::iterator>& asked)
{
    std::vector<EventId> ids;
    for (const auto& at : asked)
    {
        ids.push_back(at->first);
    }
    auto mix = m_context.blocks->MakeSumOf(m_context.options.maxFrameBytes, ids);
    if (!mix)
    {
        return {};
    }
    const auto subscriber = question.subscriber;
    const auto& limits = m_context.options.limits.block;
    const auto most = std::min(limits.repairs, asked.size() / (limits.repairs * limits.atOnce));
    if (++question.frames < most)
    {
        m_answers.questions.push_front(std::move(question));
    }
    return Outgoing{subscriber, std::move(*mix)};
}

} // namespace mftpubsub::mesh
