/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_DEADLINES_H
#define MFTPUBSUB_PROTOCOLS_MESH_DEADLINES_H

#include "protocols/mesh/options.h"

#include <map>
#include <set>
#include <utility>

namespace mftpubsub::mesh
{

/// When each of some things is due. The earliest is known at once, as it is asked for at every
/// frame that is heard.
template <typename Key>
class Deadlines
{
  public:
    /// @p key is due at @p at, whatever was set before.
    void Set(const Key& key, Instant at)
    {
        const auto [found, isNew] = m_at.try_emplace(key, at);
        if (!isNew)
        {
            m_order.erase({found->second, key});
            found->second = at;
        }
        m_order.emplace(at, key);
    }

    void Erase(const Key& key)
    {
        if (const auto found = m_at.find(key); found != m_at.end())
        {
            m_order.erase({found->second, key});
            m_at.erase(found);
        }
    }

    bool Contains(const Key& key) const
    {
        return m_at.contains(key);
    }

    /// @return when the first is due; NEVER if there is none
    Instant GetEarliest() const
    {
        return m_order.empty() ? NEVER : m_order.begin()->first;
    }

    /// @return what is due when, by key; what is there may be set anew while it is gone through
    const std::map<Key, Instant>& Get() const
    {
        return m_at;
    }

  private:
    std::map<Key, Instant> m_at;
    std::set<std::pair<Instant, Key>> m_order;
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_DEADLINES_H */
