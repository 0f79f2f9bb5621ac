/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "policies/policy-spec.h"

#include <stdexcept>

namespace mftpubsub
{

namespace
{

/// Makes @p policy what @p spec says: one of @p make, or @p hooked if that is Python's.
template <typename Policy, typename Make>
void
Set(std::shared_ptr<Policy>& policy,
    const PolicySpec& spec,
    Make make,
    std::shared_ptr<Policy> hooked)
{
    if (spec.name != PYTHON_POLICY)
    {
        policy = make(spec.name, spec.parameters);
    }
    else if (!hooked)
    {
        throw std::invalid_argument("a policy is Python's, and its hook is missing");
    }
    else
    {
        policy = std::move(hooked);
    }
}

} // namespace

Policies
MakePolicies(const PolicySpecs& specs, const PolicyHooks& hooks)
{
    Policies policies;
    for (const auto& [kind, spec] : specs)
    {
        if (kind == "parent")
        {
            Set(policies.overlay.parent, spec, MakeParentPolicy, HookParentPolicy(hooks.parent));
        }
        else if (kind == "client")
        {
            Set(policies.overlay.client, spec, MakeParentPolicy, HookParentPolicy(hooks.client));
        }
        else if (kind == "migration")
        {
            Set(policies.overlay.migration,
                spec,
                MakeMigrationPolicy,
                HookMigrationPolicy(hooks.migrate));
        }
        else if (kind == "leader")
        {
            Set(policies.overlay.leader, spec, MakeLeaderPolicy, HookLeaderPolicy(hooks.priority));
        }
        else if (kind == "queue")
        {
            Set(policies.queue, spec, MakeQueuePolicy, HookQueuePolicy(hooks.drop));
        }
        else if (kind == "retry")
        {
            Set(policies.retry, spec, MakeRetryPolicy, HookRetryPolicy(hooks.retry));
        }
        else if (kind == "failure")
        {
            Set(policies.failure, spec, MakeFailurePolicy, HookFailurePolicy(hooks.onFailure));
        }
        else if (kind == "repair")
        {
            Set(policies.repair, spec, MakeRepairPolicy, HookRepairPolicy(hooks.repair));
        }
        else
        {
            throw std::invalid_argument("no policies decide " + kind);
        }
    }
    return policies;
}

} // namespace mftpubsub
