/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Machines of the mesh one at a time: what each says after what it hears.
 */
#include "function-case.h"
#include "mesh-machines.h"

#include "ns3/test.h"

#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::mesh::mesh_machines_test
{

namespace
{

/// Two brokers have what it lacks, and neither answers.
void
BrokersAreAskedInTurn(FunctionCase& test)
{
    const auto context = MakeContext(9, SUBSCRIBER);
    Subscriber subscriber(context, {}, false);
    subscriber.Subscribe(Seconds(0), Filter::Parse("topic = 'a'"));
    Output output;
    const auto has = MakeSummary(5, {0, 10});
    subscriber.Receive(Seconds(1), MakeHeartbeat(1, 7, has), output);
    subscriber.Receive(Seconds(1.1), MakeHeartbeat(2, 7, has), output);
    std::vector<NodeId> asked;
    for (const auto& nack : Listen(subscriber, Turn::NACKS, Seconds(20)))
    {
        asked.push_back(nack.destination);
    }
    test.Expect(asked == std::vector<NodeId>{1, 2, 2, 1, 2, 1},
                "the ripe one, then by turns, each thrice");
    subscriber.Receive(Seconds(21), MakeHeartbeat(1, 7, has), output);
    asked.clear();
    for (const auto& nack : Listen(subscriber, Turn::NACKS, Seconds(22)))
    {
        asked.push_back(nack.destination);
    }
    test.Expect(asked == std::vector<NodeId>{1}, "who is heard again is asked again");
}

/// An event that its broker has, and of which it does not say whether anybody wants it, may wait.
void
WhatIsNotToldToBeOwedIsNotAskedFor(FunctionCase& test)
{
    const auto context = MakeContext(9, SUBSCRIBER);
    Subscriber subscriber(context, {}, false);
    subscriber.Subscribe(Seconds(0), Filter::Parse("topic = 'a'"));
    Output output;
    const Rep answer{{}, Cover{1, MakePart(MakeSummary(5, {0, 1}))}, {}};
    subscriber.Receive(Seconds(1), {{1, 9, Rep::KIND, 1, 0}, answer}, output);
    Summary many; // of publisher 4, so that what follows is beyond the part
    for (uint32_t sequence = 0; sequence < 200; sequence += 2)
    {
        many.Add({4, sequence});
    }
    auto from = SummaryPart::BEGIN;
    const SummaryPart cut(many, 60, from);
    const auto has = MakeSummary(5, {0, 10});
    subscriber.Receive(Seconds(2), MakeHeartbeat(1, 7, has, cut), output);
    test.Expect(Listen(subscriber, Turn::NACKS, Seconds(10)).empty(), "it is not spoken of");
    from = EventId{5, 0};
    const SummaryPart rest(many, SummaryPart::MIN_BYTES, from);
    subscriber.Receive(Seconds(11), MakeHeartbeat(1, 7, has, rest), output);
    test.Expect(!Listen(subscriber, Turn::NACKS, Seconds(12)).empty(), "it is owed to somebody");
}

/// @return the STATEs of the heartbeats until @p until
std::vector<State>
ListenToHeartbeats(Broker& broker, Instant until)
{
    std::vector<State> states;
    for (const auto& outgoing : Listen(broker, Turn::HEARTBEATS, until))
    {
        states.push_back(std::get<Heartbeat>(outgoing.body).state);
    }
    return states;
}

/// Many publishers' events, of which every third is wanted: neither SUMMARY fits.
void
BothSummariesOfAStateBeginTogether(FunctionCase& test)
{
    Options options;
    options.maxFrameBytes = 150;
    const auto context = MakeContext(1, BROKER, options);
    Broker broker(context, {});
    broker.Start(Seconds(0));
    Output output;
    const Word word{9, 1, {{Filter::Parse("topic = 'a'"), 0}}};
    broker.Receive(Seconds(0.1), {{9, NO_NODE, Sub::KIND, 1, 0}, Sub{{word}}}, 1, output);
    for (NodeId publisher = 20; publisher < 60; ++publisher)
    {
        const Pub pub{{}, {}, {{MakeEvent({publisher, 5}, publisher % 3 ? "b" : "a"), 1, {}}}};
        broker.Receive(Seconds(0.2), {{publisher, NO_NODE, Pub::KIND, 1, 0}, pub}, 1, output);
    }
    Summary told;
    Summary toldSettled;
    for (const auto& state : ListenToHeartbeats(broker, Seconds(200)))
    {
        test.Expect(!state.has.IsWhole(), "it does not fit");
        test.Expect(state.settled.IsWhole() || state.settled.GetFrom() == state.has.GetFrom(),
                    "they begin together");
        told.Add(state.has.GetSummary());
        toldSettled.Add(state.settled.GetSummary());
    }
    test.Expect(told == broker.GetHas(), "all it has is told in turn");
    test.Expect(toldSettled.CountRuns() == 27, "and all that nobody wants");
}

/// An answer takes as many events as a frame may have, those that are wanted, and says which.
void
AnswersAreBounded(FunctionCase& test)
{
    Options options;
    options.limits.frame.events = 2;
    const auto context = MakeContext(1, BROKER, options);
    Broker broker(context, {});
    broker.Start(Seconds(0));
    Output output;
    const Word word{9, 1, {{Filter::Parse("topic = 'a'"), 0}}};
    broker.Receive(Seconds(0.1), {{9, NO_NODE, Sub::KIND, 1, 0}, Sub{{word}}}, 1, output);
    for (uint32_t sequence = 0; sequence < 6; ++sequence)
    {
        const Pub pub{{}, {}, {{MakeEvent({5, sequence}, sequence == 1 ? "b" : "a"), 1, {}}}};
        broker.Receive(Seconds(0.2), {{5, NO_NODE, Pub::KIND, 1, 0}, pub}, 1, output);
    }
    const auto ask = [&](uint32_t timestamp, const Summary& done) {
        const Nack nack{timestamp, 60000, MakePart(done)};
        broker.Receive(Seconds(1), {{9, 1, Nack::KIND, 1, 0}, nack}, 1, output);
        return Listen(broker, Turn::ANSWERS, Seconds(2));
    };
    test.Expect(ask(2, {}).empty(), "to another word than it has");
    const auto answers = ask(1, MakeSummary(5, {2, 4}));
    test.Expect(answers.size() == 1 && answers[0].destination == 9, "one");
    const auto& rep = std::get<Rep>(answers[0].body);
    test.Expect(rep.events.size() == 2, "two events");
    test.Expect(rep.events[0].event->id == mftpubsub::EventId{5, 0} && rep.events[0].hops == 2,
                "0");
    test.Expect(rep.events[1].event->id == mftpubsub::EventId{5, 4}, "the next that it lacks");
    const auto covered = rep.cover->events.GetSummary();
    test.Expect(covered.Has({5, 1}) && !covered.Has({5, 5}), "nobody wants 1, and 5 is to come");
    const auto rest = ask(1, MakeSummary(5, {0, 5}));
    test.Expect(std::get<Rep>(rest.at(0).body).events.size() == 1, "the rest");
}

/// Two subscribers ask before anybody is answered, one of them twice.
void
TheLatestQuestionOfEachIsAnswered(FunctionCase& test)
{
    const auto context = MakeContext(1, BROKER);
    Broker broker(context, {});
    broker.Start(Seconds(0));
    Output output;
    for (const NodeId subscriber : {8, 9})
    {
        const Word word{subscriber, 1, {{Filter::Parse("topic = 'a'"), 0}}};
        const Header from{subscriber, NO_NODE, Sub::KIND, 1, 0};
        broker.Receive(Seconds(0.1), {from, Sub{{word}}}, 1, output);
    }
    for (uint32_t sequence = 0; sequence < 2; ++sequence)
    {
        const Pub pub{{}, {}, {{MakeEvent({5, sequence}, "a"), 1, {}}}};
        broker.Receive(Seconds(0.2), {{5, NO_NODE, Pub::KIND, 1, 0}, pub}, 1, output);
    }
    const auto ask = [&](NodeId subscriber, const Summary& done) {
        const Nack nack{1, 60000, MakePart(done)};
        broker.Receive(Seconds(1), {{subscriber, 1, Nack::KIND, 1, 0}, nack}, 1, output);
    };
    ask(8, {});
    ask(9, {});
    ask(8, MakeSummary(5, {0, 1}));
    const auto answers = Listen(broker, Turn::ANSWERS, Seconds(2));
    test.Expect(answers.size() == 2, "one each");
    test.Expect(answers[0].destination == 9, "in their order");
    test.Expect(std::get<Rep>(answers[0].body).events.size() == 2, "all it lacks");
    test.Expect(answers[1].destination == 8, "the other");
    test.Expect(std::get<Rep>(answers[1].body).events.size() == 1, "what it lacks now");
}

/// A neighbour with the same words lacks what is told late in turn.
void
WhatANeighbourLacksIsToldFirst(FunctionCase& test)
{
    Options options;
    options.maxFrameBytes = 120;
    const auto context = MakeContext(1, BROKER, options);
    Broker broker(context, {});
    broker.Start(Seconds(0));
    Output output;
    Summary others;
    for (NodeId publisher = 20; publisher < 60; ++publisher)
    {
        const Pub pub{{}, {}, {{MakeEvent({publisher, 5}, "b"), 1, {}}}};
        broker.Receive(Seconds(0.2), {{publisher, NO_NODE, Pub::KIND, 1, 0}, pub}, 1, output);
        others.Add({publisher, 5});
    }
    ListenToHeartbeats(broker, Seconds(1));
    others.Remove({47, 5});
    broker.Receive(Seconds(1), MakeHeartbeat(2, 0, others), 1, output);
    const auto states = ListenToHeartbeats(broker, Seconds(10));
    test.Expect(!states.empty() && states[0].settled.GetSummary().Has({47, 5}), "what it lacks");
}

/// A publisher has not heard that a broker holds its event, and repeats it.
void
APublisherThatAsksIsAnswered(FunctionCase& test)
{
    const auto context = MakeContext(1, BROKER);
    Broker broker(context, {});
    broker.Start(Seconds(0));
    Output output;
    const Word word{9, 1, {{Filter::Parse("topic = 'a'"), 0}}};
    broker.Receive(Seconds(0.1), {{9, NO_NODE, Sub::KIND, 1, 0}, Sub{{word}}}, 1, output);
    const Pub pub{{}, {}, {{MakeEvent({5, 0}, "a"), 1, {}}}};
    for (int i = 0; i < 2; ++i)
    {
        broker.Receive(Seconds(0.2 + i), {{5, NO_NODE, Pub::KIND, 1, 0}, pub}, 1, output);
        Listen(broker, Turn::FORWARDS, Seconds(0.9 + i));
    }
    const auto states = ListenToHeartbeats(broker, Seconds(10));
    test.Expect(!states.empty() && states[0].answers == std::vector<EventId>{{5, 0}}, "by name");
}

/// What others have not told is not left out, whoever has spoken.
void
AHeartbeatWithNewsIsNotLeftOut(FunctionCase& test)
{
    for (const auto isToldByOthers : {true, false})
    {
        const auto context = MakeContext(1, BROKER);
        Broker broker(context, {});
        broker.Start(Seconds(0));
        Output output;
        const Pub pub{{}, {}, {{MakeEvent({5, 0}, "a"), 1, {}}}};
        broker.Receive(Seconds(0.2), {{5, NO_NODE, Pub::KIND, 1, 0}, pub}, 1, output);
        ListenToHeartbeats(broker, Seconds(30));
        const auto due = broker.Due(Turn::HEARTBEATS);
        const auto has = MakeSummary(5, {0, 1});
        for (NodeId other = 2; other < 5; ++other)
        {
            const auto settled = isToldByOthers ? MakePart(has) : SummaryPart();
            broker.Receive(due - Seconds(0.5), MakeHeartbeat(other, 0, has, settled), 1, output);
        }
        const auto isLeftOut = ListenToHeartbeats(broker, due).empty();
        test.Expect(isLeftOut == isToldByOthers, "only if they have told it");
        test.Expect(!ListenToHeartbeats(broker, due + Seconds(20)).empty(), "not twice in a row");
    }
}

/// A STATE that goes along with an event stands for a heartbeat, and none follows it for a while.
void
AStateGoesAlongNowAndThen(FunctionCase& test)
{
    Options options;
    options.limits.broker.statePause = Seconds(10);
    const auto context = MakeContext(1, BROKER, options);
    Broker broker(context, {});
    broker.Start(Seconds(0));
    const Word word{9, 1, {{Filter::Parse("topic = 'a'"), 0}}};
    Output output;
    broker.Receive(Seconds(0.1), {{9, NO_NODE, Sub::KIND, 1, 0}, Sub{{word}}}, 1, output);
    for (const auto& [second, hasState] : {std::pair{11, true}, {12, false}, {30, true}})
    {
        const EventId event{5, static_cast<uint32_t>(second)};
        const Pub pub{{}, {}, {{MakeEvent(event, "a"), 1, {}}}};
        broker.Receive(Seconds(second), {{5, NO_NODE, Pub::KIND, 1, 0}, pub}, 1, output);
        const auto said = Listen(broker, Turn::FORWARDS, Seconds(second + 0.9));
        test.Expect(said.size() == 1 && std::get<Pub>(said[0].body).state.has_value() == hasState,
                    "once in ten seconds");
    }
}

/// Above the channel's capacity nothing else bounds what waits at a publisher.
void
APublisherGivesUpWhatThePolicySays(FunctionCase& test)
{
    const auto context = MakeContext(5, PUBLISHER);
    const auto policy = std::make_shared<BoundedQueue>(3, false);
    Publisher publisher(context, {policy, [] { return NodeView(); }});
    for (uint32_t sequence = 0; sequence < 50; ++sequence)
    {
        publisher.Publish(Seconds(0.1 * sequence), MakeEvent({5, sequence}, "a"));
        test.Expect(publisher.CountHeld() <= 3, "no more than the policy holds");
    }
    const auto said = publisher.Build(Seconds(5), Turn::OWN_EVENTS);
    std::vector<uint32_t> sequences;
    for (const auto& carried : std::get<Pub>(said.value().body).events)
    {
        sequences.push_back(carried.event->id.sequence);
    }
    test.Expect(sequences == std::vector<uint32_t>{47, 48, 49}, "the newest");
}

/// It waits for a broker, and is as old as its event: also after a restart of the device.
void
APublishersEventExpires(FunctionCase& test)
{
    for (const auto isRecalled : {false, true})
    {
        const auto context = MakeContext(5, PUBLISHER);
        const auto policy = std::make_shared<ExpiringQueue>(10);
        Publisher publisher(context, {policy, [] { return NodeView(); }});
        const auto event = MakeEvent({5, 0}, "a");
        if (isRecalled)
        {
            publisher.Recall(event, Seconds(0));
        }
        else
        {
            publisher.Publish(Seconds(0), event);
        }
        const auto hearsHeartbeat = [&](double seconds) {
            publisher.Receive(Seconds(seconds), MakeHeartbeat(1, 0, Summary()), 1);
            return !Listen(publisher, Turn::OWN_EVENTS, Seconds(seconds + 0.5)).empty();
        };
        test.Expect(hearsHeartbeat(9), "it goes out when a broker lacks it");
        test.Expect(!hearsHeartbeat(15), "not when it has expired");
        test.Expect(publisher.CountHeld() == 0, "it is let go of");
    }
}

/// What a broker hears of subscribers and of publisher 5's event, which it keeps unless all have
/// it.
class Listener
{
  public:
    explicit Listener(const Options& options = {})
        : m_context(MakeContext(1, BROKER, options))
    {
        m_broker.Start(Seconds(0));
    }

    /// The word of the subscriber on this device.
    void Say(Instant now, const std::string& filter)
    {
        m_broker.Say(now, {1, 1, {{Filter::Parse(filter), 0}}});
    }

    void HearWord(Instant now, NodeId subscriber, const std::string& filter, uint32_t age = 0)
    {
        const Word word{subscriber, 1, {{Filter::Parse(filter), age}}};
        Hear(now, {{subscriber, NO_NODE, Sub::KIND, 1, 0}, Sub{{word}}});
    }

    void HearEvent(Instant now, uint32_t sequence = 0)
    {
        const Pub pub{{}, {}, {{MakeEvent({EVENT.publisher, sequence}, "a"), 1, {}}}};
        Hear(now, {{NEIGHBOUR, NO_NODE, Pub::KIND, 1, 0}, pub});
    }

    /// The device had the event in a former life.
    void Recall(Instant now)
    {
        m_broker.Recall(now, MakeEvent(EVENT, "a"), now - Seconds(60), m_output);
    }

    /// In one frame, so many ms old each.
    void HearWords(Instant now, const std::string& filter, const std::vector<uint32_t>& ages)
    {
        Sub sub;
        for (NodeId i = 0; i < ages.size(); ++i)
        {
            sub.words.push_back(
                {static_cast<NodeId>(8 + i), 1, {{Filter::Parse(filter), ages[i]}}});
        }
        Hear(now, {{NEIGHBOUR, NO_NODE, Sub::KIND, 1, 0}, sub});
    }

    /// A second word, which also wants other events of the last second.
    void HearWiderWord(Instant now, NodeId subscriber)
    {
        const Word word{
            subscriber,
            2,
            {{Filter::Parse("topic = 'a'"), 1000}, {Filter::Parse("topic <> 'b'"), 1000}}};
        Hear(now, {{subscriber, NO_NODE, Sub::KIND, 1, 0}, Sub{{word}}});
    }

    /// @p subscriber is done with the event and the next one, by its word of this @p timestamp.
    void HearHello(Instant now, NodeId subscriber, uint32_t timestamp = 1)
    {
        const Hello hello{timestamp, MakePart(MakeSummary(EVENT.publisher, {0, 2}))};
        Hear(now, {{subscriber, NO_NODE, Hello::KIND, 1, 0}, hello});
    }

    bool IsSettled() const
    {
        return m_broker.IsSettled(EVENT);
    }

    /// @return whether the broker holds the event after its heartbeats until @p until
    bool HoldsIt(Instant until)
    {
        Listen(m_broker, Turn::HEARTBEATS, until);
        return m_broker.Holds(EVENT);
    }

  private:
    static constexpr EventId EVENT{5, 0};

    void Hear(Instant now, const Frame& frame)
    {
        m_broker.Receive(now, frame, 1, m_output);
    }

    Context m_context;
    Broker m_broker{m_context, {}};
    Output m_output;
};

void
WhatASubscriberSaysAgainIsHeard(FunctionCase& test)
{
    Listener broker;
    broker.HearWord(Seconds(0.1), 9, "topic = 'a'");
    broker.HearEvent(Seconds(0.2), 1);
    broker.HearHello(Seconds(0.3), 9);
    broker.HearEvent(Seconds(1));
    test.Expect(!broker.IsSettled(), "the event has come since");
    broker.HearHello(Seconds(1.1), 9);
    test.Expect(broker.IsSettled(), "nobody lacks it");
    broker.HearWiderWord(Seconds(1.2), 9);
    test.Expect(!broker.IsSettled(), "it may want it by another filter");
    broker.HearHello(Seconds(1.3), 9, 2);
    test.Expect(broker.IsSettled(), "and has got it");
}

void
AnEventThatIsBroughtAgainIsDoneWithAgain(FunctionCase& test)
{
    Options options;
    options.forgetAfter = Seconds(0.5);
    Listener broker(options);
    broker.HearWord(Seconds(0.1), 9, "topic = 'a'");
    broker.HearEvent(Seconds(1));
    broker.HearHello(Seconds(1.1), 9);
    test.Expect(!broker.HoldsIt(Seconds(9)), "it is forgotten");
    broker.HearHello(Seconds(9), 9);
    broker.HearWord(Seconds(9.1), 8, "topic = 'a'", 8500);
    broker.HearEvent(Seconds(9.2));
    broker.HearHello(Seconds(9.3), 8);
    test.Expect(broker.HoldsIt(Seconds(9.3)) && !broker.IsSettled(), "who had it may lack it here");
    broker.HearHello(Seconds(9.4), 9);
    test.Expect(broker.IsSettled(), "and does not");
}

/// After a restart nobody's word is known, so that nobody seems to want the event.
void
WhatIsRecalledIsKeptUntilOthersAreHeard(FunctionCase& test)
{
    Options options;
    options.forgetAfter = Seconds(10);
    for (const auto* topic : {"a", "b"})
    {
        Listener broker(options);
        broker.Say(Seconds(0), "topic = 'c'");
        broker.Recall(Seconds(1));
        test.Expect(broker.HoldsIt(Seconds(100)), "it is alone");
        broker.HearWord(Seconds(101), 9, "topic = '" + std::string(topic) + "'", 200000);
        test.Expect(broker.HoldsIt(Seconds(110)), "who wants it may be further away");
        const auto isWanted = *topic == 'a';
        test.Expect(broker.HoldsIt(Seconds(130)) == isWanted, "it is as any other by now");
        test.Expect(broker.IsSettled() != isWanted, "for who wanted it before the restart");
    }
}

void
EachWordHasAnAge(FunctionCase& test)
{
    Listener broker;
    broker.HearEvent(Seconds(10));
    broker.HearWords(Seconds(20), "topic = 'a'", {0, 12000});
    test.Expect(!broker.IsSettled(), "the second subscriber has wanted it");
    broker.HearHello(Seconds(20.1), 9);
    test.Expect(broker.IsSettled(), "the first has not");
}

/// The answers of the first filters are remembered, and those of others are right as well.
void
ManyFiltersAreAsked(FunctionCase& test)
{
    for (const auto others : {0U, FilterNumbers::MOST - 1, FilterNumbers::MOST + 3})
    {
        const auto matching = static_cast<NodeId>(10 + others);
        Listener broker;
        broker.HearEvent(Seconds(1));
        for (NodeId subscriber = 10; subscriber < matching; ++subscriber)
        {
            broker.HearWord(Seconds(1.1),
                            subscriber,
                            "topic = '" + std::to_string(subscriber) + "'");
        }
        test.Expect(broker.IsSettled(), "nobody wants it");
        broker.HearWord(Seconds(1.2), matching, "topic = 'a'");
        test.Expect(!broker.IsSettled(), std::to_string(matching) + " wants it");
        broker.HearHello(Seconds(1.3), matching);
        broker.HearWord(Seconds(1.4), 9, "topic = 'a'");
        test.Expect(!broker.IsSettled(), "so does another one by the same filter");
    }
}

/// Whoever brings it, brokers that look for a subscriber are to hear that it has the event.
void
ASubscriberThatIsElsewhereSaysHello(FunctionCase& test)
{
    for (const NodeId elsewhere : {9, 10})
    {
        const auto context = MakeContext(9, SUBSCRIBER);
        Subscriber subscriber(context, {}, false);
        subscriber.Subscribe(Seconds(0), Filter::Parse("topic = 'a'"));
        Output output;
        const Path path{7, {{8, 3}}, {{elsewhere, 4}}};
        const Pub pub{{}, {}, {{MakeEvent({5, 0}, "a"), 1, path}}};
        subscriber.Receive(Seconds(1), {{NEIGHBOUR, NO_NODE, Pub::KIND, 1, 0}, pub}, output);
        const auto said = Listen(subscriber, Turn::NACKS, Seconds(1.1));
        test.Expect(said.empty() != (elsewhere == 9), std::to_string(elsewhere));
    }
}

class MeshMachinesSuite : public ns3::TestSuite
{
  public:
    MeshMachinesSuite()
        : TestSuite("mftpubsub-mesh-machines", Type::UNIT)
    {
        Add("Brokers that do not answer are asked in turn", BrokersAreAskedInTurn);
        Add("What is not told to be owed is not asked for", WhatIsNotToldToBeOwedIsNotAskedFor);
        Add("Both SUMMARYs of a STATE begin together", BothSummariesOfAStateBeginTogether);
        Add("A STATE goes along now and then", AStateGoesAlongNowAndThen);
        Add("What a subscriber says again is heard", WhatASubscriberSaysAgainIsHeard);
        Add("An event that is brought again is done with again",
            AnEventThatIsBroughtAgainIsDoneWithAgain);
        Add("What is recalled is kept until others are heard",
            WhatIsRecalledIsKeptUntilOthersAreHeard);
        Add("Each word has an age", EachWordHasAnAge);
        Add("Many filters are asked", ManyFiltersAreAsked);
        Add("A subscriber that is elsewhere says HELLO", ASubscriberThatIsElsewhereSaysHello);
        Add("Answers are bounded", AnswersAreBounded);
        Add("The latest question of each is answered", TheLatestQuestionOfEachIsAnswered);
        Add("What a neighbour lacks is told first", WhatANeighbourLacksIsToldFirst);
        Add("A publisher that asks is answered", APublisherThatAsksIsAnswered);
        Add("A publisher gives up what the policy says", APublisherGivesUpWhatThePolicySays);
        Add("A publisher's event expires", APublishersEventExpires);
        Add("A heartbeat with news is not left out", AHeartbeatWithNewsIsNotLeftOut);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

MeshMachinesSuite g_meshMachines;

} // namespace

} // namespace mftpubsub::mesh::mesh_machines_test
