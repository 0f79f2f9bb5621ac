/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Over a link that loses large frames the mesh's machines send small ones, and larger ones again
 * when these arrive.
 */
#include "function-case.h"
#include "mesh-machines.h"
#include "protocols/mesh/frame-fit.h"

#include "ns3/test.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::mesh::mesh_weak_links_test
{

namespace
{

using Counts = std::vector<size_t>;

constexpr NodeId SELF = 1;
constexpr NodeId PUBLISHING = 5;
constexpr NodeId OTHER = 9;
constexpr uint32_t EVENTS = 16;

void
WhatIsLostTwiceIsHalved(FunctionCase& test)
{
    FrameFit<EventId> fit;
    const auto most = [&fit] { return fit.GetMost(1000, 70); };
    fit.SentAgain({1, 0}, 3);
    fit.SentAgain({1, 0}, 3);
    test.Expect(most() == 1000, "one loss is no weak link");
    fit.SentAgain({1, 0}, 3);
    test.Expect(most() == 500, "two are");
    fit.SentAgain({1, 1}, 3);
    test.Expect(most() == 1000, "it has arrived");
    for (int i = 0; i < 9; ++i)
    {
        fit.SentAgain({1, 1}, 3);
    }
    test.Expect(most() == 125, "three halvings at most");
    test.Expect(fit.GetMost(300, 70) == 70 && fit.GetMost(60, 70) == 60, "and no less than this");
    fit.Told(true, 3);
    fit.Told(true, 3);
    test.Expect(most() == 250 && !fit.GetSent(), "a frame is told of once");
}

void
OnlyTheFirstOfSeveralFramesIsWaitedFor(FunctionCase& test)
{
    FrameFit<EventId> fit;
    fit.Told(false, 3);
    test.Expect(!fit.GetSent(), "nothing was sent");
    fit.Sent({1, 0});
    fit.Sent({1, 7});
    test.Expect(fit.GetSent() == EventId{1, 0}, "the first");
}

/// @return a broker's options, with frames of some ten events
Options
MakeOptions()
{
    Options options;
    options.maxFrameBytes = 400;
    options.limits.broker.repairs = EVENTS;
    return options;
}

/// The broker gets EVENTS events, which subscriber OTHER wants.
void
Fill(Broker& broker)
{
    broker.Start(Seconds(0));
    Output output;
    const Word word{OTHER, 1, {{Filter::Parse("topic = 'a'"), 0}}};
    broker.Receive(Seconds(0.1), {{OTHER, NO_NODE, Sub::KIND, 1, 0}, Sub{{word}}}, 1, output);
    for (uint32_t sequence = 0; sequence < EVENTS; ++sequence)
    {
        const Pub pub{{}, {}, {{MakeEvent({PUBLISHING, sequence}, "a"), 1, {}}}};
        broker.Receive(Seconds(0.2), {{PUBLISHING, NO_NODE, Pub::KIND, 1, 0}, pub}, 1, output);
    }
    Listen(broker, Turn::FORWARDS, Seconds(1));
}

/// @return of each REP how many events it has
Counts
CountEvents(const std::vector<Outgoing>& said)
{
    Counts counts;
    for (const auto& outgoing : said)
    {
        counts.push_back(std::get<Rep>(outgoing.body).events.size());
    }
    return counts;
}

void
RepairsShrinkAndGrow(FunctionCase& test)
{
    const auto options = MakeOptions();
    const auto context = MakeContext(SELF, BROKER, options);
    Broker broker(context, {});
    Fill(broker);
    auto now = 2;
    size_t states = 0;
    const auto repair = [&](const Summary& has) {
        Output output;
        const auto hash = broker.GetWords().GetHash();
        broker.Receive(Seconds(now), MakeHeartbeat(2, hash, has), 1, output);
        now += 5;
        const auto said = Listen(broker, Turn::REPAIRS, Seconds(now - 1));
        states = 0;
        for (const auto& outgoing : said)
        {
            states += std::get<Rep>(outgoing.body).state ? 1 : 0;
        }
        return CountEvents(said);
    };
    const auto whole = repair({});
    test.Expect(whole.size() == 2 && whole[0] + whole[1] == EVENTS, "two frames");
    test.Expect(states > 0, "with a STATE");
    test.Expect(repair({}) == whole, "one loss is no weak link");
    const auto halved = repair({});
    test.Expect(halved.size() > 2 && halved[0] <= whole[0] / 2, "half as large, and more of them");
    for (int i = 0; i < 5; ++i)
    {
        test.Expect(repair({}).size() >= halved.size(), "all are sent, however small");
    }
    test.Expect(repair({}) == Counts(EVENTS, 1), "an event each");
    test.Expect(states == 0, "and nothing else");
    for (uint32_t arrived = 1; arrived < 5; ++arrived)
    {
        repair(MakeSummary(PUBLISHING, {0, arrived}));
    }
    const auto grown = repair(MakeSummary(PUBLISHING, {0, 5}));
    test.Expect(grown.size() == 2 && grown[0] + grown[1] == EVENTS - 5, "whole ones again");
}

void
AnswersTakeSeveralSmallFrames(FunctionCase& test)
{
    const auto options = MakeOptions();
    const auto context = MakeContext(SELF, BROKER, options);
    Broker broker(context, {});
    Fill(broker);
    auto now = 2;
    const auto ask = [&](const Summary& done) {
        Output output;
        const Nack nack{1, 60000, MakePart(done)};
        broker.Receive(Seconds(now), {{OTHER, SELF, Nack::KIND, 1, 0}, nack}, 1, output);
        now += 5;
        return Listen(broker, Turn::ANSWERS, Seconds(now - 1));
    };
    const auto whole = CountEvents(ask({}));
    test.Expect(whole.size() == 1, "a frame for a NACK");
    ask({});
    const auto halved = CountEvents(ask({}));
    test.Expect(halved.size() == 2 && halved[0] <= whole[0] / 2, "two halves");
    ask({});
    ask({});
    const auto answers = ask({});
    std::set<uint32_t> sent;
    for (const auto& answer : answers)
    {
        const auto& rep = std::get<Rep>(answer.body);
        test.Expect(rep.events.size() == 1, "an event each");
        test.Expect(!rep.cover || rep.cover->events.GetSummary().IsEmpty(),
                    "none is told to be done with, as any may be lost");
        sent.insert(rep.events[0].event->id.sequence);
    }
    test.Expect(sent.size() == answers.size(), "each once");
    test.Expect(answers.size() > 2 && answers.size() <= 400 / 76, "in no more bytes than one has");
    for (uint32_t arrived = 1; arrived < 5; ++arrived)
    {
        ask(MakeSummary(PUBLISHING, {0, arrived}));
    }
    const auto grown = CountEvents(ask(MakeSummary(PUBLISHING, {0, 5})));
    test.Expect(grown.size() == 1 && grown[0] > 1, "a whole frame again, of what has not arrived");
}

/// Every second event has come, and nobody hears the subscriber ask for the others.
void
QuestionsShrink(FunctionCase& test)
{
    const auto options = MakeOptions();
    const auto context = MakeContext(OTHER, SUBSCRIBER, options);
    Subscriber subscriber(context, {}, false);
    subscriber.Subscribe(Seconds(0), Filter::Parse("topic = 'a'"));
    Output output;
    for (uint32_t sequence = 0; sequence < 400; sequence += 2)
    {
        const Pub pub{{}, {}, {{MakeEvent({PUBLISHING, sequence}, "a"), 1, {}}}};
        subscriber.Receive(Seconds(0.1), {{PUBLISHING, NO_NODE, Pub::KIND, 1, 0}, pub}, output);
    }
    std::vector<size_t> bytes;
    for (int i = 0; i < 4; ++i)
    {
        const auto now = Seconds(1 + 10 * i);
        subscriber.Receive(now, MakeHeartbeat(SELF, 0, MakeSummary(PUBLISHING, {0, 400})), output);
        for (const auto& nack : Listen(subscriber, Turn::NACKS, now + Seconds(9)))
        {
            bytes.push_back(std::get<Nack>(nack.body).done.CountBytes());
        }
    }
    test.Expect(bytes.size() >= 6 && bytes[0] > 300 && bytes[1] == bytes[0], "whole frames first");
    test.Expect(bytes[2] < 200 && bytes[3] < 100, "halved, and again");
    const auto small = bytes.back();
    test.Expect(small <= 76, "as small as they may be");
    const auto hasAll = MakeHeartbeat(SELF, 0, MakeSummary(PUBLISHING, {0, 400}));
    subscriber.Receive(Seconds(50), hasAll, output);
    Listen(subscriber, Turn::NACKS, Seconds(51));
    for (uint32_t i = 0; i < 3; ++i)
    {
        const Rep rep{{}, {}, {{MakeEvent({PUBLISHING, 2 * i + 1}, "a"), 2, {}}}};
        subscriber.Receive(Seconds(51.1 + i / 2.0), {{SELF, OTHER, Rep::KIND, 1, 0}, rep}, output);
        const auto asked = Listen(subscriber, Turn::NACKS, Seconds(51.5 + i / 2.0));
        bytes.push_back(std::get<Nack>(asked.at(0).body).done.CountBytes());
    }
    test.Expect(bytes.back() > small, "and larger ones when they are answered");
}

void
AStubbornEventGoesAlone(FunctionCase& test)
{
    const auto options = MakeOptions();
    const auto context = MakeContext(PUBLISHING, PUBLISHER, options);
    Publisher publisher(context, {});
    for (uint32_t sequence = 0; sequence < EVENTS; ++sequence)
    {
        publisher.Publish(Seconds(0), MakeEvent({PUBLISHING, sequence}, "a"));
    }
    Counts first;
    for (int i = 0; i < 8; ++i)
    {
        const auto now = Seconds(20 + 20 * i);
        const auto said = Listen(publisher, Turn::OWN_EVENTS, now);
        first.push_back(said.empty() ? 0 : std::get<Pub>(said.back().body).events.size());
        publisher.Receive(now, MakeHeartbeat(SELF, 0, {}), 1);
    }
    test.Expect(first[0] > 4 && first[1] > 4, "several in a frame");
    test.Expect(first.back() == 1, "one, of what no broker gets");
    test.Expect(publisher.CountHeld() == EVENTS, "and none is given up");
}

class MeshWeakLinksSuite : public ns3::TestSuite
{
  public:
    MeshWeakLinksSuite()
        : TestSuite("mftpubsub-mesh-weak-links", Type::UNIT)
    {
        Add("What is lost twice is halved", WhatIsLostTwiceIsHalved);
        Add("Only the first of several frames is waited for",
            OnlyTheFirstOfSeveralFramesIsWaitedFor);
        Add("Repairs shrink and grow", RepairsShrinkAndGrow);
        Add("Answers take several small frames", AnswersTakeSeveralSmallFrames);
        Add("Questions shrink", QuestionsShrink);
        Add("A stubborn event goes alone", AStubbornEventGoesAlone);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

MeshWeakLinksSuite g_meshWeakLinks;

} // namespace

} // namespace mftpubsub::mesh::mesh_weak_links_test
