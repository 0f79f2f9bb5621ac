/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_RECONFIGURATION_DEFERRED_UNSUB_H
#define MFTPUBSUB_PROTOCOLS_RECONFIGURATION_DEFERRED_UNSUB_H

#include "protocols/reconfiguration/subscription-forwarding.h"

#include <map>

namespace mftpubsub::reconfiguration
{

/**
 * Timed deferred unsubscription (C IV-A.1, figure 7): what was behind a lost link is unsubscribed
 * only after T_u, in the hope that it has come back over another link by then. Until then its row
 * is out of the table.
 *
 * It departs from figure 7 where that fails: the timer leaves alone what the same neighbour has
 * subscribed to anew, and only a dispatcher that still has a neighbour has anybody to tell later.
 */
class DeferredUnsubTimed : public SubscriptionForwarding
{
  public:
    using SubscriptionForwarding::SubscriptionForwarding;

    std::unique_ptr<Dispatcher> Clone() const override;
    bool IsAtRest() const override;
    bool NeedsPattern(Pattern pattern) const override;
    std::string GetDigest() const override;

  protected:
    void LinkRemoved(NodeId neighbour, ReconfigurationId id, Actions& actions) override;
    void LinkAdded(NodeId neighbour, ReconfigurationId id, Actions& actions) override;
    void TimerExpired(Timer timer, ReconfigurationId id, Actions& actions) override;

    /// A neighbour that was lost and what it wanted.
    struct Lost
    {
        NodeId neighbour{NO_NODE};
        Patterns patterns;
    };

    /// Keeps @p lost until its unsubscriptions are due.
    virtual void Defer(ReconfigurationId id, Lost lost);

    /// Sends the unsubscriptions of @p lost.
    virtual void UnsubscribeLost(ReconfigurationId id, const Lost& lost, Actions& actions);

    /// @return whether @p neighbour, lost and linked again, has subscribed to @p pattern again
    virtual bool HasReturned(NodeId neighbour, Pattern pattern) const;

    /// Sends what waits for a reconfiguration, if anything does.
    void EndDeferral(ReconfigurationId id, Actions& actions);

    /// Several of one reconfiguration are of links that nothing will replace.
    std::multimap<ReconfigurationId, Lost> m_pending;
};

/**
 * Notified deferred unsubscription (C IV-A.2; its figure 8 is rebuilt from the prose): each end of
 * the new link sends FLUSH behind its subscriptions, which tells the end of the old link in the
 * other part that they have passed. T_u is the fall-back.
 */
class DeferredUnsubNotified : public DeferredUnsubTimed
{
  public:
    using DeferredUnsubTimed::DeferredUnsubTimed;

    std::unique_ptr<Dispatcher> Clone() const override;

  protected:
    void LinkAdded(NodeId neighbour, ReconfigurationId id, Actions& actions) override;
    void Receive(NodeId from, const Message& message, Actions& actions) override;
};

} // namespace mftpubsub::reconfiguration

#endif /* MFTPUBSUB_PROTOCOLS_RECONFIGURATION_DEFERRED_UNSUB_H */
