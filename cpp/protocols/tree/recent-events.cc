/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/tree/recent-events.h"

#include <algorithm>
#include <limits>

namespace mftpubsub
{

namespace
{

constexpr uint32_t WINDOW = std::numeric_limits<uint64_t>::digits;

/// @return the bits of a window that ends so many events later
uint64_t
Shifted(uint64_t bits, uint32_t later)
{
    return later < WINDOW ? bits << later : 0;
}

} // namespace

void
RecentEvents::Insert(const EventId& event)
{
    Learn({event.publisher, event.sequence, 1});
}

void
RecentEvents::Learn(const RecentRow& row)
{
    const auto known = std::ranges::find(m_rows, row.publisher, &RecentRow::publisher);
    if (known == m_rows.end())
    {
        m_rows.push_back(row);
    }
    else if (row.last > known->last)
    {
        known->bits = row.bits | Shifted(known->bits, row.last - known->last);
        known->last = row.last;
    }
    else
    {
        known->bits |= Shifted(row.bits, known->last - row.last);
    }
}

bool
RecentEvents::Contains(const EventId& event) const
{
    const auto row = std::ranges::find(m_rows, event.publisher, &RecentRow::publisher);
    if (row == m_rows.end() || event.sequence > row->last)
    {
        return false;
    }
    const auto behind = row->last - event.sequence;
    return behind < WINDOW && (row->bits >> behind & 1) != 0;
}

std::string
RecentEvents::GetDigest() const
{
    std::string text;
    for (const auto& [publisher, last, bits] : m_rows)
    {
        text += std::to_string(publisher) + "." + std::to_string(last) + ":" +
                std::to_string(bits) + ",";
    }
    return text;
}

} // namespace mftpubsub
