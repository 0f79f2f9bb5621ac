/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "wsn/neighbour-grid.h"

#include <cmath>

namespace mftpubsub
{

void
NeighbourGrid::Reset(double minX, double minY, double maxX, double maxY, double bucketSize)
{
    // A sparse network in a huge area must not cost a huge grid.
    constexpr double maxBuckets = 512;
    m_minX = minX;
    m_minY = minY;
    m_bucketSize = std::max({bucketSize, (maxX - minX) / maxBuckets, (maxY - minY) / maxBuckets});
    m_columns = static_cast<uint32_t>((maxX - minX) / m_bucketSize) + 1;
    m_rows = static_cast<uint32_t>((maxY - minY) / m_bucketSize) + 1;
    m_buckets.assign(size_t{m_columns} * m_rows, {});
}

void
NeighbourGrid::Add(uint32_t id, double x, double y)
{
    m_buckets[Row(y) * m_columns + Column(x)].push_back(id);
}

void
NeighbourGrid::Move(uint32_t id, double oldX, double oldY, double x, double y)
{
    const uint32_t from = Row(oldY) * m_columns + Column(oldX);
    const uint32_t to = Row(y) * m_columns + Column(x);
    if (from != to)
    {
        std::erase(m_buckets[from], id);
        m_buckets[to].push_back(id);
    }
}

double
NeighbourGrid::HalfChord(double y, double radius, uint32_t row) const
{
    // The outermost rows also hold the points beyond them.
    const double low = row == 0 ? -HUGE_VAL : m_minY + row * m_bucketSize;
    const double high = row + 1 == m_rows ? HUGE_VAL : m_minY + (row + 1) * m_bucketSize;
    const double away = std::max({0.0, low - y, y - high});
    return std::sqrt(std::max(0.0, radius * radius - away * away));
}

} // namespace mftpubsub
