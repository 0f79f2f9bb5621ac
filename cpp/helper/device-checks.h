/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HELPER_DEVICE_CHECKS_H
#define MFTPUBSUB_HELPER_DEVICE_CHECKS_H

#include "ns3/address.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/node.h"

#include <string>
#include <vector>

namespace mftpubsub
{

/// @return a node as messages call it
std::string NameOf(const ns3::Node& node);

/// Looks only: whoever is refused may try again.
/// @throws std::invalid_argument if @p devices cannot be those of one network under @p protocol
/// @throws std::logic_error if another PubSubHelper has a node on their channel
void CheckDevices(const std::string& protocol, const ns3::NetDeviceContainer& devices);

/// @throws std::logic_error if one of @p devices has no longer its address of @p addresses
void CheckAddresses(const ns3::NetDeviceContainer& devices,
                    const std::vector<ns3::Address>& addresses);

/// ns-3 would lose all frames, or end the process.
/// @throws std::logic_error if one of @p devices has no channel any more, or no place that its
/// channel asks for
void CheckCanSend(const ns3::NetDeviceContainer& devices);

/// ns-3's helpers would leave out the routing protocol, or end the process.
/// @throws std::logic_error if @p protocol brings an Internet stack, which one of @p nodes, by id,
/// cannot be given
void CheckTakeInternet(const std::string& protocol, const ns3::NodeContainer& nodes);

} // namespace mftpubsub

#endif /* MFTPUBSUB_HELPER_DEVICE_CHECKS_H */
