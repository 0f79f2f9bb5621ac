/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "wsn/radio-mode.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace mftpubsub
{

namespace
{

constexpr std::array CC2420_TX_POWER_LEVELS{0.0, -1.0, -3.0, -5.0, -7.0, -10.0, -15.0, -25.0};

const RadioMode CC2420_NORMAL{.name = "CC2420/normal",
                              .dataRate = 250e3,
                              .bitsPerSymbol = 4,
                              .noiseBandwidth = 194e3,
                              .noiseFloorDbm = -100.0F,
                              .sensitivityDbm = -95.0F,
                              .rxTxTurnaroundNs = 10'000,
                              .txPowerLevelsDbm = CC2420_TX_POWER_LEVELS};

} // namespace

bool
RadioMode::HasTxPower(double dbm) const
{
    return std::find(txPowerLevelsDbm.begin(), txPowerLevelsDbm.end(), dbm) !=
           txPowerLevelsDbm.end();
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

} // namespace mftpubsub
