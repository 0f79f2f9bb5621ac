/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "run/run.h"

#include "run/network.h"

namespace mftpubsub
{

RunCost
RunScenario(const Scenario& scenario,
            TraceBlockSink sink,
            ProgressCallback progress,
            const std::vector<double>& instants,
            Observer observer,
            AirSink air,
            FrameSink frames)
{
    Network network(scenario, std::move(sink));
    if (air)
    {
        network.LogAir(std::move(air));
    }
    if (frames)
    {
        network.LogFrames(std::move(frames));
    }
    return network.Run(progress, instants, observer);
}

} // namespace mftpubsub
