/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_SUBSCRIPTION_REGISTRY_H
#define MFTPUBSUB_HOSTS_SUBSCRIPTION_REGISTRY_H

#include "content/matcher.h"

#include <vector>

namespace mftpubsub
{

/**
 * Who holds which filters right now, known to the experimenter alone.
 *
 * It says who should get an event (the strict delivery rate), and it is the list of subscribers
 * that AODV's publishers are given (J 6).
 */
class SubscriptionRegistry
{
  public:
    void Subscribe(NodeId subscriber, const Filter& filter)
    {
        m_matcher.Insert(subscriber, filter);
    }

    void Unsubscribe(NodeId subscriber, const Filter& filter)
    {
        m_matcher.Remove(subscriber, filter);
    }

    /// @return the subscribers with a filter that matches @p event, ascending
    std::vector<NodeId> WhoWants(const Event& event) const
    {
        return m_matcher.Match(event);
    }

  private:
    Matcher m_matcher;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_SUBSCRIPTION_REGISTRY_H */
