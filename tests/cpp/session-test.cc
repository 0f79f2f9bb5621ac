/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "session/hop-transport.h"

#include "ns3/test.h"

#include <algorithm>
#include <queue>
#include <random>
#include <string>

using namespace mftpubsub;
using namespace std::chrono_literals;

namespace
{

constexpr NodeId ALICE = 1;
constexpr NodeId BOB = 2;

TransportOptions
SmallFrames()
{
    TransportOptions options;
    options.maxFrameBytes = 30; // 20 B of body a frame
    options.window = 4;
    return options;
}

bool
RetryThrice(NodeId, uint8_t, uint32_t attempts)
{
    return attempts <= 3;
}

/// Two transports and a radio between them that loses, delays and reorders frames.
class TwoNeighbours
{
  public:
    explicit TwoNeighbours(double loss, uint32_t seed = 1, uint8_t bobsIncarnation = 0)
        : m_loss(loss),
          m_random(seed),
          m_alice(ALICE, 0, SmallFrames(), Random(), RetryThrice),
          m_bob(BOB, bobsIncarnation, SmallFrames(), Random(), RetryThrice)
    {
    }

    MessageHandle Send(const std::string& text)
    {
        TransportOutput output;
        const auto handle = m_alice.Send(BOB, 3, Bytes(text.begin(), text.end()), output);
        Carry(ALICE, output);
        return handle;
    }

    void RestartBob(uint8_t incarnation)
    {
        m_bob = HopTransport(BOB, incarnation, SmallFrames(), Random(), RetryThrice);
    }

    void RestartAlice(uint8_t incarnation)
    {
        m_alice = HopTransport(ALICE, incarnation, SmallFrames(), Random(), RetryThrice);
    }

    /// Runs until nothing is on the air and nobody waits.
    void Settle()
    {
        while (Step())
        {
        }
    }

    void SetLoss(double loss)
    {
        m_loss = loss;
    }

    std::vector<std::string> received;   //!< by Bob, in order
    std::vector<SettledMessage> settled; //!< at Alice
    size_t framesOnAir{0};

  private:
    /// @return the random numbers of either transport
    std::function<double()> Random()
    {
        return [this] { return m_uniform(m_random); };
    }

    struct Flight
    {
        HopTransport::Instant arrival;
        NodeId to;
        Bytes bytes;

        bool operator<(const Flight& other) const
        {
            return arrival > other.arrival;
        }
    };

    bool Step()
    {
        const auto timer = m_alice.NextTimer();
        if (!m_flights.empty() && (!timer || m_flights.top().arrival <= *timer))
        {
            const auto flight = m_flights.top();
            m_flights.pop();
            m_now = flight.arrival;
            auto& receiver = flight.to == ALICE ? m_alice : m_bob;
            TransportOutput output;
            receiver.Receive(flight.bytes, output);
            Carry(flight.to, output);
            return true;
        }
        if (timer)
        {
            m_now = *timer;
            TransportOutput output;
            m_alice.Expire(m_now, output);
            Carry(ALICE, output);
            return true;
        }
        return false;
    }

    void Carry(NodeId from, const TransportOutput& output)
    {
        for (const auto& frame : output.frames)
        {
            ++framesOnAir;
            (from == ALICE ? m_alice : m_bob).Transmitted(m_now, frame.ticket);
            if (m_uniform(m_random) >= m_loss)
            {
                const auto delay = std::chrono::microseconds(1000 + m_random() % 9000);
                m_flights.push({m_now + delay, frame.to, frame.bytes});
            }
        }
        for (const auto& message : output.received)
        {
            received.emplace_back(message.body.begin(), message.body.end());
        }
        settled.insert(settled.end(), output.settled.begin(), output.settled.end());
    }

    double m_loss;
    std::mt19937 m_random;
    std::uniform_real_distribution<double> m_uniform{0, 1};
    HopTransport m_alice;
    HopTransport m_bob;
    HopTransport::Instant m_now{0};
    std::priority_queue<Flight> m_flights;
};

class DeliversInOrderOnceUnderLoss : public ns3::TestCase
{
  public:
    DeliversInOrderOnceUnderLoss()
        : TestCase("whatever is delivered comes once, in order and whole, under 20 % loss")
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t seed = 1; seed <= 200; ++seed)
        {
            TwoNeighbours link(0.2, seed);
            for (int i = 0; i < 30; ++i)
            {
                link.Send(std::to_string(100 + i) + std::string(i * 7 % 90, 'x'));
            }
            link.Settle();
            NS_TEST_ASSERT_MSG_EQ(link.settled.size(), 30, "every message is settled");
            NS_TEST_ASSERT_MSG_EQ(std::ranges::is_sorted(link.received), true, "order");
            const auto unique = std::ranges::adjacent_find(link.received) == link.received.end();
            NS_TEST_ASSERT_MSG_EQ(unique, true, "no message twice");
            const auto delivered =
                std::ranges::count_if(link.settled, [](const auto& s) { return s.delivered; });
            NS_TEST_ASSERT_MSG_GT_OR_EQ(link.received.size(),
                                        static_cast<size_t>(delivered),
                                        "what the sender believes delivered has arrived");
        }
    }
};

class FailsAllMessagesOfALostNeighbour : public ns3::TestCase
{
  public:
    FailsAllMessagesOfALostNeighbour()
        : TestCase(
              "a neighbour out of reach fails every message to it, in order, after the retries")
    {
    }

  private:
    void DoRun() override
    {
        TwoNeighbours link(1.0);
        const auto first = link.Send("one");
        const auto second = link.Send("two");
        link.Settle();
        NS_TEST_ASSERT_MSG_EQ(link.settled.size(), 2, "both are settled");
        NS_TEST_ASSERT_MSG_EQ(link.settled[0].handle, first, "in order");
        NS_TEST_ASSERT_MSG_EQ(link.settled[1].handle, second, "in order");
        NS_TEST_ASSERT_MSG_EQ(link.settled[0].delivered, false, "failed");
        NS_TEST_ASSERT_MSG_EQ(link.settled[1].delivered, false, "failed");
        NS_TEST_ASSERT_MSG_LT_OR_EQ(link.framesOnAir, 8, "each frame at most four times");
        link.SetLoss(0.0);
        link.Send("three");
        link.Settle();
        NS_TEST_ASSERT_MSG_EQ(link.received.size(), 1, "the link works again after the gap");
        NS_TEST_ASSERT_MSG_EQ(link.received[0],
                              "three",
                              "and what was given up does not come late");
    }
};

class OutlivesALongBacklog : public ns3::TestCase
{
  public:
    OutlivesALongBacklog()
        : TestCase("what is given up does not use up sequence numbers")
    {
    }

  private:
    void DoRun() override
    {
        TwoNeighbours link(0.0);
        link.Send("before");
        link.Settle();
        link.SetLoss(1.0);
        for (int i = 0; i < 40'000; ++i) // more than half of all numbers
        {
            link.Send("in vain");
        }
        link.Settle();
        link.SetLoss(0.0);
        link.Send("after");
        link.Settle();
        NS_TEST_ASSERT_MSG_EQ(link.received.size(), 2, "the neighbour takes it for a new one");
        NS_TEST_ASSERT_MSG_EQ(link.received.back(), "after", "and only that");
    }
};

class SplitsAndReassembles : public ns3::TestCase
{
  public:
    SplitsAndReassembles()
        : TestCase(
              "a message larger than a frame is split and arrives whole; 255 frames are the limit")
    {
    }

  private:
    void DoRun() override
    {
        TwoNeighbours link(0.0);
        const auto text = std::string(255 * 20, 'a');
        link.Send(text);
        link.Settle();
        NS_TEST_ASSERT_MSG_EQ(link.received.size(), 1, "one message");
        NS_TEST_ASSERT_MSG_EQ(link.received[0], text, "whole");
        auto refused = false;
        try
        {
            link.Send(text + "b");
        }
        catch (const std::length_error&)
        {
            refused = true;
        }
        NS_TEST_ASSERT_MSG_EQ(refused, true, "one byte more is refused");
    }
};

class SurvivesRestarts : public ns3::TestCase
{
  public:
    SurvivesRestarts()
        : TestCase("a restarted sender or receiver is understood at once")
    {
    }

  private:
    void DoRun() override
    {
        TwoNeighbours link(0.0);
        link.Send("before");
        link.Settle();
        link.RestartBob(1);
        link.Send("to the new Bob");
        link.Settle();
        link.RestartAlice(1);
        link.Send("from the new Alice"); // her sequence numbers start again
        link.Settle();
        NS_TEST_ASSERT_MSG_EQ(link.received.size(), 3, "all three arrive");
        const auto before = link.framesOnAir;
        link.RestartAlice(21); // the header counts modulo 16
        link.Send("after many restarts");
        link.Settle();
        NS_TEST_ASSERT_MSG_EQ(link.framesOnAir - before, 2, "its acknowledgement is understood");
    }
};

class WaitsTwiceAsLongForEachAttempt : public ns3::TestCase
{
  public:
    WaitsTwiceAsLongForEachAttempt()
        : TestCase("the retransmission timeout doubles with each attempt")
    {
    }

  private:
    void DoRun() override
    {
        HopTransport alice(ALICE, 0, SmallFrames(), [] { return 0.5; }, RetryThrice);
        TransportOutput output;
        alice.Send(BOB, 3, Bytes(5), output);
        HopTransport::Instant now{0};
        std::vector<HopTransport::Instant> waits;
        while (!output.frames.empty())
        {
            alice.Transmitted(now, output.frames.front().ticket);
            waits.push_back(*alice.NextTimer() - now);
            now = *alice.NextTimer();
            output.frames.clear();
            alice.Expire(now, output);
        }
        NS_TEST_ASSERT_MSG_EQ(waits.size(), 4, "the first attempt and three more");
        for (size_t i = 1; i < waits.size(); ++i)
        {
            NS_TEST_ASSERT_MSG_EQ_TOL(static_cast<double>(waits[i].count()),
                                      2.0 * static_cast<double>(waits[i - 1].count()),
                                      10.0,
                                      "twice the wait before, in ns");
        }
    }
};

class TransportTestSuite : public ns3::TestSuite
{
  public:
    TransportTestSuite()
        : TestSuite("mftpubsub-transport", Type::UNIT)
    {
        AddTestCase(new WaitsTwiceAsLongForEachAttempt, Duration::QUICK);
        AddTestCase(new DeliversInOrderOnceUnderLoss, Duration::QUICK);
        AddTestCase(new FailsAllMessagesOfALostNeighbour, Duration::QUICK);
        AddTestCase(new OutlivesALongBacklog, Duration::QUICK);
        AddTestCase(new SplitsAndReassembles, Duration::QUICK);
        AddTestCase(new SurvivesRestarts, Duration::QUICK);
    }
};

TransportTestSuite g_transportTestSuite;

} // namespace
