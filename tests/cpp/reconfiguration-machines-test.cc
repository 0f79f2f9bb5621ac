/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The family of Cugola et al., a part at a time: tables, trees, costs, dispatchers.
 */
#include "function-case.h"
#include "protocols/reconfiguration/cost-ledger.h"
#include "protocols/reconfiguration/deferred-unsub.h"
#include "protocols/reconfiguration/event-forwarding.h"
#include "protocols/reconfiguration/informed-link-activation.h"
#include "protocols/reconfiguration/strawman.h"
#include "protocols/reconfiguration/table-check.h"
#include "protocols/reconfiguration/tree-maintenance.h"

#include "ns3/test.h"

#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::reconfiguration::reconfiguration_machines_test
{

using namespace std::chrono_literals;

namespace
{

constexpr NodeId SELF = 1;
constexpr NodeId LEFT = 2;
constexpr NodeId RIGHT = 3;
constexpr NodeId FAR = 4;

void
TablesKnowWhoWantsWhat(FunctionCase& test)
{
    using Subscribers = std::vector<Subscriber>;
    PatternTable table;
    test.Expect(!table.Has(LEFT, 5) && !table.Remove(LEFT, 5), "nothing yet");
    test.Expect(table.GetSubscribers(5).empty() && !table.IsKnown(5, LEFT), "of nobody");
    test.Expect(table.Add(RIGHT, 5) && table.Add(LEFT, 5) && table.Add(LOCAL, 2), "new");
    test.Expect(!table.Add(RIGHT, 5) && table.Has(RIGHT, 5) && !table.Has(RIGHT, 2), "known");
    test.Expect(table.GetSubscribers(5) == Subscribers{LEFT, RIGHT}, "ascending");
    test.Expect(table.GetRows() == Subscribers{LEFT, RIGHT, LOCAL}, "whose rows");
    test.Expect(table.IsKnown(2, LEFT) && !table.IsKnown(2, LOCAL), "by somebody else");
    test.Expect(table.IsKnown(5, LEFT) && table.IsKnown(5, RIGHT), "by the other one");
    test.Expect(table.GetKnown(LOCAL) == Patterns{5}, "for the clients");
    test.Expect(table.GetKnown(LEFT) == Patterns{2, 5}, "for a neighbour");
    table.Add(LEFT, 0);
    test.Expect(table.GetRow(LEFT) == Patterns{0, 5}, "a row");
    test.Expect(table.Remove(RIGHT, 5) && !table.Remove(RIGHT, 5), "removed once");
    test.Expect(table.RemoveRow(LEFT) == Patterns{0, 5} && table.GetRow(LEFT).empty(), "the row");
    test.Expect(table.GetRows() == Subscribers{LOCAL}, "the clients' is left");
    test.Expect(IsNeighbour(LEFT) && !IsNeighbour(LOCAL) && !IsNeighbour(Ghost(0)), "neighbours");
    test.Expect(Ghost(3) != Ghost(4), "a ghost each");
}

void
LedgersCountWhatReconfigurationsCost(FunctionCase& test)
{
    CostLedger ledger;
    test.Expect(ledger.GetCost() == 0 && ledger.GetEntries().empty(), "nothing yet");
    ledger.NoteSent(1, "SUB", 1, true);
    ledger.NoteSent(2, "SUB", 1, false);
    ledger.NoteSent(2, "FLUSH", 0.1, false);
    ledger.NoteSent(NO_RECONFIGURATION, "SUB", 1, true);
    const auto& subs = ledger.GetEntries().at("SUB");
    test.Expect(subs.count == 2 && subs.telling == 1 && subs.cost == 2, "of two SUBs one tells");
    test.Expect(ledger.GetEntries().at("FLUSH").telling == 0, "a FLUSH does not");
    test.Expect(ledger.GetCost() == 2.1, "all together");
    ledger.NoteInvolved(1, 7);
    ledger.NoteInvolved(1, 5);
    ledger.NoteInvolved(1, 7);
    ledger.NoteInvolved(NO_RECONFIGURATION, 9);
    test.Expect(ledger.GetInvolved(1) == std::set<NodeId>{5, 7}, "each once");
    test.Expect(ledger.GetInvolved(2).empty(), "nobody");
    test.Expect(ledger.GetInvolved(NO_RECONFIGURATION).empty(), "what clients cause costs nothing");
}

template <typename Call>
std::string
GetRefusal(Call call)
{
    try
    {
        call();
    }
    catch (const std::invalid_argument& refused)
    {
        return refused.what();
    }
    return "";
}

/// @return 0-1-2-3 and 1-4
Forest
MakeForest()
{
    Forest forest(6);
    forest.Add(1, 0);
    forest.Add(4, 1);
    forest.Add(1, 2);
    forest.Add(2, 3);
    return forest;
}

void
ForestsHaveNoCycles(FunctionCase& test)
{
    auto forest = MakeForest();
    using Nodes = std::vector<NodeId>;
    test.Expect(forest.GetNeighbours(1) == Nodes{0, 2, 4}, "ascending");
    test.Expect(forest.GetEdges() == std::vector<Edge>{{0, 1}, {1, 2}, {1, 4}, {2, 3}}, "links");
    test.Expect(forest.Has(1, 4) && forest.Has(4, 1) && !forest.Has(0, 2), "both ways");
    test.Expect(!forest.Has(6, 0), "no such dispatcher");
    test.Expect(forest.GetPath(0, 3) == Nodes{0, 1, 2, 3}, "a path");
    test.Expect(forest.GetPath(3, 3) == Nodes{3} && forest.GetPath(0, 5).empty(), "and none");
    test.Expect(forest.GetPart(3) == Nodes{3, 2, 1, 0, 4}, "nearest first");
    test.Expect(GetRefusal([&] { forest.Add(0, 3); }) == "link 0-3 would close a cycle", "a cycle");
    test.Expect(GetRefusal([&] { forest.Add(0, 6); }) ==
                    "link 0-6 has an end that is no dispatcher",
                "too high");
    test.Expect(GetRefusal([&] { forest.Add(6, 0); }) != "", "either end");
    test.Expect(GetRefusal([&] { forest.Remove(0, 2); }) == "there is no link 0-2", "none");
    forest.Remove(2, 1);
    test.Expect(!forest.Has(1, 2) && !forest.Has(2, 1), "gone");
    forest.Add(0, 3);
    test.Expect(forest.GetPath(1, 2) == Nodes{1, 0, 3, 2}, "another way");
}

void
PathsGoOverTheNewLink(FunctionCase& test)
{
    auto forest = MakeForest();
    forest.Remove(1, 2);
    const auto path = FindPath(forest, {2, 1}, {3, 4});
    test.Expect(path.nodes == std::vector<NodeId>{1, 4, 3, 2}, "from the lower end");
    test.Expect(path.headLength == 2, "up to the new link");
    const auto same = FindPath(forest, {1, 2}, {4, 3});
    test.Expect(same.nodes == path.nodes && same.headLength == 2, "however they are named");
    test.Expect(GetRefusal([&] { FindPath(forest, {1, 2}, {0, 4}); }) ==
                    "link 0-4 does not connect the parts of 1-2",
                "both ends in one part");
}

void
MaintenanceTellsBothEnds(FunctionCase& test)
{
    std::vector<std::string> told;
    TreeMaintenance tree(MakeForest(), [&](NodeId node, ReconfigurationId id, const auto& input) {
        auto text = std::to_string(id) + ":" + std::to_string(node);
        if (const auto* removed = std::get_if<input::LinkRemoved>(&input))
        {
            text += "-" + std::to_string(removed->neighbour);
        }
        else if (const auto* added = std::get_if<input::LinkAdded>(&input))
        {
            text += "+" + std::to_string(added->neighbour);
        }
        else if (const auto* link = std::get_if<input::LinkSubstituted>(&input))
        {
            const auto& how = link->substitution;
            text += " lost " + std::to_string(how.lost) + " for " + std::to_string(how.own) + "-" +
                    std::to_string(how.other);
        }
        told.push_back(text);
    });
    tree.Break(9, 2, 1);
    test.Expect(told == std::vector<std::string>{"9:1-2", "9:2-1"}, "it is gone");
    test.Expect(GetRefusal([&] { tree.Break(9, 2, 3); }) == "reconfiguration 9 has begun already",
                "one at a time");
    test.Expect(GetRefusal([&] { tree.Replace(8, 3, 4); }) ==
                    "no link of reconfiguration 8 is missing",
                "another");
    test.Expect(GetRefusal([&] { tree.Replace(9, 0, 4); }) != "", "in one part");
    told.clear();
    tree.Replace(9, 3, 4);
    test.Expect(
        told ==
            std::vector<std::string>{"9:4+3", "9:3+4", "9:1 lost 2 for 4-3", "9:2 lost 1 for 3-4"},
        "the new ends, then the old ones");
    test.Expect(tree.GetTree().Has(3, 4) && !tree.GetTree().Has(1, 2), "as it is now");
    test.Expect(GetRefusal([&] { tree.Replace(9, 3, 4); }) != "", "it is replaced");
}

/// @return the sends as text: "2 SUB 5, 3 EVENT"
std::string
ToText(const Actions& actions)
{
    std::string text;
    for (const auto& send : actions.sends)
    {
        text += (text.empty() ? "" : ", ") + std::to_string(send.to) + " " +
                std::string(GetName(send.message));
        if (const auto* sub = std::get_if<Sub>(&send.message))
        {
            text += " " + std::to_string(sub->pattern);
        }
        else if (const auto* unsub = std::get_if<Unsub>(&send.message))
        {
            text += " " + std::to_string(unsub->pattern);
        }
        else if (const auto* flush = std::get_if<Flush>(&send.message))
        {
            text += " " + std::to_string(flush->reconfiguration);
        }
    }
    return text + (actions.isDelivered ? " delivered" : "");
}

std::string
Step(Dispatcher& machine, const Dispatcher::Input& input, Instant now = Instant(0))
{
    Actions actions;
    machine.Step(now, input, actions);
    return ToText(actions);
}

std::string
Get(Dispatcher& machine, NodeId from, const Message& message)
{
    return Step(machine, input::Received<Message>{from, message});
}

PublicationPtr
MakePublication(const Patterns& patterns)
{
    return std::make_shared<const Publication>(Publication{1, patterns});
}

void
DispatchersForwardSubscriptions(FunctionCase& test)
{
    Strawman machine(SELF);
    for (const auto neighbour : {RIGHT, LEFT, FAR, RIGHT})
    {
        machine.Begin(neighbour, {});
    }
    test.Expect(machine.GetNeighbours() == std::vector<NodeId>{LEFT, RIGHT, FAR}, "each once");
    test.Expect(Get(machine, LEFT, Sub{5}) == "3 SUB 5, 4 SUB 5", "the first: to the others");
    test.Expect(Get(machine, LEFT, Sub{5}) == "", "known");
    test.Expect(Get(machine, RIGHT, Sub{5}) == "2 SUB 5", "the second: to the first");
    test.Expect(Get(machine, FAR, Sub{5}) == "", "the third: to nobody");
    test.Expect(Step(machine, input::PatternWanted{5}) == "", "nor the clients'");
    test.Expect(Get(machine, FAR, Unsub{5}) == "" && Get(machine, FAR, Unsub{5}) == "", "three");
    test.Expect(Step(machine, input::PatternUnwanted{5}) == "", "two are left");
    test.Expect(Get(machine, LEFT, Unsub{5}) == "3 UNSUB 5", "one is left");
    test.Expect(Get(machine, RIGHT, Unsub{5}) == "2 UNSUB 5, 4 UNSUB 5", "none is");
    test.Expect(Get(machine, RIGHT, Unsub{6}) == "", "there was none");
    test.Expect(Step(machine, input::PatternWanted{7}) == "2 SUB 7, 3 SUB 7, 4 SUB 7", "to all");
    test.Expect(Get(machine, LEFT, Sub{7}) == "", "all have heard of it");
}

void
DispatchersForwardEvents(FunctionCase& test)
{
    Strawman machine(SELF);
    machine.Begin(LEFT, {5, 6});
    machine.Begin(RIGHT, {6});
    machine.BeginLocal({7});
    const auto event = [&](NodeId from, const Patterns& patterns) {
        return Get(machine, from, reconfiguration::Event{MakePublication(patterns)});
    };
    test.Expect(event(FAR, {5, 6}) == "2 EVENT, 3 EVENT", "to each once");
    test.Expect(event(LEFT, {5, 6, 7}) == "3 EVENT delivered", "not back, and to the clients");
    test.Expect(event(LEFT, {5, 8}) == "", "nobody else wants it");
    const auto publication = MakePublication({5, 7});
    test.Expect(Step(machine, input::PublicationMade{publication}) == "2 EVENT", "a client's own");
    EventForwarding flooding(SELF);
    flooding.Begin(LEFT, {5});
    flooding.Begin(RIGHT, {});
    test.Expect(Step(flooding, input::PatternWanted{5}) == "", "nobody is told");
    test.Expect(Get(flooding, LEFT, reconfiguration::Event{publication}) == "3 EVENT delivered",
                "not back");
    test.Expect(Step(flooding, input::PublicationMade{publication}) == "2 EVENT, 3 EVENT",
                "to all");
    Step(flooding, input::PatternUnwanted{5});
    Step(flooding, input::LinkRemoved{RIGHT, 1});
    test.Expect(Get(flooding, LEFT, reconfiguration::Event{publication}) == "",
                "to nobody any more");
    Step(flooding, input::LinkAdded{FAR, 1});
    test.Expect(Get(flooding, LEFT, reconfiguration::Event{publication}) == "4 EVENT",
                "to the new one");
    test.Expect(!flooding.HasRoutes() && machine.HasRoutes(), "routes");
    test.Expect(flooding.GetTable().GetRow(LEFT).empty(), "it knows nobody's row");
}

void
TheStrawmanUnsubscribesAtOnce(FunctionCase& test)
{
    Strawman machine(SELF);
    machine.Begin(LEFT, {5, 6});
    machine.Begin(RIGHT, {6, 8});
    machine.BeginLocal({7});
    const auto sent = Step(machine, input::LinkRemoved{LEFT, 1});
    test.Expect(sent == "3 UNSUB 5, 3 UNSUB 6", sent);
    test.Expect(machine.GetNeighbours() == std::vector<NodeId>{RIGHT}, "it is gone");
    test.Expect(machine.GetTable().GetRow(LEFT).empty(), "with all it wanted");
    test.Expect(Step(machine, input::LinkAdded{FAR, 1}) == "4 SUB 6, 4 SUB 7, 4 SUB 8", "the rest");
    test.Expect(machine.IsAtRest() && !machine.NextTimer(), "at rest");
}

void
UnsubscriptionsWaitForTheTimer(FunctionCase& test)
{
    DeferredUnsubTimed machine(SELF, {3s, 0s});
    machine.Begin(LEFT, {5, 6});
    machine.Begin(RIGHT, {});
    test.Expect(Step(machine, input::LinkRemoved{LEFT, 9}, 10s) == "", "not at once");
    test.Expect(machine.NextTimer() == Instant(13s) && !machine.IsAtRest(), "in 3 s");
    test.Expect(Get(machine, RIGHT, reconfiguration::Event{MakePublication({5})}) == "",
                "there is no way");
    const auto waits = machine.GetDigest();
    test.Expect(Step(machine, input::LinkAdded{LEFT, 9}, 11s) == "", "it is back");
    Get(machine, LEFT, Sub{6});
    test.Expect(machine.GetDigest() != waits, "a digest tells");
    test.Expect(Step(machine, input::Expired(), Instant(13s) - 1ns) == "", "not yet");
    test.Expect(Step(machine, input::Expired(), 13s) == "3 UNSUB 5", "what has not come back");
    test.Expect(!machine.NextTimer() && machine.IsAtRest(), "at rest");
    DeferredUnsubTimed leaf(SELF, {3s, 0s});
    leaf.Begin(LEFT, {5});
    Step(leaf, input::LinkRemoved{LEFT, 9}, 10s);
    test.Expect(leaf.IsAtRest() && !leaf.NextTimer(), "there is nobody to tell");
    test.Expect(leaf.GetTable().GetRow(LEFT).empty(), "nor to serve");
}

/// Links that nothing will replace have no number of their own.
void
AllThatWaitsWithOneNumberIsServed(FunctionCase& test)
{
    DeferredUnsubTimed timed(SELF, {3s, 0s});
    InformedLinkActivation informed(SELF, {3s, 0s}, {});
    for (auto* machine : std::initializer_list<Dispatcher*>{&timed, &informed})
    {
        machine->Begin(LEFT, {5, 7});
        machine->Begin(RIGHT, {6});
        machine->Begin(FAR, {});
        Step(*machine, input::LinkRemoved{LEFT, NO_RECONFIGURATION}, 10s);
        Step(*machine, input::LinkRemoved{RIGHT, NO_RECONFIGURATION}, 10s);
        test.Expect(Step(*machine, input::Expired(), 13s) == "4 UNSUB 5, 4 UNSUB 7, 4 UNSUB 6",
                    "of both links");
        test.Expect(machine->IsAtRest() && machine->GetTable().GetRows().empty(),
                    "nothing is left");
    }
}

void
TablesFromScratchSayWhoseFaultItIs(FunctionCase& test)
{
    const auto forest = MakeForest();
    const auto tables = BuildTables(forest, {{7}, {}, {}, {2, 5}, {5}, {}});
    test.Expect(tables.at(1) == Rows{{7}, {2, 5}, {5}}, "what is wanted beyond 0, 2 and 4");
    test.Expect(tables.at(3) == Rows{{5, 7}} && tables.at(5).empty(), "at an end, and alone");
    test.Expect(BuildTables(forest, std::vector<Patterns>(6)).at(1) == Rows(3), "nothing");
    Forest pair(2);
    pair.Add(0, 1);
    std::vector<std::unique_ptr<Dispatcher>> machines;
    for (NodeId node = 0; node < 2; ++node)
    {
        machines.push_back(std::make_unique<DeferredUnsubTimed>(node, TimerOptions{3s, 0s}));
        machines.back()->BeginLocal({static_cast<Pattern>(4 + node)});
    }
    const auto find = [&] {
        return FindFaults(pair, [&](NodeId node) -> const Dispatcher& { return *machines[node]; });
    };
    test.Expect(find().size() == 4, "neither has the other as its neighbour, nor a row");
    machines[0]->Begin(1, {5});
    machines[1]->Begin(0, {4});
    test.Expect(find().empty(), "all is well");
    Get(*machines[0], 1, Sub{6});
    test.Expect(find() == std::vector<std::string>{"dispatcher 0 has a wrong row for 1"}, "a row");
    machines[0]->Begin(8, {});
    Step(*machines[0], input::LinkRemoved{8, 1});
    test.Expect(find().front() == "dispatcher 0 still waits for something", "not at rest");
}

void
AFlushEndsTheWaiting(FunctionCase& test)
{
    DeferredUnsubNotified machine(SELF, {3s, 0s});
    machine.Begin(LEFT, {5});
    machine.Begin(RIGHT, {});
    machine.Begin(FAR, {});
    Step(machine, input::LinkRemoved{LEFT, 9}, 10s);
    test.Expect(Get(machine, RIGHT, Flush{8, nullptr}) == "4 FLUSH 8", "another's goes on");
    test.Expect(Get(machine, RIGHT, Flush{9, nullptr}) == "3 UNSUB 5, 4 UNSUB 5", "its own");
    test.Expect(!machine.NextTimer() && machine.IsAtRest(), "the timer is stopped");
    test.Expect(Step(machine, input::LinkAdded{LEFT, 9}, 11s) == "2 FLUSH 9", "after all SUBs");
    test.Expect(Step(machine, input::LinkAdded{5, NO_RECONFIGURATION}, 11s) == "", "a new one");
    Step(machine, input::LinkRemoved{LEFT, 20}, 20s);
    Step(machine, input::LinkRemoved{FAR, 4}, 19s);
    test.Expect(machine.GetNextTimer()->reconfiguration == 4, "the first of two");
    Actions actions;
    machine.Step(30s, input::Expired(), actions);
    test.Expect(actions.cause == 4 && machine.NextTimer() == Instant(23s), "one at a time");
}

void
MessagesHaveWeights(FunctionCase& test)
{
    const auto patterns = [](size_t count) {
        return std::make_shared<const Patterns>(Patterns(count));
    };
    const auto path = std::make_shared<const Path>(Path{{1, 4, 3, 2}, 2});
    const auto rec = [&](size_t add, size_t remove) {
        const PatternChange change{Patterns(add), Patterns(remove)};
        return Message(Rec{1, std::make_shared<const PatternChange>(change), path});
    };
    test.Expect(GetWeight(Sub{1}) == 1 && GetWeight(Unsub{1}) == 1 &&
                    GetWeight(reconfiguration::Event{}) == 1,
                "1");
    test.Expect(GetWeight(Flush{1, nullptr}) == 0.1 && GetWeight(RecAck{1}) == 0.1, "control");
    test.Expect(GetWeight(Activate{1, patterns(3), 2}) == 3, "as many as it has");
    test.Expect(GetWeight(Activate{1, patterns(0), 2}) == 0.1, "none");
    test.Expect(GetWeight(rec(2, 3)) == 5 && GetWeight(rec(0, 0)) == 0.1, "both kinds");
    test.Expect(TellsOfPatterns(rec(1, 0), 4) && TellsOfPatterns(rec(1, 0), 3), "up to the link");
    test.Expect(!TellsOfPatterns(rec(1, 0), 2), "not along the tail");
    test.Expect(TellsOfPatterns(Sub{1}, 9) && TellsOfPatterns(Unsub{1}, 9), "words");
    test.Expect(TellsOfPatterns(Activate{1, patterns(0), 2}, 9), "of none, too");
    test.Expect(!TellsOfPatterns(Flush{1, nullptr}, 9) &&
                    !TellsOfPatterns(reconfiguration::Event{}, 9),
                "others");
    test.Expect(Involves(Sub{1}) && Involves(Unsub{1}) && Involves(rec(0, 0)), "these involve");
    test.Expect(!Involves(reconfiguration::Event{}) && !Involves(Flush{1, nullptr}) &&
                    !Involves(RecAck{1}),
                "not");
}

void
DispatchersAreDescribed(FunctionCase& test)
{
    Strawman machine(SELF);
    machine.Begin(LEFT, {5, 6});
    machine.BeginLocal({7});
    const auto rows = machine.Describe([](NodeId node) { return "r" + std::to_string(node); });
    test.Expect(rows == Description{{"local", "7"}, {"r2", "5 6"}}, "whose patterns it knows");
    test.Expect(machine.GetId() == SELF, "its id");
    const auto copy = machine.Clone();
    test.Expect(copy->GetDigest() == machine.GetDigest(), "a copy");
    Get(machine, LEFT, Sub{8});
    test.Expect(copy->GetDigest() != machine.GetDigest(), "which learns by itself");
}

class ReconfigurationMachinesSuite : public ns3::TestSuite
{
  public:
    ReconfigurationMachinesSuite()
        : TestSuite("mftpubsub-reconfiguration-machines", Type::UNIT)
    {
        Add("Tables know who wants what", TablesKnowWhoWantsWhat);
        Add("Ledgers count what reconfigurations cost", LedgersCountWhatReconfigurationsCost);
        Add("Forests have no cycles", ForestsHaveNoCycles);
        Add("Paths go over the new link", PathsGoOverTheNewLink);
        Add("Maintenance tells both ends", MaintenanceTellsBothEnds);
        Add("Dispatchers forward subscriptions", DispatchersForwardSubscriptions);
        Add("Dispatchers forward events", DispatchersForwardEvents);
        Add("The strawman unsubscribes at once", TheStrawmanUnsubscribesAtOnce);
        Add("Unsubscriptions wait for the timer", UnsubscriptionsWaitForTheTimer);
        Add("All that waits with one number is served", AllThatWaitsWithOneNumberIsServed);
        Add("Tables from scratch say whose fault it is", TablesFromScratchSayWhoseFaultItIs);
        Add("A FLUSH ends the waiting", AFlushEndsTheWaiting);
        Add("Messages have weights", MessagesHaveWeights);
        Add("Dispatchers are described", DispatchersAreDescribed);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

ReconfigurationMachinesSuite g_reconfigurationMachines;

} // namespace

} // namespace mftpubsub::reconfiguration::reconfiguration_machines_test
