/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The policies that ship, by name, and those that are written in Python. Standard types only.
 */
#ifndef MFTPUBSUB_POLICIES_POLICIES_H
#define MFTPUBSUB_POLICIES_POLICIES_H

#include "overlay/overlay-policies.h"
#include "policies/retry-policy.h"
#include "protocols/queue-policy.h"

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub
{

/// The decisions that one run leaves to policies. All nodes of the run share them.
struct Policies
{
    OverlayPolicies overlay;
    std::shared_ptr<QueuePolicy> queue; //!< none: unbounded
    std::shared_ptr<RetryPolicy> retry{std::make_shared<FixedRetries>(3)};
    std::shared_ptr<FailurePolicy> failure{
        std::make_shared<FixedFailureAction>(FailureAction::DROP_LINK)};

    // For cppyy, which cannot assign to a shared pointer.

    void SetParent(std::shared_ptr<ParentPolicy> policy)
    {
        overlay.parent = std::move(policy);
    }

    void SetClient(std::shared_ptr<ParentPolicy> policy)
    {
        overlay.client = std::move(policy);
    }

    void SetMigration(std::shared_ptr<MigrationPolicy> policy)
    {
        overlay.migration = std::move(policy);
    }

    void SetLeader(std::shared_ptr<LeaderPolicy> policy)
    {
        overlay.leader = std::move(policy);
    }

    void SetQueue(std::shared_ptr<QueuePolicy> policy)
    {
        queue = std::move(policy);
    }

    void SetRetry(std::shared_ptr<RetryPolicy> policy)
    {
        retry = std::move(policy);
    }

    void SetFailure(std::shared_ptr<FailurePolicy> policy)
    {
        failure = std::move(policy);
    }
};

/// A hook did not answer: the run ends here. Python knows why.
class PolicyFailure : public std::runtime_error
{
  public:
    PolicyFailure();
};

/// What a hook answers instead of a decision when it has failed.
inline constexpr int64_t POLICY_FAILED = -2;

/// What a hook that may say "none" answers then.
inline constexpr int64_t POLICY_NONE = -1;

// The decisions of policies written in Python; see the abstract classes for their arguments. Arrays
// go as address and length: cppyy does not hand vectors to Python functions intact.
using ChooseHook = std::function<
    int64_t(const NodeView& me, const Candidate* current, uintptr_t candidates, size_t count)>;
using AdvertiseHook = std::function<int64_t(const NodeView& me)>;
using MigrateHook =
    std::function<int64_t(const NodeView& me, const Candidate& current, const Candidate& proposed)>;
using PriorityHook = std::function<int64_t(const NodeView& me)>;
/// Sets the byte of each event to drop, from address @p dropped on.
using DropHook = std::function<int64_t(const NodeView& me,
                                       NodeId subscriber,
                                       uintptr_t events,
                                       size_t count,
                                       uintptr_t dropped)>;
using RetryHook = std::function<
    int64_t(const NodeView& me, NodeId neighbour, const std::string& kind, uint32_t attempts)>;
using FailureHook = std::function<
    int64_t(const NodeView& me, NodeId neighbour, const std::string& kind, uint32_t failures)>;

std::shared_ptr<ParentPolicy> HookParentPolicy(ChooseHook choose, AdvertiseHook advertise);
std::shared_ptr<MigrationPolicy> HookMigrationPolicy(MigrateHook migrate);
std::shared_ptr<LeaderPolicy> HookLeaderPolicy(PriorityHook priority);
std::shared_ptr<QueuePolicy> HookQueuePolicy(DropHook drop);
std::shared_ptr<RetryPolicy> HookRetryPolicy(RetryHook retry);
std::shared_ptr<FailurePolicy> HookFailurePolicy(FailureHook onFailure);

/// Parameters of a policy that ships, by name.
using PolicyParameters = std::map<std::string, double>;

// The policies that ship. All throw std::invalid_argument for a name that they do not know and
// std::out_of_range for a parameter that is missing.

/// @param name first-heard, strongest-link, hysteresis (margin: dB), slow-node-backbone,
///             balanced-fan-out
std::shared_ptr<ParentPolicy> MakeParentPolicy(const std::string& name,
                                               const PolicyParameters& parameters);

/// @param name immediate, persistence (rounds), minimum-stay (seconds)
std::shared_ptr<MigrationPolicy> MakeMigrationPolicy(const std::string& name,
                                                     const PolicyParameters& parameters);

/// @param name longest-lived, lowest-id, slowest
std::shared_ptr<LeaderPolicy> MakeLeaderPolicy(const std::string& name,
                                               const PolicyParameters& parameters);

/// @param name unbounded (no policy), drop-oldest (capacity), drop-newest (capacity),
///             expiry (max_age: s)
std::shared_ptr<QueuePolicy> MakeQueuePolicy(const std::string& name,
                                             const PolicyParameters& parameters);

/// @param name fixed (retries), by-kind (other, and retries by the names of kinds)
std::shared_ptr<RetryPolicy> MakeRetryPolicy(const std::string& name,
                                             const PolicyParameters& parameters);

/// @param name drop-link, keep-link, resend (times)
std::shared_ptr<FailurePolicy> MakeFailurePolicy(const std::string& name,
                                                 const PolicyParameters& parameters);

/// @return the names of the kinds of messages that the transport carries
std::vector<std::string> GetMessageKinds();

} // namespace mftpubsub

#endif /* MFTPUBSUB_POLICIES_POLICIES_H */
