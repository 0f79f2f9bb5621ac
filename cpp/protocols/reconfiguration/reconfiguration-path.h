/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_RECONFIGURATION_RECONFIGURATION_PATH_H
#define MFTPUBSUB_PROTOCOLS_RECONFIGURATION_RECONFIGURATION_PATH_H

#include "protocols/reconfiguration/subscription-forwarding.h"

#include <map>

namespace mftpubsub::reconfiguration
{

/**
 * Reconfiguration path (C IV-C, figure 11): a message REC walks from A, an end of the old link,
 * over the new link C-D to B, the other end, and mends the tables of the dispatchers on its way.
 * The steps 1a to 8 are the figure's.
 *
 * Reconfigurations must not overlap, and a link must not replace itself.
 */
class ReconfigurationPath : public SubscriptionForwarding
{
  public:
    using SubscriptionForwarding::SubscriptionForwarding;

    std::unique_ptr<Dispatcher> Clone() const override;

    bool IsAtRest() const override;

  protected:
    /// What replaces the link will mend the tables: only a link without replacement is removed.
    void LinkRemoved(NodeId neighbour, ReconfigurationId id, Actions& actions) override;
    void LinkAdded(NodeId neighbour, ReconfigurationId id, Actions& actions) override;
    void LinkSubstituted(const Substitution& substitution, Actions& actions) override;
    void Receive(NodeId from, const Message& message, Actions& actions) override;

    /// @return whether @p from sends an UNSUB before it has read this dispatcher's REC
    virtual bool IsIgnored(NodeId from, Pattern pattern) const;

    /// @return what of @p removed the next dispatcher need not hear of from here any more
    virtual Patterns SelectRemoved(const Patterns& removed, NodeId next) const;

    /// Step 4, at D: what was added at C for nobody's sake.
    virtual void UnsubscribeUnwanted(NodeId head, const Patterns& added, Actions& actions);

    /// Step 8, at D: what C has not been told of by REC.
    virtual void SubscribeMissed(NodeId head, const Patterns& told, Actions& actions);

  private:
    void HandleRec(NodeId from, const Rec& rec, Actions& actions);
    void HandleInHead(NodeId from, NodeId next, const Rec& rec, Actions& actions);
    void HandleInTail(NodeId from, const Rec& rec, Actions& actions);
    void HandleFlush(Subscriber from, const Flush& flush, Actions& actions);

    /// What the next dispatcher was told to take out, until it has read so.
    struct Ignored
    {
        NodeId next{NO_NODE};
        Patterns patterns;
    };

    std::map<ReconfigurationId, Ignored> m_ignored;
    std::map<ReconfigurationId, Patterns> m_stored; //!< at D: what C knows of from REC
};

} // namespace mftpubsub::reconfiguration

#endif /* MFTPUBSUB_PROTOCOLS_RECONFIGURATION_RECONFIGURATION_PATH_H */
