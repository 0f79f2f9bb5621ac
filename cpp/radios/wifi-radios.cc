/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/node-address.h"
#include "hosts/wifi-port.h"
#include "radios/loss-medium.h"
#include "radios/losses.h"
#include "radios/radios.h"
#include "scenario/streams.h"

#include "ns3/double.h"
#include "ns3/propagation-delay-model.h"
#include "ns3/string.h"
#include "ns3/table-based-error-rate-model.h"
#include "ns3/threshold-preamble-detection-model.h"
#include "ns3/txop.h"
#include "ns3/uinteger.h"
#include "ns3/wifi-helper.h"
#include "ns3/wifi-mac-queue.h"
#include "ns3/yans-wifi-channel.h"
#include "ns3/yans-wifi-helper.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace mftpubsub
{

namespace
{

constexpr double NOISE_FIGURE_DB = 7; //!< ns-3's default, which cannot be asked for

struct Standard
{
    ns3::WifiStandard number;
    bool hasMcs{false};    //!< rates of 802.11n and later
    std::string channel{}; //!< of 20 MHz, for those that have several bands or widths
};

const std::map<std::string, Standard> STANDARDS{
    {"802.11a", {ns3::WIFI_STANDARD_80211a}},
    {"802.11b", {ns3::WIFI_STANDARD_80211b}},
    {"802.11g", {ns3::WIFI_STANDARD_80211g}},
    {"802.11n", {ns3::WIFI_STANDARD_80211n, true, "{1, 20, BAND_2_4GHZ, 0}"}},
    {"802.11ac", {ns3::WIFI_STANDARD_80211ac, true, "{36, 20, BAND_5GHZ, 0}"}},
    {"802.11ax", {ns3::WIFI_STANDARD_80211ax, true, "{1, 20, BAND_2_4GHZ, 0}"}},
};

const std::map<std::string, std::string> RATE_CONTROLS{
    {"minstrel", "ns3::MinstrelWifiManager"},
    {"ideal", "ns3::IdealWifiManager"},
    {"aarf", "ns3::AarfWifiManager"},
    {"thompson", "ns3::ThompsonSamplingWifiManager"},
};

/// Chooses the rates of frames: of those to one node, those to all go at the scenario's.
void
SetRateControl(ns3::WifiHelper& wifi, const WifiSpec& spec, const Standard& standard)
{
    const ns3::StringValue rate(spec.rate);
    const ns3::UintegerValue rtsBytes(spec.rtsBytes);
    if (spec.rateControl == "constant")
    {
        wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                     "DataMode",
                                     rate,
                                     "ControlMode",
                                     ns3::StringValue(spec.controlRate),
                                     "NonUnicastMode",
                                     rate,
                                     "RtsCtsThreshold",
                                     rtsBytes);
        return;
    }
    const auto found = RATE_CONTROLS.find(spec.rateControl);
    if (found == RATE_CONTROLS.end())
    {
        throw std::invalid_argument("no rate control " + spec.rateControl);
    }
    const auto isMinstrelHt = spec.rateControl == "minstrel" && standard.hasMcs;
    wifi.SetRemoteStationManager(isMinstrelHt ? "ns3::MinstrelHtWifiManager" : found->second,
                                 "NonUnicastMode",
                                 rate,
                                 "RtsCtsThreshold",
                                 rtsBytes);
}

ns3::NetDeviceContainer
InstallDevices(const WifiSpec& spec,
               const ns3::Ptr<ns3::YansWifiChannel>& channel,
               const ns3::NodeContainer& nodes)
{
    const auto standard = STANDARDS.find(spec.standard);
    if (standard == STANDARDS.end())
    {
        throw std::invalid_argument("no Wi-Fi standard " + spec.standard);
    }
    ns3::WifiHelper wifi;
    wifi.SetStandard(standard->second.number);
    SetRateControl(wifi, spec, standard->second);
    ns3::YansWifiPhyHelper phy;
    phy.SetChannel(channel);
    phy.Set("TxPowerStart", ns3::DoubleValue(spec.txPowerDbm));
    phy.Set("TxPowerEnd", ns3::DoubleValue(spec.txPowerDbm));
    phy.Set("RxNoiseFigure", ns3::DoubleValue(NOISE_FIGURE_DB));
    if (!standard->second.channel.empty())
    {
        phy.Set("ChannelSettings", ns3::StringValue(standard->second.channel));
    }
    ns3::WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac", "FrameRetryLimit", ns3::UintegerValue(spec.retries));
    return wifi.Install(phy, mac, nodes);
}

void
SetQueue(const ns3::WifiMac& mac, uint32_t frames)
{
    const auto txop =
        mac.GetQosSupported() ? mac.GetTxopQueue(ns3::AC_BE) : mac.GetTxopQueue(ns3::AC_BE_NQOS);
    txop->SetMaxSize(ns3::QueueSize(ns3::PACKETS, frames));
}

/// @return the least power at which something of what @p device sends is received, dBm
double
GetThreshold(ns3::WifiNetDevice& device, const WifiSpec& spec)
{
    constexpr double BOLTZMANN = 1.3803e-23;
    constexpr double KELVIN = 290;
    constexpr uint32_t SHORTEST_BITS = 8 * 40;
    const auto phy = device.GetPhy();
    ns3::WifiMacHeader header(device.GetMac()->GetQosSupported() ? ns3::WIFI_MAC_QOSDATA
                                                                 : ns3::WIFI_MAC_DATA);
    header.SetAddr1(ns3::Mac48Address::GetBroadcast());
    auto vector = device.GetRemoteStationManager()->GetDataTxVector(header, phy->GetChannelWidth());
    if (spec.rateControl != "constant")
    {
        vector.SetMode(ns3::WifiMode(spec.controlRate)); // what it falls back to
    }
    const auto noiseDbm =
        10 * std::log10(BOLTZMANN * KELVIN * vector.GetChannelWidth() * 1e6 * 1e3) +
        NOISE_FIGURE_DB;

    const auto errors = ns3::CreateObject<ns3::TableBasedErrorRateModel>();
    const auto decoded = FindThreshold([&](double dbm) {
        const auto snr = std::pow(10, (dbm - noiseDbm) / 10);
        return errors->GetChunkSuccessRate(vector.GetMode(), vector, snr, SHORTEST_BITS);
    });
    // ns-3's PHY does not begin with what its detector of preambles does not see, however sensitive
    // it is said to be.
    const auto detector = ns3::CreateObject<ns3::ThresholdPreambleDetectionModel>();
    ns3::DoubleValue snrDb;
    ns3::DoubleValue rssiDbm;
    detector->GetAttribute("Threshold", snrDb);
    detector->GetAttribute("MinimumRssi", rssiDbm);
    return std::max({rssiDbm.Get(), noiseDbm + snrDb.Get(), phy->GetRxSensitivity(), decoded});
}

SignalOutcome
GetOutcome(ns3::WifiPhyRxfailureReason reason)
{
    switch (reason)
    {
    case ns3::TXING:
    case ns3::SLEEPING:
    case ns3::POWERED_OFF:
    case ns3::RECEPTION_ABORTED_BY_TX:
    case ns3::SIGNAL_DETECTION_ABORTED_BY_TX:
        return SignalOutcome::FAIL_NON_RX;
    case ns3::RXING:
    case ns3::BUSY_DECODING_PREAMBLE:
    case ns3::PREAMBLE_DETECTION_PACKET_SWITCH:
    case ns3::FRAME_CAPTURE_PACKET_SWITCH:
        return SignalOutcome::FAIL_INTERFERENCE;
    default:
        return SignalOutcome::FAIL_NO_INTERFERENCE;
    }
}

/// Has @p medium told how signals end at the device of a node.
void
Watch(const std::shared_ptr<LossMedium>& medium, ns3::WifiPhy& phy, NodeId id)
{
    using ns3::Packet;
    using ns3::Ptr;
    phy.TraceConnectWithoutContext(
        "PhyRxEnd",
        ns3::Callback<void, Ptr<const Packet>>([medium, id](Ptr<const Packet> packet) {
            medium->End(id, *packet, SignalOutcome::RX_NO_INTERFERENCE);
        }));
    phy.TraceConnectWithoutContext(
        "PhyRxDrop",
        ns3::Callback<void, Ptr<const Packet>, ns3::WifiPhyRxfailureReason>(
            [medium, id](Ptr<const Packet> packet, ns3::WifiPhyRxfailureReason reason) {
                const auto isHeard = reason != ns3::PREAMBLE_DETECT_FAILURE;
                medium->End(id,
                            *packet,
                            isHeard ? GetOutcome(reason) : SignalOutcome::FAIL_SENSITIVITY);
            }));
}

} // namespace

Radios
InstallWifiRadios(const Scenario& scenario, const ns3::NodeContainer& nodes)
{
    const auto& spec = scenario.wifi;
    const auto medium = std::make_shared<LossMedium>(scenario, nodes);
    const auto isCut = [m = medium.get()](NodeId from, NodeId to) { return m->IsCut(from, to); };
    const auto losses = MakeLosses(scenario, nodes, isCut);
    const auto channel = ns3::CreateObject<ns3::YansWifiChannel>();
    channel->SetPropagationLossModel(losses.all);
    channel->SetPropagationDelayModel(ns3::CreateObject<ns3::ConstantSpeedPropagationDelayModel>());
    const auto devices = InstallDevices(spec, channel, nodes);
    ns3::WifiHelper::AssignStreams(devices, STREAM_DEVICE);

    Radios radios;
    const auto threshold =
        GetThreshold(*ns3::DynamicCast<ns3::WifiNetDevice>(devices.Get(0)), spec);
    const auto budget = MakeBudget(losses.steady, spec.txPowerDbm, threshold);
    medium->SetLosses(losses.steady, spec.txPowerDbm, threshold);
    for (NodeId id = 0; id < nodes.GetN(); ++id)
    {
        const auto device = ns3::DynamicCast<ns3::WifiNetDevice>(devices.Get(id));
        GiveAddress(*device, id);
        SetQueue(*device->GetMac(), spec.queue);
        Watch(medium, *device->GetPhy(), id);
        const auto port = ns3::CreateObject<WifiPort>(device);
        port->SetPowers(spec.powers);
        port->SetBudget(budget);
        AddPort(radios, scenario, nodes.Get(id), port);
    }
    radios.medium = medium;
    return radios;
}

} // namespace mftpubsub
