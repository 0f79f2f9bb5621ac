/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The tree that hand-off schemes route over, and what their messages cost on it.
 */
#include "function-case.h"
#include "protocols/handoff/messages.h"
#include "protocols/handoff/tree.h"

#include "ns3/test.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::handoff::handoff_tree_test
{

namespace
{

using Links = std::vector<std::pair<NodeId, NodeId>>;

void
WaysLeadOverTheTree(FunctionCase& test)
{
    const Tree tree({{5, 3}, {3, 1}, {3, 2}, {4, 5}}, 3);
    test.Expect(tree.GetNeighbours(3) == std::vector<NodeId>{1, 2, 5}, "ascending");
    test.Expect(tree.GetNextHop(4, 1) == 5 && tree.GetNextHop(5, 1) == 3, "hop by hop");
    test.Expect(tree.GetNextHop(3, 4) == 5 && tree.GetNextHop(1, 2) == 3, "either way");
    test.Expect(tree.GetRoot() == 3 && tree.GetParent(3) == NO_NODE, "the root has no parent");
    test.Expect(tree.GetParent(4) == 5 && tree.GetParent(2) == 3, "others are below it");
    const Tree alone({}, 7);
    test.Expect(alone.GetNeighbours(7).empty(), "one broker is a tree");
}

std::string
FindProblem(const Links& links)
{
    try
    {
        Tree tree(links, 1);
        return "";
    }
    catch (const std::invalid_argument& error)
    {
        return error.what();
    }
}

void
WhatIsNoTreeIsRefused(FunctionCase& test)
{
    const std::string routes = "this scheme routes over a tree: ";
    test.Expect(FindProblem({{1, 2}, {2, 3}, {3, 1}}) == routes + "3 brokers have 2 links, not 3",
                "a circle");
    test.Expect(FindProblem({{1, 2}, {3, 4}}) == routes + "4 brokers have 3 links, not 2",
                "too few links");
    test.Expect(FindProblem({{1, 2}, {3, 4}, {4, 5}, {5, 3}}) ==
                    routes + "some brokers are not linked",
                "a circle beside a part");
}

void
MessagesHaveTheirSizes(FunctionCase& test)
{
    auto event = std::make_shared<Event>();
    event->id = {1, 1};
    event->payloadBytes = 20;
    const uint64_t e = GetSize(*event);
    const std::vector<Held> two{{event}, {event}};
    const auto filter = Filter::Parse("a = 1");
    const uint64_t f = 2 + 5;
    const Neighbours three{1, 2, 3};
    Consumed last;
    last.Add({1, 1});
    last.Add({2, 1});
    const auto expect = [&test](const handoff::Message& message, uint64_t payload) {
        const auto size = GetSize(message);
        test.Expect(size == 3 + payload,
                    std::string(GetName(message)) + " takes " + std::to_string(size));
    };
    expect(handoff::Sub{7, filter, NO_NODE}, f);
    expect(handoff::Uns{7}, 0);
    expect(Reconnect{7, 2, last, 1, {filter}, 0}, 2 + 6 + 4 + f);
    expect(Evack{7, {1, 1}}, 6);
    expect(Fetch{7, 1}, 4);
    expect(Subs{7, 1, {filter}, Subs::Mode::PLAIN}, 2 + f + 4);
    expect(Subs{7, {}, {filter}, Subs::Mode::PASSIVE}, 2 + f);
    expect(Remove{7, 1, {}, {}}, 4);
    expect(Remove{7, {}, three, last}, 4 + 6 + 2 + 6);
    expect(Transfer{7, 1, two, {}}, 4 + 2 + 2 * e);
    expect(Transfer{7, {}, two, three}, 4 + 2 + 2 * e + 2 + 6);
    expect(Activate{7, {}, last}, 6);
    expect(Forward{7, {}, two}, 2 + 2 * e);
    expect(Context{7, {}, {filter}, last, two}, 4 + 6 + f + 2 * e);
    expect(Deactivate{7, {}}, 0);
    expect(Delete{7, {}, Delete::Why::MOVED}, 1);
    expect(Moved{7, {}, three, true, last}, 6 + 1 + 2 + 6);
    expect(MovedAck{7, {}, three, two}, 4 + 6 + 2 * e);
    expect(TreeSub{7, 2, {filter}}, 2 + 2 + f);
    expect(MoveOut{7, true}, 1);
    expect(GetState{7, 1, 2}, 4 + 2);
    expect(State2{7, two}, 2 + 2 * e);
    expect(Ping{7, 1, 2, 3}, 4 + 2 + 2);
    expect(RouteTo{7, 1, 8, last, {filter}}, 4 + 2 + 2 + 2 * 6 + 2 + f);
    expect(RoutedSub{7, {filter}, 1, 2}, 4 + 1 + 2 + f);
    expect(handoff::Mig{7, 2, 1, 2, 3}, 2 + 4 + 1 + 4);
}

class HandoffTreeSuite : public ns3::TestSuite
{
  public:
    HandoffTreeSuite()
        : TestSuite("mftpubsub-handoff-tree", Type::UNIT)
    {
        Add("Ways lead over the tree", WaysLeadOverTheTree);
        Add("What is no tree is refused", WhatIsNoTreeIsRefused);
        Add("Messages have their sizes", MessagesHaveTheirSizes);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

HandoffTreeSuite g_handoffTree;

} // namespace

} // namespace mftpubsub::handoff::handoff_tree_test
