/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Two nodes with their sessions and a radio between them, and what must hold whatever happens.
 */
#ifndef MFTPUBSUB_TESTS_TWO_NODES_H
#define MFTPUBSUB_TESTS_TWO_NODES_H

#include "session/sessions.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub
{

inline constexpr NodeId ALICE = 1;
inline constexpr NodeId BOB = 2;
inline constexpr uint8_t MESSAGE_KIND = 3;

/// @return 20 B of body a frame, and four frames on the way
inline TransportOptions
SmallFrames()
{
    TransportOptions options;
    options.maxFrameBytes = 30;
    options.window = 4;
    return options;
}

/// What one end has seen of the other in its present life.
struct Seen
{
    std::vector<std::string> received;    //!< in order
    std::vector<size_t> receivedIn;       //!< in which of its own sessions, counted from 0
    std::vector<MessageHandle> delivered; //!< acknowledged
    std::vector<MessageHandle> failed;
    std::vector<SessionEnd> ended;
};

/// Two nodes and a radio between them that loses frames and delays them.
class TwoNodes
{
  public:
    explicit TwoNodes(double loss, uint32_t seed = 1, TransportOptions options = SmallFrames())
        : m_options(options),
          m_loss(loss),
          m_random(seed)
    {
        Restart(ALICE);
        Restart(BOB);
    }

    /// @p node, which is new or has forgotten everything, begins a life.
    void Restart(NodeId node)
    {
        Restart(node, static_cast<SessionNumber>(1 + m_random() % (UINT16_MAX - 1)));
    }

    /// @p number the one that it draws for this life
    void Restart(NodeId node, SessionNumber number)
    {
        auto isFirst = true;
        m_nodes[node] = std::make_unique<Sessions>(
            node,
            m_options,
            [this, isFirst, number]() mutable {
                return std::exchange(isFirst, false) ? (number - 0.5) / (UINT16_MAX - 1)
                                                     : m_uniform(m_random);
            },
            [](NodeId, uint8_t, uint32_t attempts) { return attempts <= 3; });
        seen[node] = {};
        ++m_lives[node];
    }

    /// @p node is off for longer than any frame is under way, or an acknowledgement owed: its last
    /// ones arrive, none reach it.
    void SwitchOff(NodeId node)
    {
        LoseTo(node);
        if (m_options.usesLinkAcks)
        {
            m_now += m_options.limits.ackAfter;
            TransportOutput output;
            m_nodes[Other(node)]->Expire(m_now, output);
            Carry(Other(node), output);
            LoseTo(node);
        }
    }

    /// @p text is another one each time, for FindViolation to know it by
    MessageHandle Send(NodeId from, const std::string& text)
    {
        TransportOutput output;
        const auto handle = ++m_lastHandle;
        m_texts[handle] = text;
        m_nodes[from]->Send(handle,
                            Other(from),
                            MESSAGE_KIND,
                            Bytes(text.begin(), text.end()),
                            output);
        Carry(from, output);
        return handle;
    }

    void Close(NodeId node)
    {
        TransportOutput output;
        m_nodes[node]->Close(Other(node), output);
        Carry(node, output);
    }

    /// @p from sends a heartbeat, behind what is on the air already.
    void SendHeartbeat(NodeId from)
    {
        auto& sessions = *m_nodes[from];
        Fly({.from = from, .life = sessions.GetLife(), .notices = sessions.TakeNotices()});
    }

    /// The next frame arrives, or the next timer runs out. @return whether there was one
    bool Step()
    {
        std::optional<Instant> timer;
        NodeId waiting = ALICE;
        for (const auto& [node, sessions] : m_nodes)
        {
            if (const auto next = sessions->NextTimer(); next && (!timer || *next < *timer))
            {
                timer = next;
                waiting = node;
            }
        }
        if (!m_flights.empty() && (!timer || m_flights.top().arrival <= *timer))
        {
            const auto flight = m_flights.top();
            m_flights.pop();
            m_now = flight.arrival;
            Arrive(flight);
            return true;
        }
        if (timer)
        {
            m_now = *timer;
            TransportOutput output;
            m_nodes[waiting]->Expire(m_now, output);
            ExpectNoneDelivered(output);
            Carry(waiting, output);
        }
        return timer.has_value();
    }

    /// Runs until nothing is on the air and nobody waits.
    void Settle()
    {
        while (Step())
        {
        }
    }

    /// From now on frames wait in no device for long.
    void SetLoss(double loss)
    {
        m_loss = loss;
        m_mostWait = 0;
    }

    /// From now on devices take a share of lost frames for arrived.
    void SetLies(double lies)
    {
        m_lies = lies;
    }

    /// @return the number that the other node knows of @p node, as far as it has heard it
    SessionNumber GetKnown(NodeId node)
    {
        return m_known[node];
    }

    /// @return what has gone wrong in any life: a message acknowledged by a life that has not got
    ///         it, or received twice in one session; empty if nothing has
    const std::string& FindViolation() const
    {
        return m_violation;
    }

    std::map<NodeId, Seen> seen;
    size_t framesOnAir{0};

  private:
    struct Flight
    {
        Instant arrival{0};
        size_t number{0};
        NodeId from{NO_NODE};
        uint32_t senderLife{0}; //!< which of its lives, counted
        NodeId to{NO_NODE};
        Bytes bytes{};                  //!< of a frame; empty: a heartbeat
        uint64_t ticket{0};             //!< of the frame
        bool isLost{false};             //!< the device knows of an acknowledged frame
        SessionNumber life{NO_SESSION}; //!< what the heartbeat tells
        std::vector<SessionNotice> notices{};

        bool operator<(const Flight& other) const
        {
            return std::pair(arrival, number) > std::pair(other.arrival, other.number);
        }
    };

    /// What is on the air arrives, but at @p node.
    void LoseTo(NodeId node)
    {
        while (!m_flights.empty())
        {
            auto flight = m_flights.top();
            m_flights.pop();
            m_now = flight.arrival;
            flight.isLost = flight.isLost || flight.to == node;
            Arrive(flight);
        }
    }

    static NodeId Other(NodeId node)
    {
        return node == ALICE ? BOB : ALICE;
    }

    /// With the device's acknowledgements frames wait in the device for any time, in order.
    void Fly(Flight flight)
    {
        flight.number = ++framesOnAir;
        flight.isLost = m_uniform(m_random) < m_loss;
        if (flight.isLost && !m_options.usesLinkAcks)
        {
            return;
        }
        flight.arrival = m_now + std::chrono::milliseconds(1);
        if (m_options.usesLinkAcks)
        {
            auto& last = m_lastArrival[flight.from];
            last = std::max(last, flight.arrival) +
                   std::chrono::milliseconds(m_random() % (m_mostWait + 1));
            flight.arrival = last;
        }
        flight.senderLife = m_lives[flight.from];
        flight.to = Other(flight.from);
        m_flights.push(std::move(flight));
    }

    void Arrive(const Flight& flight)
    {
        if (!flight.isLost)
        {
            Hear(flight);
        }
        if (!m_options.usesLinkAcks || flight.ticket == 0 ||
            flight.senderLife != m_lives[flight.from])
        {
            return;
        }
        TransportOutput output;
        const auto isTold = m_uniform(m_random) >= (flight.isLost ? 1 - m_lies : m_loss);
        isTold ? m_nodes[flight.from]->Acknowledged(m_now, flight.ticket, output)
               : m_nodes[flight.from]->GivenUp(m_now, flight.ticket, output);
        ExpectNoneDelivered(output);
        Carry(flight.from, output);
    }

    void ExpectNoneDelivered(const TransportOutput& output)
    {
        for (const auto& event : output.events)
        {
            if (const auto* delivered = std::get_if<DeliveredMessage>(&event))
            {
                m_violation = "delivered without a word: " + m_texts[delivered->handle];
            }
        }
    }

    void Hear(const Flight& flight)
    {
        TransportOutput output;
        auto& sessions = *m_nodes[flight.to];
        if (flight.bytes.empty())
        {
            for (const auto& notice : flight.notices)
            {
                m_known[flight.from] = notice.number;
            }
            sessions.ReceiveBroadcast(flight.from, flight.life, flight.notices, output);
        }
        else
        {
            m_known[flight.from] = DecodeFrameHeader(flight.bytes).session;
            sessions.Receive(m_now, flight.bytes, output);
        }
        for (const auto& event : output.events)
        {
            const auto* delivered = std::get_if<DeliveredMessage>(&event);
            if (delivered && !m_got[{flight.from, flight.senderLife}].contains(delivered->handle))
            {
                m_violation = "thrown away: " + m_texts[delivered->handle];
            }
        }
        Carry(flight.to, output);
    }

    void Carry(NodeId from, const TransportOutput& output)
    {
        for (const auto& frame : output.frames)
        {
            m_nodes[from]->Transmitted(m_now, frame.ticket);
            Fly({.from = from, .bytes = frame.bytes, .ticket = frame.ticket});
        }
        auto& mine = seen[from];
        for (const auto& event : output.events)
        {
            if (const auto* received = std::get_if<ReceivedMessage>(&event))
            {
                Note(from, {received->body.begin(), received->body.end()});
            }
            else if (const auto* delivered = std::get_if<DeliveredMessage>(&event))
            {
                mine.delivered.push_back(delivered->handle);
            }
            else
            {
                const auto& ended = std::get<SessionEnded>(event);
                mine.ended.push_back(ended.why);
                mine.failed.insert(mine.failed.end(), ended.failed.begin(), ended.failed.end());
            }
        }
    }

    void Note(NodeId node, const std::string& text)
    {
        auto& mine = seen[node];
        for (size_t i = 0; i < mine.received.size(); ++i)
        {
            if (mine.received[i] == text && mine.receivedIn[i] == mine.ended.size())
            {
                m_violation = "received twice: " + text;
            }
        }
        mine.received.push_back(text);
        mine.receivedIn.push_back(mine.ended.size());
        for (const auto& [handle, sent] : m_texts)
        {
            if (sent == text)
            {
                m_got[{node, m_lives[node]}].insert(handle);
            }
        }
    }

    TransportOptions m_options;
    double m_loss;
    double m_lies{0};
    uint32_t m_mostWait{1500}; //!< ms, of a frame in a device that acknowledges
    std::mt19937 m_random;
    std::uniform_real_distribution<double> m_uniform{0, 1};
    std::map<NodeId, std::unique_ptr<Sessions>> m_nodes;
    std::map<NodeId, uint32_t> m_lives; //!< begun so far
    std::map<NodeId, SessionNumber> m_known;
    MessageHandle m_lastHandle{0};
    std::map<MessageHandle, std::string> m_texts;
    std::map<std::pair<NodeId, uint32_t>, std::set<MessageHandle>> m_got; //!< by node and life
    std::string m_violation;
    Instant m_now{0};
    std::map<NodeId, Instant> m_lastArrival; //!< of frames of a node
    std::priority_queue<Flight> m_flights;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_TESTS_TWO_NODES_H */
