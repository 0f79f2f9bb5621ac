/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/reconfiguration/pattern-table.h"

#include <algorithm>
#include <set>

namespace mftpubsub::reconfiguration
{

namespace
{

bool
Contains(const std::vector<Subscriber>& subscribers, Subscriber subscriber)
{
    return std::find(subscribers.begin(), subscribers.end(), subscriber) != subscribers.end();
}

bool
HasOther(const std::vector<Subscriber>& subscribers, Subscriber subscriber)
{
    return subscribers.size() > 1 || (subscribers.size() == 1 && subscribers[0] != subscriber);
}

} // namespace

bool
PatternTable::Add(Subscriber subscriber, Pattern pattern)
{
    if (pattern >= m_subscribers.size())
    {
        m_subscribers.resize(pattern + 1);
    }
    auto& subscribers = m_subscribers[pattern];
    const auto place = std::lower_bound(subscribers.begin(), subscribers.end(), subscriber);
    if (place != subscribers.end() && *place == subscriber)
    {
        return false;
    }
    subscribers.insert(place, subscriber);
    return true;
}

bool
PatternTable::Remove(Subscriber subscriber, Pattern pattern)
{
    return pattern < m_subscribers.size() && std::erase(m_subscribers[pattern], subscriber) > 0;
}

Patterns
PatternTable::RemoveRow(Subscriber subscriber)
{
    const auto row = GetRow(subscriber);
    for (const auto pattern : row)
    {
        Remove(subscriber, pattern);
    }
    return row;
}

bool
PatternTable::Has(Subscriber subscriber, Pattern pattern) const
{
    return Contains(GetSubscribers(pattern), subscriber);
}

const std::vector<Subscriber>&
PatternTable::GetSubscribers(Pattern pattern) const
{
    static const std::vector<Subscriber> nobody;
    return pattern < m_subscribers.size() ? m_subscribers[pattern] : nobody;
}

bool
PatternTable::IsKnown(Pattern pattern, Subscriber subscriber) const
{
    return HasOther(GetSubscribers(pattern), subscriber);
}

Patterns
PatternTable::GetKnown(Subscriber subscriber) const
{
    return Select(
        [subscriber](const auto& subscribers) { return HasOther(subscribers, subscriber); });
}

Patterns
PatternTable::GetRow(Subscriber subscriber) const
{
    return Select(
        [subscriber](const auto& subscribers) { return Contains(subscribers, subscriber); });
}

std::vector<Subscriber>
PatternTable::GetRows() const
{
    std::set<Subscriber> rows;
    for (const auto& subscribers : m_subscribers)
    {
        rows.insert(subscribers.begin(), subscribers.end());
    }
    return {rows.begin(), rows.end()};
}

template <typename Condition>
Patterns
PatternTable::Select(Condition condition) const
{
    Patterns selected;
    for (size_t pattern = 0; pattern < m_subscribers.size(); ++pattern)
    {
        if (condition(m_subscribers[pattern]))
        {
            selected.push_back(static_cast<Pattern>(pattern));
        }
    }
    return selected;
}

} // namespace mftpubsub::reconfiguration
