/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Rule 10: under load brokers send sums of events, and whoever lacks some of these solves for them.
 */
#include "function-case.h"
#include "mesh-machines.h"
#include "protocols/mesh/galois.h"
#include "protocols/mesh/mesh-station.h"
#include "protocols/mesh/sums.h"
#include "protocols/mesh/unmixer.h"

#include "ns3/test.h"

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::mesh::mesh_mixing_test
{

namespace
{

constexpr NodeId SELF = 1;
constexpr NodeId PUBLISHER_NODE = 7;
constexpr NodeId ASKING = 70;

/// @return events 0 to @p count - 1 of a publisher, of different lengths
std::vector<EventPtr>
MakeEvents(uint32_t count)
{
    std::vector<EventPtr> events;
    for (uint32_t sequence = 0; sequence < count; ++sequence)
    {
        events.push_back(
            MakeEvent({PUBLISHER_NODE, sequence}, "a" + std::string(sequence % 5, 'x')));
    }
    return events;
}

/// @return @p count sums of @p events
Mix
MakeMix(const std::vector<EventPtr>& events, uint16_t seed, size_t count)
{
    Summary summary;
    for (const auto& event : events)
    {
        summary.Add(event->id);
    }
    return {{}, 3, seed, MakePart(summary), MakeSums(events, seed, count)};
}

std::set<EventId>
GetIds(const std::vector<EventPtr>& events)
{
    std::set<EventId> ids;
    for (const auto& event : events)
    {
        ids.insert(event->id);
    }
    return ids;
}

void
BytesAreAField(FunctionCase& test)
{
    std::mt19937 random{1};
    for (unsigned one = 0; one < 256; ++one)
    {
        const auto a = static_cast<uint8_t>(one);
        test.Expect(galois::Times(a, galois::Inverse(a)) == (a == 0 ? 0 : 1), "an inverse");
        test.Expect(galois::Times(a, 1) == a && galois::Times(1, a) == a, "one changes nothing");
        test.Expect(galois::Times(a, 0) == 0 && galois::Times(0, a) == 0, "nothing is left of it");
        const auto b = static_cast<uint8_t>(random());
        const auto c = static_cast<uint8_t>(random());
        test.Expect(galois::Times(a, static_cast<uint8_t>(b ^ c)) ==
                        (galois::Times(a, b) ^ galois::Times(a, c)),
                    "products distribute over sums");
        test.Expect(galois::Times(a, galois::Times(b, c)) == galois::Times(galois::Times(a, b), c),
                    "products associate");
    }
    Bytes sum{1, 2};
    galois::AddTimes(sum, 1, Bytes{1, 0, 5});
    test.Expect(sum == Bytes{0, 2, 5}, "what is shorter goes on with zeros");
}

void
AsManySumsAsEventsSolveThem(FunctionCase& test)
{
    for (const uint32_t count : {1U, 2U, 7U, 40U})
    {
        const auto events = MakeEvents(count);
        Unmixer unmixer{MixLimits()};
        std::vector<EventPtr> solved;
        for (uint16_t frame = 0; solved.empty() && frame < 20; ++frame)
        {
            test.Expect(frame * 5U < count + 5, "five sums a frame are five events");
            solved = unmixer.Hear(Seconds(1), MakeMix(events, frame, 5));
        }
        test.Expect(GetIds(solved) == GetIds(events), std::to_string(count) + " events are solved");
        for (const auto& event : solved)
        {
            test.Expect(*event == *events[event->id.sequence], "with all that they say");
        }
        test.Expect(unmixer.Hear(Seconds(1), MakeMix(events, 99, 5)).empty(), "and once");
    }
}

void
WhatIsKnownIsTakenOut(FunctionCase& test)
{
    const auto events = MakeEvents(6);
    for (uint32_t lacking = 0; lacking < 6; ++lacking)
    {
        Unmixer unmixer{MixLimits()};
        for (const auto& event : events)
        {
            if (event->id.sequence != lacking)
            {
                unmixer.Know(Seconds(1), event);
            }
        }
        const auto solved = unmixer.Hear(Seconds(1), MakeMix(events, 5, 1));
        test.Expect(solved.size() == 1 && *solved[0] == *events[lacking],
                    "one sum serves whoever lacks one event, whichever it is");
    }
}

void
AnEventThatComesLaterSolvesSums(FunctionCase& test)
{
    const auto events = MakeEvents(4);
    for (uint32_t late = 0; late < 4; ++late)
    {
        Unmixer unmixer{MixLimits()};
        test.Expect(unmixer.Hear(Seconds(1), MakeMix(events, 5, 3)).empty(), "a sum too few");
        auto solved = unmixer.Know(Seconds(2), events[late]);
        solved.push_back(events[late]);
        test.Expect(GetIds(solved) == GetIds(events), "the last one solves all others");
    }
}

void
EventsComeAndGoWhileSumsWait(FunctionCase& test)
{
    const auto events = MakeEvents(6);
    const std::vector waiting(events.begin(), events.begin() + 3);
    const std::vector between(events.begin() + 3, events.begin() + 4);
    const std::vector later(events.begin() + 4, events.end());
    Unmixer unmixer{MixLimits()};
    const auto solves = [&](const std::vector<EventPtr>& mixed, uint16_t seed, size_t count) {
        std::vector<EventPtr> all = unmixer.Hear(Seconds(1), MakeMix(mixed, seed, count));
        return std::ranges::equal(
            all,
            mixed,
            {},
            [](const auto& event) { return *event; },
            [](const auto& event) { return *event; });
    };
    test.Expect(!solves(waiting, 1, 1), "a sum waits");
    test.Expect(solves(between, 2, 1), "another event comes");
    test.Expect(!solves(later, 3, 1), "and a sum of others waits, too");
    test.Expect(solves(waiting, 4, 2), "the first is solved all the same");
    test.Expect(solves(later, 5, 1), "and so is the second");
}

void
SumsAreForgotten(FunctionCase& test)
{
    const auto events = MakeEvents(4);
    MixLimits limits;
    Unmixer unmixer{limits};
    unmixer.Hear(Seconds(1), MakeMix(events, 5, 3));
    test.Expect(unmixer.CountRemembered() == 3 + 4, "sums wait, of so many events");
    const auto after = Seconds(1.1) + limits.unsolved;
    test.Expect(unmixer.CountStuck(Seconds(0.9) + limits.unsolved) == 3 &&
                    unmixer.CountStuck(after) == 0,
                "for as long as they count");
    test.Expect(unmixer.Know(after, events[0]).empty() && unmixer.CountRemembered() == 1,
                "not for ever");
    unmixer.Know(after + Seconds(0.1) + limits.known, events[1]);
    test.Expect(unmixer.CountRemembered() == 1, "nor do events");
    limits.mostUnsolved = 2;
    limits.mostKnown = 3;
    Unmixer small{limits};
    small.Hear(Seconds(1), MakeMix(events, 5, 3));
    test.Expect(small.CountRemembered() == 2 + 3, "so many sums at most");
    small.Hear(Seconds(2), MakeMix(MakeEvents(1), 6, 1));
    test.Expect(small.CountRemembered() == 1 + 1 + 2, "what is solved is in no sum");
    Unmixer knowing{limits};
    for (const auto& event : MakeEvents(9))
    {
        knowing.Know(Seconds(1), event);
    }
    test.Expect(knowing.CountRemembered() <= limits.mostKnown + 1, "so many events at most");
}

void
WhatIsForgottenSpoilsNoOther(FunctionCase& test)
{
    MixLimits limits;
    limits.mostUnsolved = 6;
    size_t wrong = 0;
    size_t solved = 0;
    for (uint32_t seed = 0; seed < 1500; ++seed)
    {
        std::mt19937 random(seed);
        Unmixer unmixer{limits};
        std::vector<EventPtr> all;
        for (uint32_t sequence = 0; sequence < 80; ++sequence)
        {
            const Event event{{PUBLISHER_NODE, sequence},
                              {{"t", static_cast<int64_t>(random())}},
                              0};
            all.push_back(std::make_shared<const Event>(event));
        }
        const auto count = [&](const std::vector<EventPtr>& events) {
            solved += events.size();
            wrong += std::ranges::count_if(events, [&all](const EventPtr& event) {
                return event->attributes != all[event->id.sequence]->attributes;
            });
        };
        for (uint32_t first = 0; first < 60; ++first)
        {
            std::set<uint32_t> drawn;
            for (int time = 0; time < 6; ++time)
            {
                drawn.insert(first + random() % 12);
            }
            std::vector<EventPtr> mixed;
            std::ranges::transform(drawn, std::back_inserter(mixed), [&](auto at) {
                return all[at];
            });
            const auto now = Seconds(1 + 0.05 * first);
            count(unmixer.Hear(now, MakeMix(mixed, static_cast<uint16_t>(random()), 3)));
            count(unmixer.Know(now, all[first + random() % 12]));
        }
    }
    test.Expect(solved > 10000 && wrong == 0,
                std::to_string(wrong) + " have other contents of " + std::to_string(solved));
}

void
EventsOfLateAreCounted(FunctionCase& test)
{
    Unmixer unmixer{MixLimits()};
    const auto events = MakeEvents(5);
    unmixer.Know(Seconds(1), events[0]);
    unmixer.Know(Seconds(2), events[1]);
    unmixer.Know(Seconds(2), events[1]);
    unmixer.Hear(Seconds(3), MakeMix({events[2], events[3]}, 5, 2));
    unmixer.Hear(Seconds(4), MakeMix({events[3], events[4]}, 5, 1));
    test.Expect(unmixer.CountHeard(Seconds(1)) == 5, "each once");
    test.Expect(unmixer.CountHeard(Seconds(1.1)) == 4 && unmixer.CountHeard(Seconds(3)) == 3,
                "those since then");
    test.Expect(unmixer.CountHeard(Seconds(4.1)) == 0, "none since the last");
}

void
WhatIsNoSumOfEventsSolvesNothing(FunctionCase& test)
{
    const auto events = MakeEvents(2);
    auto mix = MakeMix(events, 5, 2);
    mix.sums[0][3] ^= 1;
    Unmixer unmixer{MixLimits()};
    for (const auto& event : unmixer.Hear(Seconds(1), mix))
    {
        test.Expect(event->id == events[0]->id || event->id == events[1]->id, "no strange event");
    }
    Mix wide;
    Summary all;
    all.Add(PUBLISHER_NODE, {0, UINT32_MAX});
    wide.events = MakePart(all);
    wide.sums = {Bytes(10)};
    test.Expect(GetMixed(wide).empty() && unmixer.Hear(Seconds(1), wide).empty(),
                "nobody goes through four billion events");
    Summary most;
    most.Add(PUBLISHER_NODE, {0, MAX_COUNT});
    wide.events = MakePart(most);
    test.Expect(GetMixed(wide).size() == MAX_COUNT, "so many may be mixed");
    most.Add({PUBLISHER_NODE + 1, 0});
    wide.events = MakePart(most);
    test.Expect(GetMixed(wide).empty(), "and no more");
}

/// A broker on a busy channel, whose neighbours want the events of the publisher.
class Busy
{
  public:
    explicit Busy(double load = 5, BrokerPolicies policies = {}, Limits limits = {})
        : m_context(MakeContext(SELF, BROKER)),
          m_load(load)
    {
        m_context.options.isScoped = false; // events for few are not mixed
        m_context.options.limits = limits;
        m_context.uniform = [drawn = 0.5]() mutable { return drawn += 0.001; }; // other seeds
        m_context.load = [this] { return m_load; };
        broker.emplace(m_context, std::move(policies));
        broker->Start(Seconds(0));
        const Word word{ASKING, 1, {{Filter::Parse("topic LIKE 'a%'"), 0}}};
        Hear(Seconds(0), ASKING, Sub{{word}});
    }

    Busy(const Busy&) = delete; // the broker refers to the context
    Busy& operator=(const Busy&) = delete;

    void Hear(Instant now, NodeId from, Body body)
    {
        broker->Receive(now, {{from, NO_NODE, 0, 1, 0}, std::move(body)}, 1, m_output);
    }

    void HearEvents(Instant now, const std::vector<EventPtr>& events)
    {
        Pub pub;
        for (const auto& event : events)
        {
            pub.events.push_back({event, 1, {}});
        }
        Hear(now, PUBLISHER_NODE, std::move(pub));
    }

    void Publish(Instant now, const EventPtr& event)
    {
        broker->Publish(now, event, m_output);
    }

    void SetLoad(double load)
    {
        m_load = load;
    }

    std::optional<Broker> broker;

  private:
    Context m_context;
    double m_load;
    Output m_output;
};

void
ABusyBrokerForwardsSums(FunctionCase& test)
{
    const auto events = MakeEvents(10);
    Busy busy;
    busy.HearEvents(Seconds(1), events);
    const auto said = Listen(*busy.broker, Turn::FORWARDS, Seconds(3));
    Unmixer unmixer{MixLimits()};
    std::vector<EventPtr> solved;
    for (const auto& outgoing : said)
    {
        const auto* mix = std::get_if<Mix>(&outgoing.body);
        test.Expect(mix && mix->hops == 2, "it says sums, a hop on");
        const auto more = mix ? unmixer.Hear(Seconds(1), *mix) : std::vector<EventPtr>();
        solved.insert(solved.end(), more.begin(), more.end());
    }
    test.Expect(said.size() == 2 && GetIds(solved) == GetIds(events),
                "a broker alone sends as many as there are events, seven a frame");

    Busy idle(2.9);
    idle.HearEvents(Seconds(1), events);
    const auto plain = Listen(*idle.broker, Turn::FORWARDS, Seconds(3));
    test.Expect(!plain.empty() && std::holds_alternative<Pub>(plain.front().body),
                "on a channel that is not busy it forwards them");

    for (const auto& [words, late] : {std::pair(1U, 9U), {0U, 9U}, {0U, 10U}})
    {
        Limits limits;
        limits.mix.fewest = 10;
        limits.frame.stamps = words;
        Busy starting(5, {}, limits);
        starting.HearEvents(Seconds(1), MakeEvents(late));
        const auto first = Listen(*starting.broker, Turn::FORWARDS, Seconds(3)).front();
        test.Expect(std::holds_alternative<Mix>(first.body) == (words == 1 || late == 10),
                    "nor where more words than a BSUB has make it busy, not events");
    }

    for (const auto patience : {9.9, 10.0})
    {
        BrokerPolicies policies;
        policies.queue = std::make_shared<ExpiringQueue>(patience);
        Busy forgetful(5, policies);
        forgetful.HearEvents(Seconds(1), events);
        const auto its = Listen(*forgetful.broker, Turn::FORWARDS, Seconds(3));
        test.Expect(!its.empty() &&
                        std::holds_alternative<Mix>(its.front().body) == (patience == 10),
                    "nor where others may soon have given some of them up");
    }
}

void
BrokersAroundShareTheSums(FunctionCase& test)
{
    const auto count = [](NodeId brokers, size_t events) {
        Busy busy;
        for (NodeId broker = 0; broker < brokers; ++broker)
        {
            busy.Hear(Seconds(1), static_cast<NodeId>(NEIGHBOUR + broker), Heartbeat{});
        }
        busy.HearEvents(Seconds(1), MakeEvents(static_cast<uint32_t>(events)));
        size_t sums = 0;
        for (const auto& outgoing : Listen(*busy.broker, Turn::FORWARDS, Seconds(3)))
        {
            const auto* mix = std::get_if<Mix>(&outgoing.body);
            sums += mix ? mix->sums.size() : 0;
        }
        return sums;
    };
    test.Expect(count(3, 20) == 20, "four of four send one for each event");
    test.Expect(count(7, 20) == 10, "four of eight brokers' share is a half");
    test.Expect(count(7, 1) == 1, "half of a sum, and the half that was drawn");
}

void
WhatCannotBeMixedGoesAsItIs(FunctionCase& test)
{
    Busy busy;
    const auto own = MakeEvent({SELF, 0}, "a");
    busy.Publish(Seconds(1), own);
    const auto said = Listen(*busy.broker, Turn::FORWARDS, Seconds(1));
    const auto* pub = said.empty() ? nullptr : std::get_if<Pub>(&said.front().body);
    test.Expect(pub && pub->events.size() == 1, "nobody else has what is published here");

    const auto large = std::make_shared<const Event>(
        Event{{PUBLISHER_NODE, 0}, {{"topic", std::string("a")}}, 300});
    busy.HearEvents(Seconds(2), {large});
    const auto others = Listen(*busy.broker, Turn::FORWARDS, Seconds(4));
    test.Expect(others.size() == 1 && std::holds_alternative<Pub>(others.front().body),
                "a large event would leave no room for sums");
}

void
OldEventsAreInNoSum(FunctionCase& test)
{
    Busy busy;
    busy.HearEvents(Seconds(1), MakeEvents(2));
    Listen(*busy.broker, Turn::FORWARDS, Seconds(4.9));
    busy.HearEvents(Seconds(4.95), MakeEvents(3));
    const auto all = Listen(*busy.broker, Turn::FORWARDS, Seconds(4.999));
    test.Expect(all.empty(), "sums wait for more events");
    const auto said = Listen(*busy.broker, Turn::FORWARDS, Seconds(7));
    const auto* mix = said.empty() ? nullptr : std::get_if<Mix>(&said.front().body);
    test.Expect(mix && GetMixed(*mix) == std::vector<EventId>{{PUBLISHER_NODE, 2}},
                "after four seconds an event is left to repairs");
}

void
WhatIsOwedEndsWithTheLoad(FunctionCase& test)
{
    Busy busy;
    busy.HearEvents(Seconds(1), MakeEvents(4));
    test.Expect(!busy.broker->Build(Seconds(1.06), Turn::FORWARDS), "sums wait");
    busy.SetLoad(1);
    test.Expect(Listen(*busy.broker, Turn::FORWARDS, Seconds(5)).empty(),
                "what neighbours lack they tell in their STATEs");
}

void
OneSumRepairsSeveralNeighbours(FunctionCase& test)
{
    Busy busy;
    Busy late;
    const auto events = MakeEvents(3);
    busy.HearEvents(Seconds(1), events);
    late.HearEvents(Seconds(1), events);
    Listen(*busy.broker, Turn::FORWARDS, Seconds(2));
    Listen(*late.broker, Turn::FORWARDS, Seconds(2));
    for (NodeId lacking = 0; lacking < 3; ++lacking)
    {
        auto has = MakeSummary(PUBLISHER_NODE, {0, 3});
        has.Remove({PUBLISHER_NODE, lacking});
        const State state{BROKER, 0, MakePart(has), {}, {}, {}, {}};
        busy.Hear(Seconds(10), static_cast<NodeId>(NEIGHBOUR + lacking), Heartbeat{state});
        late.Hear(Seconds(31.1), static_cast<NodeId>(NEIGHBOUR + lacking), Heartbeat{state});
    }
    const auto plain = Listen(*late.broker, Turn::REPAIRS, Seconds(40));
    test.Expect(!plain.empty() && std::holds_alternative<Rep>(plain.front().body),
                "what is half a minute old goes as it is");
    const auto said = Listen(*busy.broker, Turn::REPAIRS, Seconds(20));
    const auto* mix = said.empty() ? nullptr : std::get_if<Mix>(&said.front().body);
    test.Expect(said.size() == 1 && mix && mix->sums.size() == 1 && GetMixed(*mix).size() == 3,
                "each lacks another event, and one sum is enough for all");
}

void
NobodyIsSentMoreThanItCanSolve(FunctionCase& test)
{
    Repairs repairs(std::make_shared<LongestWaiting>(), [] { return NodeView(); });
    const auto id = [](uint32_t sequence) { return EventId{PUBLISHER_NODE, sequence}; };
    repairs.Add(Seconds(1), 20, 1, {id(0), id(1)});
    repairs.Add(Seconds(2), 21, 1, {id(1), id(2), id(3)});
    repairs.Add(Seconds(3), 22, 1, {id(4), id(5), id(6)});
    const auto any = [](EventId) { return true; };
    const auto first = repairs.GetFirst(Seconds(4));
    test.Expect(
        repairs.ChooseMixed(first, 2, 9, any) ==
            [] {
                auto chosen = MakeSummary(PUBLISHER_NODE, {0, 3});
                chosen.Add(PUBLISHER_NODE, {4, 6});
                return chosen;
            }(),
        "two of each neighbour's");
    test.Expect(repairs.ChooseMixed(first, 2, 3, any) == MakeSummary(PUBLISHER_NODE, {0, 3}),
                "three in all");
    const auto even = [](EventId of) { return of.sequence % 2 == 0; };
    test.Expect(!repairs.ChooseMixed(first, 2, 9, even).Has(id(1)), "only what can be mixed");
    repairs.EraseMixed({id(0), id(1), id(2), id(4)}, 2);
    test.Expect(repairs.GetFirst(Seconds(4)) == Repairs::First{21, {id(3)}},
                "the first has all that it lacked, the second one left");
    repairs.EraseMixed({id(3)}, 1);
    test.Expect(repairs.GetFirst(Seconds(4)) == Repairs::First{22, {id(5), id(6)}},
                "and nobody is sent more than was in the sums");
}

void
AWeakLinkGetsEventsAsTheyAre(FunctionCase& test)
{
    Busy busy;
    busy.HearEvents(Seconds(1), MakeEvents(3));
    Listen(*busy.broker, Turn::FORWARDS, Seconds(2));
    std::vector<Outgoing> said;
    for (int time = 0; time < 4; ++time)
    {
        const auto now = Seconds(10 + 10 * time);
        busy.Hear(now, NEIGHBOUR, Heartbeat{});
        for (auto& outgoing : Listen(*busy.broker, Turn::REPAIRS, now + Seconds(9)))
        {
            said.push_back(std::move(outgoing));
        }
    }
    test.Expect(said.size() >= 4 && std::holds_alternative<Mix>(said.front().body) &&
                    std::holds_alternative<Rep>(said.back().body),
                "what was sent twice in vain is sent in smaller frames");
}

void
WhoeverMixesAnEventHasIt(FunctionCase& test)
{
    const auto events = MakeEvents(2);
    const auto context = MakeContext(PUBLISHER_NODE, PUBLISHER);
    Publisher publisher(context, {});
    publisher.Publish(Seconds(1), events[0]);
    publisher.Publish(Seconds(1), MakeEvent({PUBLISHER_NODE, 9}, "a"));
    publisher.Receive(Seconds(2), {{SELF, NO_NODE, Mix::KIND, 1, 0}, MakeMix(events, 5, 1)}, 1);
    test.Expect(!publisher.Holds(events[0]->id) && publisher.CountHeld() == 1,
                "a publisher lets go of an event that a broker mixes, and of no other");
}

void
AStationHearsWhatSumsSay(FunctionCase& test)
{
    const auto events = MakeEvents(3);
    MeshStation station(SELF, SUBSCRIBER, {}, [] { return 0.5; }, {});
    Output output;
    station.Step(Seconds(0), input::Started{}, output);
    station.Step(Seconds(0), input::Subscribed{Filter::Parse("topic LIKE 'a%'")}, output);
    const auto hear = [&](uint8_t number, const Body& body) {
        output = {};
        const auto bytes = Encode({{NEIGHBOUR, NO_NODE, 0, 1, number}, body});
        station.Step(Seconds(1), input::Heard{bytes, -60}, output);
        return output.deliveries.size();
    };
    test.Expect(hear(1, MakeMix(events, 5, 2)) == 0, "two sums of three events");
    test.Expect(hear(2, Pub{{}, {}, {{events[1], 1, {}}}}) == 3, "and one of them are three");
    test.Expect(output.deliveries.back().hops == 1 && output.deliveries.back().from == NEIGHBOUR,
                "they came with the frame that solved them");
    test.Expect(hear(3, MakeMix(events, 6, 2)) == 0, "and come once");
}

void
WhoeverSolvesASumForOthersNeedNotHaveTheEvent(FunctionCase& test)
{
    constexpr NodeId BOTH = 80; // a broker with a subscriber
    const auto events = MakeEvents(2);
    Options options;
    options.limits.mix.mostKnown = 0; // hears of an event again that it has
    MeshStation station(SELF, BROKER, options, [] { return 0.5; }, {});
    Output output;
    station.Step(Seconds(0), input::Started{}, output);
    uint8_t number = 0;
    const auto hear = [&](NodeId from, const Body& body) {
        const auto bytes = Encode({{from, NO_NODE, 0, 1, ++number}, body});
        station.Step(Seconds(1), input::Heard{bytes, -60}, output);
    };
    hear(BOTH, Sub{{{BOTH, 1, {{Filter::Parse("topic LIKE 'a%'"), 0}}}}});
    hear(NEIGHBOUR, Pub{{}, {}, {{events[0], 1, {}}}});
    test.Expect(station.GetHeld().size() == 1, "it is wanted");
    hear(NEIGHBOUR, MakeMix(events, 5, 1));
    hear(BOTH, Pub{{}, {}, {{events[1], 1, {}}}});
    test.Expect(!station.GetHeld().empty() && station.GetHeld().front().event == events[0]->id,
                "it is still, though the other one's sender has solved it here");
}

class MeshMixingSuite : public ns3::TestSuite
{
  public:
    MeshMixingSuite()
        : TestSuite("mftpubsub-mesh-mixing", Type::UNIT)
    {
        Add("Bytes are a field", BytesAreAField);
        Add("As many sums as events solve them", AsManySumsAsEventsSolveThem);
        Add("What is known is taken out", WhatIsKnownIsTakenOut);
        Add("An event that comes later solves sums", AnEventThatComesLaterSolvesSums);
        Add("Events come and go while sums wait", EventsComeAndGoWhileSumsWait);
        Add("What is forgotten spoils no other", WhatIsForgottenSpoilsNoOther);
        Add("Events of late are counted", EventsOfLateAreCounted);
        Add("Sums are forgotten", SumsAreForgotten);
        Add("What is no sum of events solves nothing", WhatIsNoSumOfEventsSolvesNothing);
        Add("A busy broker forwards sums", ABusyBrokerForwardsSums);
        Add("Brokers around share the sums", BrokersAroundShareTheSums);
        Add("What cannot be mixed goes as it is", WhatCannotBeMixedGoesAsItIs);
        Add("Old events are in no sum", OldEventsAreInNoSum);
        Add("What is owed ends with the load", WhatIsOwedEndsWithTheLoad);
        Add("One sum repairs several neighbours", OneSumRepairsSeveralNeighbours);
        Add("Nobody is sent more than it can solve", NobodyIsSentMoreThanItCanSolve);
        Add("A weak link gets events as they are", AWeakLinkGetsEventsAsTheyAre);
        Add("Whoever mixes an event has it", WhoeverMixesAnEventHasIt);
        Add("A station hears what sums say", AStationHearsWhatSumsSay);
        Add("Whoever solves a sum for others need not have the event",
            WhoeverSolvesASumForOthersNeedNotHaveTheEvent);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

MeshMixingSuite g_meshMixing;

} // namespace

} // namespace mftpubsub::mesh::mesh_mixing_test
