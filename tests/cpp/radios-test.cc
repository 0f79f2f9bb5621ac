/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Which share of broadcasts our ports receive over distance, beside ns-3's own devices set up as
 * ns-3's examples do (lr-wpan-error-distance-plot, wifi-simple-adhoc), and beside the formulas of
 * its error models.
 */
#include "function-case.h"
#include "hosts/device-port.h"
#include "radios/radios.h"

#include "ns3/boolean.h"
#include "ns3/constant-position-mobility-model.h"
#include "ns3/double.h"
#include "ns3/lr-wpan-error-model.h"
#include "ns3/lr-wpan-mac.h"
#include "ns3/lr-wpan-net-device.h"
#include "ns3/lr-wpan-phy.h"
#include "ns3/lr-wpan-spectrum-signal-parameters.h"
#include "ns3/lr-wpan-spectrum-value-helper.h"
#include "ns3/node-container.h"
#include "ns3/propagation-delay-model.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/single-model-spectrum-channel.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/wifi-helper.h"
#include "ns3/wifi-net-device.h"
#include "ns3/yans-wifi-channel.h"
#include "ns3/yans-wifi-helper.h"

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::radios_test
{

namespace
{

constexpr uint32_t FRAMES = 3000;
constexpr uint32_t PAYLOAD = 20; //!< B, as in lr-wpan-error-distance-plot
constexpr uint16_t PROTOCOL = 0x88b5;
constexpr double GAP_SECONDS = 0.02;
constexpr double EXPONENT = 3;
constexpr double REFERENCE_LOSS_DB = 46.6777;

/// A pair of nodes of which the first broadcasts.
struct Link
{
    double metres;
    double txPowerDbm;
    double sensitivityDbm{-106.58}; //!< of 802.15.4
    std::string rate{};             //!< of 802.11g
};

/// Of the frames that were on the air.
struct Counted
{
    uint32_t sent{0};
    uint32_t received{0};
    bool areBytesAsTold{true}; //!< on the air: what the port's timing says is around a payload

    double Share() const
    {
        return static_cast<double>(received) / sent;
    }
};

/// @return nodes so far along a line
ns3::NodeContainer
MakeLine(const std::vector<double>& metres)
{
    ns3::RngSeedManager::SetSeed(1);
    ns3::RngSeedManager::SetRun(static_cast<uint64_t>(metres.back())); // links draw independently
    ns3::NodeContainer nodes;
    nodes.Create(static_cast<uint32_t>(metres.size()));
    for (uint32_t i = 0; i < metres.size(); ++i)
    {
        const auto place = ns3::CreateObject<ns3::ConstantPositionMobilityModel>();
        place->SetPosition({metres[i], 0, 0});
        nodes.Get(i)->AggregateObject(place);
    }
    return nodes;
}

ns3::NodeContainer
MakePair(double metres)
{
    return MakeLine({0, metres});
}

ns3::Ptr<ns3::PropagationLossModel>
MakeLoss()
{
    return ns3::CreateObjectWithAttributes<ns3::LogDistancePropagationLossModel>(
        "Exponent",
        ns3::DoubleValue(EXPONENT),
        "ReferenceLoss",
        ns3::DoubleValue(REFERENCE_LOSS_DB));
}

/// Calls @p send again and again, and ends the simulation.
void
RunSending(const std::function<void()>& send,
           uint32_t times = FRAMES,
           double gapSeconds = GAP_SECONDS)
{
    for (uint32_t i = 0; i < times; ++i)
    {
        ns3::Simulator::Schedule(ns3::Seconds(1 + gapSeconds * i), send);
    }
    ns3::Simulator::Stop(ns3::Seconds(2 + gapSeconds * times));
    ns3::Simulator::Run();
    ns3::Simulator::Destroy();
}

/// @return what arrives at a station of ours
Counted
CountOurs(const std::string& radio, const Link& link)
{
    Scenario scenario;
    scenario.radio = radio;
    scenario.loss.exponent = EXPONENT;
    scenario.loss.referenceLossDb = REFERENCE_LOSS_DB;
    scenario.lrWpan.txPowerDbm = scenario.wifi.txPowerDbm = link.txPowerDbm;
    scenario.lrWpan.sensitivityDbm = link.sensitivityDbm;
    scenario.wifi.standard = "802.11g";
    scenario.wifi.controlRate = "ErpOfdmRate6Mbps";
    scenario.wifi.rate = link.rate;
    const auto nodes = MakePair(link.metres);
    const auto radios = InstallRadios(scenario, nodes);
    Counted counted;
    const auto bytesOnAir = PAYLOAD + radios.ports[0]->GetTiming().overheadBytes;
    radios.ports[0]->TraceConnectWithoutContext(
        "Transmit",
        ns3::Callback<void, ns3::Ptr<const ns3::Packet>, uint16_t, ns3::Mac48Address, uint32_t>(
            [&, bytesOnAir](auto, auto, auto, uint32_t bytes) {
                ++counted.sent;
                counted.areBytesAsTold = counted.areBytesAsTold && bytes == bytesOnAir;
            }));
    radios.ports[1]->SetReceiver(PROTOCOL, [&](auto, auto) { ++counted.received; });
    RunSending(
        [&] { radios.ports[0]->Send(ns3::Create<ns3::Packet>(PAYLOAD), NO_NODE, PROTOCOL); });
    return counted;
}

using LrWpanDevice = ns3::Ptr<ns3::lrwpan::LrWpanNetDevice>;

LrWpanDevice
MakeLrWpan(const Link& link,
           const ns3::Ptr<ns3::SpectrumChannel>& channel,
           const ns3::Ptr<ns3::Node>& node)
{
    const auto device = ns3::CreateObject<ns3::lrwpan::LrWpanNetDevice>();
    device->SetAddress(ns3::Mac16Address(static_cast<uint16_t>(node->GetId() % 2 + 1)));
    device->SetChannel(channel);
    node->AddDevice(device);
    ns3::lrwpan::LrWpanSpectrumValueHelper spectrum;
    device->GetPhy()->SetRxSensitivity(link.sensitivityDbm);
    device->GetPhy()->SetTxPowerSpectralDensity(
        spectrum.CreateTxPowerSpectralDensity(link.txPowerDbm, 11));
    device->AssignStreams(1000 * (1 + node->GetId() % 2));
    return device;
}

/// @return what arrives at ns-3's device
Counted
CountLrWpan(const Link& link)
{
    const auto nodes = MakePair(link.metres);
    const auto channel = ns3::CreateObject<ns3::SingleModelSpectrumChannel>();
    channel->AddPropagationLossModel(MakeLoss());
    channel->SetPropagationDelayModel(ns3::CreateObject<ns3::ConstantSpeedPropagationDelayModel>());
    const auto sender = MakeLrWpan(link, channel, nodes.Get(0));
    const auto receiver = MakeLrWpan(link, channel, nodes.Get(1));
    Counted counted;
    sender->GetPhy()->TraceConnectWithoutContext(
        "PhyTxBegin",
        ns3::Callback<void, ns3::Ptr<const ns3::Packet>>([&](auto) { ++counted.sent; }));
    receiver->GetMac()->SetMcpsDataIndicationCallback(
        ns3::Callback<void, ns3::lrwpan::McpsDataIndicationParams, ns3::Ptr<ns3::Packet>>(
            [&](auto, auto) { ++counted.received; }));
    ns3::lrwpan::McpsDataRequestParams request;
    request.m_dstAddr = receiver->GetMac()->GetShortAddress();
    RunSending(
        [&] { sender->GetMac()->McpsDataRequest(request, ns3::Create<ns3::Packet>(PAYLOAD)); });
    return counted;
}

/// Bytes in which ns-3 counts no bit errors: from 3.47 on, where signals tell of their preamble,
/// those of that.
template <typename Signal>
constexpr uint32_t SPARED_BYTES = requires(Signal signal) { signal.preambleDuration; } ? 4 : 0;

/// @return the share of frames that ns-3's formula gives, without a simulation
double
ComputeLrWpan(const Link& link)
{
    constexpr double THERMAL_DBM = -106.58; //!< the sensitivity at which ns-3 adds no noise
    constexpr double LEAST_SNR_DB = -5;
    constexpr auto SPARED = SPARED_BYTES<ns3::lrwpan::LrWpanSpectrumSignalParameters>;
    constexpr uint32_t BITS = 8 * (PAYLOAD + 9 + 2 + 6 - SPARED); //!< with headers, check sequence
    using Helper = ns3::lrwpan::LrWpanSpectrumValueHelper;
    Helper spectrum;
    const auto lossDb = REFERENCE_LOSS_DB + 10 * EXPONENT * std::log10(link.metres);
    const auto signal = spectrum.CreateTxPowerSpectralDensity(link.txPowerDbm - lossDb, 11);
    spectrum.SetNoiseFactor(std::pow(10, (link.sensitivityDbm - THERMAL_DBM) / 10));
    const auto snr = Helper::TotalAvgPower(signal, 11) /
                     Helper::TotalAvgPower(spectrum.CreateNoisePowerSpectralDensity(11), 11);
    if (10 * std::log10(snr) <= LEAST_SNR_DB)
    {
        return 0;
    }
    return ns3::CreateObject<ns3::lrwpan::LrWpanErrorModel>()->GetChunkSuccessRate(snr, BITS);
}

/// @return what arrives at ns-3's device
Counted
CountWifi(const Link& link)
{
    const auto nodes = MakePair(link.metres);
    const auto channel = ns3::CreateObject<ns3::YansWifiChannel>();
    channel->SetPropagationLossModel(MakeLoss());
    channel->SetPropagationDelayModel(ns3::CreateObject<ns3::ConstantSpeedPropagationDelayModel>());
    ns3::WifiHelper wifi;
    wifi.SetStandard(ns3::WIFI_STANDARD_80211g);
    const ns3::StringValue rate(link.rate);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode",
                                 rate,
                                 "NonUnicastMode",
                                 rate);
    ns3::YansWifiPhyHelper phy;
    phy.SetChannel(channel);
    phy.Set("TxPowerStart", ns3::DoubleValue(link.txPowerDbm));
    phy.Set("TxPowerEnd", ns3::DoubleValue(link.txPowerDbm));
    ns3::WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac");
    const auto devices = wifi.Install(phy, mac, nodes);
    ns3::WifiHelper::AssignStreams(devices, 1000);
    Counted counted;
    ns3::DynamicCast<ns3::WifiNetDevice>(devices.Get(0))
        ->GetPhy()
        ->TraceConnectWithoutContext("PhyTxBegin",
                                     ns3::Callback<void, ns3::Ptr<const ns3::Packet>, double>(
                                         [&](auto, auto) { ++counted.sent; }));
    devices.Get(1)->SetReceiveCallback(
        [&](auto, auto, auto, auto) { return ++counted.received > 0; });
    RunSending([&] {
        const auto all = devices.Get(0)->GetBroadcast();
        devices.Get(0)->Send(ns3::Create<ns3::Packet>(PAYLOAD), all, PROTOCOL);
    });
    return counted;
}

/// @return by how many standard deviations two shares differ, each of so many frames (0: exact)
double
Deviations(const Counted& one, double other, double otherFrames)
{
    const auto frames = static_cast<double>(one.sent);
    const auto mean =
        otherFrames > 0 ? (one.received + other * otherFrames) / (frames + otherFrames) : other;
    const auto perFrame = 1 / frames + (otherFrames > 0 ? 1 / otherFrames : 0);
    const auto deviation = std::sqrt(std::max(mean * (1 - mean) * perFrame, 1e-9));
    return std::abs(one.Share() - other) / deviation;
}

constexpr double MOST_DEVIATIONS = 3.5; //!< one in 2000 links differs as much by chance

std::string
Tell(const Link& link, const Counted& ours, double other)
{
    return std::to_string(link.metres) + " m: " + std::to_string(ours.Share()) + ", ns-3 " +
           std::to_string(other);
}

void
LrWpanReceivesAsNs3sExampleDoes(FunctionCase& test)
{
    std::vector<Link> links;
    for (const double metres : {20, 92, 98, 102, 106, 110, 114, 118, 130})
    {
        links.push_back({metres, 0});
    }
    for (const double metres : {30, 38, 40, 42, 44, 46, 52})
    {
        links.push_back({metres, -12});
    }
    for (const double metres : {40, 58, 62, 64, 66, 70, 80})
    {
        links.push_back({metres, 5, -95});
    }
    uint32_t between = 0;
    for (const auto& link : links)
    {
        const auto ours = CountOurs("lr-wpan", link);
        const auto theirs = CountLrWpan(link);
        const auto formula = ComputeLrWpan(link);
        between += formula > 0.02 && formula < 0.98;
        test.Expect(ours.sent == FRAMES && theirs.sent == FRAMES, "all went on the air");
        test.Expect(ours.areBytesAsTold, "bytes around a payload");
        test.Expect(Deviations(ours, theirs.Share(), theirs.sent) < MOST_DEVIATIONS,
                    "example, " + Tell(link, ours, theirs.Share()));
        test.Expect(Deviations(ours, formula, 0) < MOST_DEVIATIONS,
                    "formula, " + Tell(link, ours, formula));
    }
    test.Expect(between >= 6, "links on the slopes: " + std::to_string(between));
}

void
WifiReceivesAsNs3sDeviceDoes(FunctionCase& test)
{
    std::vector<Link> links;
    for (const double metres : {10, 32, 34, 35, 36, 37, 38, 43})
    {
        links.push_back({.metres = metres, .txPowerDbm = 16, .rate = "ErpOfdmRate54Mbps"});
    }
    for (const double metres : {51, 52})
    {
        links.push_back({.metres = metres, .txPowerDbm = 16, .rate = "ErpOfdmRate6Mbps"});
    }
    uint32_t between = 0;
    for (const auto& link : links)
    {
        const auto ours = CountOurs("wifi", link);
        const auto theirs = CountWifi(link);
        between += theirs.Share() > 0.02 && theirs.Share() < 0.98;
        test.Expect(ours.sent == FRAMES && theirs.sent == FRAMES, "all went on the air");
        test.Expect(ours.areBytesAsTold, "bytes around a payload");
        test.Expect(Deviations(ours, theirs.Share(), theirs.sent) < MOST_DEVIATIONS,
                    Tell(link, ours, theirs.Share()));
    }
    test.Expect(between >= 2, "links on the slope: " + std::to_string(between));
}

void
RatesAreThoseOfTheStandard(FunctionCase& test)
{
    struct Rate
    {
        const char* standard;
        const char* rate;
        double bitRate;
    };

    for (const auto& [standard, rate, bitRate] :
         {Rate{"802.11b", "DsssRate11Mbps", 11e6},
          Rate{"802.11n", "HtMcs7", 65e6},
          Rate{"802.11ac", "VhtMcs8", 78e6},
          Rate{"802.11ax", "HeMcs0", 117e6 / 13.6},
          Rate{"802.11ax", "HeMcs9", 117e6 / 13.6 * 40 / 3},
          Rate{"802.11ax", "HeMcs11", 117e6 / 13.6 * 50 / 3}})
    {
        Scenario scenario;
        scenario.radio = "wifi";
        scenario.wifi.standard = standard;
        scenario.wifi.rate = rate;
        scenario.wifi.rateControl = "ideal";
        const auto told = InstallRadios(scenario, MakePair(5)).ports[0]->GetTiming().bitRate;
        ns3::Simulator::Destroy();
        test.Expect(std::abs(told - bitRate) < 2, std::string(rate) + ": " + std::to_string(told));
    }
}

/// Of two nodes, 10 m apart, one sends. Whether the other one hears it is also known beforehand.
void
ExpectToReach(FunctionCase& test, const std::string& radio, double wallDb, bool isReached)
{
    Scenario scenario;
    scenario.radio = radio;
    scenario.areaXMetres = scenario.areaYMetres = 20;
    if (wallDb > 0)
    {
        scenario.walls = {{.fromXMetres = 5,
                           .fromYMetres = -5,
                           .toXMetres = 5,
                           .toYMetres = 5,
                           .lossDb = wallDb}};
    }
    const auto nodes = MakePair(10);
    const auto radios = InstallRadios(scenario, nodes);
    uint32_t received = 0;
    radios.ports[1]->SetReceiver(PROTOCOL, [&](auto, auto) { ++received; });
    const auto name = radio + " behind " + std::to_string(wallDb) + " dB";
    test.Expect(radios.medium->IsUsable(0, 1) == isReached, name + " by the medium");
    RunSending(
        [&] { radios.ports[0]->Send(ns3::Create<ns3::Packet>(PAYLOAD), NO_NODE, PROTOCOL); });
    test.Expect((received > FRAMES / 2) == isReached, name);
}

void
WallsPartNodesOnEachRadio(FunctionCase& test)
{
    for (const auto* radio : {"cc2420", "wifi", "lr-wpan"})
    {
        ExpectToReach(test, radio, 0, true);
        ExpectToReach(test, radio, 100, false);
    }
}

/// A radio listens for 10 s, sleeps for 10 s, and is off for 10 s.
void
RadiosSpendByWhatTheyDo(FunctionCase& test)
{
    for (const auto* radio : {"wifi", "lr-wpan"})
    {
        Scenario scenario;
        scenario.radio = radio;
        scenario.startupSpreadSeconds = 0;
        scenario.wifi.powers = {.transmit = 2, .receive = 1, .listen = 0.5, .sleep = 0.25};
        scenario.lrWpan.powers = scenario.wifi.powers;
        const auto radios = InstallRadios(scenario, MakePair(10));
        auto& port = *radios.ports[0];
        ns3::Simulator::Schedule(ns3::Seconds(10), [&] { port.SetAsleep(true); });
        ns3::Simulator::Schedule(ns3::Seconds(20), [&] { port.SetOn(false); });
        ns3::Simulator::Stop(ns3::Seconds(30));
        ns3::Simulator::Run();
        const auto joules = port.GetEnergyJoules().value_or(0);
        test.Expect(std::abs(joules - 7.5) < 0.01,
                    std::string(radio) + ": " + std::to_string(joules) + " J");
        ns3::Simulator::Destroy();
    }
}

/// Of two nodes, the first sends to the second before that one starts, and afterwards.
void
RadiosAreOffUntilTheirNodesStart(FunctionCase& test)
{
    for (const std::string radio : {"wifi", "lr-wpan", "any"})
    {
        Scenario scenario;
        scenario.radio = radio;
        scenario.startupSpreadSeconds = 10;
        scenario.wifi.powers = {.transmit = 2, .receive = 1, .listen = 0.5, .sleep = 0.25};
        scenario.lrWpan.powers = scenario.wifi.powers;
        const auto radios = InstallRadios(scenario, MakeLine({0, 10, 20}));
        auto& early = *radios.ports[0];
        auto& late = *radios.ports[1];
        const auto drawn = early.GetStartTime();
        late.StartLate(ns3::Seconds(20)); // not when it was drawn
        auto& crashed = *radios.ports[2];
        crashed.SetOn(false); // before it starts
        uint32_t received = 0;
        late.SetReceiver(PROTOCOL, [&](auto, auto) { ++received; });
        crashed.SetReceiver(PROTOCOL, [&](auto, auto) { ++received; });
        const auto sendAt = [&](ns3::Time at, bool isTaken) {
            ns3::Simulator::Schedule(at, [&, isTaken] {
                const auto frame = ns3::Create<ns3::Packet>(PAYLOAD);
                test.Expect(early.Send(frame, NO_NODE, PROTOCOL) == isTaken,
                            radio + " takes a frame");
            });
        };
        sendAt(drawn / 2, false);
        sendAt(ns3::Seconds(15), true);
        ns3::Simulator::Schedule(ns3::Seconds(19), [&] {
            test.Expect(received == 0, radio + " hears nothing before it starts");
        });
        sendAt(ns3::Seconds(21), true);
        ns3::Simulator::Stop(ns3::Seconds(30));
        ns3::Simulator::Run();
        test.Expect(received == 1, radio + " hears what comes then");
        for (const auto& port : radios.ports)
        {
            const auto seconds = 30 - port->GetStartTime().GetSeconds();
            const auto expected = port == radios.ports[2] ? 0 : 0.5 * seconds;
            const auto joules = port->GetEnergyJoules().value_or(expected);
            test.Expect(std::abs(joules - expected) < 0.1, radio + ": " + std::to_string(joules));
        }
        ns3::Simulator::Destroy();
    }
}

/// What becomes of a radio that rests again and again.
struct Rests
{
    uint32_t received{0};
    uint32_t mostHeardOfIt{0}; //!< since it was switched off, in one round
    double joules{0};          //!< while it rests, once it has ended what it was at
};

/// Three that do not wait for each other send to one between them, which falls asleep or is
/// switched off at another time in each round: also while it hears a frame that is lost already. In
/// half of the rounds it has frames to send itself, the first to nobody who is there.
Rests
RestAmongCollisions(const std::string& radio)
{
    Scenario scenario;
    scenario.radio = radio;
    scenario.areaXMetres = 160;
    scenario.wifi.powers = {.transmit = 1, .receive = 1, .listen = 1, .sleep = 0};
    scenario.lrWpan.powers = scenario.wifi.powers;
    const auto radios = InstallRadios(scenario, MakeLine({0, 65, 95, 160}));
    auto& port = *radios.ports[1];
    Rests rests;
    uint32_t rounds = 0;
    uint32_t heard = 0;
    bool isOff = false;
    port.SetReceiver(PROTOCOL, [&](auto, auto) { ++rests.received; });
    radios.ports[0]->SetReceiver(PROTOCOL, [&](const auto& frame, auto) {
        heard += isOff && frame->GetSize() == PAYLOAD;
        rests.mostHeardOfIt = std::max(rests.mostHeardOfIt, heard);
    });
    const auto send = [&radios](size_t from, uint32_t bytes, NodeId to) {
        radios.ports[from]->Send(ns3::Create<ns3::Packet>(bytes), to, PROTOCOL);
    };
    const auto rest = [&port, &isOff, &heard](bool sleeps, bool now) {
        sleeps ? port.SetAsleep(now) : port.SetOn(!now);
        isOff = now && !sleeps;
        heard = 0;
    };
    const auto playRound = [&] {
        const auto sleeps = ++rounds % 2 == 0;
        for (uint32_t i = 0; i < 20; ++i)
        {
            for (const size_t from : {0, 2, 3})
            {
                send(from, (i + from) % 4 == 0 ? 90 : 1, NO_NODE);
            }
        }
        for (const NodeId to : {NodeId{9}, NO_NODE, NO_NODE, NO_NODE})
        {
            if (rounds % 4 < 2)
            {
                send(1, PAYLOAD, to);
            }
        }
        ns3::Simulator::Schedule(ns3::Seconds(1e-4 * (rounds % 401)),
                                 [rest, sleeps] { rest(sleeps, true); });
        ns3::Simulator::Schedule(ns3::Seconds(0.3),
                                 [&] { rests.joules -= *port.GetEnergyJoules(); });
        ns3::Simulator::Schedule(ns3::Seconds(0.35),
                                 [&] { rests.joules += *port.GetEnergyJoules(); });
        ns3::Simulator::Schedule(ns3::Seconds(0.36), [rest, sleeps] { rest(sleeps, false); });
    };
    RunSending(playRound, 1000, 0.4);
    return rests;
}

void
RadiosRestAmongCollisions(FunctionCase& test)
{
    for (const std::string radio : {"wifi", "lr-wpan"})
    {
        const auto rests = RestAmongCollisions(radio);
        test.Expect(rests.received > 1000 && rests.received < 59000,
                    radio + " hears some: " + std::to_string(rests.received));
        test.Expect(rests.joules == 0, radio + " rests: " + std::to_string(rests.joules) + " J");
        test.Expect(rests.mostHeardOfIt <= 1,
                    radio + " sends off: " + std::to_string(rests.mostHeardOfIt));
    }
}

class RadiosSuite : public ns3::TestSuite
{
  public:
    RadiosSuite()
        : TestSuite("mftpubsub-radios", Type::SYSTEM)
    {
        Add("802.15.4 receives as ns-3's example does", LrWpanReceivesAsNs3sExampleDoes);
        Add("Wi-Fi receives as ns-3's device does", WifiReceivesAsNs3sDeviceDoes);
        Add("Rates are those of the standard", RatesAreThoseOfTheStandard);
        Add("Radios spend by what they do", RadiosSpendByWhatTheyDo);
        Add("Radios are off until their nodes start", RadiosAreOffUntilTheirNodesStart);
        Add("Radios rest among collisions", RadiosRestAmongCollisions);
        Add("Walls part nodes on each radio", WallsPartNodesOnEachRadio);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

RadiosSuite g_radios;

} // namespace

} // namespace mftpubsub::radios_test
