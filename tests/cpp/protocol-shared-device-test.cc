/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * A broker whose device subscribes too has one id for both. Its neighbours must not take the
 * subscriber for a client of theirs.
 */
#include "protocols/tree/make-broker.h"

#include "ns3/test.h"

namespace mftpubsub::protocol_shared_device_test
{

namespace
{

constexpr NodeId SELF = 1;
constexpr NodeId NEIGHBOUR = 2; //!< subscribes too
constexpr NodeId PUBLISHER = 8;
constexpr Instant NOW{0};

/// @return a broker that knows its neighbour's subscriber
std::unique_ptr<Broker>
MakeNeighbour(std::string_view protocol)
{
    auto broker = MakeBroker(protocol, SELF, {});
    BrokerOutput output;
    broker->Step(NOW, input::LinkUp{NEIGHBOUR}, output);
    broker->Step(
        NOW,
        input::Received<Message>{NEIGHBOUR, Sub{NEIGHBOUR, Filter::Parse("topic = 'f'"), {}}},
        output);
    return broker;
}

class CascadingTest : public ns3::TestCase
{
  public:
    CascadingTest()
        : TestCase("cascading: a migrating broker does not claim its neighbour's subscriber")
    {
    }

  private:
    void DoRun() override
    {
        const auto broker = MakeNeighbour("cascading");
        BrokerOutput output;
        broker->Step(NOW, input::Received<Message>{NEIGHBOUR, Fmig{}}, output);
        NS_TEST_ASSERT_MSG_EQ(output.sends.size(), 1, "one answer");
        const auto* bmig = std::get_if<CascadingBmig>(&output.sends[0].message);
        NS_TEST_ASSERT_MSG_NE(bmig, nullptr, "a BMIG");
        NS_TEST_EXPECT_MSG_EQ(bmig->subscribers.size(), 0, "which lists its own subscribers");
    }
};

class PhoenixTest : public ns3::TestCase
{
  public:
    PhoenixTest()
        : TestCase("Phoenix: a broker keeps no events for its neighbour's subscriber")
    {
    }

  private:
    void DoRun() override
    {
        const auto broker = MakeNeighbour("phoenix");
        auto event = std::make_shared<Event>();
        event->id = {PUBLISHER, 1};
        event->attributes.emplace_back("topic", "f");
        BrokerOutput output;
        broker->Step(NOW, input::Received<Message>{PUBLISHER, Pub{event, 1, {}}}, output);
        NS_TEST_EXPECT_MSG_EQ(output.sends.size(), 1, "the event goes to the neighbour");
        NS_TEST_EXPECT_MSG_EQ(broker->CountHeld(), 0, "and is not kept");
        broker->Step(NOW, input::Received<Message>{NEIGHBOUR, Mig{NEIGHBOUR, SELF, {}, 0}}, output);
        broker->Step(NOW, input::Received<Message>{PUBLISHER, Pub{event, 1, {}}}, output);
        NS_TEST_EXPECT_MSG_EQ(broker->CountHeld(), 0, "nor after it has migrated");
    }
};

class SharedDeviceTestSuite : public ns3::TestSuite
{
  public:
    SharedDeviceTestSuite()
        : TestSuite("mftpubsub-protocol-shared-device", Type::UNIT)
    {
        AddTestCase(new CascadingTest, Duration::QUICK);
        AddTestCase(new PhoenixTest, Duration::QUICK);
    }
};

SharedDeviceTestSuite g_sharedDeviceTestSuite;

} // namespace

} // namespace mftpubsub::protocol_shared_device_test
