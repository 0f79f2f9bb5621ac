/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * mft-pubsub-2: what goes by broadcast, and what is left to the routes.
 */
#include "function-case.h"
#include "protocols/tree/message-codec.h"
#include "protocols/tree/message-split.h"
#include "protocols/tree/mft-pubsub-2.h"
#include "protocols/tree/recent-events.h"
#include "protocols/tree/subscriber.h"
#include "tree-sends.h"

#include "ns3/test.h"

#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::tree_overhearing_test
{

using namespace std::chrono_literals;

namespace
{

constexpr NodeId SELF = 1;
constexpr NodeId LEFT = 2;
constexpr NodeId CLIENT = 7;
constexpr NodeId PUBLISHER = 8;
const OverhearingLimits LIMITS;
const Filter F = Filter::Parse("topic = 'f'");
const EventPtr EVENT = MakeEvent(PUBLISHER, 1);
const Send BROADCAST{NO_NODE, Pub{EVENT, 2, {}}};
const Have HAS_IT{CLIENT, {{PUBLISHER, 1, 1}}};

/// A broker that has just started.
class Station
{
  public:
    explicit Station(NodeId self = SELF)
        : m_broker(self, {}, LIMITS)
    {
    }

    std::vector<Send> Tell(const Broker::Input& input)
    {
        BrokerOutput output;
        m_broker.Step(now, input, output);
        return output.sends;
    }

    std::vector<Send> Get(NodeId from, const Message& message)
    {
        return Tell(input::Received<Message>{from, message});
    }

    std::vector<Send> Expire()
    {
        return Tell(input::Expired());
    }

    /// @return what it says at the time that it has asked for
    std::vector<Send> Wait()
    {
        now = m_broker.NextTimer().value();
        return Expire();
    }

    const Broker& operator*() const
    {
        return m_broker;
    }

    Instant now{0};

  private:
    MftPubsub2 m_broker;
};

/// With a neighbour and a client, long after the start.
class Home : public Station
{
  public:
    explicit Home(NodeId self = SELF)
        : Station(self)
    {
        Tell(input::LinkUp{LEFT});
        Get(CLIENT, Sub{CLIENT, F, {1, 0}});
        now += 1h;
        Expire();
    }
};

void
AnEventIsBroadcastFirst(FunctionCase& test)
{
    Home home;
    test.Expect(AreSame(home.Get(PUBLISHER, Pub{EVENT, 1, {}}), {BROADCAST}), "to all at once");
    test.Expect((*home).CountHeld() == 1, "and kept");
    const auto published = home.now;
    test.Expect(AreSame(home.Wait(), {{CLIENT, Rep{CLIENT, {EVENT}, 1}}}), "who says nothing");
    test.Expect(home.now == published + LIMITS.patience, "gets it after a while");
    test.Expect((*home).CountHeld() == 0 && !(*home).NextTimer(), "that is all");
    test.Expect(home.Get(PUBLISHER, Pub{EVENT, 1, {}}).empty(), "said once");
}

void
WhoHasAnEventGetsNoRepair(FunctionCase& test)
{
    Home home;
    home.Get(PUBLISHER, Pub{EVENT, 1, {}});
    test.Expect(home.Get(CLIENT, Have{CLIENT, {{PUBLISHER, 2, 1}}}).empty() &&
                    (*home).CountHeld() == 1,
                "it has another one");
    home.Get(CLIENT, HAS_IT);
    test.Expect((*home).CountHeld() == 0, "let go");
    test.Expect(home.Wait().empty(), "nothing to repair");
    test.Expect(home.Get(LEFT, Rep{CLIENT, {EVENT}, 1}).empty(), "nor for others");
    const auto second = MakeEvent(PUBLISHER, 3);
    test.Expect(AreSame(home.Get(LEFT, Rep{CLIENT, {EVENT, second}, 1}),
                        {{CLIENT, Rep{CLIENT, {second}, 2}}}),
                "but for what it lacks");
}

void
ARouteRepeatsABroadcast(FunctionCase& test)
{
    Home home;
    const Pub heard{EVENT, 2, {}};
    test.Expect(home.Get(LEFT, heard).empty(), "not at once");
    test.Expect(AreSame(home.Wait(), {{NO_NODE, Pub{EVENT, 3, {}}}}), "for the client here");
    test.Expect(home.Get(9, heard).empty() && !(*home).NextTimer(), "once");
    test.Expect((*home).CountHeld() == 0, "its publisher's broker keeps it");
}

void
EnoughCopiesAreEnough(FunctionCase& test)
{
    Home home;
    for (uint32_t copies = 0; copies < LIMITS.copies; ++copies)
    {
        test.Expect(copies == 0 || (*home).NextTimer().has_value(), "too few yet");
        home.Get(static_cast<NodeId>(20 + copies), Pub{EVENT, 2, {}});
    }
    test.Expect(!(*home).NextTimer(), "others have repeated it");
}

void
NobodyBehindIsNoReason(FunctionCase& test)
{
    Home home;
    home.Get(LEFT, Pub{MakeEvent(PUBLISHER, 1, "g"), 2, {}});
    test.Expect(!(*home).NextTimer(), "nobody wants it");
    home.Get(CLIENT, Pub{MakeEvent(PUBLISHER, 2), 2, {}});
    test.Expect(!(*home).NextTimer(), "who wants it has sent it");
    home.Tell(input::LinkDown{CLIENT});
    home.Get(LEFT, Pub{MakeEvent(PUBLISHER, 3), 2, {}});
    test.Expect(!(*home).NextTimer(), "nor does a way that is gone lead on");
}

void
AClientWithoutFiltersIsForgotten(FunctionCase& test)
{
    Home home;
    const auto before = (*home).GetTable().size();
    home.Get(9, Mig{9, NO_NODE, {1, 0}, 0});
    test.Expect((*home).GetTable().size() == before + 1, "it is here");
    home.Tell(input::LinkDown{9});
    test.Expect((*home).GetTable().size() == before, "and was never told of");
    home.Tell(input::LinkDown{CLIENT});
    test.Expect((*home).GetTable().size() == before, "whose filters are known stays");
}

void
BroadcastsAreRepeatedApart(FunctionCase& test)
{
    Home home;
    Home other(3);
    home.Get(LEFT, Pub{EVENT, 2, {}});
    other.Get(LEFT, Pub{EVENT, 2, {}});
    const auto first = (*home).NextTimer().value();
    test.Expect(first != (*other).NextTimer().value(), "by broker");
    const auto latest = home.now + LIMITS.forwarding;
    const auto published = home.now;
    std::set<Instant> at;
    for (uint32_t sequence = 2; sequence <= 10; ++sequence)
    {
        home.Get(LEFT, Pub{MakeEvent(PUBLISHER, sequence), 2, {}});
    }
    while ((*home).NextTimer())
    {
        test.Expect(home.Wait().size() == 1, "each at its own time");
        at.insert(home.now);
    }
    test.Expect(at.size() == 10 && *at.rbegin() < latest, "by event, soon");
    test.Expect(*at.begin() > published, "and not at once");
}

void
ARepairIsNotPutOff(FunctionCase& test)
{
    Home home;
    home.Get(PUBLISHER, Pub{EVENT, 1, {}});
    const auto published = home.now;
    const auto second = MakeEvent(PUBLISHER, 2);
    home.now += LIMITS.patience / 2;
    home.Get(PUBLISHER, Pub{second, 1, {}});
    test.Expect(AreSame(home.Wait(), {{CLIENT, Rep{CLIENT, {EVENT, second}, 1}}}), "both in one");
    test.Expect(home.now == published + LIMITS.patience, "when the first is due");
}

void
ARepairOfOthersPassesAnEventThatIsHeld(FunctionCase& test)
{
    Home home;
    home.Get(PUBLISHER, Pub{EVENT, 1, {}});
    test.Expect(
        AreSame(home.Get(LEFT, Rep{CLIENT, {EVENT}, 1}), {{CLIENT, Rep{CLIENT, {EVENT}, 2}}}),
        "a broadcast is no delivery");
}

void
WhatASubscriberHasIsNotHeld(FunctionCase& test)
{
    Home home;
    home.Get(CLIENT, Have{CLIENT, {{9, 4, 1}, {PUBLISHER, 1, 1}}});
    test.Expect(AreSame(home.Get(PUBLISHER, Pub{EVENT, 1, {}}), {BROADCAST}), "for others");
    test.Expect((*home).CountHeld() == 0 && !(*home).NextTimer(), "it has heard it elsewhere");
}

void
AFailedRepairGoesTheNewWay(FunctionCase& test)
{
    Home home;
    home.Get(PUBLISHER, Pub{EVENT, 1, {}});
    home.Wait();
    home.now += 10s;
    home.Tell(input::ParentChanged{NO_NODE, LEFT});
    home.Get(LEFT, ClaimingBsub{CLIENT, {F}, {2, 0}, 2});
    const Message failed = Rep{CLIENT, {EVENT}, 1};
    home.Tell(input::DeliveryFailed{CLIENT, failed});
    const auto since = home.now;
    test.Expect(AreSame(home.Wait(), {{LEFT, Rep{CLIENT, {EVENT}, 1}}}), "to where it is now");
    test.Expect(home.now == since + LIMITS.patience, "after a while");
}

void
ANewParentIsAWay(FunctionCase& test)
{
    constexpr NodeId FAR = 9;
    Home home;
    home.Tell(input::ParentChanged{NO_NODE, LEFT});
    home.Get(LEFT, ClaimingBsub{FAR, {F}, {1, 0}, 1, true});
    home.Tell(input::LinkDown{LEFT});
    home.Get(PUBLISHER, Pub{EVENT, 1, {}});
    home.Get(CLIENT, HAS_IT);
    while ((*home).NextTimer())
    {
        test.Expect(home.Wait().empty(), "no way yet");
    }
    home.now += 10s;
    home.Tell(input::LinkUp{3});
    home.Tell(input::ParentChanged{LEFT, 3});
    const auto since = home.now;
    test.Expect(AreSame(home.Wait(), {{3, Rep{FAR, {EVENT}, 1}}}), "up the tree");
    test.Expect(home.now == since + LIMITS.patience, "after a while");
}

void
ANewcomerAsks(FunctionCase& test)
{
    Station newcomer;
    newcomer.Tell(input::LinkUp{LEFT});
    newcomer.Tell(input::ParentChanged{NO_NODE, LEFT});
    test.Expect((*newcomer).NextTimer() == AddressingLimits().silence, "until it has learned");
    newcomer.Get(CLIENT, Sub{CLIENT, F, {1, 0}});
    newcomer.Get(LEFT, Pub{EVENT, 2, {}});
    test.Expect(AreSame(newcomer.Wait(), {{NO_NODE, Pub{EVENT, 3, {}}}}), "a broadcast is sooner");
    const auto event = MakeEvent(PUBLISHER, 2, "g");
    test.Expect(AreSame(newcomer.Get(PUBLISHER, Pub{event, 1, {}}),
                        {{NO_NODE, Pub{event, 2, {}}}, {LEFT, Pub{event, 2, {}, true}}}),
                "it is a newcomer still");
    newcomer.Wait();
    test.Expect(newcomer.Get(PUBLISHER, Pub{MakeEvent(PUBLISHER, 3, "g"), 1, {}}).size() == 1,
                "it has learned");
}

void
StatesThatDifferHaveOtherDigests(FunctionCase& test)
{
    Home home;
    std::set<std::string> digests{(*home).GetDigest()};
    const auto isNew = [&] { return digests.insert((*home).GetDigest()).second; };
    home.Get(LEFT, Pub{MakeEvent(PUBLISHER, 9, "g"), 2, {}});
    test.Expect(isNew(), "a broadcast heard");
    home.Get(LEFT, Pub{EVENT, 2, {}});
    test.Expect(isNew(), "to be repeated");
    home.Get(3, Pub{EVENT, 2, {}});
    test.Expect(isNew(), "heard again");
    home.Wait();
    test.Expect(isNew(), "repeated");
    home.Get(CLIENT, Have{CLIENT, {{PUBLISHER, 1, 1}}});
    test.Expect(isNew(), "a subscriber has it");
    home.Get(PUBLISHER, Pub{MakeEvent(PUBLISHER, 2), 1, {}});
    test.Expect(isNew(), "held");
    home.Tell(input::LinkDown{CLIENT});
    test.Expect(isNew(), "its way gone");
    test.Expect(home.Wait().empty() && isNew(), "and not to be repaired any more");
}

void
ASubscriberTakesWhatItWants(FunctionCase& test)
{
    for (const auto overhears : {true, false})
    {
        Subscriber subscriber(CLIENT);
        if (overhears)
        {
            subscriber.Overhear();
        }
        SubscriberOutput output;
        subscriber.Subscribe(F, output);
        subscriber.Attached(SELF, output);
        subscriber.Receive(LEFT, Pub{EVENT, 2, {}}, output);
        subscriber.Receive(LEFT, Pub{EVENT, 3, {}}, output);
        subscriber.Receive(LEFT, Pub{MakeEvent(PUBLISHER, 2, "g"), 2, {}}, output);
        test.Expect(output.deliveries.size() == (overhears ? 1 : 3), "once, and no other");
        SubscriberOutput said;
        subscriber.BrokerAlive(said);
        const std::vector<Send> has{{NO_NODE, HAS_IT}};
        test.Expect(AreSame(said.sends, overhears ? has : std::vector<Send>{}), "it says so");
    }
}

void
RecentEventsHaveAWindow(FunctionCase& test)
{
    RecentEvents recent;
    test.Expect(!recent.Contains({PUBLISHER, 5}), "nothing");
    recent.Insert({PUBLISHER, 5});
    recent.Insert({PUBLISHER, 68});
    recent.Insert({PUBLISHER, 60});
    recent.Insert({9, 1});
    test.Expect(recent.Contains({PUBLISHER, 5}) && recent.Contains({PUBLISHER, 60}) &&
                    recent.Contains({PUBLISHER, 68}) && recent.Contains({9, 1}),
                "what was put in");
    test.Expect(!recent.Contains({PUBLISHER, 61}) && !recent.Contains({PUBLISHER, 69}) &&
                    !recent.Contains({9, 0}),
                "and no other");
    recent.Insert({PUBLISHER, 69});
    test.Expect(!recent.Contains({PUBLISHER, 5}) && recent.Contains({PUBLISHER, 60}),
                "it moves on");
    recent.Insert({PUBLISHER, 5});
    test.Expect(!recent.Contains({PUBLISHER, 5}), "too old to say");
    recent.Insert({PUBLISHER, 200});
    test.Expect(recent.Contains({PUBLISHER, 200}) && !recent.Contains({PUBLISHER, 69}) &&
                    !recent.Contains({PUBLISHER, 197}),
                "far on");
    recent.Learn({10, 0, 0b11}); // as nobody says
    test.Expect(!recent.Contains({10, std::numeric_limits<uint32_t>::max()}), "far ahead of all");
}

void
WhatIsSaidStaysTrue(FunctionCase& test)
{
    RecentEvents recent;
    recent.Learn({PUBLISHER, 10, 0b101});
    recent.Learn({9, 3, 1});
    recent.Learn({PUBLISHER, 12, 1});
    recent.Learn({PUBLISHER, 11, 0b1});
    for (const uint32_t sequence : {8, 10, 11, 12})
    {
        test.Expect(recent.Contains({PUBLISHER, sequence}), "of a newer and of an older word");
    }
    test.Expect(!recent.Contains({PUBLISHER, 9}) && recent.Contains({9, 3}), "and no other");

    Home home;
    home.Get(PUBLISHER, Pub{EVENT, 1, {}});
    home.Get(CLIENT, HAS_IT);
    home.Get(CLIENT, Have{CLIENT, {{9, 1, 1}}});
    test.Expect(home.Get(LEFT, Rep{CLIENT, {EVENT}, 1}).empty(), "another part takes nothing back");
}

void
MessagesAreSplitToFit(FunctionCase& test)
{
    Have have{CLIENT, {}};
    Rep rep{CLIENT, {}, 3};
    for (uint32_t i = 0; i < 41; ++i)
    {
        have.rows.push_back({static_cast<NodeId>(i), i, 1});
        rep.events.push_back(MakeEvent(PUBLISHER, i));
    }
    std::vector<RecentRow> rows;
    for (const auto& part : SplitToFit(have, 100))
    {
        test.Expect(Encode(part).size() <= 100, "HAVE fits");
        const auto& of = std::get<Have>(part);
        test.Expect(of.subscriber == CLIENT, "of the same");
        rows.insert(rows.end(), of.rows.begin(), of.rows.end());
    }
    test.Expect(rows == have.rows, "all rows in order");
    std::vector<EventPtr> events;
    for (const auto& part : SplitToFit(rep, 10)) // less than one event has
    {
        const auto& of = std::get<Rep>(part);
        test.Expect(of.events.size() == 1 && of.hops == 3, "one each");
        events.insert(events.end(), of.events.begin(), of.events.end());
    }
    test.Expect(events == rep.events, "all events in order");
    const auto whole = Encode(have).size();
    test.Expect(SplitToFit(have, whole).size() == 1, "what fits stays whole");
    test.Expect(SplitToFit(have, whole - 1).size() == 2, "what does not is halved");
    test.Expect(SplitToFit(Pub{EVENT, 1, {}}, 1).size() == 1, "so does what cannot be halved");
}

class TreeOverhearingSuite : public ns3::TestSuite
{
  public:
    TreeOverhearingSuite()
        : TestSuite("mftpubsub-tree-overhearing", Type::UNIT)
    {
        Add("An event is broadcast first", AnEventIsBroadcastFirst);
        Add("Who has an event gets no repair", WhoHasAnEventGetsNoRepair);
        Add("A route repeats a broadcast", ARouteRepeatsABroadcast);
        Add("Enough copies are enough", EnoughCopiesAreEnough);
        Add("Nobody behind is no reason", NobodyBehindIsNoReason);
        Add("A client without filters is forgotten", AClientWithoutFiltersIsForgotten);
        Add("Broadcasts are repeated apart", BroadcastsAreRepeatedApart);
        Add("A repair is not put off", ARepairIsNotPutOff);
        Add("A repair of others passes an event that is held",
            ARepairOfOthersPassesAnEventThatIsHeld);
        Add("What a subscriber has is not held", WhatASubscriberHasIsNotHeld);
        Add("A failed repair goes the new way", AFailedRepairGoesTheNewWay);
        Add("A new parent is a way", ANewParentIsAWay);
        Add("A newcomer asks", ANewcomerAsks);
        Add("States that differ have other digests", StatesThatDifferHaveOtherDigests);
        Add("A subscriber takes what it wants", ASubscriberTakesWhatItWants);
        Add("Recent events have a window", RecentEventsHaveAWindow);
        Add("What is said stays true", WhatIsSaidStaysTrue);
        Add("Messages are split to fit", MessagesAreSplitToFit);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

TreeOverhearingSuite g_treeOverhearing;

} // namespace

} // namespace mftpubsub::tree_overhearing_test
