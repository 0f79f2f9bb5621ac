/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Sets of ids and values by id, beside those of the standard library.
 */
#include "content/id-map.h"
#include "content/id-set.h"
#include "function-case.h"
#include "protocols/mesh/subscriber-sets.h"

#include "ns3/test.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <vector>

namespace mftpubsub::id_sets_test
{

namespace
{

using mesh::SubscriberSets;

/// @return an id: of some that are close together, or of any
NodeId
DrawId(std::mt19937& draw)
{
    return static_cast<NodeId>(draw() % 4 == 0 ? draw() : 100 + draw() % 200);
}

std::set<NodeId>
DrawIds(std::mt19937& draw)
{
    std::set<NodeId> ids;
    for (auto left = draw() % 60; left > 0; --left)
    {
        ids.insert(DrawId(draw));
    }
    return ids;
}

IdSet
ToIdSet(const std::set<NodeId>& ids)
{
    return IdSet(std::vector<NodeId>(ids.rbegin(), ids.rend()));
}

bool
AreSame(const IdSet& set, const std::set<NodeId>& ids)
{
    return std::ranges::equal(set, ids) && set.Count() == ids.size() &&
           set.IsEmpty() == ids.empty() && set == ToIdSet(ids) &&
           set.GetHash() == ToIdSet(ids).GetHash();
}

void
SetsHaveWhatWasPutThere(FunctionCase& test)
{
    std::mt19937 draw(1);
    IdSet set;
    std::set<NodeId> expected;
    for (int i = 0; i < 5000; ++i)
    {
        const auto id = DrawId(draw);
        test.Expect(set.Has(id) == expected.contains(id), "whether it is there");
        if (draw() % 3 == 0)
        {
            set.Erase(id);
            expected.erase(id);
        }
        else
        {
            set.Insert(id);
            expected.insert(id);
        }
    }
    test.Expect(AreSame(set, expected), "all, ascending");
    test.Expect(AreSame({NO_NODE, 0}, {0, NO_NODE}), "the least and the greatest id");
    test.Expect(set != IdSet(), "an empty one is another");
}

void
SetsAreJoinedAndCut(FunctionCase& test)
{
    std::mt19937 draw(2);
    for (int i = 0; i < 500; ++i)
    {
        const auto one = DrawIds(draw);
        const auto other = DrawIds(draw);
        std::set<NodeId> both;
        std::set<NodeId> left;
        std::set<NodeId> common;
        std::ranges::set_union(one, other, std::inserter(both, both.end()));
        std::ranges::set_difference(one, other, std::inserter(left, left.end()));
        std::ranges::set_intersection(one, other, std::inserter(common, common.end()));
        auto joined = ToIdSet(one);
        joined.Insert(ToIdSet(other));
        test.Expect(AreSame(joined, both), "together");
        test.Expect(AreSame(ToIdSet(one).Minus(ToIdSet(other)), left), "without the others");
        test.Expect(AreSame(ToIdSet(one).And(ToIdSet(other)), common), "what both have");
        test.Expect(ToIdSet(one).HasAny(ToIdSet(other)) == !common.empty(), "whether there is any");
    }
}

void
BrokersKeepEachSetOnce(FunctionCase& test)
{
    SubscriberSets sets;
    const auto all = sets.Get({1, 2, 300});
    test.Expect(sets.Get({300, 1, 2}) == all, "one is kept");
    test.Expect(sets.Minus(all, {7}) == all, "nobody is gone");
    const auto left = sets.Minus(all, {2, 7});
    test.Expect(*left == IdSet{1, 300}, "one is gone");
    test.Expect(sets.Minus(left, {1}) == sets.Get({300}), "a change of another set");
    test.Expect(sets.Minus(left, {300}) == sets.Get({1}), "another change of it");
    test.Expect(sets.Plus(left, {2}) == all, "and back");
    test.Expect(sets.Plus(left, {9}) == sets.Get({1, 9, 300}), "with somebody else");
    test.Expect(sets.And(all, {2, 5}) == sets.Get({2}), "of these");
    for (NodeId id = 0; id < 1000; ++id)
    {
        sets.Plus(all, {id});
    }
    test.Expect(sets.Count() < 50, "what nobody has is forgotten");
    test.Expect(*all == IdSet{1, 2, 300}, "not what somebody has");
}

void
ValuesAreFoundByTheirIds(FunctionCase& test)
{
    std::mt19937 draw(3);
    IdMap<int> values;
    std::map<NodeId, int> expected;
    for (int i = 0; i < 3000; ++i)
    {
        const auto id = DrawId(draw);
        const auto* found = values.Find(id);
        test.Expect((found != nullptr) == expected.contains(id), "whether it is there");
        test.Expect(!found || *found == expected.at(id), "its value");
        values[id] = i;
        expected[id] = i;
        if (i % 3 == 0)
        {
            const auto gone = DrawId(draw);
            values.Erase(gone);
            expected.erase(gone);
        }
        if (i % 5 == 0)
        {
            const auto from = DrawId(draw);
            const auto next = expected.lower_bound(from);
            test.Expect(values.GetNext(from) ==
                            (next == expected.end() ? std::nullopt : std::optional(next->first)),
                        "the next one");
        }
    }
    test.Expect(values.Count() == expected.size(), "as many");
    values[NO_NODE] = 1;
    test.Expect(values.GetNext(NO_NODE) == NO_NODE, "the greatest id");
    test.Expect(!values.GetNext(NO_NODE + 1U), "nothing is behind it");
}

void
OldValuesGo(FunctionCase& test)
{
    IdMap<int> values;
    for (int i = 0; i < 10000; ++i)
    {
        values.Prune([i](int value) { return value < i - 100; });
        values[static_cast<NodeId>(7 * i)] = i;
        test.Expect(values.Count() < 300, "what is old is gone, not at once");
    }
    for (int i = 9900; i < 10000; ++i)
    {
        const auto* value = values.Find(static_cast<NodeId>(7 * i));
        test.Expect(value && *value == i, "what is young is there");
    }
}

void
AllValuesAreAsked(FunctionCase& test)
{
    IdMap<int> values;
    for (const auto id : {1, 2, 70, 300})
    {
        values[static_cast<NodeId>(id)] = id;
    }
    const auto isOver = [](int most) { return [most](int value) { return value > most; }; };
    test.Expect(values.HasAny(isOver(299)) && !values.HasAny(isOver(300)), "one of them");
    test.Expect(values.CountIf(isOver(1)) == 3, "some of them");
    values.ForEach([](int& value) { value += 100; });
    test.Expect(*values.Find(70) == 170, "each");
    values.EraseIf(isOver(102));
    test.Expect(values.Count() == 2 && !values.Find(70) && *values.Find(2) == 102, "all but two");
    values.EraseIf(isOver(1000));
    test.Expect(values.Count() == 2, "none");
}

class IdSetsSuite : public ns3::TestSuite
{
  public:
    IdSetsSuite()
        : TestSuite("mftpubsub-id-sets", Type::UNIT)
    {
        AddTestCase(new FunctionCase("a set of ids has those that were put there",
                                     SetsHaveWhatWasPutThere));
        AddTestCase(new FunctionCase("sets of ids are joined and cut", SetsAreJoinedAndCut));
        AddTestCase(new FunctionCase("a broker keeps each set of subscribers once",
                                     BrokersKeepEachSetOnce));
        AddTestCase(new FunctionCase("a value is found by its id", ValuesAreFoundByTheirIds));
        AddTestCase(new FunctionCase("values that are old go", OldValuesGo));
        AddTestCase(new FunctionCase("all values are asked", AllValuesAreAsked));
    }
};

IdSetsSuite g_idSetsSuite;

} // namespace

} // namespace mftpubsub::id_sets_test
