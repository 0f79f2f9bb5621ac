/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/tree/recent-events.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace mftpubsub
{

namespace
{

constexpr uint32_t WINDOW = std::numeric_limits<uint64_t>::digits;

} // namespace

RecentEvents::RecentEvents(std::vector<RecentRow> rows)
    : m_rows(std::move(rows))
{
}

void
RecentEvents::Insert(const EventId& event)
{
    const auto row = std::ranges::find(m_rows, event.publisher, &RecentRow::publisher);
    if (row == m_rows.end())
    {
        m_rows.push_back({event.publisher, event.sequence, 1});
    }
    else if (event.sequence > row->last)
    {
        const auto ahead = event.sequence - row->last;
        row->bits = (ahead < WINDOW ? row->bits << ahead : 0) | 1;
        row->last = event.sequence;
    }
    else if (const auto behind = row->last - event.sequence; behind < WINDOW)
    {
        row->bits |= uint64_t{1} << behind;
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
