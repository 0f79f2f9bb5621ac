/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "wsn/shadowing.h"

#include "wsn/counter-random.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

// Functions of loops that the compiler turns into vectors, as wide as the processor has them.
#if defined(__clang__) || __GNUC__ >= 12
#define MFTPUBSUB_VECTORS [[gnu::target_clones("arch=x86-64-v4", "avx2", "default")]]
#else // which does not know v4
#define MFTPUBSUB_VECTORS [[gnu::target_clones("avx512f", "avx2", "default")]]
#endif

namespace mftpubsub
{

namespace
{

/// How far a sum may be from the exact one, dB.
constexpr double ROUGHLY = 1e-9;
constexpr float NOT_CERTAIN = std::numeric_limits<float>::quiet_NaN();

/// @return the random number of a pair: the smaller, the further may the shadowing be from 0
inline uint64_t
Draw(uint64_t key, uint32_t a, uint32_t b)
{
    // Not std::min, whose references vectors do not have.
    const uint64_t smaller = a < b ? a : b;
    const uint64_t larger = a < b ? b : a;
    return MixBits(key ^ MixBits((smaller << 32) | larger));
}

/// @return the distance from the mean of a pair of normal variables (Box and Muller)
double
Radius(uint64_t bits)
{
    return std::sqrt(-2.0 * std::log(UniformOf(bits)));
}

// What follows are the same in operations that vectors have.

/// @return @p bits, less than 2^52, as a number
inline double
ToDouble(uint64_t bits)
{
    return std::bit_cast<double>(bits | std::bit_cast<uint64_t>(0x1p52)) - 0x1p52;
}

/// @return UniformOf
inline double
ToUniform(uint64_t bits)
{
    const double low = ToDouble((bits >> 11) & 0x1fffff);
    return (ToDouble(bits >> 32) * 0x1p21 + low + 0.5) * 0x1p-53;
}

/// @return a polynomial, by its coefficients from the highest power on
inline double
Polynomial(double x, double first, auto... others)
{
    double sum = first;
    ((sum = sum * x + others), ...);
    return sum;
}

/// @return the natural logarithm of a positive number, within 1e-12 of itself
inline double
Log(double x)
{
    // x is 2^power times a mantissa in [sqrt(1/2), sqrt(2)), of which it is 2 atanh(s).
    constexpr uint64_t mantissaBits = (uint64_t{1} << 52) - 1;
    const auto bits = std::bit_cast<uint64_t>(x);
    const double whole =
        std::bit_cast<double>((bits & mantissaBits) | std::bit_cast<uint64_t>(1.0));
    const bool isLarge = whole > std::numbers::sqrt2;
    const double mantissa = isLarge ? whole / 2 : whole;
    const double power = ToDouble(bits >> 52) - (isLarge ? 1022.0 : 1023.0);
    const double s = (mantissa - 1) / (mantissa + 1);
    const double q = s * s;
    const double series = Polynomial(q,
                                     1.0 / 17,
                                     1.0 / 15,
                                     1.0 / 13,
                                     1.0 / 11,
                                     1.0 / 9,
                                     1.0 / 7,
                                     1.0 / 5,
                                     1.0 / 3,
                                     1.0);
    return power * std::numbers::ln2 + 2 * s * series;
}

/// Cosine and sine.
struct Direction
{
    double cosine;
    double sine;
};

/// @return those of 2 pi times @p turns, which are from 0 to 1, within 1e-12
inline Direction
DirectionOf(double turns)
{
    // To the nearest quarter the angle is at most pi / 4, where a few terms of the series are
    // enough.
    constexpr double wholes = 0x1.8p52; // next to it only whole numbers have a place
    const double shifted = 4 * turns + wholes;
    const auto quarter = std::bit_cast<uint64_t>(shifted);
    const double x = (4 * turns - (shifted - wholes)) * (std::numbers::pi / 2);
    const double q = x * x;
    const double sine = x * Polynomial(q,
                                       -1.0 / 1307674368000,
                                       1.0 / 6227020800,
                                       -1.0 / 39916800,
                                       1.0 / 362880,
                                       -1.0 / 5040,
                                       1.0 / 120,
                                       -1.0 / 6,
                                       1.0);
    const double cosine = Polynomial(q,
                                     -1.0 / 87178291200,
                                     1.0 / 479001600,
                                     -1.0 / 3628800,
                                     1.0 / 40320,
                                     -1.0 / 720,
                                     1.0 / 24,
                                     -1.0 / 2,
                                     1.0);
    const bool isOdd = (quarter & 1) != 0;
    const double sign = (quarter & 2) != 0 ? -1.0 : 1.0;
    return {sign * (isOdd ? -sine : cosine), sign * (isOdd ? cosine : sine)};
}

MFTPUBSUB_VECTORS void
MarkPlausible(uint64_t key,
              uint32_t from,
              uint32_t first,
              std::span<const uint32_t> largestDraws,
              uint8_t* marks)
{
    for (size_t i = 0; i < largestDraws.size(); ++i)
    {
        const uint64_t draw = Draw(key, from, first + static_cast<uint32_t>(i));
        marks[i] = draw >> 32 <= largestDraws[i] ? 1 : 0;
    }
}

MFTPUBSUB_VECTORS void
AddRoughly(uint64_t key,
           double sigma,
           double directionalSigma,
           uint32_t from,
           std::span<const uint32_t> to,
           const float* __restrict meanDb,
           float* __restrict lossDb)
{
    for (size_t i = 0; i < to.size(); ++i)
    {
        const uint64_t draw = Draw(key, from, to[i]);
        const double radius = std::sqrt(-2.0 * Log(ToUniform(draw)));
        const auto [cosine, sine] = DirectionOf(ToUniform(MixBits(draw)));
        const double directional = from < to[i] ? directionalSigma : -directionalSigma;
        const double sum = meanDb[i] + radius * (sigma * cosine + directional * sine);
        const auto low = static_cast<float>(sum - ROUGHLY);
        const auto high = static_cast<float>(sum + ROUGHLY);
        lossDb[i] = low == high ? low : NOT_CERTAIN;
    }
}

} // namespace

Shadowing::Shadowing(uint64_t key, double sigma, double bidirectionalSigma)
    : m_key(key),
      m_sigma(sigma),
      m_halfDirectionalSigma(bidirectionalSigma / 2)
{
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
Shadowing::Get(uint32_t from, uint32_t to) const
{
    return m_sigma == 0 && m_halfDirectionalSigma == 0 ? 0
                                                       : Compute(Draw(m_key, from, to), from < to);
}

uint32_t
Shadowing::GetLargestDraw(double limitDb) const
{
    constexpr double scale = 0x1p32;
    const double radius = -limitDb / std::hypot(m_sigma, m_halfDirectionalSigma);
    const double uniform = radius > 0 ? std::exp(-radius * radius / 2) : 1;
    return static_cast<uint32_t>(std::min(uniform * scale + 1, scale - 1));
}

void
Shadowing::FindPlausible(uint32_t from,
                         uint32_t first,
                         std::span<const uint32_t> largestDraws,
                         std::span<uint8_t> plausible) const
{
    constexpr size_t most = 256;
    std::array<uint8_t, most> marks;
    for (size_t done = 0; done < largestDraws.size(); done += most)
    {
        const auto some = largestDraws.subspan(done, std::min(most, largestDraws.size() - done));
        MarkPlausible(m_key, from, first + static_cast<uint32_t>(done), some, marks.data());
        for (size_t i = 0; i < some.size(); i += 8)
        {
            uint8_t bits = 0;
            for (uint32_t bit = 0; bit < 8; ++bit)
            {
                bits |= static_cast<uint8_t>(marks[i + bit] << bit);
            }
            plausible[(done + i) / 8] = bits;
        }
    }
}

void
Shadowing::AddTo(uint32_t from,
                 std::span<const uint32_t> to,
                 std::span<const float> meanDb,
                 std::span<float> lossDb) const
{
    AddRoughly(m_key, m_sigma, m_halfDirectionalSigma, from, to, meanDb.data(), lossDb.data());
    for (size_t i = 0; i < to.size(); ++i)
    {
        // Seldom is a sum so near to the middle between two numbers.
        if (std::isnan(lossDb[i]))
        {
            lossDb[i] = static_cast<float>(meanDb[i] + Get(from, to[i]));
        }
    }
}

} // namespace mftpubsub
