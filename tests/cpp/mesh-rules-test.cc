/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Rules of the mesh that only matter now and then: what is forgotten, what is not heard twice, what
 * does not fit.
 */
#include "content/content-codec.h"
#include "function-case.h"
#include "mesh-machines.h"
#include "protocols/mesh/epidemic.h"
#include "protocols/mesh/mesh-station.h"
#include "protocols/mesh/mpl.h"
#include "protocols/mesh/trickle.h"

#include "ns3/test.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::mesh::mesh_rules_test
{

namespace
{

constexpr NodeId SELF = 9;

/// Who is not heard for three of the longest intervals has gone.
void
NeighboursAreForgotten(FunctionCase& test)
{
    const auto context = MakeContext(SELF, BROKER);
    Broker broker(context, {});
    broker.Start(Seconds(0));
    Output output;
    const auto alone = broker.CountRemembered();
    for (NodeId other = 20; other < 30; ++other)
    {
        const auto at = Seconds(other == 29 ? 20 : 1);
        broker.Receive(at, MakeHeartbeat(other, 0, {}), 1, output);
    }
    Listen(broker, Turn::HEARTBEATS, Seconds(24));
    test.Expect(broker.CountRemembered() == alone + 10, "all may be there yet");
    Listen(broker, Turn::HEARTBEATS, Seconds(40));
    test.Expect(broker.CountRemembered() == alone + 1, "one was heard lately");
    Listen(broker, Turn::HEARTBEATS, Seconds(60));
    test.Expect(broker.CountRemembered() == alone, "nobody was");
}

void
WhoHasRestartedIsANeighbourOnceItTellsItsState(FunctionCase& test)
{
    const auto context = MakeContext(SELF, BROKER);
    Broker broker(context, {});
    broker.Start(Seconds(0));
    Output output;
    const auto alone = broker.CountRemembered();
    broker.Receive(Seconds(1), MakeHeartbeat(20, 0, {}), 1, output);
    for (const uint32_t life : {1, 2})
    {
        broker.Receive(Seconds(2), {{20, NO_NODE, Sub::KIND, life, 1}, mesh::Sub{}}, 1, output);
        test.Expect(broker.CountRemembered() == alone + (life == 1), "what it had is not known");
    }
}

/// A frame of a publisher with its event.
struct Copy
{
    uint8_t number{0}; //!< of the frame
    Instant at{0};
    uint32_t life{1}; //!< of the publisher
};

/// @return how many of @p copies a subscriber hears
size_t
CountHeard(const std::vector<Copy>& copies)
{
    MeshStation station(SELF, SUBSCRIBER, {}, [] { return 0.5; }, {}, {});
    Output output;
    station.Step(Seconds(0), input::Started(), output);
    station.Step(Seconds(0), input::Subscribed{Filter::Parse("topic = 'a'")}, output);
    const Pub pub{{}, {}, {{MakeEvent({5, 0}, "a"), 1, {}}}};
    for (const auto& [number, at, life] : copies)
    {
        const auto frame = Encode({{5, NO_NODE, Pub::KIND, life, number}, pub});
        station.Step(at, input::Heard{frame, -60}, output);
    }
    return output.deliveries.size();
}

/// A byte counts the sender's frames, and is compared only within the time that it lasts for.
void
AnEchoIsNotHeard(FunctionCase& test)
{
    const auto echo = Options().limits.sender.echo;
    const auto now = Seconds(5);
    test.Expect(CountHeard({{7, now}, {8, now}}) == 2, "the next frame");
    test.Expect(CountHeard({{7, now}, {7, now}}) == 1, "the same");
    test.Expect(CountHeard({{7, now}, {6, now}}) == 1, "the one before");
    test.Expect(CountHeard({{255, now}, {0, now}}) == 2, "the next, beyond 255");
    test.Expect(CountHeard({{0, now}, {255, now}}) == 1, "the one before, below 0");
    test.Expect(CountHeard({{7, now}, {134, now}}) == 2, "127 on");
    test.Expect(CountHeard({{7, now}, {7, now, 2}}) == 2, "the same of another life");
    test.Expect(CountHeard({{7, now}, {7, now + echo - Instant(1)}}) == 1, "the same, in time");
    test.Expect(CountHeard({{7, now}, {7, now + echo}}) == 2, "256 later, perhaps");
    test.Expect(CountHeard({{7, now}, {9, now}, {8, now}, {10, now}}) == 3, "the newest counts");
}

/// @return whether a table whose frames have @p room more bytes than a word takes has it
bool
TakesWord(int room)
{
    const Word word{5, 1, {{Filter::Parse("topic = 'a'"), UINT32_MAX}}};
    const auto bytes = Encode({{SELF, NO_NODE, Sub::KIND, 1, 0}, Sub{{word}}}).size();
    Options options;
    options.maxFrameBytes = bytes + static_cast<size_t>(room);
    const auto context = MakeContext(SELF, BROKER, options);
    WordTable table(context);
    table.Hear(Seconds(1), {5, 1, {{word.filters.front().filter, 0}}}, 5); // it will be older
    return table.Count() == 1;
}

void
WordsThatNoFrameCarriesAreNotTaken(FunctionCase& test)
{
    test.Expect(TakesWord(0), "just as large as a frame");
    test.Expect(!TakesWord(-1), "a byte more");
    Options options;
    options.maxFrameBytes = MIN_FRAME_BYTES;
    const auto context = MakeContext(SELF, BROKER, options);
    Broker broker(context, {});
    const Word word{5, 1, {{Filter::Parse("topic = '" + std::string(100, 'a') + "'"), 0}}};
    Output output;
    broker.Receive(Seconds(1), {{5, NO_NODE, Sub::KIND, 1, 0}, Sub{{word}}}, 1, output);
    test.Expect(broker.GetWords().Count() == 0, "far more, at a broker");
}

/// A BSUB names as many words as its frame has room for, and the next one begins where it ends.
void
StampsFillAFrame(FunctionCase& test)
{
    constexpr size_t STAMP_BYTES = 3;
    for (size_t most = 60; most < 60 + STAMP_BYTES; ++most)
    {
        Options options;
        options.maxFrameBytes = most;
        const auto context = MakeContext(SELF, BROKER, options);
        WordTable table(context);
        for (NodeId subscriber = 20; subscriber < 40; ++subscriber)
        {
            table.Hear(Seconds(0), {subscriber, 200, {}}, subscriber); // a timestamp of 2 B
        }
        test.Expect(std::holds_alternative<BsubHashes>(table.BuildBsub(Seconds(0))->body),
                    "too many");
        table.HearBsub(Seconds(1), NEIGHBOUR, BsubHashes{}); // of somebody who has no words
        const auto bsub = std::get<Bsub>(table.BuildBsub(Seconds(0))->body);
        const auto bytes = Encode({{SELF, NO_NODE, Bsub::KIND, 1, 0}, bsub}).size();
        test.Expect(bytes <= most && bytes + STAMP_BYTES > most, "not one more would fit");
        const auto next = std::get<Bsub>(table.BuildBsub(Seconds(0))->body);
        test.Expect(bsub.first == 0 && next.first == bsub.last + 1, "it speaks for those up to it");
        test.Expect(next.first == bsub.stamps.back().subscriber + 1, "and none is left out");
    }
}

/// Subscribers that hear the same wait for different times, so that their words do not collide.
void
AWordWaits(FunctionCase& test)
{
    const auto context = MakeContext(9, SUBSCRIBER);
    Subscriber subscriber(context, {}, false);
    const auto filter = Filter::Parse("topic = 'a'");
    const auto drawn = Times(context.options.limits.word.first, context.uniform());
    subscriber.Subscribe(Seconds(5), filter);
    test.Expect(subscriber.Due(Turn::OWN_WORD) == Seconds(5) + drawn, "of a filter more");
    subscriber.Unsubscribe(Seconds(8), filter);
    test.Expect(subscriber.Due(Turn::OWN_WORD) == Seconds(8) + drawn, "of a filter less");
}

/// @return whether a broker whose frames have @p room more bytes than an event takes has it
bool
TakesEvent(int room)
{
    const CarriedEvent carried{MakeEvent({5, 0}, "a"), 1, {}};
    const Pub pub{{}, {}, {carried}};
    Options options;
    options.maxFrameBytes = EVENTS_BYTES + CountBytes(carried) + static_cast<size_t>(room);
    const auto context = MakeContext(SELF, BROKER, options);
    Broker broker(context, {});
    Output output;
    broker.Receive(Seconds(1), {{5, NO_NODE, Pub::KIND, 1, 0}, pub}, 1, output);
    return broker.Holds({5, 0});
}

void
EventsThatNoFrameCarriesAreNotTaken(FunctionCase& test)
{
    test.Expect(TakesEvent(0), "just as large as a frame");
    test.Expect(!TakesEvent(-1), "a byte more");
}

/// Its broker says what it has, and of nothing whether somebody wants it.
bool
AsksFor(bool isTrusted)
{
    const auto context = MakeContext(SELF, SUBSCRIBER);
    Subscriber subscriber(context, {}, false);
    subscriber.Subscribe(Seconds(0), Filter::Parse("topic = 'a'"));
    Output output;
    if (isTrusted) // by an answer that was worked out with its word
    {
        const Rep answer{{}, Cover{1, {}}, {}};
        subscriber.Receive(Seconds(1), {{1, SELF, Rep::KIND, 1, 0}, answer}, output);
    }
    Summary settled;
    for (uint32_t sequence = 0; sequence < 200; sequence += 2)
    {
        settled.Add({4, sequence});
    }
    auto from = SummaryPart::BEGIN;
    const SummaryPart cut(settled, 60, from);
    subscriber.Receive(Seconds(2), MakeHeartbeat(1, 7, MakeSummary(5, {0, 10}), cut), output);
    return !Listen(subscriber, Turn::NACKS, Seconds(10)).empty();
}

void
WhoDoesNotKnowItsWordIsAskedForAll(FunctionCase& test)
{
    test.Expect(AsksFor(false), "whatever it says of others' wishes");
    test.Expect(!AsksFor(true), "who knows it may have settled what it does not speak of");
}

/// So many intervals without news, and Trickle stops; news begin the count anew.
void
TrickleStopsAfterItsExpirations(FunctionCase& test)
{
    Trickle trickle({Seconds(1), Seconds(1), 1, 3}, [] { return 0.0; });
    test.Expect(trickle.Due() == NEVER, "not begun");
    trickle.Reset(Seconds(0));
    const auto count = [&trickle] {
        int intervals = 0;
        for (; trickle.Due() != NEVER; ++intervals)
        {
            trickle.Expire(trickle.Due());
            trickle.Expire(trickle.Due());
        }
        return intervals;
    };
    const auto pass = [&trickle] {
        trickle.Expire(trickle.Due());
        trickle.Expire(trickle.Due());
    };
    test.Expect(count() == 3, "three intervals");
    trickle.Inconsistent(Seconds(10));
    pass();
    trickle.Inconsistent(trickle.Due());
    test.Expect(count() == 3, "the interval is the shortest: only the count begins anew");
    trickle.Reset(Seconds(20));
    pass();
    pass();
    trickle.Reset(Seconds(30));
    test.Expect(count() == 3, "all begins anew");
}

/// The MAC takes one frame at a time, and may drop it.
void
AfterADroppedFrameTheNextIsSent(FunctionCase& test)
{
    const auto uniform = [] { return 0.5; };
    Mpl mpl(5, PUBLISHER, {}, {}, uniform);
    Epidemic epidemic(5, PUBLISHER, {}, Seconds(1), uniform);
    MeshStation mesh(5, PUBLISHER, {}, uniform, {}, {});
    for (Station* station : std::initializer_list<Station*>{&mpl, &epidemic, &mesh})
    {
        Output output;
        station->Step(Seconds(0), input::Started(), output);
        const auto event = MakeEvent({5, 0}, "a");
        station->Step(Seconds(1), input::Published{event}, output);
        for (auto now = Seconds(1); !output.frame && now < Seconds(5); now += Seconds(0.01))
        {
            station->Step(now, input::Expired(), output);
        }
        test.Expect(output.frame.has_value(), "it sends");
        test.Expect(!station->NextTimer(), "and waits for the MAC");
        Output next;
        station->Step(Seconds(6), input::Dropped(), next);
        test.Expect(next.frame || station->NextTimer(), "it goes on");
    }
}

/// What a relay has sent, by the names of frames; each is on the air at once.
class Relay
{
  public:
    explicit Relay(Station& station)
        : m_station(station)
    {
    }

    void Step(Instant now, const Station::Input& input)
    {
        Output output;
        m_station.Step(now, input, output);
        while (output.frame)
        {
            sent[output.frame->name] = output.frame->bytes;
            output.frame.reset();
            m_station.Step(now, input::Transmitted{Seconds(0.001)}, output);
        }
    }

    void Run(Instant from, Instant to)
    {
        for (auto now = from; now < to; now += Seconds(0.01))
        {
            Step(now, input::Expired());
        }
    }

    std::map<std::string, Bytes> sent; //!< the latest of each name

  private:
    Station& m_station;
};

void
WhoLacksAMessageResetsTheTimersOfMpl(FunctionCase& test)
{
    const auto uniform = [] { return 0.5; };
    Mpl mpl(5, PUBLISHER, {}, {}, uniform);
    Relay relay(mpl);
    relay.Step(Seconds(0), input::Started());
    relay.Step(Seconds(1), input::Published{MakeEvent({5, 0}, "a")});
    relay.Run(Seconds(1), Seconds(30));
    relay.sent.clear();
    ByteWriter control;
    constexpr uint8_t CONTROL_KIND = 73;
    WriteHeader(control, {6, NO_NODE, CONTROL_KIND, 1, 0});
    SummaryPart().Write(control);
    const auto bytes = control.Take();
    relay.Step(Seconds(30), input::Heard{bytes, -60});
    relay.Run(Seconds(30), Seconds(30.2));
    test.Expect(relay.sent.contains("DATA"), "of the message");
    test.Expect(relay.sent.contains("CONTROL"), "and of control messages");
}

/// @return whether a node of MPL passes on a message, of another or, if it @p is, its own, unasked
bool
PassesOn(bool isProactive, bool isOwn)
{
    MplOptions options;
    options.isProactive = isProactive;
    Mpl mpl(5, BROKER | PUBLISHER, {}, options, [] { return 0.5; });
    Relay relay(mpl);
    relay.Step(Seconds(0), input::Started());
    const auto event = MakeEvent({isOwn ? NodeId{5} : NodeId{6}, 0}, "a");
    if (isOwn)
    {
        relay.Step(Seconds(1), input::Published{event});
    }
    else
    {
        constexpr uint8_t DATA_KIND = 72;
        ByteWriter data;
        WriteHeader(data, {6, NO_NODE, DATA_KIND, 1, 0});
        WriteEvent(data, *event);
        data.Put(uint8_t{1});
        const auto bytes = data.Take();
        relay.Step(Seconds(1), input::Heard{bytes, -60});
    }
    relay.Run(Seconds(1), Seconds(3));
    return relay.sent.contains("DATA");
}

void
MplThatIsNotProactivePassesOnWhatIsLacked(FunctionCase& test)
{
    test.Expect(PassesOn(true, true) && PassesOn(true, false), "all, if it is");
    test.Expect(PassesOn(false, true) && !PassesOn(false, false), "unasked only its own");
}

void
ASubscriberOfEpidemicRoutingRemembersWhatItHas(FunctionCase& test)
{
    const auto uniform = [] { return 0.5; };
    Epidemic publisher(5, PUBLISHER, {}, Seconds(1), uniform);
    Relay relay(publisher);
    relay.Step(Seconds(0), input::Started());
    relay.Step(Seconds(0.1), input::Published{MakeEvent({5, 0}, "a")});
    relay.Run(Seconds(0.1), Seconds(3));
    SubscriberMemory all;
    all.done.Add({5, 0});
    for (const auto& memory : {SubscriberMemory(), all})
    {
        Epidemic subscriber(7, SUBSCRIBER, {}, Seconds(1), uniform, memory);
        Relay asking(subscriber);
        asking.Step(Seconds(3), input::Started());
        asking.Step(Seconds(4), input::Heard{relay.sent.at("SUMMARY"), -60});
        asking.Run(Seconds(4), Seconds(5));
        test.Expect(asking.sent.contains("REQUEST") == memory.done.IsEmpty(), "what it lacks");
    }
}

/// One subscriber, and four brokers around.
void
AnEventForAFewIsForAllAfterThreeTries(FunctionCase& test)
{
    const auto context = MakeContext(1, BROKER);
    Broker broker(context, {});
    broker.Start(Seconds(0));
    Output output;
    const Word word{9, 1, {{Filter::Parse("topic = 'a'"), 0}}};
    broker.Receive(Seconds(0.1), {{9, NO_NODE, Sub::KIND, 1, 0}, Sub{{word}}}, 1, output);
    for (NodeId neighbour = 20; neighbour < 24; ++neighbour)
    {
        broker.Receive(Seconds(0.2), MakeHeartbeat(neighbour, 0, {}), 1, output);
    }
    const Pub pub{{}, {}, {{MakeEvent({5, 0}, "a"), 1, {}}}};
    broker.Receive(Seconds(1), {{5, NO_NODE, Pub::KIND, 1, 0}, pub}, 1, output);
    std::vector<size_t> hints;
    for (const auto& outgoing : Listen(broker, Turn::FORWARDS, Seconds(15)))
    {
        hints.push_back(std::get<Pub>(outgoing.body).events.at(0).path.claims.size());
    }
    test.Expect(hints == std::vector<size_t>{1, 1, 1, 0}, "it names its subscriber three times");
}

/// @return when a subscriber, whose second word broker 1 has said, says it again: @p by a heartbeat
Instant
SaysWordAgain(const Frame& by, uint32_t heardTimestamp = 2)
{
    const auto context = MakeContext(SELF, SUBSCRIBER);
    Subscriber subscriber(context, {}, false);
    const auto first = Filter::Parse("topic = 'a'");
    subscriber.Subscribe(Seconds(0), first);
    subscriber.Subscribe(Seconds(0), Filter::Parse("topic = 'b'"));
    Output output;
    Listen(subscriber, Turn::OWN_WORD, Seconds(20)); // as often as it does
    const Sub sub{{{SELF, heardTimestamp, {{first, 0}}}}};
    subscriber.Receive(Seconds(30), {{1, NO_NODE, Sub::KIND, 1, 0}, sub}, output);
    subscriber.Receive(Seconds(30), MakeHeartbeat(1, 7, {}), output);
    subscriber.Receive(Seconds(31), by, output);
    return subscriber.Due(Turn::OWN_WORD);
}

void
ASubscriberSaysItsWordAgainToWhoLacksIt(FunctionCase& test)
{
    auto restarted = MakeHeartbeat(1, 0, {});
    restarted.header.life = 2;
    test.Expect(SaysWordAgain(restarted) < NEVER, "a broker that has restarted has no words");
    test.Expect(SaysWordAgain(MakeHeartbeat(1, 7, {})) == NEVER, "the same broker has it");
    test.Expect(SaysWordAgain(MakeHeartbeat(1, 7, {}), 1) < NEVER,
                "who says an older one lacks it");
}

void
WhatABrokerHasGivenUpIsNotAskedFor(FunctionCase& test)
{
    const auto context = MakeContext(SELF, SUBSCRIBER);
    Subscriber subscriber(context, {}, false);
    subscriber.Subscribe(Seconds(0), Filter::Parse("topic = 'a'"));
    Output output;
    subscriber.Receive(Seconds(1), MakeHeartbeat(1, 7, MakeSummary(5, {0, 10})), output);
    subscriber.Receive(Seconds(1), MakeHeartbeat(1, 7, {}), output);
    test.Expect(Listen(subscriber, Turn::NACKS, Seconds(20)).empty(), "it has nothing");
}

/// Brokers forget nothing. What their STATEs have no room to settle, a subscriber settles itself.
void
WhatIsNotSaidToBeSettledIsAcknowledged(FunctionCase& test)
{
    for (const auto isCut : {false, true})
    {
        const auto context = MakeContext(SELF, SUBSCRIBER);
        Subscriber subscriber(context, {}, false);
        subscriber.Subscribe(Seconds(0), Filter::Parse("topic = 'a'"));
        Output output;
        Summary settled;
        for (uint32_t sequence = 0; sequence < 200; sequence += 2)
        {
            settled.Add({4, sequence});
        }
        auto from = SummaryPart::BEGIN;
        const SummaryPart part(settled, isCut ? 60 : 600, from);
        subscriber.Receive(Seconds(1), MakeHeartbeat(1, 7, {}, part), output);
        const Pub pub{{}, {}, {{MakeEvent({5, 0}, "a"), 1, {}}}};
        subscriber.Receive(Seconds(2), {{5, NO_NODE, Pub::KIND, 1, 0}, pub}, output);
        const auto said = Listen(subscriber, Turn::NACKS, Seconds(200));
        const auto isHello = [](const Outgoing& outgoing) {
            return std::holds_alternative<Hello>(outgoing.body);
        };
        test.Expect(std::ranges::any_of(said, isHello) == isCut, "a HELLO");
        subscriber.Receive(Seconds(201), {{1, NO_NODE, Pub::KIND, 1, 0}, pub}, output);
        test.Expect(output.deliveries.size() == 2 && output.deliveries[0].content &&
                        !output.deliveries[1].content,
                    "an application gets it once");
    }
}

/// No neighbour that lacks it takes it out of its turn.
void
WhatIsPublishedWaitsForItsTurn(FunctionCase& test)
{
    auto context = MakeContext(SELF, BROKER | PUBLISHER);
    context.options.isScoped = false;
    context.load = [] { return 5.0; };
    context.heard = [](Instant) { return size_t{1000}; };
    Broker broker(context, {});
    Output output;
    broker.Start(Seconds(0));
    broker.Publish(Seconds(1), MakeEvent({SELF, 0}, "a"), output);
    broker.Publish(Seconds(1), MakeEvent({SELF, 1}, "a"), output);
    broker.Receive(Seconds(6), MakeHeartbeat(1, 0, {}), 1, output);
    test.Expect(broker.Due(Turn::REPAIRS) == NEVER, "nobody can have it yet");
    Listen(broker, Turn::FORWARDS, Seconds(9));
    broker.Receive(Seconds(200), MakeHeartbeat(1, 0, {}), 1, output);
    test.Expect(broker.Due(Turn::REPAIRS) < NEVER, "but then");
}

/// It knows of many that events are for some, and its event goes in frames that get no smaller.
void
WhatIsRepeatedInVainFitsIntoAFrame(FunctionCase& test)
{
    Options options;
    options.maxFrameBytes = 200;
    const auto context = MakeContext(5, PUBLISHER, options);
    Publisher publisher(context, {});
    for (NodeId subscriber = 20; subscriber < 60; ++subscriber)
    {
        const Claim claim{MakeHint(subscriber, 1), 0};
        const Pub pub{{}, {}, {{MakeEvent({6, subscriber}, "b"), 1, {0, {claim}, {}}}}};
        publisher.Receive(Seconds(1), {{1, NO_NODE, Pub::KIND, 1, 0}, pub}, 1);
    }
    const Event large{{5, 0}, {}, 160};
    publisher.Publish(Seconds(1), std::make_shared<const Event>(large));
    size_t distances = 0;
    for (auto now = Seconds(2); now < Seconds(40); now += Seconds(2))
    {
        publisher.Receive(now, MakeHeartbeat(1, 0, Summary()), 1); // a broker lacks it
        for (const auto& outgoing : Listen(publisher, Turn::OWN_EVENTS, now + Seconds(1.9)))
        {
            distances += std::get<Pub>(outgoing.body).distances.size();
            test.Expect(Encode({{}, outgoing.body}).size() <= options.maxFrameBytes, "it fits");
        }
    }
    test.Expect(distances > 0, "distances fill the frame");
}

/// A broker that holds an event of publisher 5 for subscriber 8, who may ask for it.
class Asked
{
  public:
    Asked()
    {
        m_broker.Start(Seconds(0));
        HearWord(1, "topic = 'a'");
        HearEvent(0);
    }

    void HearWord(uint32_t timestamp, const std::string& filter)
    {
        Hear(Seconds(0), 8, Sub{{{8, timestamp, {{Filter::Parse(filter), 0}}}}});
    }

    void HearEvent(uint32_t sequence)
    {
        Hear(Seconds(1), 5, Pub{{}, {}, {{MakeEvent({5, sequence}, "a"), 1, {}}}});
    }

    /// @return events in answers to a question whose word is so old
    size_t CountAnswered(uint32_t ageMilliseconds)
    {
        Hear(Seconds(60), 8, Nack{1, ageMilliseconds, {}});
        size_t events = 0;
        for (const auto& outgoing : Listen(m_broker, Turn::ANSWERS, Seconds(61)))
        {
            events += std::get<Rep>(outgoing.body).events.size();
        }
        return events;
    }

    bool IsSettled(uint32_t sequence) const
    {
        return m_broker.IsSettled({5, sequence});
    }

  private:
    void Hear(Instant now, NodeId from, Body body)
    {
        m_broker.Receive(now, {{from, SELF, Nack::KIND, 1, 0}, std::move(body)}, 1, m_output);
    }

    Context m_context{MakeContext(SELF, BROKER)};
    Broker m_broker{m_context, {}};
    Output m_output;
};

void
WhatCameBeforeAWordIsNoAnswer(FunctionCase& test)
{
    Asked asked;
    test.Expect(asked.CountAnswered(30000) == 0, "it came before");
    test.Expect(asked.CountAnswered(60000) == 1, "it came after");
}

void
WhatNobodyWantsAnyMoreIsSettled(FunctionCase& test)
{
    Asked asked;
    test.Expect(!asked.IsSettled(0), "somebody wants it");
    asked.HearWord(2, "topic = 'b'");
    test.Expect(asked.IsSettled(0), "nobody does");
    asked.HearEvent(1);
    test.Expect(asked.IsSettled(1), "nor what comes then");
}

/// It was let go of before, perhaps, and brokers may have forgotten it.
void
WhatIsRecalledIsLetGoOfWhereItIsKnown(FunctionCase& test)
{
    for (const auto isRecalled : {false, true})
    {
        const auto context = MakeContext(5, PUBLISHER);
        Publisher publisher(context, {});
        const auto event = MakeEvent({5, 0}, "a");
        isRecalled ? publisher.Recall(event, Seconds(0)) : publisher.Publish(Seconds(0), event);
        const auto has = MakeSummary(5, {0, 1});
        publisher.Receive(Seconds(9), MakeHeartbeat(1, 0, has, MakePart(has)), 1);
        test.Expect((publisher.CountHeld() == 0) == isRecalled, "it is settled, or not held");
    }
}

/// A broker with the word of subscriber 8, and a queue policy that holds one event.
class FullBroker
{
  public:
    explicit FullBroker(const Context& context)
        : broker(context, MakePolicies())
    {
        broker.Start(Seconds(0));
        const Word word{8, 1, {{Filter::Parse("topic = 'a'"), 0}}};
        broker.Receive(Seconds(0), {{8, NO_NODE, Sub::KIND, 1, 0}, Sub{{word}}}, 1, output);
    }

    Broker broker;
    Output output;

  private:
    static BrokerPolicies MakePolicies()
    {
        BrokerPolicies policies;
        policies.queue = std::make_shared<BoundedQueue>(1, false);
        policies.describe = [] { return NodeView(); };
        return policies;
    }
};

void
WhatABrokerGivesUpIsToldAndGoesNoMore(FunctionCase& test)
{
    auto context = MakeContext(SELF, BROKER | PUBLISHER);
    context.load = [] { return 5.0; };
    context.heard = [](Instant) { return size_t{1000}; }; // its events wait
    FullBroker full(context);
    full.broker.Publish(Seconds(1), MakeEvent({SELF, 0}, "a"), full.output);
    test.Expect(full.output.drops.empty(), "there is room");
    full.broker.Publish(Seconds(1), MakeEvent({SELF, 1}, "a"), full.output);
    const auto& drops = full.output.drops;
    test.Expect(drops.size() == 1 && drops[0].event == EventId{SELF, 0} && drops[0].subscriber == 8,
                "the older one is lost to whom it was for");
    const auto said = Listen(full.broker, Turn::FORWARDS, Seconds(9));
    test.Expect(said.size() == 1 && std::get<Pub>(said[0].body).events.size() == 1,
                "the other one goes");
}

/// Others' words are not known here: what is settled for them may be wanted.
void
OnlyWhoHasTheSameWordsSettlesAnEvent(FunctionCase& test)
{
    for (const uint32_t other : {0, 1})
    {
        const auto context = MakeContext(SELF, BROKER);
        Broker broker(context, {});
        broker.Start(Seconds(0));
        Output output;
        const Word word{8, 1, {{Filter::Parse("topic = 'a'"), 0}}};
        broker.Receive(Seconds(0), {{8, NO_NODE, Sub::KIND, 1, 0}, Sub{{word}}}, 1, output);
        const Pub pub{{}, {}, {{MakeEvent({5, 0}, "a"), 1, {}}}};
        broker.Receive(Seconds(1), {{5, NO_NODE, Pub::KIND, 1, 0}, pub}, 1, output);
        const auto hash = broker.GetWords().GetHash() + other;
        const auto has = MakeSummary(5, {0, 2});
        broker.Receive(Seconds(1), MakeHeartbeat(1, hash, has, MakePart(has)), 1, output);
        test.Expect(broker.IsSettled({5, 0}) == (other == 0), "what it holds");
        test.Expect(broker.GetHas().Has({5, 1}) == (other == 0), "what it need not get");
    }
}

/// Others have settled what a broker never had: its publisher would repeat it for ever.
void
WhatIsSettledIsTakenWhereItsPublisherAsks(FunctionCase& test)
{
    const auto context = MakeContext(SELF, BROKER);
    Broker broker(context, {});
    broker.Start(Seconds(0));
    Output output;
    const auto has = MakeSummary(5, {0, 1});
    broker.Receive(Seconds(1), MakeHeartbeat(1, 0, has, MakePart(has)), 1, output);
    for (const NodeId from : {1, 5})
    {
        const Pub pub{{}, {}, {{MakeEvent({5, 0}, "a"), 1, {}}}};
        broker.Receive(Seconds(2), {{from, NO_NODE, Pub::KIND, 1, 0}, pub}, 1, output);
        test.Expect(broker.Holds({5, 0}) == (from == 5), "by " + std::to_string(from));
    }
}

void
WhatSubscribersHaveIsForgottenWithThem(FunctionCase& test)
{
    const auto context = MakeContext(SELF, BROKER);
    Broker broker(context, {});
    broker.Start(Seconds(0));
    Output output;
    const Word word{8, 1, {{Filter::Parse("topic = 'a'"), 0}}};
    broker.Receive(Seconds(0), {{8, NO_NODE, Sub::KIND, 1, 0}, Sub{{word}}}, 1, output);
    const auto before = broker.CountRemembered();
    broker.Receive(Seconds(1), {{8, NO_NODE, Hello::KIND, 1, 0}, Hello{1, {}}}, 1, output);
    test.Expect(broker.CountRemembered() == before + 1, "it was here");
    Listen(broker, Turn::HEARTBEATS, Seconds(60));
    test.Expect(broker.CountRemembered() == before, "and has gone");
}

class MeshRulesSuite : public ns3::TestSuite
{
  public:
    MeshRulesSuite()
        : TestSuite("mftpubsub-mesh-rules", Type::UNIT)
    {
        Add("Neighbours are forgotten", NeighboursAreForgotten);
        Add("Who has restarted is a neighbour once it tells its state",
            WhoHasRestartedIsANeighbourOnceItTellsItsState);
        Add("An echo is not heard", AnEchoIsNotHeard);
        Add("Words that no frame carries are not taken", WordsThatNoFrameCarriesAreNotTaken);
        Add("Stamps fill a frame", StampsFillAFrame);
        Add("A word waits", AWordWaits);
        Add("Events that no frame carries are not taken", EventsThatNoFrameCarriesAreNotTaken);
        Add("Trickle stops after its expirations", TrickleStopsAfterItsExpirations);
        Add("After a dropped frame the next is sent", AfterADroppedFrameTheNextIsSent);
        Add("Who lacks a message resets the timers of MPL", WhoLacksAMessageResetsTheTimersOfMpl);
        Add("MPL that is not proactive passes on what is lacked",
            MplThatIsNotProactivePassesOnWhatIsLacked);
        Add("A subscriber of epidemic routing remembers what it has",
            ASubscriberOfEpidemicRoutingRemembersWhatItHas);
        Add("An event for a few is for all after three tries",
            AnEventForAFewIsForAllAfterThreeTries);
        Add("Who does not know its word is asked for all", WhoDoesNotKnowItsWordIsAskedForAll);
        Add("A subscriber says its word again to who lacks it",
            ASubscriberSaysItsWordAgainToWhoLacksIt);
        Add("What a broker has given up is not asked for", WhatABrokerHasGivenUpIsNotAskedFor);
        Add("What is not said to be settled is acknowledged",
            WhatIsNotSaidToBeSettledIsAcknowledged);
        Add("What is published waits for its turn", WhatIsPublishedWaitsForItsTurn);
        Add("What is repeated in vain fits into a frame", WhatIsRepeatedInVainFitsIntoAFrame);
        Add("What came before a word is no answer", WhatCameBeforeAWordIsNoAnswer);
        Add("What nobody wants any more is settled", WhatNobodyWantsAnyMoreIsSettled);
        Add("What is recalled is let go of where it is known",
            WhatIsRecalledIsLetGoOfWhereItIsKnown);
        Add("What a broker gives up is told and goes no more",
            WhatABrokerGivesUpIsToldAndGoesNoMore);
        Add("Only who has the same words settles an event", OnlyWhoHasTheSameWordsSettlesAnEvent);
        Add("What is settled is taken where its publisher asks",
            WhatIsSettledIsTakenWhereItsPublisherAsks);
        Add("What subscribers have is forgotten with them", WhatSubscribersHaveIsForgottenWithThem);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

MeshRulesSuite g_meshRules;

} // namespace

} // namespace mftpubsub::mesh::mesh_rules_test
