/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/unmixer.h"

#include "content/content-codec.h"
#include "protocols/mesh/sums.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace mftpubsub::mesh
{

namespace
{

/// Events whose copies are still heard where few are published.
constexpr size_t LATE = 8;

/// @return the event of this @p id that @p bytes begin with; none if they are anything else
EventPtr
ReadSolved(EventId id, const Bytes& bytes)
{
    try
    {
        ByteReader in(bytes);
        auto event = ReadEvent(in);
        const auto isPadded = std::all_of(bytes.end() - static_cast<std::ptrdiff_t>(in.Remaining()),
                                          bytes.end(),
                                          [](uint8_t byte) { return byte == 0; });
        return event->id == id && isPadded ? event : nullptr;
    }
    catch (const DecodeError&)
    {
        return nullptr;
    }
}

} // namespace

std::vector<EventPtr>
Unmixer::Know(Instant now, const EventPtr& event)
{
    if (IsOfLate(event->id))
    {
        return {}; // most are copies, and a search takes long in a large network
    }
    Forget(now);
    if (m_known.contains(event->id))
    {
        return {};
    }
    Keep(now, event);
    if (m_unsolved.GetSums().empty())
    {
        return {};
    }
    m_unsolved.TakeOut(event->id, ToBytes(*event));
    return Solve(now);
}

/// @return whether the event is one of the latest that are known
bool
Unmixer::IsOfLate(EventId id) const
{
    const auto late = static_cast<std::ptrdiff_t>(std::min(LATE, m_knownSince.size()));
    return std::any_of(m_knownSince.rbegin(),
                       m_knownSince.rbegin() + late,
                       [id](const auto& known) { return known.second == id; });
}

std::vector<EventPtr>
Unmixer::Hear(Instant now, const Mix& mix)
{
    Forget(now);
    std::vector<Equations<EventId>::Sum> sums;
    for (const auto& bytes : mix.sums)
    {
        sums.push_back({{}, bytes, now});
    }
    const auto ids = sums.empty() ? std::vector<EventId>() : GetMixed(mix);
    for (const auto id : ids)
    {
        const auto at = m_known.find(id);
        const auto column = at == m_known.end() ? m_unsolved.GetColumn(id) : 0;
        for (size_t index = 0; index < sums.size(); ++index)
        {
            const auto factor = GetFactor(mix.seed, index, id);
            auto& sum = sums[index];
            if (at == m_known.end())
            {
                sum.factors.resize(std::max(sum.factors.size(), column + 1));
                sum.factors[column] = factor;
                continue;
            }
            auto& known = at->second;
            if (known.bytes.empty())
            {
                known.bytes = ToBytes(*known.event);
            }
            galois::AddTimes(sum.bytes, factor, known.bytes);
        }
    }
    for (auto& sum : sums)
    {
        m_unsolved.Insert(std::move(sum));
    }
    // Not before: it frees columns, which those that were still to come may have had.
    while (m_unsolved.GetSums().size() > m_limits.mostUnsolved)
    {
        m_unsolved.ForgetOldest();
    }
    return Solve(now);
}

size_t
Unmixer::CountHeard(Instant since) const
{
    const auto first = std::ranges::lower_bound(m_knownSince, since, {}, [](const auto& known) {
        return known.first;
    });
    return static_cast<size_t>(m_knownSince.end() - first);
}

size_t
Unmixer::CountStuck(Instant now) const
{
    return std::ranges::count_if(m_unsolved.GetSums(), [&](const auto& entry) {
        const auto age = now - entry.second.heardAt;
        return age > m_limits.stuck && age <= m_limits.unsolved;
    });
}

void
Unmixer::Forget(Instant now)
{
    while (!m_knownSince.empty() && (m_knownSince.front().first < now - m_limits.known ||
                                     m_knownSince.size() > m_limits.mostKnown))
    {
        m_known.erase(m_knownSince.front().second);
        m_knownSince.pop_front();
    }
    m_unsolved.Forget(now - m_limits.unsolved);
}

void
Unmixer::Keep(Instant now, const EventPtr& event)
{
    m_known.emplace(event->id, Known{event, {}});
    m_knownSince.emplace_back(now, event->id);
}

std::vector<EventPtr>
Unmixer::Solve(Instant now)
{
    std::vector<EventPtr> solved;
    for (const auto& [id, bytes] : m_unsolved.TakeSolved())
    {
        if (auto event = ReadSolved(id, bytes))
        {
            Keep(now, event);
            solved.push_back(std::move(event));
        }
    }
    return solved;
}

} // namespace mftpubsub::mesh
