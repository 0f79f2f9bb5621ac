/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Rule 8 of the mesh: how an event finds the few who want it, and how word of its arrival comes
 * back.
 */
#include "function-case.h"
#include "mesh-scene.h"

#include "ns3/test.h"

#include <algorithm>
#include <initializer_list>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::mesh::mesh_approach_test
{

namespace
{

void
WhoGetsItOnMostIsFirst(FunctionCase& test)
{
    const auto wait = [](double hops) {
        Scene scene(hops);
        scene.HearEvent(Seconds(1), RELAY, 2.5);
        return scene.DueEvent();
    };
    test.Expect(wait(1.5) < wait(2), "a hop is more than half of one");
    test.Expect(wait(1) == wait(1.3), "nobody gets an event on by more than a hop");
    test.Expect(wait(1.5) < Seconds(1.2), "both before the next frame");
    const auto waitOfUnknown = [](double hops) {
        Scene scene(hops);
        scene.HearPublisher(Seconds(1));
        return scene.DueEvent();
    };
    test.Expect(waitOfUnknown(1) < waitOfUnknown(3), "the nearest, if nobody has said a distance");
    test.Expect(waitOfUnknown(3) + Seconds(0.15) < waitOfUnknown(NOWHERE),
                "then, at random, others");
}

void
WhoIsNoNearerLeavesItToOthers(FunctionCase& test)
{
    for (const auto& [hops, sends] : {std::pair{2.0, true}, {2.4, false}, {5.0, false}})
    {
        Scene scene(hops);
        scene.HearEvent(Seconds(1), RELAY, 2.5);
        test.Expect(!scene.ListenToEvents(Seconds(1.9)).empty() == sends, std::to_string(hops));
    }
}

void
APublisherSaysDistancesToo(FunctionCase& test)
{
    for (const auto& [hops, sends] : {std::pair{2.0, true}, {2.4, false}})
    {
        Scene scene(hops);
        scene.HearPublisher(Seconds(1), {MakeHint(SUBSCRIBER_ID, 2.5)});
        test.Expect(!scene.ListenToEvents(Seconds(1.9)).empty() == sends, std::to_string(hops));
    }
}

void
WhatItsPublisherRepeatsIsInNobodysHands(FunctionCase& test)
{
    Scene scene(2.4);
    scene.HearEvent(Seconds(1), RELAY, 2.5);
    test.Expect(scene.ListenToEvents(Seconds(1.9)).empty(), "it is left to others");
    scene.HearPublisher(Seconds(2));
    const auto sent = scene.ListenToEvents(Seconds(2.5));
    test.Expect(sent.size() == 1, "who do not have it");
    test.Expect(sent.size() == 1 && !sent[0].path.IsForAll(), "it is for a few still");
}

void
WhatItsPublisherRepeatsIsSentNoSooner(FunctionCase& test)
{
    Scene scene(2);
    scene.HearPublisher(Seconds(1), {MakeHint(SUBSCRIBER_ID, 2.5)});
    test.Expect(scene.ListenToEvents(Seconds(1.5)).size() == 1, "it is sent on");
    const auto due = scene.DueEvent();
    scene.HearPublisher(Seconds(1.6), {MakeHint(SUBSCRIBER_ID, 2.5)});
    test.Expect(scene.DueEvent() == due, "it is on its way");
    const auto again = scene.ListenToEvents(due);
    test.Expect(again.size() == 1 && again[0].path.claims.at(0).round == 1, "in vain");
}

void
WhatIsLeftToOthersIsNoRepair(FunctionCase& test)
{
    for (const auto isLeft : {false, true})
    {
        Scene scene(2.4);
        isLeft ? scene.HearEvent(Seconds(1), RELAY, 2.5) : scene.HearRepair(Seconds(1), RELAY);
        scene.ListenToEvents(Seconds(1.9));
        scene.Hear(Seconds(3), MakeHeartbeat(RELAY + 1, 0, {}));
        test.Expect((scene.DueEvent() < NEVER) == isLeft, "it may go yet");
        test.Expect((scene.DueRepair() < NEVER) != isLeft, "a neighbour lacks it");
    }
}

void
EachTryTakesLonger(FunctionCase& test)
{
    Scene scene(2);
    scene.HearEvent(Seconds(1), RELAY, 2.5);
    for (const auto seconds : {1.0, 2.0, 3.0})
    {
        const auto at = scene.DueEvent();
        scene.ListenToEvents(at);
        const auto wait = scene.DueEvent() - at;
        test.Expect(wait >= Seconds(seconds) && wait <= 2 * Seconds(seconds),
                    std::to_string(seconds));
    }
}

void
ALonelyPlaceDoesNotTellALargeNetwork(FunctionCase& test)
{
    const auto isForAll = [](uint32_t crowd, size_t stamps) {
        Options options;
        options.crowd = crowd;
        options.limits.frame.stamps = stamps;
        Scene scene(1.5, {SUBSCRIBER_ID}, options);
        scene.HearPublisher(Seconds(1));
        return scene.ListenToEvents(Seconds(2)).at(0).path.claims.empty();
    };
    test.Expect(!isForAll(4, 1), "four brokers are around");
    test.Expect(isForAll(5, 1), "they are fewer than a subscriber is worth a way for");
    test.Expect(!isForAll(5, 0), "where the words do not fit into a BSUB many are elsewhere");
}

void
WhatHasLedNowhereIsNotBelieved(FunctionCase& test)
{
    Options options;
    options.copies = 3;
    Scene scene(2, {SUBSCRIBER_ID}, options);
    scene.HearEvent(Seconds(1), RELAY, 2.5);
    scene.ListenToEvents(Seconds(3.5));
    scene.HearEvent(Seconds(3.6), RELAY, NOWHERE);
    test.Expect(scene.ListenToEvents(Seconds(8)).size() == 1, "the relay is not nearer any more");
}

void
WhatHasLedNowhereIsNotToldAgain(FunctionCase& test)
{
    Scene scene(2);
    scene.HearEvent(Seconds(1), RELAY, 2.5);
    std::vector<Claim> claims;
    for (const auto& carried : scene.ListenToEvents(Seconds(15)))
    {
        claims.push_back(carried.path.IsForAll() ? Claim() : carried.path.claims.front());
    }
    test.Expect(claims == std::vector<Claim>{MakeClaim(SUBSCRIBER_ID, 2),
                                             MakeClaim(SUBSCRIBER_ID, NOWHERE, 1),
                                             MakeClaim(SUBSCRIBER_ID, NOWHERE, 2),
                                             {}},
                "the distance once, then none in two searches, at last for everybody");
}

/// Whom others bring it to is not its to give up.
void
WhoseOwnHaveGotItLeavesOthersToOthers(FunctionCase& test)
{
    for (const auto hasArrived : {false, true})
    {
        Scene scene(2, {SUBSCRIBER_ID, SECOND_ID});
        scene.HearShare(Seconds(1),
                        RELAY,
                        {MakeClaim(SUBSCRIBER_ID, 2.5)},
                        {MakeClaim(SECOND_ID, 1.5)});
        test.Expect(scene.ListenToEvents(Seconds(8)).size() == 3, "it brings it to one");
        if (hasArrived)
        {
            scene.HearArrivalBut(Seconds(8), RELAY + 1, SECOND_ID);
        }
        test.Expect(scene.ListenToEvents(Seconds(20)).empty() == hasArrived, "in vain");
        test.Expect(!scene.ListenToEvents(Seconds(60)).empty() == hasArrived, "but where is it?");
    }
}

/// A copy on its way says that the event has not arrived yet.
void
WhoHearsOfItLaterAsksLater(FunctionCase& test)
{
    Scene scene(2.4);
    scene.HearEvent(Seconds(1), RELAY, 2.5);
    test.Expect(scene.ListenToEvents(Seconds(26)).empty(), "it is left to others");
    scene.HearEvent(Seconds(26), RELAY + 1, 1.5);
    test.Expect(scene.ListenToEvents(Seconds(36)).empty(), "for ten seconds more");
    test.Expect(!scene.ListenToEvents(Seconds(46)).empty(), "but no longer than for twenty");
}

void
WhoIsTakenOverFromWaits(FunctionCase& test)
{
    Scene scene(2);
    scene.HearEvent(Seconds(1), RELAY, 2.5);
    test.Expect(scene.ListenToEvents(Seconds(1.5)).size() == 1, "it is sent on");
    scene.HearEvent(Seconds(1.6), RELAY + 1, 1.5);
    test.Expect(scene.ListenToEvents(Seconds(30)).empty(), "somebody nearer has it");
    const auto after = scene.ListenToEvents(Seconds(60));
    test.Expect(!after.empty() && after.front().path.claims.empty(), "but where is it?");
}

void
TheNearestKeepsItInItsCharge(FunctionCase& test)
{
    for (const auto& [hops, keeps] : {std::pair{2.125, true}, {2.0, true}, {1.875, false}})
    {
        Scene scene(2);
        scene.HearEvent(Seconds(1), RELAY, 2.5);
        test.Expect(scene.ListenToEvents(Seconds(1.5)).size() == 1, "it is sent on");
        scene.HearEvent(Seconds(1.6), RELAY + 1, hops);
        scene.HearEvent(Seconds(1.6), RELAY + 2, 2.125); // enough copies for all who search
        test.Expect(scene.ListenToEvents(Seconds(4)).empty() != keeps, std::to_string(hops));
    }
}

/// But not of who looks for it already: else all would leave it to each other.
void
OneOfThemLooksForIt(FunctionCase& test)
{
    Scene scene(2);
    scene.HearEvent(Seconds(1), RELAY, 2.5);
    scene.ListenToEvents(Seconds(1.5));
    scene.HearShare(Seconds(1.6), RELAY + 1, {MakeClaim(SUBSCRIBER_ID, NOWHERE, 1)}, {});
    test.Expect(scene.ListenToEvents(Seconds(20)).empty(), "another looks for the subscriber");
    Scene first(2);
    first.HearEvent(Seconds(1), RELAY, 2.5);
    test.Expect(first.ListenToEvents(Seconds(3.5)).size() == 2, "nobody does");
    first.HearShare(Seconds(3.5), RELAY + 1, {MakeClaim(SUBSCRIBER_ID, NOWHERE, 1)}, {});
    test.Expect(first.ListenToEvents(Seconds(8)).size() == 1, "it goes on looking");
}

/// Where nobody knows a distance two copies are enough: of those that come after one's own.
void
ASearchGoesOnUntilOthersSearch(FunctionCase& test)
{
    for (const NodeId others : {1, 2})
    {
        Scene scene(100);
        scene.HearEvent(Seconds(1), RELAY, NOWHERE);
        test.Expect(scene.ListenToEvents(Seconds(1.9)).size() == 1, "one copy is not enough");
        for (NodeId other = 1; other <= others; ++other)
        {
            scene.HearEvent(Seconds(2), RELAY + other, NOWHERE);
        }
        test.Expect(scene.ListenToEvents(Seconds(4)).empty() == (others == 2), "nor one more");
    }
}

void
WhoSearchesAgainGoesOn(FunctionCase& test)
{
    Scene scene(NOWHERE);
    scene.HearEvent(Seconds(1), RELAY, NOWHERE);
    test.Expect(scene.ListenToEvents(Seconds(3.5)).size() == 2, "nobody else searches");
    for (const NodeId other : {1, 2})
    {
        scene.HearShare(Seconds(3.6), RELAY + other, {MakeClaim(SUBSCRIBER_ID, NOWHERE, 1)}, {});
    }
    test.Expect(scene.ListenToEvents(Seconds(8)).size() == 1, "two copies end the first one only");
}

void
EachSearchKeepsItsRound(FunctionCase& test)
{
    Scene scene(NOWHERE, {SUBSCRIBER_ID, SECOND_ID});
    const std::vector claims{MakeClaim(SECOND_ID, NOWHERE), MakeClaim(SUBSCRIBER_ID, NOWHERE, 1)};
    scene.HearShare(Seconds(1), RELAY, claims, {});
    const auto said = scene.ListenToEvents(Seconds(1.9));
    test.Expect(said.size() == 1 && said[0].path.claims == claims, "as it was said");
}

void
NobodyLeavesItToNobody(FunctionCase& test)
{
    Scene scene(2.4);
    scene.HearPublisher(Seconds(1), {MakeHint(SUBSCRIBER_ID, 2.5)});
    test.Expect(scene.ListenToEvents(Seconds(2.5)).empty(), "somebody may be nearer");
    test.Expect(scene.ListenToEvents(Seconds(3.3)).size() == 1, "nobody has taken it");
    Scene other(2.4);
    other.HearPublisher(Seconds(1), {MakeHint(SUBSCRIBER_ID, 2.5)});
    other.ListenToEvents(Seconds(1.9));
    other.HearEvent(Seconds(1.9), RELAY, 2.5);
    test.Expect(other.ListenToEvents(Seconds(20)).empty(), "a broker has");
    Scene sought(2.4);
    sought.HearPublisher(Seconds(1), {MakeHint(SUBSCRIBER_ID, 2.5)});
    sought.HearEvent(Seconds(1), RELAY, NOWHERE);
    sought.HearEvent(Seconds(1), RELAY + 1, NOWHERE);
    test.Expect(sought.ListenToEvents(Seconds(20)).empty(), "two look for the subscriber");
}

void
EachBrokerBringsItToSome(FunctionCase& test)
{
    Scene scene(2, {SUBSCRIBER_ID, SECOND_ID});
    scene.HearEvent(Seconds(1), RELAY, 2.5);
    scene.HearShare(Seconds(1),
                    RELAY + 1,
                    {MakeClaim(SECOND_ID, 1)},
                    {MakeClaim(SUBSCRIBER_ID, 2.5)});
    const auto said = scene.ListenToEvents(Seconds(1.5));
    test.Expect(said.size() == 1 &&
                    said[0].path.claims == std::vector<Claim>{MakeClaim(SUBSCRIBER_ID, 2)} &&
                    said[0].path.elsewhere == std::vector<Claim>{MakeClaim(SECOND_ID, 1)},
                "somebody is nearer to the second");
    test.Expect(said.at(0).path.wordsHash == scene.GetWordsHash(), "of all whose words it has");
    const auto again = scene.ListenToEvents(Seconds(3.5));
    test.Expect(again.size() == 1 &&
                    again[0].path.claims ==
                        std::vector<Claim>{MakeClaim(SUBSCRIBER_ID, NOWHERE, 1)} &&
                    again[0].path.elsewhere == std::vector<Claim>{MakeClaim(SECOND_ID, 1)},
                "and still is");
}

void
WhomABrokerIsRelievedOfItNamesNoMore(FunctionCase& test)
{
    Scene scene(2, {SUBSCRIBER_ID, SECOND_ID});
    scene.HearEvent(Seconds(1), RELAY, 2.5);
    test.Expect(scene.ListenToEvents(Seconds(1.5)).at(0).path.claims.size() == 2, "both are its");
    scene.HearShare(Seconds(1.6),
                    RELAY + 1,
                    {MakeClaim(SECOND_ID, 1)},
                    {MakeClaim(SUBSCRIBER_ID, 2)});
    const auto again = scene.ListenToEvents(Seconds(3.5));
    test.Expect(again.size() == 1 &&
                    again[0].path.claims ==
                        std::vector<Claim>{MakeClaim(SUBSCRIBER_ID, NOWHERE, 1)} &&
                    again[0].path.elsewhere == std::vector<Claim>{MakeClaim(SECOND_ID, 1)},
                "one is taken");
}

void
WhoHasItIsInNobodysCharge(FunctionCase& test)
{
    Scene scene(2, {SUBSCRIBER_ID, SECOND_ID});
    scene.HearEvent(Seconds(1), RELAY, 2.5);
    test.Expect(scene.ListenToEvents(Seconds(1.5)).at(0).path.claims.size() == 2, "both are its");
    scene.HearArrivalBut(Seconds(1.6), RELAY + 1, SECOND_ID);
    scene.HearShare(Seconds(1.7), RELAY + 2, {MakeClaim(SECOND_ID, 1)}, {});
    test.Expect(scene.ListenToEvents(Seconds(20)).empty(), "one has it, and one is taken");
}

void
WhatDoesNotFitIntoAFrameWasNotSent(FunctionCase& test)
{
    Options options;
    options.maxFrameBytes = 90; // no two events
    Scene scene(2, {SUBSCRIBER_ID}, options);
    for (const uint32_t sequence : {0, 1})
    {
        const EventId id{EVENT.publisher, sequence};
        scene.HearShare(Seconds(1), RELAY, {MakeClaim(SUBSCRIBER_ID, 2.5)}, {}, id);
    }
    const auto said = scene.ListenToEvents(Seconds(1.5));
    test.Expect(said.size() == 2, "a frame each");
    for (const auto& carried : said)
    {
        test.Expect(carried.path.claims == std::vector{MakeClaim(SUBSCRIBER_ID, 2)},
                    "neither has been sent in vain");
    }
}

void
WhoGoesTogetherElsewhereIsSaidTogether(FunctionCase& test)
{
    Options options;
    options.few = 5;
    options.crowd = 0;
    Scene scene(2, {6, 7, 8, 9, 10}, options);
    const auto elsewhere = MakeBranches({{7, 9}, {8, 10}}, 1);
    scene.HearShare(Seconds(1), RELAY, {MakeClaim(6, 2.5)}, elsewhere);
    const auto said = scene.ListenToEvents(Seconds(1.5));
    test.Expect(said.size() == 1 && said[0].path.elsewhere == elsewhere, "as a frame says them");
}

void
WhomNobodyIsNearerToIsBroughtItToo(FunctionCase& test)
{
    Options options;
    options.crowd = 2;
    Scene scene(2, {SUBSCRIBER_ID, SECOND_ID}, options);
    scene.HearPublisher(Seconds(1), {MakeHint(SUBSCRIBER_ID, 2.5), MakeHint(SECOND_ID, 1)});
    const auto said = scene.ListenToEvents(Seconds(1.5));
    test.Expect(said.size() == 1 && said[0].path.claims.size() == 2, "its publisher sends it once");
}

void
WhomTwoLookForIsLeftToThem(FunctionCase& test)
{
    Options options;
    options.crowd = 2;
    Scene scene(2, {SUBSCRIBER_ID, SECOND_ID}, options);
    scene.HearPublisher(Seconds(1), {MakeHint(SUBSCRIBER_ID, 2.5), MakeHint(SECOND_ID, 1)});
    scene.HearEvent(Seconds(1), RELAY, NOWHERE);
    scene.HearEvent(Seconds(1), RELAY + 1, NOWHERE);
    const auto said = scene.ListenToEvents(Seconds(1.5));
    test.Expect(said.size() == 1 && said[0].path.claims == std::vector{MakeClaim(SUBSCRIBER_ID, 2)},
                "it is nearer to the first only");
}

void
WhatIsElsewhereIsNoDistanceOfWhoSaysSo(FunctionCase& test)
{
    Scene scene(3, {SUBSCRIBER_ID, SECOND_ID});
    scene.HearShare(Seconds(1),
                    RELAY,
                    {MakeClaim(SUBSCRIBER_ID, 3.5)},
                    {MakeClaim(SECOND_ID, 0.5)});
    const auto said = scene.ListenToEvents(Seconds(1.5));
    test.Expect(said.size() == 1 && said[0].path.elsewhere.size() == 1, "it is elsewhere");
    scene.HearShare(Seconds(1.6), RELAY + 1, {{{SECOND_ID}}}, {});
    const auto open = scene.ListenToEvents(Seconds(60));
    test.Expect(!open.empty() && open.back().path.claims.empty(), "and is looked for in the end");
}

void
WhatOthersBringIsNotToldBack(FunctionCase& test)
{
    const auto count = [](NodeId left) {
        Scene scene(2, {SUBSCRIBER_ID, SECOND_ID});
        scene.HearShare(Seconds(1),
                        RELAY,
                        {MakeClaim(SUBSCRIBER_ID, 2.5)},
                        {MakeClaim(SECOND_ID, 0.5)});
        scene.ListenToEvents(Seconds(1.5));
        scene.CountStates(Seconds(1.6));
        scene.HearArrivalBut(Seconds(1.6), RELAY + 1, left);
        return scene.CountStates(Seconds(1.7));
    };
    test.Expect(count(SECOND_ID) == 1, "what it has brought");
    test.Expect(count(SUBSCRIBER_ID) == 0, "what others have");
}

void
AnArrivalIsToldBack(FunctionCase& test)
{
    Scene scene(2);
    scene.HearEvent(Seconds(1), RELAY, 2.5);
    scene.ListenToEvents(Seconds(1.5));
    scene.CountStates(Seconds(2));
    scene.HearArrival(Seconds(2), RELAY + 1);
    test.Expect(scene.CountStates(Seconds(2.1)) == 1, "at once");
    test.Expect(scene.ListenToEvents(Seconds(60)).empty(), "and that is the end of it");
}

void
AnArrivalThatIsKnownIsNotToldBack(FunctionCase& test)
{
    const auto count = [](std::initializer_list<NodeId> others) {
        Scene scene(2);
        scene.HearEvent(Seconds(1), RELAY, 2.5);
        scene.ListenToEvents(Seconds(1.5));
        scene.CountStates(Seconds(2));
        for (const auto other : others)
        {
            scene.HearArrival(Seconds(2), other);
        }
        return scene.CountStates(Seconds(2.1));
    };
    test.Expect(count({RELAY + 1}) == 1, "one has told of it");
    test.Expect(count({RELAY + 1, RELAY + 2}) == 0, "two have");
    test.Expect(count({RELAY + 1, RELAY}) == 0, "who brought the event knows");
}

void
WhoKnowsLessOfAnArrivalIsTold(FunctionCase& test)
{
    Scene scene(2, {SUBSCRIBER_ID, SECOND_ID});
    scene.HearEvent(Seconds(1), RELAY, 2.5);
    scene.ListenToEvents(Seconds(1.5));
    scene.CountStates(Seconds(1.6));
    scene.HearArrivalBut(Seconds(1.6), RELAY + 1, SECOND_ID);
    auto both = MakeHeartbeat(RELAY, 0, MakeSummary(EVENT.publisher, {0, 1}));
    std::get<Heartbeat>(both.body).state.open = {{EVENT, {SECOND_ID, SUBSCRIBER_ID}}};
    scene.Hear(Seconds(1.6), both);
    test.Expect(scene.CountStates(Seconds(1.7)) == 1, "it looks for both");
}

void
EachArrivalIsToldBack(FunctionCase& test)
{
    Scene scene(2, {SUBSCRIBER_ID, SECOND_ID});
    scene.HearEvent(Seconds(1), RELAY, 2.5);
    scene.ListenToEvents(Seconds(1.5));
    scene.CountStates(Seconds(1.6));
    scene.HearArrivalBut(Seconds(1.6), RELAY + 1, SECOND_ID);
    scene.HearArrivalBut(Seconds(1.6), RELAY, SECOND_ID, {EVENT.publisher, 1}); // another event
    test.Expect(scene.CountStates(Seconds(1.7)) == 1, "the first");
    scene.HearArrival(Seconds(1.7), RELAY + 1);
    test.Expect(scene.CountStates(Seconds(1.8)) == 1, "the second");
}

void
NobodyElseTellsBack(FunctionCase& test)
{
    Scene first(2);
    first.HearPublisher(Seconds(1));
    test.Expect(first.ListenToEvents(Seconds(1.5)).size() == 1, "it came from the publisher");
    Scene other(5);
    other.HearEvent(Seconds(1), RELAY, 2.5);
    test.Expect(other.ListenToEvents(Seconds(1.5)).empty(), "it was not sent on");
    for (auto* scene : {&first, &other})
    {
        scene->CountStates(Seconds(2));
        scene->HearArrival(Seconds(2), RELAY + 1);
        test.Expect(scene->CountStates(Seconds(2.1)) == 0, "nobody waits for it");
    }
    Scene all(2);
    all.HearEvent(Seconds(1), RELAY, 2.5);
    test.Expect(all.ListenToEvents(Seconds(1.5)).size() == 1, "it is sent on");
    all.HearShare(Seconds(1.6), RELAY + 1, {}, {});
    all.CountStates(Seconds(2));
    all.HearArrival(Seconds(2), RELAY + 2);
    test.Expect(all.CountStates(Seconds(2.1)) == 0, "nor for what goes to everybody");
}

/// A word that is older than the event comes after it.
void
WhatOneMoreWantsIsForAll(FunctionCase& test)
{
    Scene scene(2.4);
    scene.HearEvent(Seconds(1), RELAY, 2.5);
    scene.ListenToEvents(Seconds(1.9));
    const Word word{SECOND_ID, 1, {{Filter::Parse("topic = 'a'"), 60000}}};
    scene.Hear(Seconds(2), {{RELAY, NO_NODE, Sub::KIND, 1, 0}, Sub{{word}}});
    test.Expect(scene.DueEvent() == NEVER, "it is on its way to few no more");
    scene.Hear(Seconds(4), MakeHeartbeat(RELAY + 1, 0, {}));
    test.Expect(scene.ListenToRepair(Seconds(9)).path.IsForAll(), "who lacks it gets it");
}

/// Of an event that the policy gives up there is nothing to tell.
void
WhatIsGivenUpIsNotToldOf(FunctionCase& test)
{
    BrokerPolicies policies;
    policies.queue = std::make_shared<BoundedQueue>(1, false);
    policies.describe = [] { return NodeView(); };
    for (const auto hasArrived : {false, true})
    {
        Scene scene(2, {SUBSCRIBER_ID}, {}, policies);
        scene.HearEvent(Seconds(1), RELAY, 2.5);
        scene.ListenToEvents(Seconds(1.5));
        scene.CountStates(Seconds(2));
        if (hasArrived)
        {
            scene.HearArrival(Seconds(2), RELAY + 1);
        }
        else
        {
            scene.HearEvent(Seconds(2), RELAY + 1, 6);
        }
        const auto claim = MakeClaim(SUBSCRIBER_ID, 2);
        scene.HearShare(Seconds(2), RELAY, {claim}, {}, {EVENT.publisher, 1});
        test.Expect(scene.ListenToTaken(Seconds(3)).empty(), "who has it nearer");
        scene.Hear(Seconds(3), MakeHeartbeat(RELAY, 0, {}));
        test.Expect(scene.CountStates(Seconds(9)) > 0, "the broker goes on");
    }
}

/// All around would ask for what is there, and does not say for whom.
void
WhatIsNotNamedIsNotTold(FunctionCase& test)
{
    const EventId second{EVENT.publisher, 1};
    for (const size_t named : {1, 2})
    {
        Options options;
        options.limits.frame.open = named;
        Scene scene(2, {SUBSCRIBER_ID, SECOND_ID}, options);
        for (const auto id : {EVENT, second})
        {
            const auto claims = {MakeClaim(SUBSCRIBER_ID, 2.5), MakeClaim(SECOND_ID, 2.5)};
            scene.HearShare(Seconds(1), RELAY, claims, {}, id);
        }
        scene.ListenToEvents(Seconds(1.3));
        scene.HearArrivalBut(Seconds(1.3), RELAY + 1, SECOND_ID, second);
        const auto told = scene.ListenToStates(Seconds(1.4));
        test.Expect(told.size() == 1 && told[0].open.size() == named, "so many are named");
        test.Expect(told[0].open.back() == OpenEvent{second, {SECOND_ID}}, "the arrival is");
        const auto& has = told[0].has.GetSummary();
        test.Expect(has.Has(second) && has.Has(EVENT) == (named == 2), "and what is named is told");
        scene.ListenToEvents(Seconds(20));
        const auto last = scene.ListenToStates(Seconds(30)).back();
        test.Expect(last.open.empty() && last.has.GetSummary().Has(EVENT), "until it is for all");
    }
}

/// A STATE names who lacks each event that is on its way.
void
StatesOfEventsForSomeFitIntoAFrame(FunctionCase& test)
{
    Options options;
    options.few = 20;
    options.crowd = 0;
    options.maxFrameBytes = 200;
    std::vector<NodeId> subscribers(20);
    std::iota(subscribers.begin(), subscribers.end(), NodeId{100});
    std::vector<Claim> claims;
    for (const auto subscriber : subscribers)
    {
        claims.push_back(MakeClaim(subscriber, 2));
    }
    Scene scene(5, subscribers, options);
    for (uint32_t sequence = 0; sequence < 8; ++sequence)
    {
        scene.HearShare(Seconds(1), RELAY, claims, {}, {EVENT.publisher, sequence});
    }
    test.Expect(scene.CountStates(Seconds(3)) > 0 && scene.GetLargest() > 100 &&
                    scene.GetLargest() <= options.maxFrameBytes,
                std::to_string(scene.GetLargest()) + " bytes");
}

/// A path counts its claims in seven bits.
void
WhatMoreWantThanAPathCountsIsForAll(FunctionCase& test)
{
    Options options;
    options.few = 200;
    options.crowd = 0; // they are few wherever they are
    options.maxFrameBytes = 2000;
    for (const NodeId count : {MAX_CLAIMS, MAX_CLAIMS + 1})
    {
        std::vector<NodeId> subscribers(count);
        std::iota(subscribers.begin(), subscribers.end(), NodeId{100});
        Scene scene(1, subscribers, options);
        scene.HearPublisher(Seconds(1));
        const auto sent = scene.ListenToEvents(Seconds(1.9));
        test.Expect(sent.size() == 1 && sent[0].path.IsForAll() == (count > MAX_CLAIMS),
                    std::to_string(count) + " subscribers");
    }
}

/// The broker is on the device of the only one who wants the event.
void
WhereAnEventArrivesItIsTold(FunctionCase& test)
{
    Scene scene(1, {1});
    scene.CountStates(Seconds(2));
    scene.HearEvent(Seconds(2), RELAY, 1);
    test.Expect(scene.CountStates(Seconds(2.3)) == 1, "at once: others look for who has got it");
    test.Expect(scene.ListenToEvents(Seconds(60)).empty(), "it need not go on");
}

void
AnEventEndsWhereTheLastWhoLacksItIs(FunctionCase& test)
{
    Scene scene(1, {1, SUBSCRIBER_ID});
    scene.HearShare(Seconds(1), RELAY, {MakeClaim(1, 1)}, {});
    test.Expect(scene.ListenToEvents(Seconds(90)).empty(), "the other one has it");
}

void
WhoHasSaidAStateLatelyAnswersLater(FunctionCase& test)
{
    const auto wait = [](Instant since) {
        Scene scene(1, {1});
        const auto said = scene.DueState();
        scene.CountStates(said);
        scene.HearEvent(said + since, RELAY, 1);
        return scene.DueState() - said - since;
    };
    test.Expect(wait(Seconds(0.01)) > wait(Seconds(2)), "others have more to tell");
}

void
APublisherIsAnsweredWhoeverKnowsOfTheArrival(FunctionCase& test)
{
    const auto count = [](bool isPublishers) {
        Scene scene(1, {1});
        scene.CountStates(Seconds(2));
        isPublishers ? scene.HearPublisher(Seconds(2)) : scene.HearEvent(Seconds(2), RELAY, 1);
        scene.HearEvent(Seconds(2), RELAY + 1, 1);
        scene.HearArrival(Seconds(2), RELAY + 2);
        return scene.CountStates(Seconds(2.3));
    };
    test.Expect(count(true) == 1, "who may not hear that one");
    test.Expect(count(false) == 0, "others do");
}

void
WhatOthersHaveAnsweredIsNotAnsweredAgain(FunctionCase& test)
{
    for (const auto isAnswered : {false, true})
    {
        Scene scene(2.4);
        scene.HearPublisher(Seconds(1), {MakeHint(SUBSCRIBER_ID, 2.5)});
        auto answer = MakeHeartbeat(RELAY, 0, {});
        if (isAnswered)
        {
            std::get<Heartbeat>(answer.body).state.answers = {EVENT};
        }
        scene.Hear(Seconds(1), answer);
        scene.CountStates(Seconds(2));
        scene.HearArrival(Seconds(2), RELAY);
        test.Expect(scene.CountStates(Seconds(2.3)) == !isAnswered, "its publisher knows");
    }
}

void
WhomAnEventIsForIsSought(FunctionCase& test)
{
    Scene scene(2);
    const auto tells = [&scene](Instant until) {
        return std::ranges::any_of(scene.ListenToStates(until),
                                   [](const State& state) { return !state.distances.empty(); });
    };
    test.Expect(!tells(Seconds(9)), "nobody asks for the subscriber");
    scene.HearPublisher(Seconds(9));
    test.Expect(tells(Seconds(20)), "others are told how far away it is");
}

void
WhoHoldsAnEventDoesNotTellThatItHasArrived(FunctionCase& test)
{
    const auto count = [](const SummaryPart& settled) {
        Scene scene(1, {1});
        scene.CountStates(Seconds(2));
        scene.HearEvent(Seconds(2), RELAY, 1);
        scene.Hear(Seconds(2),
                   MakeHeartbeat(RELAY + 1, 0, MakeSummary(EVENT.publisher, {0, 1}), settled));
        return scene.CountStates(Seconds(2.3));
    };
    test.Expect(count(MakePart({})) == 1, "others still look for who has got it");
    test.Expect(count(MakePart(MakeSummary(EVENT.publisher, {0, 1}))) == 0, "who knows tells it");
}

class MeshApproachSuite : public ns3::TestSuite
{
  public:
    MeshApproachSuite()
        : TestSuite("mftpubsub-mesh-approach", Type::UNIT)
    {
        Add("Who gets it on most is first", WhoGetsItOnMostIsFirst);
        Add("Who is no nearer leaves it to others", WhoIsNoNearerLeavesItToOthers);
        Add("A publisher says distances too", APublisherSaysDistancesToo);
        Add("What its publisher repeats is in nobody's hands",
            WhatItsPublisherRepeatsIsInNobodysHands);
        Add("What its publisher repeats is sent no sooner", WhatItsPublisherRepeatsIsSentNoSooner);
        Add("What is left to others is no repair", WhatIsLeftToOthersIsNoRepair);
        Add("Each try takes longer", EachTryTakesLonger);
        Add("A lonely place does not tell a large network", ALonelyPlaceDoesNotTellALargeNetwork);
        Add("What has led nowhere is not believed", WhatHasLedNowhereIsNotBelieved);
        Add("Whose own have got it leaves others to others", WhoseOwnHaveGotItLeavesOthersToOthers);
        Add("What has led nowhere is not told again", WhatHasLedNowhereIsNotToldAgain);
        Add("Who hears of it later asks later", WhoHearsOfItLaterAsksLater);
        Add("Who is taken over from waits", WhoIsTakenOverFromWaits);
        Add("The nearest keeps it in its charge", TheNearestKeepsItInItsCharge);
        Add("One of them looks for it", OneOfThemLooksForIt);
        Add("A search goes on until others search", ASearchGoesOnUntilOthersSearch);
        Add("Who searches again goes on", WhoSearchesAgainGoesOn);
        Add("Each search keeps its round", EachSearchKeepsItsRound);
        Add("Nobody leaves it to nobody", NobodyLeavesItToNobody);
        Add("Each broker brings it to some", EachBrokerBringsItToSome);
        Add("Whom a broker is relieved of it names no more", WhomABrokerIsRelievedOfItNamesNoMore);
        Add("Who has it is in nobody's charge", WhoHasItIsInNobodysCharge);
        Add("What does not fit into a frame was not sent", WhatDoesNotFitIntoAFrameWasNotSent);
        Add("Who goes together elsewhere is said together", WhoGoesTogetherElsewhereIsSaidTogether);
        Add("Whom nobody is nearer to is brought it too", WhomNobodyIsNearerToIsBroughtItToo);
        Add("Whom two look for is left to them", WhomTwoLookForIsLeftToThem);
        Add("What is elsewhere is no distance of who says so",
            WhatIsElsewhereIsNoDistanceOfWhoSaysSo);
        Add("What others bring is not told back", WhatOthersBringIsNotToldBack);
        Add("An arrival is told back", AnArrivalIsToldBack);
        Add("An arrival that is known is not told back", AnArrivalThatIsKnownIsNotToldBack);
        Add("Who knows less of an arrival is told", WhoKnowsLessOfAnArrivalIsTold);
        Add("Each arrival is told back", EachArrivalIsToldBack);
        Add("Nobody else tells back", NobodyElseTellsBack);
        Add("What one more wants is for all", WhatOneMoreWantsIsForAll);
        Add("What is given up is not told of", WhatIsGivenUpIsNotToldOf);
        Add("What is not named is not told", WhatIsNotNamedIsNotTold);
        Add("STATEs of events for some fit into a frame", StatesOfEventsForSomeFitIntoAFrame);
        Add("What more want than a path counts is for all", WhatMoreWantThanAPathCountsIsForAll);
        Add("Where an event arrives it is told", WhereAnEventArrivesItIsTold);
        Add("An event ends where the last who lacks it is", AnEventEndsWhereTheLastWhoLacksItIs);
        Add("Who has said a STATE lately answers later", WhoHasSaidAStateLatelyAnswersLater);
        Add("A publisher is answered whoever knows of the arrival",
            APublisherIsAnsweredWhoeverKnowsOfTheArrival);
        Add("What others have answered is not answered again",
            WhatOthersHaveAnsweredIsNotAnsweredAgain);
        Add("Whom an event is for is sought", WhomAnEventIsForIsSought);
        Add("Who holds an event does not tell that it has arrived",
            WhoHoldsAnEventDoesNotTellThatItHasArrived);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

MeshApproachSuite g_meshApproach;

} // namespace

} // namespace mftpubsub::mesh::mesh_approach_test
