/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_SUBSCRIBER_SETS_H
#define MFTPUBSUB_PROTOCOLS_MESH_SUBSCRIBER_SETS_H

#include "content/event.h"
#include "content/id-set.h"
#include "protocols/mesh/shared-values.h"

#include <memory>
#include <utility>

namespace mftpubsub::mesh
{

/// Subscribers. Many events are for the same ones.
using Subscribers = std::shared_ptr<const IdSet>;

/// An event, and who wants it as far as a broker knows.
struct Wanted
{
    EventId event;
    Subscribers by;
};

/// The sets of subscribers that a broker has for its events, each kept once. What becomes of a set
/// is worked out once where the same is asked several times in a row.
class SubscriberSets
{
  public:
    Subscribers Get(IdSet set)
    {
        return m_sets.Get(std::move(set));
    }

    /// @return @p set and @p more
    Subscribers Plus(const Subscribers& set, const IdSet& more)
    {
        return m_plus.Get(set, more, [this](const IdSet& before, const IdSet& change) {
            auto both = before;
            both.Insert(change);
            return m_sets.Get(std::move(both));
        });
    }

    /// @return @p set but for @p others
    Subscribers Minus(const Subscribers& set, const IdSet& others)
    {
        if (!set->HasAny(others))
        {
            return set;
        }
        return m_minus.Get(set, others, [this](const IdSet& before, const IdSet& change) {
            return m_sets.Get(before.Minus(change));
        });
    }

    /// @return of @p set those that are in @p others
    Subscribers And(const Subscribers& set, const IdSet& others)
    {
        return m_sets.Get(set->And(others));
    }

    size_t Count() const
    {
        return m_sets.Count();
    }

  private:
    struct HashOfSet
    {
        size_t operator()(const IdSet& set) const
        {
            return set.GetHash();
        }
    };

    /// What has become of a set by a change.
    class Change
    {
      public:
        template <typename Work>
        Subscribers Get(const Subscribers& before, const IdSet& by, Work&& work)
        {
            if (before != m_before || by != m_by)
            {
                m_before = before;
                m_by = by;
                m_after = work(*before, by);
            }
            return m_after;
        }

      private:
        Subscribers m_before;
        IdSet m_by;
        Subscribers m_after;
    };

    SharedValues<IdSet, HashOfSet> m_sets;
    Change m_plus;
    Change m_minus;
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_SUBSCRIBER_SETS_H */
