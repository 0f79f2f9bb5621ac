/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WSN_WALLS_H
#define MFTPUBSUB_WSN_WALLS_H

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
    double lossDb{0}; //!< of a signal that passes, dB; at least 0
};

/**
 * What walls take of signals, by the multi-wall model (Motley and Keenan, 1988; COST 231, section
 * 4.7): each wall on the straight way between two places takes its loss, at whatever angle.
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

    /**
     * A way through a corner that two walls share passes one of them if it goes in or out there. If
     * it only touches the corner, it passes both or none.
     *
     * @param x of a place, m
     * @param y of this place, m
     * @param otherX of another place, m
     * @param otherY of that place, m
     * @return loss between the two, the same in both directions, dB
     */
    double GetLossDb(double x, double y, double otherX, double otherY) const;

  private:
    std::vector<Wall> m_walls;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_WSN_WALLS_H */
