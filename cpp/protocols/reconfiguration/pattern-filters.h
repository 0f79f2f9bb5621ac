/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_RECONFIGURATION_PATTERN_FILTERS_H
#define MFTPUBSUB_PROTOCOLS_RECONFIGURATION_PATTERN_FILTERS_H

#include "content/matcher.h"
#include "protocols/reconfiguration/messages.h"

#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace mftpubsub::reconfiguration
{

/**
 * The filters that a dispatcher knows, as C's patterns: numbered as they come.
 *
 * Filters that nobody needs are forgotten, and others get their numbers, when twice as many are
 * known as were needed the last time. So a filter that soon comes back keeps its number, by which
 * messages are ordered.
 */
class PatternFilters
{
  public:
    PatternFilters() = default;
    PatternFilters(const PatternFilters& other);
    PatternFilters& operator=(const PatternFilters&) = delete;

    /// @param isNeeded asked of each pattern where some have to be forgotten
    Pattern Number(const Filter& filter, const std::function<bool(Pattern)>& isNeeded);

    /// @return the filter with the number @p pattern
    const Filter& Get(Pattern pattern) const;

    /// @return the patterns whose filters @p event matches
    Patterns Match(const mftpubsub::Event& event) const;

    /// @return all of it, as text
    std::string GetDigest() const;

  private:
    static constexpr size_t SPARE = 64; //!< so many are never forgotten
    static constexpr size_t NUMBERS = size_t{1} + std::numeric_limits<Pattern>::max();

    void Forget(const std::function<bool(Pattern)>& isNeeded);

    std::vector<Filter> m_filters; //!< by pattern
    std::map<Filter, Pattern> m_patterns;
    std::set<Pattern> m_free; //!< of forgotten filters
    size_t m_most{SPARE};     //!< known at a time, until some are forgotten
    Matcher m_matcher;        //!< of patterns
};

} // namespace mftpubsub::reconfiguration

#endif /* MFTPUBSUB_PROTOCOLS_RECONFIGURATION_PATTERN_FILTERS_H */
