/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WORLDS_RECONFIGURATION_DRAW_H
#define MFTPUBSUB_WORLDS_RECONFIGURATION_DRAW_H

#include "worlds/reconfiguration-world.h"

#include <cstdint>
#include <string>

namespace mftpubsub
{

/// Of what a world is drawn. Defaults, units and sources are Python's
/// (reconfiguration/scenario.py).
struct WorldOptions
{
    uint16_t dispatchers{0};
    uint16_t degree{0};            //!< links of a dispatcher at most
    bool isBalanced{true};         //!< else each dispatcher joins a random earlier one
    uint16_t patterns{0};          //!< that there are (Pi)
    uint16_t patternsPerClient{0}; //!< distinct ones that a subscriber wants (pi)
    double subscribers{0};         //!< share of the dispatchers that have any (sigma_s)
    double core{1};                //!< share of the dispatchers whose subscriptions stay
    double swapHz{0};              //!< by each subscriber outside of the core
    uint16_t characters{0};        //!< of an event, drawn with replacement (mu)
    double publishHz{0};           //!< by each dispatcher (eps)
    double seconds{0};             //!< clients swap and publish until then
    std::string policy;            //!< of new links: shared, uniform, nearby or cycle
    double reconfigurationHz{0};   //!< rho
    double repairSeconds{0};       //!< from a break to its replacement
    double beginSeconds{0};        //!< of the first break
    double endSeconds{0};          //!< no break at or after this time
};

/**
 * Draws a world by ns-3's streams (STREAM_OVERLAY_*) and the run number that is set: what has
 * the same options is the same, and what one option changes leaves the other draws alone.
 *
 * @throws std::invalid_argument for an unknown policy
 */
ReconfigurationWorld DrawWorld(const WorldOptions& options);

} // namespace mftpubsub

#endif /* MFTPUBSUB_WORLDS_RECONFIGURATION_DRAW_H */
