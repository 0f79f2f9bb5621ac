/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/places.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>
#include <utility>

namespace mftpubsub::mesh
{

namespace
{

/// What a hundredth of a second is: ages in frames.
constexpr Instant AGE_UNIT = std::chrono::milliseconds(10);

/// Calls @p use for each event that @p body carries with its path.
template <typename B, typename Use>
void
ForEachEvent(B& body, const Use& use)
{
    const auto forEach = [&use](auto& events) {
        for (auto& carried : events)
        {
            use(carried);
        }
    };
    if (auto* pub = std::get_if<Pub>(&body))
    {
        forEach(pub->events);
    }
    else if (auto* rep = std::get_if<Rep>(&body))
    {
        forEach(rep->events);
    }
    else if (auto* taken = std::get_if<Taken>(&body))
    {
        forEach(taken->events);
    }
}

/// @return the subscribers to whom @p body says that its sender or others bring events
IdSet
GetNamed(const Body& body)
{
    IdSet named;
    ForEachEvent(body, [&named](const auto& carried) { named.Insert(carried.path.GetOpen()); });
    return named;
}

/// @return whether @p body is for whoever hears it
bool
IsForAll(const Body& body)
{
    return std::holds_alternative<Heartbeat>(body) || std::holds_alternative<Pub>(body) ||
           std::holds_alternative<Rep>(body);
}

/// @return how far it is from @p here to the first of @p spots, and then on to the others, m
double
GetMetres(const Spot& here, const std::vector<Spot>& spots)
{
    return GetDistance(here, spots.front()) + GetTreeMetres(spots.front(), spots);
}

} // namespace

Options
WithPlaces(Options options)
{
    auto& limits = options.limits;
    limits.scope.progress = limits.place.progress;
    limits.scope.bestProgress = limits.place.bestProgress;
    limits.scope.openings = limits.place.openings;
    limits.scope.sent += limits.place.openings;
    limits.scope.far = limits.place.far;
    limits.scope.blur = limits.place.blur;
    limits.scope.asks = limits.place.asks;
    limits.scope.othersHop = limits.place.othersHop;
    limits.scope.arrivalTo = limits.place.arrivalTo;
    limits.distance.unknown = limits.place.unknown;
    limits.frame.distances = 0;
    options.maxFrameBytes -= std::min(options.maxFrameBytes, WHEREABOUTS_BYTES);
    return options;
}

Places::Places(const PlaceLimits& limits, double hopMetres, Locate locate)
    : m_limits(limits),
      m_hopMetres(hopMetres),
      m_locate(std::move(locate))
{
}

std::optional<Spot>
Places::GetHere() const
{
    const auto position = m_locate ? m_locate() : std::nullopt;
    return position ? std::optional(ToSpot(*position)) : std::nullopt;
}

void
Places::Hear(Instant now, NodeId from, const Whereabouts& where)
{
    Prune(now);
    Note(now, from, where.here);
    for (const auto& [subscriber, spot, age] : where.places)
    {
        Note(now - age * AGE_UNIT - AGE_UNIT / 2, subscriber, spot); // ages are rounded down
    }
}

void
Places::Note(Instant at, NodeId node, const Spot& spot)
{
    auto& known = m_known[node];
    if (!known.spot || at > known.at)
    {
        known.spot = spot;
        known.at = at;
    }
}

void
Places::Seek(Instant until, NodeId subscriber)
{
    m_known[subscriber].soughtUntil = until;
}

void
Places::Forget(NodeId subscriber)
{
    if (auto* known = m_known.Find(subscriber))
    {
        known->spot.reset();
    }
}

void
Places::Prune(Instant now)
{
    m_known.Prune([&](const Known& known) {
        return known.soughtUntil <= now && (!known.spot || known.at < now - m_limits.kept);
    });
}

const Spot*
Places::Find(NodeId node) const
{
    const auto* known = m_known.Find(node);
    return known && known->spot ? &*known->spot : nullptr;
}

std::optional<double>
Places::GetHops(NodeId subscriber) const
{
    return GetHops(Claim{{subscriber}}, {subscriber});
}

/// @return the known places of those to whom @p claim brings an event, who are @p open if that is
/// given
std::vector<Spot>
Places::GetSpots(const Claim& claim, const IdSet* open) const
{
    std::vector<Spot> spots;
    for (const auto subscriber : claim.GetAll())
    {
        if (const auto* spot = Find(subscriber); spot && (!open || open->Has(subscriber)))
        {
            spots.push_back(*spot);
        }
    }
    return spots;
}

std::optional<double>
Places::GetHops(const Claim& claim, const IdSet& open) const
{
    const auto here = GetHere();
    return here ? GetHops(*here, claim, open) : std::nullopt;
}

std::optional<double>
Places::GetHops(const Spot& from, const Claim& claim, const IdSet& open) const
{
    const auto spots = GetSpots(claim, &open);
    return spots.empty() ? std::nullopt : std::optional(GetMetres(from, spots) / m_hopMetres);
}

std::vector<Claim>
Places::MakeClaims(const Spot& from, const IdSet& subscribers) const
{
    std::vector<Claim> claims;
    std::vector<Spot> spots;
    std::vector<NodeId> owners;
    for (const auto subscriber : subscribers)
    {
        const auto* spot = Find(subscriber);
        if (!spot || GetDistance(from, *spot) < m_limits.near * m_hopMetres)
        {
            claims.push_back({spot ? MakeHint(subscriber, GetDistance(from, *spot) / m_hopMetres)
                                   : Hint{subscriber}});
        }
        else
        {
            spots.push_back(*spot);
            owners.push_back(subscriber);
        }
    }
    for (const auto& branch : GetBranches(from, spots))
    {
        std::vector<NodeId> all;
        for (const auto spot : branch.spots)
        {
            all.push_back(owners[spot]);
        }
        const auto companions =
            all.size() > 1 ? std::make_shared<const std::vector<NodeId>>(all) : nullptr;
        const auto hops = branch.metres / m_hopMetres;
        for (const auto subscriber : all)
        {
            claims.push_back({MakeHint(subscriber, hops), 0, companions});
            if (claims.back().IsBeyondCodes())
            {
                claims.back().measured = hops;
            }
        }
    }
    return claims;
}

std::vector<Claim>
Places::MakeClaims(NodeId publisher, const IdSet& subscribers, bool isOpen) const
{
    const auto* from = Find(publisher);
    if (!from)
    {
        return {};
    }
    auto claims = MakeClaims(*from, subscribers);
    for (auto& claim : claims)
    {
        Measure(*from, isOpen, claim);
    }
    return claims;
}

/// Those ahead of a sender hear each other, and so one of them takes an event. Near its goal all
/// around are ahead.
bool
Places::IsAside(const Spot& from, const Spot& to) const
{
    const auto here = GetHere();
    if (!here || GetDistance(from, to) < m_limits.near * m_hopMetres)
    {
        return false;
    }
    const auto direction = std::atan2(to.y - from.y, to.x - from.x);
    const auto mine = std::atan2(here->y - from.y, here->x - from.x);
    const auto turn = std::remainder(mine - direction, 2 * std::numbers::pi);
    return std::abs(turn) > m_limits.aheadDegrees * std::numbers::pi / 180;
}

void
Places::Measure(Frame& frame) const
{
    if (!frame.where)
    {
        return;
    }
    const auto& where = *frame.where;
    ForEachEvent(frame.body, [&](auto& carried) {
        carried.path.isOpen = where.isOpen;
        for (auto& claim : carried.path.claims)
        {
            Measure(where.here, where.isOpen, claim);
        }
    });
}

void
Places::Measure(const Spot& from, bool isOpen, Claim& claim) const
{
    const auto spots = GetSpots(claim);
    if (claim.IsSearch() || spots.empty())
    {
        return;
    }
    claim.measured = GetMetres(from, spots) / m_hopMetres;
    claim.isAside = !isOpen && IsAside(from, spots.front());
}

/// What moves far away need not be known exactly.
bool
Places::IsNews(Instant now, const Known& known, const Spot& here) const
{
    return !known.told || known.toldAt < now - m_limits.again ||
           GetDistance(*known.told, *known.spot) > m_limits.moved * GetDistance(here, *known.spot);
}

std::optional<Whereabouts>
Places::Tell(Instant now, const Body& body, size_t room)
{
    const auto here = GetHere();
    if (!here)
    {
        return {};
    }
    const auto named = GetNamed(body);
    const auto isForAll = IsForAll(body);
    std::vector<std::tuple<bool, Instant, NodeId>> order; // who is named, and what is new, first
    for (auto next = m_known.GetNext(0); next; next = m_known.GetNext(*next + 1U))
    {
        const auto& known = *m_known.Find(*next);
        const auto isNamed = named.Has(*next);
        const auto isSought = isForAll && now < known.soughtUntil;
        if (known.spot && (isNamed || (isSought && IsNews(now, known, *here))))
        {
            order.emplace_back(!isNamed, now - known.at, *next);
        }
    }
    std::ranges::sort(order);
    order.resize(std::min({order.size(), room / PLACE_BYTES, MAX_PLACES, m_limits.told}));
    Whereabouts where{*here, false, {}};
    for (const auto& [isOther, age, subscriber] : order)
    {
        const auto units = std::clamp<int64_t>(age / AGE_UNIT, 0, UINT16_MAX);
        auto& known = *m_known.Find(subscriber);
        where.places.push_back({subscriber, *known.spot, static_cast<uint16_t>(units)});
        known.toldAt = now;
        known.told = known.spot;
    }
    return where;
}

} // namespace mftpubsub::mesh
