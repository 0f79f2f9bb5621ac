/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * A run as Python hands it over: one JSON text, and the functions that the run calls.
 */
#ifndef MFTPUBSUB_RUN_RUN_REQUEST_H
#define MFTPUBSUB_RUN_RUN_REQUEST_H

#include "policies/policies.h"
#include "protocols/own/hook-broker.h"
#include "protocols/own/hook-station.h"
#include "run/run.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mftpubsub
{

/// The functions of Python's that a run calls, as C functions. No exception may leave one.
struct RunHooks
{
    void (*trace)(const char* text, size_t bytes);      //!< a TraceBlockSink
    int (*progress)(double seconds);                    //!< a ProgressCallback
    int (*observe)(const char* snapshot, size_t bytes); //!< an Observer, of a Snapshot as JSON
    void (*air)(const void* records, size_t bytes);     //!< an AirSink; null: nobody asks
    void (*frames)(const void* frames, size_t bytes);   //!< a FrameSink; null: nobody asks
    PolicyHooks policies;
    const mesh::StationHooks* stations; //!< null: its protocol is none of stations in Python
    const BrokerHooks* brokers;         //!< null: its protocol is none of brokers in Python
};

/// What is to be run, and observed when.
struct RunRequest
{
    Scenario scenario; //!< its policies are those that follow
    PolicySpecs policies;
    std::vector<double> instants; //!< s; as RunScenario takes them
};

/// A request that is understood, and its hooks as a run takes them.
struct RunOrder
{
    RunRequest request;
    TraceBlockSink trace;
    ProgressCallback progress;
    Observer observer;
    AirSink air;      //!< may be empty
    FrameSink frames; //!< may be empty
};

/// @param request a RunRequest as JSON
/// @param hooks address of the RunHooks, which must outlive the run
/// @throws std::invalid_argument that names the field for another text
RunOrder ReadRunOrder(const std::string& request, uintptr_t hooks);

} // namespace mftpubsub

#endif /* MFTPUBSUB_RUN_RUN_REQUEST_H */
