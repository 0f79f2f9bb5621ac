/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_SUMMARY_H
#define MFTPUBSUB_PROTOCOLS_MESH_SUMMARY_H

#include "content/bytes.h"
#include "content/event.h"

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
    bool Remove(uint32_t sequence);

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
    bool Add(NodeId publisher, Run run)
    {
        return m_publishers[publisher].Add(run);
    }

    /// @return whether the set has grown
    bool Add(const Summary& other);

    bool Remove(EventId id);

    /// @return whether all of @p other is there
    bool HasAll(const Summary& other) const;

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
 * A SUMMARY as a frame carries it: as much of a Summary as fits, and what it speaks for. Publishers
 * go round when there are too many of them; whose runs are too many is spoken for up to a point. So
 * what is not in it is not there only where it speaks.
 *
 * On the wire: count 1 B (bit 7: it does not speak for all publishers, and from which to which
 * follows, 2 B each), and for each publisher its id 2 B, how many bytes of runs follow 1 B, (bit 7:
 * more would follow), and for each run its distance from the one before and its length, as LEB128.
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

    SummaryPart() = default;

    /// All of @p summary if it fits into @p budget bytes, else what fits from publisher @p from on;
    /// @p from becomes where the next part has to begin (0 after the last).
    SummaryPart(const Summary& summary, size_t budget, NodeId& from);

    Answer Says(EventId id) const;

    /// @return what of @p events it says it lacks
    Summary LackingOf(const Summary& events) const;

    /// @return the events that it says are there
    const Summary& GetSummary() const
    {
        return m_summary;
    }

    /// @p id is there.
    void Note(EventId id)
    {
        m_summary.Add(id);
    }

    /// Takes what @p newer speaks for from it, and leaves the rest.
    void Update(const SummaryPart& newer);

    void Write(ByteWriter& out) const;
    static SummaryPart Read(ByteReader& in);

    bool operator==(const SummaryPart&) const = default;

  private:
    /// Takes what fits of @p summary, from publisher @p from on, which becomes the next one.
    void Fill(const Summary& summary, size_t budget, NodeId& from);
    bool SpeaksFor(NodeId publisher) const;

    Summary m_summary;
    NodeId m_first{0};                 //!< speaks for publishers from here ...
    NodeId m_last{NO_NODE};            //!< ... to here
    std::map<NodeId, uint32_t> m_upTo; //!< whose runs were cut: speaks up to here
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_SUMMARY_H */
