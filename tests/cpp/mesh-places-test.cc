/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Rule 13 of the mesh: devices that know where they are, and events that go to where subscribers
 * were.
 */
#include "function-case.h"
#include "protocols/mesh/branches.h"
#include "protocols/mesh/distances.h"
#include "protocols/mesh/mesh-station.h"
#include "protocols/mesh/places.h"

#include "ns3/test.h"

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::mesh::mesh_places_test
{

namespace
{

constexpr NodeId SUBSCRIBER_ID = 9;
constexpr NodeId RELAY = 20;
constexpr NodeId OTHER = 21;
constexpr EventId EVENT{5, 0};
constexpr Spot GOAL{300, 0};

bool
IsAbout(std::optional<double> one, double other)
{
    return one && std::abs(*one - other) < 1e-9;
}

Places
MakePlaces(const Position& here)
{
    return {PlaceLimits(), 30, [here] { return here; }};
}

Frame
MakeFrame(const Claim& claim, const Whereabouts& where)
{
    return {{RELAY, NO_NODE, Pub::KIND, 1, 0}, Pub{{}, {}, {{nullptr, 1, {0, {claim}}}}}, where};
}

/// @return what a claim of who is at @p from says to who is at @p here
Claim
Measured(const Spot& from, const Position& here, bool isOpen = false)
{
    auto places = MakePlaces(here);
    places.Hear(Seconds(1), RELAY, {from, isOpen, {{SUBSCRIBER_ID, GOAL, 0}}});
    auto frame = MakeFrame({MakeHint(SUBSCRIBER_ID, 50)}, {from, isOpen, {}});
    places.Measure(frame);
    return std::get<Pub>(frame.body).events.at(0).path.claims.at(0);
}

void
FramesSayWhere(FunctionCase& test)
{
    const Whereabouts where{{-40, 3000}, true, {{7, {-1, 2}, 65535}, {9, {5, -6}, 0}}};
    const Frame frame{{1, NO_NODE, 0, 2, 3}, Hello{4, {}}, where};
    const auto bytes = Encode(frame);
    const auto plain = Encode({frame.header, frame.body});
    test.Expect(bytes.size() == plain.size() + WHEREABOUTS_BYTES + 2 * PLACE_BYTES, "its bytes");
    const auto decoded = Decode(bytes);
    test.Expect(decoded.where == where, "as it was said");
    test.Expect(decoded.header.kind == Hello::KIND, "the kind is the same");
    test.Expect(!Decode(plain).where, "others say nothing");
    auto cut = bytes;
    cut.pop_back();
    test.Expect(!TryDecode(cut), "half a place is none");
    test.Expect(ToSpot({-0.6, 1e9, 7}) == Spot{-1, 32767}, "whole metres, as far as they go");
}

void
TheNewestPlaceCounts(FunctionCase& test)
{
    auto places = MakePlaces({0, 0, 0});
    test.Expect(!places.GetHops(7), "a stranger");
    places.Hear(Seconds(10), RELAY, {{30, 0}, false, {{7, {60, 0}, 100}}});
    test.Expect(IsAbout(places.GetHops(RELAY), 1), "who speaks is there");
    test.Expect(IsAbout(places.GetHops(7), 2), "who is spoken of was there");
    places.Hear(Seconds(11), OTHER, {{0, 30}, false, {{7, {90, 0}, 300}}});
    test.Expect(IsAbout(places.GetHops(7), 2), "this was before");
    places.Hear(Seconds(11), OTHER, {{0, 30}, false, {{7, {90, 0}, 10}}});
    test.Expect(IsAbout(places.GetHops(7), 3), "and this is newer, though further away");
    places.Forget(7);
    test.Expect(!places.GetHops(7), "what has led nowhere");
    places.Hear(Seconds(11), OTHER, {{0, 30}, false, {{8, {90, 0}, 10}}});
    places.Seek(Seconds(101), 8);
    for (NodeId other = 100; other < 200; ++other) // it looks for old ones now and then
    {
        places.Hear(Seconds(100), other, {{0, 30}, false, {}});
    }
    test.Expect(!places.GetHops(RELAY), "a minute is long");
    test.Expect(places.GetHops(8).has_value(), "not for who is sought");
    test.Expect(places.GetHops(199).has_value(), "nothing is not");
}

void
OnlyWhoKnowsItsPositionTells(FunctionCase& test)
{
    Places nowhere(PlaceLimits(), 30, [] { return std::optional<Position>(); });
    test.Expect(!nowhere.Tell(Seconds(1), Hello(), 1000), "indoors");
    test.Expect(!nowhere.GetHops(7), "and is near nobody");
    nowhere.Hear(Seconds(1), RELAY, {{120, 0}, false, {{SUBSCRIBER_ID, GOAL, 0}}});
    auto frame = MakeFrame({MakeHint(SUBSCRIBER_ID, 50)}, {{120, 0}, false, {}});
    nowhere.Measure(frame);
    const auto& claim = std::get<Pub>(frame.body).events.at(0).path.claims.at(0);
    test.Expect(IsAbout(claim.GetHops(), 6) && !claim.isAside, "but may be ahead");
    test.Expect(Places(PlaceLimits(), 30, {}).GetHere() == std::nullopt, "as live");
}

void
WhatIsSoughtIsToldWithStates(FunctionCase& test)
{
    auto places = MakePlaces({1, 2, 0});
    places.Hear(Seconds(10),
                RELAY,
                {{30, 0}, false, {{7, {60, 0}, 200}, {8, {70, 0}, 100}, {9, {80, 0}, 300}}});
    places.Seek(Seconds(60), 7);
    places.Seek(Seconds(60), 9);
    const auto state = places.Tell(Seconds(11), Heartbeat(), 1000);
    test.Expect(state->here == Spot{1, 2}, "where it is");
    test.Expect(state->places.size() == 2, "8 is not sought");
    test.Expect(state->places.at(0) == Place{7, {60, 0}, 300}, "the newest first, older by 1 s");
    test.Expect(places.Tell(Seconds(11), Hello(), 1000)->places.empty(), "nor with others");
    const auto cut = places.Tell(Seconds(30), Heartbeat(), PLACE_BYTES);
    test.Expect(cut->places.size() == 1, "as many as there is room for");
    test.Expect(places.Tell(Seconds(61), Heartbeat(), 1000)->places.empty(), "no longer");
    const auto pub = places.Tell(Seconds(11), MakeFrame({MakeHint(8, 1)}, {}).body, 1000);
    test.Expect(pub->places.size() == 1 && pub->places[0].subscriber == 8, "events tell their own");
}

void
EveryFrameForAllTellsPlaces(FunctionCase& test)
{
    auto known = MakePlaces({0, 0, 0});
    known.Hear(Seconds(10), RELAY, {{30, 0}, false, {{7, {60, 0}, 0}, {8, {90, 0}, 0}}});
    known.Seek(Seconds(60), 7);
    const auto tell = [&known](const Body& body) {
        auto places = known;
        const auto where = places.Tell(Seconds(11), body, 1000);
        std::vector<NodeId> told;
        for (const auto& place : where->places)
        {
            told.push_back(place.subscriber);
        }
        return told;
    };
    const Path path{0, {}, {{MakeHint(8, 1)}}};
    const std::vector<NodeId> both{8, 7};
    test.Expect(tell(Pub{{}, {}, {{nullptr, 1, path}}}) == both, "who is named first, then who is");
    test.Expect(tell(Rep{{}, {}, {{nullptr, 1, path}}}) == both, "sought, with repairs, too");
    test.Expect(tell(Taken{{{EVENT, path}}}) == std::vector<NodeId>{8}, "who is named with TAKEN");
}

void
PlacesAreToldAsFarAsTheyGo(FunctionCase& test)
{
    auto places = MakePlaces({0, 0, 0});
    for (NodeId subscriber = 100; subscriber < 140; ++subscriber)
    {
        places.Hear(Seconds(10), RELAY, {{30, 0}, false, {{subscriber, GOAL, 0}}});
        places.Seek(Seconds(1000), subscriber);
    }
    const auto told = places.Tell(Seconds(700), Heartbeat(), 1000)->places;
    test.Expect(told.size() == PlaceLimits().told, "so many of them");
    test.Expect(told.at(0).age == UINT16_MAX, "and eleven minutes");
}

void
WhatIsToldIsNotToldAgainSoon(FunctionCase& test)
{
    auto places = MakePlaces({0, 0, 0});
    const auto hear = [&places](Instant now, const Spot& spot) {
        places.Hear(now, RELAY, {{30, 0}, false, {{7, spot, 0}}});
    };
    const auto count = [&places](Instant now) {
        return places.Tell(now, Heartbeat(), 1000)->places.size();
    };
    places.Seek(Seconds(60), 7);
    hear(Seconds(10), {100, 0});
    test.Expect(count(Seconds(10)) == 1 && count(Seconds(11)) == 0, "once");
    hear(Seconds(12), {109, 0});
    test.Expect(count(Seconds(12)) == 0, "nor what has moved by 8 % of the distance");
    hear(Seconds(13), {112, 0});
    test.Expect(count(Seconds(13)) == 1, "but by 11 %");
    test.Expect(count(Seconds(22)) == 0 && count(Seconds(24)) == 1, "and after ten seconds");
    const auto named = MakeFrame({MakeHint(7, 4)}, {}).body;
    test.Expect(places.Tell(Seconds(25), named, 1000)->places.size() == 1, "with events always");
}

void
DistancesAreThoseToPlaces(FunctionCase& test)
{
    const auto places = std::make_shared<Places>(MakePlaces({0, 0, 0}));
    Distances distances(DistanceLimits(), places);
    distances.Note(Seconds(1), SUBSCRIBER_ID, 1);
    test.Expect(distances.Get(Seconds(1), SUBSCRIBER_ID) == distances.GetUnknown(), "no hops");
    distances.Seek(Seconds(1), SUBSCRIBER_ID);
    places->Hear(Seconds(1), RELAY, {{30, 0}, false, {{SUBSCRIBER_ID, GOAL, 0}}});
    test.Expect(IsAbout(distances.Get(Seconds(50), SUBSCRIBER_ID), 10), "whenever");
    test.Expect(distances.Tell(Seconds(50), SUBSCRIBER_ID) == MakeHint(SUBSCRIBER_ID, 10), "said");
    test.Expect(places->Tell(Seconds(50), Heartbeat(), 1000)->places.size() == 1, "it is sought");
    distances.Forget(SUBSCRIBER_ID);
    test.Expect(!places->GetHops(SUBSCRIBER_ID), "and forgotten");
}

void
ClaimsAreMeasuredHere(FunctionCase& test)
{
    test.Expect(IsAbout(Measured({120, 0}, {130, 0, 0}).GetHops(), 6), "not 50 hops, but 180 m");
    test.Expect(Measured({120, 0}, {130, 0, 0}).AsTold() == Claim{MakeHint(SUBSCRIBER_ID, 50)},
                "as others are told of it");
    test.Expect(IsAbout(Measured({120, 0}, {130, 0, 0}).AsTold().GetHops(), 50), "and compare it");
    test.Expect(!Measured({100, 0}, {130, 20, 0}).AsTold().isAside, "wherever they are");
    auto places = MakePlaces({0, 0, 0});
    auto unknown = MakeFrame({MakeHint(SUBSCRIBER_ID, 50)}, {{120, 0}, false, {}});
    places.Measure(unknown);
    test.Expect(IsAbout(std::get<Pub>(unknown.body).events[0].path.claims[0].GetHops(), 50),
                "of whom it knows nothing, it believes it");
    places.Hear(Seconds(1), RELAY, {{0, 0}, false, {{SUBSCRIBER_ID, GOAL, 0}}});
    auto search = MakeFrame({{SUBSCRIBER_ID}, 1}, {{120, 0}, false, {}});
    places.Measure(search);
    test.Expect(std::get<Pub>(search.body).events[0].path.claims[0].IsSearch(), "still a search");
}

void
WhoIsAheadIsAsked(FunctionCase& test)
{
    test.Expect(!Measured({100, 0}, {130, 15, 0}).isAside, "27 degrees");
    test.Expect(!Measured({100, 0}, {130, -15, 0}).isAside, "to either side");
    test.Expect(Measured({100, 0}, {130, 20, 0}).isAside, "34 degrees");
    test.Expect(Measured({100, 0}, {130, -20, 0}).isAside, "the other way");
    test.Expect(Measured({100, 0}, {70, 0, 0}).isAside, "behind it");
    test.Expect(!Measured({265, 0}, {270, 30, 0}).isAside, "near the goal all are");
    const auto open = Measured({100, 0}, {130, 20, 0}, true);
    test.Expect(!open.isAside, "and if nobody was ahead");
    // beyond the west of where it goes the angle jumps by a turn
    auto places = MakePlaces({-70, -5, 0});
    places.Hear(Seconds(1), RELAY, {{0, 0}, false, {{SUBSCRIBER_ID, {-300, 5}, 0}}});
    auto west = MakeFrame({MakeHint(SUBSCRIBER_ID, 50)}, {{0, 0}, false, {}});
    places.Measure(west);
    test.Expect(!std::get<Pub>(west.body).events[0].path.claims[0].isAside, "in any direction");
}

/// A broker somewhere, of which nobody but a relay at (100, 0) is known.
class Scene
{
  public:
    explicit Scene(const Position& here)
        : m_here(here),
          m_station(
              1,
              BROKER,
              MakeOptions(),
              [] { return 0.5; },
              BrokerPolicies(),
              {},
              [this] { return m_here; })
    {
        Tell(Seconds(0), input::Started());
        HearWord(SUBSCRIBER_ID);
    }

    void Move(const Position& here)
    {
        m_here = here;
    }

    uint32_t GetHash() const
    {
        return m_station.GetBroker()->GetWords().GetHash();
    }

    void HearWord(NodeId subscriber)
    {
        Hear(Seconds(0.1), RELAY, Sub{{{subscriber, 1, {{Filter::Parse("topic = 'a'"), 0}}}}});
    }

    void Hear(Instant now, NodeId from, const Body& body, std::optional<Whereabouts> where = {})
    {
        const auto bytes = Encode({{from, NO_NODE, 0, 1, ++m_number}, body, std::move(where)});
        Tell(now, input::Heard{bytes, -60});
    }

    /// @p from, who is there, brings the event to the subscriber.
    void HearEvent(Instant now, NodeId from, const Spot& there, bool isOpen = false)
    {
        HearWay(now, from, {there, isOpen, {{SUBSCRIBER_ID, GOAL, 0}}});
    }

    /// @p from brings it to all whose places it says, by one way; the publisher says nothing of it.
    void HearWay(Instant now, NodeId from, const Whereabouts& where)
    {
        std::vector<NodeId> all;
        for (const auto& place : where.places)
        {
            all.push_back(place.subscriber);
        }
        const auto companions =
            all.size() > 1 ? std::make_shared<const std::vector<NodeId>>(all) : nullptr;
        std::vector<Spot> spots;
        for (const auto& place : where.places)
        {
            spots.push_back(place.spot);
        }
        std::vector<Claim> claims;
        for (const auto subscriber : all)
        {
            const auto metres = GetDistance(where.here, spots[0]) + GetTreeMetres(spots[0], spots);
            claims.push_back({MakeHint(subscriber, metres / 30), 0, companions});
        }
        const auto hash = GetHash();
        HearPath(now, from, where, from == EVENT.publisher ? Path{} : Path{hash, claims});
    }

    void HearPath(Instant now, NodeId from, const Whereabouts& where, const Path& path)
    {
        const auto event = std::make_shared<const Event>(Event{EVENT, {{"topic", "a"}}, 20});
        Hear(now, from, Pub{{}, {}, {{event, 1, path}}}, where);
    }

    /// @p from brings another event to everybody.
    void HearForAll(Instant now, NodeId from)
    {
        const EventId other{EVENT.publisher, EVENT.sequence + 1};
        const auto event = std::make_shared<const Event>(Event{other, {{"topic", "a"}}, 20});
        Hear(now, from, Pub{{}, {}, {{event, 1, {}}}});
    }

    /// A subscriber has no event.
    void HearHello(Instant now, NodeId subscriber)
    {
        Hear(now, subscriber, Hello{1, {}});
    }

    /// @p from knows that @p has arrived.
    void HearState(Instant now, NodeId from, const Spot& there, const Summary& has = {})
    {
        State state;
        state.roles = BROKER;
        state.wordsHash = GetHash();
        auto begin = SummaryPart::BEGIN;
        state.has = state.settled = SummaryPart(has, 1000, begin);
        Hear(now, from, Heartbeat{state}, Whereabouts{there, false, {}});
    }

    /// @return its frames with the event until @p until
    std::vector<Frame> Listen(Instant until)
    {
        m_said.clear();
        for (auto next = m_station.NextTimer(); next && *next <= until;
             next = m_station.NextTimer())
        {
            Tell(*next, input::Expired());
        }
        return m_said;
    }

    /// @return its TAKENs until @p until
    size_t CountTaken(Instant until)
    {
        m_taken = 0;
        Listen(until);
        return m_taken;
    }

  private:
    static Options MakeOptions()
    {
        Options options;
        options.usesPositions = true;
        options.crowd = 0;
        options.few = 3;
        return options;
    }

    void Tell(Instant now, const MeshStation::Input& input)
    {
        Output output;
        m_station.Step(now, input, output);
        if (output.frame)
        {
            const auto frame = Decode(output.frame->bytes);
            if (std::holds_alternative<Pub>(frame.body))
            {
                m_said.push_back(frame);
            }
            m_taken += std::holds_alternative<Taken>(frame.body);
            Tell(now, input::Transmitted{Seconds(0.001)});
        }
    }

    Position m_here;
    MeshStation m_station;
    uint8_t m_number{0};
    std::vector<Frame> m_said;
    size_t m_taken{0};
};

Claim
GetClaim(const Frame& frame)
{
    return std::get<Pub>(frame.body).events.at(0).path.claims.at(0);
}

void
WhoIsAheadTakesTheEvent(FunctionCase& test)
{
    Scene ahead({130, 0, 0});
    ahead.HearEvent(Seconds(1), RELAY, {100, 0});
    const auto said = ahead.Listen(Seconds(1.3));
    test.Expect(said.size() == 1, "within the time until it is sent again");
    test.Expect(GetClaim(said.at(0)) == Claim{MakeHint(SUBSCRIBER_ID, 170 / 30.0)}, "its distance");
    test.Expect(said.at(0).where->here == Spot{130, 0} && !said.at(0).where->isOpen, "its place");
    test.Expect(said.at(0).where->places.at(0).spot == GOAL, "and where it brings it");

    Scene late({130, 0, 0});
    late.Listen(Seconds(2.5)); // its latest STATE is old
    late.HearEvent(Seconds(2.6), RELAY, {100, 0});
    const auto alone = late.Listen(Seconds(2.9));
    test.Expect(alone.size() == 1 && !std::get<Pub>(alone[0].body).state, "and no more than that");

    Scene all({130, 0, 0});
    all.Listen(Seconds(2.5));
    all.HearForAll(Seconds(2.6), RELAY);
    const auto along = all.Listen(Seconds(2.9));
    test.Expect(along.size() == 1 && std::get<Pub>(along[0].body).state, "as what all may want");

    Scene aside({120, 20, 0});
    aside.HearEvent(Seconds(1), RELAY, {100, 0});
    test.Expect(aside.Listen(Seconds(20)).empty(), "who is nearer, but aside, does not");

    Scene near({108, 0, 0});
    near.HearEvent(Seconds(1), RELAY, {100, 0});
    test.Expect(near.Listen(Seconds(20)).empty(), "nor who is ahead by 8 m");
}

void
WhatNobodyAheadTookIsForWhoeverIsNearer(FunctionCase& test)
{
    Scene aside({120, 20, 0});
    aside.HearEvent(Seconds(1), RELAY, {100, 0});
    aside.Listen(Seconds(1.4));
    aside.HearEvent(Seconds(1.4), RELAY, {100, 0}, true);
    test.Expect(aside.Listen(Seconds(1.7)).size() == 1, "the second time");

    Scene left({120, 20, 0});
    left.HearEvent(Seconds(1), RELAY, {100, 0});
    left.Listen(Seconds(1.4));
    left.HearEvent(Seconds(1.4), RELAY, {95, 0}, true);
    test.Expect(left.Listen(Seconds(1.7)).size() == 1, "though its sender has moved away by 5 m");

    Scene asked({120, 20, 0});
    asked.HearEvent(Seconds(1), EVENT.publisher, {100, 0});
    asked.HearEvent(Seconds(1.01), EVENT.publisher, {100, 0}, true);
    test.Expect(asked.Listen(Seconds(1.3)).size() == 1, "as its publisher says");

    Scene other({120, 20, 0});
    other.HearEvent(Seconds(1), RELAY, {100, 0});
    other.HearEvent(Seconds(1.01), OTHER, {60, 0}, true);
    test.Expect(other.Listen(Seconds(20)).empty(), "not if another is ahead of who asks");

    Scene behind({80, 0, 0});
    behind.HearEvent(Seconds(1), RELAY, {100, 0});
    behind.Listen(Seconds(1.4));
    behind.HearEvent(Seconds(1.4), RELAY, {100, 0}, true);
    test.Expect(behind.Listen(Seconds(20)).empty(), "but not for who is not");
}

void
WhomOthersBringItToNobodyIsAskedFor(FunctionCase& test)
{
    Scene aside({120, 20, 0});
    aside.HearWord(8);
    const Whereabouts ahead{{100, 0}, false, {{SUBSCRIBER_ID, GOAL, 0}, {8, {-300, 0}, 0}}};
    const Claim first{MakeHint(SUBSCRIBER_ID, 6.75)};
    const Claim second{MakeHint(8, 5)};
    aside.HearPath(Seconds(1), RELAY, ahead, {0, {first}, {second}});
    aside.HearPath(Seconds(1.01), OTHER, {{60, 0}, true, {}}, {0, {second}, {first}});
    test.Expect(aside.Listen(Seconds(20)).empty(), "but for the other one");
}

void
AnEventIsSentAgainBeforeItIsSearchedFor(FunctionCase& test)
{
    Scene scene({220, 0, 0});
    scene.HearEvent(Seconds(1), RELAY, {190, 0});
    const auto said = scene.Listen(Seconds(4));
    test.Expect(said.size() == 4, "four times");
    for (const size_t again : {1, 2})
    {
        test.Expect(GetClaim(said.at(again)) == GetClaim(said.at(0)), "as it was");
        test.Expect(said.at(again).where->isOpen, "for whoever is nearer");
    }
    test.Expect(GetClaim(said.at(3)).IsSearch() && GetClaim(said.at(3)).round == 1, "then anew");

    Scene shared({220, 0, 0});
    shared.HearEvent(Seconds(1), RELAY, {190, 0});
    shared.Listen(Seconds(1.3));
    shared.HearForAll(Seconds(1.59), RELAY); // just before it goes again
    const auto both = shared.Listen(Seconds(1.8));
    test.Expect(both.size() == 1 && std::get<Pub>(both[0].body).events.size() == 2, "in a frame");
    test.Expect(both.at(0).where->isOpen, "which is for whoever is nearer");

    Scene taken({130, 0, 0});
    taken.HearEvent(Seconds(1), RELAY, {100, 0});
    taken.Listen(Seconds(1.3));
    taken.HearEvent(Seconds(1.3), OTHER, {160, 0});
    test.Expect(taken.Listen(Seconds(20)).empty(), "not if somebody nearer took it");
}

void
WhoIsNowhereIsSearchedFor(FunctionCase& test)
{
    Scene scene({130, 0, 0});
    scene.HearWay(Seconds(1), EVENT.publisher, {{100, 0}, false, {}});
    const auto said = scene.Listen(Seconds(4));
    test.Expect(said.size() == 4, "four times");
    test.Expect(GetClaim(said.at(0)) == Claim{{SUBSCRIBER_ID}}, "nobody knows the place");
    test.Expect(GetClaim(said.at(3)) == Claim{{SUBSCRIBER_ID}, 1}, "it may be known now");
}

/// Who was ahead may be nearer than this one is now, but not than it has said.
void
WhoMovesAwaySaysWhatItHasSaid(FunctionCase& test)
{
    Scene scene({220, 0, 0});
    scene.HearEvent(Seconds(1), RELAY, {190, 0});
    const auto said = scene.Listen(Seconds(1.3));
    scene.Move({200, 0, 0});
    const auto again = scene.Listen(Seconds(1.8));
    test.Expect(said.size() == 1 && again.size() == 1, "it is sent again");
    test.Expect(GetClaim(again.at(0)) == GetClaim(said.at(0)), "as it was");
    test.Expect(again.at(0).where->here == Spot{200, 0}, "from elsewhere");
}

void
WhoIsFarAwayIsSearchedForInTheEnd(FunctionCase& test)
{
    Scene scene({130, 0, 0});
    scene.HearEvent(Seconds(1), RELAY, {100, 0});
    const auto said = scene.Listen(Seconds(8));
    test.Expect(said.size() == 5, "five times");
    for (size_t i = 0; i < 4; ++i)
    {
        test.Expect(GetClaim(said.at(i)) == GetClaim(said.at(0)), "who is nearer may know more");
    }
    test.Expect(GetClaim(said.at(4)) == Claim{{SUBSCRIBER_ID}, 1}, "unless nobody is");

    const auto hear = [](double hops, uint8_t round) {
        Scene other({130, 0, 0});
        other.HearEvent(Seconds(1), RELAY, {100, 0});
        other.Listen(Seconds(8));
        const auto hash = other.GetHash();
        other.HearPath(Seconds(8),
                       OTHER,
                       {{80, 0}, false, {}},
                       {hash, {{MakeHint(SUBSCRIBER_ID, hops), round}}});
        return other.Listen(Seconds(20));
    };
    test.Expect(hear(7, 1).empty(), "whoever takes it then has it, though further away");
    test.Expect(!hear(7, 0).empty(), "but not who took it before");
}

void
NobodyAsksOthersForEver(FunctionCase& test)
{
    Scene scene({130, 0, 0});
    scene.HearState(Seconds(0.5), OTHER, {160, 0});
    scene.HearEvent(Seconds(1), RELAY, {100, 0});
    std::vector<Frame> last;
    for (double at = 10; at < 120; at += 10)
    {
        const auto said = scene.Listen(Seconds(at));
        last = said.empty() ? last : said;
        scene.HearState(Seconds(at), OTHER, {160, 0}); // but nothing of the event
    }
    test.Expect(!last.empty() && std::get<Pub>(last[0].body).events.at(0).path.IsForAll(),
                "it is for everybody");
}

void
WhereAWayEndsTheEventIsForEverybody(FunctionCase& test)
{
    Scene scene({130, 0, 0});
    scene.HearEvent(Seconds(1), RELAY, {100, 0});
    const auto said = scene.Listen(Seconds(20));
    test.Expect(said.size() == 6, "nobody answers the search");
    test.Expect(std::get<Pub>(said.at(5).body).events.at(0).path.IsForAll(), "for everybody");
}

void
WhatHasArrivedIsAskedForOnce(FunctionCase& test)
{
    Scene scene({130, 0, 0});
    scene.HearEvent(Seconds(1), RELAY, {100, 0});
    scene.Listen(Seconds(1.3));
    scene.HearEvent(Seconds(1.3), OTHER, {160, 0});
    const auto asked = scene.Listen(Seconds(37.4));
    test.Expect(asked.size() == 1 && GetClaim(asked.at(0)).round == 1, "it was left to another");
    Summary arrived;
    arrived.Add(EVENT);
    scene.HearState(Seconds(37.4), OTHER, {160, 0}, arrived);
    test.Expect(scene.Listen(Seconds(200)).empty(), "who knows better");
}

/// Where news of an arrival were lost, who is nearer asks first.
void
WhatGoesFarIsAskedForLater(FunctionCase& test)
{
    const auto asks = [](int16_t metres, Instant until) {
        Scene scene({130, 0, 0});
        const Place goal{SUBSCRIBER_ID, {static_cast<int16_t>(130 + metres), 0}, 0};
        const auto hear = [&scene, &goal](Instant now, NodeId from, const Spot& there) {
            const Claim claim{MakeHint(SUBSCRIBER_ID, GetDistance(there, goal.spot) / 30)};
            scene.HearPath(now, from, {there, false, {goal}}, {scene.GetHash(), {claim}});
        };
        hear(Seconds(1), RELAY, {100, 0});
        scene.Listen(Seconds(1.3));
        hear(Seconds(1.3), OTHER, {160, 0});
        return !scene.Listen(until).empty();
    };
    test.Expect(!asks(300, Seconds(40)), "half a minute, and ten hops");
    test.Expect(asks(300, Seconds(42)), "but no longer");
    test.Expect(!asks(1800, Seconds(90)), "half a minute, and sixty hops");
    test.Expect(asks(1800, Seconds(92)), "but no longer");

    const std::vector<Place> two{{8, {1930, 0}, 0}, {SUBSCRIBER_ID, {430, 0}, 0}};
    Scene scene({130, 0, 0});
    scene.HearWord(8);
    const auto hear = [&scene, &two](Instant now, NodeId from, const Spot& there) {
        Path path{scene.GetHash(), {}};
        for (const auto& place : two)
        {
            const auto hops = GetDistance(there, place.spot) / 30;
            path.claims.push_back({MakeHint(place.subscriber, hops)});
        }
        scene.HearPath(now, from, {there, false, two}, path);
    };
    hear(Seconds(1), RELAY, {100, 0});
    scene.Listen(Seconds(1.3));
    hear(Seconds(1.3), OTHER, {160, 0});
    test.Expect(scene.Listen(Seconds(90)).empty(), "the furthest of two counts");
}

/// Whom a search tells that its way has led nowhere finds another one, once.
void
WhereAWayEndedAnotherOneIsFound(FunctionCase& test)
{
    const auto search = [](uint8_t round, bool isOpen, bool isTwice) {
        Scene scene({130, 0, 0});
        scene.HearEvent(Seconds(1), RELAY, {100, 0});
        scene.Listen(Seconds(1.3));
        scene.HearEvent(Seconds(1.3), OTHER, {160, 0}); // it is nearer
        const Path path{scene.GetHash(), {{{SUBSCRIBER_ID}, round}}};
        scene.HearPath(Seconds(5), OTHER, {{160, 0}, isOpen, {}}, path);
        auto said = scene.Listen(Seconds(6));
        if (isTwice)
        {
            const Claim nearer{MakeHint(SUBSCRIBER_ID, 4), round};
            scene.HearPath(Seconds(6), RELAY, {{160, 20}, false, {}}, {scene.GetHash(), {nearer}});
            scene.HearPath(Seconds(7), OTHER, {{160, 0}, isOpen, {}}, path);
            said = scene.Listen(Seconds(20));
        }
        return said;
    };
    const auto said = search(1, true, false);
    test.Expect(!said.empty() && GetClaim(said.at(0)).round == 1, "it is sent on from here");
    test.Expect(!said.empty() && !GetClaim(said.at(0)).IsSearch(), "to where the subscriber was");
    test.Expect(search(0, true, false).empty(), "not for a search that this broker knew of");
    test.Expect(search(1, false, false).empty(), "nor if only who is ahead is asked");
    test.Expect(search(1, true, true).empty(), "nor twice");
}

/// Who has told a publisher that it has the event has to bring it somewhere.
void
WhatNobodyTakesFromAPublisherWhoeverHasItTakes(FunctionCase& test)
{
    const auto hear = [](const Position& here, const Spot& publisher, Instant until) {
        Scene scene(here);
        scene.HearEvent(Seconds(1), EVENT.publisher, publisher);
        return scene.Listen(until).size();
    };
    test.Expect(hear({130, 0, 0}, {100, 0}, Seconds(1.3)) == 1, "who is nearer takes it at once");
    test.Expect(hear({105, 0, 0}, {100, 0}, Seconds(1.9)) == 0, "not who is nearer by 5 m");
    test.Expect(hear({105, 0, 0}, {100, 0}, Seconds(3.2)) > 0, "but after a while");
    test.Expect(hear({235, 30, 0}, {230, 0}, Seconds(1.9)) == 0, "nor who is aside");
    test.Expect(hear({235, 30, 0}, {230, 0}, Seconds(3.2)) > 0, "but after a while");

    Scene taken({105, 0, 0});
    taken.HearEvent(Seconds(1), EVENT.publisher, {100, 0});
    taken.HearEvent(Seconds(1.5), OTHER, {130, 0});
    test.Expect(taken.Listen(Seconds(20)).empty(), "unless a broker was heard that took it");
}

void
TwoMeasureOneWayDifferently(FunctionCase& test)
{
    const auto hear = [](const Spot& other) {
        Scene scene({130, 0, 0});
        scene.HearEvent(Seconds(1), RELAY, {100, 0});
        scene.Listen(Seconds(1.3));
        scene.HearEvent(Seconds(1.3), OTHER, other);
        return scene.Listen(Seconds(20));
    };
    test.Expect(!hear({136, 0}).empty(), "who is nearer by 6 m may think the same of this one");
    test.Expect(hear({142, 0}).empty(), "by 12 m it is nearer");
}

/// Who repeats to a broker what this one has said must not be taken for another that is nearer.
void
WhoKeepsAnEventIsFoundByWhatWasSaid(FunctionCase& test)
{
    const auto hear = [](double hops) {
        Scene scene({130, 0, 0});
        scene.HearEvent(Seconds(1), RELAY, {100, 0});
        scene.Listen(Seconds(1.3)); // it has said 5.625 hops
        scene.HearPath(Seconds(1.3),
                       OTHER,
                       {{160, 0}, false, {}},
                       {scene.GetHash(), {{MakeHint(SUBSCRIBER_ID, hops)}}});
        return scene.Listen(Seconds(20));
    };
    test.Expect(!hear(5.625).empty(), "though 4.7 hops are measured here");
    test.Expect(hear(4.7).empty(), "who has said that it is nearer keeps it");

    Scene scene({-130, 0, 0});
    scene.HearWord(8);
    const Claim first{MakeHint(SUBSCRIBER_ID, 9)};
    const Claim second{MakeHint(8, 6.75)};
    const auto hash = scene.GetHash();
    scene.HearPath(Seconds(1),
                   RELAY,
                   {{100, 0}, false, {{SUBSCRIBER_ID, GOAL, 0}, {8, {-300, 0}, 0}}},
                   {hash, {first}, {second}});
    scene.HearPath(Seconds(1.01), OTHER, {{-100, 0}, false, {}}, {hash, {second}, {first}});
    const auto said = scene.Listen(Seconds(1.3));
    test.Expect(said.size() == 1 && GetClaim(said.at(0)).subscriber == 8, "it takes what is ahead");
    const auto& path = std::get<Pub>(said.at(0).body).events.at(0).path;
    test.Expect(path.elsewhere == std::vector<Claim>{first}, "and tells what others have said");
}

void
BetterHandsAreFoundByWhatWasSaid(FunctionCase& test)
{
    const Claim near{MakeHint(SUBSCRIBER_ID, 5)};
    Claim far{MakeHint(SUBSCRIBER_ID, 6)};
    far.measured = 4;
    Bearing bearing(SUBSCRIBER_ID);
    bearing.Hear(near, false, true, 0);
    bearing.Hear(far, false, true, 0);
    test.Expect(bearing.taker == near, "who has said that it is nearer has the event");
    test.Expect(bearing.nearest.GetHops() == 4, "though another one is");

    const auto count = [](double hops) {
        Scene scene({130, 0, 0});
        const auto hear = [&scene](Instant now, NodeId from, const Spot& there, double said) {
            scene.HearPath(now,
                           from,
                           {there, false, {{SUBSCRIBER_ID, GOAL, 0}}},
                           {scene.GetHash(), {{MakeHint(SUBSCRIBER_ID, said)}}});
        };
        hear(Seconds(1), OTHER, {160, 0}, 5);
        hear(Seconds(1.01), RELAY, {100, 0}, hops); // 6.7 are measured here
        return scene.CountTaken(Seconds(1.2));
    };
    test.Expect(count(5.125) == 0, "as near as the other one");
    test.Expect(count(6.5) == 1, "further away");
}

/// A frame says up to 78.5 hops.
void
WhatIsTooFarToBeSaidIsMeasured(FunctionCase& test)
{
    auto known = MakePlaces({0, 0, 0});
    known.Hear(Seconds(1), RELAY, {{30, 0}, false, {{SUBSCRIBER_ID, {3000, 0}, 0}}});
    const auto claim = known.MakeClaims(Spot{0, 0}, {SUBSCRIBER_ID}).at(0);
    test.Expect(claim.code == Hint::FAR && claim.GetHops() == 100, "its own");
    auto frame = MakeFrame(claim, {{60, 0}, false, {}});
    known.Measure(frame);
    const auto& heard = std::get<Pub>(frame.body).events.at(0).path.claims.at(0);
    test.Expect(heard.AsTold().GetHops() == 98, "another one's");

    const auto hear = [](const Spot& there) {
        Scene scene({130, 0, 0});
        const auto bring = [&scene](Instant now, NodeId from, const Spot& spot) {
            scene.HearPath(now,
                           from,
                           {spot, false, {{SUBSCRIBER_ID, {3000, 0}, 0}}},
                           {scene.GetHash(), {{MakeHint(SUBSCRIBER_ID, Hint::FAR_HOPS)}}});
        };
        bring(Seconds(1), RELAY, {100, 0});
        scene.Listen(Seconds(1.3));
        bring(Seconds(1.3), OTHER, there);
        return scene.Listen(Seconds(20));
    };
    test.Expect(hear({160, 0}).empty(), "who is nearer has the event");
    test.Expect(!hear({125, 0}).empty(), "who is not has not");
}

std::string
Describe(const Frame& frame)
{
    std::string text;
    for (const auto& claim : std::get<Pub>(frame.body).events.at(0).path.claims)
    {
        text += text.empty() ? "" : ", ";
        for (const auto other : claim.GetAll())
        {
            text += std::to_string(other) + (other == claim.subscriber ? "! " : " ");
        }
        text += std::to_string(std::lround(30 * claim.GetHops()));
    }
    return text;
}

void
OneWayLeadsToAllThatAreAhead(FunctionCase& test)
{
    const std::vector<Place> two{{SUBSCRIBER_ID, GOAL, 0}, {8, {400, 100}, 0}};
    Scene ahead({130, 0, 0});
    ahead.HearWord(8);
    ahead.HearWay(Seconds(1), RELAY, {{100, 0}, false, two});
    const auto said = ahead.Listen(Seconds(1.3));
    test.Expect(said.size() == 1, "a frame");
    test.Expect(Describe(said.at(0)) == "9! 8 311, 9 8! 311", Describe(said.at(0)));

    Scene fork({265, 0, 0});
    fork.HearWord(8);
    fork.HearWay(Seconds(1), RELAY, {{230, 0}, false, two});
    const auto parted = fork.Listen(Seconds(1.3));
    test.Expect(Describe(parted.at(0)) == "8! 169, 9! 34", Describe(parted.at(0)));

    Scene beyond({330, 110, 0}); // nearer to the second, by half of the way, but not to the first
    beyond.HearWord(8);
    beyond.HearWay(Seconds(1), RELAY, {{230, 0}, true, two});
    test.Expect(beyond.Listen(Seconds(20)).empty(), "who is not nearer to the first does nothing");
}

void
WhoIsFurtherOnTheWayIsFirst(FunctionCase& test)
{
    for (const auto& [metres, isFirst] : {std::pair{20, false}, {45, true}})
    {
        Scene scene({100.0 + metres, 0, 0});
        scene.HearWord(8);
        scene.HearWay(Seconds(1),
                      RELAY,
                      {{100, 0}, false, {{SUBSCRIBER_ID, GOAL, 0}, {8, {400, 100}, 0}}});
        test.Expect(scene.Listen(Seconds(1.09)).size() == isFirst, std::to_string(metres) + " m");
    }
}

void
WhoKnowsThosePlacesEndsASearch(FunctionCase& test)
{
    Scene scene({130, 0, 0});
    scene.HearWord(8);
    scene.Hear(Seconds(0.5),
               OTHER,
               Hello{1, {}},
               Whereabouts{{160, 0}, false, {{SUBSCRIBER_ID, GOAL, 0}, {8, {400, 100}, 0}}});
    scene.HearPath(Seconds(1), RELAY, {{100, 0}, false, {}}, {0, {{{8}}, {{SUBSCRIBER_ID}}}});
    const auto said = scene.Listen(Seconds(1.4));
    test.Expect(said.size() == 1, "a frame");
    test.Expect(Describe(said.at(0)) == "9! 8 311, 9 8! 311", Describe(said.at(0)));
}

void
WhoIsHereDoesNotEndTheWayOfOthers(FunctionCase& test)
{
    const std::vector<Place> two{{SUBSCRIBER_ID, GOAL, 0}, {8, {400, 100}, 0}};
    Scene scene({130, 0, 0});
    scene.HearWord(8);
    scene.HearWay(Seconds(1), RELAY, {{100, 0}, false, two});
    scene.Listen(Seconds(1.3));
    scene.HearWay(Seconds(1.3), OTHER, {{125, 0}, false, two}); // as near
    scene.HearHello(Seconds(1.35), SUBSCRIBER_ID);
    const auto said = scene.Listen(Seconds(1.45));
    test.Expect(said.size() == 1, "it gets the event");
    test.Expect(Describe(said.at(0)) == "8! 289, 9! 169", Describe(said.at(0)));
}

void
WaysPartAndDoNotMeetAgain(FunctionCase& test)
{
    Scene ahead({130, 0, 0});
    ahead.HearWord(8);
    const Whereabouts apart{{100, 0}, false, {{SUBSCRIBER_ID, GOAL, 0}, {8, {-100, 0}, 0}}};
    ahead.HearWay(Seconds(1), EVENT.publisher, apart);
    const auto said = ahead.Listen(Seconds(1.3));
    test.Expect(said.size() == 1, "whoever is ahead for one takes what a publisher sends");
    test.Expect(Describe(said.at(0)) == "8! 229, 9! 169", Describe(said.at(0)));

    Scene behind({130, 0, 0}); // from where one way of 178 m would lead to both
    behind.HearWord(8);
    const Whereabouts near{{160, 0}, true, {{SUBSCRIBER_ID, {220, 40}, 0}, {8, {220, -40}, 0}}};
    behind.HearWay(Seconds(1), EVENT.publisher, near);
    const auto late = behind.Listen(Seconds(3.5));
    test.Expect(!late.empty(), "whoever hears of no other, in the end");
    test.Expect(Describe(late.at(0)) == "8! 98, 9! 98", Describe(late.at(0)));
}

void
DevicesWithoutPositionsHearOthers(FunctionCase& test)
{
    MeshStation station(1, BROKER, Options(), [] { return 0.5; }, BrokerPolicies());
    Output output;
    station.Step(Seconds(0), input::Started(), output);
    State state;
    state.roles = BROKER;
    state.distances = {MakeHint(SUBSCRIBER_ID, 1)};
    const Whereabouts where{{30, 0}, false, {{SUBSCRIBER_ID, GOAL, 0}}};
    const auto bytes = Encode({{RELAY, NO_NODE, 0, 1, 1}, Heartbeat{state}, where});
    station.Step(Seconds(0.1), input::Heard{bytes, -60}, output);
    test.Expect(station.GetBroker()->CountRemembered() > 0, "a neighbour");
    while (station.NextTimer() && *station.NextTimer() < Seconds(5))
    {
        output = {};
        const auto now = *station.NextTimer();
        station.Step(now, input::Expired(), output);
        if (output.frame)
        {
            test.Expect(!Decode(output.frame->bytes).where, "it says none");
            station.Step(now, input::Transmitted{Seconds(0.001)}, output);
        }
    }
}

class MeshPlacesSuite : public ns3::TestSuite
{
  public:
    MeshPlacesSuite()
        : TestSuite("mftpubsub-mesh-places", Type::UNIT)
    {
        Add("Frames say where", FramesSayWhere);
        Add("The newest place counts", TheNewestPlaceCounts);
        Add("Only who knows its position tells", OnlyWhoKnowsItsPositionTells);
        Add("What is sought is told with STATEs", WhatIsSoughtIsToldWithStates);
        Add("Every frame for all tells places", EveryFrameForAllTellsPlaces);
        Add("Places are told as far as they go", PlacesAreToldAsFarAsTheyGo);
        Add("Distances are those to places", DistancesAreThoseToPlaces);
        Add("Claims are measured here", ClaimsAreMeasuredHere);
        Add("Who is ahead is asked", WhoIsAheadIsAsked);
        Add("Who is ahead takes the event", WhoIsAheadTakesTheEvent);
        Add("What nobody ahead took is for whoever is nearer",
            WhatNobodyAheadTookIsForWhoeverIsNearer);
        Add("Whom others bring it to nobody is asked for", WhomOthersBringItToNobodyIsAskedFor);
        Add("An event is sent again before it is searched for",
            AnEventIsSentAgainBeforeItIsSearchedFor);
        Add("Who is nowhere is searched for", WhoIsNowhereIsSearchedFor);
        Add("Who moves away says what it has said", WhoMovesAwaySaysWhatItHasSaid);
        Add("Who is far away is searched for in the end", WhoIsFarAwayIsSearchedForInTheEnd);
        Add("Nobody asks others for ever", NobodyAsksOthersForEver);
        Add("Where a way ends the event is for everybody", WhereAWayEndsTheEventIsForEverybody);
        Add("What has arrived is asked for once", WhatHasArrivedIsAskedForOnce);
        Add("What goes far is asked for later", WhatGoesFarIsAskedForLater);
        Add("Where a way ended another one is found", WhereAWayEndedAnotherOneIsFound);
        Add("What nobody takes from a publisher whoever has it takes",
            WhatNobodyTakesFromAPublisherWhoeverHasItTakes);
        Add("Two measure one way differently", TwoMeasureOneWayDifferently);
        Add("Who keeps an event is found by what was said", WhoKeepsAnEventIsFoundByWhatWasSaid);
        Add("Better hands are found by what was said", BetterHandsAreFoundByWhatWasSaid);
        Add("What is too far to be said is measured", WhatIsTooFarToBeSaidIsMeasured);
        Add("One way leads to all that are ahead", OneWayLeadsToAllThatAreAhead);
        Add("Who is further on the way is first", WhoIsFurtherOnTheWayIsFirst);
        Add("Who knows those places ends a search", WhoKnowsThosePlacesEndsASearch);
        Add("Who is here does not end the way of others", WhoIsHereDoesNotEndTheWayOfOthers);
        Add("Ways part and do not meet again", WaysPartAndDoNotMeetAgain);
        Add("What is told is not told again soon", WhatIsToldIsNotToldAgainSoon);
        Add("Devices without positions hear others", DevicesWithoutPositionsHearOthers);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

MeshPlacesSuite g_meshPlaces;

} // namespace

} // namespace mftpubsub::mesh::mesh_places_test
