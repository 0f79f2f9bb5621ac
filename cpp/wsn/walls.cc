/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "wsn/walls.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace mftpubsub
{

namespace
{

/// @return how far left of the line from @p from to @p to @p place lies, in units of its length;
/// negative to the right
double
LeftOf(const Position& from, const Position& to, const Position& place)
{
    return (to.x - from.x) * (place.y - from.y) - (to.y - from.y) * (place.x - from.x);
}

/// On the line is right of it.
bool
Crosses(const Wall& wall, const Position& one, const Position& other)
{
    const Position from{wall.fromXMetres, wall.fromYMetres};
    const Position to{wall.toXMetres, wall.toYMetres};
    const double begin = LeftOf(from, to, one);
    const double end = LeftOf(from, to, other);
    if ((LeftOf(one, other, from) > 0) == (LeftOf(one, other, to) > 0) || (begin > 0) == (end > 0))
    {
        return false;
    }
    const double height = one.z + (other.z - one.z) * begin / (begin - end);
    return wall.heightMetres == 0 || height < wall.heightMetres;
}

} // namespace

Walls::Walls(std::vector<Wall> walls)
    : m_walls(std::move(walls))
{
}

bool
Walls::HasLowOnes() const
{
    return std::any_of(m_walls.begin(), m_walls.end(), [](const Wall& wall) {
        return wall.heightMetres > 0;
    });
}

double
Walls::GetLossDb(const Position& one, const Position& other) const
{
    // In one order for both directions: what lies on the way is on the same side of it.
    const bool isForward = std::tie(one.x, one.y) < std::tie(other.x, other.y);
    const Position& first = isForward ? one : other;
    const Position& second = isForward ? other : one;
    double loss = 0;
    for (const Wall& wall : m_walls)
    {
        if (Crosses(wall, first, second))
        {
            loss += wall.lossDb;
        }
    }
    return loss;
}

} // namespace mftpubsub
