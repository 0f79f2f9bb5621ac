/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/reconfiguration/make-dispatcher.h"
#include "scenario/simulator-lease.h"
#include "worlds/reconfiguration-draw.h"

#include "ns3/test.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>

namespace mftpubsub::reconfiguration::reconfiguration_world_test
{

namespace
{

/// C's table I, of 60 dispatchers.
WorldOptions
MakeOptions()
{
    WorldOptions options;
    options.dispatchers = 60;
    options.degree = 4;
    options.patterns = 96;
    options.patternsPerClient = 7;
    options.subscribers = 0.2;
    options.characters = 9;
    options.seconds = 8;
    options.policy = "shared";
    options.reconfigurationHz = 3;
    options.repairSeconds = 0.1;
    options.beginSeconds = 3;
    options.endSeconds = 7;
    return options;
}

ReconfigurationWorld
Draw(const WorldOptions& options, uint64_t seed)
{
    const SimulatorLease lease(seed);
    return DrawWorld(options);
}

WorldResult
Play(const ReconfigurationWorld& world, const std::string& protocol)
{
    const SimulatorLease lease(1);
    return RunWorld(world, {protocol, {1000, 0.15, 0.15}, 0.1});
}

/// Hops between two dispatchers.
size_t
GetDistance(const Forest& tree, NodeId one, NodeId other)
{
    return tree.GetPath(one, other).size() - 1;
}

class DrawnChanges : public ns3::TestCase
{
  public:
    DrawnChanges()
        : TestCase("every policy replaces links within the degree, by what it says")
    {
    }

  private:
    /// What a policy says of a link and the one that replaces it; the tree has neither.
    using Rule = std::function<bool(const Forest& tree, Edge old, Edge fresh)>;

    void DoRun() override
    {
        const auto shared = [](const Forest&, Edge old, Edge fresh) {
            return (std::set{old.first, old.second, fresh.first, fresh.second}.size() == 3);
        };
        const auto nearby = [shared](const Forest& tree, Edge old, Edge fresh) {
            const auto ends = std::set{old.first, old.second};
            const auto moved = ends.contains(fresh.first) ? fresh.second : fresh.first;
            const auto stays = ends.contains(fresh.first) ? fresh.first : fresh.second;
            const auto left = old.first == stays ? old.second : old.first;
            return shared(tree, old, fresh) && GetDistance(tree, left, moved) <= 4;
        };
        const auto any = [](const Forest&, Edge, Edge) { return true; };
        const std::map<std::string, Rule> rules{{"shared", shared},
                                                {"nearby", nearby},
                                                {"uniform", any},
                                                {"cycle", any}};
        for (const auto& [policy, rule] : rules)
        {
            for (const bool isBalanced : {true, false})
            {
                for (uint64_t seed = 1; seed <= 5; ++seed)
                {
                    auto options = MakeOptions();
                    options.policy = policy;
                    options.isBalanced = isBalanced;
                    Check(Draw(options, seed), options, rule);
                }
            }
        }
    }

    void Check(const ReconfigurationWorld& world, const WorldOptions& options, const Rule& rule)
    {
        auto tree = world.tree;
        NS_TEST_ASSERT_MSG_EQ(tree.GetPart(0).size(), options.dispatchers, "one tree");
        NS_TEST_ASSERT_MSG_EQ(world.changes.size(), 24, "12 breaks, 12 repairs");
        Edge old;
        for (const auto& change : world.changes)
        {
            const auto [one, other] = change.link;
            if (change.breaks)
            {
                old = change.link;
                tree.Remove(one, other);
                continue;
            }
            NS_TEST_ASSERT_MSG_EQ(rule(tree, old, change.link), true, options.policy);
            NS_TEST_ASSERT_MSG_EQ((std::minmax(one, other) == std::minmax(old.first, old.second)),
                                  false,
                                  "another link");
            tree.Add(one, other);
            NS_TEST_ASSERT_MSG_LT_OR_EQ(tree.GetNeighbours(one).size(), options.degree, "degree");
            NS_TEST_ASSERT_MSG_LT_OR_EQ(tree.GetNeighbours(other).size(), options.degree, "degree");
        }
    }
};

class TheRateChangesNothingElse : public ns3::TestCase
{
  public:
    TheRateChangesNothingElse()
        : TestCase("a seed fixes tree and subscriptions, whatever else changes")
    {
    }

  private:
    void DoRun() override
    {
        auto options = MakeOptions();
        const auto first = Draw(options, 1);
        options.reconfigurationHz = 30;
        options.publishHz = 1;
        const auto second = Draw(options, 1);
        NS_TEST_ASSERT_MSG_EQ((first.tree.GetEdges() == second.tree.GetEdges()), true, "tree");
        NS_TEST_ASSERT_MSG_EQ((first.wanted == second.wanted), true, "subscriptions");
        NS_TEST_ASSERT_MSG_EQ((first.wanted == Draw(options, 2).wanted), false, "another seed");
        const auto subscribers =
            std::count_if(first.wanted.begin(), first.wanted.end(), [](const auto& row) {
                return row.size() == 7 && std::set(row.begin(), row.end()).size() == 7;
            });
        NS_TEST_ASSERT_MSG_EQ(subscribers, 12, "a fifth of 60");
    }
};

class EventsAreDelivered : public ns3::TestCase
{
  public:
    EventsAreDelivered()
        : TestCase("without reconfigurations every event reaches who wants it, and nobody in vain")
    {
    }

  private:
    void DoRun() override
    {
        auto options = MakeOptions();
        options.publishHz = 2;
        options.reconfigurationHz = 0;
        const auto world = Draw(options, 1);
        for (const auto& protocol : GetProtocols())
        {
            const auto result = Play(world, protocol);
            NS_TEST_ASSERT_MSG_EQ((result.expected == result.delivered), true, protocol);
            const bool floods = protocol == "event-forwarding";
            const auto hops = floods ? world.publications.size() * (options.dispatchers - 1)
                                     : result.goodEventHops;
            NS_TEST_ASSERT_MSG_EQ(result.eventHops, hops, protocol);
            NS_TEST_ASSERT_MSG_EQ(result.faults.empty(), true, protocol);
        }
        const auto expected = Play(world, "strawman").expected;
        NS_TEST_ASSERT_MSG_GT(std::accumulate(expected.begin(), expected.end(), uint64_t{0}),
                              100,
                              "some");
    }
};

class SwapsLeaveTablesRight : public ns3::TestCase
{
  public:
    SwapsLeaveTablesRight()
        : TestCase(
              "clients that swap during overlapping reconfigurations leave tables as from scratch")
    {
    }

  private:
    void DoRun() override
    {
        auto options = MakeOptions();
        options.core = 0.5;
        options.subscribers = 0.5;
        options.swapHz = 5;
        options.reconfigurationHz = 60;
        const auto world = Draw(options, 3);
        NS_TEST_ASSERT_MSG_GT(world.swaps.size(), 500, "swaps");
        for (const auto& protocol : GetProtocols())
        {
            if (AllowsOverlap(protocol))
            {
                NS_TEST_ASSERT_MSG_EQ(Play(world, protocol).faults.empty(), true, protocol);
                continue;
            }
            bool isRefused = false;
            try
            {
                Play(world, protocol);
            }
            catch (const std::invalid_argument&)
            {
                isRefused = true;
            }
            NS_TEST_ASSERT_MSG_EQ(isRefused, true, "overlap is refused");
        }
    }
};

class ReconfigurationWorldTestSuite : public ns3::TestSuite
{
  public:
    ReconfigurationWorldTestSuite()
        : TestSuite("mftpubsub-reconfiguration-world", Type::UNIT)
    {
        AddTestCase(new DrawnChanges, Duration::QUICK);
        AddTestCase(new TheRateChangesNothingElse, Duration::QUICK);
        AddTestCase(new EventsAreDelivered, Duration::QUICK);
        AddTestCase(new SwapsLeaveTablesRight, Duration::QUICK);
    }
};

ReconfigurationWorldTestSuite g_reconfigurationWorldTestSuite;

} // namespace

} // namespace mftpubsub::reconfiguration::reconfiguration_world_test
