/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_POLICIES_POLICY_SPEC_H
#define MFTPUBSUB_POLICIES_POLICY_SPEC_H

#include "json/fields.h"
#include "policies/policies.h"

#include <map>
#include <string>
#include <string_view>

namespace mftpubsub
{

/// A policy as Python hands it over: one that ships, or PYTHON_POLICY.
struct PolicySpec
{
    std::string name;
    PolicyParameters parameters;
};

/// By what they decide: parent, client, migration, leader, queue, retry, failure or repair.
using PolicySpecs = std::map<std::string, PolicySpec>;

template <>
inline constexpr auto FIELDS<PolicySpec> =
    MakeFields<PolicySpec>(MFTPUBSUB_FIELD(PolicySpec, name),
                           MFTPUBSUB_FIELD(PolicySpec, parameters));

/// The name of a policy that PolicyHooks has.
inline constexpr std::string_view PYTHON_POLICY = "python";

/**
 * @return the policies that @p specs name; what they do not name is the default
 * @throws std::invalid_argument for a kind, a name or a parameter that is unknown, and for a hook
 *         that is missing
 */
Policies MakePolicies(const PolicySpecs& specs, const PolicyHooks& hooks);

} // namespace mftpubsub

#endif /* MFTPUBSUB_POLICIES_POLICY_SPEC_H */
