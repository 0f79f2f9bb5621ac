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
    if (m_sums.empty())
    {
        return {};
    }
    TakeOut(*event);
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
    std::vector<Sum> sums;
    for (const auto& bytes : mix.sums)
    {
        sums.push_back({{}, bytes, now});
    }
    const auto ids = sums.empty() ? std::vector<EventId>() : GetMixed(mix);
    for (const auto id : ids)
    {
        const auto at = m_known.find(id);
        const auto column = at == m_known.end() ? GetColumn(id) : 0;
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
        Insert(std::move(sum));
    }
    return Solve(now);
}

size_t
Unmixer::CountStuck(Instant now) const
{
    return std::ranges::count_if(m_sums, [&](const auto& entry) {
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
    if (std::erase_if(m_sums, [&](const auto& entry) {
            return entry.second.heardAt < now - m_limits.unsolved;
        }) > 0)
    {
        FreeColumns();
    }
}

void
Unmixer::Keep(Instant now, const EventPtr& event)
{
    m_known.emplace(event->id, Known{event, {}});
    m_knownSince.emplace_back(now, event->id);
}

size_t
Unmixer::GetColumn(EventId id)
{
    const auto [at, isNew] = m_columns.emplace(id, m_columns.size());
    if (isNew && !m_free.empty())
    {
        at->second = m_free.back();
        m_free.pop_back();
    }
    return at->second;
}

/// Events that are in no sum need no column.
void
Unmixer::FreeColumns()
{
    std::erase_if(m_columns, [this](const auto& entry) {
        const auto column = entry.second;
        const auto isFree = std::ranges::none_of(m_sums, [column](const auto& other) {
            return other.second.GetFactor(column) != 0;
        });
        if (isFree)
        {
            m_free.push_back(column);
        }
        return isFree;
    });
}

/// @p event is known: no sum is of it any more.
void
Unmixer::TakeOut(const Event& event)
{
    const auto at = m_columns.find(event.id);
    if (at == m_columns.end())
    {
        return;
    }
    const auto bytes = ToBytes(event);
    const auto takeOut = [&bytes, column = at->second](Sum& sum) {
        if (const auto factor = sum.GetFactor(column))
        {
            galois::AddTimes(sum.bytes, factor, bytes);
            sum.factors[column] = 0;
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
    galois::AddTimes(to.factors, factor, from.factors);
    galois::AddTimes(to.bytes, factor, from.bytes);
}

void
Unmixer::Insert(Sum sum)
{
    const auto takeFrom = [](Sum& from, const Sum& what) {
        if (const auto factor = from.GetFactor(what.column))
        {
            Add(from, factor, what);
        }
    };
    for (const auto& [id, other] : m_sums)
    {
        takeFrom(sum, other);
    }
    const auto first = std::ranges::find_if(m_columns, [&sum](const auto& entry) {
        return sum.GetFactor(entry.second) != 0;
    });
    if (first == m_columns.end())
    {
        return; // it says nothing new
    }
    const auto [id, column] = *first;
    Sum solved{{}, {}, sum.heardAt, column};
    Add(solved, galois::Inverse(sum.GetFactor(column)), sum);
    for (auto& [otherId, other] : m_sums)
    {
        takeFrom(other, solved);
    }
    m_sums.emplace(id, std::move(solved));
    if (m_sums.size() > m_limits.mostUnsolved)
    {
        m_sums.erase(std::ranges::min_element(m_sums, {}, [](const auto& entry) {
            return entry.second.heardAt;
        }));
        FreeColumns();
    }
}

std::vector<EventPtr>
Unmixer::Solve(Instant now)
{
    std::vector<EventPtr> solved;
    const auto isSolved = [](const Sum& sum) {
        return std::ranges::count_if(sum.factors, [](uint8_t factor) { return factor != 0; }) == 1;
    };
    if (std::erase_if(m_sums, [&](const auto& entry) {
            const auto& [id, sum] = entry;
            if (!isSolved(sum))
            {
                return false;
            }
            if (auto event = ReadSolved(id, sum.bytes))
            {
                Keep(now, event);
                solved.push_back(std::move(event));
            }
            return true;
        }) > 0)
    {
        FreeColumns();
    }
    return solved;
}

} // namespace mftpubsub::mesh
