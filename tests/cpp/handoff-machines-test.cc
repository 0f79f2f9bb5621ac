/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Parts of hand-off brokers one at a time: the graph of neighbours, and the reactive scheme where
 * hand-offs overlap.
 */
#include "function-case.h"
#include "protocols/handoff/emma.h"
#include "protocols/handoff/jedi.h"
#include "protocols/handoff/mqtt.h"
#include "protocols/handoff/neighbour-graph.h"
#include "protocols/handoff/pro-active-r.h"
#include "protocols/handoff/reactive.h"
#include "protocols/handoff/rebeca.h"
#include "protocols/handoff/thesis-broker.h"
#include "protocols/handoff/tree.h"

#include "ns3/test.h"

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace mftpubsub::handoff::handoff_machines_test
{

using namespace std::chrono_literals;

namespace
{

constexpr NodeId ALICE = 1000;
constexpr handoff::Instant AGE = 10s;

using Links = std::vector<std::pair<NodeId, NodeId>>;

/// @return the receivers and names of what is sent, and how many events each brings
std::string
Describe(const Output& output)
{
    std::string text;
    for (const auto& [to, message] : output.sends)
    {
        text += text.empty() ? "" : ", ";
        text += std::to_string(to) + ":";
        std::visit(
            [&text](const auto& m) {
                text += m.NAME;
                if constexpr (requires { m.events.size(); })
                {
                    text += "(" + std::to_string(m.events.size()) + ")";
                }
                if constexpr (requires { m.filters.size(); })
                {
                    text += "[" + std::to_string(m.filters.size()) + "]";
                }
            },
            message);
    }
    return text;
}

NeighbourGraph
MakeGraph()
{
    Options options;
    options.edgeAge = AGE;
    return NeighbourGraph(options);
}

void
ANewNeighbourIsToldToAll(FunctionCase& test)
{
    auto graph = MakeGraph();
    Output output;
    graph.Touch(1s, 7, output);
    test.Expect(Describe(output) == "7:NBR", "to itself");
    output.Clear();
    graph.Touch(2s, 5, output);
    test.Expect(Describe(output) == "5:NBR, 7:NBR", "to all");
    output.Clear();
    graph.Touch(3s, 7, output);
    test.Expect(output.sends.empty(), "only once");
    test.Expect(graph.Get() == Neighbours{5, 7}, "ascending");
}

void
EdgesGoByTheirAge(FunctionCase& test)
{
    auto graph = MakeGraph();
    test.Expect(!graph.NextRemoval(), "there is none");
    Output output;
    graph.Touch(1s, 5, output);
    graph.Touch(2s, 7, output);
    graph.Touch(3s, 5, output);
    test.Expect(graph.NextRemoval() == 2s + AGE + 1ns, "the one used longest ago");
    output.Clear();
    test.Expect(graph.RemoveOld(2s + AGE, output).empty(), "not yet");
    test.Expect(output.sends.empty(), "nobody is told");
    test.Expect(graph.RemoveOld(*graph.NextRemoval(), output) == Neighbours{7}, "now");
    test.Expect(Describe(output) == "5:NBR", "who is left is told");
    test.Expect(graph.NextRemoval() == 3s + AGE + 1ns, "the other");
}

void
EdgesWithoutAnAgeStay(FunctionCase& test)
{
    NeighbourGraph graph({});
    Output output;
    graph.Touch(1s, 5, output);
    test.Expect(!graph.NextRemoval() && graph.RemoveOld(1h, output).empty(), "for ever");
}

/// A reactive broker, node 1, and what it answers.
class Machine
{
  public:
    Machine()
        : m_broker(1, {})
    {
    }

    /// @return what it sends
    std::string Hear(NodeId from, const Message& message)
    {
        Output output;
        m_broker.Step(Instant(0), input::Received<Message>{from, message}, output);
        delivered += output.deliveries.size();
        return Describe(output);
    }

    /// @return the events of ALICE that wait, and those that came since
    std::pair<size_t, size_t> CountHeld() const
    {
        const auto copies = m_broker.GetCopies();
        return copies.empty() ? std::pair<size_t, size_t>{}
                              : std::pair{copies[0].buffer.size(), copies[0].temp.size()};
    }

    bool HasCopy() const
    {
        return !m_broker.GetCopies().empty();
    }

    void LeaveBroker()
    {
        Output output;
        m_broker.Step(Instant(0), input::LinkDown{ALICE}, output);
    }

    size_t delivered{0};

  private:
    using Instant = handoff::Instant;
    Reactive m_broker;
};

Message
MakePub(uint32_t sequence)
{
    auto event = std::make_shared<Event>();
    event->id = {9, sequence};
    return handoff::Pub{event, {}};
}

std::vector<Held>
MakeEvents(uint32_t count)
{
    std::vector<Held> events;
    for (uint32_t sequence = 100; sequence < 100 + count; ++sequence)
    {
        events.push_back({std::get<handoff::Pub>(MakePub(sequence)).event});
    }
    return events;
}

const Filter ALL = Filter::Parse("1 = 1");

handoff::Reconnect
Arrive(NodeId old, Session session)
{
    return {ALICE, old, {}, session, {}, 0};
}

void
EventsWaitForThoseOfTheOldBroker(FunctionCase& test)
{
    Machine machine;
    test.Expect(machine.Hear(ALICE, Arrive(2, 1)) == "2:FETCH", "the filters");
    machine.Hear(3, MakePub(1));
    test.Expect(machine.CountHeld() == std::pair<size_t, size_t>{0, 0}, "not known yet");
    test.Expect(machine.Hear(2, Subs{ALICE, 1, {ALL}}) == "2:REMOVE", "they are here");
    machine.Hear(3, MakePub(2));
    test.Expect(machine.CountHeld() == std::pair<size_t, size_t>{0, 1}, "behind older ones");
    test.Expect(machine.delivered == 0, "none overtakes");
    machine.Hear(2, Transfer{ALICE, 1, MakeEvents(2), {}});
    test.Expect(machine.delivered == 3, "all");
    machine.Hear(3, MakePub(3));
    test.Expect(machine.delivered == 4, "at once from now on");
}

void
ASubscriberWithoutFiltersGetsNothing(FunctionCase& test)
{
    Machine machine;
    machine.Hear(ALICE, Arrive(2, 1));
    machine.Hear(2, Subs{ALICE, 1, {}});
    machine.Hear(2, Transfer{ALICE, 1, {}, {}});
    test.Expect(machine.Hear(4, Remove{ALICE, 2, {}, {}}) == "4:TRANSFER(0)", "no events");
    test.Expect(!machine.HasCopy(), "it has gone");
}

/// The subscriber is away again before the old broker's events have come.
void
WhatComesLateGoesOn(FunctionCase& test)
{
    Machine machine;
    machine.Hear(ALICE, Arrive(2, 1));
    machine.LeaveBroker();
    test.Expect(machine.Hear(4, Fetch{ALICE, 2}).empty(), "it may learn the filters yet");
    test.Expect(machine.Hear(2, Subs{ALICE, 1, {ALL}}) == "2:REMOVE, 4:SUBS[1]", "now it knows");
    machine.Hear(3, MakePub(1));
    test.Expect(machine.Hear(4, Remove{ALICE, 2, {}, {}}).empty(), "not all is here");
    machine.Hear(3, MakePub(2));
    test.Expect(machine.CountHeld().second == 1, "the new broker stores now");
    test.Expect(machine.Hear(2, Transfer{ALICE, 1, MakeEvents(2), {}}) == "4:TRANSFER(3)", "all");
    test.Expect(!machine.HasCopy() && machine.delivered == 0, "it has gone");
}

/// She was here, went to 4, and is back before 4 has asked for her events.
void
AnOlderRemovalRemovesNothing(FunctionCase& test)
{
    Machine machine;
    machine.Hear(ALICE, handoff::Sub{ALICE, ALL, NO_NODE});
    machine.LeaveBroker();
    machine.Hear(3, MakePub(1));
    test.Expect(machine.CountHeld().first == 1, "stored");
    test.Expect(machine.Hear(ALICE, Arrive(4, 3)) == "4:FETCH", "of the broker between");
    test.Expect(machine.delivered == 1, "what was stored here is hers");
    test.Expect(machine.Hear(4, Remove{ALICE, 2, {}, {}}) == "4:TRANSFER(0)", "it is of no use");
    test.Expect(machine.HasCopy(), "she is here");
    test.Expect(machine.Hear(4, Remove{ALICE, 3, {}, {}}).empty(), "of this session it counts");
    test.Expect(machine.Hear(4, Transfer{ALICE, 3, {}, {}}) == "4:TRANSFER(0)", "and is done");
}

void
WhoComesBackGetsWhatWaits(FunctionCase& test)
{
    Machine machine;
    machine.Hear(ALICE, handoff::Sub{ALICE, ALL, NO_NODE});
    machine.Hear(3, MakePub(1));
    machine.LeaveBroker();
    machine.Hear(3, MakePub(2));
    test.Expect(machine.delivered == 1, "while she is here");
    test.Expect(machine.Hear(ALICE, Arrive(1, 1)).empty(), "nobody else has any");
    test.Expect(machine.delivered >= 2, "what waited");
}

/// She comes back to a broker that awaits the events of the one before.
void
WhoComesBackEarlyWaits(FunctionCase& test)
{
    Machine machine;
    machine.Hear(ALICE, handoff::Sub{ALICE, ALL, NO_NODE});
    machine.Hear(ALICE, Arrive(2, 1));
    machine.LeaveBroker();
    machine.Hear(3, MakePub(1));
    machine.Hear(ALICE, Arrive(1, 2));
    test.Expect(machine.delivered == 0, "older ones are to come");
    machine.Hear(2, Transfer{ALICE, 1, MakeEvents(1), {}});
    test.Expect(machine.delivered == 2, "with them");
}

/// She leaves for good, comes back, and is cut off.
void
WhoIsCutOffIsStoredFor(FunctionCase& test)
{
    handoff::Options options;
    options.tree = std::make_shared<const Tree>(std::vector<std::pair<NodeId, NodeId>>{{1, 2}}, 1);
    options.implicitMoveOut = true;
    Jedi broker(1, options);
    Output output;
    const auto step = [&](const handoff::Broker::Input& input) {
        broker.Step(handoff::Instant(0), input, output);
    };
    step(input::Received<Message>{ALICE, handoff::Sub{ALICE, ALL, NO_NODE}});
    step(input::Received<Message>{ALICE, MoveOut{ALICE, false}});
    step(input::Received<Message>{2, MakePub(1)});
    test.Expect(broker.CountHeld() == 0, "she does not want what she misses");
    step(input::Received<Message>{ALICE, Arrive(1, 1)});
    step(input::LinkDown{ALICE});
    step(input::Received<Message>{2, MakePub(2)});
    test.Expect(broker.CountHeld() == 1, "she did not say so again");
}

void
SessionsExpireWhileSheIsAway(FunctionCase& test)
{
    handoff::Options options;
    options.tree = std::make_shared<const Tree>(std::vector<std::pair<NodeId, NodeId>>{{1, 2}}, 1);
    options.sessionExpiry = 10s;
    Mqtt broker(1, options, false);
    Output output;
    constexpr NodeId BEN = ALICE + 1;
    for (const auto client : {ALICE, BEN})
    {
        broker.Step(0s,
                    input::Received<Message>{client, handoff::Sub{client, ALL, NO_NODE}},
                    output);
    }
    broker.Step(1s, input::LinkDown{ALICE}, output);
    broker.Step(2s, input::LinkDown{BEN}, output);
    test.Expect(broker.NextTimer() == handoff::Instant(11s), "the first to go");
    broker.Step(3s, input::Received<Message>{ALICE, Arrive(1, 1)}, output);
    test.Expect(broker.NextTimer() == handoff::Instant(12s), "not of who is back");
    broker.Step(12s, input::Expired(), output);
    test.Expect(broker.GetCopies().size() == 1 && !broker.NextTimer(), "one is over");
}

/// What she has left unacknowledged was for a subscription that has ended.
void
WhoSubscribesAgainBeginsAnew(FunctionCase& test)
{
    for (const auto again : {false, true})
    {
        handoff::Options options;
        options.tree = std::make_shared<const Tree>(std::vector<std::pair<NodeId, NodeId>>{}, 1);
        ThesisBroker broker(1, options, ThesisBroker::Protocol::MFT_PUBSUB);
        Output output;
        const auto step = [&](const handoff::Broker::Input& input) {
            broker.Step(handoff::Instant(0), input, output);
        };
        step(input::Received<Message>{ALICE, handoff::Sub{ALICE, ALL, NO_NODE}});
        step(input::Received<Message>{9, MakePub(1)});
        test.Expect(output.deliveries.size() == 1, "it is on its way");
        if (again)
        {
            step(input::Received<Message>{ALICE, handoff::Uns{ALICE}});
            step(input::Received<Message>{ALICE, handoff::Sub{ALICE, ALL, NO_NODE}});
        }
        step(input::LinkDown{ALICE});
        test.Expect((broker.CountHeld() == 0) == again, "it waits for the same subscription");
    }
}

/// A DISCONNECT of the broker that she came from before is late.
void
AnOlderDisconnectCutsNobodyOff(FunctionCase& test)
{
    handoff::Options options;
    options.tree = std::make_shared<const Tree>(std::vector<std::pair<NodeId, NodeId>>{{1, 2}}, 1);
    Emma broker(1, options);
    Output output;
    const auto step = [&](const handoff::Broker::Input& input) {
        broker.Step(handoff::Instant(0), input, output);
    };
    step(input::Received<Message>{ALICE, handoff::Sub{ALICE, ALL, NO_NODE}});
    step(input::Received<Message>{ALICE, Arrive(1, 3)});
    for (const Session session : {3, 4})
    {
        step(input::Received<Message>{2, Disconnect{ALICE, session}});
        test.Expect(broker.GetCopies().empty() == (session > 3), "only a newer session counts");
    }
}

/// @return what @p broker sends when it hears so
std::string
Tell(handoff::Broker& broker, NodeId from, const Message& message)
{
    Output output;
    broker.Step(handoff::Instant(0), input::Received<Message>{from, message}, output);
    return Describe(output);
}

/// @return brokers 1 and 3 at the two ends, 2 between them
handoff::Options
MakeLine(NodeId root)
{
    handoff::Options options;
    options.tree = std::make_shared<const Tree>(Links{{1, 2}, {2, 3}}, root);
    return options;
}

/// Whoever subscribes to more says so over the same link.
void
FurtherFiltersOfASubscriberGoOn(FunctionCase& test)
{
    Rebeca broker(2, MakeLine(1));
    Tell(broker, 3, Adv{9});
    test.Expect(Tell(broker, 1, TreeSub{ALICE, NO_NODE, {ALL}}) == "3:SUB[1]", "to publishers");
    const TreeSub more{ALICE, NO_NODE, {ALL, Filter::Parse("a = 1")}};
    test.Expect(Tell(broker, 1, more) == "3:SUB[2]", "both filters");
}

/// Two brokers found her, and the answer of one was enough.
void
ABrokerDoesNotHandOverToItself(FunctionCase& test)
{
    Rebeca broker(1, MakeLine(1));
    auto arrival = Arrive(2, 1);
    arrival.filters = {ALL};
    Tell(broker, ALICE, arrival);
    Tell(broker, 2, Replay{ALICE, {}});
    test.Expect(Tell(broker, 2, FetchReplay{ALICE, 1, 1}).empty(), "she is here");
    test.Expect(broker.GetCopies().at(0).state == "SERVING", "and stays");
}

/// She has moved down the tree: what her old broker routes is known further up.
void
AKnownSubscriptionGoesNoFurther(FunctionCase& test)
{
    Jedi broker(2, MakeLine(1));
    test.Expect(Tell(broker, ALICE, handoff::Sub{ALICE, ALL, NO_NODE}) == "1:SUB[1]", "up");
    test.Expect(Tell(broker, 3, TreeSub{ALICE, 3, {ALL}}) == "3:SUBOK", "answered here");
}

/// Broker 2 lets go of its session in vain: it, or another, has wanted the copy again since.
void
ALateDeletionLeavesWhatIsWantedSince(FunctionCase& test)
{
    using Mode = Subs::Mode;
    ProActiveR claimed(1, {});
    Tell(claimed, 3, Subs{ALICE, 5, {ALL}, Mode::PASSIVE});
    Tell(claimed, 2, Delete{ALICE, 4, Delete::Why::MOVED});
    test.Expect(Tell(claimed, 3, Activate{ALICE, 5, {}}) == "3:ACK", "the filters are known");
    ProActiveR active(1, {});
    Tell(active, 2, Subs{ALICE, 4, {ALL}, Mode::PASSIVE});
    Tell(active, 2, Activate{ALICE, 5, {}});
    Tell(active, 2, Delete{ALICE, 4, Delete::Why::MOVED});
    Tell(active, 9, MakePub(1));
    test.Expect(active.CountHeld() == 1, "it stores");
}

class HandoffMachinesSuite : public ns3::TestSuite
{
  public:
    HandoffMachinesSuite()
        : TestSuite("mftpubsub-handoff-machines", Type::UNIT)
    {
        Add("A new neighbour is told to all", ANewNeighbourIsToldToAll);
        Add("Edges go by their age", EdgesGoByTheirAge);
        Add("Edges without an age stay", EdgesWithoutAnAgeStay);
        Add("reactive: events wait for those of the old broker", EventsWaitForThoseOfTheOldBroker);
        Add("reactive: a subscriber without filters gets nothing",
            ASubscriberWithoutFiltersGetsNothing);
        Add("reactive: what comes late goes on", WhatComesLateGoesOn);
        Add("reactive: an older removal removes nothing", AnOlderRemovalRemovesNothing);
        Add("reactive: who comes back gets what waits", WhoComesBackGetsWhatWaits);
        Add("reactive: who comes back early waits", WhoComesBackEarlyWaits);
        Add("jedi: who is cut off is stored for", WhoIsCutOffIsStoredFor);
        Add("mqtt-session: sessions expire while she is away", SessionsExpireWhileSheIsAway);
        Add("mft-pubsub-static: who subscribes again begins anew", WhoSubscribesAgainBeginsAnew);
        Add("emma: an older DISCONNECT cuts nobody off", AnOlderDisconnectCutsNobodyOff);
        Add("rebeca: further filters of a subscriber go on", FurtherFiltersOfASubscriberGoOn);
        Add("rebeca: a broker does not hand over to itself", ABrokerDoesNotHandOverToItself);
        Add("jedi: a known subscription goes no further", AKnownSubscriptionGoesNoFurther);
        Add("pro-active-r: a late deletion leaves what is wanted since",
            ALateDeletionLeavesWhatIsWantedSince);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

HandoffMachinesSuite g_handoffMachines;

} // namespace

} // namespace mftpubsub::handoff::handoff_machines_test
