/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Rule 12: blocks of events, and sums of these, from which whoever lacks some solves them.
 */
#include "function-case.h"
#include "mesh-blocks.h"
#include "protocols/mesh/mesh-station.h"

#include "ns3/test.h"

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::mesh::mesh_blocks_test
{

namespace
{

using namespace blocks;

std::vector<EventPtr>
MakeMotley()
{
    std::vector<EventPtr> events;
    const auto add = [&events](EventId id, Attributes attributes, uint16_t zeros, Bytes payload) {
        auto event = std::make_shared<Event>(Event{id, std::move(attributes), zeros});
        if (!payload.empty())
        {
            event->SetPayload(payload);
        }
        events.push_back(std::move(event));
    };
    const Attributes few{{"topic", std::string("a")}};
    const Attributes many{{"topic", std::string("b")},
                          {"x", 1.5},
                          {"n", int64_t{-3}},
                          {"is", true}};
    add({MAKER, 4}, few, 20, {});
    add({MAKER, 5}, few, 0, {});
    add({MAKER, 6}, many, 0, {1, 2, 0, 0});
    add({MAKER, 8}, few, 3, {});
    add({OTHER, 9}, many, 0, {0, 9});
    add({OTHER, UINT32_MAX}, {}, 0, {});
    add({OTHER, 0}, {}, 0, {});
    add({OTHER, 1}, many, 1, {});
    return events;
}

void
APackedBlockComesBack(FunctionCase& test)
{
    const auto events = MakeMotley();
    for (size_t count = 1; count <= events.size(); ++count)
    {
        const std::vector some(events.begin(), events.begin() + static_cast<ptrdiff_t>(count));
        auto bytes = PackBlock(some);
        const auto size = bytes.size();
        bytes.resize(size + 7 * (count % 2)); // a sum is as long as the longest block
        const auto back = UnpackBlock(bytes);
        test.Expect(back.bytes == size, "the zeros behind it are not of it");
        test.Expect(back.events.size() == count, "all events come back");
        for (size_t i = 0; i < back.events.size(); ++i)
        {
            test.Expect(*back.events[i] == *some[i], "with all that they say");
        }
    }
    std::vector<EventPtr> most;
    for (uint32_t sequence = 0; sequence < MAX_BLOCK; ++sequence)
    {
        most.push_back(MakeEvent({MAKER, 2 * sequence}, std::to_string(sequence)));
    }
    most.back() = MakeEvent({MAKER, 999}, std::to_string(MAX_BLOCK - 2)); // is like the one before
    const auto back = UnpackBlock(PackBlock(most));
    test.Expect(back.events.size() == MAX_BLOCK && *back.events.back() == *most.back(),
                "so many number each other");
}

void
WhatIsNoBlockGivesNoEvents(FunctionCase& test)
{
    const auto bytes = PackBlock(MakeMotley());
    for (size_t at = 0; at < bytes.size(); ++at)
    {
        for (const auto flip : {0x01, 0x80, 0xff})
        {
            auto other = bytes;
            other[at] ^= static_cast<uint8_t>(flip);
            test.Expect(UnpackBlock(other).events.empty(), "a byte is another one");
            other.resize(other.size() + 70000);
            test.Expect(UnpackBlock(other).events.empty(), "zeros follow it");
        }
        const Bytes part(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(at));
        test.Expect(UnpackBlock(part).events.empty(), "a part of it");
    }
    test.Expect(UnpackBlock(Bytes(100)).events.empty(), "zeros");
    test.Expect(UnpackBlock(PackBlock({})).events.empty(), "nothing");
}

void
EventsThatContinueEachOtherTakeLessRoom(FunctionCase& test)
{
    const auto size = [](EventId second, const std::string& topic) {
        const std::vector<EventPtr> events{MakeEvent({MAKER, 4}, "aaaa"), MakeEvent(second, topic)};
        return PackBlock(events).size();
    };
    const auto next = size({MAKER, 5}, "aaaa");
    test.Expect(size({MAKER, 6}, "aaaa") == next + 6, "a publisher and a number");
    test.Expect(size({OTHER, 5}, "aaaa") == next + 6, "the number alone is not enough");
    test.Expect(size({MAKER, 5}, "bbbb") > next + 4, "attributes of its own");
}

BlockMix
MakeMix(const std::vector<BlockId>& blocks, size_t bytes)
{
    BlockMix mix{{}, 3, blocks, {}, {}};
    for (size_t i = 0; i < blocks.size(); ++i)
    {
        mix.factors.push_back(galois::FromNibble(static_cast<uint8_t>((i + 1) % 16)));
    }
    for (size_t i = 0; i < bytes; ++i)
    {
        mix.sum.push_back(static_cast<uint8_t>(7 * i + 1));
    }
    return mix;
}

std::vector<std::vector<BlockId>>
MakeLists()
{
    std::vector<std::vector<BlockId>> lists{
        {},
        {{MAKER, 5}},
        {{MAKER, 5}, {OTHER, 6}},
        {{MAKER, 0}, {MAKER, 65534}, {MAKER, 65535}},
        {{2, 5}, {MAKER, 5}, {MAKER, 6}, {MAKER, 7}, {MAKER, 9}, {OTHER, 9}, {OTHER, 10}}};
    std::vector<BlockId> run;
    for (uint16_t number = 9; number < 9 + 301; ++number)
    {
        run.push_back({MAKER, number});
    }
    lists.push_back(run); // more than a byte counts
    return lists;
}

void
ASumSurvivesItsEncoding(FunctionCase& test)
{
    const State state{BROKER, 99, MakePart(MakeSummary(MAKER, {0, 9})), {}, {{MAKER, 4}}, {}, {}};
    for (const auto& blocks : MakeLists())
    {
        for (const auto has : {false, true})
        {
            auto mix = MakeMix(blocks, 40 + blocks.size());
            mix.state = has ? std::optional(state) : std::nullopt;
            const auto bytes = Encode(MakeFrame(SELF, mix));
            test.Expect(bytes.size() ==
                            BLOCK_MIX_BYTES + CountSumBytes(mix) + (has ? CountBytes(state) : 0),
                        "it is as long as it is counted");
            const auto frame = Decode(bytes);
            const auto* back = std::get_if<BlockMix>(&frame.body);
            test.Expect(back && back->blocks == blocks && back->factors == mix.factors &&
                            back->sum == mix.sum && back->hops == mix.hops,
                        std::to_string(blocks.size()) + " blocks come back");
            test.Expect(back && back->state.has_value() == has &&
                            (!has || (back->state->wordsHash == state.wordsHash &&
                                      back->state->answers == state.answers)),
                        "and the STATE");
            test.Expect(Encode(frame) == bytes, "and are the same bytes again");
        }
    }
    const auto runs = MakeLists()[4];
    test.Expect(CountSumBytes(MakeMix(runs, 0)) == 4 * 5 + 4, "four runs, and half a byte each");
}

void
CutSumsAreHarmless(FunctionCase& test)
{
    for (const auto& blocks : MakeLists())
    {
        auto sums = MakeSums(1);
        const auto mix = MakeMix(blocks, 30);
        auto bytes = Encode(MakeFrame(SELF, mix));
        for (size_t size = 0; size < bytes.size(); ++size)
        {
            const auto frame = TryDecode(std::span(bytes).first(size));
            test.Expect(frame.has_value() == (size + 30 >= bytes.size()),
                        "without all factors it is no frame, and without the end of its sum one");
            if (frame)
            {
                const auto solved = sums.Hear(Seconds(1), std::get<BlockMix>(frame->body));
                test.Expect(solved.empty(), "that says nothing");
            }
        }
    }
    std::mt19937 random{1};
    for (int time = 0; time < 500; ++time)
    {
        auto sums = MakeSums(1);
        auto bytes = Encode(MakeFrame(SELF, MakeMix(MakeLists()[4], 30)));
        for (size_t at = HEADER_BYTES; at < bytes.size(); ++at)
        {
            bytes[at] = random() % 8 == 0 ? static_cast<uint8_t>(random()) : bytes[at];
        }
        const auto frame = TryDecode(bytes);
        const auto* mix = frame ? std::get_if<BlockMix>(&frame->body) : nullptr;
        test.Expect(!mix || (mix->blocks.size() == mix->factors.size() &&
                             sums.Hear(Seconds(1), *mix).empty()),
                    "any bytes");
    }
}

void
AsManySumsAsBlocksSolveThem(FunctionCase& test)
{
    for (const uint32_t count : {1U, 2U, 7U, 40U})
    {
        auto maker = MakeSums(1);
        MakeBlocks(maker, Seconds(1), MAKER, count);
        auto sums = MakeSums(2);
        std::vector<CarriedEvent> solved;
        for (uint32_t heard = 0; sums.CountNews() < count && heard < 2 * count + 9; ++heard)
        {
            test.Expect(solved.size() < 3 * count, "fewer sums do not solve all");
            for (auto& carried : sums.Hear(Seconds(1), maker.MakeSum(Seconds(1), BUDGET).value()))
            {
                solved.push_back(std::move(carried)); // of some a sum has no factor, by chance
            }
        }
        test.Expect(GetIds(solved) == GetIds(MakeNews(MAKER, 0, 3 * count)) &&
                        solved.size() == 3 * count,
                    std::to_string(count) + " blocks are solved");
        for (const auto& carried : solved)
        {
            const auto sequence = carried.event->id.sequence;
            test.Expect(*carried.event == *MakeNews(MAKER, sequence, 1)[0].event, "as they were");
            test.Expect(sums.Has(carried.event->id), "and are known");
        }
        test.Expect(sums.Hear(Seconds(1), maker.MakeSum(Seconds(1), BUDGET).value()).empty() &&
                        sums.CountNews() == count,
                    "a sum of what is known says nothing new");
    }
}

void
ARelayPassesOnWhatItHasNotSolved(FunctionCase& test)
{
    auto maker = MakeSums(1);
    const auto blocks = MakeBlocks(maker, Seconds(1), MAKER, 4);
    auto relay = MakeSums(2);
    uint8_t hops = 0;
    while (relay.CountNews() < 3)
    {
        const auto mix = maker.MakeSum(Seconds(1), BUDGET).value();
        hops = mix.hops;
        const auto solved = relay.Hear(Seconds(1), mix);
        test.Expect(solved.empty(), "the relay has a sum too few");
    }
    auto third = MakeSums(3);
    auto solved = third.Hear(Seconds(1), blocks[2]);
    test.Expect(GetIds(solved) == GetIds(MakeNews(MAKER, 6, 3)), "a plain block is solved at once");
    test.Expect(!solved.empty() && solved[0].hops == 1, "it has come one hop");
    for (int heard = 0; third.CountNews() < 4 && heard < 20; ++heard)
    {
        const auto mix = relay.MakeSum(Seconds(1), BUDGET).value();
        test.Expect(mix.blocks.size() <= 4 && mix.hops == hops + 1, "sums of the same, a hop on");
        for (const auto& carried : third.Hear(Seconds(1), mix))
        {
            solved.push_back(carried);
        }
    }
    test.Expect(GetIds(solved) == GetIds(MakeNews(MAKER, 0, 12)), "three sums solve the others");
}

void
OldBlocksAreInNoSum(FunctionCase& test)
{
    const BlockLimits limits;
    auto sums = MakeSums(1);
    test.Expect(!sums.MakeSum(Seconds(1), BUDGET), "there is nothing");
    const auto first = sums.MakeBlock(Seconds(1), SELF, MakeNews(SELF, 0, 3));
    const auto later = Seconds(1.1) + limits.window;
    const auto second = sums.MakeBlock(later, SELF, MakeNews(SELF, 3, 3));
    test.Expect(sums.MakeSum(later - Seconds(0.2), BUDGET)->blocks.size() == 2, "both are late");
    test.Expect(sums.MakeSum(later, BUDGET)->blocks == second.blocks, "one is");
    const auto old = sums.MakeSumOf(BUDGET, {{SELF, 1}, {SELF, 2}, {OTHER, 9}});
    test.Expect(old && old->blocks == first.blocks, "who lacks an old one gets it");
    auto other = MakeSums(2);
    test.Expect(old && GetIds(other.Hear(later, *old)) == GetIds(MakeNews(SELF, 0, 3)), "whole");
    test.Expect(!sums.MakeSumOf(BUDGET, {{OTHER, 9}}), "if there is a block with it");
    test.Expect(!sums.MakeSum(later + Seconds(0.1) + limits.window, BUDGET), "none is late");
    test.Expect(sums.HasNew(later) && !sums.HasNew(later + Seconds(0.1)), "since then");

    auto foreign = MakeSums(3);
    const auto its = foreign.MakeBlock(later, OTHER, MakeNews(OTHER, 0, 3));
    foreign.MakeBlock(later, OTHER, MakeNews(OTHER, 3, 3));
    sums.Hear(later, its);
    sums.Hear(later, foreign.MakeSum(later, BUDGET).value());
    sums.MakeBlock(later, SELF, MakeNews(SELF, 6, 3));
    const auto theirs = sums.GetEvents(its);
    test.Expect(theirs.size() == 3 && theirs[0] == EventId{OTHER, 0}, "these are in a block");
    test.Expect(sums.CountEvents(later) == 12, "four blocks of three");
}

void
ABlockGoesAgainUntilASumNamesIt(FunctionCase& test)
{
    const BlockLimits limits;
    auto maker = MakeSums(1);
    test.Expect(maker.UnheardAt() == NEVER, "none before there is one");
    const auto first = maker.MakeBlock(Seconds(1), SELF, MakeNews(SELF, 0, 3));
    maker.MakeBlock(Seconds(1.5), SELF, MakeNews(SELF, 3, 3));
    test.Expect(maker.UnheardAt() == Seconds(1) + limits.unheard, "the first one, soon");
    const auto at = Seconds(1.1) + limits.unheard;
    const auto again = maker.RepeatUnheard(at);
    test.Expect(again.blocks == first.blocks && again.sum == first.sum && again.hops == first.hops,
                "as it was");
    test.Expect(maker.UnheardAt() == Seconds(1.5) + limits.unheard, "then the other one");
    maker.RepeatUnheard(maker.UnheardAt());
    test.Expect(maker.UnheardAt() == at + 2 * limits.unheard, "later and later");

    auto hearer = MakeSums(2);
    hearer.Hear(at, again);
    hearer.MakeBlock(at, OTHER, MakeNews(OTHER, 0, 3));
    maker.Hear(at, hearer.MakeSum(at, BUDGET).value());
    test.Expect(maker.UnheardAt() == Seconds(1.5) + 3 * limits.unheard, "what is named does not");
    hearer.MakeBlock(at + limits.known, OTHER, MakeNews(OTHER, 3, 3));
    maker.MakeBlock(at + limits.known, OTHER, MakeNews(OTHER, 6, 3));
    test.Expect(maker.UnheardAt() == at + limits.known + limits.unheard, "nor what is forgotten");
}

void
BlocksAreForgotten(FunctionCase& test)
{
    BlockLimits limits;
    limits.mostKnown = 64;
    limits.mostMet = 2048;
    limits.mostUnsolved = 20;
    auto sums = MakeSums(1, limits);
    auto maker = MakeSums(2);
    auto others = MakeSums(3);
    const auto after = [&](uint32_t blocks, uint32_t from) {
        for (auto block = from; block < from + blocks; ++block)
        {
            const auto now = Seconds(1 + 0.1 * block);
            sums.Hear(now, maker.MakeBlock(now, MAKER, MakeNews(MAKER, block, 1)));
            const auto at = now + block * limits.window; // sums of two blocks that nobody solves
            others.MakeBlock(at, OTHER, MakeNews(OTHER, 2 * block, 1));
            others.MakeBlock(at, OTHER, MakeNews(OTHER, 2 * block + 1, 1));
            sums.Hear(now, others.MakeSum(at, BUDGET).value());
        }
        return sums.CountRemembered();
    };
    const auto many = after(1000, 0);
    test.Expect(after(1000, 1000) <= many + 100, "it does not remember more and more");
    test.Expect(!sums.Has({MAKER, 1000}) && sums.Has({MAKER, 1999}), "but what is new");
}

void
SumsOfOldBlocksEnd(FunctionCase& test)
{
    const BlockLimits limits;
    auto maker = MakeSums(1);
    const auto blocks = MakeBlocks(maker, Seconds(1), MAKER, 2);
    auto sums = MakeSums(2);
    sums.Hear(Seconds(1), maker.MakeSum(Seconds(1), BUDGET).value());
    auto other = MakeSums(3);
    const auto late = limits.unsolved;
    other.Hear(late, sums.MakeSum(late, BUDGET).value());
    const auto after = Seconds(1.1) + limits.unsolved;
    sums.Hear(after, other.MakeSum(after, BUDGET).value());
    test.Expect(!sums.MakeSum(after, BUDGET), "who heard of them long ago passes on none");
    test.Expect(sums.Hear(after, blocks[1]).size() == 6, "it solves them all the same");
}

void
SumsThatWaitForLongAreStuck(FunctionCase& test)
{
    const BlockLimits limits;
    auto maker = MakeSums(1);
    const auto blocks = MakeBlocks(maker, Seconds(1), MAKER, 2);
    auto sums = MakeSums(2);
    sums.Hear(Seconds(1), maker.MakeSum(Seconds(1), BUDGET).value());
    const auto late = Seconds(1.1) + limits.stuck;
    test.Expect(sums.CountStuck(late - Seconds(0.2)) == 0 && sums.CountStuck(late) == 1, "one is");
    auto other = sums;
    test.Expect(sums.Hear(late, blocks[1]).size() == 6 && sums.CountStuck(late) == 0, "until then");
    const auto after = Seconds(1.1) + limits.unsolved;
    test.Expect(other.CountStuck(after) == 0, "or for so long, whether others come or not");
    test.Expect(other.Hear(after, blocks[1]).size() == 3, "as it is forgotten");
}

void
SumsAreForgottenWhereNoneIsHeard(FunctionCase& test)
{
    const Options options;
    MeshStation station(SELF, BROKER, options, MakeUniform(1), {});
    auto maker = MakeSums(1);
    MakeBlocks(maker, Seconds(1), MAKER, 2);
    const auto sum = Encode(MakeFrame(MAKER, maker.MakeSum(Seconds(1), BUDGET).value()));
    Output output;
    station.Step(Seconds(0), input::Started(), output);
    const auto none = station.GetBroker()->CountRemembered();
    station.Step(Seconds(1), input::Heard{sum, -60}, output);
    test.Expect(station.GetBroker()->CountRemembered() == none + 3, "a sum of two blocks");
    station.Step(Seconds(1.1) + options.limits.block.unsolved, input::Expired(), output);
    test.Expect(station.GetBroker()->CountRemembered() == none + 2, "the blocks alone");
}

void
AGarbageSumSaysNothing(FunctionCase& test)
{
    auto maker = MakeSums(1);
    auto blocks = MakeBlocks(maker, Seconds(1), MAKER, 2);
    auto sums = MakeSums(2);
    blocks[0].sum[9] ^= 1;
    test.Expect(sums.Hear(Seconds(1), blocks[0]).empty(), "it is no block");
    auto mix = maker.MakeSum(Seconds(1), BUDGET).value();
    mix.sum[0] ^= 1;
    auto others = MakeSums(3);
    others.Hear(Seconds(1), blocks[1]);
    test.Expect(others.Hear(Seconds(1), mix).empty(), "nor is what is solved with it");
    test.Expect(!others.Has({MAKER, 0}), "nothing of it is known");
    for (int heard = 0; heard < 9; ++heard)
    {
        others.Hear(Seconds(1), maker.MakeSum(Seconds(1), BUDGET).value());
    }
    test.Expect(others.Has({MAKER, 0}) && others.Has({MAKER, 3}), "right ones bring all");
}

/// A maker that restarts, with the same numbers of blocks again, and a hearer of its former life.
struct Restarted
{
    BlockSums former{MakeSums(1)};
    BlockSums maker{MakeSums(1)};
    BlockMix old{former.MakeBlock(Seconds(1), MAKER, MakeNews(MAKER, 0, 3))};
    BlockMix fresh{maker.MakeBlock(Seconds(40), MAKER, MakeNews(MAKER, 3, 3))};
    BlockSums hearer{MakeSums(2)};

    Restarted()
    {
        hearer.Hear(Seconds(1), old);
    }
};

void
ABlockReplacesOneOfItsName(FunctionCase& test)
{
    const auto replaces = [&test](Instant now, const BlockMix& mix, const std::string& what) {
        Restarted its;
        test.Expect(its.fresh.blocks == its.old.blocks, "their names are the same");
        test.Expect(GetIds(its.hearer.Hear(now, mix)) == GetIds(MakeNews(MAKER, 3, 3)), what);
        test.Expect(!its.hearer.Has({MAKER, 0}) && its.hearer.Has({MAKER, 3}), "not the old one");
        const auto sum = its.hearer.MakeSum(now, BUDGET);
        test.Expect(sum && its.maker.Hear(now, *sum).empty() && its.maker.Has({MAKER, 3}),
                    "sums are of the new one");
        its.hearer.Hear(Seconds(1.1) + BlockLimits().known, its.fresh);
        test.Expect(its.hearer.Has({MAKER, 3}), "which is not forgotten with the old one");
    };
    replaces(Seconds(40), Restarted().fresh, "the new one is heard");
    auto its = Restarted();
    replaces(Seconds(41), its.maker.MakeSum(Seconds(40), BUDGET).value(), "a sum of it alone, too");

    const auto after = Seconds(1.1) + BlockLimits().known;
    auto garbage = its.fresh;
    garbage.sum[0] ^= 1;
    its.hearer.Hear(after, garbage);
    its.hearer.Hear(after, its.old);
    test.Expect(!its.hearer.Has({MAKER, 0}), "what is over is not heard again");
    test.Expect(its.hearer.Hear(after, its.fresh).size() == 3, "unless it is another one");
}

/// @return events that @p hearer solves by sums of so many blocks of three
size_t
CountSolved(BlockSums hearer, uint32_t blocks)
{
    auto maker = MakeSums(1);
    MakeBlocks(maker, Seconds(1), MAKER, blocks);
    std::set<EventId> solved;
    for (int heard = 0; heard < 9; ++heard)
    {
        const auto sum = maker.MakeSum(Seconds(1), BUDGET).value();
        solved.merge(GetIds(hearer.Hear(Seconds(1), sum)));
    }
    return solved.size();
}

void
NamesThatAreForgottenAreSolved(FunctionCase& test)
{
    BlockLimits limits;
    limits.mostMet = 1;
    test.Expect(CountSolved(MakeSums(2, limits), 2) == 6, "both, though one name is remembered");
}

void
SumsOfTooManyBlocksAreNotHeard(FunctionCase& test)
{
    BlockLimits limits;
    limits.blocks = 1;
    test.Expect(CountSolved(MakeSums(2, limits), 2) == 6, "a known one, and as many others");
    test.Expect(CountSolved(MakeSums(2, limits), 3) == 0, "one more");
}

void
AFormerBlockSpoilsOthersForOnce(FunctionCase& test)
{
    for (const auto knowsOthers : {false, true})
    {
        Restarted its;
        auto foreign = MakeSums(3);
        auto relay = MakeSums(4);
        relay.Hear(Seconds(40), its.fresh);
        for (const auto& block : MakeBlocks(foreign, Seconds(40), OTHER, 3))
        {
            relay.Hear(Seconds(40), block);
            if (knowsOthers)
            {
                its.hearer.Hear(Seconds(40), block);
            }
        }
        for (int heard = 0; heard < 20; ++heard)
        {
            its.hearer.Hear(Seconds(40), relay.MakeSum(Seconds(40), BUDGET).value());
        }
        test.Expect(its.hearer.Has({MAKER, 3}) && !its.hearer.Has({MAKER, 0}),
                    "the new one is solved");
        test.Expect(its.hearer.Has({OTHER, 0}) && its.hearer.Has({OTHER, 8}), "and so are others");
    }
}

/// What a former block was taken out of waits for nothing.
void
SumsThatAFormerBlockHasSpoiltEndWithIt(FunctionCase& test)
{
    Restarted its;
    auto foreign = MakeSums(3);
    for (const auto& block : MakeBlocks(foreign, Seconds(40), OTHER, 2))
    {
        its.maker.Hear(Seconds(40), block);
    }
    its.hearer.Hear(Seconds(40), its.maker.MakeSum(Seconds(40), BUDGET).value());
    const auto after = Seconds(40) + BlockLimits().stuck + Seconds(0.1);
    test.Expect(its.hearer.CountStuck(after) == 1, "it waits for the others");
    its.hearer.Hear(Seconds(40), its.fresh);
    test.Expect(its.hearer.CountStuck(after) == 0, "which would not solve it");
}

void
AMakerLeavesOutNamesOfItsFormerLife(FunctionCase& test)
{
    Restarted its;
    auto again = MakeSums(1);
    again.Hear(Seconds(40), its.old);
    const auto block = again.MakeBlock(Seconds(40), MAKER, MakeNews(MAKER, 6, 3));
    test.Expect(block.blocks[0].number == static_cast<uint16_t>(its.old.blocks[0].number + 1),
                "others have it");
    test.Expect(again.Has({MAKER, 0}) && again.Has({MAKER, 6}), "it has both");
}

class MeshBlocksSuite : public ns3::TestSuite
{
  public:
    MeshBlocksSuite()
        : TestSuite("mftpubsub-mesh-blocks", Type::UNIT)
    {
        Add("A packed block comes back", APackedBlockComesBack);
        Add("What is no block gives no events", WhatIsNoBlockGivesNoEvents);
        Add("Events that continue each other take less room",
            EventsThatContinueEachOtherTakeLessRoom);
        Add("A sum survives its encoding", ASumSurvivesItsEncoding);
        Add("Cut sums are harmless", CutSumsAreHarmless);
        Add("As many sums as blocks solve them", AsManySumsAsBlocksSolveThem);
        Add("A relay passes on what it has not solved", ARelayPassesOnWhatItHasNotSolved);
        Add("Old blocks are in no sum", OldBlocksAreInNoSum);
        Add("A block goes again until a sum names it", ABlockGoesAgainUntilASumNamesIt);
        Add("Blocks are forgotten", BlocksAreForgotten);
        Add("Sums of old blocks end", SumsOfOldBlocksEnd);
        Add("Sums that wait for long are stuck", SumsThatWaitForLongAreStuck);
        Add("Sums are forgotten where none is heard", SumsAreForgottenWhereNoneIsHeard);
        Add("A garbage sum says nothing", AGarbageSumSaysNothing);
        Add("A block replaces one of its name", ABlockReplacesOneOfItsName);
        Add("Names that are forgotten are solved", NamesThatAreForgottenAreSolved);
        Add("Sums of too many blocks are not heard", SumsOfTooManyBlocksAreNotHeard);
        Add("A former block spoils others for once", AFormerBlockSpoilsOthersForOnce);
        Add("Sums that a former block has spoilt end with it",
            SumsThatAFormerBlockHasSpoiltEndWithIt);
        Add("A maker leaves out names of its former life", AMakerLeavesOutNamesOfItsFormerLife);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

MeshBlocksSuite g_meshBlocks;

} // namespace

} // namespace mftpubsub::mesh::mesh_blocks_test
