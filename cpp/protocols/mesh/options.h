/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_OPTIONS_H
#define MFTPUBSUB_PROTOCOLS_MESH_OPTIONS_H

#include "content/link.h"
#include "protocols/mesh/limits.h"

#include <chrono>
#include <cstdint>
#include <functional>

namespace mftpubsub::mesh
{

/// Gives numbers uniform in [0, 1).
using Uniform = std::function<double()>;

/// @return @p duration times @p factor
inline Instant
Times(Instant duration, double factor)
{
    return Instant(static_cast<int64_t>(static_cast<double>(duration.count()) * factor));
}

/// Never.
inline constexpr Instant NEVER = Instant::max();

/// Parameters of the mesh; the thesis's radio and traffic gave the defaults (docs/protocols.md).
struct Options
{
    Instant heartbeat{Seconds(3.0)};  //!< Tb: between a broker's STATEs, after a change
    Instant heartbeatMax{Seconds(8)}; //!< when nothing changes
    Instant forward{Seconds(0.1)};    //!< Tf: a new event is forwarded within this
    Instant settle{Seconds(0.5)};     //!< Ts: what is younger may still be on its way
    uint32_t copies{2};               //!< K: heard so often, an event is not forwarded
    bool isScoped{true};        //!< what few want goes to them only, what nobody wants nowhere
    uint32_t few{2};            //!< so many at most ...
    uint32_t crowd{4};          //!< ... and so many brokers around for each of them
    uint32_t redundancy{2};     //!< heartbeats that make one's own needless
    Instant forgetAfter{NEVER}; //!< settled events leave the store after so long
    bool usesPositions{false};  //!< what few want goes towards where they were
    size_t maxFrameBytes{1009}; //!< largest frame, its header included
    LinkBudget link;            //!< of the device
    Limits limits;              //!< the rest; no key of scenarios
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_OPTIONS_H */
