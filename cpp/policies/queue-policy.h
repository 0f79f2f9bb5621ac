/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_POLICIES_QUEUE_POLICY_H
#define MFTPUBSUB_POLICIES_QUEUE_POLICY_H

#include "policies/policy.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace mftpubsub
{

/// An event in a queue, as a policy sees it.
struct QueuedEvent
{
    NodeId publisher{NO_NODE};
    uint32_t sequence{0}; //!< of the publisher's events
    double ageSeconds{0}; //!< since it was queued here
    uint32_t payloadBytes{0};
};

/**
 * What a broker may hold for a subscriber that it cannot reach. The sources hold everything. Asked
 * when an event has been queued and before a queue is replayed, with the subscriber and the events,
 * oldest first. Answers with the positions of those to be dropped, in any order.
 */
class QueuePolicy : public Policy<std::vector<size_t>(NodeId, const std::vector<QueuedEvent>&)>
{
  public:
    static const Makers<QueuePolicy> SHIPPED;

    /// @return for how long it keeps each event, s; 0 if it does not say
    virtual double GetPatienceSeconds() const
    {
        return 0;
    }
};

/// At most so many events for each subscriber.
class BoundedQueue : public QueuePolicy
{
  public:
    BoundedQueue(size_t capacity, bool dropsNewest);

    std::vector<size_t> Decide(const NodeView& me,
                               NodeId subscriber,
                               const std::vector<QueuedEvent>& events) override;

  private:
    size_t m_capacity;
    bool m_dropsNewest; //!< else the oldest
};

/// No event for longer than so long.
class ExpiringQueue : public QueuePolicy
{
  public:
    explicit ExpiringQueue(double maxAgeSeconds);

    std::vector<size_t> Decide(const NodeView& me,
                               NodeId subscriber,
                               const std::vector<QueuedEvent>& events) override;
    double GetPatienceSeconds() const override;

  private:
    double m_maxAgeSeconds;
};

/// How a broker keeps its queues.
struct QueueOptions
{
    std::shared_ptr<QueuePolicy> policy; //!< none: unbounded, as in the sources
    NodeDescriber describe;              //!< the broker, for the policy
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_POLICIES_QUEUE_POLICY_H */
