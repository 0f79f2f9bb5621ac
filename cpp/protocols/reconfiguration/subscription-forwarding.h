/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_RECONFIGURATION_SUBSCRIPTION_FORWARDING_H
#define MFTPUBSUB_PROTOCOLS_RECONFIGURATION_SUBSCRIPTION_FORWARDING_H

#include "protocols/reconfiguration/dispatcher.h"

namespace mftpubsub::reconfiguration
{

/**
 * Subscription forwarding (C III-A, figure 2): the base of all protocols that repair tables.
 *
 * Subscribers of a pattern are those with a row for it: neighbours, LOCAL, ghosts. The first one of
 * a pattern is told to all neighbours but itself, the second one to the first; likewise backwards.
 * On a tree at rest the row for a neighbour u holds what anybody but this dispatcher wants at u.
 */
class SubscriptionForwarding : public Dispatcher
{
  public:
    using Dispatcher::Dispatcher;

  protected:
    void Receive(NodeId from, const Message& message, Actions& actions) override;
    void ClientSubscribe(Pattern pattern, Actions& actions) override;
    void ClientUnsubscribe(Pattern pattern, Actions& actions) override;
    void Publish(const PublicationPtr& publication, Actions& actions) override;

    void Subscribe(Subscriber from, Pattern pattern, Actions& actions);
    void Unsubscribe(Subscriber from, Pattern pattern, Actions& actions);

    /// Takes <from, pattern> out of the table and tells who needs to know (C figure 2's
    /// processUnsub).
    void ProcessUnsub(Subscriber from, Pattern pattern, Actions& actions);

    /// C III-B's removeLinkTo: all patterns of @p neighbour are unsubscribed at once.
    void RemoveLinkTo(NodeId neighbour, Actions& actions);

    /// C III-B's addLinkTo: @p neighbour is told of all that others than itself want.
    void AddLinkTo(NodeId neighbour, Actions& actions);

  private:
    void Forward(Subscriber from, const PublicationPtr& publication, Actions& actions) const;

    /// Tells whoever sees the number of subscribers of a pattern pass between none, one and two.
    template <typename M>
    void Announce(const std::vector<Subscriber>& others,
                  Subscriber from,
                  const M& message,
                  Actions& actions) const;
};

} // namespace mftpubsub::reconfiguration

#endif /* MFTPUBSUB_PROTOCOLS_RECONFIGURATION_SUBSCRIPTION_FORWARDING_H */
