/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What a node consumes, by hand: Castalia's CC2420 and 6 mW of the node itself.
 */
#include "wsn/radio.h"
#include "wsn/wsn-helper.h"
#include "wsn/wsn-net-device.h"

#include "ns3/constant-position-mobility-model.h"
#include "ns3/node-container.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

namespace mftpubsub::energy_test
{

using ns3::TestCase;
using ns3::TestSuite;

namespace
{

constexpr double AIR_SECONDS = 0.004; //!< of a packet of 110 B: 125 B at 250 kbit/s
constexpr double IDLE_WATTS = 0.068;  //!< the radio listens, 62 mW

/// Two nodes for 100 s, of which node 0 sends two packets.
class ConsumptionTest : public TestCase
{
  public:
    ConsumptionTest(double txPowerDbm, double sendingWatts)
        : TestCase("two nodes, of which one sends at " + std::to_string(txPowerDbm) + " dBm"),
          m_txPowerDbm(txPowerDbm),
          m_sendingWatts(sendingWatts)
    {
    }

  private:
    void DoRun() override
    {
        ns3::NodeContainer nodes(2);
        for (uint32_t i = 0; i < nodes.GetN(); ++i)
        {
            const auto position = ns3::CreateObject<ns3::ConstantPositionMobilityModel>();
            position->SetPosition({10.0 * i, 0, 0});
            nodes.Get(i)->AggregateObject(position);
        }
        WsnHelper helper;
        helper.SetTxPower(m_txPowerDbm);
        helper.SetPerfectClocks(true);
        const auto devices = helper.Install(nodes, WsnHelper::CreateStaticChannel(0, 0));
        WsnHelper::AssignStreams(devices, 10);
        const auto sender = ns3::DynamicCast<WsnNetDevice>(devices.Get(0));
        const auto receiver = ns3::DynamicCast<WsnNetDevice>(devices.Get(1));
        for (const auto seconds : {10, 20})
        {
            ns3::Simulator::Schedule(ns3::Seconds(seconds), [sender] {
                sender->Send(ns3::Create<ns3::Packet>(110), sender->GetBroadcast(), 0x88b5);
            });
        }
        ns3::Simulator::Schedule(ns3::Seconds(30), [receiver] { receiver->SetOn(false); });
        ns3::Simulator::Schedule(ns3::Seconds(70), [receiver] { receiver->SetOn(true); });
        ns3::Simulator::Stop(ns3::Seconds(100));
        ns3::Simulator::Run();
        const auto sent = 2 * AIR_SECONDS;
        const auto own = IDLE_WATTS * (Up(*sender) - sent) + (0.006 + m_sendingWatts) * sent;
        NS_TEST_EXPECT_MSG_EQ_TOL(sender->GetRadio()->GetEnergy(), own, 1e-9, "of the sender");
        const auto other = IDLE_WATTS * (Up(*receiver) - 40);
        NS_TEST_EXPECT_MSG_EQ_TOL(receiver->GetRadio()->GetEnergy(), other, 1e-9, "off for 40 s");
        ns3::Simulator::Destroy();
    }

    /// @return seconds since the device started
    static double Up(WsnNetDevice& device)
    {
        return 100 - device.GetStartTime().GetSeconds();
    }

    double m_txPowerDbm;
    double m_sendingWatts;
};

class EnergySuite : public TestSuite
{
  public:
    EnergySuite()
        : TestSuite("mftpubsub-energy", Type::UNIT)
    {
        AddTestCase(new ConsumptionTest(0, 0.05742));
        AddTestCase(new ConsumptionTest(-10, 0.0363));
        AddTestCase(new ConsumptionTest(-25, 0.02904));
    }
};

EnergySuite g_energySuite;

} // namespace

} // namespace mftpubsub::energy_test
