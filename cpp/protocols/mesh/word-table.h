/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_WORD_TABLE_H
#define MFTPUBSUB_PROTOCOLS_MESH_WORD_TABLE_H

#include "content/id-map.h"
#include "content/matcher.h"
#include "protocols/mesh/deadlines.h"
#include "protocols/mesh/lacking-words.h"
#include "protocols/mesh/shared-values.h"
#include "protocols/mesh/speaker.h"
#include "protocols/mesh/word-codec.h"

#include <memory>
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

    /// A filter that is new here.
    struct NewFilter
    {
        NodeId subscriber{NO_NODE};
        Filter filter;
        Instant since{0}; //!< the subscriber has had it
    };

    /// What a word has changed: nothing if it is not newer than what is known.
    struct Change
    {
        std::vector<NewFilter> news;
        bool isNarrower{false}; //!< filters are gone
    };

    Change Hear(Instant now, const Word& word, NodeId from);

    /// A neighbour has words of this hash.
    void HearHash(Instant now, uint32_t hash);

    void HearBsub(Instant now, NodeId from, const Bsub& bsub);
    void HearBsub(Instant now, NodeId from, const BsubHashes& bsub);

    /// The newest word of a subscriber.
    struct Entry
    {
        uint32_t timestamp{0};
        uint32_t copies{0};                         //!< heard from others than the subscriber
        Instant since{0};                           //!< of its youngest filter, by the clock here
        std::shared_ptr<const FilterSet> filters{}; //!< ascending; many have the same ones

        bool Wants(const Event& event) const;
    };

    /// @return the word of @p subscriber; none if there is none
    const Entry* Find(NodeId subscriber) const
    {
        return m_entries.Find(subscriber);
    }

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
        return m_entries.Count();
    }

    Instant DueWords() const
    {
        return m_forwards.GetEarliest();
    }

    std::optional<Outgoing> BuildWords(Instant now);

    Instant DueBsub() const
    {
        return m_bsubAt;
    }

    /// A BSUB of all words; if they do not fit, of where others have other words, and hashes that
    /// tell the others where this is.
    std::optional<Outgoing> BuildBsub(Instant now);

    /// @return whether there are more words than a BSUB tells of
    bool IsLarge() const;

  private:
    Change Replace(Instant now, Entry& entry, const Word& word);
    void HearAgain(Instant now, Entry& entry, NodeId subscriber, bool isOwn);
    void ForwardSoon(Instant now, NodeId subscriber);
    void ForwardWithin(Instant now, NodeId subscriber, Instant duration);
    bool IsOtherTable(Instant now, NodeId from, uint32_t hash);
    std::vector<NodeId> FindLacking(const Bsub& bsub) const;
    void Doubt(Instant now, const SequenceSet& subscribers);
    Sub ChooseWords(Instant now, NodeId first, size_t most) const;
    Bsub MakeBsub(NodeId first, NodeId last, size_t most) const;
    Bsub MakeSmallBsub(size_t most);
    Bsub MakeBsubOfDoubts(size_t most);
    BsubHashes MakeBsubOfHashes(size_t most) const;
    std::vector<uint32_t> HashWords(uint8_t shift, size_t count) const;
    Instant DrawBsubPause() const;
    void PostponeBsub(Instant now);

    const Context& m_context;
    IdMap<Entry> m_entries;
    SharedValues<FilterSet, HashOfFilters> m_sets; //!< of the entries
    Deadlines<NodeId> m_forwards;                  //!< words
    LackingWords m_lacking;
    Matcher m_matcher;
    uint32_t m_hash{0};
    Instant m_bsubAt{NEVER};
    Instant m_bsubBy{0};      //!< by then, though new words come
    SequenceSet m_doubts;     //!< ids of subscribers of which somebody has other words
    uint32_t m_bsubFrom{0};   //!< where in these the next BSUB begins
    Instant m_hashesFrom{0};  //!< when hashes may be said again
    uint32_t m_largeBsubs{0}; //!< since the latest small one
    NodeId m_smallFrom{0};    //!< where the next small one of all words begins
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_WORD_TABLE_H */
