/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/distances.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mftpubsub::mesh
{

namespace
{

constexpr double SHORTEST_LINK = 0.2;
constexpr double LONGEST_LINK = 1.2;

} // namespace

double
LinkLength(double rssiDbm, const LinkBudget& budget)
{
    const auto metres = std::pow(10.0, (budget.oneMetreDbm - rssiDbm) / budget.decadeDb);
    return std::clamp(metres / budget.hopMetres, SHORTEST_LINK, LONGEST_LINK);
}

void
Distances::Note(Instant now, NodeId subscriber, double hops)
{
    if (!m_places && hops < Get(now, subscriber))
    {
        Prune(now);
        auto& known = m_known[subscriber];
        known.hops = hops;
        known.at = now;
    }
}

void
Distances::Note(Instant now, const std::vector<Hint>& hints, double link)
{
    for (const auto& hint : hints)
    {
        Note(now, hint.subscriber, hint.GetHops() + link);
    }
}

void
Distances::NotePath(Instant now, const Path& path, double link)
{
    for (const auto subscriber : path.GetOpen())
    {
        Seek(now, subscriber);
    }
    for (const auto& claim : path.claims)
    {
        Note(now, claim.subscriber, claim.GetHops() + link);
    }
}

void
Distances::Seek(Instant now, NodeId subscriber)
{
    Prune(now);
    m_known[subscriber].soughtUntil = now + m_limits.sought;
    if (m_places)
    {
        m_places->Seek(now + m_limits.sought, subscriber);
    }
}

void
Distances::Forget(NodeId subscriber)
{
    if (m_places)
    {
        m_places->Forget(subscriber);
    }
    if (auto* known = m_known.Find(subscriber))
    {
        known->hops = GetUnknown();
    }
}

void
Distances::Prune(Instant now)
{
    m_known.Prune([&](const Known& known) {
        return Aged(known, now) >= GetUnknown() && known.soughtUntil <= now;
    });
}

double
Distances::Get(Instant now, NodeId subscriber) const
{
    if (m_places)
    {
        return std::min(m_places->GetHops(subscriber).value_or(GetUnknown()), GetUnknown());
    }
    const auto* known = m_known.Find(subscriber);
    return known ? Aged(*known, now) : GetUnknown();
}

double
Distances::Get(Instant now, const Claim& claim, const IdSet& open) const
{
    if (m_places)
    {
        return std::min(m_places->GetHops(claim, open).value_or(GetUnknown()), GetUnknown());
    }
    return Get(now, claim.subscriber);
}

std::vector<Claim>
Distances::MakeClaims(Instant now, const IdSet& subscribers) const
{
    const auto here = m_places ? m_places->GetHere() : std::nullopt;
    if (here)
    {
        return m_places->MakeClaims(*here, subscribers);
    }
    std::vector<Claim> claims;
    for (const auto subscriber : subscribers)
    {
        claims.push_back({Tell(now, subscriber)});
    }
    return claims;
}

Hint
Distances::Tell(Instant now, NodeId subscriber) const
{
    const auto hops = Get(now, subscriber);
    return hops < GetUnknown() ? MakeHint(subscriber, hops) : Hint{subscriber};
}

double
Distances::Aged(const Known& known, Instant now) const
{
    const std::chrono::duration<double> age = now - known.at;
    const std::chrono::duration<double> hop = m_limits.hop;
    return std::min(GetUnknown(), known.hops + age / hop);
}

std::vector<Hint>
Distances::GetNearest(Instant now, size_t most) const
{
    std::vector<std::pair<double, NodeId>> order;
    for (auto next = m_known.GetNext(0); next; next = m_known.GetNext(*next + 1U))
    {
        const auto hops = Get(now, *next);
        if (hops < GetUnknown() && now < m_known.Find(*next)->soughtUntil)
        {
            order.emplace_back(hops, *next);
        }
    }
    std::ranges::sort(order);
    std::vector<Hint> hints;
    for (size_t i = 0; i < std::min(most, order.size()); ++i)
    {
        hints.push_back(MakeHint(order[i].second, order[i].first));
    }
    return hints;
}

} // namespace mftpubsub::mesh
