/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_WORD_TABLE_H
#define MFTPUBSUB_PROTOCOLS_MESH_WORD_TABLE_H

#include "content/matcher.h"
#include "protocols/mesh/frames.h"
#include "protocols/mesh/speaker.h"

#include <map>
#include <optional>
#include <vector>

namespace mftpubsub::mesh
{

/**
 * The words of all subscribers at a broker, s -> (t, F_s), and how they spread (rule 5): the higher
 * t wins, as a whole set; a new word is forwarded like an event; where hashes of two tables differ,
 * BSUB tells which words each has.
 */
class WordTable
{
  public:
    explicit WordTable(const Context& context);

    /// @return whether @p word is news
    bool Hear(Instant now, const Word& word, NodeId from);

    /// A neighbour has words of this hash.
    void HearHash(Instant now, uint32_t hash);

    void HearBsub(Instant now, const Bsub& bsub);

    /// @return the word of @p subscriber; none if there is none
    const Word* Find(NodeId subscriber) const;

    /// @return the subscribers that want @p event, ascending
    std::vector<NodeId> Match(const Event& event) const
    {
        return m_matcher.Match(event);
    }

    uint32_t GetHash() const
    {
        return m_hash;
    }

    size_t Count() const
    {
        return m_entries.size();
    }

    Instant DueWords() const;
    std::optional<Outgoing> BuildWords(Instant now);

    Instant DueBsub() const
    {
        return m_bsubAt;
    }

    std::optional<Outgoing> BuildBsub();

  private:
    struct Entry
    {
        Word word;
        uint32_t copies{0};      //!< of the word, heard from others than the subscriber
        Instant forwardAt{NEVER};
    };

    void Replace(Entry& entry, const Word& word);
    void ForwardSoon(Instant now, Entry& entry);

    const Context& m_context;
    std::map<NodeId, Entry> m_entries;
    Matcher m_matcher;
    uint32_t m_hash{0};
    Instant m_bsubAt{NEVER};
    NodeId m_bsubFrom{0}; //!< where the next BSUB begins
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_WORD_TABLE_H */
