/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_SESSION_SESSIONS_H
#define MFTPUBSUB_SESSION_SESSIONS_H

#include "session/session.h"

#include <map>
#include <set>

namespace mftpubsub
{

/// In a heartbeat: its sender's number for one neighbour, with which it has ended a session.
struct SessionNotice
{
    NodeId neighbour{NO_NODE};
    SessionNumber number{NO_SESSION};

    bool operator==(const SessionNotice&) const = default;
};

constexpr size_t NOTICE_BYTES = sizeof(NodeId) + sizeof(SessionNumber);

/// Writes @p notices as a heartbeat carries them: a byte with their number, 4 B each.
void Write(ByteWriter& out, const std::vector<SessionNotice>& notices);

/// @throws DecodeError when @p in has none
std::vector<SessionNotice> ReadNotices(ByteReader& in);

/**
 * Hop-by-hop acknowledgement over an unreliable radio (protocols.md section 5), as a state machine
 * without I/O: the sessions of a node with all its neighbours.
 *
 * While a session lasts, messages arrive in order, once and whole. When either end gives up or
 * restarts it is over for both, each end is told so (SessionEnded) with what was not delivered, and
 * nothing of it arrives any more. The retransmission timer of a frame runs from the moment it is on
 * the air (Transmitted), so that waiting in the MAC's queue under load does not breed more load,
 * and doubles with each attempt.
 *
 * A node draws the number of its life when it starts. Its broadcasts carry it in their headers, so
 * that who hears one knows of a restart, and its heartbeats tell of sessions that it has ended.
 */
class Sessions
{
  public:
    /**
     * @param uniform for the number of this life and the random part of retransmission
     * @param retry asked before a retransmission; when it says no, the session is given up
     */
    Sessions(NodeId self, TransportOptions options, UniformSource uniform, RetryDecision retry);

    /// Sends a message; larger ones than a frame are split.
    void Send(MessageHandle handle, NodeId to, uint8_t kind, Bytes body, TransportOutput& output);

    /// @throws std::length_error when it does not fit in a frame: broadcasts are not split
    void Broadcast(uint8_t kind, const Bytes& body, TransportOutput& output) const;

    /// A heartbeat: it tells of ended sessions, in front of @p body.
    void BroadcastHeartbeat(const Bytes& body, TransportOutput& output);

    /// Ends the session with @p neighbour: what is under way fails.
    void Close(NodeId neighbour, TransportOutput& output);

    /// A frame arrived; one that is not from a neighbour to this node is nothing. @throws
    /// DecodeError when it is none of ours
    void Receive(Instant now, std::span<const uint8_t> frame, TransportOutput& output);

    /// A broadcast arrived. @return its body, of a heartbeat what stands behind its notices
    /// @throws DecodeError when it is none of ours
    std::span<const uint8_t> ReceiveBroadcast(const FrameHeader& header,
                                              std::span<const uint8_t> frame,
                                              TransportOutput& output);

    /// A broadcast of @p from arrived, with these notices if it is a heartbeat.
    void ReceiveBroadcast(NodeId from,
                          SessionNumber life,
                          const std::vector<SessionNotice>& notices,
                          TransportOutput& output);

    /// @return what the next heartbeat has to tell, @p most and `noticesPerHeartbeat` at most; each
    /// call counts
    std::vector<SessionNotice> TakeNotices(size_t most = SIZE_MAX);

    /// @return the number of this life, for the headers of broadcasts
    SessionNumber GetLife() const;

    /// The frame with @p ticket is on the air now (or the MAC has dropped it).
    void Transmitted(Instant now, uint64_t ticket, bool isLost = false);

    /// The device at the other end has acknowledged the frame with @p ticket (usesLinkAcks).
    void Acknowledged(Instant now, uint64_t ticket, TransportOutput& output);

    /// The device has given the frame with @p ticket up (usesLinkAcks).
    void GivenUp(Instant now, uint64_t ticket, TransportOutput& output);

    /// The time that NextTimer gave has come.
    void Expire(Instant now, TransportOutput& output);

    /// @return when Expire wants to be called, if ever
    std::optional<Instant> NextTimer() const;

  private:
    Session& With(NodeId neighbour);

    /// Keeps m_waiting and m_untold as @p session of @p neighbour is now.
    void Note(NodeId neighbour, const Session& session);

    SessionContext m_context;
    SessionNumber m_life;
    std::map<NodeId, Session> m_sessions;
    std::set<NodeId> m_waiting; //!< neighbours with frames that are not acknowledged
    std::set<NodeId> m_untold;  //!< neighbours that have to be told of our number, perhaps
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_SESSION_SESSIONS_H */
