/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_SCENARIO_STREAMS_H
#define MFTPUBSUB_SCENARIO_STREAMS_H

#include <cstdint>

namespace mftpubsub
{

/// Random streams by purpose, so that a seed fixes mobility, shadowing and traffic for every
/// protocol. Each purpose has room for a million streams.
enum Stream : int64_t
{
    STREAM_PLACEMENT = 1 << 20,
    STREAM_MOBILITY = 2 << 20, //!< four a node
    STREAM_TRAFFIC = 3 << 20,
    STREAM_SHADOWING = 4 << 20,
    STREAM_PROTOCOL = 5 << 20,
    STREAM_ROUTING = 6 << 20,
    STREAM_INTERNET = 7 << 20,
    STREAM_DEVICE = 8 << 20,        //!< four a device: bit errors, backoff, drift, start
    STREAM_STEADY_STATE = 9 << 20,  //!< sixteen a node that begins in the steady state
    STREAM_RESTART = 10 << 20,      //!< one a node for each of its restarts
    STREAM_GAUSS_MARKOV = 11 << 20, //!< eight a node
    STREAM_REFERENCE = 12 << 20,    //!< eight a group of nodes that move together
    STREAM_MEMBER = 13 << 20,       //!< one a node of such a group: where it is at first
    STREAM_FADING = 14 << 20,
    STREAM_START = 15 << 20,        //!< one a node, of radios of ns-3's
    STREAM_OVERLAY_TREE = 16 << 20, //!< this and the next: worlds of the reconfiguration family
    STREAM_OVERLAY_IDS,
    STREAM_OVERLAY_SUBSCRIPTIONS,
    STREAM_OVERLAY_RECONFIGURATIONS,
    STREAM_OVERLAY_SWAPS,
    STREAM_OVERLAY_PUBLICATIONS,
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_SCENARIO_STREAMS_H */
