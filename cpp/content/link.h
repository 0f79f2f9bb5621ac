/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What machines know of the link below them: times and strengths. The defaults are the CC2420's on
 * Castalia's channel, the thesis's radio.
 */
#ifndef MFTPUBSUB_CONTENT_LINK_H
#define MFTPUBSUB_CONTENT_LINK_H

#include "content/instant.h"

#include <chrono>
#include <cstdint>

namespace mftpubsub
{

/// How long things take on a device.
struct LinkTiming
{
    double bitRate{250000};       //!< of the radio, bit/s
    Instant preamble{0};          //!< of each frame, before its bytes
    uint16_t overheadBytes{15};   //!< around what the device is given, in the size on the air
    double backoffSeconds{0.016}; //!< of the MAC: the longest wait after a first busy CCA
    Instant usualWait{std::chrono::milliseconds(10)}; //!< in the MAC without load
    Instant gap{std::chrono::milliseconds(3)}; //!< between two frames of a node: others speak

    /// @return how long a frame of @p bytesOnAir is on the air
    Instant AirTime(uint32_t bytesOnAir) const
    {
        const std::chrono::duration<double> body(8.0 * bytesOnAir / bitRate);
        return preamble + std::chrono::duration_cast<Instant>(body);
    }
};

/// @return the times of a device with this rate: the waits take as many bytes as the CC2420's
inline LinkTiming
MakeLinkTiming(double bitRate, Instant preamble, uint16_t overheadBytes, double backoffSeconds)
{
    constexpr uint32_t GAP_BYTES = 94; // 3 ms at 250 kbit/s
    constexpr uint32_t WAIT_BYTES = 150;
    LinkTiming timing{bitRate, preamble, overheadBytes, backoffSeconds};
    timing.usualWait = 2 * timing.AirTime(WAIT_BYTES);
    timing.gap = timing.AirTime(GAP_BYTES);
    return timing;
}

/// How strength tells of distance, on average.
struct LinkBudget
{
    double thresholdDbm{-95}; //!< nothing weaker is ever received
    double oneMetreDbm{-55};  //!< strength at 1 m
    double decadeDb{24};      //!< by which it falls when the distance is ten times as long
    double hopMetres{30};     //!< length of a good link
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_CONTENT_LINK_H */
