/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HELPER_DEVICE_CHECKS_H
#define MFTPUBSUB_HELPER_DEVICE_CHECKS_H

#include "hosts/device-port.h"

#include "ns3/net-device-container.h"
#include "ns3/net-device.h"
#include "ns3/node-container.h"
#include "ns3/node.h"

#include <string>

namespace mftpubsub
{

/// @return a node as messages call it
std::string NameOf(const ns3::Node& node);

/// @return the port of @p device
/// @throws std::invalid_argument if it is none that hosts can use, or not that of its node
ns3::Ptr<DevicePort> FindPort(const ns3::Ptr<ns3::NetDevice>& device);

/// @throws std::invalid_argument if @p protocol is over IPv4, and one of @p devices cannot carry it
void CheckCarriesIp(const std::string& protocol, const ns3::NetDeviceContainer& devices);

/// ns-3's helpers would leave out the routing protocol, or end the process.
/// @throws std::logic_error if @p protocol brings an Internet stack, which one of @p nodes, by id,
/// cannot be given
void CheckTakeInternet(const std::string& protocol, const ns3::NodeContainer& nodes);

} // namespace mftpubsub

#endif /* MFTPUBSUB_HELPER_DEVICE_CHECKS_H */
