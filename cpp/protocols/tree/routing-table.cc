/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/tree/routing-table.h"

namespace mftpubsub
{

RoutingTable::RoutingTable(const RoutingTable& other)
    : m_routes(other.m_routes)
{
    for (const auto& [subscriber, route] : m_routes)
    {
        for (const auto& filter : route.filters)
        {
            m_matcher.Insert(subscriber, filter);
        }
    }
}

const RoutingTable::Route*
RoutingTable::Find(NodeId subscriber) const
{
    const auto found = m_routes.find(subscriber);
    return found == m_routes.end() ? nullptr : &found->second;
}

Freshness
RoutingTable::GetFreshness(NodeId subscriber) const
{
    const auto* route = Find(subscriber);
    return route ? route->freshness : Freshness{};
}

uint32_t
RoutingTable::GetTimestamp(NodeId subscriber) const
{
    return GetFreshness(subscriber).timestamp;
}

NodeId
RoutingTable::GetNextHop(NodeId subscriber) const
{
    const auto* route = Find(subscriber);
    return route ? route->nextHop : NO_NODE;
}

void
RoutingTable::SetNextHop(NodeId subscriber, NodeId nextHop)
{
    m_routes[subscriber].nextHop = nextHop;
}

void
RoutingTable::SetFreshness(NodeId subscriber, Freshness freshness)
{
    m_routes[subscriber].freshness = freshness;
}

void
RoutingTable::AddFilter(NodeId subscriber, const Filter& filter)
{
    if (m_routes[subscriber].filters.insert(filter).second)
    {
        m_matcher.Insert(subscriber, filter);
    }
}

void
RoutingTable::RemoveFilter(NodeId subscriber, const Filter& filter)
{
    if (m_routes[subscriber].filters.erase(filter) > 0)
    {
        m_matcher.Remove(subscriber, filter);
    }
}

void
RoutingTable::SetFilters(NodeId subscriber, const std::vector<Filter>& filters)
{
    for (const auto& filter : GetFilters(subscriber))
    {
        RemoveFilter(subscriber, filter);
    }
    for (const auto& filter : filters)
    {
        AddFilter(subscriber, filter);
    }
}

RoutingTable::News
RoutingTable::TakeNewer(NodeId subscriber, uint32_t timestamp, const std::vector<Filter>& filters)
{
    const auto known = GetTimestamp(subscriber);
    if (timestamp <= known)
    {
        return timestamp < known ? News::OLDER : News::KNOWN;
    }
    const auto before = GetFilters(subscriber);
    SetFilters(subscriber, filters);
    SetFreshness(subscriber, {timestamp, 0});
    if (GetFilters(subscriber) != before)
    {
        return News::CHANGED;
    }
    return known == 0 ? News::FIRST : News::KNOWN;
}

std::vector<Filter>
RoutingTable::GetFilters(NodeId subscriber) const
{
    const auto* route = Find(subscriber);
    return route ? std::vector<Filter>(route->filters.begin(), route->filters.end())
                 : std::vector<Filter>{};
}

void
RoutingTable::Erase(NodeId subscriber)
{
    SetFilters(subscriber, {});
    m_routes.erase(subscriber);
}

std::vector<NodeId>
RoutingTable::Match(const Event& event) const
{
    return m_matcher.Match(event);
}

const RoutingTable::Routes&
RoutingTable::GetRoutes() const
{
    return m_routes;
}

std::vector<RouteView>
RoutingTable::GetView() const
{
    std::vector<RouteView> view;
    for (const auto& [subscriber, route] : m_routes)
    {
        view.push_back({subscriber, route.nextHop, route.freshness, GetFilters(subscriber)});
    }
    return view;
}

} // namespace mftpubsub
