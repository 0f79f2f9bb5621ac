/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WSN_POWER_H
#define MFTPUBSUB_WSN_POWER_H

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace mftpubsub
{

/**
 * Adds two powers the way Castalia's radio does (BEHAVIOUR point 7): not a sum of milliwatts but a
 * staircase on the difference in dB. It is neither associative nor monotone, so the order of
 * additions is part of the model. Single precision, as there.
 *
 * @param a a power, dBm
 * @param b a power, dBm
 * @return the larger one plus 3, 2.5, 2, 1.5, 1 or 0 dB as the difference is at most 1, 2, 3, 5, 7
 *         dB or more
 */
inline float
AddPowerDbm(float a, float b)
{
    const float larger = std::max(a, b);
    const float difference = std::fabs(a - b);
    if (difference > 7.0F)
    {
        return larger;
    }
    if (difference > 5.0F)
    {
        return larger + 1.0F;
    }
    if (difference > 3.0F)
    {
        return larger + 1.5F;
    }
    if (difference > 2.0F)
    {
        return larger + 2.0F;
    }
    if (difference > 1.0F)
    {
        return larger + 2.5F;
    }
    return larger + 3.0F;
}

/// Steps into which the RSSI window is divided (point 9).
inline constexpr uint32_t RSSI_WINDOW_STEPS = 16;

/**
 * Weight of a part of the RSSI window (point 9).
 *
 * @param steps whole sixteenths of the window, 0 to 16
 * @return 10 log10(steps / 16), or -100 dB for less than one step
 */
float WindowShareDb(uint32_t steps);

} // namespace mftpubsub

#endif /* MFTPUBSUB_WSN_POWER_H */
