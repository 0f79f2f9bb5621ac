/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "wsn/power.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace mftpubsub
{

float
WindowShareDb(uint32_t steps)
{
    static const auto table = [] {
        std::array<float, RSSI_WINDOW_STEPS + 1> shares{};
        shares[0] = -100.0F;
        for (uint32_t i = 1; i <= RSSI_WINDOW_STEPS; ++i)
        {
            shares[i] = static_cast<float>(10.0 * std::log10(i / double{RSSI_WINDOW_STEPS}));
        }
        return shares;
    }();
    return table[std::min(steps, RSSI_WINDOW_STEPS)];
}

} // namespace mftpubsub
