/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_POLICIES_POLICIES_H
#define MFTPUBSUB_POLICIES_POLICIES_H

#include "json/fields.h"
#include "policies/failure-policy.h"
#include "policies/hooked.h"
#include "policies/leader-policy.h"
#include "policies/migration-policy.h"
#include "policies/parent-policy.h"
#include "policies/queue-policy.h"
#include "policies/repair-policy.h"
#include "policies/retry-policy.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace mftpubsub
{

/// The decisions that one run leaves to policies; the defaults are the sources' or ours.
struct Policies
{
    std::shared_ptr<ParentPolicy> parent{std::make_shared<FirstHeard>()}; //!< of brokers
    std::shared_ptr<ParentPolicy> client{std::make_shared<FirstHeard>()}; //!< of clients
    std::shared_ptr<MigrationPolicy> migration{std::make_shared<ImmediateMigration>()};
    std::shared_ptr<LeaderPolicy> leader{std::make_shared<LongestLivedLeader>()};
    std::shared_ptr<QueuePolicy> queue; //!< none: unbounded
    std::shared_ptr<RetryPolicy> retry{std::make_shared<FixedRetries>(3)};
    std::shared_ptr<FailurePolicy> failure{
        std::make_shared<FixedFailureAction>(FailureAction::DROP_LINK)};
    std::shared_ptr<RepairPolicy> repair{std::make_shared<LongestWaiting>()};
};

/// The kinds of policies.
template <>
inline constexpr auto FIELDS<Policies> = MakeFields<Policies>(MFTPUBSUB_FIELD(Policies, parent),
                                                              MFTPUBSUB_FIELD(Policies, client),
                                                              MFTPUBSUB_FIELD(Policies, migration),
                                                              MFTPUBSUB_FIELD(Policies, leader),
                                                              MFTPUBSUB_FIELD(Policies, queue),
                                                              MFTPUBSUB_FIELD(Policies, retry),
                                                              MFTPUBSUB_FIELD(Policies, failure),
                                                              MFTPUBSUB_FIELD(Policies, repair));

/// A policy as Python hands it over: one that ships, or PYTHON_POLICY.
struct PolicySpec
{
    std::string name;
    PolicyParameters parameters;
};

template <>
inline constexpr auto FIELDS<PolicySpec> =
    MakeFields<PolicySpec>(MFTPUBSUB_FIELD(PolicySpec, name),
                           MFTPUBSUB_FIELD(PolicySpec, parameters));

/// By what they decide: the members of Policies.
using PolicySpecs = std::map<std::string, PolicySpec>;

/// The name of a policy that PolicyHooks has.
inline constexpr std::string_view PYTHON_POLICY = "python";

/**
 * @return the policies that @p specs name; what they do not name is the default
 * @throws std::invalid_argument for a kind or a name that is unknown, and for a hook that is
 *         missing
 * @throws std::out_of_range for a parameter that is missing
 */
Policies MakePolicies(const PolicySpecs& specs, const PolicyHooks& hooks = {});

/// @return policies of which one is not the default: what decides @p what is the policy @p name
Policies MakePolicy(const std::string& what,
                    const std::string& name,
                    const PolicyParameters& parameters);

} // namespace mftpubsub

#endif /* MFTPUBSUB_POLICIES_POLICIES_H */
