/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_HANDOFF_PRO_ACTIVE_R_H
#define MFTPUBSUB_PROTOCOLS_HANDOFF_PRO_ACTIVE_R_H

#include "protocols/handoff/broker.h"
#include "protocols/handoff/neighbour-graph.h"

#include <set>

namespace mftpubsub::handoff
{

/**
 * The pro-active scheme without its races (ours; R20): the messages of ProActive, each with the
 * session of the subscriber that it belongs to.
 *
 * - The broker of session k-1 stores until the broker of session k has asked it for what it has,
 *   and it answers only when it is complete itself: that it holds, or the subscriber has consumed,
 *   every event since the beginning. So one hand-off is done after the other, however they overlap.
 * - A broker that stores without a break stays complete; whoever has its answer is complete too.
 * - Who is asked after it has handed over to a later session says so: the subscriber has been back
 *   there meanwhile, and nobody needs the copy of the one that asks, unless it has asked others.
 * - A neighbour's copy belongs to one session of one broker. Requests of older sessions are
 * refused, and whoever activated a copy deactivates it, over the same FIFO way: none is left
 * behind.
 */
class ProActiveR : public Broker
{
  public:
    ProActiveR(NodeId self, const Options& options);

    void Receive(Instant now, NodeId from, const Message& message, Output& output) override;
    void LinkDown(Instant now, NodeId client, Output& output) override;
    std::optional<Instant> NextTimer() const override;
    void Expire(Instant now, Output& output) override;
    std::vector<CopyView> GetCopies() const override;
    size_t CountHeld() const override;

    void Handle(Instant now, NodeId from, const Sub& sub, Output& output);
    void Handle(Instant now, NodeId from, const Uns& uns, Output& output);
    void Handle(Instant now, NodeId from, const Reconnect& reconnect, Output& output);
    void Handle(Instant now, NodeId from, const Evack& evack, Output& output);
    void Handle(Instant now, NodeId from, const Pub& pub, Output& output);
    void Handle(Instant now, NodeId from, const Fetch& fetch, Output& output);
    void Handle(Instant now, NodeId from, const Subs& subs, Output& output);
    void Handle(Instant now, NodeId from, const Remove& remove, Output& output);
    void Handle(Instant now, NodeId from, const Transfer& transfer, Output& output);
    void Handle(Instant now, NodeId from, const Activate& activate, Output& output);
    void Handle(Instant now, NodeId from, const Ack& ack, Output& output);
    void Handle(Instant now, NodeId from, const Nack& nack, Output& output);
    void Handle(Instant now, NodeId from, const Forward& forward, Output& output);
    void Handle(Instant now, NodeId from, const Context& context, Output& output);
    void Handle(Instant now, NodeId from, const Deactivate& deactivate, Output& output);
    void Handle(Instant now, NodeId from, const Delete& request, Output& output);
    void Handle(Instant now, NodeId from, const Moved& moved, Output& output);
    void Handle(Instant now, NodeId from, const MovedAck& acknowledged, Output& output);

  private:
    enum class State : uint8_t
    {
        PASSIVE,  //!< filters known, no buffer
        ACTIVE,   //!< stores on behalf of `control`
        HOME,     //!< the subscriber is here, or was here last and nobody has asked for it
        FETCHING, //!< as HOME, without filters yet
    };

    /// The broker of a later session, which asks for what is here.
    struct Successor
    {
        NodeId broker{NO_NODE};
        Session session{0};
        Neighbours neighbours;
        Consumed last;
        bool need{false};
        bool isTransfer{false}; //!< it sent REMOVE and wants TRANSFER, not MOVED_ACK
    };

    struct Asker
    {
        NodeId broker{NO_NODE};
        Session session{0};
    };

    struct RepairedCopy : Copy
    {
        using Copy::Copy;
        State state{State::PASSIVE};
        Session session{0};      //!< HOME: of the last connection here; ACTIVE: of who activated it
        Session claimed{0};      //!< newest session whose broker wants a copy here
        NodeId control{NO_NODE}; //!< ACTIVE: who activated it, in `session`
        bool connected{false};
        bool complete{false}; //!< every event is here or consumed
        Consumed last;
        std::set<NodeId> told; //!< who was sent ACTIVATE, in session `toldSession`
        Session toldSession{0};
        std::set<NodeId> acked;    //!< who answered before the copy was complete
        std::set<Session> awaited; //!< sessions of the requests whose answers make it complete
        std::vector<Successor> successors;
        std::vector<Asker> askers;
        std::vector<Asker> predecessors; //!< FETCHING: who is told MOVED once the filters are here
        Instant awaySince{0};
    };

    /// Stops storing at a neighbour's copy.
    static void Pacify(RepairedCopy& copy);

    void Leave(Instant now, NodeId subscriber, RepairedCopy& copy, Output& output);
    void DeactivateTold(NodeId subscriber, RepairedCopy& copy, Output& output) const;
    void DeliverBuffer(NodeId subscriber, RepairedCopy& copy, Output& output) const;
    void Succeed(NodeId subscriber, const Successor& successor, Output& output);
    void HandOver(NodeId subscriber,
                  RepairedCopy& copy,
                  const Successor& successor,
                  Output& output) const;
    void Answer(NodeId subscriber,
                const Successor& successor,
                std::vector<Held> events,
                Output& output) const;
    /// @return whether what @p successor asks for may still come, of sessions before its own
    static bool Awaits(const RepairedCopy& copy, const Successor& successor);

    void AnswerObsolete(NodeId subscriber, const Successor& successor, Output& output) const;

    /// What was asked in @p session is not to be had any more.
    void Forgo(NodeId subscriber, Session session, Output& output);

    void TakeOver(NodeId from,
                  NodeId subscriber,
                  Session session,
                  const Neighbours& neighbours,
                  const std::vector<Held>& events,
                  Output& output);
    void DeleteAtNeighbours(NodeId subscriber,
                            const RepairedCopy& copy,
                            Delete::Why why,
                            Output& output) const;

    NodeId m_self;
    Options m_options;
    NeighbourGraph m_neighbours;
    CopyTable<RepairedCopy> m_copies;
};

} // namespace mftpubsub::handoff

#endif /* MFTPUBSUB_PROTOCOLS_HANDOFF_PRO_ACTIVE_R_H */
