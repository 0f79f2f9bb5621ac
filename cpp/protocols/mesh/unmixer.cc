/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/unmixer.h"

#include "content/content-codec.h"
#include "protocols/mesh/galois.h"
#include "protocols/mesh/sums.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace mftpubsub::mesh
{

namespace
{

/// @return the event of this @p id that @p bytes begin with; none if they are anything else
EventPtr
ReadSolved(EventId id, const Bytes& bytes)
{
    try
    {
        ByteReader in(bytes);
        auto event = ReadEvent(in);
        return event->id == id ? event : nullptr;
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
    Forget(now);
    if (m_known.contains(event->id))
    {
        return {};
    }
    Keep(now, event);
    if (m_sums.empty())
    {
        return {};
    }
    TakeOut(*event);
    return Solve(now);
}

std::vector<EventPtr>
Unmixer::Hear(Instant now, const Mix& mix)
{
    Forget(now);
    const auto ids = GetMixed(mix);
    for (size_t index = 0; index < mix.sums.size(); ++index)
    {
        Sum sum{{}, mix.sums[index], now};
        for (const auto id : ids)
        {
            const auto factor = GetFactor(mix.seed, index, id);
            if (const auto known = m_known.find(id); known != m_known.end())
            {
                galois::AddTimes(sum.bytes, factor, ToBytes(*known->second));
            }
            else
            {
                sum.factors[id] = factor;
            }
        }
        Insert(std::move(sum));
    }
    return Solve(now);
}

size_t
Unmixer::CountStuck(Instant now) const
{
    return std::ranges::count_if(m_sums, [since = now - m_limits.stuck](const auto& entry) {
        return entry.second.heardAt < since;
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
    std::erase_if(m_sums, [&](const auto& entry) {
        return entry.second.heardAt < now - m_limits.unsolved;
    });
}

void
Unmixer::Keep(Instant now, const EventPtr& event)
{
    m_known.emplace(event->id, event);
    m_knownSince.emplace_back(now, event->id);
}

/// @p event is known: no sum is of it any more.
void
Unmixer::TakeOut(const Event& event)
{
    const auto bytes = ToBytes(event);
    const auto takeOut = [&](Sum& sum) {
        if (const auto factor = sum.factors.extract(event.id))
        {
            galois::AddTimes(sum.bytes, factor.mapped(), bytes);
        }
    };
    auto its = m_sums.extract(event.id);
    for (auto& [id, sum] : m_sums)
    {
        takeOut(sum);
    }
    if (its)
    {
        takeOut(its.mapped());
        Insert(std::move(its.mapped()));
    }
}

void
Unmixer::Add(Sum& to, uint8_t factor, const Sum& from)
{
    for (const auto& [id, its] : from.factors)
    {
        auto& sum = to.factors[id];
        sum ^= galois::Times(factor, its);
        if (sum == 0)
        {
            to.factors.erase(id);
        }
    }
    galois::AddTimes(to.bytes, factor, from.bytes);
}

void
Unmixer::Insert(Sum sum)
{
    const auto takeFrom = [](Sum& from, EventId id, const Sum& what) {
        if (const auto at = from.factors.find(id); at != from.factors.end())
        {
            Add(from, at->second, what);
        }
    };
    for (const auto& [id, other] : m_sums)
    {
        takeFrom(sum, id, other);
    }
    if (sum.factors.empty())
    {
        return; // it says nothing new
    }
    const auto [id, factor] = *sum.factors.begin();
    Sum first{{}, {}, sum.heardAt};
    Add(first, galois::Inverse(factor), sum);
    for (auto& [otherId, other] : m_sums)
    {
        takeFrom(other, id, first);
    }
    m_sums.emplace(id, std::move(first));
    if (m_sums.size() > m_limits.mostUnsolved)
    {
        m_sums.erase(std::ranges::min_element(m_sums, {}, [](const auto& entry) {
            return entry.second.heardAt;
        }));
    }
}

std::vector<EventPtr>
Unmixer::Solve(Instant now)
{
    std::vector<EventPtr> solved;
    std::erase_if(m_sums, [&](const auto& entry) {
        const auto& [id, sum] = entry;
        if (sum.factors.size() > 1)
        {
            return false;
        }
        if (auto event = ReadSolved(id, sum.bytes))
        {
            Keep(now, event);
            solved.push_back(std::move(event));
        }
        return true;
    });
    return solved;
}

} // namespace mftpubsub::mesh
