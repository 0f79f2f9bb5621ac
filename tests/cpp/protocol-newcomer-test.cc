/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * mft-pubsub-r: a broker that has started asks whom events are for until it has had time to learn.
 * (tests/golden/mft-pubsub-r-newcomer.txt shows what is answered.)
 */
#include "protocols/tree/make-broker.h"

#include "ns3/test.h"

#include <algorithm>
#include <string>

namespace mftpubsub::protocol_newcomer_test
{

using namespace std::chrono_literals;

namespace
{

constexpr NodeId SELF = 1;
constexpr NodeId PARENT = 2;
constexpr NodeId SUBSCRIBER = 7;
constexpr NodeId PUBLISHER = 8;

/// A broker on which a publisher publishes.
class Newcomer
{
  public:
    void LinkUp(Instant now)
    {
        BrokerOutput output;
        machine->Step(now, input::LinkUp{PARENT}, output);
        machine->Step(now, input::ParentChanged{NO_NODE, PARENT}, output);
        early = CountQuestions(output);
    }

    void HearOfSubscriber(Instant now)
    {
        BrokerOutput output;
        const std::vector filters{Filter::Parse("topic = 'f'")};
        machine->Step(
            now,
            input::Received<Message>{PARENT, ClaimingBsub{SUBSCRIBER, filters, {1, 0}, 0, true}},
            output);
    }

    void Expire(Instant now)
    {
        BrokerOutput output;
        machine->Step(now, input::Expired(), output);
    }

    /// @return to how many neighbours it gives an event that nobody here wants
    size_t AskAbout(std::string_view topic)
    {
        auto event = std::make_shared<Event>();
        event->id = {PUBLISHER, ++published};
        event->attributes.emplace_back("topic", std::string(topic));
        BrokerOutput output;
        machine->Step(Instant(0), input::Received<Message>{PUBLISHER, Pub{event, 1, {}}}, output);
        return CountQuestions(output);
    }

    std::unique_ptr<Broker> machine{MakeBroker("mft-pubsub-r", SELF, {})};
    size_t early{0}; //!< questions asked with the first link
    uint32_t published{0};

  private:
    static size_t CountQuestions(const BrokerOutput& output)
    {
        return static_cast<size_t>(std::ranges::count_if(output.sends, [](const Send& send) {
            const auto* pub = std::get_if<Pub>(&send.message);
            return pub && pub->subscribers.empty();
        }));
    }
};

class AsksUntilItHasLearned : public ns3::TestCase
{
  public:
    AsksUntilItHasLearned()
        : TestCase("a newcomer asks until 5 s after the first word of a subscriber")
    {
    }

  private:
    void DoRun() override
    {
        Newcomer broker;
        NS_TEST_EXPECT_MSG_EQ(broker.AskAbout("g"), 0, "there is nobody to ask");
        NS_TEST_EXPECT_MSG_EQ(broker.AskAbout("g"), 0, "still nobody");
        broker.LinkUp(10s);
        NS_TEST_EXPECT_MSG_EQ(broker.early, 2, "the first neighbour is asked about both");
        NS_TEST_EXPECT_MSG_EQ((broker.machine->NextTimer() == Instant(70s)), true, "60 s");
        broker.HearOfSubscriber(20s);
        broker.HearOfSubscriber(22s);
        NS_TEST_EXPECT_MSG_EQ((broker.machine->NextTimer() == Instant(25s)), true, "the first one");
        NS_TEST_EXPECT_MSG_EQ(broker.AskAbout("g"), 1, "there may be others");
        broker.Expire(25s);
        NS_TEST_EXPECT_MSG_EQ(broker.machine->NextTimer().has_value(), false, "for good");
        broker.HearOfSubscriber(26s);
        NS_TEST_EXPECT_MSG_EQ(broker.machine->NextTimer().has_value(), false, "no newcomer now");
        NS_TEST_EXPECT_MSG_EQ(broker.AskAbout("g"), 0, "nobody wants it, as it knows");
    }
};

class KeepsTheNewest : public ns3::TestCase
{
  public:
    KeepsTheNewest()
        : TestCase("a newcomer without a neighbour keeps the newest 1024 events")
    {
    }

  private:
    void DoRun() override
    {
        Newcomer broker;
        for (int i = 0; i < 1030; ++i)
        {
            broker.AskAbout("g");
        }
        broker.LinkUp(10s);
        NS_TEST_EXPECT_MSG_EQ(broker.early, 1024, "asked about");
    }
};

class NewcomerTestSuite : public ns3::TestSuite
{
  public:
    NewcomerTestSuite()
        : TestSuite("mftpubsub-protocol-newcomer", Type::UNIT)
    {
        AddTestCase(new AsksUntilItHasLearned);
        AddTestCase(new KeepsTheNewest);
    }
};

NewcomerTestSuite g_newcomerTestSuite;

} // namespace

} // namespace mftpubsub::protocol_newcomer_test
