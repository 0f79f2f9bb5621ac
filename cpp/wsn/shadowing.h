/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WSN_SHADOWING_H
#define MFTPUBSUB_WSN_SHADOWING_H

#include "wsn/counter-random.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numbers>

namespace mftpubsub
{

/**
 * Lognormal shadowing, drawn once per unordered pair of places (BEHAVIOUR point 3): a part common
 * to both directions, N(0, sigma), and half of N(0, bidirectionalSigma) added one way and
 * subtracted the other.
 *
 * A place is a node (static case) or a cell (mobile case). The draw is a function of the key and
 * the pair, not of when it is asked for: it comes from a counter-based generator, so that nothing
 * needs to be stored and every protocol sees the same radio map.
 */
class Shadowing
{
  public:
    /**
     * @param key what the map depends on besides the pair (seed, run and stream), see MakeStreamKey
     * @param sigma standard deviation of the common part, dB
     * @param bidirectionalSigma standard deviation of the difference of both directions, dB
     */
    Shadowing(uint64_t key, double sigma, double bidirectionalSigma);

    /**
     * @param from place of the sender
     * @param to place of the receiver
     * @return what to add to the path loss, dB
     */
    double Get(uint32_t from, uint32_t to) const;

    // The same in steps, for the many pairs of a search.

    /**
     * @param a a place
     * @param b another place
     * @return the random number of the pair: the smaller, the further may the shadowing be from 0
     */
    uint64_t Draw(uint32_t a, uint32_t b) const
    {
        return MixBits(m_key ^ MixBits((uint64_t{std::min(a, b)} << 32) | std::max(a, b)));
    }

    /**
     * @param limitDb a shadowing, dB
     * @return with a draw whose leading 32 bits are above this the shadowing is above @p limitDb
     */
    uint32_t GetLargestDraw(double limitDb) const;

    /**
     * @param meanDb a path loss, dB
     * @param draw draw of the pair
     * @param isForward whether from < to
     * @param largestDb a path loss, dB
     * @return @p meanDb plus what Get returns, rounded to single precision once, dB; or infinity
     *         where that is above @p largestDb and found out in less time
     */
    float AddTo(float meanDb, uint64_t draw, bool isForward, double largestDb) const;

  private:
    double Compute(uint64_t draw, bool isForward) const;
    /// @return shadowing for a radius of 1, such that what Compute returns is within ROUGHLY, dB
    double ComputeSwing(uint64_t draw, bool isForward) const;

    /// Shadowing for a radius of 1 at an angle, and its derivative by the angle, dB.
    struct Swing
    {
        double value;
        double slope;
    };

    static constexpr double ROUGHLY = 1e-9; //!< dB
    static constexpr uint32_t ANGLE_BITS = 8;
    static constexpr double ANGLE_STEP = 2.0 * std::numbers::pi / (1 << ANGLE_BITS);

    uint64_t m_key;                //!< seed, run and stream
    double m_sigma;                //!< dB
    double m_halfDirectionalSigma; //!< dB
    /// In the middle of each step of the angle; [1] for from < to.
    std::array<std::array<Swing, 1 << ANGLE_BITS>, 2> m_swings;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_WSN_SHADOWING_H */
