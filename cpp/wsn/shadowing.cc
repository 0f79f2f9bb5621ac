/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "wsn/shadowing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace mftpubsub
{

namespace
{

/// @return the distance from the mean of a pair of normal variables (Box and Muller)
double
Radius(uint64_t bits)
{
    return std::sqrt(-2.0 * std::log(UniformOf(bits)));
}

} // namespace

Shadowing::Shadowing(uint64_t key, double sigma, double bidirectionalSigma)
    : m_key(key),
      m_sigma(sigma),
      m_halfDirectionalSigma(bidirectionalSigma / 2)
{
    for (uint32_t i = 0; i < m_swings[0].size(); ++i)
    {
        const double angle = (i + 0.5) * ANGLE_STEP;
        for (const int isForward : {0, 1})
        {
            const double directional = isForward ? m_halfDirectionalSigma : -m_halfDirectionalSigma;
            m_swings[isForward][i] = {m_sigma * std::cos(angle) + directional * std::sin(angle),
                                      -m_sigma * std::sin(angle) + directional * std::cos(angle)};
        }
    }
}

double
Shadowing::Compute(uint64_t draw, bool isForward) const
{
    const double radius = Radius(draw);
    const double angle = 2.0 * std::numbers::pi * UniformOf(MixBits(draw));
    const double directional = m_halfDirectionalSigma * radius * std::sin(angle);
    return m_sigma * radius * std::cos(angle) + (isForward ? directional : -directional);
}

double
Shadowing::ComputeSwing(uint64_t draw, bool isForward) const
{
    const uint64_t bits = MixBits(draw);
    const auto step = static_cast<uint32_t>(bits >> (64 - ANGLE_BITS));
    const double rest = 2.0 * std::numbers::pi * UniformOf(bits) - (step + 0.5) * ANGLE_STEP;
    const double square = rest * rest;
    // The series of cosine and sine: up to pi / 256 what is left out is below 1e-14.
    const double cosine = 1 - square / 2 + square * square / 24;
    const double sine = rest * (1 - square / 6 + square * square / 120);
    const Swing& swing = m_swings[isForward][step];
    return swing.value * cosine + swing.slope * sine;
}

double
Shadowing::Get(uint32_t from, uint32_t to) const
{
    return m_sigma == 0 && m_halfDirectionalSigma == 0 ? 0 : Compute(Draw(from, to), from < to);
}

uint32_t
Shadowing::GetLargestDraw(double limitDb) const
{
    constexpr double scale = 0x1p32;
    const double radius = -limitDb / std::hypot(m_sigma, m_halfDirectionalSigma);
    const double uniform = radius > 0 ? std::exp(-radius * radius / 2) : 1;
    return static_cast<uint32_t>(std::min(uniform * scale + 1, scale - 1));
}

float
Shadowing::AddTo(float meanDb, uint64_t draw, bool isForward, double largestDb) const
{
    const double swing = ComputeSwing(draw, isForward);
    if (meanDb > largestDb && swing > ROUGHLY)
    {
        return std::numeric_limits<float>::infinity();
    }
    // Seldom is a sum so near to the middle between two numbers that it must be computed exactly.
    const double sum = meanDb + Radius(draw) * swing;
    const auto low = static_cast<float>(sum - ROUGHLY);
    const auto high = static_cast<float>(sum + ROUGHLY);
    return low == high ? low : static_cast<float>(meanDb + Compute(draw, isForward));
}

} // namespace mftpubsub
