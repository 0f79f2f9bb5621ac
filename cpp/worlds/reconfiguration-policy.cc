/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "worlds/reconfiguration-policy.h"

#include "scenario/stream-random.h"
#include "scenario/streams.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

namespace mftpubsub
{

using namespace reconfiguration;

namespace
{

enum class Policy
{
    SHARED,
    NEARBY,
    UNIFORM,
    CYCLE
};

/// Farthest from the end that a link has left, in hops (policy nearby).
constexpr size_t NEARBY_HOPS = 4;

/// Draws of a link and a coin after which nothing is held to be possible.
constexpr int ATTEMPTS = 1000;

Policy
GetPolicy(const std::string& name)
{
    static const std::map<std::string, Policy> policies{{"shared", Policy::SHARED},
                                                        {"nearby", Policy::NEARBY},
                                                        {"uniform", Policy::UNIFORM},
                                                        {"cycle", Policy::CYCLE}};
    const auto found = policies.find(name);
    if (found == policies.end())
    {
        throw std::invalid_argument("no reconfiguration policy '" + name + "'");
    }
    return found->second;
}

/// A link that breaks, and what is drawn with it of the one that replaces it.
struct Plan
{
    Edge old;
    bool firstStays{false};    //!< shared and nearby: else the second end of the old link stays
    std::optional<Edge> fresh; //!< cycle
};

/// Draws changes in the order of time.
class Draw
{
  public:
    Draw(Forest tree, const WorldOptions& options)
        : m_random(STREAM_OVERLAY_RECONFIGURATIONS),
          m_policy(GetPolicy(options.policy)),
          m_degree(options.degree),
          m_tree(std::move(tree))
    {
    }

    std::vector<ReconfigurationWorld::Change> Run(const WorldOptions& options)
    {
        std::deque<std::pair<double, std::pair<ReconfigurationId, Plan>>> missing;
        std::vector<ReconfigurationWorld::Change> changes;
        const auto replaceUntil = [&](double seconds) {
            while (!missing.empty() && missing.front().first <= seconds)
            {
                const auto [due, broken] = missing.front();
                missing.pop_front();
                const auto fresh = DrawReplacement(broken.second);
                m_tree.Add(fresh.first, fresh.second);
                changes.push_back({due, broken.first, false, fresh});
            }
        };
        for (ReconfigurationId id = 0; options.reconfigurationHz > 0; ++id)
        {
            const auto at = options.beginSeconds + id / options.reconfigurationHz;
            if (at >= options.endSeconds)
            {
                break;
            }
            replaceUntil(at);
            const auto plan = DrawBreak();
            if (!plan)
            {
                continue;
            }
            m_tree.Remove(plan->old.first, plan->old.second);
            changes.push_back({at, id, true, plan->old});
            missing.push_back({at + options.repairSeconds, {id, *plan}});
        }
        replaceUntil(missing.empty() ? 0 : missing.back().first);
        return changes;
    }

  private:
    /// @return what breaks now, nothing if no link is up
    std::optional<Plan> DrawBreak()
    {
        const auto edges = m_tree.GetEdges();
        std::optional<Plan> plan;
        for (int attempt = 0; !edges.empty() && attempt < ATTEMPTS; ++attempt)
        {
            plan = m_policy == Policy::CYCLE ? DrawCycle()
                                             : Plan{m_random.Of(edges), m_random.Below(2) == 0, {}};
            if (!plan)
            {
                continue;
            }
            m_tree.Remove(plan->old.first, plan->old.second);
            const bool isPossible = !GetCandidates(*plan).empty();
            m_tree.Add(plan->old.first, plan->old.second);
            if (isPossible)
            {
                return plan;
            }
        }
        return plan;
    }

    /// A pair that is no link, and a link of the way between them.
    std::optional<Plan> DrawCycle()
    {
        const auto one = static_cast<NodeId>(m_random.Below(m_tree.GetSize()));
        const auto other = static_cast<NodeId>(m_random.Below(m_tree.GetSize()));
        const auto path = m_tree.GetPath(one, other);
        if (path.size() < 3 || !IsFree(one) || !IsFree(other))
        {
            return {};
        }
        const auto place = m_random.Below(path.size() - 1);
        return Plan{std::minmax(path[place], path[place + 1]), false, Edge{one, other}};
    }

    bool IsFree(NodeId node) const
    {
        return m_tree.GetNeighbours(node).size() < m_degree;
    }

    std::vector<NodeId> GetFree(std::vector<NodeId> nodes) const
    {
        std::erase_if(nodes, [this](auto node) { return !IsFree(node); });
        return nodes;
    }

    /// @return what may replace the link of @p plan, which is not in the tree
    std::vector<Edge> GetCandidates(const Plan& plan) const
    {
        switch (m_policy)
        {
        case Policy::SHARED:
        case Policy::NEARBY: {
            const auto [stays, left] =
                plan.firstStays ? plan.old : Edge{plan.old.second, plan.old.first};
            return Pair(IsFree(stays) ? std::vector{stays} : std::vector<NodeId>(),
                        GetFree(GetReach(left)),
                        plan.old);
        }
        case Policy::UNIFORM:
            return Pair(GetFree(m_tree.GetPart(plan.old.first)),
                        GetFree(m_tree.GetPart(plan.old.second)),
                        plan.old);
        case Policy::CYCLE: {
            const auto [one, other] = *plan.fresh;
            const bool isBetween = Connects(plan.old, one, other) || Connects(plan.old, other, one);
            return isBetween && IsFree(one) && IsFree(other) ? std::vector{*plan.fresh}
                                                             : std::vector<Edge>();
        }
        }
        return {};
    }

    /// @return where a link that has left @p node may go
    std::vector<NodeId> GetReach(NodeId node) const
    {
        auto part = m_tree.GetPart(node);
        if (m_policy == Policy::NEARBY)
        {
            std::erase_if(part, [this, node](auto other) {
                return m_tree.GetPath(node, other).size() > NEARBY_HOPS + 1;
            });
        }
        return part;
    }

    bool Connects(const Edge& old, NodeId one, NodeId other) const
    {
        return !m_tree.GetPath(old.first, one).empty() &&
               !m_tree.GetPath(old.second, other).empty();
    }

    /// @return all links between the two, but @p old
    static std::vector<Edge> Pair(const std::vector<NodeId>& ones,
                                  const std::vector<NodeId>& others,
                                  const Edge& old)
    {
        std::vector<Edge> pairs;
        for (const auto one : ones)
        {
            for (const auto other : others)
            {
                if (std::minmax(one, other) != std::minmax(old.first, old.second))
                {
                    pairs.emplace_back(one, other);
                }
            }
        }
        return pairs;
    }

    Edge DrawReplacement(const Plan& plan)
    {
        auto candidates = GetCandidates(plan);
        if (candidates.empty())
        {
            candidates = Pair(GetFree(m_tree.GetPart(plan.old.first)),
                              GetFree(m_tree.GetPart(plan.old.second)),
                              plan.old);
        }
        return candidates.empty() ? plan.old : m_random.Of(candidates);
    }

    StreamRandom m_random;
    Policy m_policy;
    size_t m_degree;
    Forest m_tree;
};

} // namespace

std::vector<ReconfigurationWorld::Change>
DrawChanges(Forest tree, const WorldOptions& options)
{
    return Draw(std::move(tree), options).Run(options);
}

} // namespace mftpubsub
