/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "policies/leader-policy.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mftpubsub
{

const Makers<LeaderPolicy> LeaderPolicy::SHIPPED{
    {"longest-lived", Make<LongestLivedLeader>()},
    {"lowest-id", Make<LowestIdLeader>()},
    {"slowest", Make<SlowestLeader>()},
};

uint32_t
LongestLivedLeader::Decide(const NodeView& me)
{
    return static_cast<uint32_t>(me.timeNanoseconds / 1'000'000);
}

uint32_t
LowestIdLeader::Decide(const NodeView& me)
{
    return me.id;
}

uint32_t
SlowestLeader::Decide(const NodeView& me)
{
    constexpr double worst = std::numeric_limits<uint32_t>::max() - 1; // the worst follows nobody
    return static_cast<uint32_t>(std::min(std::round(me.speedMetresPerSecond * 1e3), worst));
}

} // namespace mftpubsub
