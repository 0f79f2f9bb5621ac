/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "policies/migration-policy.h"

namespace mftpubsub
{

const Makers<MigrationPolicy> MigrationPolicy::SHIPPED{
    {"immediate", Make<ImmediateMigration>()},
    {"persistence", Make<PersistentMigration>("rounds")},
    {"minimum-stay", Make<MinimumStay>("seconds")},
};

bool
ImmediateMigration::Decide(const NodeView&, const Candidate&, const Candidate&)
{
    return true;
}

PersistentMigration::PersistentMigration(double rounds)
    : m_rounds(rounds)
{
}

bool
PersistentMigration::Decide(const NodeView& me, const Candidate&, const Candidate& proposed)
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
MinimumStay::Decide(const NodeView& me, const Candidate&, const Candidate&)
{
    return me.attachedSeconds >= m_seconds;
}

} // namespace mftpubsub
