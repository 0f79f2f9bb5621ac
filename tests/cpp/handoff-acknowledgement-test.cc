/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/handoff/handoff-lab.h"
#include "protocols/handoff/broker.h"
#include "protocols/handoff/client.h"

#include "ns3/abort.h"
#include "ns3/test.h"

#include <algorithm>

namespace mftpubsub::handoff::handoff_acknowledgement_test
{

using namespace ns3;

namespace
{

Held
MakeHeld(mftpubsub::EventId id)
{
    auto event = std::make_shared<Event>();
    event->id = id;
    return {event};
}

std::deque<Held>
MakeSent(std::initializer_list<mftpubsub::EventId> ids)
{
    std::deque<Held> sent;
    std::ranges::transform(ids, std::back_inserter(sent), MakeHeld);
    return sent;
}

template <typename Events>
std::string
Describe(const Events& events)
{
    std::string text;
    for (const auto& held : events)
    {
        const auto [publisher, sequence] = held.event->id;
        text +=
            (text.empty() ? "" : " ") + std::to_string(publisher) + ":" + std::to_string(sequence);
    }
    return text;
}

/// An acknowledgement speaks for what was sent before the event that it names, and for nothing
/// else.
class OrderOfSendingTest : public TestCase
{
  public:
    OrderOfSendingTest()
        : TestCase("an acknowledgement speaks for what was sent before, whoever published it")
    {
    }

  private:
    void Expect(std::initializer_list<mftpubsub::EventId> ids,
                mftpubsub::EventId named,
                const std::string& acknowledged,
                const std::string& left)
    {
        auto sent = MakeSent(ids);
        NS_TEST_EXPECT_MSG_EQ(Describe(Acknowledge(sent, named)), acknowledged, "acknowledged");
        NS_TEST_EXPECT_MSG_EQ(Describe(sent), left, "left");
    }

    void DoRun() override
    {
        Expect({{1, 1}, {2, 1}, {1, 2}}, {2, 1}, "1:1 2:1", "1:2");
        Expect({{2, 7}, {1, 1}}, {1, 1}, "2:7 1:1", "");
        // An older event that was sent later (reactive: the buffer, then what the old broker had).
        Expect({{1, 5}, {1, 3}}, {1, 5}, "1:5", "1:3");
        Expect({{1, 5}, {1, 3}}, {1, 3}, "1:5 1:3", "");
        // Two copies: the client may not have what was sent between them.
        Expect({{1, 1}, {1, 2}, {1, 1}}, {1, 1}, "1:1", "1:2 1:1");
        // Of another connection
        Expect({{1, 2}}, {1, 1}, "", "1:2");
        Expect({}, {1, 1}, "", "");
    }
};

/// Batches are of one connection, and what a broker keeps comes back in its order, within bounds.
class UnacknowledgedTest : public TestCase
{
  public:
    UnacknowledgedTest()
        : TestCase("what is unacknowledged at a break is older than what is stored, and bounded")
    {
    }

  private:
    void DoRun() override
    {
        Client client(1000, {.ackBatch = 3});
        client.Subscribe(1, Filter::Parse("1 = 1"));
        const auto isAcknowledged = [&client](uint32_t sequence) {
            return client.Receive(MakeHeld({1, sequence})).acknowledgement.has_value();
        };
        NS_TEST_EXPECT_MSG_EQ(isAcknowledged(1) || isAcknowledged(2), false, "two of three");
        client.Disconnect();
        NS_TEST_EXPECT_MSG_EQ(Describe(client.Connect(1).last), "1:2", "what it has");
        NS_TEST_EXPECT_MSG_EQ(isAcknowledged(1) || isAcknowledged(4), false, "another connection");
        NS_TEST_EXPECT_MSG_EQ(isAcknowledged(3), true, "its third");
        NS_TEST_EXPECT_MSG_EQ(Describe(client.Connect(1).last), "1:4", "the highest, not the last");

        const auto size = GetSize(*MakeHeld({1, 1}).event);
        Options options;
        options.queueBytes = 3 * size;
        Copy copy(options);
        Output output;
        Store(copy.buffer, MakeHeld({1, 3}), output);
        for (const uint32_t sequence : {1, 2})
        {
            Deliver(1000, copy, MakeHeld({1, sequence}), output);
        }
        ReturnUnacknowledged(copy);
        NS_TEST_EXPECT_MSG_EQ(Describe(copy.buffer.GetEvents()), "1:1 1:2 1:3", "in order, full");
        NS_TEST_EXPECT_MSG_EQ(copy.unacknowledged.empty(), true, "all has come back");
        for (const uint32_t sequence : {4, 5})
        {
            Store(copy.buffer, MakeHeld({1, sequence}), output);
        }
        NS_TEST_EXPECT_MSG_EQ(Describe(copy.buffer.GetEvents()), "1:3 1:4 1:5", "the oldest go");
        NS_TEST_EXPECT_MSG_EQ(output.stored, 3, "counted");
    }

    static std::string Describe(const Consumed& consumed)
    {
        std::string text;
        for (const auto [publisher, sequence] : consumed.GetIds())
        {
            text += std::to_string(publisher) + ":" + std::to_string(sequence);
        }
        return text;
    }

    static std::string Describe(const std::deque<Held>& events)
    {
        return handoff_acknowledgement_test::Describe(events);
    }
};

/// The same events, by one publisher or by several: as many of them come twice.
class DuplicatesTest : public TestCase
{
  public:
    DuplicatesTest(const std::string& scheme, uint32_t batch)
        : TestCase(scheme + ", batches of " + std::to_string(batch) +
                   ": duplicates do not depend on how many publishers there are"),
          m_scheme(scheme),
          m_batch(batch)
    {
    }

  private:
    static constexpr uint32_t BROKERS = 5;
    static constexpr uint64_t LIMIT = 1000;

    static std::string Broker(uint32_t index)
    {
        return "b" + std::to_string(index % BROKERS + 1);
    }

    void DoRun() override
    {
        const auto one = Count(1);
        for (uint32_t publishers = 2; publishers <= BROKERS; ++publishers)
        {
            NS_TEST_EXPECT_MSG_EQ(Count(publishers), one, publishers << " publishers");
        }
        const auto storesEverywhere = m_scheme == "durable" || m_scheme == "mqtt-session";
        if (m_batch == 1 && !storesEverywhere)
        {
            NS_TEST_EXPECT_MSG_EQ(one, 0, "all was acknowledged before each break");
        }
    }

    /// @return duplicates of a subscriber that visits every broker, and two in turn
    uint64_t Count(uint32_t publishers) const
    {
        HandoffLabOptions options;
        options.scheme = m_scheme;
        options.ackBatch = m_batch;
        for (uint32_t broker = 0; broker < BROKERS; ++broker)
        {
            options.publishers.push_back(Broker(broker));
            if (broker > 0)
            {
                options.links.emplace_back(Broker(broker - 1), Broker(broker));
            }
        }
        HandoffLab lab(options);
        lab.Subscribe("s", Broker(0), "");
        uint32_t events = 0;
        for (const uint32_t stay : {0, 1, 2, 3, 4, 3, 4, 3, 3, 0})
        {
            for (uint32_t left = 5 + stay; left > 0; --left, ++events)
            {
                lab.Publish("e" + std::to_string(events), Broker(events % publishers));
                lab.Settle(LIMIT);
            }
            lab.Disconnect("s");
            lab.Connect("s", Broker(stay));
            lab.Settle(LIMIT);
        }
        NS_ABORT_MSG_UNLESS(m_scheme == "durable" || lab.FindViolations().empty(), "lost");
        return lab.CountDuplicates();
    }

    std::string m_scheme;
    uint32_t m_batch;
};

class HandoffAcknowledgementSuite : public TestSuite
{
  public:
    HandoffAcknowledgementSuite()
        : TestSuite("mftpubsub-handoff-acknowledgement", Type::UNIT)
    {
        AddTestCase(new OrderOfSendingTest);
        AddTestCase(new UnacknowledgedTest);
        for (const auto* scheme : {"durable",
                                   "reactive",
                                   "pro-active",
                                   "pro-active-r",
                                   "rebeca",
                                   "elvin",
                                   "mhh",
                                   "mqtt-session",
                                   "mft-pubsub-static"})
        {
            for (const uint32_t batch : {1, 3, 10})
            {
                AddTestCase(new DuplicatesTest(scheme, batch));
            }
        }
    }
};

HandoffAcknowledgementSuite g_handoffAcknowledgementSuite;

} // namespace

} // namespace mftpubsub::handoff::handoff_acknowledgement_test
