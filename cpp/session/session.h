/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_SESSION_SESSION_H
#define MFTPUBSUB_SESSION_SESSION_H

#include "content/bytes.h"
#include "content/instant.h"
#include "content/link.h"
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

/// What bounds a session; no scenario sets these.
struct SessionLimits
{
    /// Heartbeats that tell a neighbour of a session that this end has ended, at least: within as
    /// many it hears one, or has lost us.
    uint8_t notices{3};
    uint8_t noticesPerHeartbeat{16};
    /// Sessions that a node may end with a neighbour before that hears of the life they are of.
    SessionNumber earlySessions{64};
    uint8_t firstSequence{0}; //!< sequence number of a session's first frame
    uint8_t ackBackoffs{3};   //!< of the MAC, before an acknowledgement (Session::AckTimeout)
    uint8_t maxPostponed{1};  //!< by so many of its timeouts an acknowledgement may be late (and by
                              //!< as many as the window has other frames)
    uint8_t maxUnsettled{32}; //!< frames that the device has acknowledged, and no ACK has yet
    Instant askAfter{std::chrono::seconds(1)}; //!< about frames that the device has acknowledged
    Instant ackAfter{std::chrono::milliseconds(200)}; //!< the first of frames that one ACK does for
    uint8_t maxOwed{8};                               //!< frames that one ACK does for
    uint8_t maxDoublings{16};                         //!< of the timeout from attempt to attempt
};

/// Parameters of the hop transport (protocols.md section 5).
struct TransportOptions
{
    uint8_t window{1};            //!< frames on the way to one neighbour at a time, 64 at most
    uint16_t maxFrameBytes{1000}; //!< largest frame, this transport's header included
    LinkTiming timing{};          //!< of the device
    bool usesLinkAcks{false};     //!< the device's acknowledgements do for frames in a session
    SessionLimits limits{};
};

/// @return @p options, with as many notices as @p heartbeats at least
TransportOptions TellFor(uint8_t heartbeats, TransportOptions options);

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
    RENEWED,  //!< the neighbour, which lives, has ended it, or has restarted
    RESTARTED //!< the neighbour has restarted for certain
};

/// @return whether the neighbour, which lives, has ended the session
constexpr bool
IsByNeighbour(SessionEnd why)
{
    return why == SessionEnd::RENEWED || why == SessionEnd::RESTARTED;
}

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
 * without it. Frames of one sender arrive in the order of sending, as MAC and radio keep it: so
 * another number than the last one is always a later one, whichever it is.
 *
 * A restarted node may draw any number, the one before among them. It is known by what it does not
 * know: it names no number, where the life before had named ours, or its first frame is another
 * than that of the life before. Itself it knows a number that an earlier life has told by not
 * having told it. Only a life with the number of the one before, whose first frame is lost while
 * one of ours is on its way to it, cannot be told from that: one restart in 65534 has the number.
 */
class Session
{
  public:
    /// @param number the first one of this end
    Session(const SessionContext& context, NodeId neighbour, SessionNumber number);

    void Send(SessionContext& context,
              MessageHandle handle,
              uint8_t kind,
              Bytes body,
              TransportOutput& output);

    /// A frame of the neighbour to this node.
    void Receive(SessionContext& context,
                 Instant now,
                 const FrameHeader& header,
                 std::span<const uint8_t> body,
                 TransportOutput& output);

    /// The neighbour's number is @p number.
    void Learn(SessionContext& context, SessionNumber number, TransportOutput& output);

    /// Ends the session, if there is anything of it.
    void Close(const SessionContext& context, TransportOutput& output);

    /// A broadcast of the neighbour's says which life it is in: another one means a restart.
    void HearLife(const SessionContext& context, SessionNumber life, TransportOutput& output);

    /// The frame with @p ticket is on the air from now on. @return its air time, if it is ours
    /// @param isLost the device has dropped it instead: it is as if lost on the air
    std::optional<Instant> Transmitted(SessionContext& context,
                                       Instant now,
                                       uint64_t ticket,
                                       bool isLost);

    // With usesLinkAcks only

    /**
     * The device at the other end has acknowledged the frame with @p ticket. If it names the
     * neighbour's number, the next frame may go. The neighbour may have ended the session
     * meanwhile, and its word of that may wait in its device for long. So it acknowledges what has
     * come itself: one ACK does for some frames, as a delayed ACK of TCP (RFC 1122, 4.2.3.2). If
     * none comes, it is asked.
     */
    void Acknowledged(SessionContext& context,
                      Instant now,
                      uint64_t ticket,
                      TransportOutput& output);

    /// The device has sent the frame with @p ticket as often as it does, in vain.
    void GivenUp(SessionContext& context, Instant now, uint64_t ticket, TransportOutput& output);

    /// For @p span the channel is kept busy by this node itself: acknowledgements take longer.
    void Postpone(Instant span);

    void Expire(SessionContext& context, Instant now, TransportOutput& output);

    std::optional<Instant> NextTimer() const;

    /// @return whether an end waits for an acknowledgement
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
        uint64_t first{0};               //!< ticket of the first attempt
        uint64_t ticket{0};              //!< of the last attempt
        SessionNumber named{NO_SESSION}; //!< of the neighbour, by the last attempt
        bool acknowledged{false};        //!< with a deadline: by the device alone as yet
        std::optional<Instant> deadline; //!< of the acknowledgement, once on the air
        Instant latest{0};               //!< to which the deadline may be postponed
    };

    /// @return whether this first frame is of another life than those before it
    bool IsOfAnotherLife(const FrameHeader& header, std::span<const uint8_t> body) const;

    /// The neighbour has restarted.
    void HasForgotten(const SessionContext& context, TransportOutput& output);

    /// Tells of what has arrived, from the first frame on.
    void Settle(SessionContext& context, TransportOutput& output);

    /// @return frame with @p ticket that is not acknowledged; null if there is none
    Pending* Find(uint64_t ticket);

    /// @return whether @p frame needs no acknowledgement but the device's
    bool IsForDevice(const SessionContext& context, const Pending& frame) const;

    void FillWindow(SessionContext& context, TransportOutput& output);

    /// A frame has been acknowledged: one more may be on the way at a time, as in TCP's slow start.
    void WidenWindow(const SessionContext& context);

    Pending CutFrame(const SessionContext& context);
    void Transmit(SessionContext& context, Pending& frame, TransportOutput& output);
    void ReceiveAck(SessionContext& context, uint8_t sequence, TransportOutput& output);
    void ReceiveData(const SessionContext& context,
                     Instant now,
                     const FrameHeader& header,
                     std::span<const uint8_t> body,
                     TransportOutput& output);
    /// @return whether the frame of @p sequence has come, and all before it
    bool HasCome(uint8_t sequence) const;

    /// What has come is handed over as far as nothing is missing.
    void HandOver(TransportOutput& output);

    void Reply(const SessionContext& context,
               uint8_t kind,
               uint8_t sequence,
               TransportOutput& output);
    void End(const SessionContext& context, SessionEnd why, TransportOutput& output);
    static Instant AirTime(const SessionContext& context, size_t bodyBytes);
    static Instant AckTimeout(const SessionContext& context, const Pending& frame);

    using Frame = std::pair<FrameHeader, Bytes>; //!< with its body

    /// What this end has got and not acknowledged itself, if the device has.
    struct Owed
    {
        uint8_t sequence{0}; //!< of the last frame
        uint8_t frames{0};
        Instant until{0}; //!< it is acknowledged
    };

    /// What has come of the neighbour's.
    struct Incoming
    {
        uint8_t expected{0};            //!< sequence number of the next frame
        std::map<uint8_t, Frame> early; //!< came before their turn
        Bytes partial;                  //!< of the message under way
        std::optional<Owed> owed;
        std::optional<uint8_t> missed; //!< it was asked for, and something before it is missing
    };

    /// What the next frames to the neighbour are to be.
    struct Outgoing
    {
        uint8_t next{0};   //!< sequence number of the next one
        uint8_t window{1}; //!< on the way at a time; one at first where a session has ended
    };

    /// What the neighbour is asked: whether it has got the frame of @p sequence.
    struct Question
    {
        uint8_t sequence{0};
        uint32_t attempts{0};
        Instant until{0}; //!< it may answer
    };

    void Owe(const SessionContext& context, Instant now, uint8_t sequence, TransportOutput& output);
    void Ask(const SessionContext& context, Instant now, TransportOutput& output);
    void ReceiveAsk(const SessionContext& context, uint8_t sequence, TransportOutput& output);
    bool AskAgain(const SessionContext& context, Instant now, TransportOutput& output);
    size_t CountUnsettled() const;
    static bool IsUnsettled(const Pending& frame);

    NodeId m_neighbour;
    SessionNumber m_mine;
    bool m_isTold{false}; //!< a frame or a notice of this life has told the neighbour m_mine
    SessionNumber m_theirs{NO_SESSION};
    SessionNumber m_life{NO_SESSION}; //!< of the neighbour, as its last broadcast said
    bool m_isOfLife{false};           //!< m_theirs was known then
    bool m_isShared{false}; //!< the neighbour has acknowledged or sent something in this session
    std::optional<Frame> m_opening; //!< the neighbour's first one, until it names our number
    uint8_t m_notices{0};           //!< how often the neighbour has to be told of our number still

    std::deque<Message> m_backlog;  //!< the first one may be in frames in part
    std::deque<Pending> m_inFlight; //!< in order of sequence: `window` and those unsettled
    std::optional<Question> m_question;
    Outgoing m_outgoing;
    Incoming m_incoming;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_SESSION_SESSION_H */
