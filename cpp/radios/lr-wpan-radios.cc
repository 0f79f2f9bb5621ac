/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/lr-wpan-port.h"
#include "radios/loss-medium.h"
#include "radios/losses.h"
#include "radios/radios.h"
#include "scenario/streams.h"

#include "ns3/boolean.h"
#include "ns3/lr-wpan-error-model.h"
#include "ns3/lr-wpan-mac.h"
#include "ns3/lr-wpan-phy.h"
#include "ns3/lr-wpan-spectrum-value-helper.h"
#include "ns3/mac16-address.h"
#include "ns3/mac64-address.h"
#include "ns3/propagation-delay-model.h"
#include "ns3/single-model-spectrum-channel.h"

#include <cmath>

namespace mftpubsub
{

namespace
{

constexpr uint32_t CHANNEL = 11;
constexpr uint16_t PAN = 5;
constexpr double MOST_SENSITIVE_DBM = -106.58; //!< ns-3's radio without noise of its own

double
ToWatts(double dbm)
{
    return std::pow(10, (dbm - 30) / 10);
}

/// @return the least power at which something is received, dBm. ns-3's "sensitivity" is where 1 %
/// of frames are lost: weaker ones arrive too.
double
GetThreshold(double sensitivityDbm)
{
    constexpr double LEAST_SNR_DB = -5; //!< the radio does not try with less
    constexpr uint32_t SHORTEST_BITS = 8 * 30;
    ns3::lrwpan::LrWpanSpectrumValueHelper spectrum;
    const auto total = [](const ns3::Ptr<ns3::SpectrumValue>& density) {
        return ns3::lrwpan::LrWpanSpectrumValueHelper::TotalAvgPower(density, CHANNEL);
    };
    const auto share = total(spectrum.CreateTxPowerSpectralDensity(0, CHANNEL)) / ToWatts(0);
    spectrum.SetNoiseFactor(ToWatts(sensitivityDbm) / ToWatts(MOST_SENSITIVE_DBM));
    const auto noise = total(spectrum.CreateNoisePowerSpectralDensity(CHANNEL));
    const auto errors = ns3::CreateObject<ns3::lrwpan::LrWpanErrorModel>();
    return FindThreshold([&](double dbm) {
        const auto snr = ToWatts(dbm) * share / noise;
        return 10 * std::log10(snr) > LEAST_SNR_DB ? errors->GetChunkSuccessRate(snr, SHORTEST_BITS)
                                                   : 0;
    });
}

ns3::Ptr<ns3::lrwpan::LrWpanNetDevice>
InstallDevice(const LrWpanSpec& spec,
              const ns3::Ptr<ns3::SpectrumChannel>& channel,
              const ns3::Ptr<ns3::Node>& node,
              NodeId id)
{
    const auto device = ns3::CreateObject<ns3::lrwpan::LrWpanNetDevice>();
    device->SetAttribute("UseAcks", ns3::BooleanValue(spec.hasAcks));
    device->SetChannel(channel);
    node->AddDevice(device);
    device->SetNode(node);
    const auto phy = device->GetPhy();
    phy->SetRxSensitivity(spec.sensitivityDbm); // which sets the power too
    phy->SetTxPowerSpectralDensity(
        ns3::lrwpan::LrWpanSpectrumValueHelper().CreateTxPowerSpectralDensity(spec.txPowerDbm,
                                                                              CHANNEL));
    const auto mac = device->GetMac();
    mac->SetMacMaxFrameRetries(static_cast<uint8_t>(spec.retries));
    const auto number = static_cast<uint64_t>(id) + 1; // as node-address.h
    mac->SetExtendedAddress(ns3::Mac64Address(number));
    device->SetPanAssociation(PAN,
                              ns3::Mac64Address(uint64_t{1}),
                              ns3::Mac16Address(uint16_t{1}),
                              ns3::Mac16Address(static_cast<uint16_t>(number)));
    return device;
}

/// Has @p medium told how signals end at the device of a node. ns-3 does not tell why they fail.
void
Watch(const std::shared_ptr<LossMedium>& medium, ns3::lrwpan::LrWpanPhy& phy, NodeId id)
{
    using ns3::Packet;
    using ns3::Ptr;
    phy.TraceConnectWithoutContext(
        "PhyRxEnd",
        ns3::Callback<void, Ptr<const Packet>, double>(
            [medium, id](Ptr<const Packet> packet, double) {
                medium->End(id, *packet, SignalOutcome::RX_NO_INTERFERENCE);
            }));
    phy.TraceConnectWithoutContext(
        "PhyRxDrop",
        ns3::Callback<void, Ptr<const Packet>>([medium, id](Ptr<const Packet> packet) {
            medium->End(id, *packet, SignalOutcome::FAIL_INTERFERENCE);
        }));
}

} // namespace

Radios
InstallLrWpanRadios(const Scenario& scenario, const ns3::NodeContainer& nodes)
{
    const auto& spec = scenario.lrWpan;
    const auto medium = std::make_shared<LossMedium>(scenario, nodes);
    const auto isCut = [m = medium.get()](NodeId from, NodeId to) { return m->IsCut(from, to); };
    const auto losses = MakeLosses(scenario, nodes, isCut);
    const auto channel = ns3::CreateObject<ns3::SingleModelSpectrumChannel>();
    channel->AddPropagationLossModel(losses.all);
    channel->SetPropagationDelayModel(ns3::CreateObject<ns3::ConstantSpeedPropagationDelayModel>());
    const auto threshold = GetThreshold(spec.sensitivityDbm);
    const auto budget = MakeBudget(losses.steady, spec.txPowerDbm, threshold);
    medium->SetLosses(losses.steady, spec.txPowerDbm, threshold);

    Radios radios;
    int64_t stream = STREAM_DEVICE;
    for (NodeId id = 0; id < nodes.GetN(); ++id)
    {
        const auto device = InstallDevice(spec, channel, nodes.Get(id), id);
        stream += device->AssignStreams(stream);
        Watch(medium, *device->GetPhy(), id);
        const auto port = ns3::CreateObject<LrWpanPort>(device);
        port->SetStrength([medium, id](NodeId from) { return medium->GetStrengthDbm(from, id); });
        port->SetBudget(budget);
        port->SetPowers(spec.powers);
        AddPort(radios, scenario, nodes.Get(id), port);
    }
    radios.medium = medium;
    return radios;
}

} // namespace mftpubsub
