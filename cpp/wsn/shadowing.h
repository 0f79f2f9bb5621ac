/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WSN_SHADOWING_H
#define MFTPUBSUB_WSN_SHADOWING_H

#include "wsn/counter-random.h"

#include <cstdint>
#include <span>

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

    // The same for the many pairs of a search, several at a time.

    /**
     * @param limitDb a shadowing, dB
     * @return with a draw whose leading 32 bits are above this the shadowing is above @p limitDb
     */
    uint32_t GetLargestDraw(double limitDb) const;

    /**
     * Tells which of the places that follow each other are not ruled out by their draws.
     *
     * @param from place of the sender
     * @param first the first place
     * @param largestDraws for each place, see GetLargestDraw; a multiple of 8 of them
     * @param plausible a bit for each place, from the least significant on: whether the leading
     *        bits of its draw are not above
     */
    void FindPlausible(uint32_t from,
                       uint32_t first,
                       std::span<const uint32_t> largestDraws,
                       std::span<uint8_t> plausible) const;

    /**
     * Adds to path losses.
     *
     * @param from place of the sender
     * @param to places of the receivers
     * @param meanDb a path loss to each, dB
     * @param lossDb becomes the same plus what Get returns, rounded to single precision once, dB
     */
    void AddTo(uint32_t from,
               std::span<const uint32_t> to,
               std::span<const float> meanDb,
               std::span<float> lossDb) const;

  private:
    double Compute(uint64_t draw, bool isForward) const;

    uint64_t m_key;                //!< seed, run and stream
    double m_sigma;                //!< dB
    double m_halfDirectionalSigma; //!< dB
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_WSN_SHADOWING_H */
