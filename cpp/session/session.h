/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_SESSION_SESSION_H
#define MFTPUBSUB_SESSION_SESSION_H

#include "content/bytes.h"
#include "content/instant.h"
#include "content/node-id.h"
#include "session/frame.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace mftpubsub
{

/// Parameters of the hop transport (protocols.md section 5).
struct TransportOptions
{
    uint8_t window{1};            //!< frames on the way to one neighbour at a time, 64 at most
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

/// By what its sender knows a message, from Send until it is acknowledged or failed.
using MessageHandle = uint64_t;

/// A frame to be handed to the MAC.
struct OutgoingFrame
{
    NodeId to{NO_NODE};
    Bytes bytes;
    uint64_t ticket{0};       //!< to be given to Sessions::Transmitted; 0: nobody waits for it
    MessageHandle message{0}; //!< that it carries (a part of); 0: none
};

/// A message that arrived whole and in order.
struct ReceivedMessage
{
    NodeId from{NO_NODE};
    uint8_t kind{0};
    Bytes body;
};

/// All frames of a message have been acknowledged.
struct DeliveredMessage
{
    MessageHandle handle{0};
    NodeId to{NO_NODE};
};

/// Why a session is over.
enum class SessionEnd
{
    GIVEN_UP, //!< this end's frames were not acknowledged
    CLOSED,   //!< this end was told to close it
    RENEWED   //!< the neighbour, which lives, has ended it or restarted
};

/// The session with a neighbour is over, and another begins: what was under way is lost.
struct SessionEnded
{
    NodeId neighbour{NO_NODE};
    SessionEnd why{SessionEnd::GIVEN_UP};
    std::vector<MessageHandle> failed; //!< that were not delivered, in order of sending
};

/// What becomes of messages and sessions.
using SessionEvent = std::variant<ReceivedMessage, DeliveredMessage, SessionEnded>;

/// What the transport answers to one input.
struct TransportOutput
{
    std::vector<OutgoingFrame> frames;
    std::vector<SessionEvent> events; //!< in this order
};

/// What all sessions of a node share.
struct SessionContext
{
    NodeId self{NO_NODE};
    TransportOptions options;
    UniformSource uniform;
    RetryDecision retry;
    uint64_t tickets{0}; //!< given so far
};

/**
 * One end of the sessions with one neighbour, as a state machine without I/O: in a session messages
 * arrive in order, once, and whole (selective repeat; each frame is acknowledged by itself).
 *
 * Either end ends a session by taking a new number. The other finds out by the first frame, or word
 * in a heartbeat, with that number: then the session has ended for it too, and it takes a new
 * number of its own, so that no frame of one session is taken for one of another. A frame that
 * names a number of its receiver which is not the present one is dropped and answered by CLOSED. An
 * end of whose session the other has shown no sign yet just goes on with the other's new number.
 *
 * Before the other's number is known one frame is sent at a time, and only a first frame is taken
 * without it. Frames of one sender arrive in the order of sending, as MAC and radio keep it.
 */
class Session
{
  public:
    /// @param number the first one of this end
    Session(NodeId neighbour, SessionNumber number);

    void Send(SessionContext& context,
              MessageHandle handle,
              uint8_t kind,
              Bytes body,
              TransportOutput& output);

    /// A frame of the neighbour to this node.
    void Receive(SessionContext& context,
                 const FrameHeader& header,
                 std::span<const uint8_t> body,
                 TransportOutput& output);

    /// @return whether @p number is one that the neighbour had before its present one
    bool IsOld(SessionNumber number) const;

    /// The neighbour's number is @p number.
    void Learn(SessionContext& context, SessionNumber number, TransportOutput& output);

    /// Ends the session, if there is anything of it.
    void Close(TransportOutput& output);

    /// A broadcast of the neighbour's says which life it is in: another one means a restart.
    void HearLife(SessionNumber life, TransportOutput& output);

    /// The frame with @p ticket is on the air from now on. @return its air time, if it is ours
    std::optional<Instant> Transmitted(SessionContext& context, Instant now, uint64_t ticket);

    /// For @p span the channel is kept busy by this node itself: acknowledgements take longer.
    void Postpone(Instant span);

    void Expire(SessionContext& context, Instant now, TransportOutput& output);

    std::optional<Instant> NextTimer() const;

    /// @return whether frames wait for their acknowledgement
    bool IsWaiting() const;

    /// @return whether the neighbour has to be told of this end's number still
    bool HasNotice() const;

    /// @return this end's number, if the neighbour has to be told of it still; each call counts
    std::optional<SessionNumber> TakeNotice();

  private:
    struct Message
    {
        MessageHandle handle{0};
        uint8_t kind{0};
        Bytes body;
        size_t sent{0}; //!< bytes of the body that are in frames already
    };

    struct Pending //!< a frame not acknowledged yet
    {
        MessageHandle message{0};
        uint8_t kind{0};
        uint8_t sequence{0};
        bool hasMore{false};
        Bytes body;
        uint32_t attempts{0};
        uint64_t ticket{0}; //!< of the last attempt
        bool acknowledged{false};
        std::optional<Instant> deadline; //!< of the acknowledgement, once on the air
        Instant latest{0};               //!< to which the deadline may be postponed
    };

    /// The neighbour has restarted.
    void HasForgotten(TransportOutput& output);

    void FillWindow(SessionContext& context, TransportOutput& output);
    Pending CutFrame(const SessionContext& context);
    void Transmit(SessionContext& context, Pending& frame, TransportOutput& output);
    void ReceiveAck(SessionContext& context, uint8_t sequence, TransportOutput& output);
    void ReceiveData(const FrameHeader& header,
                     std::span<const uint8_t> body,
                     TransportOutput& output);
    void Reply(const SessionContext& context,
               uint8_t kind,
               uint8_t sequence,
               TransportOutput& output) const;
    void End(SessionEnd why, TransportOutput& output);
    static Instant AirTime(const SessionContext& context, size_t bodyBytes);
    static Instant AckTimeout(const SessionContext& context, const Pending& frame);

    NodeId m_neighbour;
    SessionNumber m_mine;
    SessionNumber m_theirs{NO_SESSION};
    SessionNumber m_life{NO_SESSION}; //!< of the neighbour, as its last broadcast said
    bool m_isShared{false}; //!< the neighbour has acknowledged or sent something in this session
    bool m_isNamed{false};  //!< it has named our number in this session
    uint8_t m_notices{0};   //!< how often the neighbour has to be told of our number still

    std::deque<Message> m_backlog;  //!< the first one may be in frames in part
    std::deque<Pending> m_inFlight; //!< in order of sequence, at most `window`
    uint8_t m_nextSequence{0};

    uint8_t m_expected{0};
    std::map<uint8_t, std::pair<FrameHeader, Bytes>> m_early; //!< came before their turn
    Bytes m_partial;                                          //!< of the message under way
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_SESSION_SESSION_H */
