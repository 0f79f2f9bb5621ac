/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Sets of events of the mesh: what is had, what is told of it, and when it was settled.
 */
#include "function-case.h"
#include "protocols/mesh/settled.h"
#include "protocols/mesh/summary.h"

#include "ns3/test.h"

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::mesh::mesh_summary_test
{

namespace
{

SummaryPart
Recode(const SummaryPart& part)
{
    ByteWriter out;
    part.Write(out);
    const auto bytes = out.Take();
    ByteReader in(bytes);
    auto read = SummaryPart::Read(in);
    in.ExpectEnd();
    return read;
}

/// @return whether there was one
bool
RemoveAll(std::set<uint32_t>& from, uint32_t begin, uint32_t end)
{
    const auto first = from.lower_bound(begin);
    const auto last = from.lower_bound(std::max(begin, end));
    const auto isThere = first != last;
    from.erase(first, last);
    return isThere;
}

void
SetsAgreeWithStdSet(FunctionCase& test)
{
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round)
    {
        SequenceSet one;
        SequenceSet other;
        std::set<uint32_t> mine;
        std::set<uint32_t> theirs;
        for (int i = 0; i < 60; ++i)
        {
            const auto begin = static_cast<uint32_t>(random() % 40);
            const auto end = begin + static_cast<uint32_t>(random() % 5);
            auto& set = random() % 2 ? one : other;
            auto& model = &set == &one ? mine : theirs;
            if (random() % 3)
            {
                set.Add({begin, end});
                for (auto s = begin; s < end; ++s)
                {
                    model.insert(s);
                }
            }
            else
            {
                test.Expect(RemoveAll(model, begin, end) == set.Remove({begin, end}),
                            "Remove tells");
            }
        }
        SequenceSet rest;
        for (const auto& run : one.Minus(other))
        {
            rest.Add(run);
        }
        for (uint32_t s = 0; s < 50; ++s)
        {
            test.Expect(one.Has(s) == mine.contains(s), "Has");
            test.Expect(rest.Has(s) == (mine.contains(s) && !theirs.contains(s)), "Minus");
        }
    }
}

Summary
RandomSummary(std::mt19937& random)
{
    Summary summary;
    const auto publishers = 1 + random() % 6;
    for (uint32_t i = 0; i < publishers; ++i)
    {
        const auto publisher = static_cast<NodeId>(random() % 2 ? i : random());
        auto at = static_cast<uint32_t>(random() % 3 ? random() % 10 : random() >> 1);
        for (auto runs = random() % 30; runs > 0; --runs)
        {
            const auto end = at + 1 + static_cast<uint32_t>(random() % 3);
            summary.Add(publisher, {at, end});
            at = end + 1 + static_cast<uint32_t>(random() % (random() % 9 ? 3 : 1000000));
        }
    }
    return summary;
}

/// What is beyond a part's interval is unknown; the next one begins where it ends.
void
PartsGoOnWhereTheyEnd(FunctionCase& test)
{
    std::mt19937 random(1);
    for (int round = 0; round < 300; ++round)
    {
        const auto summary = RandomSummary(random);
        const auto more = RandomSummary(random);
        const auto budget = SummaryPart::MIN_BYTES + random() % 40;
        const auto publishers = 1 + random() % 3;
        auto from = SummaryPart::BEGIN;
        SummaryPart all;
        size_t parts = 0;
        do
        {
            const auto begin = from;
            const SummaryPart part(summary, budget, from, publishers);
            ByteWriter out;
            part.Write(out);
            test.Expect(out.Take().size() == part.CountBytes(), "CountBytes tells");
            test.Expect(part.CountBytes() <= budget, "a part fits");
            test.Expect(part.GetSummary().GetPublishers().size() <= publishers, "names few");
            test.Expect(Recode(part) == part, "comes back");
            test.Expect(part.IsWhole() || part.GetFrom() == begin, "begins where it should");
            test.Expect(from == SummaryPart::BEGIN || begin < from, "ends later");
            const auto lacking = part.LackingOf(more);
            for (const auto& [publisher, sequences] : more.GetPublishers())
            {
                for (const auto& run : sequences.GetRuns())
                {
                    const EventId id{publisher, run.begin};
                    const auto isBefore = from == SummaryPart::BEGIN || id < from;
                    const auto speaks = part.IsWhole() || (begin <= id && isBefore);
                    const auto isThere = summary.Has(id);
                    const auto says = part.Says(id);
                    test.Expect(!speaks == (says == SummaryPart::Answer::UNKNOWN),
                                "of its interval");
                    test.Expect(!speaks || isThere == (says == SummaryPart::Answer::HAS),
                                "the truth");
                    test.Expect(lacking.Has(id) == (speaks && !isThere), "what it lacks");
                }
            }
            all.Update(part);
            ++parts;
        } while (from != SummaryPart::BEGIN && parts < 1000);
        test.Expect(all.GetSummary() == summary && all.IsWhole(), "all parts are the whole");
    }
}

void
AnUpdateForgetsWhatHasGone(FunctionCase& test)
{
    Summary before;
    before.Add(1, {0, 10});
    before.Add(2, {0, 10});
    auto from = SummaryPart::BEGIN;
    SummaryPart known(before, 100, from);
    Summary after = before;
    after.Remove({1, 4});
    after.Remove({2, 4});
    from = EventId{1, 8};
    SummaryPart part(after, SummaryPart::MIN_BYTES, from, 1); // whole it does not fit
    test.Expect(part.GetFrom() == EventId{1, 8} && from == EventId{2, 0}, "of one publisher");
    part.Update(SummaryPart(after, SummaryPart::MIN_BYTES, from, 1));
    known.Update(part);
    test.Expect(known.Says({1, 4}) == SummaryPart::Answer::HAS, "before the interval: as it was");
    test.Expect(known.Says({2, 4}) == SummaryPart::Answer::LACKS, "within: gone");
    known.Note({2, 4});
    test.Expect(known.Says({2, 4}) == SummaryPart::Answer::HAS, "noted");
}

/// Count and publishers of a part, with an interval if any.
Bytes
RawPart(std::optional<std::pair<EventId, EventId>> interval,
        const std::vector<std::pair<NodeId, Bytes>>& publishers)
{
    ByteWriter out;
    out.Put(static_cast<uint8_t>(publishers.size() | (interval ? 0x80 : 0)));
    for (const auto id :
         interval ? std::vector{interval->first, interval->second} : std::vector<EventId>())
    {
        out.Put(id.publisher);
        out.Put(id.sequence);
    }
    for (const auto& [publisher, runs] : publishers)
    {
        out.Put(publisher);
        out.Put(static_cast<uint8_t>(runs.size()));
        for (const auto byte : runs)
        {
            out.Put(byte);
        }
    }
    return out.Take();
}

void
PartsThatAreNoneAreRefused(FunctionCase& test)
{
    const auto isRefused = [](const Bytes& bytes) {
        try
        {
            ByteReader in(bytes);
            SummaryPart::Read(in);
            return false;
        }
        catch (const DecodeError&)
        {
            return true;
        }
    };
    using Interval = std::pair<EventId, EventId>;
    const Interval good{{1, 5}, {2, 3}};
    test.Expect(!isRefused(RawPart(good, {{1, {5, 2}}, {2, {0, 3}}})), "one within its interval");
    test.Expect(isRefused(RawPart(good, {{1, {4, 2}}})), "begins too early");
    test.Expect(isRefused(RawPart(good, {{2, {0, 4}}})), "ends too late");
    test.Expect(isRefused(RawPart(good, {{3, {0, 1}}})), "another publisher");
    test.Expect(isRefused(RawPart(Interval{{2, 3}, {1, 5}}, {})), "an interval reversed");
    test.Expect(isRefused(RawPart(Interval{{2, 3}, {2, 3}}, {})), "an interval of nothing");
    test.Expect(isRefused(RawPart(Interval{SummaryPart::BEGIN, SummaryPart::END}, {})), "of all");
    test.Expect(isRefused(RawPart({}, {{2, {0, 1}}, {1, {0, 1}}})), "publishers out of order");
    test.Expect(isRefused(RawPart({}, {{1, {0, 1}}, {1, {5, 1}}})), "a publisher twice");
    test.Expect(isRefused(RawPart({}, {{1, {}}})), "a publisher of nothing");
    test.Expect(isRefused(RawPart({}, {{1, {0, 0}}})), "a run of nothing");
    test.Expect(isRefused(RawPart({}, {{1, {0, 1, 0, 1}}})), "runs that touch");
    test.Expect(isRefused(RawPart({}, {{1, {0}}})), "half a run");
    test.Expect(isRefused(RawPart({}, {{1, {0xff, 0xff, 0xff, 0xff, 0x1f, 1}}})), "33 bits");
    test.Expect(isRefused(RawPart({}, {{1, {1, 0xff, 0xff, 0xff, 0xff, 0x0f}}})),
                "beyond the last");
}

/// It never forgets one that was settled later, and keeps few that were settled much earlier.
void
SettledRemembersWhen(FunctionCase& test)
{
    Settled settled({});
    std::map<uint32_t, Instant> when;
    std::mt19937 random(1);
    auto now = Seconds(0);
    for (uint32_t sequence = 0; sequence < 5000; ++sequence)
    {
        now += Times(Seconds(1), 0.001 * static_cast<double>(random() % 1000));
        settled.Add(now, {1, 2 * sequence});
        when[2 * sequence] = now;
    }
    for (const auto age : {1, 10, 100, 1000})
    {
        const auto since = now - Seconds(age);
        const auto events = settled.Since(since);
        for (const auto& [sequence, at] : when)
        {
            test.Expect(at < since || events.Has({1, sequence}), "what was settled later");
            test.Expect(at > since - Seconds(2 + 0.5 * age) || !events.Has({1, sequence}),
                        "not what was settled long before");
        }
    }
    settled.Remove({1, 9998});
    test.Expect(!settled.Since(now).Has({1, 9998}), "not what is settled no more");
    Summary all;
    all.Add(1, {0, 10000});
    test.Expect(settled.Merge(now, all).Has({1, 9998}), "that is news again");
    test.Expect(settled.GetEvents().CountRuns() == 1, "all is settled");
}

void
SettledCountsItsRuns(FunctionCase& test)
{
    Settled settled({});
    test.Expect(settled.CountRuns() == 0, "nothing yet");
    settled.Add(Seconds(1), {1, 0});
    test.Expect(settled.CountRuns() == 2, "what is settled, and when it was");
    settled.Add(Seconds(1), {1, 2});
    test.Expect(settled.CountRuns() == 4, "two runs");
    settled.Add(Seconds(1), {1, 1});
    test.Expect(settled.CountRuns() == 2, "that are one");
}

class MeshSummarySuite : public ns3::TestSuite
{
  public:
    MeshSummarySuite()
        : TestSuite("mftpubsub-mesh-summary", Type::UNIT)
    {
        Add("Sets of runs agree with std::set", SetsAgreeWithStdSet);
        Add("A part of a summary goes on where the one before ends", PartsGoOnWhereTheyEnd);
        Add("An update forgets what has gone, where it speaks", AnUpdateForgetsWhatHasGone);
        Add("Parts of summaries that are none are refused", PartsThatAreNoneAreRefused);
        Add("Runs of what is settled are counted", SettledCountsItsRuns);
        Add("When events were settled is remembered well enough", SettledRemembersWhen);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

MeshSummarySuite g_meshSummary;

} // namespace

} // namespace mftpubsub::mesh::mesh_summary_test
