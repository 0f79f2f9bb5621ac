/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_RUN_RUN_H
#define MFTPUBSUB_RUN_RUN_H

#include "scenario/scenario.h"
#include "stacks/snapshot.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace mftpubsub
{

/// What a run cost.
struct RunCost
{
    double wallSeconds{0.0};
    double cpuSeconds{0.0};
    uint64_t events{0}; //!< simulator events
};

/// Takes a snapshot; false stops the run.
using Observer = std::function<bool(const Snapshot& snapshot)>;

/// Takes a block of trace text (trace_schema.yaml); the memory is valid during the call only.
using TraceBlockSink = std::function<void(uintptr_t address, size_t bytes)>;

/// Takes a block of AirRecords (air-log.h); the memory is valid during the call only.
using AirSink = std::function<void(uintptr_t address, size_t bytes)>;

/// Takes a block of frames (frame-log.h); the memory is valid during the call only.
using FrameSink = std::function<void(uintptr_t address, size_t bytes)>;

/// What a ProgressCallback wants.
enum Wish : int
{
    WISH_STOP,  //!< the run
    WISH_GO_ON, //!< nothing
    WISH_LOOK,  //!< the observer to be called now
};

/// Called with the simulated time in seconds now and then; says a Wish.
using ProgressCallback = std::function<int(double seconds)>;

/**
 * Runs @p scenario to its end.
 *
 * The result is a function of the scenario alone: the same one gives the same trace, in this
 * process or another.
 *
 * @param instants when @p observer is called, ascending, in seconds, none after the end; it sees
 *                 what the events before and at that instant have made, and it changes nothing
 * @param air if there is one, takes what the trace leaves out (AirLog)
 * @param frames if there is one, takes every frame's bytes (FrameLog)
 * @throws std::invalid_argument for a scenario that cannot be run
 * @throws std::runtime_error when @p progress or @p observer has stopped the run
 */
RunCost RunScenario(const Scenario& scenario,
                    TraceBlockSink sink,
                    ProgressCallback progress,
                    const std::vector<double>& instants = {},
                    Observer observer = {},
                    AirSink air = {},
                    FrameSink frames = {});

} // namespace mftpubsub

#endif /* MFTPUBSUB_RUN_RUN_H */
