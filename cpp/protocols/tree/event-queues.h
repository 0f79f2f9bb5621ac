/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_TREE_EVENT_QUEUES_H
#define MFTPUBSUB_PROTOCOLS_TREE_EVENT_QUEUES_H

#include "policies/queue-policy.h"
#include "protocols/tree/broker.h"

#include <map>
#include <set>
#include <vector>

namespace mftpubsub
{

/// Q_i: the undelivered events that a broker holds, a queue for each subscriber, as long as its
/// policy lets it.
class EventQueues
{
  public:
    /// An event in a queue.
    struct Held
    {
        EventPtr event;
        uint32_t timestamp{0};        //!< Phoenix's
        int64_t queuedNanoseconds{0}; //!< simulated time at which it came
    };

    explicit EventQueues(QueueOptions options = {});

    void Enqueue(NodeId subscriber,
                 const EventPtr& event,
                 BrokerOutput& output,
                 uint32_t timestamp = 0);

    /**
     * Enqueues the events of a PUB or REP that could not be delivered; other messages have none.
     *
     * @return the subscribers concerned, ascending
     */
    std::set<NodeId> TakeBack(const Message& undelivered, BrokerOutput& output);

    /// @return what is held for @p subscriber, oldest first; its queue is empty afterwards
    std::vector<Held> Take(NodeId subscriber, BrokerOutput& output);

    /// Lets go of what @p subscriber has, as @p has says.
    void Settle(NodeId subscriber, const RecentEvents& has);

    /// Sends the events held for @p subscriber to @p to as one REP (T 4.3), if there are any.
    void Replay(NodeId subscriber, NodeId to, BrokerOutput& output);

    /// @return the non-empty queues, by ascending subscriber
    std::vector<QueueView> GetView() const;

    /// @return the events in all queues
    size_t Count() const;

    /// @return the timestamps in all queues, as text
    std::string GetTimestamps() const;

  private:
    void ApplyPolicy(NodeId subscriber, BrokerOutput& output);

    QueueOptions m_options;
    std::map<NodeId, std::vector<Held>> m_queues;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_PROTOCOLS_TREE_EVENT_QUEUES_H */
