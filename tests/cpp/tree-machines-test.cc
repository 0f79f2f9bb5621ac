/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Brokers of the tree, one input at a time: what each answers, and to whom.
 */
#include "function-case.h"
#include "protocols/tree/make-broker.h"
#include "tree-sends.h"

#include "ns3/test.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::tree_machines_test
{

namespace
{

using Sends = std::vector<Send>;

constexpr NodeId SELF = 1;
constexpr NodeId LEFT = 2;
constexpr NodeId RIGHT = 3;
constexpr NodeId CLIENT = 7;
constexpr NodeId PUBLISHER = 8;
constexpr Instant NOW{0};
const Filter F = Filter::Parse("topic = 'f'");
const Filter G = Filter::Parse("topic = 'g'");
const EventPtr EVENT = MakeEvent(PUBLISHER, 1);

/// A broker between two others.
class Between
{
  public:
    explicit Between(const std::string& protocol, const BrokerOptions& options = {})
        : m_broker(MakeBroker(protocol, SELF, options))
    {
        Tell(input::LinkUp{LEFT});
        Tell(input::LinkUp{RIGHT});
    }

    Sends Tell(const Broker::Input& input)
    {
        BrokerOutput output;
        m_broker->Step(NOW, input, output);
        matches = output.matches;
        return output.sends;
    }

    Sends Get(NodeId from, const Message& message)
    {
        return Tell(input::Received<Message>{from, message});
    }

    bool HasMatched(const std::vector<NodeId>& subscribers) const
    {
        return std::ranges::equal(matches, subscribers, {}, &Pair::subscriber);
    }

    const Broker& operator*() const
    {
        return *m_broker;
    }

    const Broker* operator->() const
    {
        return m_broker.get();
    }

    std::vector<Pair> matches; //!< of the last input

  private:
    std::unique_ptr<Broker> m_broker;
};

void
FloodingBroadcastsOnce(FunctionCase& test)
{
    Between broker("flooding");
    test.Expect(broker.Get(CLIENT, Sub{CLIENT, F, {}}).empty(), "nobody else is told");
    broker.Get(9, Sub{9, G, {}});
    const Send broadcast{NO_NODE, Pub{EVENT, 2, {}}};
    test.Expect(AreSame(broker.Get(PUBLISHER, Pub{EVENT, 1, {}}),
                        {broadcast, {CLIENT, Pub{EVENT, 2, {CLIENT}}}}),
                "to all brokers, and to who wants it");
    test.Expect(broker.HasMatched({CLIENT}), "one match");
    test.Expect(broker.Get(LEFT, Pub{EVENT, 5, {}}).empty() && broker.matches.empty(), "once");
    const auto far = MakeEvent(PUBLISHER, 2, "h");
    test.Expect(AreSame(broker.Get(LEFT, Pub{far, 254, {}}), {{NO_NODE, Pub{far, 255, {}}}}),
                "nobody here wants it");
    broker.Get(CLIENT, Uns{CLIENT, F, {}});
    const auto third = MakeEvent(PUBLISHER, 3);
    test.Expect(broker.Get(LEFT, Pub{third, 1, {}}).size() == 1, "unsubscribed");
}

void
FloodingForgetsNoFilters(FunctionCase& test)
{
    Between broker("flooding");
    broker.Get(CLIENT, Sub{CLIENT, F, {}});
    broker.Get(CLIENT, Sub{CLIENT, G, {}});
    test.Expect(AreSame(broker.Get(CLIENT, Mig{CLIENT, 5, {}}), {{CLIENT, Filters{{F, G}}}}),
                "what it has");
    test.Expect(AreSame(broker.Get(9, Mig{9, 5, {}}), {{9, Filters{}}}), "a stranger has none");
    const auto table = broker->GetTable();
    test.Expect(table.size() == 1 && table[0].nextHop == CLIENT && table[0].filters.size() == 2,
                "its table");
    const auto copy = broker->Clone();
    const auto before = broker->GetDigest();
    broker.Get(LEFT, Pub{MakeEvent(PUBLISHER, 9, "h"), 1, {}});
    test.Expect(broker->GetDigest() != before, "what it has seen counts");
    test.Expect(copy->GetDigest() == before, "a copy has seen less");
}

void
SimpleRoutingPassesWordsOn(FunctionCase& test)
{
    Between broker("simple-routing");
    const Sub sub{CLIENT, F, {4, 1}};
    test.Expect(AreSame(broker.Get(CLIENT, sub), {{LEFT, sub}, {RIGHT, sub}}), "to both");
    test.Expect(AreSame(broker.Get(LEFT, sub), {{RIGHT, sub}}), "not back");
    const Uns uns{CLIENT, F, {5, 1}};
    test.Expect(AreSame(broker.Get(LEFT, uns), {{RIGHT, uns}}), "nor this");
    test.Expect(broker->GetTable().at(0).filters.empty(), "the left one's is gone");
    test.Expect(broker->GetTable().at(1).filters.size() == 1, "the client's is not");
    test.Expect(AreSame(broker.Get(RIGHT, uns), {{LEFT, uns}}), "of nothing, too");
    broker.Get(CLIENT, Uns{CLIENT, G, {}});
    test.Expect(broker->GetTable().at(1).filters.size() == 1, "another filter's");
}

void
SimpleRoutingCountsEqualFilters(FunctionCase& test)
{
    Between broker("simple-routing");
    broker.Get(LEFT, Sub{CLIENT, F, {}});
    broker.Get(LEFT, Sub{9, F, {}});
    broker.Get(LEFT, Uns{CLIENT, F, {}});
    test.Expect(AreSame(broker.Get(RIGHT, Pub{EVENT, 3, {}}), {{LEFT, Pub{EVENT, 4, {}}}}),
                "one of two is left");
    test.Expect(broker.matches.empty(), "who it is for is not known here");
    test.Expect(broker.Get(LEFT, Pub{EVENT, 3, {}}).empty(), "not back");
    broker.Get(LEFT, Uns{9, F, {}});
    test.Expect(broker.Get(RIGHT, Pub{EVENT, 3, {}}).empty(), "none is");
}

void
SimpleRoutingDeliversToClients(FunctionCase& test)
{
    Between broker("simple-routing");
    broker.Get(PUBLISHER, Sub{PUBLISHER, F, {}});
    broker.Get(CLIENT, Sub{CLIENT, F, {}});
    broker.Get(9, Sub{9, G, {}});
    test.Expect(
        AreSame(broker.Get(PUBLISHER, Pub{EVENT, 1, {}}),
                {{CLIENT, Pub{EVENT, 2, {CLIENT}}}, {PUBLISHER, Pub{EVENT, 2, {PUBLISHER}}}}),
        "to its own device, too");
    test.Expect(broker.HasMatched({CLIENT, PUBLISHER}), "both by name");
    broker.Tell(input::LinkDown{CLIENT});
    test.Expect(broker.Get(LEFT, Pub{EVENT, 3, {}}).size() == 1, "not to who has gone");
}

void
EventsGoOnceToANextHop(FunctionCase& test)
{
    Between broker("cascading");
    broker.Get(LEFT, Sub{20, F, {}});
    broker.Get(LEFT, Sub{21, F, {}});
    broker.Get(CLIENT, Sub{CLIENT, F, {}});
    broker.Get(RIGHT, Sub{22, G, {}});
    test.Expect(AreSame(broker.Get(RIGHT, Pub{EVENT, 2, {}}),
                        {{LEFT, Pub{EVENT, 3, {20, 21}}}, {CLIENT, Pub{EVENT, 3, {CLIENT}}}}),
                "one copy for two");
    test.Expect(broker.HasMatched({CLIENT, 20, 21}), "matched once each");
    test.Expect(AreSame(broker.Get(LEFT, Pub{EVENT, 2, {}}), {{CLIENT, Pub{EVENT, 3, {CLIENT}}}}),
                "not back");
    test.Expect(broker.HasMatched({CLIENT, 20, 21}), "matched all the same");
    test.Expect(broker->GetQueues().empty() && broker->CountHeld() == 0, "nothing waits");
    broker.Get(PUBLISHER, Sub{PUBLISHER, F, {}});
    test.Expect(broker.Get(PUBLISHER, Pub{EVENT, 1, {}}).size() == 3, "its own comes back");
    test.Expect(broker.Get(PUBLISHER, Pub{EVENT, 2, {}}).size() == 2, "a copy of it does not");
}

void
EventsWithoutAWayWait(FunctionCase& test)
{
    Between broker("cascading");
    broker.Get(LEFT, Sub{20, F, {}});
    broker.Tell(input::LinkDown{LEFT});
    test.Expect(broker.Get(RIGHT, Pub{EVENT, 2, {}}).empty(), "there is no way");
    const auto second = MakeEvent(PUBLISHER, 2);
    const auto third = MakeEvent(PUBLISHER, 3);
    test.Expect(broker.Get(RIGHT, Rep{20, {second, third}, 4}).empty(), "for these, too");
    test.Expect(broker->CountHeld() == 3 && broker->GetHeld().size() == 3, "three wait");
    test.Expect(broker->GetQueues().at(0).subscriber == 20, "for the subscriber");
    broker.Tell(input::LinkUp{LEFT});
    test.Expect(AreSame(broker.Get(LEFT, Mig{20, 5, {}}),
                        {{LEFT, Rep{20, {EVENT}, 1}},
                         {LEFT, Rep{20, {second}, 1}},
                         {LEFT, Rep{20, {third}, 1}}}),
                "in order, one by one");
    test.Expect(broker->CountHeld() == 0, "none waits");
    test.Expect(AreSame(broker.Get(RIGHT, Rep{20, {second}, 4}), {{LEFT, Rep{20, {second}, 5}}}),
                "a replay passes");
}

void
UndeliveredEventsWait(FunctionCase& test)
{
    Between broker("cascading");
    broker.Get(LEFT, Sub{20, F, {}});
    const Message pub = Pub{EVENT, 3, {20}};
    test.Expect(broker.Tell(input::DeliveryFailed{LEFT, pub}).empty(), "its way is still the same");
    test.Expect(broker->CountHeld() == 1, "it waits");
    broker.Get(RIGHT, Mig{20, 5, {}});
    const Message rep = Rep{20, {EVENT}, 1};
    test.Expect(
        AreSame(broker.Tell(input::DeliveryFailed{LEFT, rep}), {{RIGHT, Rep{20, {EVENT}, 1}}}),
        "a way that was found meanwhile");
    broker.Tell(input::LinkDown{RIGHT});
    broker.Tell(input::DeliveryFailed{LEFT, rep});
    test.Expect(broker->CountHeld() == 1, "no way any more");
    const Message word = Sub{20, F, {}};
    test.Expect(broker.Tell(input::DeliveryFailed{LEFT, word}).empty(), "a word has no events");
    BrokerOptions options;
    options.replay = false;
    Between forgetful("cascading", options);
    forgetful.Tell(input::DeliveryFailed{LEFT, pub});
    forgetful.Get(LEFT, Sub{20, F, {}});
    forgetful.Tell(input::LinkDown{LEFT});
    forgetful.Get(RIGHT, Pub{EVENT, 2, {}});
    test.Expect(forgetful->CountHeld() == 0, "without replay nothing waits");
}

void
CascadingMovesAClient(FunctionCase& test)
{
    Between broker("cascading");
    broker.Get(LEFT, Sub{CLIENT, F, {}});
    const Mig away{CLIENT, LEFT, {}};
    test.Expect(AreSame(broker.Get(CLIENT, away), {{CLIENT, Filters{{F}}}, {LEFT, away}}),
                "the old way is told");
    test.Expect(broker->GetTable().at(0).nextHop == CLIENT, "it is here");
    test.Expect(AreSame(broker.Get(CLIENT, away), {{CLIENT, Filters{{F}}}}), "it was here already");
    const Mig back{CLIENT, SELF, {}};
    test.Expect(broker.Get(RIGHT, back).empty(), "it was here: nobody else is told");
    test.Expect(broker->GetTable().at(0).nextHop == RIGHT, "it is there");
    const Mig on{CLIENT, 5, {}};
    test.Expect(AreSame(broker.Get(LEFT, on), {{RIGHT, on}}), "passed on");
    test.Expect(broker.Get(LEFT, on).empty(), "not back");
    test.Expect(broker.Get(RIGHT, back).empty(), "who was the old broker tells nobody");
    broker.Get(LEFT, on);
    test.Expect(AreSame(broker.Get(9, Mig{9, 5, {}}), {{9, Filters{}}}), "a stranger");
    test.Expect(broker->GetTable().size() == 1, "has no route");
}

void
CascadingMovesABroker(FunctionCase& test)
{
    Between broker("cascading");
    broker.Get(LEFT, Sub{20, F, {}});
    broker.Get(CLIENT, Sub{CLIENT, G, {}});
    const CascadingBmig bmig{{20, 21}, 4};
    test.Expect(AreSame(broker.Get(RIGHT, bmig), {{LEFT, bmig}}), "the old way is told");
    test.Expect(broker->GetTable().at(1).nextHop == RIGHT, "turned round");
    test.Expect(broker->GetTable().size() == 2, "who is unknown stays so");
    const CascadingBmig from{{20}, RIGHT};
    test.Expect(AreSame(broker.Get(RIGHT, from), {{RIGHT, Btab{{{CLIENT, {G}}, {20, {F}}}}}}),
                "the origin gets the table");
    test.Expect(AreSame(broker.Tell(input::ParentChanged{LEFT, RIGHT}),
                        {{RIGHT, CascadingBmig{{CLIENT}, SELF}}}),
                "its own migration names its clients");
    test.Expect(AreSame(broker.Get(LEFT, Fmig{}), {{LEFT, CascadingBmig{{CLIENT}, SELF}}}),
                "a forced one, too");
}

void
CascadingTakesATable(FunctionCase& test)
{
    Between broker("cascading");
    broker.Get(CLIENT, Sub{CLIENT, F, {}});
    broker.Get(LEFT, Sub{20, F, {}});
    broker.Get(LEFT, Sub{21, F, {}});
    const auto sends = broker.Get(RIGHT, Btab{{{CLIENT, {G}}, {21, {G}}, {22, {F, G}}}});
    test.Expect(
        AreSame(sends, {{RIGHT, Sub{CLIENT, F, {}}}, {RIGHT, Uns{CLIENT, G, {}}}, {LEFT, Fmig{}}}),
        "its client's filters are its own, and the others are to migrate");
    const auto table = broker->GetTable();
    test.Expect(table.size() == 3, "20 is not known there");
    test.Expect(table[0].nextHop == CLIENT && table[0].filters == std::vector{F}, "as it was");
    test.Expect(table[1].nextHop == RIGHT && table[1].filters == std::vector{G}, "as there");
    test.Expect(table[2].nextHop == RIGHT && table[2].filters.size() == 2, "new");
    test.Expect(AreSame(broker.Get(RIGHT, Btab{}), {{RIGHT, Sub{CLIENT, F, {}}}, {LEFT, Fmig{}}}),
                "an empty table lacks the client");
}

void
CascadingSendsWhatWaitedAfterATable(FunctionCase& test)
{
    Between broker("cascading");
    broker.Get(LEFT, Sub{20, F, {}});
    broker.Get(LEFT, Sub{21, F, {}});
    broker.Tell(input::LinkDown{LEFT});
    broker.Get(RIGHT, Pub{EVENT, 2, {}});
    test.Expect(broker->CountHeld() == 2, "there is no way to either");
    const auto sends = broker.Get(RIGHT, Btab{{{20, {F}}}});
    test.Expect(AreSame(sends, {{RIGHT, Rep{20, {EVENT}, 1}}}), "the table knows a way");
    test.Expect(broker->CountHeld() == 1, "of the other it does not speak");
}

void
CascadingForgetsAnEmptyRoute(FunctionCase& test)
{
    Between broker("cascading");
    const Sub sub{20, F, {}};
    test.Expect(AreSame(broker.Get(LEFT, sub), {{RIGHT, sub}}), "passed on");
    broker.Get(LEFT, Sub{20, G, {}});
    broker.Get(RIGHT, sub);
    test.Expect(broker->GetTable().at(0).nextHop == LEFT, "what is known turns nothing round");
    const Uns uns{20, F, {}};
    test.Expect(AreSame(broker.Get(LEFT, uns), {{RIGHT, uns}}), "passed on, too");
    test.Expect(broker->GetTable().size() == 1, "one filter is left");
    broker.Get(LEFT, Uns{20, G, {}});
    test.Expect(broker->GetTable().empty(), "none");
}

void
PhoenixKeepsWhatItSent(FunctionCase& test)
{
    Between broker("phoenix");
    broker.Get(CLIENT, Sub{CLIENT, F, {}});
    broker.Get(LEFT, Sub{20, F, {}});
    const auto second = MakeEvent(PUBLISHER, 2);
    test.Expect(AreSame(broker.Get(PUBLISHER, Pub{EVENT, 1, {}}),
                        {{LEFT, Pub{EVENT, 2, {20}, false, 1}},
                         {CLIENT, Pub{EVENT, 2, {CLIENT}, false, 1}}}),
                "with the clock");
    broker.Get(RIGHT, Pub{MakeEvent(PUBLISHER, 5, "h"), 1, {}});
    broker.Get(RIGHT, Pub{second, 2, {}});
    test.Expect(broker->CountHeld() == 2, "its own client's");
    test.Expect(broker.Get(LEFT, Pub{EVENT, 2, {}}).size() == 1, "not back");
    const Mig mig{CLIENT, SELF, {}, 1};
    test.Expect(
        AreSame(broker.Get(RIGHT, mig),
                {{RIGHT, Rep{CLIENT, {second}, 1, 3}}, {RIGHT, Rep{CLIENT, {EVENT}, 1, 4}}}),
        "what came after the last that it had");
    test.Expect(broker->CountHeld() == 0, "nothing is kept");
    test.Expect(broker->GetTable().at(0).nextHop == RIGHT, "it is there");
}

void
PhoenixPassesMovesOn(FunctionCase& test)
{
    Between broker("phoenix");
    broker.Get(LEFT, Sub{CLIENT, F, {}});
    const Mig mig{CLIENT, 5, {}, 9};
    test.Expect(AreSame(broker.Get(CLIENT, mig), {{LEFT, mig}}), "to where it was");
    const Rep rep{CLIENT, {EVENT}, 1, 4};
    test.Expect(AreSame(broker.Get(LEFT, rep), {{CLIENT, Rep{CLIENT, {EVENT}, 2, 1}}}),
                "by its own clock");
    test.Expect(broker->CountHeld() == 1, "and kept");
    broker.Get(RIGHT, mig);
    test.Expect(AreSame(broker.Get(LEFT, rep), {{RIGHT, Rep{CLIENT, {EVENT}, 2, 4}}}), "passed on");
    test.Expect(broker.Get(RIGHT, rep).empty(), "not back");
    test.Expect(broker->CountHeld() == 0, "nor kept");
    broker.Get(RIGHT, Uns{CLIENT, F, {}});
    test.Expect(broker->GetTable().empty(), "forgotten");
}

void
DispatchersForgetClientsThatDoNotAnswer(FunctionCase& test)
{
    Between broker("strawman");
    broker.Tell(input::ParentChanged{NO_NODE, LEFT});
    test.Expect(AreSame(broker.Get(CLIENT, Sub{CLIENT, F, {}}), {{LEFT, Sub{NO_NODE, F, {}}}}),
                "over the open link");
    test.Expect(broker.Get(9, Sub{9, F, {}}).empty(), "it is wanted already");
    test.Expect(broker.Get(RIGHT, Sub{NO_NODE, G, {}}).empty(), "a link that is not open");
    test.Expect(AreSame(broker.Get(PUBLISHER, Pub{EVENT, 1, {}}),
                        {{CLIENT, Pub{EVENT, 2, {CLIENT}}}, {9, Pub{EVENT, 2, {9}}}}),
                "to both clients");
    test.Expect(broker.HasMatched({CLIENT, 9}), "by name");
    const Message word = Sub{CLIENT, F, {}};
    const Message forwarded = Pub{EVENT, 2, {}};
    const Message delivered = Pub{EVENT, 2, {CLIENT}};
    broker.Tell(input::DeliveryFailed{CLIENT, word});
    broker.Tell(input::DeliveryFailed{CLIENT, forwarded});
    test.Expect(broker->GetTable().size() == 2, "these are no events for it");
    test.Expect(broker.Tell(input::DeliveryFailed{CLIENT, delivered}).empty(), "9 wants it still");
    test.Expect(broker->GetTable().size() == 1, "forgotten");
    test.Expect(AreSame(broker.Tell(input::LinkDown{9}), {{LEFT, Uns{NO_NODE, F, {}}}}),
                "the last");
    test.Expect(broker.Get(PUBLISHER, Pub{EVENT, UNKNOWN_HOPS, {}}).empty(), "round and round");
    test.Expect(AreSame(broker.Get(9, Mig{9, 5, {}}), {{9, Filters{}}}), "it is asked anew");
    broker.Get(9, Sub{9, G, {}});
    test.Expect(AreSame(broker.Get(9, Mig{9, 5, {}}), {{9, Filters{{G}}}}), "what it has");
    test.Expect(AreSame(broker.Get(9, Uns{9, G, {}}), {{LEFT, Uns{NO_NODE, G, {}}}}), "no more");
    test.Expect(broker.Get(9, Uns{9, G, {}}).empty(), "once");
}

void
DispatchersOpenLinksByName(FunctionCase& test)
{
    Between broker("strawman");
    broker.Get(CLIENT, Sub{CLIENT, F, {}});
    test.Expect(AreSame(broker.Tell(input::ParentChanged{NO_NODE, LEFT}),
                        {{LEFT, OpeningLink{{SELF, 1}, {}}}, {LEFT, Sub{NO_NODE, F, {}}}}),
                "it replaces none");
    test.Expect(broker.Tell(input::ParentChanged{LEFT, LEFT}).empty(), "it is open");
    broker.Tell(input::LinkDown{LEFT});
    test.Expect(AreSame(broker.Tell(input::ParentChanged{LEFT, RIGHT}),
                        {{RIGHT, OpeningLink{{SELF, 2}, {SELF, 1}}}, {RIGHT, Sub{NO_NODE, F, {}}}}),
                "it replaces the lost one");
    test.Expect(
        AreSame(broker.Get(LEFT, OpeningLink{{LEFT, 4}, {9, 3}}), {{LEFT, Sub{NO_NODE, F, {}}}}),
        "a child's link");
    test.Expect(AreSame(broker.Get(LEFT, Pub{EVENT, 2, {}}), {{CLIENT, Pub{EVENT, 3, {CLIENT}}}}),
                "events for clients");
    broker.Get(RIGHT, Sub{NO_NODE, F, {}});
    test.Expect(AreSame(broker.Get(LEFT, Pub{EVENT, 2, {}}),
                        {{CLIENT, Pub{EVENT, 3, {CLIENT}}}, {RIGHT, Pub{EVENT, 3, {}}}}),
                "and beyond");
    const auto table = broker->GetTable();
    test.Expect(table.size() == 2 && table[0].subscriber == RIGHT && table[1].subscriber == CLIENT,
                "whose filters it has");
    broker.Tell(input::LinkReset{RIGHT});
    test.Expect(broker->GetTable().size() == 1, "a link that begins anew has none");
    test.Expect(AreSame(broker.Tell(input::NeighbourAlive{RIGHT}),
                        {{RIGHT, OpeningLink{{SELF, 3}, {SELF, 2}}}, {RIGHT, Sub{NO_NODE, F, {}}}}),
                "until it is opened again");
    test.Expect(broker.Tell(input::NeighbourAlive{RIGHT}).empty(), "once");
    test.Expect(broker.Tell(input::NeighbourAlive{9}).empty(), "nobody else's");
}

/// Others may know links of its former life still.
void
DispatchersThatAreBackNumberLinksAnew(FunctionCase& test)
{
    BrokerOptions options;
    options.renaming = [] { return 0.5; };
    Between broker("deferred-unsub-timed", options);
    test.Expect(AreSame(broker.Tell(input::ParentChanged{NO_NODE, LEFT}),
                        {{LEFT, OpeningLink{{SELF, 0x80000001}, {}}}}),
                "from a drawn number on");
}

/// Links and filters come and go for ever; what a client wants stays.
void
DispatchersForgetLinksAndFiltersThatAreGone(FunctionCase& test)
{
    for (const auto* protocol : {"strawman", "deferred-unsub-timed", "deferred-unsub-notified"})
    {
        BrokerOptions options;
        options.unsubscribeAfter = Instant(0);
        Between broker(protocol, options);
        broker.Tell(input::ParentChanged{NO_NODE, LEFT});
        broker.Get(CLIENT, Sub{CLIENT, F, {}});
        size_t early = 0;
        size_t late = 0;
        for (uint32_t round = 1; round <= 400; ++round)
        {
            const auto passing = Filter::Parse("n = " + std::to_string(1000 + round));
            broker.Get(RIGHT, OpeningLink{{RIGHT, 1000 + round}, {RIGHT, 999 + round}});
            broker.Get(RIGHT, Sub{NO_NODE, passing, {}});
            broker.Tell(input::LinkReset{RIGHT});
            auto& most = round <= 200 ? early : late;
            most = std::max(most, broker->GetDigest().size());
            test.Expect(
                protocol == std::string("strawman") ||
                    AreSame(broker.Tell(input::Expired()), {{LEFT, Uns{NO_NODE, passing, {}}}}),
                "the filter is the right one");
        }
        test.Expect(late <= early, std::string(protocol) + " remembers no more");
        test.Expect(
            AreSame(broker.Get(LEFT, Pub{EVENT, 1, {}}), {{CLIENT, Pub{EVENT, 2, {CLIENT}}}}),
            "what is wanted is known");
    }
}

void
UnknownProtocolsAreRefused(FunctionCase& test)
{
    std::string refused;
    try
    {
        MakeBroker("magic", SELF, {});
    }
    catch (const std::invalid_argument& error)
    {
        refused = error.what();
    }
    test.Expect(refused.starts_with("no protocol 'magic': known are cascading, deferred-unsub-"),
                "with what is known");
    for (const auto& protocol : GetBrokerProtocols())
    {
        Between broker(protocol);
        const auto before = broker->GetDigest();
        const auto copy = broker->Clone();
        test.Expect(copy->GetDigest() == before && copy->GetId() == SELF, protocol + "'s copy");
        broker.Get(CLIENT, Sub{CLIENT, F, {1, 0}});
        test.Expect(broker->GetDigest() != before, protocol + " has learnt");
        test.Expect(copy->GetDigest() == before, protocol + "'s copy has not");
    }
}

class TreeMachinesSuite : public ns3::TestSuite
{
  public:
    TreeMachinesSuite()
        : TestSuite("mftpubsub-tree-machines", Type::UNIT)
    {
        Add("Flooding broadcasts each event once", FloodingBroadcastsOnce);
        Add("Flooding tells a client its filters", FloodingForgetsNoFilters);
        Add("Simple routing passes words on", SimpleRoutingPassesWordsOn);
        Add("Simple routing counts equal filters", SimpleRoutingCountsEqualFilters);
        Add("Simple routing delivers to clients", SimpleRoutingDeliversToClients);
        Add("Events go once to a next hop", EventsGoOnceToANextHop);
        Add("Events without a way wait", EventsWithoutAWayWait);
        Add("Undelivered events wait", UndeliveredEventsWait);
        Add("Cascading moves a client", CascadingMovesAClient);
        Add("Cascading moves a broker", CascadingMovesABroker);
        Add("Cascading takes a table", CascadingTakesATable);
        Add("Cascading sends what waited after a table", CascadingSendsWhatWaitedAfterATable);
        Add("Cascading forgets an empty route", CascadingForgetsAnEmptyRoute);
        Add("Phoenix keeps what it sent", PhoenixKeepsWhatItSent);
        Add("Phoenix passes moves on", PhoenixPassesMovesOn);
        Add("Dispatchers forget clients that do not answer",
            DispatchersForgetClientsThatDoNotAnswer);
        Add("Dispatchers open links by name", DispatchersOpenLinksByName);
        Add("Dispatchers that are back number links anew", DispatchersThatAreBackNumberLinksAnew);
        Add("Dispatchers forget links and filters that are gone",
            DispatchersForgetLinksAndFiltersThatAreGone);
        Add("Unknown protocols are refused", UnknownProtocolsAreRefused);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

TreeMachinesSuite g_treeMachines;

} // namespace

} // namespace mftpubsub::tree_machines_test
