/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WSN_WALLS_H
#define MFTPUBSUB_WSN_WALLS_H

#include "content/position.h"

#include <vector>

namespace mftpubsub
{

/// A straight wall that signals pass, and that takes something of them.
struct Wall
{
    double fromXMetres{0};
    double fromYMetres{0};
    double toXMetres{0};
    double toYMetres{0};
    double lossDb{0};       //!< of a signal that passes, dB; at least 0
    double heightMetres{0}; //!< what goes over it is free; 0: nothing does
};

/**
 * What walls take of signals, by the multi-wall model (Motley and Keenan, 1988; COST 231, section
 * 4.7): each wall on the straight way between two places takes its loss, at whatever angle. There
 * are no roofs.
 */
class Walls
{
  public:
    Walls() = default;
    explicit Walls(std::vector<Wall> walls);

    bool IsEmpty() const
    {
        return m_walls.empty();
    }

    /// @return whether there is one that signals may go over
    bool HasLowOnes() const;

    /**
     * A way through a corner that two walls share passes one of them if it goes in or out there. If
     * it only touches the corner, it passes both or none.
     *
     * @return loss between two places, the same in both directions, dB
     */
    double GetLossDb(const Position& one, const Position& other) const;

  private:
    std::vector<Wall> m_walls;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_WSN_WALLS_H */
