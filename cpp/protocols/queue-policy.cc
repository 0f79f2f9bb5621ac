/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/queue-policy.h"

#include <numeric>

namespace mftpubsub
{

BoundedQueue::BoundedQueue(size_t capacity, bool dropsNewest)
    : m_capacity(capacity),
      m_dropsNewest(dropsNewest)
{
}

std::vector<size_t>
BoundedQueue::Drop(const NodeView&, NodeId, const std::vector<QueuedEvent>& events)
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
ExpiringQueue::Drop(const NodeView&, NodeId, const std::vector<QueuedEvent>& events)
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

} // namespace mftpubsub
