/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_RADIOS_RADIOS_H
#define MFTPUBSUB_RADIOS_RADIOS_H

#include "hosts/device-port.h"
#include "scenario/medium.h"
#include "scenario/scenario.h"

#include "ns3/channel.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"

#include <memory>

namespace mftpubsub
{

/// The radios of a network.
struct Radios
{
    ns3::NetDeviceContainer devices; //!< by id
    DevicePorts ports;               //!< by id
    std::shared_ptr<Medium> medium;
};

/// Puts the scenario's radios on @p nodes, which have their mobility.
/// @throws std::invalid_argument for a radio that cannot be made
Radios InstallRadios(const Scenario& scenario, const ns3::NodeContainer& nodes);

// One each for the models of radios.

Radios InstallWsnRadios(const Scenario& scenario, const ns3::NodeContainer& nodes);
Radios InstallWifiRadios(const Scenario& scenario, const ns3::NodeContainer& nodes);
Radios InstallLrWpanRadios(const Scenario& scenario, const ns3::NodeContainer& nodes);
Radios InstallAnyRadios(const Scenario& scenario, const ns3::NodeContainer& nodes);

// What those of ns-3 share.

/// Puts @p port on @p node, which starts as the scenario says.
void AddPort(Radios& radios,
             const Scenario& scenario,
             const ns3::Ptr<ns3::Node>& node,
             const ns3::Ptr<DevicePort>& port);

/// @return whether one of @p nodes may move
bool CanMove(const ns3::NodeContainer& nodes);

} // namespace mftpubsub

#endif /* MFTPUBSUB_RADIOS_RADIOS_H */
