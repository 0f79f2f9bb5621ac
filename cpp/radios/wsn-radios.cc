/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/node-address.h"
#include "hosts/wsn-port.h"
#include "radios/radios.h"
#include "radios/wsn-medium.h"
#include "scenario/streams.h"
#include "wsn/csma-mac.h"
#include "wsn/radio.h"
#include "wsn/wsn-helper.h"
#include "wsn/wsn-net-device.h"

#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/uinteger.h"

#include <cmath>

namespace mftpubsub
{

namespace
{

ns3::TimeValue
ToTime(double seconds)
{
    return ns3::TimeValue(ns3::NanoSeconds(std::llround(seconds * 1e9)));
}

ns3::Ptr<WirelessChannel>
MakeChannel(const Scenario& scenario, const ns3::NodeContainer& nodes)
{
    const auto byPair = CanMove(nodes) ? WirelessChannel::MOVING_PAIRS : WirelessChannel::STATIC;
    const auto channel = ns3::CreateObjectWithAttributes<WirelessChannel>(
        "Mode",
        ns3::EnumValue(scenario.isShadowingPerCell ? WirelessChannel::MOBILE : byPair),
        "FieldX",
        ns3::DoubleValue(scenario.areaXMetres),
        "FieldY",
        ns3::DoubleValue(scenario.areaYMetres),
        "CellSize",
        ns3::DoubleValue(scenario.cellMetres),
        "Sigma",
        ns3::DoubleValue(scenario.shadowingSigmaDb),
        "BidirectionalSigma",
        ns3::DoubleValue(scenario.bidirectionalSigmaDb),
        "Exponent",
        ns3::DoubleValue(scenario.pathLossExponent),
        "ReferenceLoss",
        ns3::DoubleValue(scenario.referenceLossDb),
        "DeliveryThreshold",
        ns3::DoubleValue(scenario.deliveryThresholdDbm),
        "UpdateInterval",
        ToTime(scenario.positionIntervalSeconds));
    channel->AssignStreams(STREAM_SHADOWING);
    channel->SetWalls(Walls{scenario.walls});
    return channel;
}

void
SetAttributes(WsnNetDevice& device, const Scenario& scenario)
{
    device.SetAttribute("StartupWindow",
                        ns3::TimeValue(ns3::Seconds(scenario.startupSpreadSeconds)));
    device.SetAttribute("ClockDriftSigma", ns3::DoubleValue(scenario.clockDriftSigma));
    device.GetRadio()->SetAttribute("BufferSize", ns3::UintegerValue(scenario.radioBuffer));
    const auto mac = device.GetMac();
    mac->SetAttribute("BufferSize", ns3::UintegerValue(scenario.macBuffer));
    mac->SetAttribute("BackoffBase", ToTime(scenario.backoffBaseSeconds));
    mac->SetAttribute("RetryDelay", ToTime(scenario.retryDelaySeconds));
}

} // namespace

Radios
InstallWsnRadios(const Scenario& scenario, const ns3::NodeContainer& nodes)
{
    const auto channel = MakeChannel(scenario, nodes);
    WsnHelper wsn;
    wsn.SetTxPower(scenario.txPowerDbm);
    wsn.SetCcaThreshold(scenario.ccaThresholdDbm);
    Radios radios;
    radios.devices = wsn.Install(nodes, channel);
    WsnHelper::AssignStreams(radios.devices, STREAM_DEVICE);
    for (NodeId id = 0; id < nodes.GetN(); ++id)
    {
        const auto device = ns3::DynamicCast<WsnNetDevice>(radios.devices.Get(id));
        GiveAddress(*device, id);
        SetAttributes(*device, scenario);
        radios.ports.push_back(ns3::CreateObject<WsnPort>(device));
        nodes.Get(id)->AggregateObject(radios.ports.back());
    }
    radios.medium = std::make_shared<WsnMedium>(channel);
    return radios;
}

} // namespace mftpubsub
