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
#include "protocols/repair-policy.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
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
    std::shared_ptr<RepairPolicy> repair{std::make_shared<LongestWaiting>()};
};

/// A hook did not answer: the run ends here. Python knows why.
class PolicyFailure : public std::runtime_error
{
  public:
    PolicyFailure();
};

/// What a hook answers when it has failed; 0, as this is what ctypes answers for a Python function
/// that raises.
inline constexpr int64_t POLICY_FAILED = 0;

/// What a hook that may say "none" answers then.
inline constexpr int64_t POLICY_NONE = 1;

/// What a hook answers that decides 0; the decision 1 is one more, and so on.
inline constexpr int64_t POLICY_FIRST = 2;

// The decisions of policies written in Python, as C functions; see the abstract classes for their
// arguments. No exception may leave one.
using ChooseHook = int64_t (*)(const NodeView* me,
                               const Candidate* current,
                               const Candidate* candidates,
                               size_t count);
using AdvertiseHook = int64_t (*)(const NodeView* me);
using MigrateHook = int64_t (*)(const NodeView* me,
                                const Candidate* current,
                                const Candidate* proposed);
using PriorityHook = int64_t (*)(const NodeView* me);
/// Sets dropped[i] for each event to drop.
using DropHook = int64_t (*)(const NodeView* me,
                             NodeId subscriber,
                             const QueuedEvent* events,
                             size_t count,
                             uint8_t* dropped);
using RetryHook = int64_t (*)(const NodeView* me,
                              NodeId neighbour,
                              const char* kind,
                              uint32_t attempts);
using FailureHook = int64_t (*)(const NodeView* me,
                                NodeId neighbour,
                                const char* kind,
                                uint32_t failures);
using RepairHook = int64_t (*)(const NodeView* me,
                               const LackingNeighbour* neighbours,
                               size_t count);

/// The hooks of a ParentPolicy.
struct ParentHooks
{
    ChooseHook choose{nullptr};
    AdvertiseHook advertise{nullptr}; //!< none: it advertises nothing
};

/// The policies of a run that are written in Python; the others have no hook.
struct PolicyHooks
{
    ParentHooks parent;
    ParentHooks client;
    MigrateHook migrate{nullptr};
    PriorityHook priority{nullptr};
    DropHook drop{nullptr};
    RetryHook retry{nullptr};
    FailureHook onFailure{nullptr};
    RepairHook repair{nullptr};
};

// Policies that ask a hook; none without one.
std::shared_ptr<ParentPolicy> HookParentPolicy(const ParentHooks& hooks);
std::shared_ptr<MigrationPolicy> HookMigrationPolicy(MigrateHook migrate);
std::shared_ptr<LeaderPolicy> HookLeaderPolicy(PriorityHook priority);
std::shared_ptr<QueuePolicy> HookQueuePolicy(DropHook drop);
std::shared_ptr<RetryPolicy> HookRetryPolicy(RetryHook retry);
std::shared_ptr<FailurePolicy> HookFailurePolicy(FailureHook onFailure);
std::shared_ptr<RepairPolicy> HookRepairPolicy(RepairHook repair);

/// Parameters of a policy that ships, by name.
using PolicyParameters = std::map<std::string, double>;

// The policies that ship. All throw std::invalid_argument for a name that they do not know and
// std::out_of_range for a parameter that is missing.

/// @param name first-heard, strongest-link, hysteresis (margin: dB), slow-node-backbone,
///             balanced-fan-out; of clients only: emma-controller
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

/// @param name longest-waiting, fewest-lacking, farthest
std::shared_ptr<RepairPolicy> MakeRepairPolicy(const std::string& name,
                                               const PolicyParameters& parameters);

/// @return the names of the kinds of messages that the transport carries
std::vector<std::string> GetMessageKinds();

} // namespace mftpubsub

#endif /* MFTPUBSUB_POLICIES_POLICIES_H */
