/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_HANDOFF_PRO_ACTIVE_BROKER_H
#define MFTPUBSUB_PROTOCOLS_HANDOFF_PRO_ACTIVE_BROKER_H

#include "protocols/handoff/broker.h"
#include "protocols/handoff/neighbour-graph.h"

#include <map>
#include <set>

namespace mftpubsub::handoff
{

/**
 * What the pro-active schemes share (G 4.1, algorithm 1; handoff.md section 6): the neighbours of a
 * subscriber's broker have its filters, and store for it while it is away, each under the control
 * of the broker that activated it last (ctrl).
 *
 * Requests may carry sessions (pro-active-r). Where they carry none (as published), all sessions
 * are equal: both empty.
 */
class ProActiveBroker : public Broker
{
  public:
    std::optional<Instant> NextTimer() const override;
    std::vector<CopyView> GetCopies() const override;
    size_t CountHeld() const override;

    /// Case 8: drops @p subscriber if it is away, here and at the neighbours.
    void TimeOut(NodeId subscriber, Output& output);

    /// Adds an edge by hand: a subscriber has moved between here and @p broker.
    void AddNeighbour(Instant now, NodeId broker, Output& output);

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

  protected:
    void Receive(Instant now, NodeId from, const Message& message, Output& output) override;
    void LinkDown(Instant now, NodeId client, Output& output) override;
    void Expire(Instant now, Output& output) override;

    enum class State : uint8_t
    {
        PASSIVE, //!< filters known, no buffer
        ACTIVE,  //!< stores on behalf of `control`
        HOME,    //!< SERVING if connected, else AWAY: it was here last, and nobody has asked for it
        FETCHING, //!< it came to where no copy was: no filters yet
    };

    /// Who has the subscriber now, and asks for what is here.
    struct Successor
    {
        NodeId broker{NO_NODE};
        std::optional<Session> session;
        Neighbours neighbours; //!< its own
        Consumed last;
        bool need{false};
        bool isTransfer{false}; //!< it sent REMOVE and wants TRANSFER, not MOVED_ACK
    };

    /// Another broker, in a session of the subscriber.
    struct Peer
    {
        NodeId broker{NO_NODE};
        std::optional<Session> session;
    };

    /// What a predecessor answered.
    struct Answered
    {
        NodeId from{NO_NODE};
        std::optional<Session> session;
        Neighbours neighbours;
        std::vector<Held> events;
        bool isObsolete{false};
    };

    /// Where a broker stands that is asked for what it has.
    enum class Standing : uint8_t
    {
        CURRENT,  //!< the subscriber was there in the session before
        OBSOLETE, //!< the subscriber has been back there since, and this broker still awaits events
        GONE, //!< it has handed over since: the copies at its neighbours are others' to keep or end
    };

    struct SharedCopy : Copy
    {
        using Copy::Copy;
        State state{State::PASSIVE};
        std::optional<Session> session; //!< HOME: of the last connection; ACTIVE: of who activated
        NodeId control{NO_NODE};        //!< ACTIVE: who activated it, in `session`
        bool connected{false};
        bool complete{false}; //!< every event is here or consumed (ACTIVE: FORWARD has come)
        Consumed last;
        std::set<NodeId> told; //!< who was sent ACTIVATE, in session `toldSession`
        std::optional<Session> toldSession;
        std::set<NodeId> acked;            //!< who answered before the copy was complete
        std::vector<Successor> successors; //!< who waits until it is
        std::vector<Peer> askers;          //!< FETCHING: who waits for the filters
        Instant awaySince{0};

        // pro-active-r
        std::optional<Session> claimed; //!< newest session whose broker wants a copy here
        std::set<Session> awaited;      //!< sessions of the requests whose answers complete it
        std::vector<Peer> predecessors; //!< FETCHING: who is told MOVED once the filters are here

        /// @return whether older events are awaited, so that newer ones have to wait
        bool IsHolding() const;

        /// @return whether it is a neighbour's copy, which others control
        bool IsNeighbours() const;
    };

    /// @param first session of a new subscription; none: requests carry no sessions
    ProActiveBroker(NodeId self, const Options& options, std::optional<Session> first);

    /// @p reconnect came to @p copy, which is new or not; whom it had activated has been told.
    virtual void Reconnected(const Reconnect& reconnect,
                             SharedCopy& copy,
                             bool isNew,
                             Output& output) = 0;

    /// @p from has answered FETCH.
    virtual void Fetched(Instant now,
                         NodeId from,
                         const Subs& subs,
                         SharedCopy& copy,
                         Output& output) = 0;

    /// Case 4: the subscriber is at @p successor.
    virtual void Succeed(NodeId subscriber, const Successor& successor, Output& output) = 0;

    /// Case 5, second half.
    virtual void TakeOver(NodeId subscriber, const Answered& answered, Output& output) = 0;

    /// @return who may store for the subscriber of @p copy on behalf of this broker
    virtual std::set<NodeId> GetStoring(const SharedCopy& copy) const;

    /// Case 2
    void Leave(Instant now, NodeId subscriber, SharedCopy& copy, Output& output);

    void DeactivateTold(NodeId subscriber, SharedCopy& copy, Output& output) const;
    void DeliverBuffer(NodeId subscriber, SharedCopy& copy, Output& output) const;

    /// FETCHING ends: the filters have come.
    void TellAskers(NodeId subscriber, SharedCopy& copy, Output& output) const;

    /// Gives @p events to @p successor, and stops storing here and at the neighbours.
    void HandOver(NodeId subscriber,
                  SharedCopy& copy,
                  const Successor& successor,
                  const std::vector<Held>& events,
                  Output& output) const;

    /// Stops storing at @p brokers; those that are not among @p kept, another's neighbours, forget.
    static void LetGo(NodeId subscriber,
                      std::optional<Session> session,
                      const std::set<NodeId>& brokers,
                      const Neighbours& kept,
                      Output& output);

    void Answer(NodeId subscriber,
                const Successor& successor,
                std::vector<Held> events,
                Output& output,
                Standing standing = Standing::CURRENT) const;

    /// The awaited events @p given are here. @return all that the subscriber has to get, by id
    static std::vector<Held> Complete(SharedCopy& copy, const std::vector<Held>& given);

    /// Delivers or stores @p events, and forwards them to those who store too.
    void Release(NodeId subscriber,
                 SharedCopy& copy,
                 const std::vector<Held>& events,
                 Output& output) const;

    /// Gives the filters to the neighbours that have none of @p predecessor, whose are @p others.
    void SubscribeNeighbours(NodeId subscriber,
                             const SharedCopy& copy,
                             NodeId predecessor,
                             const Neighbours& others,
                             Output& output) const;

    /// Stops storing at a neighbour's copy.
    static void Pacify(SharedCopy& copy);

    /// Nobody of @p session or an older one wants the copy here any more.
    void EndClaims(NodeId subscriber, std::optional<Session> session);

    /// Drops a neighbour's copy that stores nothing and that nobody claims any more.
    void Tidy(NodeId subscriber);

    NodeId m_self;
    Options m_options;
    NeighbourGraph m_neighbours;
    CopyTable<SharedCopy> m_copies;

  private:
    /// Stores from now on on behalf of @p control, and says so.
    void Store(NodeId control,
               NodeId subscriber,
               SharedCopy& copy,
               std::optional<Session> session,
               Output& output) const;

    void DeleteAtNeighbours(NodeId subscriber,
                            const SharedCopy& copy,
                            Delete::Why why,
                            Output& output) const;

    /// The newest sessions that are over for the copy here. Hand-offs overlap, and stored events
    /// may be slower than the rest: what was said in them before may still come.
    struct Ended
    {
        std::optional<Session> storing;  //!< its broker has deactivated the copy
        std::optional<Session> claiming; //!< its broker has let go of the copy
    };

    /// @return whether requests of @p session come too late, by what @p what says
    bool IsOver(NodeId subscriber,
                std::optional<Session> session,
                std::optional<Session> Ended::* what) const;

    std::optional<Session> m_first;  //!< of a new subscription
    std::map<NodeId, Ended> m_ended; //!< pro-active-r, by subscriber
};

} // namespace mftpubsub::handoff

#endif /* MFTPUBSUB_PROTOCOLS_HANDOFF_PRO_ACTIVE_BROKER_H */
