/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WSN_NEIGHBOUR_GRID_H
#define MFTPUBSUB_WSN_NEIGHBOUR_GRID_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace mftpubsub
{

/// Points in the plane, found by area: buckets of the size of a typical search.
class NeighbourGrid
{
  public:
    /**
     * Empties the grid and lays it over a rectangle; points outside go to the nearest bucket.
     *
     * @param minX left edge, m
     * @param minY lower edge, m
     * @param maxX right edge, m
     * @param maxY upper edge, m
     * @param bucketSize side of a bucket, m
     */
    void Reset(double minX, double minY, double maxX, double maxY, double bucketSize);

    /// Adds point @p id at (@p x, @p y).
    void Add(uint32_t id, double x, double y);

    /// Moves point @p id from (@p oldX, @p oldY) to (@p x, @p y).
    void Move(uint32_t id, double oldX, double oldY, double x, double y);

    /**
     * Calls @p visit for a superset of the points within @p radius of (@p x, @p y).
     *
     * @param x centre, m
     * @param y centre, m
     * @param radius search radius, m
     * @param visit callable with a uint32_t
     */
    template <typename Visitor>
    void Visit(double x, double y, double radius, Visitor&& visit) const
    {
        const uint32_t row1 = Row(y + radius);
        for (uint32_t row = Row(y - radius); row <= row1; ++row)
        {
            const double reach = HalfChord(y, radius, row);
            const uint32_t column1 = Column(x + reach);
            const auto& points = m_points[row];
            auto point = std::ranges::lower_bound(points, Column(x - reach), {}, &Point::column);
            for (; point != points.end() && point->column <= column1; ++point)
            {
                visit(point->id);
            }
        }
    }

  private:
    /// A point in a row of buckets.
    struct Point
    {
        uint32_t column;
        uint32_t id;
    };

    /// @return index of the bucket that holds @p offset, clamped to the grid
    static uint32_t Clamp(double offset, uint32_t count)
    {
        return static_cast<uint32_t>(std::clamp(offset, 0.0, static_cast<double>(count - 1)));
    }

    uint32_t Column(double x) const
    {
        return Clamp((x - m_minX) / m_bucketSize, m_columns);
    }

    uint32_t Row(double y) const
    {
        return Clamp((y - m_minY) / m_bucketSize, m_rows);
    }

    /// @return how far a circle around @p y reaches to either side within a row, m
    double HalfChord(double y, double radius, uint32_t row) const;

    double m_minX{0};       //!< m
    double m_minY{0};       //!< m
    double m_bucketSize{1}; //!< m
    uint32_t m_columns{1};
    uint32_t m_rows{1};
    std::vector<std::vector<Point>> m_points; //!< by row, in order of columns and then of arrival
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_WSN_NEIGHBOUR_GRID_H */
