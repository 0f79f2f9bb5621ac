/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_SUBSCRIBER_LISTS_H
#define MFTPUBSUB_PROTOCOLS_MESH_SUBSCRIBER_LISTS_H

#include "content/node-id.h"

#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace mftpubsub::mesh
{

/// Subscribers, ascending. Many events are for the same ones.
using SubscriberList = std::shared_ptr<const std::vector<NodeId>>;

/// The lists of subscribers that are in use, each kept once.
class SubscriberLists
{
  public:
    SubscriberList Get(std::vector<NodeId> subscribers)
    {
        auto list = std::make_shared<const std::vector<NodeId>>(std::move(subscribers));
        if (const auto found = m_lists.find(list); found != m_lists.end())
        {
            return *found;
        }
        if (m_lists.size() >= m_most)
        {
            std::erase_if(m_lists, [](const auto& unused) { return unused.use_count() == 1; });
            m_most = 2 * m_lists.size() + LEAST;
        }
        return *m_lists.insert(std::move(list)).first;
    }

    /// @return how many it has, of which at most half and LEAST are not in use
    size_t Count() const
    {
        return m_lists.size();
    }

  private:
    static constexpr size_t LEAST = 16;

    struct Less
    {
        bool operator()(const SubscriberList& one, const SubscriberList& other) const
        {
            return *one < *other;
        }
    };

    std::set<SubscriberList, Less> m_lists;
    size_t m_most{LEAST};
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_SUBSCRIBER_LISTS_H */
