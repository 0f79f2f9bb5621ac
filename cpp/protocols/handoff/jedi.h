/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_HANDOFF_JEDI_H
#define MFTPUBSUB_PROTOCOLS_HANDOFF_JEDI_H

#include "protocols/handoff/one-at-a-time.h"

namespace mftpubsub::handoff
{

/**
 * JEDI's moveOut and moveIn (Cugola et al.): a tree with a root.
 *
 * Subscriptions go up until they meet one of the same subscriber, publications up to the root and
 * down along entries. The new broker fetches the filters, builds the path, and only then are the
 * events fetched and the old path taken down. A link that breaks unannounced is not noticed,
 * unless `implicitMoveOut`.
 */
class Jedi : public OneAtATime
{
  public:
    Jedi(NodeId self, const Options& options);

    using OneAtATime::Handle;
    void Handle(Instant now, NodeId from, const Pub& pub, Output& output);
    void Handle(Instant now, NodeId from, const TreeSub& sub, Output& output);
    void Handle(Instant now, NodeId from, const TreeUns& uns, Output& output);
    void Handle(Instant now, NodeId from, const GetState& ask, Output& output);
    void Handle(Instant now, NodeId from, const State1& state, Output& output);
    void Handle(Instant now, NodeId from, const SubOk& ok, Output& output);
    void Handle(Instant now, NodeId from, const Release& release, Output& output);
    void Handle(Instant now, NodeId from, const State2& state, Output& output);

  protected:
    void Receive(Instant now, NodeId from, const Message& message, Output& output) override;

  private:
    void Spread(NodeId subscriber, Place& place, Output& output) override;
    void Withdraw(NodeId subscriber, Place& place, Output& output) override;
    void SendAsk(NodeId to, NodeId subscriber, const Ask& ask, Output& output) override;
    void Depart(NodeId subscriber, Place& place, const Ask& ask, Output& output) override;

    /// No event for @p subscriber is wanted here: takes the path to here down.
    void Leave(NodeId subscriber, Place& place, Output& output);

    NodeId m_parent;
    std::map<NodeId, NodeId> m_sources; //!< old broker, by subscriber that arrives
};

} // namespace mftpubsub::handoff

#endif /* MFTPUBSUB_PROTOCOLS_HANDOFF_JEDI_H */
