/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "content/matcher.h"

#include "ns3/test.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <utility>

namespace mftpubsub::matcher_test
{

namespace
{

using Pairs = std::set<std::pair<NodeId, Filter>>;

/// What Matcher is to give: every filter evaluated, one after another.
std::vector<NodeId>
Scan(const Pairs& pairs, const Event& event)
{
    std::set<NodeId> matched;
    for (const auto& [subscriber, filter] : pairs)
    {
        if (filter.Matches(event))
        {
            matched.insert(subscriber);
        }
    }
    return {matched.begin(), matched.end()};
}

/// Random conditions and events over few attributes and values, so that they often meet.
class Generator
{
  public:
    explicit Generator(uint32_t seed)
        : m_random(seed)
    {
    }

    uint32_t Draw(uint32_t below)
    {
        return std::uniform_int_distribution<uint32_t>(0, below - 1)(m_random);
    }

    NodeId DrawSubscriber()
    {
        constexpr NodeId last = std::numeric_limits<NodeId>::max();
        return Draw(20) == 0 ? last - 1 : static_cast<NodeId>(Draw(50));
    }

    Event DrawEvent()
    {
        Event event;
        for (const auto* name : NAMES)
        {
            if (Draw(5) != 0)
            {
                event.attributes.emplace_back(name, DrawValue());
            }
        }
        std::ranges::shuffle(event.attributes, m_random);
        return event;
    }

    std::string DrawCondition(int depth)
    {
        switch (depth > 0 ? Draw(6) : 3)
        {
        case 0:
            return "NOT (" + DrawCondition(depth - 1) + ")";
        case 1:
        case 2:
            return DrawJunction(" AND ", depth);
        case 3:
        case 4:
            return DrawPredicate();
        default:
            return DrawJunction(" OR ", depth);
        }
    }

  private:
    static constexpr std::array NAMES{"a", "b", "c", "d", "e.f"};
    static constexpr std::array COMPARISONS{"=", "<>", "<", "<=", ">", ">="};
    static constexpr std::array LITERALS{"0",
                                         "1",
                                         "2",
                                         "3",
                                         "-1",
                                         "2.5",
                                         "3.0",
                                         "1e300",
                                         "-1e300",
                                         "1e308 * 10",
                                         "1e308 * 10 - 1e308 * 10",
                                         "1e-320",
                                         "1 / 0",
                                         "9007199254740992",
                                         "9007199254740993",
                                         "9007199254740992.0",
                                         "9223372036854775807",
                                         "9223372036854775807 + 1",
                                         "-9223372036854775808",
                                         "9223372036854775808.0",
                                         "'x'",
                                         "'xy'",
                                         "''",
                                         "TRUE",
                                         "FALSE"};

    std::string DrawName()
    {
        return NAMES[Draw(NAMES.size())];
    }

    std::string DrawComparison()
    {
        return std::string(" ") + COMPARISONS[Draw(COMPARISONS.size())] + " ";
    }

    std::string DrawLiteral()
    {
        return Draw(2) == 0 ? std::to_string(Draw(5)) : LITERALS[Draw(LITERALS.size())];
    }

    std::string DrawNot()
    {
        return Draw(3) == 0 ? " NOT" : "";
    }

    std::string DrawJunction(const std::string& by, int depth)
    {
        std::string text = "(" + DrawCondition(depth - 1) + ")";
        for (uint32_t more = 1 + Draw(3); more > 0; --more)
        {
            text += by + "(" + DrawCondition(depth - 1) + ")";
        }
        return text;
    }

    std::string DrawPredicate()
    {
        switch (Draw(12))
        {
        case 0:
            return DrawName();
        case 1:
            return DrawName() + DrawNot() + " IN (" + std::to_string(Draw(5)) + ", 2.5, 'x', TRUE)";
        case 2:
            return DrawName() + DrawNot() + " LIKE '%x_'";
        case 3:
            return DrawName() + " IS" + DrawNot() + " NULL";
        case 4:
        case 5:
            return DrawName() + DrawNot() + " BETWEEN " + DrawLiteral() + " AND " + DrawLiteral();
        case 6:
            return DrawName() + " + " + DrawName() + DrawComparison() + DrawLiteral();
        case 7:
            return DrawLiteral() + DrawComparison() + DrawName();
        case 8:
            return DrawLiteral() + DrawComparison() + DrawLiteral();
        default:
            return DrawName() + DrawComparison() + DrawLiteral();
        }
    }

    Value DrawValue()
    {
        static const std::array<Value, 20> values{
            int64_t{9007199254740992},
            int64_t{9007199254740993},
            std::numeric_limits<int64_t>::max(),
            std::numeric_limits<int64_t>::min(),
            int64_t{-1},
            2.5,
            -0.0,
            1e300,
            1e-320,
            9007199254740992.0,
            9223372036854775808.0,
            std::numeric_limits<double>::quiet_NaN(),
            std::numeric_limits<double>::infinity(),
            -std::numeric_limits<double>::infinity(),
            std::string("x"),
            std::string("xy"),
            std::string(),
            std::string("\xc3\xa9x\xc3\xa9"),
            true,
            false,
        };
        return Draw(2) == 0 ? Value(int64_t{Draw(5)}) : values[Draw(values.size())];
    }

    std::mt19937 m_random;
};

class RandomTablesTestCase : public ns3::TestCase
{
  public:
    explicit RandomTablesTestCase(int depth)
        : ns3::TestCase("matches what a scan matches, whatever was inserted and removed; depth " +
                        std::to_string(depth)),
          m_depth(depth)
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t seed = 1; seed <= 20; ++seed)
        {
            Generator generator(seed);
            Matcher matcher;
            Pairs pairs;
            for (int round = 0; round < 30; ++round)
            {
                Insert(generator, matcher, pairs);
                Remove(generator, matcher, pairs, generator.Draw(5) == 0 ? 1 : 4);
                CompareWithScan(generator, matcher, pairs, seed);
            }
            Remove(generator, matcher, pairs, 1);
            CompareWithScan(generator, matcher, pairs, seed);
        }
    }

    void Insert(Generator& generator, Matcher& matcher, Pairs& pairs) const
    {
        for (uint32_t count = generator.Draw(40); count > 0; --count)
        {
            const NodeId subscriber = generator.DrawSubscriber();
            const Filter filter = Filter::Parse(generator.DrawCondition(m_depth));
            matcher.Insert(subscriber, filter);
            pairs.emplace(subscriber, filter);
        }
    }

    /// Removes one pair in @p share, and some that are not held.
    static void Remove(Generator& generator, Matcher& matcher, Pairs& pairs, uint32_t share)
    {
        for (auto pair = pairs.begin(); pair != pairs.end();)
        {
            matcher.Remove(60, pair->second);
            if (generator.Draw(share) == 0)
            {
                matcher.Remove(pair->first, pair->second);
                pair = pairs.erase(pair);
            }
            else
            {
                ++pair;
            }
        }
        matcher.Remove(1, Filter::Parse("never.inserted = 1"));
    }

    void CompareWithScan(Generator& generator,
                         const Matcher& matcher,
                         const Pairs& pairs,
                         uint32_t seed)
    {
        for (int i = 0; i < 20; ++i)
        {
            const Event event = generator.DrawEvent();
            NS_TEST_ASSERT_MSG_EQ((matcher.Match(event) == Scan(pairs, event)),
                                  true,
                                  "differs from the scan, seed " << seed);
        }
    }

    int m_depth;
};

/// One table and events of which it is said which subscribers they reach.
class TableTestCase : public ns3::TestCase
{
  public:
    TableTestCase(std::string name,
                  std::vector<std::pair<NodeId, std::string>> table,
                  std::vector<std::pair<Value, std::vector<NodeId>>> expected)
        : ns3::TestCase(std::move(name)),
          m_table(std::move(table)),
          m_expected(std::move(expected))
    {
    }

  private:
    void DoRun() override
    {
        Matcher matcher;
        for (const auto& [subscriber, text] : m_table)
        {
            matcher.Insert(subscriber, Filter::Parse(text));
        }
        for (const auto& [value, subscribers] : m_expected)
        {
            Event event;
            event.attributes = {{"x", value}};
            NS_TEST_EXPECT_MSG_EQ((matcher.Match(event) == subscribers), true, GetName());
        }
    }

    std::vector<std::pair<NodeId, std::string>> m_table;
    std::vector<std::pair<Value, std::vector<NodeId>>> m_expected;
};

class RemovalTestCase : public ns3::TestCase
{
  public:
    RemovalTestCase()
        : ns3::TestCase("a filter that two subscribers share stays until both have removed it")
    {
    }

  private:
    void DoRun() override
    {
        const Filter filter = Filter::Parse("x = 1");
        Event event;
        event.attributes = {{"x", int64_t{1}}};
        Matcher matcher;
        matcher.Insert(3, filter);
        matcher.Insert(3, filter);
        matcher.Insert(2, Filter::Parse("x = 1"));
        matcher.Remove(3, filter);
        NS_TEST_EXPECT_MSG_EQ((matcher.Match(event) == std::vector<NodeId>{2}), true, "2 is left");
        matcher.Remove(2, filter);
        NS_TEST_EXPECT_MSG_EQ(matcher.Match(event).empty(), true, "nobody is left");
    }
};

class MatcherTestSuite : public ns3::TestSuite
{
  public:
    MatcherTestSuite()
        : ns3::TestSuite("mftpubsub-matcher", Type::UNIT)
    {
        const auto quick = ns3::TestCase::Duration::QUICK;
        AddTestCase(new TableTestCase("subscribers come in ascending order, each once",
                                      {{7, "x > 1"}, {2, "x = 2"}, {7, "x = 2"}, {5, "x <= 2"}},
                                      {{int64_t{2}, {2, 5, 7}}, {int64_t{1}, {5}}}),
                    quick);
        AddTestCase(
            new TableTestCase("an integer and a float that are equal match the same",
                              {{1, "x = 3"}, {2, "x = 3.0"}, {3, "x BETWEEN 3 AND 3.0"}},
                              {{int64_t{3}, {1, 2, 3}}, {3.0, {1, 2, 3}}, {std::string("3"), {}}}),
            quick);
        AddTestCase(new TableTestCase("integers beyond the precision of a float are told apart",
                                      {{1, "x = 9007199254740992"},
                                       {2, "x = 9007199254740993"},
                                       {3, "x > 9007199254740992.0"}},
                                      {{int64_t{9007199254740992}, {1}},
                                       {int64_t{9007199254740993}, {2, 3}},
                                       {9007199254740992.0, {1}}}),
                    quick);
        AddTestCase(new TableTestCase("not a number matches no comparison, but is a value",
                                      {{1, "x = x"}, {2, "NOT x > 0"}, {3, "x IS NOT NULL"}},
                                      {{std::nan(""), {3}}}),
                    quick);
        AddTestCase(new TableTestCase("a condition that needs no attribute matches every event",
                                      {{1, "y IS NULL"},
                                       {2, "1 < 2"},
                                       {3, "FALSE"},
                                       {4, "TRUE"},
                                       {5, "NOT FALSE"},
                                       {6, "NOT TRUE"}},
                                      {{true, {1, 2, 4, 5}}}),
                    quick);
        AddTestCase(new RemovalTestCase, quick);
        for (const int depth : {0, 1, 3})
        {
            AddTestCase(new RandomTablesTestCase(depth), quick);
        }
    }
};

MatcherTestSuite g_matcherTestSuite;

} // namespace

} // namespace mftpubsub::matcher_test
