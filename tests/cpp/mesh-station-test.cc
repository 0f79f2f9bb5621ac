/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Stations of the mesh, with all their roles, by the frames that they send.
 */
#include "content/content-codec.h"
#include "function-case.h"
#include "protocols/mesh/frames.h"
#include "protocols/mesh/make-station.h"
#include "protocols/mesh/mesh-station.h"

#include "ns3/test.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::mesh::mesh_station_test
{

namespace
{

const Filter FILTER = Filter::Parse("topic = 'a'");

EventPtr
MakeEvent(NodeId publisher, uint32_t sequence, const std::string& topic = "a")
{
    return std::make_shared<const Event>(Event{{publisher, sequence}, {{"topic", topic}}, 20});
}

/// A station with its clock; what it sends goes on the air at once, for a millisecond.
class Station
{
  public:
    Station(NodeId id, uint8_t roles, double uniform = 0.5)
        : m_station(id, roles, Options(), [uniform] { return uniform; }, BrokerPolicies())
    {
    }

    Output Tell(Instant now, const MeshStation::Input& input)
    {
        Output output;
        m_station.Step(now, input, output);
        if (output.frame)
        {
            frames.push_back(*output.frame);
            Tell(now, input::Transmitted{Seconds(0.001)});
        }
        return output;
    }

    Output Hear(Instant now, const OutgoingFrame& frame)
    {
        return Tell(now, input::Heard{frame.bytes, -60});
    }

    /// Wakes it whenever it wants to, until @p end.
    void RunUntil(Instant end)
    {
        for (auto next = m_station.NextTimer(); next && *next <= end; next = m_station.NextTimer())
        {
            Tell(*next, input::Expired());
        }
    }

    MeshStation* operator->()
    {
        return &m_station;
    }

    std::vector<OutgoingFrame> frames; //!< sent so far

  private:
    MeshStation m_station;
};

/// @return @p frame as if @p source had sent it
Bytes
WithSource(Bytes frame, NodeId source)
{
    frame[0] = static_cast<uint8_t>(source >> 8);
    frame[1] = static_cast<uint8_t>(source);
    return frame;
}

/// @return whether a frame called @p name is among @p frames
bool
Has(const std::vector<OutgoingFrame>& frames, const std::string& name)
{
    return std::ranges::any_of(frames, [&](const auto& frame) { return frame.name == name; });
}

void
StationsNumberTheirFrames(FunctionCase& test)
{
    Station broker(1, BROKER);
    test.Expect(broker.frames.empty(), "silent until it starts");
    broker.Tell(Seconds(1), input::Started());
    broker.RunUntil(Seconds(60));
    test.Expect(broker.frames.size() > 5, "then it speaks");
    const auto first = Decode(broker.frames[0].bytes).header;
    bool areNumbered = true;
    for (size_t i = 0; i < broker.frames.size(); ++i)
    {
        const auto header = Decode(broker.frames[i].bytes).header;
        areNumbered = areNumbered && header.source == 1 && header.life == first.life &&
                      header.number == static_cast<uint8_t>(first.number + i);
    }
    test.Expect(areNumbered, "one by one, in one life");
    Station again(1, BROKER, 0.25);
    again.Tell(Seconds(1), input::Started());
    again.RunUntil(Seconds(20));
    test.Expect(Decode(again.frames.at(0).bytes).header.life != first.life, "another life");
}

void
EventsGoFromStationToStation(FunctionCase& test)
{
    Station publisher(3, PUBLISHER);
    Station broker(1, BROKER);
    Station subscriber(2, SUBSCRIBER);
    subscriber.Tell(Seconds(0), input::Subscribed{FILTER});
    test.Expect(subscriber.frames.empty(), "it has not started yet");
    for (auto* station : {&publisher, &broker, &subscriber})
    {
        station->Tell(Seconds(1), input::Started());
    }
    subscriber.RunUntil(Seconds(5));
    test.Expect(Has(subscriber.frames, "SUB"), "its word");
    for (const auto& frame : subscriber.frames)
    {
        broker.Hear(Seconds(5), frame);
    }
    const auto event = MakeEvent(3, 0);
    publisher.Tell(Seconds(6), input::Published{event});
    publisher.RunUntil(Seconds(7));
    test.Expect(Has(publisher.frames, "PUB"), "the event");
    Output heard;
    for (const auto& frame : publisher.frames)
    {
        if (auto output = broker.Hear(Seconds(7), frame); !output.taken.empty())
        {
            heard = std::move(output);
        }
    }
    test.Expect(heard.taken == std::vector<EventId>{{3, 0}}, "the broker has it");
    test.Expect(heard.wanted.size() == 1 && heard.wanted[0].event == EventId{3, 0} &&
                    *heard.wanted[0].by == IdSet{2},
                "for the subscriber");
    test.Expect(broker->CountHeld() == 1 && broker->GetHeld().size() == 1, "it holds it");
    const auto before = broker.frames.size();
    broker.RunUntil(Seconds(9));
    Output got;
    for (size_t i = before; i < broker.frames.size(); ++i)
    {
        const auto output = subscriber.Hear(Seconds(9), broker.frames[i]);
        got.deliveries.insert(got.deliveries.end(),
                              output.deliveries.begin(),
                              output.deliveries.end());
    }
    test.Expect(!got.deliveries.empty() && got.deliveries[0].isNew, "delivered");
    test.Expect(got.deliveries[0].from == 1 && got.deliveries[0].event == EventId{3, 0}, "by it");
}

void
EchoesAreNotHeardTwice(FunctionCase& test)
{
    Station subscriber(2, SUBSCRIBER);
    subscriber.Tell(Seconds(0), input::Subscribed{FILTER});
    subscriber.Tell(Seconds(1), input::Started());
    Station publisher(3, PUBLISHER);
    publisher.Tell(Seconds(1), input::Started());
    const auto event = MakeEvent(3, 0);
    publisher.Tell(Seconds(2), input::Published{event});
    publisher.RunUntil(Seconds(4));
    const auto& frame = publisher.frames.at(0);
    test.Expect(subscriber.Hear(Seconds(2), frame).deliveries.size() == 1, "heard");
    test.Expect(subscriber.Hear(Seconds(2.001), frame).deliveries.empty(), "an echo");
    const auto late = subscriber.Hear(Seconds(1000), frame);
    test.Expect(late.deliveries.size() == 1 && !late.deliveries[0].isNew, "much later it is none");
}

void
NonsenseIsNotHeard(FunctionCase& test)
{
    Station subscriber(2, SUBSCRIBER);
    subscriber.Tell(Seconds(0), input::Subscribed{FILTER});
    subscriber.Tell(Seconds(1), input::Started());
    Station publisher(3, PUBLISHER);
    publisher.Tell(Seconds(1), input::Started());
    const auto event = MakeEvent(3, 0);
    publisher.Tell(Seconds(2), input::Published{event});
    publisher.RunUntil(Seconds(4));
    auto cut = publisher.frames.at(0);
    cut.bytes.pop_back();
    test.Expect(subscriber.Hear(Seconds(2), cut).deliveries.empty(), "a byte is missing");
    for (const NodeId source : {2, +NO_NODE})
    {
        const auto frame = WithSource(publisher.frames[0].bytes, source);
        test.Expect(subscriber.Tell(Seconds(2), input::Heard{frame, -60}).deliveries.empty(),
                    "of itself, or of nobody");
    }
    test.Expect(subscriber.Hear(Seconds(2.001), publisher.frames[0]).deliveries.size() == 1,
                "what it was taken from is heard all the same");
}

void
RolesOnOneDeviceHearEachOther(FunctionCase& test)
{
    Station all(1, BROKER | SUBSCRIBER | PUBLISHER);
    all.Tell(Seconds(0), input::Subscribed{FILTER});
    all.Tell(Seconds(1), input::Started());
    const auto wanted = MakeEvent(1, 0);
    const auto got = all.Tell(Seconds(2), input::Published{wanted});
    test.Expect(got.deliveries.size() == 1 && got.deliveries[0].isNew, "its own event");
    test.Expect(got.deliveries[0].from == 1 && got.deliveries[0].hops == 0, "without a frame");
    test.Expect(all->GetPublisher() == nullptr && all->GetBroker() != nullptr, "by its broker");
    const auto unwanted = MakeEvent(1, 1, "b");
    test.Expect(all.Tell(Seconds(3), input::Published{unwanted}).deliveries.empty(), "not wanted");
    all.Tell(Seconds(4), input::Unsubscribed{FILTER});
    const auto late = MakeEvent(1, 2);
    test.Expect(all.Tell(Seconds(5), input::Published{late}).deliveries.empty(), "nor any more");
}

/// The publisher on a broker's device had an event when the device failed.
void
WhatALifeHadIsRecalled(FunctionCase& test)
{
    for (const uint8_t roles : {BROKER | PUBLISHER, +PUBLISHER})
    {
        Station station(1, roles);
        station.Tell(Seconds(1), input::Started());
        station.Tell(Seconds(2), input::Recalled{MakeEvent(1, 0), Seconds(-60)});
        const auto* publisher = station->GetPublisher();
        const auto held = publisher ? publisher->CountHeld() : station->GetBroker()->CountHeld();
        test.Expect(held == 1, "it is held again");
    }
    Station both(1, PUBLISHER | SUBSCRIBER);
    both.Tell(Seconds(0), input::Subscribed{FILTER});
    both.Tell(Seconds(1), input::Started());
    const auto got = both.Tell(Seconds(2), input::Recalled{MakeEvent(1, 0), Seconds(-60)});
    test.Expect(got.deliveries.size() == 1, "the subscriber beside it gets it");
}

/// @return how a station with other options is refused
std::string
RefuseOptions(void (*change)(Options& options))
{
    Options options;
    change(options);
    try
    {
        MeshStation(1, BROKER, options, [] { return 0.5; }, BrokerPolicies());
    }
    catch (const std::invalid_argument& refused)
    {
        return refused.what();
    }
    return "";
}

void
LimitsThatStopAStationAreRefused(FunctionCase& test)
{
    test.Expect(RefuseOptions([](Options& o) { o.limits.block.repairs = 0; }) ==
                    "mft-mesh: limits.block.repairs is 0; it has to be at least 1",
                "it divides by it");
    test.Expect(RefuseOptions([](Options& o) { o.limits.pace.least = 0; }) ==
                    "mft-mesh: limits.pace.least is 0; it has to be more than 0",
                "by this, too");
    test.Expect(RefuseOptions([](Options& o) { o.heartbeat = Seconds(-0.5); }) ==
                    "mft-mesh: heartbeat is -0.5; it has to be more than 0",
                "it would do nothing else");
    test.Expect(RefuseOptions([](Options& o) { o.limits.sender.load = 0.5; }) ==
                    "mft-mesh: limits.sender.load is 0.5; it has to be at least 1",
                "there is no less load");
    test.Expect(RefuseOptions([](Options& o) {
                    o.few = 0;
                    o.settle = Seconds(0);
                    o.limits.scope.near = 0;
                    o.limits.frame.events = 1;
                }).empty(),
                "what may be 0, and the least");
}

void
OnlySubscribersRemember(FunctionCase& test)
{
    Station subscriber(2, SUBSCRIBER);
    subscriber.Tell(Seconds(3), input::Subscribed{FILTER});
    const auto memory = subscriber->GetMemory();
    test.Expect(memory && memory->timestamp == 1, "a word");
    test.Expect(memory && memory->filters.at(FILTER) == Seconds(3), "since when");
    test.Expect(!Station(1, BROKER)->GetMemory() && !Station(3, PUBLISHER)->GetMemory(),
                "others not");
    test.Expect(subscriber->CountHeld() == 0 && subscriber->GetHeld().empty(), "it holds nothing");
}

/// A station that holds what it is told to.
class Holding : public mesh::Station
{
  public:
    std::vector<Pair> GetHeld() const override
    {
        return held;
    }

    std::optional<SubscriberMemory> GetMemory() const override
    {
        return {};
    }

    std::vector<Pair> held;
    Instant due{NEVER};

  private:
    void Start(Instant, Output&) override
    {
    }

    void Receive(Instant, std::span<const uint8_t>, double, Output&) override
    {
    }

    void Transmitted(Instant, Instant, Output&) override
    {
    }

    void Dropped(Instant, Output&) override
    {
    }

    void Publish(Instant, const EventPtr& event, Output&) override
    {
        held.push_back({event->id, 7});
    }

    void Subscribe(Instant, const Filter&, Output&) override
    {
    }

    void Unsubscribe(Instant, const Filter&, Output&) override
    {
    }

    void Expire(Instant, Output&) override
    {
    }

    Instant NextDue() const override
    {
        return due;
    }
};

void
StationsAreDescribed(FunctionCase& test)
{
    const auto name = [](NodeId node) { return "s" + std::to_string(node); };
    Holding station;
    test.Expect(station.Describe(name).empty() && !station.NextTimer(), "nothing waits");
    station.held = {{{1, 1}, 7}, {{1, 1}, 9}, {{1, 2}, 7}};
    station.due = Seconds(5);
    test.Expect(station.Describe(name) ==
                    Description{{"s7", "2 events wait"}, {"s9", "1 events wait"}},
                "for whom how many wait");
    test.Expect(station.NextTimer() == Seconds(5) && station.CountHeld() == 3, "its time");
    test.Expect(IsStationProtocol("mpl") && !IsStationProtocol("aodv"), "their protocols");
}

void
WhatIsRecalledIsPublishedAgain(FunctionCase& test)
{
    Holding station;
    Output output;
    station.Step(Seconds(1), input::Recalled{MakeEvent(1, 0), Seconds(-60)}, output);
    test.Expect(station.held.size() == 1, "by a station that has no other way");
}

std::unique_ptr<mesh::Station>
MakeRelay(std::string_view protocol, uint8_t roles, SubscriberMemory memory = {})
{
    return MakeStation(protocol,
                       {1, roles, Options(), [] { return 0.5; }, std::move(memory), {}},
                       {});
}

/// A device without a broker: its subscriber has seen what it has published itself.
void
ARelayRecallsWhatItsSubscriberHasSeen(FunctionCase& test)
{
    for (const auto* protocol : {"mpl", "epidemic"})
    {
        Output output;
        auto relay = MakeRelay(protocol, PUBLISHER | SUBSCRIBER);
        relay->Step(Seconds(0), input::Started(), output);
        relay->Step(Seconds(1), input::Published{MakeEvent(1, 0)}, output);
        auto again = MakeRelay(protocol, PUBLISHER | SUBSCRIBER, relay->GetMemory().value());
        Output recalled;
        again->Step(Seconds(2), input::Recalled{MakeEvent(1, 0), Seconds(1)}, recalled);
        test.Expect(again->CountHeld() == 1 && recalled.kept.size() == 1, protocol);
        again->Step(Seconds(3), input::Recalled{MakeEvent(1, 0), Seconds(1)}, recalled);
        test.Expect(again->CountHeld() == 1 && recalled.kept.size() == 1, "once");
    }
}

constexpr uint8_t NO_RELAYS = 1; //!< a kind of frames
constexpr uint8_t MPL_DATA = 72;

Bytes
MakeFrame(NodeId source, uint8_t kind, const Bytes& body)
{
    ByteWriter header;
    WriteHeader(header, {source, NO_NODE, kind, 7, 0});
    auto frame = header.Take();
    frame.insert(frame.end(), body.begin(), body.end());
    return frame;
}

/// What others send would read as a summary that lacks everything, or as events.
void
RelaysTakeTheirOwnFramesAlone(FunctionCase& test)
{
    auto mpl = MakeRelay("mpl", BROKER | PUBLISHER);
    Output output;
    mpl->Step(Seconds(0), input::Started(), output);
    mpl->Step(Seconds(1), input::Published{MakeEvent(1, 0)}, output);
    const auto timer = mpl->NextTimer();
    mpl->Step(Seconds(1), input::Heard{MakeFrame(9, NO_RELAYS, {1, 0}), -60}, output);
    test.Expect(mpl->NextTimer() == timer, "nobody lacks anything");

    auto epidemic = MakeRelay("epidemic", BROKER);
    epidemic->Step(Seconds(0), input::Started(), output);
    ByteWriter events;
    events.Put(uint8_t{1});
    WriteEvent(events, *MakeEvent(5, 0));
    events.Put(uint8_t{0});
    epidemic->Step(Seconds(1), input::Heard{MakeFrame(9, NO_RELAYS, events.Take()), -60}, output);
    test.Expect(epidemic->CountHeld() == 0, "nobody has sent events");
}

void
RelaysHearOthersAlone(FunctionCase& test)
{
    ByteWriter body;
    WriteEvent(body, *MakeEvent(5, 0));
    body.Put(uint8_t{0});
    const auto event = body.Take();
    for (const NodeId source : {5, 1, +NO_NODE})
    {
        auto relay = MakeRelay("mpl", BROKER);
        Output output;
        relay->Step(Seconds(0), input::Started(), output);
        relay->Step(Seconds(1), input::Heard{MakeFrame(source, MPL_DATA, event), -60}, output);
        test.Expect(relay->CountHeld() == (source == 5 ? 1 : 0), std::to_string(source));
    }
}

class MeshStationSuite : public ns3::TestSuite
{
  public:
    MeshStationSuite()
        : TestSuite("mftpubsub-mesh-station", Type::UNIT)
    {
        Add("Stations number their frames", StationsNumberTheirFrames);
        Add("Events go from station to station", EventsGoFromStationToStation);
        Add("Echoes are not heard twice", EchoesAreNotHeardTwice);
        Add("Nonsense is not heard", NonsenseIsNotHeard);
        Add("Roles on one device hear each other", RolesOnOneDeviceHearEachOther);
        Add("What is recalled is published again", WhatIsRecalledIsPublishedAgain);
        Add("What a life had is recalled", WhatALifeHadIsRecalled);
        Add("A relay recalls what its subscriber has seen", ARelayRecallsWhatItsSubscriberHasSeen);
        Add("Relays take their own frames alone", RelaysTakeTheirOwnFramesAlone);
        Add("Relays hear others alone", RelaysHearOthersAlone);
        Add("Limits that stop a station are refused", LimitsThatStopAStationAreRefused);
        Add("Only subscribers remember", OnlySubscribersRemember);
        Add("Stations are described", StationsAreDescribed);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

MeshStationSuite g_meshStation;

} // namespace

} // namespace mftpubsub::mesh::mesh_station_test
