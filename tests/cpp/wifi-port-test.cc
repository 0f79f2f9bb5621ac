/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * A port of Wi-Fi and what acknowledges over it: what becomes of the frames in a device that is
 * switched off, and as what the MAC's repetitions count.
 */
#include "function-case.h"
#include "hosts/acked-net-device.h"
#include "hosts/device-port.h"
#include "hosts/node-address.h"
#include "hosts/protocol-numbers.h"
#include "radios/radios.h"

#include "ns3/constant-position-mobility-model.h"
#include "ns3/node-container.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::wifi_port_test
{

namespace
{

constexpr uint16_t PROTOCOL = 0x88b5;
constexpr uint32_t FRAME_BYTES = 900;
constexpr uint32_t FRAMES = 12;

using FrameCallback =
    ns3::Callback<void, ns3::Ptr<const ns3::Packet>, uint16_t, ns3::Mac48Address, uint32_t>;
using AckCallback = ns3::Callback<void, ns3::Ptr<const ns3::Packet>>;

/// Two stations, 10 m apart.
class Pair
{
  public:
    Pair()
    {
        ns3::RngSeedManager::SetSeed(1);
        ns3::RngSeedManager::SetRun(1);
        m_nodes.Create(2);
        for (uint32_t i = 0; i < 2; ++i)
        {
            const auto place = ns3::CreateObject<ns3::ConstantPositionMobilityModel>();
            place->SetPosition({10.0 * i, 0, 0});
            m_nodes.Get(i)->AggregateObject(place);
        }
        m_scenario.radio = "wifi";
        m_scenario.startupSpreadSeconds = 0;
        m_radios = InstallRadios(m_scenario, m_nodes);
    }

    ~Pair()
    {
        ns3::Simulator::Destroy();
    }

    Pair(const Pair&) = delete;
    Pair& operator=(const Pair&) = delete;

    const ns3::Ptr<DevicePort>& Port(size_t i) const
    {
        return m_radios.ports[i];
    }

    /// @return a device that acknowledges, on the port of node @p i; at most two repetitions
    ns3::Ptr<AckedNetDevice> MakeAcked(uint32_t i) const
    {
        const auto device = ns3::CreateObject<AckedNetDevice>(
            m_radios.ports[i],
            TransportOptions(),
            [](NodeId, uint8_t, uint32_t attempts) { return attempts <= 2; },
            100 + i);
        m_nodes.Get(i)->AddDevice(device);
        return device;
    }

    /// The first port is switched off while its frame of this number is on the air.
    void SwitchOffDuring(uint32_t frame)
    {
        Port(0)->TraceConnectWithoutContext(
            "Transmit",
            FrameCallback([this, left = frame](auto, auto, auto, auto) mutable {
                if (--left == 0)
                {
                    ns3::Simulator::Schedule(ns3::MicroSeconds(100),
                                             [this] { Port(0)->SetOn(false); });
                }
            }));
    }

  private:
    Scenario m_scenario;
    ns3::NodeContainer m_nodes;
    Radios m_radios;
};

void
At(double seconds, std::function<void()> what)
{
    ns3::Simulator::Schedule(ns3::Seconds(seconds), std::move(what));
}

void
Run(double seconds)
{
    ns3::Simulator::Stop(ns3::Seconds(seconds));
    ns3::Simulator::Run();
}

void
EachFrameHasItsEndWhenTheDeviceIsSwitchedOff(FunctionCase& test)
{
    Pair pair;
    std::map<uint64_t, std::string> ends; // by uid
    bool isTold = true;
    const auto& port = pair.Port(0);
    port->TraceConnectWithoutContext("Acknowledged", AckCallback([&](auto frame) {
                                         ends[frame->GetUid()] += 'a';
                                     }));
    port->TraceConnectWithoutContext("GivenUp", AckCallback([&](auto frame) {
                                         ends[frame->GetUid()] += 'g';
                                     }));
    port->TraceConnectWithoutContext(
        "MacDrop",
        FrameCallback([&](auto frame, uint16_t protocol, auto to, uint32_t bytes) {
            ends[frame->GetUid()] += 'd';
            isTold = isTold && frame->GetSize() == FRAME_BYTES && protocol == PROTOCOL &&
                     to == ToMacAddress(1) &&
                     bytes == FRAME_BYTES + port->GetTiming().overheadBytes;
        }));
    pair.SwitchOffDuring(4);
    At(1, [&] {
        for (uint32_t i = 0; i < FRAMES; ++i)
        {
            const auto frame = ns3::Create<ns3::Packet>(FRAME_BYTES);
            ends[frame->GetUid()];
            port->Send(frame, 1, PROTOCOL);
        }
    });
    Run(2);
    std::string told;
    for (const auto& [uid, end] : ends)
    {
        told += end + ' ';
    }
    test.Expect(told == "a a a g d d d d d d d d ", told);
    test.Expect(isTold, "what is dropped, and to whom");
}

/// They have the uid of their datagram.
void
EachFragmentHasItsEnd(FunctionCase& test)
{
    Pair pair;
    std::string ends;
    const auto& port = pair.Port(0);
    port->TraceConnectWithoutContext("Acknowledged", AckCallback([&](auto) { ends += 'a'; }));
    port->TraceConnectWithoutContext("GivenUp", AckCallback([&](auto) { ends += 'g'; }));
    port->TraceConnectWithoutContext("MacDrop",
                                     FrameCallback([&](auto, auto, auto, auto) { ends += 'd'; }));
    pair.SwitchOffDuring(2);
    At(1, [&] {
        const auto datagram = ns3::Create<ns3::Packet>(4 * FRAME_BYTES);
        for (uint32_t i = 0; i < 4; ++i)
        {
            port->Send(datagram->CreateFragment(i * FRAME_BYTES, FRAME_BYTES), 1, PROTOCOL);
        }
    });
    Run(2);
    test.Expect(ends == "addg", ends);
}

void
FramesThatWaitForAwakeningEndWithTheDevice(FunctionCase& test)
{
    Pair pair;
    uint32_t dropped = 0;
    pair.Port(0)->TraceConnectWithoutContext("MacDrop", FrameCallback([&](auto, auto, auto, auto) {
                                                 ++dropped;
                                             }));
    At(1, [&] { pair.Port(0)->SetAsleep(true); });
    At(2, [&] { pair.Port(0)->Send(ns3::Create<ns3::Packet>(FRAME_BYTES), 1, PROTOCOL); });
    At(3, [&] { pair.Port(0)->SetOn(false); });
    Run(4);
    test.Expect(dropped == 1, "dropped");
}

void
ANeighbourIsThereAgainAfterACrash(FunctionCase& test)
{
    Pair pair;
    const auto sender = pair.MakeAcked(0);
    const auto receiver = pair.MakeAcked(1);
    uint32_t received = 0;
    receiver->SetReceiveCallback(ns3::Callback<bool,
                                               ns3::Ptr<ns3::NetDevice>,
                                               ns3::Ptr<const ns3::Packet>,
                                               uint16_t,
                                               const ns3::Address&>(
        [&](auto, auto, auto, const auto&) { return ++received > 0; }));
    const auto send = [&] {
        sender->Send(ns3::Create<ns3::Packet>(FRAME_BYTES), receiver->GetAddress(), PROTOCOL);
    };
    At(1, [&] {
        send();
        pair.Port(0)->SetOn(false);
    });
    At(10, [&] { pair.Port(0)->SetOn(true); });
    At(11, [&] {
        received = 0;
        send();
    });
    Run(20);
    test.Expect(received == 1, "received: " + std::to_string(received));
}

void
RepetitionsOfTheMacCountAsWhatTheyCarry(FunctionCase& test)
{
    Pair pair;
    const auto sender = pair.MakeAcked(0);
    std::vector<uint16_t> onAir;
    sender->TraceConnectWithoutContext(
        "Transmit",
        FrameCallback([&](auto, uint16_t protocol, auto, auto) { onAir.push_back(protocol); }));
    pair.Port(1)->SetOn(false);
    At(1, [&] { sender->Send(ns3::Create<ns3::Packet>(FRAME_BYTES), ToMacAddress(1), PROTOCOL); });
    Run(20);
    test.Expect(onAir.size() > 3, "the MAC repeats what the sessions repeat");
    test.Expect(std::ranges::count(onAir, PROTOCOL) == static_cast<int64_t>(onAir.size()),
                std::to_string(std::ranges::count(onAir, ACKED_PROTOCOL_NUMBER)) +
                    " acknowledgements of who hears nothing");
}

class WifiPortSuite : public ns3::TestSuite
{
  public:
    WifiPortSuite()
        : TestSuite("mftpubsub-wifi-port", Type::UNIT)
    {
        Add("Each frame has its end when the device is switched off",
            EachFrameHasItsEndWhenTheDeviceIsSwitchedOff);
        Add("Each fragment has its end", EachFragmentHasItsEnd);
        Add("Frames that wait for awakening end with the device",
            FramesThatWaitForAwakeningEndWithTheDevice);
        Add("A neighbour is there again after a crash", ANeighbourIsThereAgainAfterACrash);
        Add("Repetitions of the MAC count as what they carry",
            RepetitionsOfTheMacCountAsWhatTheyCarry);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

WifiPortSuite g_wifiPort;

} // namespace

} // namespace mftpubsub::wifi_port_test
