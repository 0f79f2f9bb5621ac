/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_HANDOFF_MHH_H
#define MFTPUBSUB_PROTOCOLS_HANDOFF_MHH_H

#include "protocols/handoff/one-at-a-time.h"

namespace mftpubsub::handoff
{

/**
 * Multi-hop hand-off, in the spirit of Wang et al. 2006, of which only the aims are known: the
 * messages are ours. The subscription turns hop by hop towards the
 * new broker, and what is on the wrong side of the turn is caught and sent after.
 */
class Mhh : public OneAtATime
{
  public:
    Mhh(NodeId self, const Options& options);

    using OneAtATime::Handle;
    void Handle(Instant now, NodeId from, const TreeSub& sub, Output& output);
    void Handle(Instant now, NodeId from, const TreeUns& uns, Output& output);
    void Handle(Instant now, NodeId from, const MhReq& ask, Output& output);
    void Handle(Instant now, NodeId from, const Migrate& migrate, Output& output);
    void Handle(Instant now, NodeId from, const Flip& flip, Output& output);
    void Handle(Instant now, NodeId from, const Rep& rep, Output& output);
    void Handle(Instant now, NodeId from, const End& end, Output& output);

  protected:
    void Receive(Instant now, NodeId from, const Message& message, Output& output) override;

  private:
    void Spread(NodeId subscriber, Place& place, Output& output) override;
    void Withdraw(NodeId subscriber, Place& place, Output& output) override;
    void SendAsk(NodeId to, NodeId subscriber, const Ask& ask, Output& output) override;
    void Depart(NodeId subscriber, Place& place, const Ask& ask, Output& output) override;
    std::set<NodeId> Route(NodeId subscriber,
                           Place& place,
                           const Held& held,
                           Output& output) override;

    /// A broker on the way catches what still comes the old way (in temp).
    struct Turn
    {
        NodeId target{NO_NODE};
        NodeId next{NO_NODE};
        bool isUpstreamDone{false};
        bool isFlipped{false};
    };

    void TurnTowards(NodeId target, NodeId subscriber, bool isUpstreamDone, Output& output);
    void EndTurn(NodeId subscriber, Output& output);
    void GiveNew(NodeId subscriber, const std::vector<Held>& events, Output& output);

    std::map<NodeId, Turn> m_turns;
    std::map<NodeId, Consumed> m_seen; //!< in the present hand-off, or before
};

} // namespace mftpubsub::handoff

#endif /* MFTPUBSUB_PROTOCOLS_HANDOFF_MHH_H */
