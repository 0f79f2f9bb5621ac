/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PUBSUB_EVENT_QUEUES_H
#define MFTPUBSUB_PUBSUB_EVENT_QUEUES_H

#include "pubsub/broker.h"

#include <map>
#include <set>
#include <vector>

namespace mftpubsub
{

/// Q_i: the undelivered events that a broker holds, a queue for each subscriber, unbounded.
class EventQueues
{
  public:
    void Enqueue(NodeId subscriber, const EventPtr& event);

    /**
     * Enqueues the events of a PUB or REP that could not be delivered; other messages have none.
     *
     * @return the subscribers concerned, ascending
     */
    std::set<NodeId> TakeBack(const Message& undelivered);

    /// @return the events held for @p subscriber, oldest first; its queue is empty afterwards
    std::vector<EventPtr> Take(NodeId subscriber);

    /// Sends the events held for @p subscriber to @p to as one REP (T 4.3), if there are any.
    void Replay(NodeId subscriber, NodeId to, BrokerOutput& output);

    /// @return the non-empty queues, by ascending subscriber
    std::vector<QueueView> GetView() const;

  private:
    std::map<NodeId, std::vector<EventPtr>> m_queues;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_PUBSUB_EVENT_QUEUES_H */
