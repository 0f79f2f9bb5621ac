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
#include <vector>

namespace mftpubsub::protocol_newcomer_test
{

using namespace std::chrono_literals;

namespace
{

constexpr NodeId SELF = 1;
constexpr NodeId PARENT = 2;
constexpr NodeId CHILD = 3;
constexpr NodeId OTHER = 4;
constexpr NodeId SUBSCRIBER = 7;
constexpr NodeId PUBLISHER = 8;

/// A broker on which a publisher publishes.
class Newcomer
{
  public:
    explicit Newcomer(bool isBack = false)
        : machine(MakeBroker("mft-pubsub-r", SELF, {.addressing = {.isBack = isBack}}))
    {
    }

    void LinkUp(Instant now)
    {
        BrokerOutput output;
        machine->Step(now, input::LinkUp{PARENT}, output);
        machine->Step(now, input::ParentChanged{NO_NODE, PARENT}, output);
        early = Questions(output).size();
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
        return Asked(topic).size();
    }

    /// @return whom it asks about a new event of its publisher
    std::vector<NodeId> Asked(std::string_view topic)
    {
        return Hear(PUBLISHER, Pub{Published(topic), 1, {}});
    }

    /// @return whom it asks when @p from asks it about an event
    std::vector<NodeId> PassOn(NodeId from, std::string_view topic)
    {
        return Hear(from, Pub{Published(topic), 3, {}, true});
    }

    /// A broker below has this one as parent now. @return about how many events it is asked
    size_t LinkDownwards(NodeId child)
    {
        BrokerOutput output;
        machine->Step(Instant(0), input::LinkUp{child}, output);
        return Hear(child, OpeningBmig{}).size();
    }

    void LinkDown(NodeId neighbour)
    {
        BrokerOutput output;
        machine->Step(Instant(0), input::LinkDown{neighbour}, output);
    }

    /// @return whom it asks when @p to has not heard its question about the latest event
    std::vector<NodeId> Fail(NodeId to)
    {
        BrokerOutput output;
        const Message message = Pub{latest, 2, {}, true};
        machine->Step(Instant(0), input::DeliveryFailed{to, message}, output);
        return Questions(output);
    }

    std::vector<NodeId> Hear(NodeId from, const Message& message)
    {
        BrokerOutput output;
        machine->Step(Instant(0), input::Received<Message>{from, message}, output);
        sent = output.sends;
        return Questions(output);
    }

    std::unique_ptr<Broker> machine;
    size_t early{0}; //!< questions asked with the first link
    uint32_t published{0};
    EventPtr latest;
    std::vector<Send> sent; //!< with the latest message

  private:
    EventPtr Published(std::string_view topic)
    {
        auto event = std::make_shared<Event>();
        event->id = {PUBLISHER, ++published};
        event->attributes.emplace_back("topic", std::string(topic));
        return latest = event;
    }

    /// @return who gets questions
    static std::vector<NodeId> Questions(const BrokerOutput& output)
    {
        std::vector<NodeId> asked;
        for (const auto& send : output.sends)
        {
            const auto* pub = std::get_if<Pub>(&send.message);
            if (pub && pub->subscribers.empty())
            {
                asked.push_back(send.to);
            }
        }
        return asked;
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
        for (const auto isBack : {false, true})
        {
            Newcomer broker(isBack);
            for (int i = 0; i < 1030; ++i)
            {
                broker.AskAbout("g");
            }
            broker.LinkUp(10s);
            NS_TEST_EXPECT_MSG_EQ(broker.early, 1024, "asked about");
        }
    }
};

class AsksLaterNeighboursToo : public ns3::TestCase
{
  public:
    AsksLaterNeighboursToo()
        : TestCase("who is back asks each later neighbour too, once, as a first one may know few")
    {
    }

  private:
    void DoRun() override
    {
        Newcomer broker(true);
        broker.LinkUp(10s);
        const std::vector parent{PARENT};
        NS_TEST_EXPECT_MSG_EQ((broker.Asked("g") == parent), true, "the only one");
        NS_TEST_EXPECT_MSG_EQ(broker.LinkDownwards(CHILD), 1, "another one");
        broker.LinkDown(CHILD);
        NS_TEST_EXPECT_MSG_EQ(broker.LinkDownwards(CHILD), 0, "it has been asked");
        broker.Expire(70s);
        NS_TEST_EXPECT_MSG_EQ(broker.LinkDownwards(OTHER), 0, "who knows asks nobody");
    }
};

class KeepsWhatItCannotPassOn : public ns3::TestCase
{
  public:
    KeepsWhatItCannotPassOn()
        : TestCase(
              "what another newcomer asks is asked of the next neighbour if there is no other yet")
    {
    }

  private:
    void DoRun() override
    {
        Newcomer broker(true);
        broker.LinkUp(10s);
        NS_TEST_EXPECT_MSG_EQ(broker.PassOn(PARENT, "g").size(), 0, "there is nobody else");
        broker.Expire(70s);
        NS_TEST_EXPECT_MSG_EQ(broker.LinkDownwards(CHILD), 1, "now there is");
        const auto& question = std::get<Pub>(broker.sent.back().message);
        NS_TEST_EXPECT_MSG_EQ(question.event->id.sequence, 1, "about the event");
        NS_TEST_EXPECT_MSG_EQ(static_cast<int>(question.hops), 4, "one hop further");
        NS_TEST_EXPECT_MSG_EQ(broker.LinkDownwards(OTHER), 0, "it has been asked");
    }
};

class AsksAllOthers : public ns3::TestCase
{
  public:
    AsksAllOthers()
        : TestCase("what another newcomer asks is asked of all neighbours but that one")
    {
    }

  private:
    void DoRun() override
    {
        Newcomer broker(true);
        broker.LinkUp(10s);
        broker.LinkDownwards(CHILD);
        broker.LinkDownwards(OTHER);
        const std::vector others{PARENT, OTHER};
        NS_TEST_EXPECT_MSG_EQ((broker.PassOn(CHILD, "g") == others), true, "not back");
    }
};

class AsksAgainWhomItDidNotReach : public ns3::TestCase
{
  public:
    AsksAgainWhomItDidNotReach()
        : TestCase("who did not hear a question is asked when its link opens again, others at once")
    {
    }

  private:
    void DoRun() override
    {
        Newcomer broker(true);
        broker.LinkUp(10s);
        broker.AskAbout("g");
        broker.LinkDown(PARENT);
        NS_TEST_EXPECT_MSG_EQ(broker.Fail(PARENT).size(), 0, "there is nobody to ask");
        NS_TEST_EXPECT_MSG_EQ(broker.LinkDownwards(CHILD), 1, "now there is");
        NS_TEST_EXPECT_MSG_EQ(broker.LinkDownwards(PARENT), 1, "asked again");
        broker.Expire(70s);
        broker.LinkDown(PARENT);
        const std::vector child{CHILD};
        NS_TEST_EXPECT_MSG_EQ((broker.Fail(PARENT) == child), true, "late, but it is in doubt");
        NS_TEST_EXPECT_MSG_EQ(broker.LinkDownwards(PARENT), 1, "nobody has answered");
        NS_TEST_EXPECT_MSG_EQ(broker.LinkDownwards(OTHER), 0, "but somebody was asked");
    }
};

class NamesAndAsks : public ns3::TestCase
{
  public:
    NamesAndAsks()
        : TestCase("whom a broker that is back knows it names, and asks the same neighbour for the "
                   "others")
    {
    }

  private:
    void DoRun() override
    {
        Newcomer broker(true);
        broker.LinkUp(10s);
        broker.HearOfSubscriber(20s);
        const std::vector parent{PARENT};
        NS_TEST_EXPECT_MSG_EQ((broker.Asked("f") == parent), true, "there may be others");
        NS_TEST_ASSERT_MSG_EQ(broker.sent.size(), 2, "a copy for one, and a question");
        const auto& copy = std::get<Pub>(broker.sent.front().message);
        const std::vector named{SUBSCRIBER};
        NS_TEST_EXPECT_MSG_EQ((copy.subscribers == named), true, "for whom it knows");
    }
};

class AsksOnceWhereTheNetworkBegins : public ns3::TestCase
{
  public:
    AsksOnceWhereTheNetworkBegins()
        : TestCase(
              "who has never run before asks those that are there, and passes nothing on later")
    {
    }

  private:
    void DoRun() override
    {
        Newcomer broker;
        broker.LinkUp(10s);
        NS_TEST_EXPECT_MSG_EQ(broker.AskAbout("g"), 1, "its parent");
        NS_TEST_EXPECT_MSG_EQ(broker.PassOn(PARENT, "g").size(), 0, "there is nobody else");
        NS_TEST_EXPECT_MSG_EQ(broker.LinkDownwards(CHILD), 0, "neither of the two");
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
        AddTestCase(new AsksOnceWhereTheNetworkBegins);
        AddTestCase(new AsksLaterNeighboursToo);
        AddTestCase(new KeepsWhatItCannotPassOn);
        AddTestCase(new AsksAllOthers);
        AddTestCase(new AsksAgainWhomItDidNotReach);
        AddTestCase(new NamesAndAsks);
    }
};

NewcomerTestSuite g_newcomerTestSuite;

} // namespace

} // namespace mftpubsub::protocol_newcomer_test
