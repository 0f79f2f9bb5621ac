/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/any-port.h"
#include "hosts/node-address.h"
#include "radios/radios.h"
#include "radios/wired-medium.h"

#include "ns3/csma-channel.h"
#include "ns3/csma-net-device.h"
#include "ns3/data-rate.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/object-factory.h"
#include "ns3/simple-channel.h"
#include "ns3/simple-net-device.h"

#include <stdexcept>

namespace mftpubsub
{

namespace
{

ns3::Ptr<ns3::NetDevice>
MakeSimple(const ns3::DataRateValue& rate, const ns3::Ptr<ns3::SimpleChannel>& channel)
{
    const auto device = ns3::CreateObjectWithAttributes<ns3::SimpleNetDevice>("DataRate", rate);
    device->SetQueue(ns3::CreateObject<ns3::DropTailQueue<ns3::Packet>>());
    device->SetChannel(channel);
    return device;
}

ns3::Ptr<ns3::NetDevice>
MakeCsma(const ns3::Ptr<ns3::CsmaChannel>& channel)
{
    const auto device = ns3::CreateObject<ns3::CsmaNetDevice>();
    device->SetQueue(ns3::CreateObject<ns3::DropTailQueue<ns3::Packet>>());
    device->Attach(channel);
    return device;
}

} // namespace

Radios
InstallAnyRadios(const Scenario& scenario, const ns3::NodeContainer& nodes)
{
    const auto& spec = scenario.any;
    const ns3::DataRateValue rate(ns3::DataRate(static_cast<uint64_t>(spec.bitRate)));
    const ns3::TimeValue delay(ns3::Seconds(spec.delaySeconds));
    const auto simple = ns3::CreateObjectWithAttributes<ns3::SimpleChannel>("Delay", delay);
    const auto csma =
        ns3::CreateObjectWithAttributes<ns3::CsmaChannel>("DataRate", rate, "Delay", delay);
    if (spec.device != "simple" && spec.device != "csma")
    {
        throw std::invalid_argument("no device " + spec.device);
    }
    const auto medium = std::make_shared<WiredMedium>(nodes);
    Radios radios;
    for (NodeId id = 0; id < nodes.GetN(); ++id)
    {
        const auto device = spec.device == "csma" ? MakeCsma(csma) : MakeSimple(rate, simple);
        GiveAddress(*device, id);
        nodes.Get(id)->AddDevice(device);
        const auto port = ns3::CreateObject<AnyPort>(device);
        port->SetBitRate(spec.bitRate);
        port->SetFilter([medium, id](NodeId from) { return !medium->IsUsable(from, id); });
        AddPort(radios, scenario, nodes.Get(id), port);
    }
    radios.medium = medium;
    return radios;
}

} // namespace mftpubsub
