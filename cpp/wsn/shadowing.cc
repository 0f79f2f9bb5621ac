/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "wsn/shadowing.h"

#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <cmath>
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

} // namespace

Shadowing::Shadowing(uint64_t key, double sigma, double bidirectionalSigma)
    : m_key(key),
      m_sigma(sigma),
      m_halfDirectionalSigma(bidirectionalSigma / 2)
{
}

uint64_t
Shadowing::MakeKey(int64_t stream)
{
    uint64_t key = Mix(ns3::RngSeedManager::GetSeed());
    key = Mix(key ^ ns3::RngSeedManager::GetRun());
    return Mix(key ^ static_cast<uint64_t>(stream));
}

double
Shadowing::Get(uint32_t from, uint32_t to) const
{
    if (m_sigma == 0 && m_halfDirectionalSigma == 0)
    {
        return 0;
    }
    const uint64_t pair = (uint64_t{std::min(from, to)} << 32) | std::max(from, to);
    const uint64_t state = Mix(m_key ^ Mix(pair));
    const double radius = std::sqrt(-2.0 * std::log(Uniform(state)));
    const double angle = 2.0 * std::numbers::pi * Uniform(Mix(state));
    const double directional = m_halfDirectionalSigma * radius * std::sin(angle);
    return m_sigma * radius * std::cos(angle) + (from < to ? directional : -directional);
}

} // namespace mftpubsub
