/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WSN_SHADOWING_H
#define MFTPUBSUB_WSN_SHADOWING_H

#include <array>
#include <cstdint>

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
     * @param key what the map depends on besides the pair (seed, run and stream), see MakeKey
     * @param sigma standard deviation of the common part, dB
     * @param bidirectionalSigma standard deviation of the difference of both directions, dB
     */
    Shadowing(uint64_t key, double sigma, double bidirectionalSigma);

    /**
     * @param stream an ns-3 stream number
     * @return the key for @p stream under ns-3's current seed and run
     */
    static uint64_t MakeKey(int64_t stream);

    /**
     * @param from place of the sender
     * @param to place of the receiver
     * @return what to add to the path loss, dB
     */
    double Get(uint32_t from, uint32_t to) const;

    /**
     * @param from place of the sender
     * @param to place of the receiver
     * @param limitDb a shadowing, dB
     * @return what Get returns, or infinity where that is above @p limitDb, mostly: then it is
     *         found out in less time
     */
    double GetAtMost(uint32_t from, uint32_t to, float limitDb) const;

  private:
    /// The random bits of a pair: of both directions alike.
    struct Bits
    {
        uint64_t radius;
        uint64_t angle;
    };

    Bits GetBits(uint32_t a, uint32_t b) const;
    double Compute(const Bits& bits, bool isForward) const;

    /// Leading bits of the two random numbers of a pair, by which the bounds are tabulated.
    static constexpr uint32_t RADIUS_BITS = 10;
    static constexpr uint32_t ANGLE_BITS = 8;

    uint64_t m_key;                //!< seed, run and stream
    double m_sigma;                //!< dB
    double m_halfDirectionalSigma; //!< dB
    std::array<float, 1 << RADIUS_BITS> m_largestRadius;
    /// Smallest shadowing for a radius of 1, at most 0; [0] for from < to, dB.
    std::array<std::array<float, 1 << ANGLE_BITS>, 2> m_smallestSwing;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_WSN_SHADOWING_H */
