/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/whereabouts.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mftpubsub::mesh
{

namespace
{

/// Bit of the number of places.
constexpr uint8_t IS_OPEN = 1 << 7;

int16_t
ToMetres(double metres)
{
    using Limits = std::numeric_limits<int16_t>;
    return static_cast<int16_t>(
        std::clamp<double>(std::round(metres), Limits::min(), Limits::max()));
}

void
Write(ByteWriter& out, const Spot& spot)
{
    out.Put(spot.x);
    out.Put(spot.y);
}

Spot
ReadSpot(ByteReader& in)
{
    Spot spot;
    spot.x = static_cast<int16_t>(in.Get<uint16_t>());
    spot.y = static_cast<int16_t>(in.Get<uint16_t>());
    return spot;
}

} // namespace

Spot
ToSpot(const Position& position)
{
    return {ToMetres(position.x), ToMetres(position.y)};
}

double
GetDistance(const Spot& one, const Spot& other)
{
    return std::hypot(one.x - other.x, one.y - other.y);
}

void
Write(ByteWriter& out, const Whereabouts& where)
{
    Write(out, where.here);
    out.Put(static_cast<uint8_t>(where.places.size() | (where.isOpen ? IS_OPEN : 0)));
    for (const auto& place : where.places)
    {
        out.Put(place.subscriber);
        Write(out, place.spot);
        out.Put(place.age);
    }
}

Whereabouts
ReadWhereabouts(ByteReader& in)
{
    Whereabouts where;
    where.here = ReadSpot(in);
    const auto count = in.Get<uint8_t>();
    where.isOpen = count & IS_OPEN;
    where.places.resize(count & ~IS_OPEN);
    for (auto& place : where.places)
    {
        place.subscriber = in.Get<NodeId>();
        place.spot = ReadSpot(in);
        place.age = in.Get<uint16_t>();
    }
    return where;
}

} // namespace mftpubsub::mesh
