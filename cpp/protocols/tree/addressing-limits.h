/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_TREE_ADDRESSING_LIMITS_H
#define MFTPUBSUB_PROTOCOLS_TREE_ADDRESSING_LIMITS_H

#include "content/instant.h"

#include <chrono>
#include <cstddef>

namespace mftpubsub
{

/// What an AddressingBroker is made with, its memory and patience above all; no scenario sets
/// these.
struct AddressingLimits
{
    size_t early{1024};  //!< events that are kept for a first neighbour: the newest
    size_t copies{1024}; //!< of each client: copies further apart are taken for different ones
    /// From a first neighbour until a newcomer has been told, if there is anything to tell ...
    Instant silence{std::chrono::seconds(60)};
    /// ... and from the first word of a subscriber until it has heard of the others.
    Instant learning{std::chrono::seconds(5)};
    bool isBack{false}; //!< the broker has run before, as its stable storage tells
};

/// Times of an MftPubsub2; no scenario sets these.
struct OverhearingLimits
{
    Instant forwarding{
        std::chrono::milliseconds(100)}; //!< within which a broadcast is repeated ...
    uint32_t copies{3};                  //!< ... unless so many have been heard
    /// From an event, or a new way, until what a subscriber is not known to have goes to it: about
    /// a heartbeat, since subscribers say at each what they have.
    Instant patience{std::chrono::seconds(5)};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_PROTOCOLS_TREE_ADDRESSING_LIMITS_H */
