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
    m_points.assign(m_rows, {});
}

void
NeighbourGrid::Add(uint32_t id, double x, double y)
{
    auto& points = m_points[Row(y)];
    const uint32_t column = Column(x);
    points.insert(std::ranges::upper_bound(points, column, {}, &Point::column), {column, id});
}

void
NeighbourGrid::Move(uint32_t id, double oldX, double oldY, double x, double y)
{
    const uint32_t oldRow = Row(oldY);
    if (oldRow != Row(y) || Column(oldX) != Column(x))
    {
        std::erase_if(m_points[oldRow], [id](const Point& point) { return point.id == id; });
        Add(id, x, y);
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
