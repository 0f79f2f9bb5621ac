/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Rule 11: new events wait where they are published while the mesh does not keep up.
 */
#include "function-case.h"
#include "mesh-machines.h"
#include "protocols/mesh/pace.h"
#include "protocols/mesh/sums.h"

#include "ns3/test.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::mesh::mesh_pace_test
{

namespace
{

constexpr NodeId SELF = 1;
/// The first change comes after a period, the first that slows down after PaceLimits::slowed.
constexpr int WARM_S = 6;

/// A device that hears how the mesh keeps up.
struct Device
{
    explicit Device(uint8_t roles)
        : context(MakeContext(SELF, roles))
    {
        context.options.isScoped = false;
        context.stuck = [this](Instant) { return stuck; };
        context.load = [this] { return load; };
    }

    Device(const Device&) = delete; // the context refers to it
    Device& operator=(const Device&) = delete;

    Context context;
    size_t stuck{0};
    double load{Options().limits.pace.load};
};

/// @return when @p count events have gone that are there from @p now on
Instant
TakeAll(Pace& pace, Instant now, int count)
{
    for (int taken = 0; taken < count; ++taken)
    {
        now = std::max(now, pace.Due());
        pace.Take(now);
    }
    return now;
}

/// Five events/s for some seconds, two at a time.
void
WarmUp(Pace& pace)
{
    for (double at = 0; at < WARM_S; at += 0.4)
    {
        pace.Take(Seconds(at));
        pace.Take(Seconds(at));
    }
}

void
EventsGoAtOnceWhileTheMeshKeepsUp(FunctionCase& test)
{
    Device device(PUBLISHER);
    device.stuck = device.context.options.limits.pace.stuck;
    Pace pace(device.context);
    WarmUp(pace);
    test.Expect(TakeAll(pace, Seconds(WARM_S), 1000) == Seconds(WARM_S), "a thousand at once");
    device.stuck = 1000;
    device.load -= 0.01;
    test.Expect(TakeAll(pace, Seconds(WARM_S + 9), 1000) == Seconds(WARM_S + 9),
                "and where only repairs leave sums, for others");
}

void
StuckSumsSlowEventsDown(FunctionCase& test)
{
    Device device(PUBLISHER);
    const auto& limits = device.context.options.limits.pace;
    Pace pace(device.context);
    WarmUp(pace);
    device.stuck = limits.stuck + 1;
    pace.Take(Seconds(WARM_S));
    const std::chrono::duration<double> gap = pace.Due() - Seconds(WARM_S);
    test.Expect(gap.count() * limits.less * 5 > 1 && gap.count() * limits.less * 5 < 1.25,
                "slower than the five a second that went before: " + std::to_string(gap.count()));

    const auto gapAfter = [&](Instant until) {
        while (pace.Due() < until)
        {
            pace.Take(pace.Due());
        }
        const auto at = pace.Due();
        pace.Take(at);
        return std::chrono::duration<double>(pace.Due() - at).count();
    };
    test.Expect(std::abs(gapAfter(Seconds(WARM_S) + Times(limits.slowed, 0.8)) / gap.count() - 1) <
                    1e-6,
                "sums stay stuck for a while: it is slowed once for them");
    test.Expect(gapAfter(Seconds(WARM_S) + Times(limits.slowed, 1.4)) > 1.1 * gap.count(),
                "and again where they do not go");
}

void
NothingSlowsEventsDownForEver(FunctionCase& test)
{
    Device device(PUBLISHER);
    const auto& limits = device.context.options.limits.pace;
    Pace pace(device.context);
    WarmUp(pace);
    device.stuck = limits.stuck + 1;
    TakeAll(pace, Seconds(WARM_S), 500);
    const auto at = pace.Due();
    pace.Take(at);
    const std::chrono::duration<double> gap = pace.Due() - at;
    test.Expect(std::abs(gap.count() - 1 / limits.least) < 1e-6, "not slower than the least");
}

void
TheRateRisesAgain(FunctionCase& test)
{
    Device device(PUBLISHER);
    const auto& limits = device.context.options.limits.pace;
    Pace pace(device.context);
    WarmUp(pace);
    device.stuck = limits.stuck + 1;
    auto now = TakeAll(pace, Seconds(WARM_S), 2);
    device.stuck = 0;
    std::vector<double> gaps;
    while (now < Seconds(WARM_S + 15))
    {
        now = TakeAll(pace, now, 1);
        const std::chrono::duration<double> gap = pace.Due() - now;
        gaps.push_back(gap.count());
    }
    const auto faster = std::pow(1 + limits.more, 14); // changes of a second or a little more
    test.Expect(gaps.front() / gaps.back() > faster / 2 && gaps.front() / gaps.back() < faster * 2,
                "by a factor each second");
}

void
APublisherHoldsEventsBackAndRepeatsOthers(FunctionCase& test)
{
    Device device(PUBLISHER);
    device.context.options.limits.block.often = 1000; // it gathers nothing
    Publisher publisher(device.context, {});
    uint32_t published = 0;
    const auto publish = [&](Instant now) {
        publisher.Publish(now, MakeEvent({SELF, published++}, "a"));
        return Listen(publisher, Turn::OWN_EVENTS, now);
    };
    for (int event = 0; event < 10 * WARM_S; ++event)
    {
        test.Expect(!publish(Seconds(0.1 * event)).empty(), "each goes when it is published");
    }
    device.stuck = 100;
    publish(Seconds(WARM_S));
    for (int event = 0; event < 20; ++event)
    {
        publish(Seconds(WARM_S + 0.001));
    }
    std::multiset<uint32_t> sent;
    const auto countFresh = [&](Instant until) {
        for (const auto& outgoing : Listen(publisher, Turn::OWN_EVENTS, until))
        {
            for (const auto& carried : std::get<Pub>(outgoing.body).events)
            {
                sent.insert(carried.event->id.sequence);
            }
        }
        const std::set<uint32_t> fresh(sent.upper_bound(10 * WARM_S), sent.end());
        return fresh.size();
    };
    const auto fresh = countFresh(Seconds(WARM_S + 1));
    test.Expect(fresh > 3 && fresh < 12,
                "eight of twenty within a second: " + std::to_string(fresh));
    test.Expect(publisher.CountHeld() == 10 * WARM_S + 21, "all are held");
    device.stuck = 0;
    test.Expect(countFresh(Seconds(WARM_S + 20)) == 20, "then all go");
    test.Expect(sent.contains(10 * WARM_S - 1), "and what was sent before is sent again");
}

/// A broker whose neighbour wants all events, and which has published for some seconds.
class Publishing
{
  public:
    explicit Publishing(const Device& device)
        : broker(device.context, {})
    {
        broker.Start(Seconds(0));
        Hear(Seconds(0), Sub{{{NEIGHBOUR, 1, {{Filter::Parse("topic = 'a'"), 0}}}}});
    }

    void Hear(Instant now, Body body)
    {
        broker.Receive(now, {{NEIGHBOUR, NO_NODE, 0, 1, 0}, std::move(body)}, 1, output);
    }

    EventId Publish(Instant now)
    {
        const EventId id{SELF, published++};
        broker.Publish(now, MakeEvent(id, "a"), output);
        return id;
    }

    Broker broker;
    Output output;
    uint32_t published{0};
};

void
ABrokersOwnEventsWaitToo(FunctionCase& test)
{
    Device device(BROKER);
    device.context.options.limits.block.often = 1000; // it gathers nothing
    Publishing publishing(device);
    auto& broker = publishing.broker;
    for (int event = 0; event < 10 * WARM_S; ++event)
    {
        publishing.Publish(Seconds(0.1 * event));
        test.Expect(broker.Due(Turn::FORWARDS) == Seconds(0.1 * event), "each goes at once");
        Listen(broker, Turn::FORWARDS, Seconds(0.1 * event));
    }
    device.stuck = 100;
    for (int event = 0; event < 20; ++event)
    {
        publishing.Publish(Seconds(WARM_S));
    }
    test.Expect(publishing.output.kept.size() == publishing.published, "all are the broker's");
    const auto count = [](const std::vector<Outgoing>& said) {
        size_t events = 0;
        for (const auto& outgoing : said)
        {
            const auto* pub = std::get_if<Pub>(&outgoing.body);
            events += pub ? pub->events.size() : std::get<Rep>(outgoing.body).events.size();
        }
        return events;
    };
    test.Expect(count(Listen(broker, Turn::FORWARDS, Seconds(WARM_S))) == 1, "one goes");
    const State lacking{BROKER, 0, MakePart(MakeSummary(SELF, {0, 10 * WARM_S})), {}, {}, {}, {}};
    publishing.Hear(Seconds(WARM_S + 1), Heartbeat{lacking});
    const auto repaired = count(Listen(broker, Turn::REPAIRS, Seconds(WARM_S + 1)));
    test.Expect(repaired <= 1, "what waits is no repair either");
    device.stuck = 0;
    test.Expect(count(Listen(broker, Turn::FORWARDS, Seconds(WARM_S + 20))) == 19, "all go");
}

void
WhatWaitsIsInNoSum(FunctionCase& test)
{
    Device device(BROKER);
    device.context.options.limits.block.often = 1000; // it gathers nothing
    Publishing publishing(device);
    for (int event = 0; event < 10 * WARM_S; ++event)
    {
        publishing.Publish(Seconds(0.1 * event));
        Listen(publishing.broker, Turn::FORWARDS, Seconds(0.1 * event));
    }
    device.stuck = 100;
    std::set<EventId> waiting;
    Pub others;
    for (uint32_t sequence = 0; sequence < 20; ++sequence)
    {
        waiting.insert(publishing.Publish(Seconds(WARM_S)));
        others.events.push_back({MakeEvent({NEIGHBOUR, sequence}, "a"), 1, {}});
    }
    publishing.Hear(Seconds(WARM_S), others);
    std::set<EventId> mixed;
    for (const auto& outgoing : Listen(publishing.broker, Turn::FORWARDS, Seconds(WARM_S + 0.5)))
    {
        if (const auto* mix = std::get_if<Mix>(&outgoing.body))
        {
            std::ranges::copy(GetMixed(*mix), std::inserter(mixed, mixed.end()));
        }
        else
        {
            std::ranges::for_each(std::get<Pub>(outgoing.body).events,
                                  [&](const auto& carried) { waiting.erase(carried.event->id); });
        }
    }
    test.Expect(waiting.size() > 10 && mixed.size() >= 20, "some wait, while others are in sums");
    test.Expect(std::ranges::none_of(mixed, [&](EventId id) { return waiting.contains(id); }),
                "what waits is not");
}

class MeshPaceSuite : public ns3::TestSuite
{
  public:
    MeshPaceSuite()
        : TestSuite("mftpubsub-mesh-pace", Type::UNIT)
    {
        Add("Events go at once while the mesh keeps up", EventsGoAtOnceWhileTheMeshKeepsUp);
        Add("Stuck sums slow events down", StuckSumsSlowEventsDown);
        Add("Nothing slows events down for ever", NothingSlowsEventsDownForEver);
        Add("The rate rises again", TheRateRisesAgain);
        Add("A publisher holds events back and repeats others",
            APublisherHoldsEventsBackAndRepeatsOthers);
        Add("A broker's own events wait too", ABrokersOwnEventsWaitToo);
        Add("What waits is in no sum", WhatWaitsIsInNoSum);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

MeshPaceSuite g_meshPace;

} // namespace

} // namespace mftpubsub::mesh::mesh_pace_test
