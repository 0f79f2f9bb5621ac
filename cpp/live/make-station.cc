/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "live/make-station.h"

#include "protocols/mesh/epidemic.h"
#include "protocols/mesh/mesh-station.h"
#include "protocols/mesh/mpl.h"
#include "protocols/mesh/protocol-names.h"

#include <stdexcept>
#include <utility>

namespace mftpubsub::live
{

namespace
{

/// Between summaries of epidemic routing, as scenarios have it.
constexpr Instant SUMMARY_INTERVAL = mesh::Seconds(1.0);

} // namespace

mesh::Options
MakeOptions(const Settings& settings)
{
    const auto& given = settings.mesh;
    mesh::Options options;
    options.heartbeat = mesh::Seconds(given.heartbeatSeconds);
    options.heartbeatMax = mesh::Seconds(given.heartbeatMaxSeconds);
    options.forward = mesh::Seconds(given.forwardSeconds);
    options.settle = mesh::Seconds(given.settleSeconds);
    options.copies = given.copies;
    options.redundancy = given.redundancy;
    options.isScoped = given.isScoped;
    options.few = given.few;
    if (given.forgetAfterSeconds > 0)
    {
        options.forgetAfter = mesh::Seconds(given.forgetAfterSeconds);
    }
    options.maxFrameBytes = settings.port.maxFrameBytes;
    return options;
}

std::unique_ptr<mesh::Station>
MakeShipped(const std::string& protocol, mesh::StationSeat seat)
{
    if (protocol == MFT_MESH)
    {
        return std::make_unique<mesh::MeshStation>(seat.self,
                                                   seat.roles,
                                                   seat.options,
                                                   seat.uniform,
                                                   mesh::BrokerPolicies(),
                                                   std::move(seat.memory));
    }
    if (protocol == MPL)
    {
        return std::make_unique<mesh::Mpl>(seat.self,
                                           seat.roles,
                                           seat.options,
                                           mesh::MplOptions(),
                                           seat.uniform,
                                           std::move(seat.memory));
    }
    if (protocol == EPIDEMIC)
    {
        return std::make_unique<mesh::Epidemic>(seat.self,
                                                seat.roles,
                                                seat.options,
                                                SUMMARY_INTERVAL,
                                                seat.uniform,
                                                std::move(seat.memory));
    }
    if (const auto* maker = mesh::FindProtocol(protocol))
    {
        return (*maker)(std::move(seat));
    }
    throw std::invalid_argument("protocol " + protocol +
                                " does not run live: mft-mesh, mpl and epidemic do, and own ones");
}

} // namespace mftpubsub::live
