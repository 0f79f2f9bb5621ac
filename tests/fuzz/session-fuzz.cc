/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * libFuzzer target: two nodes talk while frames of any bytes arrive at one of them. Nothing but a
 * DecodeError comes of those, answers go to the neighbour they claim to be from, and afterwards the
 * two understand each other. A step is a byte: what happens, then what that needs.
 */
#include "fuzz.h"
#include "session/sessions.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>

using namespace mftpubsub;

namespace
{

constexpr uint8_t MESSAGE_KIND = 3;
constexpr int ATTEMPTS = 4; //!< that may fail, each by what another lie has left

/// Bytes to be taken from the front; no more, zeros.
class Script
{
  public:
    Script(const uint8_t* data, size_t size)
        : m_rest(data, size)
    {
    }

    bool IsAtEnd() const
    {
        return m_rest.empty();
    }

    uint8_t Next()
    {
        const auto bytes = Next(1);
        return bytes.empty() ? uint8_t{0} : bytes.front();
    }

    Bytes Next(size_t count)
    {
        const auto taken = m_rest.first(std::min(count, m_rest.size()));
        m_rest = m_rest.subspan(taken.size());
        return {taken.begin(), taken.end()};
    }

  private:
    std::span<const uint8_t> m_rest;
};

/// Nodes 1 and 2, between whom frames arrive in order.
class Pair
{
  public:
    explicit Pair(const TransportOptions& options)
    {
        for (const NodeId self : {1, 2})
        {
            m_nodes[self - 1].emplace(
                self,
                options,
                [] { return 0.5; },
                [](NodeId, uint8_t, uint32_t attempts) { return attempts <= 2; });
        }
    }

    void Send(NodeId from, size_t size)
    {
        TransportOutput output;
        Node(from).Send(++m_handle, Other(from), MESSAGE_KIND, Bytes(size), output);
        Carry(from, output);
    }

    void Close(NodeId node, NodeId neighbour)
    {
        TransportOutput output;
        Node(node).Close(neighbour, output);
        Carry(node, output);
    }

    /// A frame of these bytes arrives at node 1.
    void Hear(const Bytes& frame)
    {
        TransportOutput output;
        try
        {
            Node(1).Receive(m_now, frame, output);
        }
        catch (const DecodeError&)
        {
        }
        Carry(1, output);
    }

    /// Node 1 hears a heartbeat of node 2, or of another, with these bytes behind its header.
    void HearHeartbeat(NodeId from, SessionNumber life, const Bytes& body)
    {
        TransportOutput output;
        try
        {
            ByteReader in(body);
            const auto notices = ReadNotices(in);
            Node(1).ReceiveBroadcast(from, life, notices, output);
        }
        catch (const DecodeError&)
        {
        }
        Carry(1, output);
    }

    void SendHeartbeat(NodeId from)
    {
        const auto notices = Node(from).TakeNotices();
        TransportOutput output;
        Node(Other(from)).ReceiveBroadcast(from, Node(from).GetLife(), notices, output);
        Carry(Other(from), output);
    }

    void LoseAll()
    {
        m_flights.clear();
    }

    /// Everything arrives, and who waits is told that the time has come.
    void Settle()
    {
        for (auto isBusy = true; isBusy;)
        {
            while (!m_flights.empty())
            {
                const auto frame = m_flights.front();
                m_flights.pop_front();
                TransportOutput output;
                Node(frame.to).Receive(m_now, frame.bytes, output);
                Carry(frame.to, output);
            }
            isBusy = false;
            for (const NodeId node : {1, 2})
            {
                if (const auto timer = Node(node).NextTimer())
                {
                    m_now = std::max(m_now, *timer);
                    TransportOutput output;
                    Node(node).Expire(m_now, output);
                    Carry(node, output);
                    isBusy = true;
                }
            }
        }
    }

    /// @return whether a message of @p from is acknowledged, after so many attempts
    bool Talks(NodeId from)
    {
        for (int i = 0; i < ATTEMPTS; ++i)
        {
            m_delivered = 0;
            Send(from, 5);
            Settle();
            if (m_delivered == m_handle)
            {
                return true;
            }
        }
        return false;
    }

  private:
    static NodeId Other(NodeId node)
    {
        return node == 1 ? 2 : 1;
    }

    Sessions& Node(NodeId node)
    {
        return *m_nodes.at(node - 1U);
    }

    void Carry(NodeId from, const TransportOutput& output)
    {
        for (const auto& frame : output.frames)
        {
            const auto header = DecodeFrameHeader(frame.bytes);
            Require(header.source == from && header.destination == frame.to);
            Require(frame.to != from && frame.to != NO_NODE);
            Node(from).Transmitted(m_now, frame.ticket);
            if (frame.to == Other(from))
            {
                m_flights.push_back(frame);
            }
        }
        for (const auto& event : output.events)
        {
            if (const auto* delivered = std::get_if<DeliveredMessage>(&event))
            {
                m_delivered = delivered->handle;
            }
        }
    }

    std::array<std::optional<Sessions>, 2> m_nodes;
    std::deque<OutgoingFrame> m_flights;
    Instant m_now{0};
    MessageHandle m_handle{0};
    MessageHandle m_delivered{0};
};

void
Act(Pair& pair, Script& script)
{
    const auto step = script.Next();
    const NodeId node = 1 + step / 8 % 2;
    switch (step % 8)
    {
    case 0:
        pair.Send(node, step);
        break;
    case 1:
        pair.Close(node, node == 1 ? 2 : 1);
        break;
    case 2:
        pair.SendHeartbeat(node);
        break;
    case 3:
        pair.Settle();
        break;
    case 4:
        pair.LoseAll();
        break;
    case 5:
        pair.Hear(script.Next(step / 8U));
        break;
    case 6: { // as if of the neighbour
        auto body = script.Next(FRAME_HEADER_BYTES - 4U + step / 16U);
        const Bytes addresses{0, 2, 0, 1};
        body.insert(body.begin(), addresses.begin(), addresses.end());
        pair.Hear(body);
        break;
    }
    default: {
        const auto life = static_cast<SessionNumber>(script.Next() << 8 | script.Next());
        pair.HearHeartbeat(step & 8 ? 2 : 3, life, script.Next(step / 16U));
    }
    }
}

} // namespace

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    Script script(data, size);
    TransportOptions options;
    options.maxFrameBytes = FRAME_HEADER_BYTES + 8;
    options.window = static_cast<uint8_t>(1 + script.Next() % 64);
    options.limits.firstSequence = script.Next() % SEQUENCE_NUMBERS;
    Pair pair(options);
    while (!script.IsAtEnd())
    {
        Act(pair, script);
    }
    pair.Settle();
    Require(pair.Talks(1) && pair.Talks(2));
    return 0;
}
