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
#include <set>
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
        return takes;
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

    void Acknowledge()
    {
        m_acknowledged(sent.front());
    }

    std::vector<ns3::Ptr<ns3::Packet>> sent;
    bool takes{true};

  private:
    void DoSetOn(bool) override
    {
    }

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

/// @return how many frames a device has that was given one and did @p steps with it
size_t
CountInDevice(bool hasAcks, const std::vector<void (Puppet::*)()>& steps, bool takes = true)
{
    const auto device = ns3::CreateObject<Puppet>(hasAcks);
    device->takes = takes;
    std::set<uint64_t> inDevice;
    SessionPort port(SELF,
                     TREE_PROTOCOL_NUMBER,
                     {},
                     ns3::CreateObject<ns3::UniformRandomVariable>(),
                     [](NodeId, uint8_t, uint32_t) { return false; },
                     {.happened = [](const SessionEvent&) {},
                      .queued = [&](uint64_t uid, MessageHandle) { inDevice.insert(uid); },
                      .gone = [&](uint64_t uid) { inDevice.erase(uid); }});
    port.Start(device);
    port.Send(1, NEIGHBOUR, KIND, Bytes(20));
    for (const auto step : steps)
    {
        (*ns3::PeekPointer(device).*step)();
    }
    port.Stop();
    ns3::Simulator::Destroy();
    return inDevice.size();
}

void
ADeviceIsToldToBeDoneWithEachFrame(FunctionCase& test)
{
    for (const auto hasAcks : {false, true})
    {
        test.Expect(CountInDevice(hasAcks, {}) == 1, "it has the frame");
        test.Expect(CountInDevice(hasAcks, {&Puppet::Drop}) == 0, "dropped");
        test.Expect(CountInDevice(hasAcks, {}, false) == 0, "not taken");
    }
    test.Expect(CountInDevice(false, {&Puppet::PutOnAir}) == 0, "sent once");
    test.Expect(CountInDevice(true, {&Puppet::PutOnAir, &Puppet::PutOnAir}) == 1, "repeated");
    test.Expect(CountInDevice(true, {&Puppet::PutOnAir, &Puppet::GiveUp}) == 0, "given up");
    test.Expect(CountInDevice(true, {&Puppet::PutOnAir, &Puppet::Acknowledge}) == 0, "arrived");
}

class SessionPortSuite : public ns3::TestSuite
{
  public:
    SessionPortSuite()
        : TestSuite("mftpubsub-session-port", Type::UNIT)
    {
        Add("One attempt is waited for once", OneAttemptIsWaitedForOnce);
        Add("The last attempt is waited for", TheLastAttemptIsWaitedFor);
        Add("A device is told to be done with each frame", ADeviceIsToldToBeDoneWithEachFrame);
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
