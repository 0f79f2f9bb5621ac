/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "wsn/radio-mode.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

namespace mftpubsub
{

namespace
{

// The table of NoErrorBounds.
constexpr float LOWEST_SNR_DB = -12.0F;
constexpr float HIGHEST_SNR_DB = 19.0F; //!< from here on NoErrorProbability is 1
constexpr float STEPS_PER_DB = 32.0F;

constexpr std::array CC2420_TX_LEVELS{TxLevel{0.0, 57.42},
                                      TxLevel{-1.0, 55.18},
                                      TxLevel{-3.0, 50.69},
                                      TxLevel{-5.0, 46.2},
                                      TxLevel{-7.0, 42.24},
                                      TxLevel{-10.0, 36.3},
                                      TxLevel{-15.0, 32.67},
                                      TxLevel{-25.0, 29.04}};

const RadioMode CC2420_NORMAL{.name = "CC2420/normal",
                              .dataRate = 250e3,
                              .bitsPerSymbol = 4,
                              .noiseBandwidth = 194e3,
                              .noiseFloorDbm = -100.0F,
                              .sensitivityDbm = -95.0F,
                              .rxTxTurnaroundNs = 10'000,
                              .listeningMw = 62.0,
                              .sleepingMw = 1.4,
                              .txLevels = CC2420_TX_LEVELS};

} // namespace

const TxLevel*
RadioMode::FindTxLevel(double dbm) const
{
    const auto level = std::ranges::find(txLevels, dbm, &TxLevel::dbm);
    return level != txLevels.end() ? &*level : nullptr;
}

const RadioMode&
GetRadioMode(std::string_view name)
{
    if (name == CC2420_NORMAL.name)
    {
        return CC2420_NORMAL;
    }
    throw std::invalid_argument("unknown radio mode '" + std::string(name) +
                                "', known: " + CC2420_NORMAL.name);
}

double
BitErrorRate(double snrDb, const RadioMode& mode)
{
    const double snr = std::pow(10.0, snrDb / 10.0);
    return 0.5 * std::erfc(std::sqrt(snr * mode.noiseBandwidth / mode.dataRate));
}

double
NoErrorProbability(double snrDb, uint64_t bits, const RadioMode& mode)
{
    constexpr double resolution = 0x1p-53;
    // erfc(sqrt(x)) < exp(-x): above this no frame that fits the radio can have an error.
    constexpr double certainExponent = 50.0;
    const double exponent = std::pow(10.0, snrDb / 10.0) * mode.noiseBandwidth / mode.dataRate;
    if (exponent > certainExponent)
    {
        return 1.0;
    }
    const double ber = 0.5 * std::erfc(std::sqrt(exponent));
    const double probability = std::exp(static_cast<double>(bits) * std::log1p(-ber));
    if (probability < resolution)
    {
        return 0.0;
    }
    return probability > 1.0 - resolution ? 1.0 : probability;
}

NoErrorBounds::NoErrorBounds(const RadioMode& mode)
{
    const auto steps = static_cast<uint32_t>((HIGHEST_SNR_DB - LOWEST_SNR_DB) * STEPS_PER_DB);
    for (uint32_t i = 0; i <= steps + 1; ++i)
    {
        const double snrDb = LOWEST_SNR_DB + static_cast<double>(i) / STEPS_PER_DB;
        m_errors.push_back(-std::log1p(-BitErrorRate(snrDb, mode)));
    }
}

NoErrorBounds::Bounds
NoErrorBounds::Get(float snrDb, uint64_t bits) const
{
    // Above or below these exponents exp(-x) is 0 or 1 to NoErrorProbability, or surely not.
    constexpr double certainlyZero = 40.0;
    constexpr double notZero = 35.0;
    constexpr double notOne = 0x1p-50;
    constexpr double certainlyOne = 0x1p-55;
    constexpr double rounding = 1e-9;
    if (snrDb >= HIGHEST_SNR_DB)
    {
        return {1.0, 1.0};
    }
    if (snrDb < LOWEST_SNR_DB)
    {
        return {0.0, 1.0};
    }
    const auto step = static_cast<size_t>((snrDb - LOWEST_SNR_DB) * STEPS_PER_DB);
    const double most = static_cast<double>(bits) * m_errors[step];
    const double least = static_cast<double>(bits) * m_errors[step + 1];
    if (least > certainlyZero)
    {
        return {0.0, 0.0};
    }
    if (most < certainlyOne)
    {
        return {1.0, 1.0};
    }
    if (most > notZero || least < notOne)
    {
        return {0.0, 1.0};
    }
    // 1 - x <= exp(-x) <= 1 / (1 + x + x^2 / 2)
    return {std::max(1.0 - most - rounding, std::numeric_limits<double>::min()),
            std::min(1.0 / (1.0 + least + least * least / 2) + rounding, 1.0 - 0x1p-53)};
}

const NoErrorBounds&
GetNoErrorBounds(const RadioMode& mode)
{
    static std::map<const RadioMode*, NoErrorBounds> bounds;
    return bounds.try_emplace(&mode, mode).first->second;
}

} // namespace mftpubsub
