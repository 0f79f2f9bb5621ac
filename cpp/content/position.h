/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_CONTENT_POSITION_H
#define MFTPUBSUB_CONTENT_POSITION_H

#include <cmath>

namespace mftpubsub
{

/// Where somebody is, m.
struct Position
{
    double x{0};
    double y{0};
    double z{0}; //!< above the ground

    bool operator==(const Position& other) const = default;
};

/// @return how far two places are from each other, m; in a plane exactly as without heights
inline double
GetDistance(const Position& one, const Position& other)
{
    return std::hypot(std::hypot(one.x - other.x, one.y - other.y), one.z - other.z);
}

} // namespace mftpubsub

#endif /* MFTPUBSUB_CONTENT_POSITION_H */
