/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What tests of PubSubHelper share: nodes with devices as a script of ns-3's makes them, and what
 * such a script is told.
 */
#ifndef MFTPUBSUB_TESTS_PUBSUB_SCRIPT_H
#define MFTPUBSUB_TESTS_PUBSUB_SCRIPT_H

#include "function-case.h"
#include "helper/pubsub-helper.h"
#include "wsn/wsn-helper.h"

#include "ns3/application-container.h"
#include "ns3/constant-position-mobility-model.h"
#include "ns3/csma-helper.h"
#include "ns3/lr-wpan-helper.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/node.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/wifi-helper.h"
#include "ns3/yans-wifi-helper.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace mftpubsub::script
{

/// Gives nodes their devices.
using DeviceMaker = std::function<ns3::NetDeviceContainer(const ns3::NodeContainer&)>;

inline ns3::NetDeviceContainer
InstallWsn(const ns3::NodeContainer& nodes)
{
    const auto channel = WsnHelper::CreateStaticChannel(0, 0);
    channel->AssignStreams(50);
    const auto devices = WsnHelper().Install(nodes, channel);
    WsnHelper::AssignStreams(devices, 100);
    return devices;
}

inline ns3::NetDeviceContainer
InstallWifi(const ns3::NodeContainer& nodes)
{
    ns3::WifiHelper wifi;
    wifi.SetStandard(ns3::WIFI_STANDARD_80211b);
    ns3::WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac");
    ns3::YansWifiPhyHelper phy;
    phy.SetChannel(ns3::YansWifiChannelHelper::Default().Create());
    return wifi.Install(phy, mac, nodes);
}

inline ns3::NetDeviceContainer
InstallLrWpan(const ns3::NodeContainer& nodes)
{
    static std::optional<ns3::LrWpanHelper> helper; // its destructor ends the channel
    helper.emplace();
    const auto devices = helper->Install(nodes);
    helper->CreateAssociatedPan(devices, 7);
    return devices;
}

inline ns3::NetDeviceContainer
InstallCsma(const ns3::NodeContainer& nodes)
{
    return ns3::CsmaHelper().Install(nodes);
}

/// A line of nodes, 20 m apart; by default with our radio.
struct Line
{
    explicit Line(uint32_t number, const DeviceMaker& install = InstallWsn)
    {
        ns3::RngSeedManager::SetSeed(1);
        ns3::RngSeedManager::SetRun(1);
        nodes.Create(number);
        for (uint32_t i = 0; i < number; ++i)
        {
            const auto place = ns3::CreateObject<ns3::ConstantPositionMobilityModel>();
            place->SetPosition({20.0 * i, 0, 0});
            nodes.Get(i)->AggregateObject(place);
        }
        devices = install(nodes);
    }

    ~Line()
    {
        ns3::Simulator::Destroy();
    }

    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;

    ns3::NodeContainer nodes;
    ns3::NetDeviceContainer devices;
};

/// What the trace sources have told.
struct Told
{
    void Connect(const ns3::ApplicationContainer& applications)
    {
        for (auto one = applications.Begin(); one != applications.End(); ++one)
        {
            (*one)->TraceConnectWithoutContext("Published",
                                               ns3::MakeCallback(&Told::Published, this));
            (*one)->TraceConnectWithoutContext("Delivered",
                                               ns3::MakeCallback(&Told::Delivered, this));
        }
    }

    void Published(uint32_t, uint32_t, const std::string& attributes, uint32_t payloadBytes)
    {
        published.emplace_back(attributes, payloadBytes);
    }

    void Delivered(uint32_t publisher,
                   uint32_t sequence,
                   const std::string& attributes,
                   ns3::Time delay,
                   uint32_t)
    {
        delivered.emplace_back(publisher, sequence, attributes);
        isLate = isLate || !delay.IsStrictlyPositive();
    }

    std::vector<std::pair<std::string, uint32_t>> published;
    std::vector<std::tuple<uint32_t, uint32_t, std::string>> delivered;
    bool isLate{false}; //!< a delivery took no time
};

template <typename Error>
void
Refuses(FunctionCase& test, const std::string& words, const std::function<void()>& what)
{
    try
    {
        what();
        test.Expect(false, "accepted: " + words);
    }
    catch (const Error& error)
    {
        test.Expect(std::string(error.what()).find(words) != std::string::npos,
                    std::string(error.what()) + " says " + words);
    }
}

/// Leaves out of the search for leaks what comes to be meanwhile: ns-3 forgets an event that
/// throws.
class Forgotten
{
  public:
#ifdef __SANITIZE_ADDRESS__
    Forgotten()
    {
        __lsan_disable();
    }

    ~Forgotten()
    {
        __lsan_enable();
    }
#endif
};

/// @return a helper for @p line, whose last node subscribes
inline PubSubHelper
OfMesh(Line& line)
{
    PubSubHelper pubsub("mft-mesh");
    pubsub.SetRole(line.nodes, "broker");
    pubsub.Subscribe(line.nodes.Get(line.nodes.GetN() - 1), "temp > 20");
    pubsub.AssignStreams(pubsub.Install(line.devices), 1000);
    return pubsub;
}

} // namespace mftpubsub::script

#endif /* MFTPUBSUB_TESTS_PUBSUB_SCRIPT_H */
