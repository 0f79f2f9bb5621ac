/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "wsn/plausible-cells.h"

#include <algorithm>
#include <cstddef>
#include <span>

namespace mftpubsub
{

namespace
{

/// Most memory for what is kept, B.
constexpr size_t MAX_KEPT = 128 << 20;

} // namespace

void
PlausibleCells::Reset(uint32_t columns,
                      uint32_t rows,
                      const std::vector<std::vector<uint32_t>>& largestDraws)
{
    m_columns = columns;
    m_rows = rows;
    m_reach = static_cast<uint32_t>(largestDraws.size()) - 1;
    const uint32_t side = 2 * m_reach + 1;
    m_stride = (side + 7) / 8 * 8;
    m_largestDraws.clear();
    for (const auto& byColumn : largestDraws)
    {
        m_largestDraws.insert(m_largestDraws.end(), byColumn.rbegin(), byColumn.rend());
        m_largestDraws.insert(m_largestDraws.end(), byColumn.begin() + 1, byColumn.end());
        m_largestDraws.resize(m_largestDraws.size() + m_stride - side);
    }
    const size_t square = sizeof(Kept) + size_t{side} * m_stride / 8;
    m_kept.clear();
    m_kept.resize(std::clamp<size_t>(MAX_KEPT / square, 1, size_t{columns} * rows));
}

PlausibleCells::Square
PlausibleCells::Around(const Cell& from, const Shadowing& shadowing)
{
    Kept& kept = m_kept[from.index % m_kept.size()];
    if (kept.cell != from.index)
    {
        Find(from, shadowing, kept.bits);
        kept.cell = from.index;
    }
    // A square is asked for from its first row to its last.
    for (size_t byte = 0; byte < kept.bits.size(); byte += 64)
    {
        __builtin_prefetch(kept.bits.data() + byte);
    }
    Square square;
    square.m_bits = kept.bits.data();
    square.m_firstColumn = from.column - m_reach;
    square.m_firstRow = from.row - m_reach;
    square.m_side = 2 * m_reach + 1;
    square.m_stride = m_stride;
    return square;
}

void
PlausibleCells::Find(const Cell& from, const Shadowing& shadowing, std::vector<uint8_t>& bits) const
{
    const size_t bytes = m_stride / 8;
    bits.assign((2 * m_reach + 1) * bytes, 0);
    const uint32_t above = std::min<uint32_t>(from.row, m_reach);
    const uint32_t below = std::min(m_rows - 1 - from.row, m_reach);
    for (uint32_t row = from.row - above; row <= from.row + below; ++row)
    {
        const uint32_t away = row > from.row ? row - from.row : from.row - row;
        // What of the square lies beyond the field's sides nobody asks for.
        const uint32_t first = row * m_columns + from.column - m_reach;
        shadowing.FindPlausible(
            from.index,
            first,
            std::span(m_largestDraws).subspan(size_t{away} * m_stride, m_stride),
            std::span(bits).subspan((row + m_reach - from.row) * bytes, bytes));
    }
}

} // namespace mftpubsub
