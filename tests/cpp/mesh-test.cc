/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "function-case.h"
#include "mesh-machines.h"
#include "protocols/mesh/epidemic.h"
#include "protocols/mesh/frame-sender.h"
#include "protocols/mesh/frames.h"
#include "protocols/mesh/mpl.h"
#include "protocols/mesh/repairs.h"
#include "protocols/mesh/subscriber.h"
#include "protocols/mesh/trickle.h"
#include "protocols/mesh/word-table.h"

#include "ns3/test.h"

#include <functional>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::mesh::mesh_test
{

namespace
{

EventPtr
MakeEvent(EventId id)
{
    return std::make_shared<const Event>(Event{id, {{"topic", std::string("a")}}, 20});
}

void
FramesSurviveTheWire(FunctionCase& test)
{
    Summary summary;
    summary.Add({3, 4});
    auto from = SummaryPart::BEGIN;
    const SummaryPart part(summary, 100, from);
    const State state{5,
                      0x12345678,
                      part,
                      {},
                      {{3, 4}},
                      {{{3, 5}, {9, 11}}},
                      {{9, 12}, {11, Hint::UNKNOWN}}};
    const CarriedEvent event{MakeEvent({3, 4}), 2};
    const CarriedEvent onItsWay{MakeEvent({3, 4}), 2, {77, {{{9, 3}, 1}, {{11, 20}}}}};
    const CarriedEvent shared{MakeEvent({3, 4}),
                              2,
                              {77, {{{9, 3}, 2}}, {{{11, 20}}, {{12, 2}, 3}}}};
    const CarriedEvent elsewhere{MakeEvent({3, 4}), 2, {77, {}, {{{12, 2}, 3}}}};
    const Word word{9, 7, {{Filter::Parse("topic = 'a'"), 1500}}};
    const std::vector<Body> bodies = {Heartbeat{state},
                                      Pub{state, {}, {event, event}},
                                      Pub{{}, {}, {event}},
                                      Pub{{}, {{9, 3}}, {onItsWay}},
                                      Pub{{}, {}, {shared}},
                                      Pub{{}, {}, {elsewhere}},
                                      Taken{{{{3, 4}, shared.path}, {{3, 5}, elsewhere.path}}},
                                      Hello{7, part},
                                      Mix{state, 3, 500, part, {{1, 2}, {3, 4}}},
                                      Mix{},
                                      Rep{state, Cover{3, part}, {event}},
                                      Rep{{}, {}, {}},
                                      Nack{7, 1200, part},
                                      Sub{{word, word}},
                                      Bsub{1, 2, 3, {{2, 9}}}};
    for (const auto& body : bodies)
    {
        const auto bytes = Encode({{1, 2, 0, 77, 200}, body});
        const auto read = Decode(bytes);
        test.Expect(Encode(read) == bytes, std::string(GetName(body)) + " comes back");
        test.Expect(read.header.life == 77 && read.header.number == 200, "with its header");
        for (size_t size = 0; size < bytes.size(); ++size)
        {
            try
            {
                Decode(std::span(bytes).first(size));
                test.Expect(false, "a frame that ends too early is refused");
            }
            catch (const DecodeError&)
            {
            }
        }
    }
    test.Expect(CountBytes(event) + EVENTS_BYTES == Encode({{}, bodies[2]}).size(),
                "an event takes what CountBytes says");
    test.Expect(CountBytes(onItsWay) + EVENTS_BYTES + 3 == Encode({{}, bodies[3]}).size(),
                "so does one for a few");
    test.Expect(CountBytes(shared) + EVENTS_BYTES == Encode({{}, bodies[4]}).size(),
                "and one that several brokers bring to them");
    test.Expect(CountBytes(elsewhere) + EVENTS_BYTES == Encode({{}, bodies[5]}).size(),
                "or others alone");
    const auto& taken = std::get<Taken>(bodies[6]).events;
    test.Expect(HEADER_BYTES + 1 + CountBytes(taken[0]) + CountBytes(taken[1]) ==
                    Encode({{}, bodies[6]}).size(),
                "and where it is");
}

/// Neighbour 7 lacks two events and is near; 8 has waited less, lacks one, and is farther away.
Repairs::First
FirstRepairs(std::shared_ptr<RepairPolicy> policy)
{
    Repairs repairs(std::move(policy), [] { return NodeView(); });
    repairs.Add(Seconds(1), 7, 0.3, {{1, 5}, {1, 4}});
    repairs.Add(Seconds(2), 8, 0.9, {{2, 0}});
    repairs.Add(Seconds(3), 7, 0.4, {{1, 4}});
    return repairs.GetFirst(Seconds(4));
}

void
APolicySaysWhoIsRepairedFirst(FunctionCase& test)
{
    const Repairs::First ofSeven{7, {{1, 4}, {1, 5}}};
    const Repairs::First ofEight{8, {{2, 0}}};
    test.Expect(FirstRepairs(std::make_shared<LongestWaiting>()) == ofSeven, "longest waiting");
    test.Expect(FirstRepairs(std::make_shared<FewestLacking>()) == ofEight, "fewest lacking");
    test.Expect(FirstRepairs(std::make_shared<FarthestNeighbour>()) == ofEight, "farthest");
}

/// Takes the last, and remembers of whom it was asked.
class Listening : public RepairPolicy
{
  public:
    NodeId Decide(const NodeView&, const std::vector<LackingNeighbour>& neighbours) override
    {
        asked = neighbours;
        return neighbours.back().id;
    }

    std::vector<LackingNeighbour> asked;
};

void
APolicyIsToldHowLongNeighboursHaveWaited(FunctionCase& test)
{
    const auto policy = std::make_shared<Listening>();
    test.Expect(FirstRepairs(policy).neighbour == 8, "as it decides");
    const auto& asked = policy->asked;
    test.Expect(asked.size() == 2 && asked[0].id == 7 && asked[1].id == 8, "both");
    test.Expect(asked[0].ageSeconds == 3 && asked[1].ageSeconds == 2, "since they were heard");
    test.Expect(asked[0].events == 2 && asked[1].events == 1, "how many events");
    test.Expect(asked[0].hops == 0.4 && asked[1].hops == 0.9, "by the latest STATE");
}

void
WhatIsSentNobodyLacksAnyMore(FunctionCase& test)
{
    Repairs repairs(std::make_shared<LongestWaiting>(), [] { return NodeView(); });
    repairs.Add(Seconds(1), 7, 0.3, {{1, 4}});
    repairs.Add(Seconds(2), 8, 0.9, {{1, 4}, {2, 0}});
    repairs.Erase({1, 4});
    test.Expect(repairs.GetFirst(Seconds(4)) == Repairs::First{8, {{2, 0}}}, "8 lacks one still");
    repairs.Erase({2, 0});
    test.Expect(repairs.IsEmpty(), "nobody lacks anything");
}

void
OneFrameAtATime(FunctionCase& test)
{
    FrameSender sender({}, [] { return 0.5; });
    test.Expect(sender.FreeAt() <= Instant(0), "free at first");
    sender.HandedOver(Seconds(1));
    test.Expect(sender.FreeAt() == NEVER, "busy while a frame is in the MAC");
    sender.Transmitted(Seconds(1.5), Seconds(0.004));
    test.Expect(sender.FreeAt() == Seconds(1.5055), "free after air time and pause");
    test.Expect(sender.GetLoad() > 6 && sender.GetLoad() < 7, "0.5 s in the MAC is load");
}

void
TrickleDoublesAndKeepsQuiet(FunctionCase& test)
{
    Trickle trickle({Seconds(1), Seconds(4), 1, 100}, [] { return 0.0; });
    trickle.Reset(Seconds(0));
    test.Expect(trickle.Due() == Seconds(0.5), "transmits in the second half");
    test.Expect(trickle.Expire(Seconds(0.5)), "nothing was heard");
    trickle.Expire(Seconds(1));
    test.Expect(trickle.Due() == Seconds(2), "the interval doubles");
    trickle.Consistent();
    test.Expect(!trickle.Expire(Seconds(2)), "k was heard");
    trickle.Inconsistent(Seconds(2.5));
    test.Expect(trickle.Due() == Seconds(3), "inconsistency begins anew");
}

/// Stations in reach of each other, which all hear every frame but those that @p hears refuses.
void
Play(const std::vector<Station*>& stations,
     const std::function<bool(size_t from, size_t to, Instant now)>& hears,
     Instant until,
     std::vector<std::set<EventId>>& delivered,
     const std::function<void(Instant, std::vector<Output>&)>& input)
{
    Instant now{0};
    std::vector<Output> outputs(stations.size());
    for (size_t i = 0; i < stations.size(); ++i)
    {
        stations[i]->Step(now, input::Started(), outputs[i]);
    }
    input(now, outputs);
    for (; now < until; now += Seconds(0.001))
    {
        for (size_t i = 0; i < stations.size(); ++i)
        {
            if (const auto due = stations[i]->NextTimer(); due && *due <= now)
            {
                stations[i]->Step(now, input::Expired(), outputs[i]);
            }
        }
        for (size_t i = 0; i < stations.size(); ++i)
        {
            const auto output = std::exchange(outputs[i], {});
            for (const auto& delivery : output.deliveries)
            {
                delivered[i].insert(delivery.event);
            }
            if (!output.frame)
            {
                continue;
            }
            for (size_t to = 0; to < stations.size(); ++to)
            {
                if (to != i && hears(i, to, now))
                {
                    Output heard;
                    stations[to]->Step(now, input::Heard{output.frame->bytes, -60}, heard);
                    outputs[to].deliveries.insert(outputs[to].deliveries.end(),
                                                  heard.deliveries.begin(),
                                                  heard.deliveries.end());
                    if (heard.frame)
                    {
                        outputs[to].frame = std::move(heard.frame);
                    }
                }
            }
            stations[i]->Step(now, input::Transmitted{Seconds(0.002)}, outputs[i]);
        }
    }
}

/// Publisher, two brokers and subscriber in a row; the second broker is out of reach for 5 s.
void
RelaysBringEventsAfterAGap(FunctionCase& test,
                           const std::function<std::unique_ptr<Station>(NodeId, uint8_t)>& make)
{
    std::vector<std::unique_ptr<Station>> owned;
    std::vector<Station*> stations;
    const std::vector<uint8_t> roles = {PUBLISHER, BROKER, BROKER, SUBSCRIBER};
    for (NodeId i = 0; i < roles.size(); ++i)
    {
        owned.push_back(make(i, roles[i]));
        stations.push_back(owned.back().get());
    }
    std::vector<std::set<EventId>> delivered(roles.size());
    const auto hears = [](size_t from, size_t to, Instant now) {
        const auto isNext = from + 1 == to || to + 1 == from;
        return isNext && (now > Seconds(5) || std::max(from, to) < 2);
    };
    Play(stations, hears, Seconds(60), delivered, [&](Instant now, auto& outputs) {
        stations[3]->Step(now, input::Subscribed{Filter::Parse("topic = 'a'")}, outputs[3]);
        for (uint32_t sequence = 0; sequence < 20; ++sequence)
        {
            stations[0]->Step(now, input::Published{MakeEvent({0, sequence})}, outputs[0]);
        }
    });
    test.Expect(delivered[3].size() == 20,
                "all arrive, not " + std::to_string(delivered[3].size()));
}

/// The publisher's vector has more than a request names, of which it has stored the last alone.
void
WhatIsNotStoredIsNotAskedForForEver(FunctionCase& test)
{
    Options options;
    options.maxFrameBytes = 100;
    const auto uniform = [] { return 0.5; };
    SubscriberMemory heard;
    heard.done.Add(3, {0, 400});
    Epidemic broker(0, BROKER | SUBSCRIBER, options, Seconds(1), uniform);
    Epidemic publisher(5, PUBLISHER | SUBSCRIBER, options, Seconds(1), uniform, heard);
    std::vector<std::set<EventId>> delivered(2);
    const auto hears = [](size_t, size_t, Instant) { return true; };
    Play({&broker, &publisher}, hears, Seconds(15), delivered, [&](Instant now, auto& outputs) {
        broker.Step(now, input::Subscribed{Filter::Parse("topic = 'a'")}, outputs[0]);
        for (uint32_t sequence = 0; sequence < 400; sequence += 2)
        {
            broker.Step(now, input::Recalled{MakeEvent({3, sequence}), now}, outputs[0]);
        }
        publisher.Step(now, input::Published{MakeEvent({5, 0})}, outputs[1]);
    });
    test.Expect(delivered[0].contains({5, 0}), "it is asked for in its turn");
}

Uniform
MakeUniform(uint32_t seed)
{
    auto random = std::make_shared<std::mt19937>(seed);
    return [random] { return std::uniform_real_distribution<double>(0, 1)(*random); };
}

Context
MakeDrawingContext(NodeId self, uint8_t roles)
{
    auto context = MakeContext(self, roles);
    context.uniform = MakeUniform(self);
    return context;
}

void
CoverOfAnOlderWordIsNotBelieved(FunctionCase& test)
{
    const auto context = MakeDrawingContext(5, SUBSCRIBER);
    Subscriber subscriber(context, {}, false);
    subscriber.Subscribe(Seconds(0), Filter::Parse("topic = 'a'"));
    subscriber.Subscribe(Seconds(1), Filter::Parse("topic = 'b'"));
    Summary covered;
    covered.Add({3, 4});
    auto from = SummaryPart::BEGIN;
    const SummaryPart part(covered, 100, from);
    Output output;
    const auto hear = [&](uint32_t timestamp) {
        const Rep rep{{}, Cover{timestamp, part}, {}};
        subscriber.Receive(Seconds(2), {{1, 5, Rep::KIND, 9, 1}, rep}, output);
        return subscriber.GetMemory().done.Has({3, 4});
    };
    test.Expect(!hear(1), "the broker did not know of the filter b");
    test.Expect(hear(2), "it does now");
}

/// Two brokers with 300 words each, of which 200 are the same, tell each other theirs.
void
TablesOfManyWordsAgree(FunctionCase& test)
{
    const auto context = MakeDrawingContext(1, BROKER);
    WordTable one(context);
    WordTable other(context);
    const auto filter = Filter::Parse("topic = 'a'");
    for (NodeId subscriber = 100; subscriber < 500; ++subscriber)
    {
        const Word word{subscriber, 1, {{filter, 0}}};
        if (subscriber < 400)
        {
            one.Hear(Seconds(0), word, subscriber);
        }
        if (subscriber >= 200)
        {
            other.Hear(Seconds(0), word, subscriber);
        }
    }
    const auto say = [](Instant now, WordTable& from, WordTable& to) {
        while (from.DueWords() <= now)
        {
            const auto frame = from.BuildWords(now);
            for (const auto& word : std::get<Sub>(frame->body).words)
            {
                to.Hear(now, word, 1);
            }
        }
        const auto bsub = from.BuildBsub(Seconds(0));
        if (const auto* hashes = std::get_if<BsubHashes>(&bsub->body))
        {
            to.HearBsub(now, NEIGHBOUR, *hashes);
        }
        else
        {
            to.HearBsub(now, NEIGHBOUR, std::get<Bsub>(bsub->body));
        }
    };
    test.Expect(std::holds_alternative<BsubHashes>(one.BuildBsub(Seconds(0))->body),
                "the words of one do not fit into a BSUB");
    for (int round = 1; round < 10; ++round)
    {
        say(Seconds(round), one, other);
        say(Seconds(round + 0.5), other, one);
    }
    test.Expect(one.Count() == 400 && other.Count() == 400, "both have all");
    test.Expect(one.GetHash() == other.GetHash(), "and know that they agree");
}

class MeshSuite : public ns3::TestSuite
{
  public:
    MeshSuite()
        : TestSuite("mftpubsub-mesh", Type::UNIT)
    {
        Add("Frames survive the wire, and cut ones are refused", FramesSurviveTheWire);
        Add("A COVER that was worked out with an older word is not believed",
            CoverOfAnOlderWordIsNotBelieved);
        Add("Tables of more words than a BSUB holds agree", TablesOfManyWordsAgree);
        Add("One frame at a time", OneFrameAtATime);
        Add("A policy is told how long neighbours have waited",
            APolicyIsToldHowLongNeighboursHaveWaited);
        Add("A policy says who is repaired first", APolicySaysWhoIsRepairedFirst);
        Add("What is sent nobody lacks any more", WhatIsSentNobodyLacksAnyMore);
        Add("Trickle doubles its interval and keeps quiet", TrickleDoublesAndKeepsQuiet);
        for (const auto isProactive : {true, false})
        {
            Add("MPL brings events after a gap", [isProactive](FunctionCase& test) {
                RelaysBringEventsAfterAGap(test, [=](NodeId id, uint8_t roles) {
                    MplOptions mpl;
                    mpl.isProactive = isProactive;
                    return std::make_unique<Mpl>(id, roles, Options(), mpl, MakeUniform(id));
                });
            });
        }
        Add("What is not stored is not asked for for ever", WhatIsNotStoredIsNotAskedForForEver);
        Add("Epidemic routing brings events after a gap", [](FunctionCase& test) {
            RelaysBringEventsAfterAGap(test, [](NodeId id, uint8_t roles) {
                return std::make_unique<Epidemic>(id,
                                                  roles,
                                                  Options(),
                                                  Seconds(1),
                                                  MakeUniform(id));
            });
        });
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

MeshSuite g_mesh;

} // namespace

} // namespace mftpubsub::mesh::mesh_test
