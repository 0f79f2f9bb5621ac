/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Sessions on a device: from when on they wait for an acknowledgement, on devices that repeat
 * frames and on those that do not.
 */
#include "function-case.h"
#include "hosts/device-port.h"
#include "hosts/protocol-numbers.h"
#include "hosts/session-port.h"

#include "ns3/double.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::session_port_test
{

namespace
{

constexpr NodeId SELF = 0;
constexpr NodeId NEIGHBOUR = 1;
constexpr uint8_t KIND = 9;

/// A device that does what it is told, and repeats frames or not.
class Puppet : public DevicePort
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("mftpubsub::PuppetPort").SetParent<DevicePort>().SetGroupName("mftpubsub");
        return tid;
    }

    explicit Puppet(bool hasAcks = false)
        : m_hasAcks(hasAcks)
    {
    }

    ns3::Ptr<ns3::NetDevice> GetDevice() const override
    {
        return nullptr;
    }

    bool Send(const ns3::Ptr<ns3::Packet>& frame, NodeId, uint16_t) override
    {
        sent.push_back(frame);
        return true;
    }

    void SetReceiver(uint16_t, Receiver) override
    {
    }

    LinkTiming GetTiming() const override
    {
        return {};
    }

    bool HasAcks() const override
    {
        return m_hasAcks;
    }

    void SetOn(bool) override
    {
    }

    void SetAsleep(bool) override
    {
    }

    void PutOnAir()
    {
        m_transmit(sent.front(), 0, {}, 0);
    }

    void GiveUp()
    {
        m_givenUp(sent.front());
    }

    void Drop()
    {
        m_macDrop(sent.front(), 0, {}, 0);
    }

    std::vector<ns3::Ptr<ns3::Packet>> sent;

  private:
    bool m_hasAcks;
};

NS_OBJECT_ENSURE_REGISTERED(Puppet);

using Step = std::pair<double, void (Puppet::*)()>;

/// @return how many copies of a frame the device has been given by @p moments, in s, when it does
/// @p steps with the first one
std::vector<size_t>
CountCopies(bool hasAcks,
            bool usesLinkAcks,
            const std::vector<Step>& steps,
            const std::vector<double>& moments)
{
    const auto device = ns3::CreateObject<Puppet>(hasAcks);
    const auto uniform = ns3::CreateObject<ns3::UniformRandomVariable>();
    uniform->SetAttribute("Max", ns3::DoubleValue(0)); // no random part: 3 backoffs of 16 ms
    TransportOptions options;
    options.usesLinkAcks = usesLinkAcks;
    SessionPort port(SELF,
                     TREE_PROTOCOL_NUMBER,
                     options,
                     uniform,
                     [](NodeId, uint8_t, uint32_t) { return true; },
                     {.happened = [](const SessionEvent&) {}});
    port.Start(device);
    port.Send(1, NEIGHBOUR, KIND, Bytes(20));
    for (const auto& [at, step] : steps)
    {
        ns3::Simulator::Schedule(ns3::Seconds(at), step, device);
    }
    std::vector<size_t> copies;
    for (const auto moment : moments)
    {
        ns3::Simulator::Schedule(ns3::Seconds(moment),
                                 [&] { copies.push_back(device->sent.size()); });
    }
    ns3::Simulator::Stop(ns3::Seconds(moments.back() + 1e-3));
    ns3::Simulator::Run();
    port.Stop();
    ns3::Simulator::Destroy();
    return copies;
}

using Copies = std::vector<size_t>;

void
OneAttemptIsWaitedForOnce(FunctionCase& test)
{
    const auto copies = CountCopies(false, false, {{0.1, &Puppet::PutOnAir}}, {0.14, 0.16});
    test.Expect(copies == Copies{1, 2}, "some 50 ms after it was on the air");
}

/// A second copy would wait in the device behind the first, and cost as many attempts.
void
TheLastAttemptIsWaitedFor(FunctionCase& test)
{
    const std::vector<Step> steps{{0.1, &Puppet::PutOnAir},
                                  {0.14, &Puppet::PutOnAir},
                                  {0.18, &Puppet::PutOnAir},
                                  {0.19, &Puppet::GiveUp}};
    test.Expect(CountCopies(true, false, steps, {0.22, 0.24}) == Copies{1, 2}, "own");
    test.Expect(CountCopies(true, true, steps, {0.185, 0.2}) == Copies{1, 2}, "the device's word");
}

void
WhatTheDeviceDropsIsAsIfLostOnTheAir(FunctionCase& test)
{
    const std::vector<Step> steps{{0.1, &Puppet::Drop}};
    for (const auto hasAcks : {false, true})
    {
        test.Expect(CountCopies(hasAcks, false, steps, {0.14, 0.16}) == Copies{1, 2}, "own");
    }
    test.Expect(CountCopies(true, true, steps, {0.14, 0.16}) == Copies{1, 2}, "by the device");
}

class SessionPortSuite : public ns3::TestSuite
{
  public:
    SessionPortSuite()
        : TestSuite("mftpubsub-session-port", Type::UNIT)
    {
        Add("One attempt is waited for once", OneAttemptIsWaitedForOnce);
        Add("The last attempt is waited for", TheLastAttemptIsWaitedFor);
        Add("What the device drops is as if lost on the air", WhatTheDeviceDropsIsAsIfLostOnTheAir);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

SessionPortSuite g_sessionPort;

} // namespace

} // namespace mftpubsub::session_port_test
