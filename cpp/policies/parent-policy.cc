/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "policies/parent-policy.h"

#include "policies/emma-controller.h"

#include <algorithm>
#include <cmath>

namespace mftpubsub
{

namespace
{

constexpr double ADVERTISED_SPEED_UNIT = 0.1; // m/s
constexpr double MAX_ADVERTISED = 255;

/// @return the cheapest of @p current and @p candidates; among equals @p current, then the first
template <typename Cost>
NodeId
ChooseCheapest(const Candidate* current, const std::vector<Candidate>& candidates, Cost cost)
{
    const auto* best = current;
    for (const auto& candidate : candidates)
    {
        if (!best || cost(candidate) < cost(*best))
        {
            best = &candidate;
        }
    }
    return best ? best->id : NO_NODE;
}

} // namespace

const Makers<ParentPolicy> ParentPolicy::SHIPPED{
    {"first-heard", Make<FirstHeard>()},
    {"strongest-link", Make<StrongestLink>()},
    {"hysteresis", Make<StrongestLink>("margin")},
    {"slow-node-backbone", Make<SlowNodeBackbone>()},
    {"balanced-fan-out", Make<BalancedFanOut>()},
    {"emma-controller", Make<EmmaControlled>()},
};

std::optional<uint8_t>
ParentPolicy::Advertise(const NodeView&)
{
    return std::nullopt;
}

NodeId
FirstHeard::Decide(const NodeView&, const Candidate*, const std::vector<Candidate>& candidates)
{
    const auto first = std::ranges::min_element(candidates, {}, &Candidate::arrival);
    return first == candidates.end() ? NO_NODE : first->id;
}

StrongestLink::StrongestLink(double marginDb)
    : m_marginDb(marginDb)
{
}

NodeId
StrongestLink::Decide(const NodeView&,
                      const Candidate* current,
                      const std::vector<Candidate>& candidates)
{
    return ChooseCheapest(current, candidates, [&](const Candidate& candidate) {
        const auto isCurrent = current && candidate.id == current->id;
        return -candidate.rssiDbm - (isCurrent ? m_marginDb : 0);
    });
}

NodeId
SlowNodeBackbone::Decide(const NodeView&,
                         const Candidate* current,
                         const std::vector<Candidate>& candidates)
{
    return ChooseCheapest(current, candidates, [](const Candidate& candidate) {
        return candidate.advertised;
    });
}

std::optional<uint8_t>
SlowNodeBackbone::Advertise(const NodeView& me)
{
    const auto speed = std::round(me.speedMetresPerSecond / ADVERTISED_SPEED_UNIT);
    return static_cast<uint8_t>(std::min(speed, MAX_ADVERTISED));
}

NodeId
BalancedFanOut::Decide(const NodeView&,
                       const Candidate* current,
                       const std::vector<Candidate>& candidates)
{
    return ChooseCheapest(current, candidates, [&](const Candidate& candidate) {
        const auto isCurrent = current && candidate.id == current->id;
        return candidate.advertised - (isCurrent ? 1 : 0);
    });
}

std::optional<uint8_t>
BalancedFanOut::Advertise(const NodeView& me)
{
    return static_cast<uint8_t>(std::min<double>(me.children, MAX_ADVERTISED));
}

} // namespace mftpubsub
