/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_WHEREABOUTS_H
#define MFTPUBSUB_PROTOCOLS_MESH_WHEREABOUTS_H

#include "content/bytes.h"
#include "content/event.h"
#include "content/position.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mftpubsub::mesh
{

/// A position as frames say it, in whole metres.
struct Spot
{
    int16_t x{0};
    int16_t y{0};

    bool operator==(const Spot&) const = default;
};

/// @return the spot that is nearest to @p position, whose height frames do not say
Spot ToSpot(const Position& position);

/// @return how far two spots are from each other, m
double GetDistance(const Spot& one, const Spot& other);

/// Where a subscriber was.
struct Place
{
    NodeId subscriber{NO_NODE};
    Spot spot;
    uint16_t age{0}; //!< hundredths of a second since it was heard there: 11 min at most

    bool operator==(const Place&) const = default;
};

/// What a frame says of positions, behind its body.
struct Whereabouts
{
    Spot here;          //!< of its sender
    bool isOpen{false}; //!< its events are for whoever is nearer, not only for who is ahead
    std::vector<Place> places;

    bool operator==(const Whereabouts&) const = default;
};

/// Bytes of Whereabouts without places ...
inline constexpr size_t WHEREABOUTS_BYTES = 5;

/// ... and of each of these.
inline constexpr size_t PLACE_BYTES = 8;

/// Places at most, which a frame counts in seven bits.
inline constexpr size_t MAX_PLACES = 127;

void Write(ByteWriter& out, const Whereabouts& where);
Whereabouts ReadWhereabouts(ByteReader& in);

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_WHEREABOUTS_H */
