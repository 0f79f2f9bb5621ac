/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/make-broker.h"
#include "protocols/message-codec.h"

#include "ns3/test.h"

#include <deque>
#include <map>
#include <memory>

using namespace mftpubsub;

namespace
{

constexpr NodeId PARENT = 0;
constexpr NodeId CHILD = 1;
constexpr NodeId SUBSCRIBER = 7;
constexpr NodeId PUBLISHER = 8;

/// A parent and a child, encoded messages between them; clients only send.
class Pair
{
  public:
    Pair()
    {
        for (const auto id : {PARENT, CHILD})
        {
            m_brokers[id] = MakeBroker("mft-pubsub-r", id, {});
        }
        m_brokers[PARENT]->LinkUp(CHILD);
        m_brokers[CHILD]->LinkUp(PARENT);
        BrokerOutput output;
        m_brokers[CHILD]->ParentChanged(NO_NODE, PARENT, output);
        Carry(CHILD, output);
    }

    Broker& Get(NodeId id)
    {
        return *m_brokers[id];
    }

    /// @p message from a client arrives; everything that follows happens.
    void Inject(NodeId client, NodeId broker, const Message& message)
    {
        m_inFlight.push_back({client, {broker, message}});
        while (!m_inFlight.empty())
        {
            const auto [from, send] = m_inFlight.front();
            m_inFlight.pop_front();
            if (send.to == SUBSCRIBER)
            {
                Note(send.message);
                continue;
            }
            BrokerOutput output;
            m_brokers[send.to]->Receive(from, send.message, output);
            Carry(send.to, output);
        }
    }

    /// @return how many copies of events have reached the subscriber
    int CountDelivered() const
    {
        return m_delivered;
    }

  private:
    void Carry(NodeId from, const BrokerOutput& output)
    {
        for (const auto& [to, message] : output.sends)
        {
            m_inFlight.push_back({from, {to, Decode(GetKind(message), Encode(message))}});
        }
    }

    void Note(const Message& message)
    {
        if (const auto* rep = std::get_if<Rep>(&message))
        {
            m_delivered += static_cast<int>(rep->events.size());
        }
        m_delivered += std::holds_alternative<Pub>(message);
    }

    std::map<NodeId, std::unique_ptr<Broker>> m_brokers;
    std::deque<std::pair<NodeId, Send>> m_inFlight;
    int m_delivered{0};
};

Message
MakePub(uint32_t sequence)
{
    auto event = std::make_shared<Event>();
    event->id = {PUBLISHER, sequence};
    event->attributes.emplace_back("topic", "f");
    return Pub{event, 1, {}};
}

/// A parent that alone lets go of the link has no way to what is below; it asks for the link.
class OneSidedLossTest : public ns3::TestCase
{
  public:
    OneSidedLossTest()
        : TestCase("a parent that alone saw the link break asks its child to open it again")
    {
    }

  private:
    void DoRun() override
    {
        Pair pair;
        pair.Inject(SUBSCRIBER, CHILD, Sub{SUBSCRIBER, Filter::Parse("topic = 'f'"), {1, 0}});
        pair.Inject(PUBLISHER, PARENT, MakePub(1));
        NS_TEST_ASSERT_MSG_EQ(pair.CountDelivered(), 1, "no way to begin with");

        pair.Get(PARENT).LinkDown(CHILD);
        pair.Get(PARENT).LinkUp(CHILD);
        pair.Inject(PUBLISHER, PARENT, MakePub(2));

        NS_TEST_EXPECT_MSG_EQ(pair.CountDelivered(), 2, "the event is stuck");
        NS_TEST_EXPECT_MSG_EQ(pair.Get(PARENT).GetQueues().empty(), true, "still queued");
        pair.Inject(PUBLISHER, CHILD, MakePub(3));
        NS_TEST_EXPECT_MSG_EQ(pair.CountDelivered(), 3, "the child's way is gone");
    }
};

/// A subscription that the transport could not bring over a link that stays is repeated.
class OwedTest : public ns3::TestCase
{
  public:
    OwedTest()
        : TestCase("what the transport gave up on is sent again at the next sign of life")
    {
    }

  private:
    void DoRun() override
    {
        auto broker = MakeBroker("mft-pubsub-r", CHILD, {});
        broker->LinkUp(PARENT);
        BrokerOutput output;
        broker->ParentChanged(NO_NODE, PARENT, output);
        const auto opening = output.sends.front().message;

        output = {};
        broker->DeliveryFailed(PARENT, opening, output);
        NS_TEST_EXPECT_MSG_EQ(output.sends.empty(), true, "repeated into the void");
        broker->Receive(PARENT, Bquery{SUBSCRIBER, {}}, output);

        NS_TEST_ASSERT_MSG_EQ(output.sends.size(), 1, "not repeated");
        NS_TEST_EXPECT_MSG_EQ(mftpubsub::GetName(output.sends.front().message),
                              "BMIG",
                              "something else");
    }
};

class MftPubsubRSuite : public ns3::TestSuite
{
  public:
    MftPubsubRSuite()
        : TestSuite("mftpubsub-protocol-mft-pubsub-r", Type::UNIT)
    {
        AddTestCase(new OneSidedLossTest);
        AddTestCase(new OwedTest);
    }
};

MftPubsubRSuite g_mftPubsubRSuite;

} // namespace
