/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_RECONFIGURATION_INFORMED_LINK_ACTIVATION_H
#define MFTPUBSUB_PROTOCOLS_RECONFIGURATION_INFORMED_LINK_ACTIVATION_H

#include "protocols/reconfiguration/deferred-unsub.h"

namespace mftpubsub::reconfiguration
{

/**
 * Informed link activation (C IV-B, figure 10; its figure 9 is rebuilt from the prose): as notified
 * deferred unsubscription, but the ends of the new link stay silent until the ends of the old one
 * have told them, out of band, which patterns only the lost neighbour wanted. Of these the new
 * neighbour hears only after T_s, if then somebody still wants them.
 *
 * The row of the lost neighbour stays in the table as a ghost, which counts as a subscriber and
 * gets no messages.
 */
class InformedLinkActivation : public DeferredUnsubNotified
{
  public:
    struct Options
    {
        bool hidesLost{
            false}; //!< no ghost: the row is out of the table, as in deferred unsubscription
        bool sendsFlush{true}; //!< else all rests on the timers, as C's figures 19 and 20 have it
    };

    InformedLinkActivation(NodeId self, TimerOptions timers, Options options);

    std::unique_ptr<Dispatcher> Clone() const override;
    bool IsAtRest() const override;

  protected:
    void LinkRemoved(NodeId neighbour, ReconfigurationId id, Actions& actions) override;
    void LinkAdded(NodeId neighbour, ReconfigurationId id, Actions& actions) override;
    void LinkSubstituted(const Substitution& substitution, Actions& actions) override;
    void Receive(NodeId from, const Message& message, Actions& actions) override;
    void TimerExpired(Timer timer, ReconfigurationId id, Actions& actions) override;

    void Defer(ReconfigurationId id, Lost lost) override;
    void UnsubscribeLost(ReconfigurationId id, const Lost& lost, Actions& actions) override;

    /// What a new neighbour has not been told yet.
    struct Withheld
    {
        NodeId neighbour{NO_NODE};
        uint32_t incarnation{0}; //!< of the link to it
        Patterns patterns;
    };

    /// Tells of @p withheld what is still wanted.
    virtual void SubscribeWithheld(const Withheld& withheld, Actions& actions);

  private:
    /// @return what nobody but the lost neighbour wants
    Patterns GetWantedByLostAlone(ReconfigurationId id) const;

    void ActivateLink(const Activate& activate, Actions& actions);

    Options m_options;
    uint32_t m_incarnations{0};               //!< of links so far
    std::map<NodeId, uint32_t> m_incarnation; //!< of each link that has come up and is there
    std::map<ReconfigurationId, Withheld> m_withheld;
};

} // namespace mftpubsub::reconfiguration

#endif /* MFTPUBSUB_PROTOCOLS_RECONFIGURATION_INFORMED_LINK_ACTIVATION_H */
