/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/gathering.h"

#include "content/content-codec.h"
#include "protocols/mesh/block-codec.h"

#include <algorithm>

namespace mftpubsub::mesh
{

Instant
Gathering::Publish(Instant now, const EventPtr& event)
{
    const auto& limits = m_context.options.limits.block;
    const auto areClose = !m_published.empty() && now <= m_published.back() + limits.counted;
    m_published.push_back(now);
    if (m_published.size() > limits.often)
    {
        m_published.pop_front();
    }
    if (!areClose || IsLong(*event) || !IsGathering(now))
    {
        return now;
    }
    if (m_gathered.empty())
    {
        m_until = now + limits.gather;
    }
    m_gathered.push_back(event);
    auto next = std::make_shared<Event>(*event);
    ++next->id.sequence;
    auto more = m_gathered;
    more.push_back(std::move(next));
    if (Fit(more).size() < more.size())
    {
        m_until = now;
    }
    return m_until;
}

bool
Gathering::IsGathering(Instant now) const
{
    const auto& limits = m_context.options.limits;
    const auto since = now - limits.block.counted;
    const auto isBusy = m_context.load() >= limits.mix.load;
    const auto heard = m_context.heard(since);
    if (m_context.HearsBlocks(now) ? heard >= limits.block.fewest
                                   : isBusy && heard >= limits.block.many)
    {
        return true;
    }
    const auto published = static_cast<size_t>(
        std::ranges::count_if(m_published, [since](Instant at) { return at >= since; }));
    const auto isStuck =
        m_context.load() >= limits.pace.load && m_context.stuck(now) > limits.pace.stuck;
    return (published >= limits.block.often && isBusy) ||
           (2 * published >= limits.block.often && isStuck);
}

std::vector<EventPtr>
Gathering::ChooseBlock(Instant now, std::vector<EventPtr> fresh) const
{
    if (m_gathered.empty() && !m_context.HearsBlocks(now) && !IsGathering(now))
    {
        return {};
    }
    std::erase_if(fresh, [this](const EventPtr& event) { return IsLong(*event); });
    auto block = Fit(fresh);
    return block.size() < 2 ? std::vector<EventPtr>() : block;
}

std::vector<EventPtr>
Gathering::Fit(const std::vector<EventPtr>& events) const
{
    std::vector<EventPtr> fitting;
    for (const auto& event : events)
    {
        fitting.push_back(event);
        if (fitting.size() > 1 &&
            (fitting.size() > MAX_BLOCK || PackBlock(fitting).size() > GetMost()))
        {
            fitting.pop_back();
            break;
        }
    }
    return fitting;
}

bool
Gathering::IsLong(const Event& event) const
{
    const auto frame = Instant(m_context.options.maxFrameBytes);
    const auto longest = Times(frame, m_context.options.limits.mix.longest);
    return CountBytes(event) > static_cast<size_t>(longest.count());
}

size_t
Gathering::GetMost() const
{
    const auto frame = m_context.options.maxFrameBytes;
    const auto part = Times(Instant(frame), m_context.options.limits.block.part);
    const auto around = BLOCK_MIX_BYTES + CountSumBytes(BlockMix{{}, 0, {BlockId()}, {1}, {}});
    return std::min(static_cast<size_t>(part.count()), frame - around);
}

} // namespace mftpubsub::mesh
