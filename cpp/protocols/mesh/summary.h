/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_SUMMARY_H
#define MFTPUBSUB_PROTOCOLS_MESH_SUMMARY_H

#include "content/bytes.h"
#include "content/event.h"
#include "protocols/mesh/limits.h"

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mftpubsub::mesh
{

/// Sequence numbers from `begin` up to, but not including, `end`.
struct Run
{
    uint32_t begin{0};
    uint32_t end{0};

    auto operator<=>(const Run&) const = default;
};

/// A set of sequence numbers of one publisher, as ascending runs that do not touch.
class SequenceSet
{
  public:
    bool Has(uint32_t sequence) const;

    /// @return whether the set has grown
    bool Add(Run run);

    /// @return whether the set has shrunk
    bool Remove(Run run);

    /// @return the runs of this set that are not in @p other
    std::vector<Run> Minus(const SequenceSet& other) const;

    const std::vector<Run>& GetRuns() const
    {
        return m_runs;
    }

    bool operator==(const SequenceSet&) const = default;

  private:
    std::vector<Run> m_runs;
};

/// A set of events (vector of runs by publisher): what somebody has, or is done with.
class Summary
{
  public:
    bool Has(EventId id) const;

    /// @return whether the set has grown
    bool Add(EventId id);

    /// @return whether the set has grown
    bool Add(NodeId publisher, Run run);

    /// @return whether the set has grown
    bool Add(const Summary& other);

    bool Remove(EventId id);

    void Remove(NodeId publisher, Run run);

    /// @return what is here and not in @p other
    Summary Minus(const Summary& other) const;

    /// @return how many runs it has
    size_t CountRuns() const;

    /// @return the set of @p publisher's events; an empty one for a stranger
    const SequenceSet& Of(NodeId publisher) const;

    const std::map<NodeId, SequenceSet>& GetPublishers() const
    {
        return m_publishers;
    }

    bool IsEmpty() const
    {
        return m_publishers.empty();
    }

    bool operator==(const Summary&) const = default;

  private:
    friend class SummaryPart;

    std::map<NodeId, SequenceSet> m_publishers; //!< none of them empty
};

/// @return e.g. "7:0-4,6", for transcripts
std::string ToText(const Summary& summary);

/**
 * A SUMMARY as a frame carries it: as much of a Summary as fits, and the interval of ids, ordered
 * by publisher and sequence number, for which it speaks. What is not in it is not there only
 * within. What is beyond the interval is for the next part, which begins where this one ends.
 *
 * On the wire: count 1 B (bit 7: it does not speak for all, and the interval follows, 6 B for each
 * end), and for each publisher its id 2 B, how many bytes of runs follow, and for each run its
 * distance from the one before and its length, these three as LEB128.
 */
class SummaryPart
{
  public:
    enum class Answer : uint8_t
    {
        HAS,
        LACKS,
        UNKNOWN
    };

    /// Where a summary begins, and where it ends: no event has this id.
    static constexpr EventId BEGIN{0, 0};
    static constexpr EventId END{NO_NODE, UINT32_MAX};

    /// Bytes of a part with one run, whatever its numbers.
    static constexpr size_t MIN_BYTES = 1 + 12 + 3 + 10;

    SummaryPart() = default;

    /**
     * All of @p summary if it fits into @p budget bytes, at least MIN_BYTES, and has @p publishers
     * at most; else what fits from @p from on. @p from becomes where the next part has to begin
     * (BEGIN after the last).
     */
    SummaryPart(const Summary& summary,
                size_t budget,
                EventId& from,
                size_t publishers = MAX_PUBLISHERS);

    Answer Says(EventId id) const;

    /// @return what of @p events it says it lacks
    Summary LackingOf(const Summary& events) const;

    /// @return the events that it says are there
    const Summary& GetSummary() const
    {
        return m_summary;
    }

    /// @return whether it speaks for all events
    bool IsWhole() const
    {
        return m_from == BEGIN && m_to == END;
    }

    /// @return where the interval begins that it speaks for
    EventId GetFrom() const
    {
        return m_from;
    }

    /// @p id is there.
    void Note(EventId id)
    {
        m_summary.Add(id);
    }

    /// Takes what @p newer speaks for from it, and leaves the rest.
    void Update(const SummaryPart& newer);

    size_t CountBytes() const;

    void Write(ByteWriter& out) const;

    /// @throws DecodeError when it is none, or has an event beyond its interval
    static SummaryPart Read(ByteReader& in);

    bool operator==(const SummaryPart&) const = default;

  private:
    /// Takes what fits of @p summary from m_from on, and sets m_to.
    void Fill(const Summary& summary, size_t budget, size_t publishers);

    /// @return those of @p publisher for which it speaks
    Run GetInterval(NodeId publisher) const;

    Summary m_summary;
    EventId m_from{BEGIN};
    EventId m_to{END}; //!< not included
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_SUMMARY_H */
