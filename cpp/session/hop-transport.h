/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_SESSION_HOP_TRANSPORT_H
#define MFTPUBSUB_SESSION_HOP_TRANSPORT_H

#include "content/bytes.h"
#include "content/node-id.h"
#include "session/frame.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace mftpubsub
{

/// Parameters of the hop transport (protocols.md section 5).
struct TransportOptions
{
    uint8_t window{1};            //!< frames on the way to one neighbour at a time
    uint16_t maxFrameBytes{1000}; //!< largest frame, this transport's header included
    uint16_t overheadBytes{15};   //!< MAC and PHY bytes around a frame (Castalia: 9 + 6)
    double bitRate{250000};       //!< of the radio, bit/s
    double backoffSeconds{0.016}; //!< of the MAC: the longest wait after a first busy CCA
};

/**
 * Whether a frame is to be sent once more.
 *
 * @param to the neighbour that has not acknowledged it
 * @param kind of its message
 * @param attempts times that it has been sent
 */
using RetryDecision = std::function<bool(NodeId to, uint8_t kind, uint32_t attempts)>;

/// A message is known by its handle from Send until it is acknowledged or failed.
using MessageHandle = uint64_t;

/// A message that arrived whole and in order.
struct ReceivedMessage
{
    NodeId from{NO_NODE};
    uint8_t kind{0};
    Bytes body;
};

/// A frame to be handed to the MAC.
struct OutgoingFrame
{
    NodeId to{NO_NODE};
    Bytes bytes;
    uint64_t ticket{0};       //!< to be given to HopTransport::Transmitted; 0: nobody waits for it
    MessageHandle message{0}; //!< that it carries (a part of); 0: an acknowledgement
};

/// A message of which nothing is heard any more: every frame acknowledged, or given up.
struct SettledMessage
{
    MessageHandle handle{0};
    NodeId to{NO_NODE};
    bool delivered{false};
};

/// What the transport answers to one input.
struct TransportOutput
{
    std::vector<OutgoingFrame> frames;
    std::vector<ReceivedMessage> received;
    std::vector<SettledMessage> settled;
};

/**
 * Hop-by-hop acknowledgement over an unreliable radio (protocols.md section 5), as a state machine
 * without I/O: reliable, in order and without duplicates between two neighbours while they are in
 * reach of each other, and an honest "failed" when they are not.
 *
 * Frames carry a sequence number for each (sender, receiver); each is acknowledged by itself
 * (selective repeat). The retransmission timer of a frame runs from the moment it is on the air
 * (Transmitted), so that waiting in the MAC's queue under load does not breed more load, and
 * doubles with each attempt. When a frame has been given up, every message on the way to that
 * neighbour has failed.
 */
class HopTransport
{
  public:
    using Instant = std::chrono::nanoseconds;

    /**
     * @param incarnation counts the restarts of this node: receivers then forget the one before
     * @param uniform gives numbers uniform in [0, 1), for the random part of retransmission
     * @param retry asked before a retransmission; when it says no, the neighbour is given up
     */
    HopTransport(NodeId self,
                 uint8_t incarnation,
                 TransportOptions options,
                 std::function<double()> uniform,
                 RetryDecision retry);

    /**
     * Sends a message; larger ones than a frame are split.
     *
     * @throws std::length_error when it would take more than 255 fragments
     */
    MessageHandle Send(NodeId to, uint8_t kind, Bytes body, TransportOutput& output);

    /// A frame for this node arrived. @throws DecodeError when it is none of ours
    void Receive(std::span<const uint8_t> frame, TransportOutput& output);

    /// The frame with @p ticket is on the air now (or the MAC has dropped it).
    void Transmitted(Instant now, uint64_t ticket);

    /// The time that NextTimer gave has come.
    void Expire(Instant now, TransportOutput& output);

    /// @return when Expire wants to be called, if ever
    std::optional<Instant> NextTimer() const;

  private:
    struct Pending //!< a frame not acknowledged yet
    {
        MessageHandle message{0};
        FrameHeader header; //!< but for baseOffset
        Bytes body;
        uint32_t attempts{0};
        bool acknowledged{false};
        std::optional<Instant> deadline; //!< of the acknowledgement, once on the air
    };

    struct Sender //!< state towards one neighbour
    {
        uint16_t nextSequence{0};
        std::deque<Pending> frames; //!< in order of sequence; the first `window` are on the way
    };

    struct Receiver //!< state from one neighbour
    {
        uint8_t incarnation{0};
        uint16_t expected{0};
        std::map<uint16_t, std::pair<FrameHeader, Bytes>> early; //!< came before their turn
        Bytes partial; //!< fragments of the message under way
        uint8_t nextFragment{0};
    };

    void Acknowledge(const FrameHeader& header, TransportOutput& output) const;
    void ReceiveAck(const FrameHeader& header, TransportOutput& output);
    void ReceiveData(const FrameHeader& header,
                     std::span<const uint8_t> body,
                     TransportOutput& output);
    void SkipTo(Receiver& receiver, uint16_t sequence) const;
    void Assemble(Receiver& receiver,
                  const FrameHeader& header,
                  const Bytes& body,
                  TransportOutput& output) const;
    void Transmit(Sender& sender, Pending& frame, TransportOutput& output);
    void FillWindow(Sender& sender, TransportOutput& output);
    void GiveUp(NodeId to, Sender& sender, TransportOutput& output);
    /// @return the frame that was sent with @p ticket, nullptr if it is settled
    Pending* FindFrame(uint64_t ticket);

    Instant AckTimeout(const Pending& frame) const;

    NodeId m_self;
    uint8_t m_incarnation;
    TransportOptions m_options;
    std::function<double()> m_uniform;
    RetryDecision m_retry;
    MessageHandle m_nextHandle{1};
    std::map<NodeId, Sender> m_senders;
    std::map<NodeId, Receiver> m_receivers;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_SESSION_HOP_TRANSPORT_H */
