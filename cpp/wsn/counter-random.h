/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WSN_COUNTER_RANDOM_H
#define MFTPUBSUB_WSN_COUNTER_RANDOM_H

#include <cstdint>

namespace mftpubsub
{

// Random numbers that are a function of a key and of what they are for: nothing is stored, and none
// depends on how many were drawn before.

/**
 * The finalizer of SplitMix64: every input bit reaches every output bit.
 *
 * @param x any number
 * @return a number that looks random
 */
constexpr uint64_t
MixBits(uint64_t x)
{
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

/**
 * @param bits random bits
 * @return a number in (0, 1), of the leading 53
 */
constexpr double
UniformOf(uint64_t bits)
{
    return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
}

/**
 * @param stream number of an ns-3 stream
 * @return the key of @p stream under ns-3's current seed and run
 */
uint64_t MakeStreamKey(int64_t stream);

} // namespace mftpubsub

#endif /* MFTPUBSUB_WSN_COUNTER_RANDOM_H */
