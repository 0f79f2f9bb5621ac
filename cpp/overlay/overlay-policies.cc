/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "overlay/overlay-policies.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mftpubsub
{

namespace
{

/// @return @p number as a priority, the worst one if it is too large
uint32_t
ToPriority(double number)
{
    constexpr double worst = std::numeric_limits<uint32_t>::max() - 1; // the worst follows nobody
    return static_cast<uint32_t>(std::min(number, worst));
}

} // namespace

bool
ImmediateMigration::Migrate(const NodeView&, const Candidate&, const Candidate&)
{
    return true;
}

PersistentMigration::PersistentMigration(uint32_t rounds)
    : m_rounds(rounds)
{
}

bool
PersistentMigration::Migrate(const NodeView& me, const Candidate&, const Candidate& proposed)
{
    auto& streak = m_streaks[me.id];
    if (proposed.id != streak.proposed || me.round > streak.last + 1 || me.round < streak.last)
    {
        streak = {proposed.id, me.round, 1};
    }
    else if (me.round > streak.last)
    {
        streak.last = me.round;
        ++streak.rounds;
    }
    return streak.rounds >= m_rounds;
}

MinimumStay::MinimumStay(double seconds)
    : m_seconds(seconds)
{
}

bool
MinimumStay::Migrate(const NodeView& me, const Candidate&, const Candidate&)
{
    return me.attachedSeconds >= m_seconds;
}

uint32_t
LongestLivedLeader::Priority(const NodeView& me)
{
    return static_cast<uint32_t>(me.timeNanoseconds / 1'000'000);
}

uint32_t
LowestIdLeader::Priority(const NodeView& me)
{
    return me.id;
}

uint32_t
SlowestLeader::Priority(const NodeView& me)
{
    return ToPriority(std::round(me.speedMetresPerSecond * 1e3));
}

FixedFailureAction::FixedFailureAction(FailureAction action, uint32_t resends)
    : m_action(action),
      m_resends(resends)
{
}

FailureAction
FixedFailureAction::OnFailure(const NodeView&, NodeId, uint8_t, uint32_t failures)
{
    return failures <= m_resends ? FailureAction::RESEND : m_action;
}

} // namespace mftpubsub
