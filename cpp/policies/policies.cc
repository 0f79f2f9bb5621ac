/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "policies/policies.h"

#include "overlay/emma-controller.h"
#include "protocols/tree/message-codec.h"

#include <limits>
#include <set>
#include <utility>

namespace mftpubsub
{

PolicyFailure::PolicyFailure()
    : std::runtime_error("a policy has failed")
{
}

namespace
{

/// @return the decision that @p answer of a hook means, if it is one between 0 and @p largest
template <typename T>
T
Check(int64_t answer, int64_t largest = std::numeric_limits<T>::max())
{
    const auto decision = answer - POLICY_FIRST;
    if (decision < 0 || decision > largest)
    {
        throw PolicyFailure();
    }
    return static_cast<T>(decision);
}

class HookedParentPolicy : public ParentPolicy
{
  public:
    explicit HookedParentPolicy(const ParentHooks& hooks)
        : m_hooks(hooks)
    {
    }

    NodeId Choose(const NodeView& me,
                  const Candidate* current,
                  const std::vector<Candidate>& candidates) override
    {
        const auto chosen = m_hooks.choose(&me, current, candidates.data(), candidates.size());
        return chosen == POLICY_NONE ? NO_NODE : Check<NodeId>(chosen);
    }

    std::optional<uint8_t> Advertise(const NodeView& me) override
    {
        if (!m_hooks.advertise)
        {
            return std::nullopt;
        }
        const auto advertised = m_hooks.advertise(&me);
        return advertised == POLICY_NONE ? std::nullopt : std::optional(Check<uint8_t>(advertised));
    }

  private:
    ParentHooks m_hooks;
};

class HookedMigrationPolicy : public MigrationPolicy
{
  public:
    explicit HookedMigrationPolicy(MigrateHook migrate)
        : m_migrate(migrate)
    {
    }

    bool Migrate(const NodeView& me, const Candidate& current, const Candidate& proposed) override
    {
        return Check<bool>(m_migrate(&me, &current, &proposed));
    }

  private:
    MigrateHook m_migrate;
};

class HookedLeaderPolicy : public LeaderPolicy
{
  public:
    explicit HookedLeaderPolicy(PriorityHook priority)
        : m_priority(priority)
    {
    }

    uint32_t Priority(const NodeView& me) override
    {
        return Check<uint32_t>(m_priority(&me));
    }

  private:
    PriorityHook m_priority;
};

class HookedQueuePolicy : public QueuePolicy
{
  public:
    explicit HookedQueuePolicy(DropHook drop)
        : m_drop(drop)
    {
    }

    std::vector<size_t> Drop(const NodeView& me,
                             NodeId subscriber,
                             const std::vector<QueuedEvent>& events) override
    {
        std::vector<uint8_t> isDropped(events.size());
        Check<bool>(m_drop(&me, subscriber, events.data(), events.size(), isDropped.data()));
        std::vector<size_t> dropped;
        for (size_t i = 0; i < isDropped.size(); ++i)
        {
            if (isDropped[i])
            {
                dropped.push_back(i);
            }
        }
        return dropped;
    }

  private:
    DropHook m_drop;
};

class HookedRetryPolicy : public RetryPolicy
{
  public:
    explicit HookedRetryPolicy(RetryHook retry)
        : m_retry(retry)
    {
    }

    bool Retry(const NodeView& me, NodeId neighbour, uint8_t kind, uint32_t attempts) override
    {
        return Check<bool>(
            m_retry(&me, neighbour, std::string(GetKindName(kind)).c_str(), attempts));
    }

  private:
    RetryHook m_retry;
};

class HookedFailurePolicy : public FailurePolicy
{
  public:
    explicit HookedFailurePolicy(FailureHook onFailure)
        : m_onFailure(onFailure)
    {
    }

    FailureAction OnFailure(const NodeView& me,
                            NodeId neighbour,
                            uint8_t kind,
                            uint32_t failures) override
    {
        const auto name = std::string(GetKindName(kind));
        return Check<FailureAction>(m_onFailure(&me, neighbour, name.c_str(), failures),
                                    static_cast<int64_t>(FailureAction::RESEND));
    }

  private:
    FailureHook m_onFailure;
};

class HookedRepairPolicy : public RepairPolicy
{
  public:
    explicit HookedRepairPolicy(RepairHook repair)
        : m_repair(repair)
    {
    }

    NodeId Choose(const NodeView& me, const std::vector<LackingNeighbour>& neighbours) override
    {
        return Check<NodeId>(m_repair(&me, neighbours.data(), neighbours.size()));
    }

  private:
    RepairHook m_repair;
};

std::invalid_argument
NoSuch(const std::string& what, const std::string& name)
{
    return std::invalid_argument("no " + what + " '" + name + "'");
}

} // namespace

std::shared_ptr<ParentPolicy>
HookParentPolicy(const ParentHooks& hooks)
{
    return hooks.choose ? std::make_shared<HookedParentPolicy>(hooks) : nullptr;
}

std::shared_ptr<MigrationPolicy>
HookMigrationPolicy(MigrateHook migrate)
{
    return migrate ? std::make_shared<HookedMigrationPolicy>(migrate) : nullptr;
}

std::shared_ptr<LeaderPolicy>
HookLeaderPolicy(PriorityHook priority)
{
    return priority ? std::make_shared<HookedLeaderPolicy>(priority) : nullptr;
}

std::shared_ptr<QueuePolicy>
HookQueuePolicy(DropHook drop)
{
    return drop ? std::make_shared<HookedQueuePolicy>(drop) : nullptr;
}

std::shared_ptr<RetryPolicy>
HookRetryPolicy(RetryHook retry)
{
    return retry ? std::make_shared<HookedRetryPolicy>(retry) : nullptr;
}

std::shared_ptr<FailurePolicy>
HookFailurePolicy(FailureHook onFailure)
{
    return onFailure ? std::make_shared<HookedFailurePolicy>(onFailure) : nullptr;
}

std::shared_ptr<RepairPolicy>
HookRepairPolicy(RepairHook repair)
{
    return repair ? std::make_shared<HookedRepairPolicy>(repair) : nullptr;
}

std::shared_ptr<ParentPolicy>
MakeParentPolicy(const std::string& name, const PolicyParameters& parameters)
{
    if (name == "first-heard")
    {
        return std::make_shared<FirstHeard>();
    }
    if (name == "strongest-link")
    {
        return std::make_shared<StrongestLink>();
    }
    if (name == "hysteresis")
    {
        return std::make_shared<StrongestLink>(parameters.at("margin"));
    }
    if (name == "slow-node-backbone")
    {
        return std::make_shared<SlowNodeBackbone>();
    }
    if (name == "balanced-fan-out")
    {
        return std::make_shared<BalancedFanOut>();
    }
    if (name == "emma-controller")
    {
        return std::make_shared<EmmaControlled>();
    }
    throw NoSuch("parent policy", name);
}

std::shared_ptr<MigrationPolicy>
MakeMigrationPolicy(const std::string& name, const PolicyParameters& parameters)
{
    if (name == "immediate")
    {
        return std::make_shared<ImmediateMigration>();
    }
    if (name == "persistence")
    {
        return std::make_shared<PersistentMigration>(
            static_cast<uint32_t>(parameters.at("rounds")));
    }
    if (name == "minimum-stay")
    {
        return std::make_shared<MinimumStay>(parameters.at("seconds"));
    }
    throw NoSuch("migration policy", name);
}

std::shared_ptr<LeaderPolicy>
MakeLeaderPolicy(const std::string& name, const PolicyParameters&)
{
    if (name == "longest-lived")
    {
        return std::make_shared<LongestLivedLeader>();
    }
    if (name == "lowest-id")
    {
        return std::make_shared<LowestIdLeader>();
    }
    if (name == "slowest")
    {
        return std::make_shared<SlowestLeader>();
    }
    throw NoSuch("leader policy", name);
}

std::shared_ptr<QueuePolicy>
MakeQueuePolicy(const std::string& name, const PolicyParameters& parameters)
{
    if (name == "unbounded")
    {
        return nullptr;
    }
    if (name == "drop-oldest" || name == "drop-newest")
    {
        return std::make_shared<BoundedQueue>(static_cast<size_t>(parameters.at("capacity")),
                                              name == "drop-newest");
    }
    if (name == "expiry")
    {
        return std::make_shared<ExpiringQueue>(parameters.at("max_age"));
    }
    throw NoSuch("queue policy", name);
}

std::shared_ptr<RetryPolicy>
MakeRetryPolicy(const std::string& name, const PolicyParameters& parameters)
{
    if (name == "fixed")
    {
        return std::make_shared<FixedRetries>(static_cast<uint32_t>(parameters.at("retries")));
    }
    if (name == "by-kind")
    {
        std::map<uint8_t, uint32_t> retries;
        for (MessageKind kind = 0; kind < MESSAGE_KINDS; ++kind)
        {
            const auto own = parameters.find(std::string(GetKindName(kind)));
            if (own != parameters.end())
            {
                retries[kind] = static_cast<uint32_t>(own->second);
            }
        }
        return std::make_shared<FixedRetries>(static_cast<uint32_t>(parameters.at("other")),
                                              std::move(retries));
    }
    throw NoSuch("retry policy", name);
}

std::shared_ptr<FailurePolicy>
MakeFailurePolicy(const std::string& name, const PolicyParameters& parameters)
{
    if (name == "drop-link")
    {
        return std::make_shared<FixedFailureAction>(FailureAction::DROP_LINK);
    }
    if (name == "keep-link")
    {
        return std::make_shared<FixedFailureAction>(FailureAction::KEEP_LINK);
    }
    if (name == "resend")
    {
        return std::make_shared<FixedFailureAction>(FailureAction::DROP_LINK,
                                                    static_cast<uint32_t>(parameters.at("times")));
    }
    throw NoSuch("failure policy", name);
}

std::shared_ptr<RepairPolicy>
MakeRepairPolicy(const std::string& name, const PolicyParameters&)
{
    if (name == "longest-waiting")
    {
        return std::make_shared<LongestWaiting>();
    }
    if (name == "fewest-lacking")
    {
        return std::make_shared<FewestLacking>();
    }
    if (name == "farthest")
    {
        return std::make_shared<FarthestNeighbour>();
    }
    throw NoSuch("repair policy", name);
}

std::vector<std::string>
GetMessageKinds()
{
    std::set<std::string> names;
    for (MessageKind kind = 0; kind < MESSAGE_KINDS; ++kind)
    {
        names.insert(std::string(GetKindName(kind)));
    }
    return {names.begin(), names.end()};
}

} // namespace mftpubsub
