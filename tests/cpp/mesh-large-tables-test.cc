/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What fills large frames comes over a link that loses them too: STATEs and BSUBs take turns with
 * small parts, and who hears these alone sends small frames back.
 */
#include "function-case.h"
#include "mesh-machines.h"
#include "protocols/mesh/lacking-words.h"
#include "protocols/mesh/small-states.h"

#include "ns3/test.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::mesh::mesh_large_tables_test
{

namespace
{

constexpr NodeId SELF = 1;
constexpr NodeId ASKING = 70;
constexpr NodeId PUBLISHERS = 40;
constexpr NodeId SUBSCRIBERS = 60;
constexpr size_t SMALL = 126;

/// @return a set of two events of each publisher, with a hole
Summary
MakeTable(NodeId publishers)
{
    Summary table;
    for (NodeId publisher = 2; publisher < 2 + publishers; ++publisher)
    {
        table.Add(publisher, {0, 1});
        table.Add(publisher, {2, 3});
    }
    return table;
}

/// The broker gets the events of MakeTable.
void
FillUnwanted(Broker& broker, NodeId publishers)
{
    broker.Start(Seconds(0));
    Output output;
    for (NodeId publisher = 2; publisher < 2 + publishers; ++publisher)
    {
        for (const uint32_t sequence : {0, 2})
        {
            const Pub pub{{}, {}, {{MakeEvent({publisher, sequence}, "a"), 1, {}}}};
            broker.Receive(Seconds(0.2), {{publisher, NO_NODE, Pub::KIND, 1, 0}, pub}, 1, output);
        }
    }
}

/// The broker gets the events of MakeTable, which somebody wants.
void
Fill(Broker& broker, NodeId publishers)
{
    Output output;
    const Word word{ASKING, 1, {{Filter::Parse("topic = 'a'"), 0}}};
    broker.Receive(Seconds(0), {{ASKING, NO_NODE, Sub::KIND, 1, 0}, Sub{{word}}}, 1, output);
    FillUnwanted(broker, publishers);
}

size_t
CountFrameBytes(const Outgoing& outgoing)
{
    return Encode({{SELF, outgoing.destination, 0, 1, 0}, outgoing.body}).size();
}

/// @return a part of @p table that a small frame holds, from @p from on
SummaryPart
MakeSmallPart(const Summary& table, EventId& from)
{
    return {table, 50, from};
}

Frame
MakeSmallHeartbeat(uint32_t wordsHash, const SummaryPart& has)
{
    return {{NEIGHBOUR, NO_NODE, Heartbeat::KIND, 1, 0},
            Heartbeat{State{BROKER, wordsHash, has, {}, {}, {}, {}}}};
}

void
ALargeStateTakesTurnsWithSmallParts(FunctionCase& test)
{
    const auto context = MakeContext(SELF, BROKER);
    Broker broker(context, {});
    Fill(broker, PUBLISHERS);
    Listen(broker, Turn::FORWARDS, Seconds(1));
    SummaryPart heard;
    size_t large = 0;
    size_t small = 0;
    auto wasLarge = false;
    for (const auto& outgoing : Listen(broker, Turn::HEARTBEATS, Seconds(300)))
    {
        const auto& state = std::get<Heartbeat>(outgoing.body).state;
        const auto isLarge = CountFrameBytes(outgoing) > SMALL;
        test.Expect(isLarge == state.has.IsWhole(), "whole, or a part that is small");
        test.Expect(small + large == 0 || isLarge != wasLarge, "in turn");
        wasLarge = isLarge;
        ++(isLarge ? large : small);
        if (!isLarge)
        {
            heard.Update(state.has);
        }
    }
    test.Expect(small > 12 && large > 12, "both");
    test.Expect(heard.GetSummary() == broker.GetHas(), "who hears the small ones knows all");
}

void
WhatIsSettledTakesRoomToo(FunctionCase& test)
{
    const auto context = MakeContext(SELF, BROKER);
    Broker broker(context, {});
    FillUnwanted(broker, 10);
    const auto said = Listen(broker, Turn::HEARTBEATS, Seconds(30));
    const auto& state = std::get<Heartbeat>(said.at(0).body).state;
    test.Expect(state.settled == state.has && state.has.CountBytes() < SMALL / 2 + 20, "both");
    for (size_t i = 0; i < said.size(); ++i)
    {
        test.Expect((CountFrameBytes(said[i]) > SMALL) == (i % 2 == 0), "in turn");
    }
}

/// Where all agree, the interval has doubled.
void
HeartbeatsAreOftenAgainWhenSomethingIsLacking(FunctionCase& test)
{
    const auto context = MakeContext(SELF, BROKER);
    Broker broker(context, {});
    Fill(broker, 4);
    Listen(broker, Turn::FORWARDS, Seconds(1));
    Listen(broker, Turn::HEARTBEATS, Seconds(100));
    Output output;
    const auto hash = broker.GetWords().GetHash();
    broker.Receive(Seconds(100), MakeHeartbeat(NEIGHBOUR, hash, {}), 1, output);
    test.Expect(Listen(broker, Turn::HEARTBEATS, Seconds(103)).size() == 1, "at once");
    test.Expect(Listen(broker, Turn::HEARTBEATS, Seconds(106.5)).size() == 1, "and 3 s later");
}

void
ASmallTableIsToldWhole(FunctionCase& test)
{
    const auto context = MakeContext(SELF, BROKER);
    Broker broker(context, {});
    Fill(broker, 4);
    for (const auto& outgoing : Listen(broker, Turn::HEARTBEATS, Seconds(100)))
    {
        test.Expect(std::get<Heartbeat>(outgoing.body).state.has.IsWhole(), "each time");
    }
}

void
AnEventGoesWithoutAStateThatIsToBeSmall(FunctionCase& test)
{
    const auto context = MakeContext(SELF, BROKER);
    Broker broker(context, {});
    Fill(broker, PUBLISHERS);
    Listen(broker, Turn::FORWARDS, Seconds(1));
    test.Expect(Listen(broker, Turn::HEARTBEATS, Seconds(2)).size() == 1, "a large one");
    const auto forward = [&broker](double at, uint32_t sequence) {
        Output output;
        const Pub pub{{}, {}, {{MakeEvent({2, sequence}, "a"), 1, {}}}};
        broker.Receive(Seconds(at), {{2, NO_NODE, Pub::KIND, 1, 0}, pub}, 1, output);
        const auto said = Listen(broker, Turn::FORWARDS, Seconds(at + 0.5));
        return std::get<Pub>(said.at(0).body).state.has_value();
    };
    test.Expect(!forward(3.5, 10), "the event alone, as it may arrive where a STATE does not");
    const auto small = Listen(broker, Turn::HEARTBEATS, Seconds(4));
    test.Expect(small.size() == 1 && CountFrameBytes(small[0]) <= SMALL, "and the STATE beside it");
    test.Expect(forward(5.5, 11), "a large one goes along as usual");
}

void
WhoHearsSmallStatesAloneRepairsBySmallFrames(FunctionCase& test)
{
    const auto context = MakeContext(SELF, BROKER);
    Broker broker(context, {});
    Fill(broker, PUBLISHERS);
    Listen(broker, Turn::FORWARDS, Seconds(1));
    Listen(broker, Turn::HEARTBEATS, Seconds(3));
    auto now = 3.0;
    const auto repair = [&](const Frame& heartbeat) {
        Output output;
        broker.Receive(Seconds(now), heartbeat, 1, output);
        now += 2;
        size_t most = 0;
        for (const auto& rep : Listen(broker, Turn::REPAIRS, Seconds(now - 0.5)))
        {
            most = std::max(most, CountFrameBytes(rep));
        }
        return most;
    };
    const auto hash = broker.GetWords().GetHash();
    Summary has;
    has.Add(2, {0, 1});
    for (NodeId publisher = 3; publisher < 60; ++publisher)
    {
        has.Add(publisher, {100, 101});
    }
    EventId from = SummaryPart::BEGIN;
    const auto part = MakeSmallHeartbeat(hash, MakeSmallPart(has, from));
    test.Expect(repair(part) > SMALL, "one small STATE is no weak link");
    test.Expect(repair(part) <= SMALL, "two are, as a large one was lost between them");
    test.Expect(repair(MakeHeartbeat(NEIGHBOUR, hash, has)) > SMALL, "none is, if it is heard");
    test.Expect(repair(part) > SMALL, "and all begins again");
}

/// What is not spoken of may have arrived, or not.
void
APartTellsOfWhatItSpeaksOf(FunctionCase& test)
{
    Options options;
    options.limits.broker.repairs = 100;
    const auto context = MakeContext(SELF, BROKER, options);
    Broker broker(context, {});
    Fill(broker, PUBLISHERS);
    Listen(broker, Turn::FORWARDS, Seconds(1));
    auto now = 3.0;
    const auto repair = [&](const SummaryPart& has) {
        Output output;
        Frame heartbeat{{NEIGHBOUR, NO_NODE, Heartbeat::KIND, 1, 0},
                        Heartbeat{State{BROKER, broker.GetWords().GetHash(), has, {}, {}, {}, {}}}};
        broker.Receive(Seconds(now), heartbeat, 1, output);
        now += 5;
        const auto said = Listen(broker, Turn::REPAIRS, Seconds(now - 1));
        return said.empty() ? 0 : std::get<Rep>(said[0].body).events.size();
    };
    const auto whole = repair({});
    auto from = SummaryPart::BEGIN;
    const SummaryPart start(MakeTable(PUBLISHERS), 200, from);
    const SummaryPart rest(MakeTable(PUBLISHERS), 200, from);
    test.Expect(rest.Says({2, 0}) == SummaryPart::Answer::UNKNOWN, "the first event");
    repair({});
    repair(rest);
    test.Expect(repair({}) <= whole / 2 + 1, "two losses, whatever was said between them");
}

void
QuestionsToItAreSmallToo(FunctionCase& test)
{
    const auto context = MakeContext(ASKING, SUBSCRIBER);
    const auto ask = [&](int smallOnes) {
        Subscriber subscriber(context, {}, false);
        subscriber.Subscribe(Seconds(0), Filter::Parse("topic = 'a'"));
        Output output;
        for (NodeId publisher = 2; publisher < 2 + PUBLISHERS; ++publisher)
        {
            const Pub pub{{}, {}, {{MakeEvent({publisher, 7}, "a"), 1, {}}}};
            subscriber.Receive(Seconds(0.1), {{publisher, NO_NODE, Pub::KIND, 1, 0}, pub}, output);
        }
        EventId from = SummaryPart::BEGIN;
        const auto part = MakeSmallHeartbeat(0, MakeSmallPart(MakeTable(PUBLISHERS), from));
        for (int i = 0; i < smallOnes; ++i)
        {
            subscriber.Receive(Seconds(1), part, output);
        }
        const auto said = Listen(subscriber, Turn::NACKS, Seconds(1.8));
        return CountFrameBytes(said.at(0));
    };
    test.Expect(ask(1) > SMALL, "one may be heard by chance");
    test.Expect(ask(2) <= SMALL, "two");
}

void
ASmallQuestionHasSmallAnswers(FunctionCase& test)
{
    const auto context = MakeContext(SELF, BROKER);
    Broker broker(context, {});
    Fill(broker, PUBLISHERS);
    Listen(broker, Turn::FORWARDS, Seconds(1));
    const auto answer = [&](double at, const SummaryPart& done) {
        Output output;
        const Nack nack{1, 60000, done};
        broker.Receive(Seconds(at), {{ASKING, SELF, Nack::KIND, 1, 0}, nack}, 1, output);
        size_t most = 0;
        for (const auto& rep : Listen(broker, Turn::ANSWERS, Seconds(at + 1)))
        {
            most = std::max(most, CountFrameBytes(rep));
        }
        return most;
    };
    Summary done;
    for (NodeId publisher = 2; publisher < 2 + PUBLISHERS; ++publisher)
    {
        done.Add(publisher, {9, 10});
    }
    EventId from = SummaryPart::BEGIN;
    test.Expect(answer(3, SummaryPart(done, 900, from)) > SMALL, "of a whole one large ones");
    test.Expect(answer(5, MakeSmallPart(done, from)) <= SMALL, "of a small part small ones");
}

/// @return a table of words with filters of their own
void
FillWords(WordTable& table, NodeId subscribers)
{
    for (NodeId id = 100; id < 100 + subscribers; ++id)
    {
        const auto filter =
            Filter::Parse("topic = 'a subject of its own " + std::to_string(id) + "'");
        table.Hear(Seconds(0), {id, 1, {{filter, 0}}}, id);
    }
}

/// Says all that waits.
std::vector<Sub>
SayWords(WordTable& table, Instant until)
{
    std::vector<Sub> said;
    while (table.DueWords() <= until)
    {
        said.push_back(std::get<Sub>(table.BuildWords(table.DueWords())->body));
    }
    return said;
}

void
ALargeBsubTakesTurnsWithSmallParts(FunctionCase& test)
{
    const auto context = MakeContext(SELF, BROKER);
    WordTable table(context);
    FillWords(table, SUBSCRIBERS);
    std::set<NodeId> told;
    for (int i = 0; i < 8; ++i)
    {
        table.HearHash(Seconds(10 * i), 1);
        const auto outgoing = *table.BuildBsub(Seconds(10 * i + 5));
        const auto& bsub = std::get<Bsub>(outgoing.body);
        test.Expect((CountFrameBytes(outgoing) <= SMALL) == (i % 2 == 1), "in turn");
        test.Expect(i % 2 == 1 || bsub.stamps.size() == SUBSCRIBERS, "a large one tells all");
        for (const auto& stamp : i % 2 == 1 ? bsub.stamps : std::vector<WordStamp>())
        {
            told.insert(stamp.subscriber);
            test.Expect(bsub.first <= stamp.subscriber && stamp.subscriber <= bsub.last,
                        "within what it speaks of");
        }
    }
    test.Expect(told.size() == SUBSCRIBERS, "the small ones tell all together");
}

void
HashesAreFewNowAndThen(FunctionCase& test)
{
    Options options;
    options.limits.frame.stamps = 20;
    const auto context = MakeContext(SELF, BROKER, options);
    WordTable table(context);
    FillWords(table, SUBSCRIBERS);
    const auto said = [&](double at) {
        table.HearHash(Seconds(at), 1);
        return *table.BuildBsub(Seconds(at + 5));
    };
    for (int i = 0; i < 3; ++i)
    {
        test.Expect(CountFrameBytes(said(10 * i)) > SMALL, "large ones");
    }
    const auto small = said(30);
    test.Expect(CountFrameBytes(small) <= SMALL, "a small one");
    test.Expect(!std::get<BsubHashes>(small.body).hashes.empty(), "of hashes too");
    test.Expect(CountFrameBytes(said(40)) > SMALL, "and a large one again");
}

void
WordsThatAreLackedAgainComeInSmallFrames(FunctionCase& test)
{
    const auto context = MakeContext(SELF, BROKER);
    WordTable table(context);
    FillWords(table, SUBSCRIBERS);
    SayWords(table, Seconds(1));
    auto now = 10;
    const auto lacks = [&](NodeId broker, NodeId first, NodeId last) {
        table.HearBsub(Seconds(now), broker, Bsub{1, first, last, {}});
        now += 10;
        return SayWords(table, Seconds(now - 1));
    };
    const auto whole = lacks(NEIGHBOUR, 0, NO_NODE);
    size_t words = 0;
    for (const auto& sub : whole)
    {
        words += sub.words.size();
    }
    test.Expect(words == SUBSCRIBERS, "all that it lacks");
    test.Expect(lacks(NEIGHBOUR, 0, NO_NODE).size() == whole.size(), "one loss is no weak link");
    lacks(NEIGHBOUR, 1, 2);
    const auto halved = lacks(NEIGHBOUR, 0, NO_NODE);
    test.Expect(halved.size() >= 2 * whole.size() - 1, "two are");
    test.Expect(lacks(NEIGHBOUR + 1, 0, NO_NODE).size() == whole.size(), "others get large ones");
    for (int i = 0; i < 3; ++i)
    {
        lacks(NEIGHBOUR, 0, NO_NODE);
    }
    const auto small = lacks(NEIGHBOUR, 0, NO_NODE);
    test.Expect(small.size() >= SUBSCRIBERS / 2, "down to few words each");
    now += 60;
    test.Expect(lacks(NEIGHBOUR, 0, NO_NODE).size() == whole.size(), "who was away begins anew");
}

/// @return a sub of the words of these subscribers
Sub
MakeSub(const std::vector<NodeId>& subscribers)
{
    Sub sub;
    for (const auto id : subscribers)
    {
        sub.words.push_back({id, 1, {}});
    }
    return sub;
}

void
OnlyWordsThatWereSentAreLost(FunctionCase& test)
{
    const auto context = MakeContext(SELF, BROKER);
    LackingWords lacking(context);
    auto now = Seconds(100);
    const auto hear = [&](NodeId first, NodeId last, bool isLacked) {
        now += Seconds(5);
        lacking.Hear(now,
                     NEIGHBOUR,
                     Bsub{1, first, last, {}},
                     isLacked ? std::vector<NodeId>{100, 101} : std::vector<NodeId>());
        return lacking.GetMost(now);
    };
    for (int i = 0; i < 5; ++i)
    {
        test.Expect(hear(0, NO_NODE, true) == 1009, "nothing was sent");
        lacking.Sent(MakeSub({101, 102}), true);
    }
    const auto send = [&] { lacking.Sent(MakeSub({99, 100}), true); };
    send();
    hear(0, NO_NODE, true);
    send();
    hear(0, 99, false);
    hear(101, NO_NODE, false);
    test.Expect(hear(100, 100, true) == 504, "two losses, told by parts that end with the word");
    lacking.Forget(NEIGHBOUR);
    test.Expect(hear(0, NO_NODE, true) == 1009, "it had all words since");
}

void
FramesOfWordsAreSmallWhileSomebodyWaits(FunctionCase& test)
{
    const auto context = MakeContext(SELF, BROKER);
    LackingWords lacking(context);
    for (int i = 0; i < 3; ++i)
    {
        lacking.Hear(Seconds(100 + i), NEIGHBOUR, Bsub{1, 0, NO_NODE, {}}, {100});
        lacking.Sent(MakeSub({100}), false);
    }
    test.Expect(lacking.GetMost(Seconds(103)) == 504, "for all words until these are said");
    test.Expect(lacking.GetMost(Seconds(103.1)) == 1009, "and no longer");
    test.Expect(lacking.GetMost(Seconds(102.5)) == 504, "others wait");
    lacking.Sent(MakeSub({101}), true);
    test.Expect(lacking.GetMost(Seconds(102.5)) == 1009, "no others wait");
}

void
TheBytesOfAStateAreCounted(FunctionCase& test)
{
    State state{BROKER, 1, {}, {}, {}, {}, {}};
    state.answers.resize(2);
    state.open.push_back({{2, 0}, {70, 71}});
    state.open.push_back({{2, 1}, {}});
    state.distances.resize(3);
    auto from = SummaryPart::BEGIN;
    state.has = SummaryPart(MakeTable(PUBLISHERS), 100, from);
    const auto bytes = CountFrameBytes({NO_NODE, Heartbeat{state}});
    test.Expect(HEADER_BYTES + CountBytes(state) == bytes, "as many as it is sent in");
}

void
SmallStatesCountWhileTheyAreFresh(FunctionCase& test)
{
    const auto context = MakeContext(SELF, BROKER);
    SmallStates states(context);
    State state{BROKER, 0, {}, {}, {}, {}, {}};
    size_t missing = 1;
    for (size_t budget = 30; missing % 3 != 0; ++budget)
    {
        auto from = SummaryPart::BEGIN;
        state.has = SummaryPart(MakeTable(PUBLISHERS), budget, from);
        missing = SMALL - HEADER_BYTES - CountBytes(state);
    }
    state.distances.resize(missing / 3);
    test.Expect(CountFrameBytes({NO_NODE, Heartbeat{state}}) == SMALL, "as a small frame");
    const auto most = [&](double at) {
        states.Hear(Seconds(at), NEIGHBOUR, state);
        return states.GetMost(NEIGHBOUR);
    };
    test.Expect(most(100) == 1009 && most(116) == SMALL, "two of a neighbour that is there");
    test.Expect(most(160) == 1009, "it was away");
    test.Expect(most(170) == SMALL && states.GetMost(NEIGHBOUR + 1) == 1009, "it alone");
    state.distances.push_back({NEIGHBOUR, 1});
    test.Expect(most(171) == 1009, "a larger one was heard");
}

class MeshLargeTablesSuite : public ns3::TestSuite
{
  public:
    MeshLargeTablesSuite()
        : TestSuite("mftpubsub-mesh-large-tables", Type::UNIT)
    {
        Add("A large STATE takes turns with small parts", ALargeStateTakesTurnsWithSmallParts);
        Add("What is settled takes room too", WhatIsSettledTakesRoomToo);
        Add("Heartbeats are often again when something is lacking",
            HeartbeatsAreOftenAgainWhenSomethingIsLacking);
        Add("A small table is told whole", ASmallTableIsToldWhole);
        Add("An event goes without a STATE that is to be small",
            AnEventGoesWithoutAStateThatIsToBeSmall);
        Add("Who hears small STATEs alone repairs by small frames",
            WhoHearsSmallStatesAloneRepairsBySmallFrames);
        Add("A part tells of what it speaks of", APartTellsOfWhatItSpeaksOf);
        Add("Questions to it are small too", QuestionsToItAreSmallToo);
        Add("A small question has small answers", ASmallQuestionHasSmallAnswers);
        Add("A large BSUB takes turns with small parts", ALargeBsubTakesTurnsWithSmallParts);
        Add("Hashes are few now and then", HashesAreFewNowAndThen);
        Add("Words that are lacked again come in small frames",
            WordsThatAreLackedAgainComeInSmallFrames);
        Add("Only words that were sent are lost", OnlyWordsThatWereSentAreLost);
        Add("Frames of words are small while somebody waits",
            FramesOfWordsAreSmallWhileSomebodyWaits);
        Add("The bytes of a STATE are counted", TheBytesOfAStateAreCounted);
        Add("Small STATEs count while they are fresh", SmallStatesCountWhileTheyAreFresh);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

MeshLargeTablesSuite g_meshLargeTables;

} // namespace

} // namespace mftpubsub::mesh::mesh_large_tables_test
