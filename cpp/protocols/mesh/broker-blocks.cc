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
    if (m_policies.queue || DueOwn() > now)
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

/// A sum of all that a neighbour lacks: it has heard sums of that, and may need few more. How many
/// is not known. Where no more blocks come, events as they are serve it as well.
std::optional<Outgoing>
Broker::BuildBlockRepair(Instant now)
{
    if (m_repairing.repairs.IsEmpty() || !m_context.AreBlocksNew(now))
    {
        return {};
    }
    const auto first = m_repairing.repairs.GetFirst(now);
    auto mix = m_context.blocks->MakeSumOf(m_context.options.maxFrameBytes,
                                           {first.events.begin(), first.events.end()});
    if (!mix)
    {
        return {};
    }
    const auto& limits = m_context.options.limits.block;
    auto left = std::max(limits.atOnce, first.events.size() / limits.repairs);
    for (auto id = first.events.begin(); id != first.events.end() && left > 0; ++id, --left)
    {
        m_repairing.repairs.Erase(*id);
    }
    RepairLater(now);
    return TakeStateAlong(now, std::move(*mix));
}

std::optional<Outgoing>
Broker::BuildBlockAnswer(Instant now, Question& question, const std::vector<Store::iterator>& asked)
{
    if (!m_context.AreBlocksNew(now))
    {
        return {};
    }
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
