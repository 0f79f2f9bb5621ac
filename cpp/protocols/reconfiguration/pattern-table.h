/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_RECONFIGURATION_PATTERN_TABLE_H
#define MFTPUBSUB_PROTOCOLS_RECONFIGURATION_PATTERN_TABLE_H

#include "protocols/reconfiguration/messages.h"

#include <vector>

namespace mftpubsub::reconfiguration
{

/// Whom a row of a table is for: a neighbour by its id, LOCAL, or a ghost.
using Subscriber = uint32_t;

/// All clients of a dispatcher together.
inline constexpr Subscriber LOCAL = 0x10000;

/// A neighbour that has gone, as long as its unsubscriptions wait.
constexpr Subscriber
Ghost(ReconfigurationId reconfiguration)
{
    return 0x20000 + reconfiguration;
}

constexpr bool
IsNeighbour(Subscriber subscriber)
{
    return subscriber < LOCAL;
}

/// Who subscribes to what: the set of <n, p> of C's figure 2.
class PatternTable
{
  public:
    /// @return false if it was there
    bool Add(Subscriber subscriber, Pattern pattern);

    /// @return false if it was not there
    bool Remove(Subscriber subscriber, Pattern pattern);

    /// @return the patterns that @p subscriber had
    Patterns RemoveRow(Subscriber subscriber);

    bool Has(Subscriber subscriber, Pattern pattern) const;

    /// @return the subscribers of @p pattern, ascending
    const std::vector<Subscriber>& GetSubscribers(Pattern pattern) const;

    /// @return whether somebody else than @p subscriber subscribes to @p pattern
    bool IsKnown(Pattern pattern, Subscriber subscriber) const;

    /// @return the patterns that somebody else than @p subscriber subscribes to: known(self, n)
    Patterns GetKnown(Subscriber subscriber) const;

    /// @return the patterns of @p subscriber
    Patterns GetRow(Subscriber subscriber) const;

    /// @return whose rows are not empty, ascending
    std::vector<Subscriber> GetRows() const;

  private:
    /// @return the patterns for which @p condition holds of their subscribers
    template <typename Condition>
    Patterns Select(Condition condition) const;

    std::vector<std::vector<Subscriber>> m_subscribers; //!< ascending, by pattern
};

} // namespace mftpubsub::reconfiguration

#endif /* MFTPUBSUB_PROTOCOLS_RECONFIGURATION_PATTERN_TABLE_H */
