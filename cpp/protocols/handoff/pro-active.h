/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_HANDOFF_PRO_ACTIVE_H
#define MFTPUBSUB_PROTOCOLS_HANDOFF_PRO_ACTIVE_H

#include "protocols/handoff/broker.h"
#include "protocols/handoff/neighbour-graph.h"

#include <set>

namespace mftpubsub::handoff
{

/**
 * The pro-active scheme as published (G 4.1, algorithm 1; handoff.md section 6): the neighbours of
 * a subscriber's broker have its filters, and store for it while it is away, each under the control
 * of the broker that activated it last (ctrl).
 *
 * The completion mark (R14), `hold` and `onward` are ours. Requests carry no session: what
 * overlapping hand-offs may lose (R20) is lost here.
 */
class ProActive : public Broker
{
  public:
    ProActive(NodeId self, const Options& options);

    void Receive(Instant now, NodeId from, const Message& message, Output& output) override;
    void LinkDown(Instant now, NodeId client, Output& output) override;
    std::optional<Instant> NextTimer() const override;
    void Expire(Instant now, Output& output) override;
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

  private:
    enum class State : uint8_t
    {
        PASSIVE,  //!< filters known, no buffer
        ACTIVE,   //!< stores on behalf of `control`
        SERVING,  //!< the subscriber is here
        AWAY,     //!< it was here last, and is gone
        FETCHING, //!< it came to where no copy was
    };

    /// Who has the subscriber now, and asks for what is here.
    struct Successor
    {
        NodeId broker{NO_NODE};
        Neighbours neighbours; //!< its own
        Consumed last;
        bool need{false};
        bool isTransfer{false}; //!< it sent REMOVE and wants TRANSFER, not MOVED_ACK
    };

    struct ProActiveCopy : Copy
    {
        using Copy::Copy;
        State state{State::PASSIVE};
        NodeId control{NO_NODE};
        bool complete{false};  //!< ACTIVE: FORWARD has come
        bool hold{false};      //!< SERVING, AWAY: older events are awaited
        bool connected{false}; //!< FETCHING: the subscriber has not left again
        Consumed last;
        std::set<NodeId> told;  //!< who was sent ACTIVATE
        std::set<NodeId> acked; //!< who answered while `hold`
        std::optional<Successor> onward;
        std::optional<NodeId> asker;
        Instant awaySince{0};
    };

    void Leave(Instant now, NodeId subscriber, ProActiveCopy& copy, Output& output);
    void DeactivateTold(NodeId subscriber, ProActiveCopy& copy, Output& output) const;
    void DeliverBuffer(NodeId subscriber, ProActiveCopy& copy, Output& output) const;
    void Succeed(Instant now, NodeId subscriber, const Successor& successor, Output& output);
    void HandOver(NodeId subscriber,
                  ProActiveCopy& copy,
                  const Successor& successor,
                  const std::vector<Held>& events,
                  Output& output) const;
    void Answer(NodeId subscriber,
                const Successor& successor,
                const std::vector<Held>& events,
                Output& output) const;
    void TakeOver(NodeId from,
                  NodeId subscriber,
                  const Neighbours& neighbours,
                  const std::vector<Held>& events,
                  Output& output);
    void Release(NodeId subscriber,
                 ProActiveCopy& copy,
                 const std::vector<Held>& events,
                 Output& output) const;
    void DeleteAtNeighbours(NodeId subscriber, Delete::Why why, Output& output) const;

    NodeId m_self;
    Options m_options;
    NeighbourGraph m_neighbours;
    CopyTable<ProActiveCopy> m_copies;
};

} // namespace mftpubsub::handoff

#endif /* MFTPUBSUB_PROTOCOLS_HANDOFF_PRO_ACTIVE_H */
