/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LIVE_CLOCKS_H
#define MFTPUBSUB_LIVE_CLOCKS_H

#include "content/instant.h"

#include <chrono>
#include <string>

namespace mftpubsub::live
{

/// Time since 1970, UTC, by a clock that people and networks may set.
using UnixTime = std::chrono::nanoseconds;

/// What the clocks of a machine say at one moment.
struct Clocks
{
    UnixTime unixTime{0};
    std::string boot{}; //!< of the machine, another one after each; empty: unknown
    Instant sinceBoot{
        0}; //!< by a clock that nobody sets, and that goes on while the machine sleeps
};

/// @return this machine's
Clocks ReadClocks();

/// @return its Clocks::sinceBoot, which a node's time is counted by
Instant ReadSinceBoot();

struct Memory;

/**
 * Makes the times in @p memory, which was saved at @p saved, times of the clock at @p now: it may
 * have been set in between. After another boot nobody knows how much time has passed. Then
 * subscriptions are taken for as old as they may be, and events for as new: no event is taken for
 * older than the subscriptions that were there before it.
 */
void FollowClock(Memory& memory, const Clocks& saved, const Clocks& now);

} // namespace mftpubsub::live

#endif /* MFTPUBSUB_LIVE_CLOCKS_H */
