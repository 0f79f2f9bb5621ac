/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_RUN_SUBSCRIPTIONS_H
#define MFTPUBSUB_RUN_SUBSCRIPTIONS_H

#include "content/event.h"
#include "content/filter.h"
#include "hosts/subscription-registry.h"
#include "scenario/scenario.h"

#include <functional>
#include <set>
#include <vector>

namespace mftpubsub
{

/**
 * Who wants what, as a run goes: tells subscribers what to subscribe to and to unsubscribe from at
 * the scenario's times, and knows who should get an event.
 *
 * A node that is down is told when it is up again; until then it counts with what it wanted. One
 * that is absent wants nothing.
 */
class Subscriptions
{
  public:
    /// What a network does for subscriptions that change.
    struct Handlers
    {
        std::function<bool(NodeId)> isDown;
        std::function<void(NodeId, const Filter&)> subscribe;
        std::function<void(NodeId, const Filter&)> unsubscribe;
    };

    /// The nodes' own filters are held from the beginning, whether or not somebody has been told.
    Subscriptions(const Scenario& scenario, Handlers handlers);

    Subscriptions(const Subscriptions&) = delete;
    Subscriptions& operator=(const Subscriptions&) = delete;

    /// @return the subscribers with a filter that matches @p event, ascending
    std::vector<NodeId> WhoWants(const Event& event) const
    {
        return m_registry.WhoWants(event);
    }

    /// @p node unsubscribes from all, until Come.
    void Leave(NodeId node);

    /// @p node is there from now on, and has the filters that it had when it left, or newer ones.
    void Come(NodeId node);

    /// @p node is up again.
    void Restarted(NodeId node);

  private:
    struct Wishes
    {
        std::set<Filter> held;   //!< that its protocol knows of
        std::set<Filter> wanted; //!< that it is to have
        bool isAbsent{false};
    };

    void Update(NodeId node);

    Handlers m_handlers;
    SubscriptionRegistry m_registry;
    std::vector<Wishes> m_wishes; //!< by node
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_RUN_SUBSCRIPTIONS_H */
