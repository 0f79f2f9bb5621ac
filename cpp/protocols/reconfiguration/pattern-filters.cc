/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/reconfiguration/pattern-filters.h"

#include <algorithm>

namespace mftpubsub::reconfiguration
{

PatternFilters::PatternFilters(const PatternFilters& other)
    : m_filters(other.m_filters),
      m_patterns(other.m_patterns),
      m_free(other.m_free),
      m_most(other.m_most)
{
    for (const auto& [filter, pattern] : m_patterns)
    {
        m_matcher.Insert(pattern, filter);
    }
}

Pattern
PatternFilters::Number(const Filter& filter, const std::function<bool(Pattern)>& isNeeded)
{
    if (const auto known = m_patterns.find(filter); known != m_patterns.end())
    {
        return known->second;
    }
    if (m_patterns.size() >= m_most)
    {
        Forget(isNeeded);
    }
    if (m_free.empty())
    {
        m_free.insert(static_cast<Pattern>(m_filters.size()));
        m_filters.push_back(filter);
    }
    const auto pattern = m_free.extract(m_free.begin()).value();
    m_filters[pattern] = filter;
    m_patterns.emplace(filter, pattern);
    m_matcher.Insert(pattern, filter);
    return pattern;
}

void
PatternFilters::Forget(const std::function<bool(Pattern)>& isNeeded)
{
    std::erase_if(m_patterns, [&](const auto& known) {
        const auto& [filter, pattern] = known;
        const auto isForgotten = !isNeeded(pattern);
        if (isForgotten)
        {
            m_matcher.Remove(pattern, filter);
            m_free.insert(pattern);
        }
        return isForgotten;
    });
    m_most = std::clamp(2 * m_patterns.size(), SPARE, NUMBERS);
}

const Filter&
PatternFilters::Get(Pattern pattern) const
{
    return m_filters[pattern];
}

Patterns
PatternFilters::Match(const mftpubsub::Event& event) const
{
    return m_matcher.Match(event);
}

std::string
PatternFilters::GetDigest() const
{
    auto text = std::to_string(m_most);
    for (const auto& [filter, pattern] : m_patterns)
    {
        text += "|" + std::to_string(pattern) + filter.GetText();
    }
    return text;
}

} // namespace mftpubsub::reconfiguration
