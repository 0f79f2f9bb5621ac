/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "wsn/shadowing.h"

#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace mftpubsub
{

namespace
{

/// The finalizer of SplitMix64: every input bit reaches every output bit.
uint64_t
Mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

/// @return a number in (0, 1)
double
Uniform(uint64_t bits)
{
    return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
}

/// @return the distance from the mean of a pair of normal variables (Box and Muller)
double
Radius(uint64_t bits)
{
    return std::sqrt(-2.0 * std::log(Uniform(bits)));
}

} // namespace

Shadowing::Shadowing(uint64_t key, double sigma, double bidirectionalSigma)
    : m_key(key),
      m_sigma(sigma),
      m_halfDirectionalSigma(bidirectionalSigma / 2)
{
    // Each table entry is for an interval of random numbers; what is within is bounded from
    // its ends. Slack covers the rounding of Get.
    constexpr double slack = 1e-4;
    for (uint32_t i = 0; i < m_largestRadius.size(); ++i)
    {
        m_largestRadius[i] =
            static_cast<float>(Radius(uint64_t{i} << (64 - RADIUS_BITS)) * (1 + slack));
    }
    constexpr double step = 2.0 * std::numbers::pi / (1 << ANGLE_BITS);
    const auto largestBend =
        std::hypot(m_sigma, m_halfDirectionalSigma) * (1 - std::cos(step / 2)) + slack;
    for (uint32_t i = 0; i < m_smallestSwing[0].size(); ++i)
    {
        for (const int direction : {0, 1})
        {
            const double directional = (direction == 0 ? 1 : -1) * m_halfDirectionalSigma;
            const auto swing = [&](double angle) {
                return m_sigma * std::cos(angle) + directional * std::sin(angle);
            };
            const double smallest = std::min(swing(i * step), swing((i + 1) * step)) - largestBend;
            m_smallestSwing[direction][i] = static_cast<float>(std::min(smallest, 0.0));
        }
    }
}

uint64_t
Shadowing::MakeKey(int64_t stream)
{
    uint64_t key = Mix(ns3::RngSeedManager::GetSeed());
    key = Mix(key ^ ns3::RngSeedManager::GetRun());
    return Mix(key ^ static_cast<uint64_t>(stream));
}

Shadowing::Bits
Shadowing::GetBits(uint32_t a, uint32_t b) const
{
    const uint64_t state = Mix(m_key ^ Mix((uint64_t{std::min(a, b)} << 32) | std::max(a, b)));
    return {state, Mix(state)};
}

double
Shadowing::Compute(const Bits& bits, bool isForward) const
{
    const double radius = Radius(bits.radius);
    const double angle = 2.0 * std::numbers::pi * Uniform(bits.angle);
    const double directional = m_halfDirectionalSigma * radius * std::sin(angle);
    return m_sigma * radius * std::cos(angle) + (isForward ? directional : -directional);
}

double
Shadowing::Get(uint32_t from, uint32_t to) const
{
    return m_sigma == 0 && m_halfDirectionalSigma == 0 ? 0 : Compute(GetBits(from, to), from < to);
}

double
Shadowing::GetAtMost(uint32_t from, uint32_t to, float limitDb) const
{
    if (limitDb >= 0)
    {
        return Get(from, to);
    }
    const Bits bits = GetBits(from, to);
    const float radius = m_largestRadius[bits.radius >> (64 - RADIUS_BITS)];
    const auto& swing = m_smallestSwing[from < to ? 0 : 1];
    if (radius * swing[bits.angle >> (64 - ANGLE_BITS)] > limitDb)
    {
        return std::numeric_limits<double>::infinity();
    }
    return Compute(bits, from < to);
}

} // namespace mftpubsub
