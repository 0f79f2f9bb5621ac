/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_OWN_STATION_TIMERS_H
#define MFTPUBSUB_PROTOCOLS_OWN_STATION_TIMERS_H

#include "content/instant.h"
#include "protocols/mesh/options.h"

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

namespace mftpubsub::mesh
{

/// Timers of a station that may go off at one time, as in Python (protocols/given.py).
constexpr int MOST_AT_ONCE = 100'000;

/// Timers by a key each; those of one instant go off in the order in which they were set.
class StationTimers
{
  public:
    /// A timer of that key that was set before moves.
    void Set(uint64_t key, Instant at)
    {
        Cancel(key);
        m_places[key] = m_queue.emplace(std::pair(at, m_count++), key).first->first;
    }

    void Cancel(uint64_t key)
    {
        if (const auto found = m_places.find(key); found != m_places.end())
        {
            m_queue.erase(found->second);
            m_places.erase(found);
        }
    }

    /// @return the key of a timer that is due, which is over, if there is one
    std::optional<uint64_t> TakeDue(Instant now)
    {
        if (NextDue() > now)
        {
            return std::nullopt;
        }
        const auto key = m_queue.begin()->second;
        Cancel(key);
        return key;
    }

    /// @return when the first one is due; NEVER if there is none
    Instant NextDue() const
    {
        return m_queue.empty() ? NEVER : m_queue.begin()->first.first;
    }

  private:
    using Place = std::pair<Instant, uint64_t>; //!< when, and how many were set before

    std::map<Place, uint64_t> m_queue;
    std::unordered_map<uint64_t, Place> m_places;
    uint64_t m_count{0};
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_OWN_STATION_TIMERS_H */
