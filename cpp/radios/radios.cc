/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "radios/radios.h"

#include "scenario/streams.h"

#include "ns3/constant-position-mobility-model.h"
#include "ns3/random-variable-stream.h"

#include <algorithm>
#include <stdexcept>

namespace mftpubsub
{

Radios
InstallRadios(const Scenario& scenario, const ns3::NodeContainer& nodes)
{
    if (scenario.radio == "wifi")
    {
        return InstallWifiRadios(scenario, nodes);
    }
    if (scenario.radio == "lr-wpan")
    {
        return InstallLrWpanRadios(scenario, nodes);
    }
    if (scenario.radio == "any")
    {
        return InstallAnyRadios(scenario, nodes);
    }
    if (scenario.radio != "cc2420")
    {
        throw std::invalid_argument("no radio " + scenario.radio);
    }
    return InstallWsnRadios(scenario, nodes);
}

void
AddPort(Radios& radios,
        const Scenario& scenario,
        const ns3::Ptr<ns3::Node>& node,
        const ns3::Ptr<DevicePort>& port)
{
    const auto draw = ns3::CreateObject<ns3::UniformRandomVariable>();
    draw->SetStream(STREAM_START + static_cast<int64_t>(radios.ports.size()));
    port->StartLate(ns3::Seconds(draw->GetValue() * scenario.startupSpreadSeconds));
    node->AggregateObject(port);
    radios.devices.Add(port->GetDevice());
    radios.ports.push_back(port);
}

bool
CanMove(const ns3::NodeContainer& nodes)
{
    return std::any_of(nodes.Begin(), nodes.End(), [](const ns3::Ptr<ns3::Node>& node) {
        return !node->GetObject<ns3::ConstantPositionMobilityModel>();
    });
}

} // namespace mftpubsub
