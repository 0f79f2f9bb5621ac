/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * How the words of subscribers go over the air, and when tables of them are compared.
 */
#include "function-case.h"
#include "mesh-machines.h"
#include "protocols/mesh/own-word.h"
#include "protocols/mesh/subscriber.h"
#include "protocols/mesh/word-codec.h"
#include "protocols/mesh/word-table.h"

#include "ns3/test.h"

#include <algorithm>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::mesh::mesh_words_test
{

namespace
{

constexpr NodeId SELF = 9;
constexpr auto OLDEST = std::numeric_limits<uint32_t>::max();

Filter
MakeFilter(int number)
{
    return Filter::Parse("topic = 'f" + std::to_string(number) + "'");
}

Bytes
EncodeSub(const Sub& sub)
{
    return Encode({{SELF, NO_NODE, Sub::KIND, 1, 0}, sub});
}

Bytes
EncodeWord(const Word& word)
{
    Sub sub;
    sub.words.push_back(word);
    return EncodeSub(sub);
}

bool
AreSame(const Word& a, const Word& b)
{
    const auto same = [](const AgedFilter& one, const AgedFilter& other) {
        return one.filter == other.filter && one.ageMilliseconds == other.ageMilliseconds;
    };
    return a.subscriber == b.subscriber && a.timestamp == b.timestamp &&
           std::ranges::equal(a.filters, b.filters, same);
}

/// @return a word of any subscriber, with few or no filters of any age
Word
DrawWord(std::mt19937& draw)
{
    const auto below = [&draw](uint32_t end) { return static_cast<uint32_t>(draw()) % end; };
    const auto wide = [&] { return static_cast<uint32_t>(draw()) >> below(32); };
    Word word{static_cast<NodeId>(below(NO_NODE)), wide() | 1U, {}};
    for (auto left = below(4); left > 0; --left)
    {
        word.filters.push_back({MakeFilter(static_cast<int>(left)), wide()});
    }
    return word;
}

void
WordsSurviveTheWire(FunctionCase& test)
{
    std::mt19937 draw(7);
    for (int round = 0; round < 300; ++round)
    {
        Sub sub;
        SubBytes bytes;
        for (auto left = draw() % 20; left > 0; --left)
        {
            sub.words.push_back(DrawWord(draw));
            bytes.Add(sub.words.back());
        }
        const auto frame = EncodeSub(sub);
        const auto decoded = std::get<Sub>(Decode(frame).body);
        test.Expect(std::ranges::equal(sub.words, decoded.words, AreSame), "as they were said");
        test.Expect(bytes.Get() == frame.size(), "in as many bytes as were counted");
        for (const auto& word : sub.words)
        {
            auto oldest = word;
            for (auto& filter : oldest.filters)
            {
                filter.ageMilliseconds = OLDEST;
            }
            const auto most = EncodeWord(oldest).size();
            test.Expect(SubBytes::Of(word) == most, "and each alone, when it is old");
        }
    }
}

/// Subscribers that want the same cost 5 B each: distance, timestamp, set, age.
void
FiltersOfManyAreSaidOnce(FunctionCase& test)
{
    const auto count = [](int subscribers) {
        Sub sub;
        for (int i = 0; i < subscribers; ++i)
        {
            sub.words.push_back({static_cast<NodeId>(100 + i), 1, {}});
            for (int number = 0; number < 3; ++number) // one was wanted later
            {
                const auto age = static_cast<uint32_t>(1000 + i - (number == 2 ? 500 : 0));
                sub.words.back().filters.push_back({MakeFilter(number), age});
            }
        }
        return EncodeSub(sub).size();
    };
    test.Expect(count(101) == count(1) + 500, "whenever they came");
}

void
AgesEndWithTheirBytes(FunctionCase& test)
{
    const Word word{5, 1, {{MakeFilter(0), OLDEST}, {MakeFilter(1), 0}}};
    auto frame = EncodeWord(word);
    frame.back() = 7; // all are older
    const auto filters = std::get<Sub>(Decode(frame).body).words.at(0).filters;
    test.Expect(filters.at(0).ageMilliseconds == OLDEST, "as old as can be said");
    test.Expect(filters.at(1).ageMilliseconds == 7, "as it says");
}

/// @return whether a SUB of one word without filters is refused with this byte
bool
IsRefused(size_t fromEnd, uint8_t byte)
{
    auto frame = EncodeWord({5, 1, {}}); // ... sets, filters, words, id, timestamp, set, age
    frame.at(frame.size() - fromEnd) = byte;
    return !TryDecode(frame);
}

void
NobodysWordsAreRefused(FunctionCase& test)
{
    test.Expect(!IsRefused(3, 1) && !IsRefused(2, 0), "a word is none");
    test.Expect(IsRefused(3, 0), "no timestamp");
    test.Expect(IsRefused(2, 1), "a set of filters that is not there");
    test.Expect(IsRefused(5, 2), "a word that is not there");
    test.Expect(IsRefused(1, 0x80), "half a number");
}

void
StampsSurviveTheWire(FunctionCase& test)
{
    std::mt19937 draw(8);
    for (int round = 0; round < 100; ++round)
    {
        Bsub bsub{1, static_cast<NodeId>(draw() % NO_NODE), NO_NODE, {}};
        auto previous = bsub.first;
        size_t bytes = 0;
        for (auto left = draw() % 30; left > 0; --left)
        {
            const auto word = DrawWord(draw);
            bsub.stamps.push_back({word.subscriber, word.timestamp});
            bytes += CountBytes(std::exchange(previous, word.subscriber), bsub.stamps.back());
        }
        const auto frame = Encode({{SELF, NO_NODE, Bsub::KIND, 1, 0}, bsub});
        test.Expect(std::get<Bsub>(Decode(frame).body).stamps == bsub.stamps, "as they were said");
        test.Expect(frame.size() == HEADER_BYTES + 9 + bytes, "in as many bytes as were counted");
    }
}

/// A table passes on all that it hears, in frames that hold them.
void
WordsFillFrames(FunctionCase& test)
{
    Options options;
    options.maxFrameBytes = 100;
    const auto context = MakeContext(SELF, BROKER, options);
    WordTable table(context);
    for (NodeId subscriber = 100; subscriber < 200; ++subscriber)
    {
        table.Hear(Seconds(0), {subscriber, 1, {{MakeFilter(0), 0}}}, subscriber);
    }
    size_t words = 0;
    while (table.DueWords() != NEVER)
    {
        const auto sub = std::get<Sub>(table.BuildWords(table.DueWords())->body);
        test.Expect(EncodeSub(sub).size() <= options.maxFrameBytes, "no frame is too large");
        test.Expect(sub.words.size() >= 12 || words + sub.words.size() == 100, "nor half empty");
        words += sub.words.size();
    }
    test.Expect(words == 100, "each is said once");
}

/// @return a table with the words of these subscribers
WordTable
MakeTable(const Context& context, NodeId first, NodeId last)
{
    WordTable table(context);
    for (NodeId subscriber = first; subscriber < last; ++subscriber)
    {
        table.Hear(Seconds(0), {subscriber, 1, {{MakeFilter(0), 0}}}, subscriber);
    }
    return table;
}

/// It says all its words.
void
Drain(WordTable& table)
{
    while (table.DueWords() != NEVER)
    {
        table.BuildWords(table.DueWords());
    }
}

/// Neighbours that have heard the same words say different ones first.
void
NeighboursBeginWithOtherWords(FunctionCase& test)
{
    Options options;
    options.maxFrameBytes = 100;
    const auto first = [&options](double drawn, NodeId end) {
        auto context = MakeContext(SELF, BROKER, options);
        context.uniform = [drawn] { return drawn; };
        auto table = MakeTable(context, 100, end);
        const auto sub = std::get<Sub>(table.BuildWords(Seconds(9))->body);
        return std::pair{sub.words.front().subscriber, sub.words.back().subscriber};
    };
    test.Expect(first(0.6, 200).first == 119, "anywhere"); // of the ids up to 199
    const auto [last, again] = first(0.995, 200);
    test.Expect(last == 198 && again > 100 && again < 198, "the last ones, and then the first");
    test.Expect(first(0.995, 105) == std::pair<NodeId, NodeId>(100, 104), "all of a few");
}

/// In a large network words that come while others wait go with these, and not before them.
void
WordsAgeOnTheirWay(FunctionCase& test)
{
    const auto context = MakeContext(1, BROKER);
    WordTable table(context);
    const auto young = Filter::Parse("topic = 'a'");
    const auto old = Filter::Parse("topic = 'b'");
    table.Hear(Seconds(100), {7, 1, {{young, 5000}, {old, 90000}}}, 7);
    const auto outgoing = *table.BuildWords(Seconds(103));
    const auto& said = std::get<Sub>(outgoing.body).words.at(0).filters;
    test.Expect(said.size() == 2, "both filters");
    for (const auto& [filter, age] : said)
    {
        test.Expect(age == (filter == young ? 8000U : 93000U), "3 s older each");
    }
}

void
WordsOfManyGoTogether(FunctionCase& test)
{
    double drawn = 0.8;
    auto context = MakeContext(SELF, BROKER);
    context.uniform = [&drawn] { return drawn; };
    const auto& limits = context.options.limits.word;
    const auto due = [&](NodeId known) {
        drawn = 0.8;
        auto table = MakeTable(context, 0, known);
        Drain(table);
        table.Hear(Seconds(10), {1000, 1, {}}, 1000);
        drawn = 0.1;
        table.Hear(Seconds(10), {1001, 1, {}}, 1001);
        return table.DueWords() - Seconds(10);
    };
    test.Expect(due(300) == Times(limits.forward, 0.8), "with the first of them");
    test.Expect(due(20) == Times(limits.forward, 0.1), "in a small one each when it is due");
}

/// While new words come, tables differ by what is on its way.
void
ABsubWaitsWhileNewWordsCome(FunctionCase& test)
{
    const auto context = MakeContext(SELF, BROKER);
    const auto& limits = context.options.limits.word;
    WordTable table(context);
    table.HearHash(Seconds(1), 77);
    const auto pause = table.DueBsub() - Seconds(1);
    test.Expect(pause >= limits.bsubFrom && pause <= limits.bsubTo, "another table was heard of");
    const auto hear = [&table](double at, NodeId subscriber) {
        table.Hear(Seconds(at), {subscriber, 1, {}}, subscriber);
    };
    hear(1.2, 100);
    test.Expect(table.DueBsub() == Seconds(1.2) + pause, "a new word came");
    hear(1.3, 100);
    test.Expect(table.DueBsub() == Seconds(1.2) + pause, "that is known");
    for (NodeId more = 1; more < 50; ++more)
    {
        hear(1.2 + 0.2 * more, static_cast<NodeId>(100 + more));
    }
    test.Expect(table.DueBsub() == Seconds(1) + limits.bsubBy, "though new words come");
    table.BuildBsub(Seconds(0));
    hear(20, 300);
    test.Expect(table.DueBsub() == NEVER, "nobody has another table");
}

/// A table that lacks a few of many words says of these alone which it has.
void
HashesTellWhereTablesDiffer(FunctionCase& test)
{
    const auto context = MakeContext(SELF, BROKER);
    auto one = MakeTable(context, 0, 5000);
    auto other = MakeTable(context, 0, 5000);
    other.Hear(Seconds(1), {4000, 2, {}}, 4000);
    other.Hear(Seconds(1), {20000, 1, {}}, 20000);
    const auto hashes = std::get<BsubHashes>(one.BuildBsub(Seconds(0))->body);
    const auto frame = Encode({{SELF, NO_NODE, BsubHashes::KIND, 1, 0}, hashes});
    test.Expect(frame.size() == HEADER_BYTES + 6 + 4 * hashes.hashes.size(), "4 B each");
    test.Expect(hashes.shift == 6 && hashes.hashes.size() == 79, "one for each 64");
    other.HearBsub(Seconds(2), NEIGHBOUR, std::get<BsubHashes>(Decode(frame).body));
    const auto told = std::get<Bsub>(other.BuildBsub(Seconds(0))->body);
    test.Expect(told.first == 3968 && told.last == 4031 && told.stamps.size() == 64,
                "where hashes differ");
    const auto more = std::get<Bsub>(other.BuildBsub(Seconds(0))->body);
    test.Expect(more.first == 5056 && more.stamps.size() == 1, "and behind the last hash");
    test.Expect(std::holds_alternative<BsubHashes>(other.BuildBsub(Seconds(0))->body),
                "and nowhere else");
    one.HearBsub(Seconds(3), NEIGHBOUR, told);
    one.HearBsub(Seconds(3), NEIGHBOUR, more);
    const auto asked = std::get<Bsub>(one.BuildBsub(Seconds(0))->body);
    test.Expect(asked.first == 4000 && asked.last == 4000 &&
                    asked.stamps == std::vector<WordStamp>{{4000, 1}},
                "the word that it has is older");
    test.Expect(std::get<Bsub>(one.BuildBsub(Seconds(0))->body).stamps.empty(),
                "the other it has not");
    Drain(other);
    other.HearBsub(Seconds(4), NEIGHBOUR, asked);
    const auto sub = std::get<Sub>(other.BuildWords(Seconds(9))->body);
    test.Expect(sub.words.size() == 1 && sub.words[0].subscriber == 4000, "it is sent");
    other.HearBsub(Seconds(5), NEIGHBOUR, BsubHashes{other.GetHash(), 0, {}});
    test.Expect(other.DueBsub() == NEVER, "somebody has spoken for it");
}

/// Who has said hashes waits for others' stamps, and many who have a word wait for each other.
void
LargeTablesAreComparedInTurn(FunctionCase& test)
{
    const auto context = MakeContext(SELF, BROKER);
    const auto& limits = context.options.limits.word;
    auto table = MakeTable(context, 0, 300);
    Drain(table);
    table.HearHash(Seconds(10), 1);
    test.Expect(table.DueBsub() <= Seconds(10) + limits.bsubTo, "hashes are said soon");
    table.BuildBsub(Seconds(10));
    table.HearHash(Seconds(10.1), 2);
    test.Expect(table.DueBsub() == Seconds(10) + limits.hashesGap, "not at once again");
    table.HearBsub(Seconds(10.2), NEIGHBOUR, Bsub{3, 7, 7, {{7, 5}}});
    test.Expect(table.DueBsub() <= Seconds(10.2) + limits.bsubTo, "it knows now what it lacks");
    test.Expect(std::get<Bsub>(table.BuildBsub(Seconds(11))->body).first == 7, "and says so");
    table.HearBsub(Seconds(12), NEIGHBOUR, Bsub{3, 20, 29, {}});
    test.Expect(table.DueWords() == Seconds(12) + Times(limits.forward, 0.5), "ten words");
    auto small = MakeTable(context, 0, 10);
    Drain(small);
    small.HearBsub(Seconds(12), NEIGHBOUR, Bsub{3, 0, NO_NODE, {}});
    test.Expect(small.DueWords() == Seconds(12) + Times(limits.lacking, 0.5), "of few, sooner");
}

/// A subscriber hears a broker that may not have its word.
void
DoubtsWaitWhileTablesAreCompared(FunctionCase& test)
{
    const auto context = MakeContext(SELF, SUBSCRIBER);
    const auto& limits = context.options.limits.word;
    Subscriber subscriber(context, {}, false);
    subscriber.Subscribe(Seconds(0), MakeFilter(0));
    Output output;
    const auto hear = [&](double at, NodeId from, const Body& body) {
        subscriber.Receive(Seconds(at), {{from, NO_NODE, 0, 1, 0}, body}, output);
    };
    hear(1, 1, Sub{{subscriber.GetWord(Seconds(1))}});
    const auto doubt = [&](double at, NodeId broker, uint32_t hash) {
        hear(at, broker, MakeHeartbeat(broker, hash, {}).body);
        const auto wait = subscriber.Due(Turn::OWN_WORD) - Seconds(at);
        const auto said = Listen(subscriber, Turn::OWN_WORD, Seconds(at + 30)).size();
        test.Expect(said == 1, "its word, once");
        return wait;
    };
    const auto usual = doubt(2, 2, 70);
    test.Expect(usual >= limits.doubtFrom && usual <= limits.doubtTo, "it says its word again");
    hear(100, 3, BsubHashes{80, 0, {1}});
    test.Expect(doubt(101, 4, 80) == usual * limits.doubtCompared, "large tables differ");
    hear(200, 3, BsubHashes{90, 0, {1}});
    test.Expect(doubt(201 + std::chrono::duration<double>(limits.compared).count(), 5, 90) == usual,
                "they did long ago");
}

void
HashesOfNobodyAreRefused(FunctionCase& test)
{
    BsubHashes bsub{1, 17, {}};
    const auto frame = Encode({{SELF, NO_NODE, BsubHashes::KIND, 1, 0}, bsub});
    test.Expect(!TryDecode(frame), "of more ids than there are");
    const auto context = MakeContext(SELF, BROKER);
    auto table = MakeTable(context, 0, 300);
    table.HearBsub(Seconds(1), NEIGHBOUR, BsubHashes{1, 16, std::vector<uint32_t>(255)});
    const auto told = std::get<Bsub>(table.BuildBsub(Seconds(0))->body);
    test.Expect(told.first == 0 && told.stamps.size() == 255, "what ids there are");
}

/// What a subscriber takes, brokers take too: it goes into a frame of theirs.
void
WhatIsTakenFits(FunctionCase& test)
{
    Options options;
    options.maxFrameBytes = 100;
    const auto context = MakeContext(SELF, BROKER, options);
    size_t taken = 0;
    try
    {
        for (;; ++taken)
        {
            Subscriber subscriber(context, {}, false);
            subscriber.Subscribe(Seconds(0),
                                 Filter::Parse("a = '" + std::string(taken, 'x') + "'"));
            const auto word = subscriber.GetWord(Seconds(1));
            WordTable table(context);
            table.Hear(Seconds(1), word, SELF);
            test.Expect(table.Find(SELF) && EncodeWord(word).size() <= options.maxFrameBytes,
                        "taken, length " + std::to_string(taken));
        }
    }
    catch (const std::length_error&)
    {
        test.Expect(taken > 50, "one that is too long is refused");
    }
}

/// Frames have become shorter since the store was written.
void
OfAStoreWhatFitsIsTaken(FunctionCase& test)
{
    Options options;
    options.maxFrameBytes = 100;
    const auto context = MakeContext(SELF, SUBSCRIBER, options);
    const auto large = Filter::Parse("a = '" + std::string(200, 'x') + "'");
    SubscriberMemory memory{{{Filter::Parse("a = 1"), Seconds(1)},
                             {large, Seconds(2)},
                             {Filter::Parse("a = 2"), Seconds(3)}},
                            7,
                            {}};
    const auto kept = KeepFitting(context, memory);
    test.Expect(kept.filters.size() == 2 && !kept.filters.contains(large), "those around it fit");
    test.Expect(kept.timestamp == 8, "others know its former word by the former timestamp");
    test.Expect(KeepFitting(context, kept).timestamp == 8, "it is the same word from now on");

    options.maxFrameBytes = 65000;
    memory.filters.clear();
    for (int number = 0; number < 256; ++number)
    {
        memory.filters.emplace(Filter::Parse("a = " + std::to_string(number)), Seconds(number));
    }
    const auto most = KeepFitting(MakeContext(SELF, SUBSCRIBER, options), memory);
    test.Expect(most.filters.size() == 255 && !most.filters.contains(Filter::Parse("a = 255")),
                "no more than its byte can count, the oldest first");
}

class MeshWordsSuite : public ns3::TestSuite
{
  public:
    MeshWordsSuite()
        : TestSuite("mftpubsub-mesh-words", Type::UNIT)
    {
        Add("Words survive the wire", WordsSurviveTheWire);
        Add("Filters of many are said once", FiltersOfManyAreSaidOnce);
        Add("Ages end with their bytes", AgesEndWithTheirBytes);
        Add("Nobody's words are refused", NobodysWordsAreRefused);
        Add("Stamps survive the wire", StampsSurviveTheWire);
        Add("Words fill frames", WordsFillFrames);
        Add("Neighbours begin with other words", NeighboursBeginWithOtherWords);
        Add("Words age on their way", WordsAgeOnTheirWay);
        Add("Words of many go together", WordsOfManyGoTogether);
        Add("Hashes tell where tables differ", HashesTellWhereTablesDiffer);
        Add("Large tables are compared in turn", LargeTablesAreComparedInTurn);
        Add("Doubts wait while tables are compared", DoubtsWaitWhileTablesAreCompared);
        Add("Hashes of nobody are refused", HashesOfNobodyAreRefused);
        Add("What a subscriber takes fits into a frame", WhatIsTakenFits);
        Add("Of a store what fits is taken", OfAStoreWhatFitsIsTaken);
        Add("A BSUB waits while new words come", ABsubWaitsWhileNewWordsCome);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

MeshWordsSuite g_meshWords;

} // namespace

} // namespace mftpubsub::mesh::mesh_words_test
