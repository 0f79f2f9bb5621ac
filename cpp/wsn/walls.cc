/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "wsn/walls.h"

#include <algorithm>
#include <utility>

namespace mftpubsub
{

namespace
{

struct Place
{
    double x;
    double y;
};

/// @return whether @p place lies left of the line from @p from to @p to; on the line is right
bool
IsLeft(const Place& from, const Place& to, const Place& place)
{
    return (to.x - from.x) * (place.y - from.y) - (to.y - from.y) * (place.x - from.x) > 0;
}

bool
Crosses(const Wall& wall, const Place& one, const Place& other)
{
    const Place from{wall.fromXMetres, wall.fromYMetres};
    const Place to{wall.toXMetres, wall.toYMetres};
    return IsLeft(one, other, from) != IsLeft(one, other, to) &&
           IsLeft(from, to, one) != IsLeft(from, to, other);
}

} // namespace

Walls::Walls(std::vector<Wall> walls)
    : m_walls(std::move(walls))
{
}

double
Walls::GetLossDb(double x, double y, double otherX, double otherY) const
{
    // In one order for both directions: what lies on the way is on the same side of it.
    auto one = std::pair{x, y};
    auto other = std::pair{otherX, otherY};
    if (other < one)
    {
        std::swap(one, other);
    }
    double loss = 0;
    for (const Wall& wall : m_walls)
    {
        if (Crosses(wall, {one.first, one.second}, {other.first, other.second}))
        {
            loss += wall.lossDb;
        }
    }
    return loss;
}

} // namespace mftpubsub
