/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/broker.h"

#include <algorithm>

namespace mftpubsub::mesh
{

// Rule 8: who brings what few want to whom

Bearing
Broker::GetBearing(const Held& held, NodeId subscriber)
{
    const auto at = held.way.bearings.find(subscriber);
    return at == held.way.bearings.end() ? Bearing(subscriber) : at->second;
}

/// @return what a frame with the event says of it
Path
Broker::GetPath(const Held& held) const
{
    Path path{m_words.GetHash(), {}};
    for (const auto subscriber : *held.open)
    {
        const auto bearing = GetBearing(held, subscriber);
        (bearing.said ? path.claims : path.elsewhere)
            .push_back(bearing.said.value_or(bearing.taker));
    }
    PutTogether(path.claims);
    PutTogether(path.elsewhere);
    return path;
}

/// @return what a publisher says to brokers around
Path
Broker::GetAsked(const Held& held, const Pub& pub, bool isOpen, NodeId publisher) const
{
    Path path;
    path.isOpen = isOpen;
    if (m_context.places)
    {
        path.claims = m_context.places->MakeClaims(publisher, *held.open, isOpen);
    }
    if (path.claims.empty())
    {
        for (const auto& hint : pub.distances)
        {
            path.claims.push_back({hint});
        }
    }
    return path;
}

void
Broker::NoteClaims(Held& held, const Path& path, bool areBrokers) const
{
    const auto hear = [&](const std::vector<Claim>& claims, bool isOpen) {
        for (const auto& claim : claims)
        {
            const auto subscriber = claim.subscriber;
            auto& bearing = held.way.bearings.try_emplace(subscriber, subscriber).first->second;
            bearing.Hear(claim, isOpen, areBrokers, m_context.options.limits.scope.blur);
        }
    };
    hear(path.claims, path.isOpen);
    hear(path.elsewhere, false);
}

/// @return whether brokers that are nearer may know more of where the subscriber has gone
bool
Broker::IsFar(const Claim& claim) const
{
    return !claim.IsSearch() && claim.GetHops() > m_context.options.limits.scope.far;
}

/// A broker that is nearer to one of them than all that sent the event brings it to this one, and
/// to whom no broker is nearer yet.
/// @return none if it is nearer to none
IdSet
Broker::ChooseCharge(Instant now, const Held& held) const
{
    const auto isSearchedFor = held.copies >= m_context.options.copies;
    IdSet charge;
    auto isNearer = false;
    for (const auto subscriber : *held.open)
    {
        const auto bearing = GetBearing(held, subscriber);
        const auto hops = m_distances.Get(now, bearing.nearest, *held.open);
        const auto nearest = bearing.nearest.GetHops();
        const auto isIts =
            !bearing.nearest.isAside && (hops < nearest - m_context.options.limits.scope.progress ||
                                         (bearing.nearest.IsSearch() && !isSearchedFor));
        isNearer = isNearer || isIts;
        const auto isAsked = !bearing.nearest.isAside || bearing.taker.IsSearch();
        if (isIts || (isAsked && bearing.taker.GetHops() >= hops && !isSearchedFor))
        {
            charge.Insert(subscriber);
        }
    }
    return isNearer ? charge : IdSet();
}

/// The nearest of those who say that they bring an event to a subscriber keeps it in its charge. So
/// somebody does, whoever hears whom.
/// @return those in its charge whom it has heard no nearer broker take
IdSet
Broker::GetUntaken(const Held& held) const
{
    const auto& way = held.way;
    const auto isSearchedFor =
        way.sent == 1 && held.copies >= way.before + m_context.options.copies;
    IdSet untaken;
    for (const auto& [subscriber, bearing] : way.bearings)
    {
        if (bearing.said && held.open->Has(subscriber) &&
            !bearing.taker.IsNearerThan(*bearing.said, m_context.options.limits.scope.blur) &&
            !(bearing.said->IsSearch() && isSearchedFor))
        {
            untaken.Insert(subscriber);
        }
    }
    return untaken;
}

/// @return those to whom no broker was heard to bring it
IdSet
Broker::GetNobodys(const Held& held) const
{
    IdSet nobodys;
    for (const auto subscriber : *held.open)
    {
        const auto bearing = GetBearing(held, subscriber);
        if (bearing.taker.IsSearch() && held.copies < m_context.options.copies)
        {
            nobodys.Insert(subscriber);
        }
    }
    return nobodys;
}

/// @return hops by which this broker is nearer than who has sent the event; none if it does not
/// know. Where nobody has said a distance, the nearest are first.
double
Broker::Progress(Instant now, const Held& held, NodeId subscriber) const
{
    const auto nearest = GetBearing(held, subscriber).nearest;
    const auto hops = m_distances.Get(now, nearest, *held.open);
    if (hops >= m_distances.GetUnknown())
    {
        return 0;
    }
    const auto most = m_context.options.limits.scope.bestProgress;
    return nearest.IsSearch() ? most / (1 + hops) : std::clamp(nearest.GetHops() - hops, 0.0, most);
}

/// A way only parts: so who is further on it is nearer to all of its end.
std::vector<Claim>
Broker::MakeClaims(Instant now, const Held& held, const IdSet& charge) const
{
    std::vector<Claim> claims;
    for (auto left = charge; !left.IsEmpty();)
    {
        const auto first = GetBearing(held, *left.begin()).nearest;
        IdSet together;
        for (const auto subscriber : left)
        {
            const auto nearest = GetBearing(held, subscriber).nearest;
            if (nearest.IsTogetherWith(first))
            {
                together.Insert(subscriber);
            }
        }
        left = left.Minus(together);
        for (auto& claim : m_distances.MakeClaims(now, together))
        {
            claim.round = first.round;
            claims.push_back(std::move(claim));
        }
    }
    return claims;
}

/// @return whether who says this @p path asks this broker, which is nearer to a subscriber than all
/// that were heard
bool
Broker::IsAsked(Instant now, const Held& held, const Path& path) const
{
    const auto& limits = m_context.options.limits.scope;
    return path.isOpen && std::ranges::any_of(path.claims, [&](const Claim& claim) {
               const auto nearest = GetBearing(held, claim.subscriber).nearest;
               return held.open->Has(claim.subscriber) &&
                      !nearest.IsNearerThan(claim, limits.blur) &&
                      m_distances.Get(now, claim, *held.open) < claim.GetHops() - limits.progress;
           });
}

/// @return whether who says this @p path searches for a subscriber to whom this broker has brought
/// the event before: another way is to be found
bool
Broker::HasEndedBeyond(const Held& held, const Path& path)
{
    return std::ranges::any_of(path.claims, [&held](const Claim& claim) {
        const auto said = GetBearing(held, claim.subscriber).said;
        return claim.IsSearch() && said && claim.round > said->round;
    });
}

/// @return whether who says this @p path does not know of an arrival, or of a broker that is nearer
bool
Broker::IsInBetterHands(const Held& held, const Path& path) const
{
    const auto& limits = m_context.options.limits.scope;
    const auto isAlike = path.wordsHash == m_words.GetHash();
    return std::ranges::any_of(path.claims, [&](const Claim& heard) {
        const auto claim = heard.AsTold();
        if (!held.open->Has(claim.subscriber))
        {
            return isAlike && held.wanted->Has(claim.subscriber);
        }
        const auto best = GetBearing(held, claim.subscriber).GetBest();
        return claim.GetHops() >= limits.near &&
               (best.round > claim.round ||
                (!claim.IsSearch() && best.IsNearerThan(claim, limits.behind)));
    });
}

} // namespace mftpubsub::mesh
