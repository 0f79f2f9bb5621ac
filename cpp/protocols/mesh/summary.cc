/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/summary.h"

#include <algorithm>
#include <utility>

namespace mftpubsub::mesh
{

namespace
{

/// Most bytes of runs for one publisher.
constexpr size_t MAX_RUN_BYTES = 127;
constexpr size_t MAX_PUBLISHERS = 127;
constexpr uint8_t IS_A_PART = 0x80;

void
PutVarint(Bytes& out, uint32_t value)
{
    for (; value >= 0x80; value >>= 7)
    {
        out.push_back(static_cast<uint8_t>(value | 0x80));
    }
    out.push_back(static_cast<uint8_t>(value));
}

uint32_t
GetVarint(ByteReader& in)
{
    uint64_t value = 0;
    for (int shift = 0; shift < 35; shift += 7)
    {
        const auto byte = in.Get<uint8_t>();
        value |= uint64_t{byte & 0x7fU} << shift;
        if (byte < 0x80)
        {
            if (value > UINT32_MAX)
            {
                break;
            }
            return static_cast<uint32_t>(value);
        }
    }
    throw DecodeError("a number of more than 32 bits in a summary");
}

/// The runs as they go over the air, as many as fit.
struct EncodedRuns
{
    Bytes bytes;
    size_t runs{0};
};

EncodedRuns
Encode(const std::vector<Run>& runs, size_t budget = MAX_RUN_BYTES)
{
    EncodedRuns encoded;
    uint32_t at = 0;
    for (const auto& run : runs)
    {
        Bytes next;
        PutVarint(next, run.begin - at);
        PutVarint(next, run.end - run.begin);
        if (encoded.bytes.size() + next.size() > std::min(budget, MAX_RUN_BYTES))
        {
            break;
        }
        encoded.bytes.insert(encoded.bytes.end(), next.begin(), next.end());
        ++encoded.runs;
        at = run.end;
    }
    return encoded;
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
SequenceSet::Remove(uint32_t sequence)
{
    const auto found = std::ranges::find_if(m_runs, [sequence](const Run& run) {
        return run.begin <= sequence && sequence < run.end;
    });
    if (found == m_runs.end())
    {
        return false;
    }
    const Run before{found->begin, sequence};
    const Run behind{sequence + 1, found->end};
    auto at = m_runs.erase(found);
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
    return m_publishers[id.publisher].Add({id.sequence, id.sequence + 1});
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
    const auto found = m_publishers.find(id.publisher);
    if (found == m_publishers.end() || !found->second.Remove(id.sequence))
    {
        return false;
    }
    if (found->second.GetRuns().empty())
    {
        m_publishers.erase(found);
    }
    return true;
}

bool
Summary::HasAll(const Summary& other) const
{
    return std::ranges::all_of(other.m_publishers, [this](const auto& entry) {
        return entry.second.Minus(Of(entry.first)).empty();
    });
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

SummaryPart::SummaryPart(const Summary& summary, size_t budget, NodeId& from)
{
    const auto start = std::exchange(from, 0);
    Fill(summary, budget, from);
    if (from != 0 && start != 0)
    {
        *this = SummaryPart();
        m_first = from = start;
        Fill(summary, budget, from);
    }
}

void
SummaryPart::Fill(const Summary& summary, size_t budget, NodeId& from)
{
    const auto& all = summary.m_publishers;
    auto at = all.lower_bound(from);
    size_t bytes = 1 + 4;
    for (; at != all.end() && m_summary.m_publishers.size() < MAX_PUBLISHERS; ++at)
    {
        bytes += 3;
        const auto left = budget - std::min(budget, bytes);
        const auto encoded =
            Encode(at->second.GetRuns(), m_summary.IsEmpty() ? left : MAX_RUN_BYTES);
        bytes += encoded.bytes.size();
        if (bytes > budget && !m_summary.IsEmpty())
        {
            break;
        }
        auto& mine = m_summary.m_publishers[at->first];
        for (size_t i = 0; i < encoded.runs; ++i)
        {
            mine.Add(at->second.GetRuns()[i]);
        }
        if (encoded.runs < at->second.GetRuns().size())
        {
            m_upTo[at->first] = encoded.runs == 0 ? 0 : mine.GetRuns().back().end;
        }
    }
    m_last = at == all.end() ? NO_NODE : static_cast<NodeId>(at->first - 1);
    from = at == all.end() ? 0 : at->first;
}

bool
SummaryPart::SpeaksFor(NodeId publisher) const
{
    return m_first <= publisher && publisher <= m_last;
}

SummaryPart::Answer
SummaryPart::Says(EventId id) const
{
    if (m_summary.Has(id))
    {
        return Answer::HAS;
    }
    const auto cut = m_upTo.find(id.publisher);
    const auto isBeyond = cut != m_upTo.end() && id.sequence >= cut->second;
    return SpeaksFor(id.publisher) && !isBeyond ? Answer::LACKS : Answer::UNKNOWN;
}

Summary
SummaryPart::LackingOf(const Summary& events) const
{
    Summary lacking;
    for (const auto& [publisher, sequences] : events.m_publishers)
    {
        const auto cut = m_upTo.find(publisher);
        const auto end = cut == m_upTo.end() ? UINT32_MAX : cut->second;
        for (const auto& run : sequences.Minus(m_summary.Of(publisher)))
        {
            if (SpeaksFor(publisher) && run.begin < end)
            {
                lacking.Add(publisher, {run.begin, std::min(run.end, end)});
            }
        }
    }
    return lacking;
}

void
SummaryPart::Update(const SummaryPart& newer)
{
    if (newer.m_first == 0 && newer.m_last == NO_NODE)
    {
        *this = newer;
        return;
    }
    const auto drop = [&newer](auto& map) {
        map.erase(map.lower_bound(newer.m_first), map.upper_bound(newer.m_last));
    };
    drop(m_summary.m_publishers);
    drop(m_upTo);
    m_summary.m_publishers.insert(newer.m_summary.m_publishers.begin(),
                                  newer.m_summary.m_publishers.end());
    m_upTo.insert(newer.m_upTo.begin(), newer.m_upTo.end());
    if (newer.m_first <= m_last + 1 && m_first <= newer.m_last + 1)
    {
        m_first = std::min(m_first, newer.m_first);
        m_last = std::max(m_last, newer.m_last);
    }
    else // what it was told of others before is not of one piece with this
    {
        m_first = newer.m_first;
        m_last = newer.m_last;
    }
}

void
SummaryPart::Write(ByteWriter& out) const
{
    const auto isPart = m_first != 0 || m_last != NO_NODE;
    out.Put(static_cast<uint8_t>(m_summary.m_publishers.size() | (isPart ? IS_A_PART : 0)));
    if (isPart)
    {
        out.Put(m_first);
        out.Put(m_last);
    }
    for (const auto& [publisher, sequences] : m_summary.m_publishers)
    {
        const auto encoded = Encode(sequences.GetRuns());
        out.Put(publisher);
        out.Put(static_cast<uint8_t>(encoded.bytes.size() |
                                     (m_upTo.contains(publisher) ? IS_A_PART : 0)));
        for (const auto byte : encoded.bytes)
        {
            out.Put(byte);
        }
    }
}

SummaryPart
SummaryPart::Read(ByteReader& in)
{
    SummaryPart part;
    const auto count = in.Get<uint8_t>();
    if (count & IS_A_PART)
    {
        part.m_first = in.Get<NodeId>();
        part.m_last = in.Get<NodeId>();
    }
    for (auto left = count & ~IS_A_PART; left > 0; --left)
    {
        const auto publisher = in.Get<NodeId>();
        const auto size = in.Get<uint8_t>();
        const size_t bytes = size & ~IS_A_PART;
        if (bytes > in.Remaining())
        {
            throw DecodeError("a summary ends too early");
        }
        const auto end = in.Remaining() - bytes;
        auto& sequences = part.m_summary.m_publishers[publisher];
        uint64_t at = 0;
        while (in.Remaining() > end)
        {
            const auto begin = at + GetVarint(in);
            at = begin + GetVarint(in);
            if (at > UINT32_MAX || at == begin)
            {
                throw DecodeError("a run of no sequence numbers in a summary");
            }
            sequences.Add({static_cast<uint32_t>(begin), static_cast<uint32_t>(at)});
        }
        if (size & IS_A_PART)
        {
            part.m_upTo[publisher] = static_cast<uint32_t>(at);
        }
    }
    return part;
}

} // namespace mftpubsub::mesh
