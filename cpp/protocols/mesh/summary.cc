/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/summary.h"

#include "protocols/mesh/varint.h"

#include <algorithm>
#include <utility>

namespace mftpubsub::mesh
{

namespace
{

constexpr uint8_t HAS_INTERVAL = 0x80;
constexpr size_t INTERVAL_BYTES = 12;

size_t
CountRunBytes(const std::vector<Run>& runs)
{
    size_t bytes = 0;
    uint32_t at = 0;
    for (const auto& run : runs)
    {
        bytes += CountVarint(run.begin - at) + CountVarint(run.end - run.begin);
        at = run.end;
    }
    return bytes;
}

/// @return bytes of a publisher with so many bytes of runs
size_t
CountPublisher(size_t runBytes)
{
    return 2 + CountVarint(runBytes) + runBytes;
}

/// @return runs that were encoded in @p bytes bytes
std::vector<Run>
ReadRuns(ByteReader& in, size_t bytes)
{
    if (bytes == 0 || bytes > in.Remaining())
    {
        throw DecodeError("a summary ends too early");
    }
    const auto end = in.Remaining() - bytes;
    std::vector<Run> runs;
    uint64_t at = 0;
    while (in.Remaining() > end)
    {
        const auto begin = at + GetVarint(in);
        const auto isNext = runs.empty() || begin > at;
        at = begin + GetVarint(in);
        if (at > UINT32_MAX || at == begin || !isNext)
        {
            throw DecodeError("a run of no sequence numbers in a summary");
        }
        runs.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(at)});
    }
    if (in.Remaining() < end)
    {
        throw DecodeError("a run is longer than a summary says");
    }
    return runs;
}

void
WriteId(ByteWriter& out, EventId id)
{
    out.Put(id.publisher);
    out.Put(id.sequence);
}

EventId
ReadEnd(ByteReader& in)
{
    const auto publisher = in.Get<NodeId>();
    return {publisher, in.Get<uint32_t>()};
}

} // namespace

bool
SequenceSet::Has(uint32_t sequence) const
{
    const auto after =
        std::ranges::upper_bound(m_runs, sequence, {}, [](const Run& run) { return run.begin; });
    return after != m_runs.begin() && sequence < std::prev(after)->end;
}

bool
SequenceSet::Add(Run run)
{
    if (run.begin >= run.end)
    {
        return false;
    }
    const auto first =
        std::ranges::lower_bound(m_runs, run.begin, {}, [](const Run& r) { return r.end; });
    auto last = first;
    if (first != m_runs.end() && first->begin <= run.begin && run.end <= first->end)
    {
        return false;
    }
    for (; last != m_runs.end() && last->begin <= run.end; ++last)
    {
        run.begin = std::min(run.begin, last->begin);
        run.end = std::max(run.end, last->end);
    }
    m_runs.insert(m_runs.erase(first, last), run);
    return true;
}

bool
SequenceSet::Remove(Run run)
{
    const auto first =
        std::ranges::upper_bound(m_runs, run.begin, {}, [](const Run& r) { return r.end; });
    const auto last =
        std::ranges::lower_bound(m_runs, run.end, {}, [](const Run& r) { return r.begin; });
    if (run.begin >= run.end || first >= last)
    {
        return false;
    }
    const Run before{first->begin, run.begin};
    const Run behind{run.end, std::prev(last)->end};
    auto at = m_runs.erase(first, last);
    for (const auto& rest : {behind, before})
    {
        if (rest.begin < rest.end)
        {
            at = m_runs.insert(at, rest);
        }
    }
    return true;
}

std::vector<Run>
SequenceSet::Minus(const SequenceSet& other) const
{
    std::vector<Run> rest;
    auto cut = other.m_runs.begin();
    for (auto run : m_runs)
    {
        while (cut != other.m_runs.end() && cut->end <= run.begin)
        {
            ++cut;
        }
        for (auto c = cut; c != other.m_runs.end() && c->begin < run.end; ++c)
        {
            if (run.begin < c->begin)
            {
                rest.push_back({run.begin, c->begin});
            }
            run.begin = std::max(run.begin, c->end);
        }
        if (run.begin < run.end)
        {
            rest.push_back(run);
        }
    }
    return rest;
}

bool
Summary::Has(EventId id) const
{
    return Of(id.publisher).Has(id.sequence);
}

bool
Summary::Add(EventId id)
{
    return Add(id.publisher, {id.sequence, id.sequence + 1}); // none for the last number
}

bool
Summary::Add(NodeId publisher, Run run)
{
    return run.begin < run.end && m_publishers[publisher].Add(run);
}

bool
Summary::Add(const Summary& other)
{
    bool hasGrown = false;
    for (const auto& [publisher, sequences] : other.m_publishers)
    {
        auto& mine = m_publishers[publisher];
        for (const auto& run : sequences.GetRuns())
        {
            hasGrown |= mine.Add(run);
        }
    }
    return hasGrown;
}

bool
Summary::Remove(EventId id)
{
    const auto isThere = Has(id);
    Remove(id.publisher, {id.sequence, id.sequence + 1});
    return isThere;
}

void
Summary::Remove(NodeId publisher, Run run)
{
    const auto found = m_publishers.find(publisher);
    if (found != m_publishers.end() && found->second.Remove(run) && found->second.GetRuns().empty())
    {
        m_publishers.erase(found);
    }
}

Summary
Summary::Minus(const Summary& other) const
{
    Summary rest;
    for (const auto& [publisher, sequences] : m_publishers)
    {
        for (const auto& run : sequences.Minus(other.Of(publisher)))
        {
            rest.Add(publisher, run);
        }
    }
    return rest;
}

size_t
Summary::CountRuns() const
{
    size_t runs = 0;
    for (const auto& [publisher, sequences] : m_publishers)
    {
        runs += sequences.GetRuns().size();
    }
    return runs;
}

const SequenceSet&
Summary::Of(NodeId publisher) const
{
    static const SequenceSet NONE;
    const auto found = m_publishers.find(publisher);
    return found == m_publishers.end() ? NONE : found->second;
}

std::string
ToText(const Summary& summary)
{
    std::string text;
    for (const auto& [publisher, sequences] : summary.GetPublishers())
    {
        text += (text.empty() ? "" : " ") + std::to_string(publisher) + ":";
        const char* comma = "";
        for (const auto& run : sequences.GetRuns())
        {
            text += comma + std::to_string(run.begin);
            if (run.end > run.begin + 1)
            {
                text += "-" + std::to_string(run.end - 1);
            }
            comma = ",";
        }
    }
    return text.empty() ? "-" : text;
}

SummaryPart::SummaryPart(const Summary& summary, size_t budget, EventId& from, size_t publishers)
{
    m_summary = summary;
    if (CountBytes() > budget || summary.m_publishers.size() > publishers)
    {
        m_summary = {};
        m_from = from;
        Fill(summary, std::max(budget, MIN_BYTES), publishers);
    }
    from = m_to == END ? BEGIN : m_to;
}

void
SummaryPart::Fill(const Summary& summary, size_t budget, size_t publishers)
{
    const auto& all = summary.m_publishers;
    size_t bytes = 1 + INTERVAL_BYTES;
    for (auto at = all.lower_bound(m_from.publisher); at != all.end(); ++at)
    {
        const auto& [publisher, sequences] = *at;
        size_t runBytes = 0;
        uint32_t end = 0;
        for (auto run : sequences.GetRuns())
        {
            run.begin = std::max(run.begin, GetInterval(publisher).begin);
            if (run.begin >= run.end)
            {
                continue;
            }
            const auto more =
                runBytes + CountVarint(run.begin - end) + CountVarint(run.end - run.begin);
            const auto isOneTooMany = end == 0 && m_summary.m_publishers.size() == publishers;
            if (isOneTooMany || bytes + CountPublisher(more) > budget)
            {
                m_to = {publisher, run.begin};
                return;
            }
            m_summary.Add(publisher, run);
            runBytes = more;
            end = run.end;
        }
        bytes += runBytes == 0 ? 0 : CountPublisher(runBytes);
    }
}

Run
SummaryPart::GetInterval(NodeId publisher) const
{
    if (publisher < m_from.publisher || publisher > m_to.publisher)
    {
        return {};
    }
    return {publisher == m_from.publisher ? m_from.sequence : 0,
            publisher == m_to.publisher ? m_to.sequence : UINT32_MAX};
}

SummaryPart::Answer
SummaryPart::Says(EventId id) const
{
    if (m_summary.Has(id))
    {
        return Answer::HAS;
    }
    return m_from <= id && id < m_to ? Answer::LACKS : Answer::UNKNOWN;
}

Summary
SummaryPart::LackingOf(const Summary& events) const
{
    Summary lacking;
    for (const auto& [publisher, sequences] : events.m_publishers)
    {
        const auto interval = GetInterval(publisher);
        for (const auto& run : sequences.Minus(m_summary.Of(publisher)))
        {
            lacking.Add(publisher,
                        {std::max(run.begin, interval.begin), std::min(run.end, interval.end)});
        }
    }
    return lacking;
}

void
SummaryPart::Update(const SummaryPart& newer)
{
    auto& mine = m_summary.m_publishers;
    for (auto at = mine.lower_bound(newer.m_from.publisher);
         at != mine.end() && at->first <= newer.m_to.publisher;)
    {
        const auto publisher = (at++)->first;
        m_summary.Remove(publisher, newer.GetInterval(publisher));
    }
    m_summary.Add(newer.m_summary);
    if (newer.m_from <= m_to && m_from <= newer.m_to)
    {
        m_from = std::min(m_from, newer.m_from);
        m_to = std::max(m_to, newer.m_to);
    }
    else // what it was told of others before is not of one piece with this
    {
        m_from = newer.m_from;
        m_to = newer.m_to;
    }
}

size_t
SummaryPart::CountBytes() const
{
    size_t bytes = 1 + (IsWhole() ? 0 : INTERVAL_BYTES);
    for (const auto& [publisher, sequences] : m_summary.m_publishers)
    {
        bytes += CountPublisher(CountRunBytes(sequences.GetRuns()));
    }
    return bytes;
}

void
SummaryPart::Write(ByteWriter& out) const
{
    out.Put(static_cast<uint8_t>(m_summary.m_publishers.size() | (IsWhole() ? 0 : HAS_INTERVAL)));
    if (!IsWhole())
    {
        WriteId(out, m_from);
        WriteId(out, m_to);
    }
    for (const auto& [publisher, sequences] : m_summary.m_publishers)
    {
        out.Put(publisher);
        PutVarint(out, static_cast<uint32_t>(CountRunBytes(sequences.GetRuns())));
        uint32_t at = 0;
        for (const auto& run : sequences.GetRuns())
        {
            PutVarint(out, run.begin - at);
            PutVarint(out, run.end - run.begin);
            at = run.end;
        }
    }
}

SummaryPart
SummaryPart::Read(ByteReader& in)
{
    SummaryPart part;
    const auto count = in.Get<uint8_t>();
    if (count & HAS_INTERVAL)
    {
        part.m_from = ReadEnd(in);
        part.m_to = ReadEnd(in);
        if (part.m_from >= part.m_to || part.IsWhole())
        {
            throw DecodeError("a summary speaks for an interval that is none");
        }
    }
    auto& publishers = part.m_summary.m_publishers;
    for (auto left = count & ~HAS_INTERVAL; left > 0; --left)
    {
        const auto publisher = in.Get<NodeId>();
        if (!publishers.empty() && publisher <= publishers.rbegin()->first)
        {
            throw DecodeError("the publishers of a summary are not in order");
        }
        const auto runs = ReadRuns(in, GetVarint(in));
        const auto interval = part.GetInterval(publisher);
        if (runs.front().begin < interval.begin || runs.back().end > interval.end)
        {
            throw DecodeError("a summary names an event for which it does not speak");
        }
        for (const auto& run : runs)
        {
            publishers[publisher].Add(run);
        }
    }
    return part;
}

} // namespace mftpubsub::mesh
