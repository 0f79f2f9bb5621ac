/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "policies/queue-policy.h"

#include <numeric>

namespace mftpubsub
{

namespace
{

/// @return a maker of a queue with a capacity
auto
Bounded(bool dropsNewest)
{
    return [=](const PolicyParameters& parameters) {
        const auto capacity = static_cast<size_t>(Find(parameters, "capacity"));
        return std::make_shared<BoundedQueue>(capacity, dropsNewest);
    };
}

} // namespace

const Makers<QueuePolicy> QueuePolicy::SHIPPED{
    {"unbounded", [](const PolicyParameters&) { return nullptr; }},
    {"drop-oldest", Bounded(false)},
    {"drop-newest", Bounded(true)},
    {"expiry", Make<ExpiringQueue>("max_age")},
};

BoundedQueue::BoundedQueue(size_t capacity, bool dropsNewest)
    : m_capacity(capacity),
      m_dropsNewest(dropsNewest)
{
}

std::vector<size_t>
BoundedQueue::Decide(const NodeView&, NodeId, const std::vector<QueuedEvent>& events)
{
    std::vector<size_t> dropped(events.size() > m_capacity ? events.size() - m_capacity : 0);
    std::iota(dropped.begin(), dropped.end(), m_dropsNewest ? m_capacity : 0);
    return dropped;
}

ExpiringQueue::ExpiringQueue(double maxAgeSeconds)
    : m_maxAgeSeconds(maxAgeSeconds)
{
}

std::vector<size_t>
ExpiringQueue::Decide(const NodeView&, NodeId, const std::vector<QueuedEvent>& events)
{
    std::vector<size_t> dropped;
    for (size_t i = 0; i < events.size(); ++i)
    {
        if (events[i].ageSeconds > m_maxAgeSeconds)
        {
            dropped.push_back(i);
        }
    }
    return dropped;
}

double
ExpiringQueue::GetPatienceSeconds() const
{
    return m_maxAgeSeconds;
}

} // namespace mftpubsub
