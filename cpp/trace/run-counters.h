/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_TRACE_RUN_COUNTERS_H
#define MFTPUBSUB_TRACE_RUN_COUNTERS_H

#include <cstdint>
#include <map>
#include <string>

namespace mftpubsub
{

/// What a run's trace would sum up to if the run ended now.
struct RunCounters
{
    uint64_t published{0}; //!< events
    uint64_t wanted{0};    //!< pairs of an event and a subscriber that was to get it
    std::map<std::string, uint64_t>
        undelivered; //!< of these pairs, by the cause that is known so far (LossCause)
    uint64_t migrations{0};
    std::map<std::string, uint64_t> frames; //!< by kind
    uint64_t bytesOnAir{0};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_TRACE_RUN_COUNTERS_H */
