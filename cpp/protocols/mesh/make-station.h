/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The protocols for a broadcast channel that ship, by name.
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_MAKE_STATION_H
#define MFTPUBSUB_PROTOCOLS_MESH_MAKE_STATION_H

#include "protocols/mesh/broker.h"
#include "protocols/mesh/mpl.h"
#include "protocols/mesh/station.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mftpubsub::mesh
{

/// Parameters that only some of them have.
struct StationOptions
{
    MplOptions mpl;
    Instant epidemicInterval{Seconds(1)}; //!< between summary vectors of epidemic routing
    BrokerPolicies policies;              //!< of mft-mesh
};

/// @return the names, as scenarios have them
const std::vector<std::string>& GetStationProtocols();

/// @return whether @p protocol is one of them
bool IsStationProtocol(std::string_view protocol);

/**
 * @return a device's part in @p protocol
 * @throws std::invalid_argument for a protocol that is none of them
 */
std::unique_ptr<Station> MakeStation(std::string_view protocol,
                                     StationSeat seat,
                                     const StationOptions& options = {});

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_MAKE_STATION_H */
