/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LIVE_MAKE_STATION_H
#define MFTPUBSUB_LIVE_MAKE_STATION_H

#include "live/settings.h"
#include "protocols/own/hook-broker.h"
#include "protocols/own/own-protocols.h"

#include <memory>
#include <string>

namespace mftpubsub::live
{

/// @return the parameters of stations on this port
mesh::Options MakeOptions(const Settings& settings);

/// @return a station of the protocol of @p settings: one that ships, or that is registered
/// @throws std::invalid_argument if there is none of that name for datagrams
std::unique_ptr<mesh::Station> MakeShipped(const Settings& settings,
                                           mesh::StationSeat seat,
                                           bool isBack);

/// @return a station on the elected tree; brokers ask @p hooks, which outlive it
std::unique_ptr<mesh::Station> MakeOwnTree(const Settings& settings,
                                           mesh::StationSeat seat,
                                           const BrokerHooks& hooks);

} // namespace mftpubsub::live

#endif /* MFTPUBSUB_LIVE_MAKE_STATION_H */
