/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_FILTER_ANSWERS_H
#define MFTPUBSUB_PROTOCOLS_MESH_FILTER_ANSWERS_H

#include "content/event.h"
#include "content/filter.h"

#include <cstdint>
#include <map>
#include <optional>

namespace mftpubsub::mesh
{

/// Numbers of the first filters that a broker hears of. In large networks words with the same
/// filters come for minutes, and each asks all events.
class FilterNumbers
{
  public:
    static constexpr unsigned MOST = 32;

    /// @return none if there are too many
    std::optional<unsigned> Get(const Filter& filter)
    {
        const auto known = m_numbers.find(filter);
        if (known != m_numbers.end())
        {
            return known->second;
        }
        if (m_numbers.size() == MOST)
        {
            return {};
        }
        return m_numbers[filter] = static_cast<unsigned>(m_numbers.size());
    }

  private:
    std::map<Filter, unsigned> m_numbers;
};

/// What the filters with numbers have said of an event. To look at its content takes longer.
class FilterAnswers
{
  public:
    /// @return whether @p filter, of this @p number, matches @p event, which is always the same
    bool Ask(std::optional<unsigned> number, const Filter& filter, const Event& event)
    {
        if (!number)
        {
            return filter.Matches(event);
        }
        const auto bit = uint32_t{1} << *number;
        if ((m_asked & bit) == 0)
        {
            m_asked |= bit;
            m_matching |= filter.Matches(event) ? bit : 0;
        }
        return (m_matching & bit) != 0;
    }

  private:
    uint32_t m_asked{0};
    uint32_t m_matching{0};
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_FILTER_ANSWERS_H */
