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

/// @return the subscribers of which @p body says how far away they are from its sender or others
IdSet
GetNamed(const Body& body)
{
    IdSet named;
    ForEachEvent(body, [&named](const auto& carried) { named.Insert(carried.path.GetOpen()); });
    if (const auto* pub = std::get_if<Pub>(&body))
    {
        for (const auto& hint : pub->distances)
        {
            named.Insert(hint.subscriber);
        }
    }
    return named;
}

bool
HasState(const Body& body)
{
    const auto* pub = std::get_if<Pub>(&body);
    const auto* rep = std::get_if<Rep>(&body);
    return std::holds_alternative<Heartbeat>(body) || (pub && pub->state) || (rep && rep->state);
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
    limits.distance.unknown = limits.place.unknown;
    limits.frame.distances = limits.place.told;
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

std::optional<double>
Places::HopsFrom(const Spot& spot, NodeId subscriber) const
{
    const auto* known = m_known.Find(subscriber);
    return known && known->spot ? std::optional(GetDistance(spot, *known->spot) / m_hopMetres)
                                : std::nullopt;
}

std::optional<double>
Places::GetHops(NodeId subscriber) const
{
    const auto here = GetHere();
    return here ? HopsFrom(*here, subscriber) : std::nullopt;
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
    const auto measure = [&](Hint& hint) {
        const auto hops = HopsFrom(where.here, hint.subscriber);
        if (hops && hint.code != Hint::UNKNOWN)
        {
            hint.code = MakeHint(hint.subscriber, *hops).code;
            hint.isOpen = where.isOpen;
            hint.isAside =
                !where.isOpen && IsAside(where.here, *m_known.Find(hint.subscriber)->spot);
        }
    };
    ForEachEvent(frame.body,
                 [&](auto& carried) { std::ranges::for_each(carried.path.claims, measure); });
    if (auto* pub = std::get_if<Pub>(&frame.body))
    {
        std::ranges::for_each(pub->distances, measure);
    }
}

std::optional<Whereabouts>
Places::Tell(Instant now, const Body& body, size_t room) const
{
    const auto here = GetHere();
    if (!here)
    {
        return {};
    }
    const auto named = GetNamed(body);
    const auto isState = HasState(body);
    std::vector<std::tuple<bool, Instant, NodeId>> order; // who is named, and what is new, first
    for (auto next = m_known.GetNext(0); next; next = m_known.GetNext(*next + 1U))
    {
        const auto& known = *m_known.Find(*next);
        const auto isNamed = named.Has(*next);
        if (known.spot && (isNamed || (isState && now < known.soughtUntil)))
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
        where.places.push_back(
            {subscriber, *m_known.Find(subscriber)->spot, static_cast<uint16_t>(units)});
    }
    return where;
}

} // namespace mftpubsub::mesh
