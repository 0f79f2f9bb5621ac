/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_HANDOFF_REBECA_H
#define MFTPUBSUB_PROTOCOLS_HANDOFF_REBECA_H

#include "protocols/handoff/tree-broker.h"

#include <deque>

namespace mftpubsub::handoff
{

/**
 * REBECA's virtual counterpart (Fiege, Zeidler et al. 2003), over
 * advertisements: subscriptions go towards publishers only, so the new broker need not know of the
 * subscriber, and looks for the old path where an advertisement came from.
 *
 * SUBMOVE and FETCH reverse the entries that they follow; what passed a broker before FETCH is at
 * the counterpart before FETCH is. They wait where a subscriber is expected (rule 0.2); a FETCH
 * that is late is served, and answered with a FETCH by the broker that has the client. REPLAY takes
 * the way of a unicast: in a tree that is along the entries.
 */
class Rebeca : public TreeBroker
{
  public:
    Rebeca(NodeId self, const Options& options);

    using TreeBroker::Handle;
    void Handle(Instant now, NodeId from, const Adv& adv, Output& output);
    void Handle(Instant now, NodeId from, const TreeSub& sub, Output& output);
    void Handle(Instant now, NodeId from, const TreeUns& uns, Output& output);
    void Handle(Instant now, NodeId from, const SubMove& move, Output& output);
    void Handle(Instant now, NodeId from, const FetchReplay& fetch, Output& output);
    void Handle(Instant now, NodeId from, const Replay& replay, Output& output);

  protected:
    void Receive(Instant now, NodeId from, const Message& message, Output& output) override;

  private:
    void Spread(NodeId subscriber, Place& place, Output& output) override;
    void Withdraw(NodeId subscriber, Place& place, Output& output) override;
    void Arrive(Place& place, const Reconnect& reconnect, Output& output) override;

    /// Who asked, and from which neighbour that came.
    struct Request
    {
        NodeId from{NO_NODE};
        Ask ask;
    };

    std::set<NodeId> Directions(NodeId except) const;

    /// The first subscription comes from @p from, after the SUBMOVE that was to find it.
    void Meet(NodeId from, NodeId subscriber, Output& output);

    void TakeUp(NodeId subscriber, const Request& request, Output& output);
    void HandOver(NodeId subscriber, Place& place, const Request& request, Output& output);

    std::map<NodeId, NodeId> m_advertised; //!< neighbour that the advertisement came from
    std::map<NodeId, std::deque<Request>> m_waiting;
    std::map<NodeId, Ask> m_searching; //!< whose SUBMOVE has met no old path here
};

} // namespace mftpubsub::handoff

#endif /* MFTPUBSUB_PROTOCOLS_HANDOFF_REBECA_H */
