/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_BLOCK_SUMS_H
#define MFTPUBSUB_PROTOCOLS_MESH_BLOCK_SUMS_H

#include "protocols/mesh/equations.h"
#include "protocols/mesh/frames.h"
#include "protocols/mesh/options.h"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace mftpubsub::mesh
{

/**
 * The blocks of events and the sums of these that a device has heard, and the sums that it makes of
 * them: random linear network coding (Ho et al. 2006). A sum of all that it has heard is of use to
 * whoever lacks any of that, also before it can solve it itself.
 */
class BlockSums
{
  public:
    BlockSums(const BlockLimits& limits, Uniform uniform)
        : m_limits(limits),
          m_uniform(std::move(uniform))
    {
    }

    /// @return the events of the blocks that @p mix solves
    std::vector<CarriedEvent> Hear(Instant now, const BlockMix& mix);

    /// What is too old, or too much, is forgotten.
    void Forget(Instant now);

    /// Makes a block of @p events. @return the frame that says it
    BlockMix MakeBlock(Instant now, NodeId self, const std::vector<CarriedEvent>& events);

    /// @return a sum of all of late that fits into @p budget bytes; none where there is nothing
    std::optional<BlockMix> MakeSum(Instant now, size_t budget) const;

    /// @return when one of its own blocks that no sum has named goes again; NEVER if none does
    Instant UnheardAt() const;

    /// Such a block goes again. @return the frame that says it
    BlockMix RepeatUnheard(Instant now);

    /// @return a sum of the known blocks that have some of @p events; none if there are none
    std::optional<BlockMix> MakeSumOf(size_t budget, const std::vector<EventId>& events) const;

    /// @return the events of those blocks of @p mix that are known
    std::vector<EventId> GetEvents(const BlockMix& mix) const;

    /// @return whether the event is in a block that is known
    bool Has(EventId id) const
    {
        return m_events.contains(id);
    }

    /// @return whether some block was first heard of, or made, since
    bool HasNew(Instant since) const
    {
        return m_metAt >= since;
    }

    /// @return when the latest sum was heard
    Instant HeardAt() const
    {
        return m_heardAt;
    }

    /// @return how many sums that said something new were heard
    size_t CountNews() const
    {
        return m_news;
    }

    /// @return how many events are in the blocks that were first heard of since, about
    size_t CountEvents(Instant since) const;

    /// @return how many sums have waited for others for longer than they do where the mesh keeps up
    size_t CountStuck(Instant now) const;

    /// @return how many blocks and sums it remembers, and events of blocks
    size_t CountRemembered() const
    {
        return m_met.size() + m_unsolved.GetSums().size() + m_events.size();
    }

  private:
    using Sum = Equations<BlockId>::Sum;

    /// A block whose events are known.
    struct Known
    {
        Bytes bytes;
        std::vector<EventId> events;
    };

    /// The first frame with a block, or with a sum of it.
    struct Met
    {
        Instant at{0};
        uint8_t hops{0};
        bool isOver{false};                 //!< it was known, and is no more
        std::optional<uint32_t> checksum{}; //!< of what is known, or was
    };

    /// A block of its own that no sum has named since.
    struct Unheard
    {
        Instant at{0}; //!< when it goes again
        Instant pause{0};
    };

    void Meet(Instant now, BlockId id, uint8_t hops);
    void Forget(BlockId id);
    void ReplaceOld(const BlockMix& mix);
    void Unlearn(const std::vector<BlockId>& blocks);
    bool IsOver(BlockId id) const;
    void Keep(Instant now, BlockId id, Bytes bytes, const std::vector<EventPtr>& events);
    std::vector<BlockId> GetLate(Instant now) const;
    std::vector<const Sum*> ChooseUnsolved(Instant now) const;
    std::optional<BlockMix> Make(size_t budget,
                                 std::vector<BlockId> blocks,
                                 std::vector<const Sum*> unsolved) const;
    BlockMix Name(const std::vector<BlockId>& blocks,
                  const std::vector<const Sum*>& unsolved) const;
    void AddKnown(BlockMix& mix, const std::vector<BlockId>& blocks) const;
    void AddUnsolved(BlockMix& mix, const std::vector<const Sum*>& unsolved) const;
    uint8_t DrawFactor() const;

    BlockLimits m_limits;
    Uniform m_uniform;
    std::optional<uint16_t> m_number; //!< of the next block of its own
    std::map<BlockId, Known> m_known;
    std::map<BlockId, Unheard> m_unheard;
    std::deque<std::pair<Instant, BlockId>> m_knownSince;
    std::deque<BlockId> m_metOrder;
    std::map<BlockId, Met> m_met;             //!< those that are known, and others
    std::multimap<EventId, BlockId> m_events; //!< of known blocks
    Equations<BlockId> m_unsolved;
    Instant m_metAt{-Seconds(1e6)};
    Instant m_heardAt{-Seconds(1e6)};
    uint8_t m_hops{0}; //!< of the block that was met last
    size_t m_news{0};
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_BLOCK_SUMS_H */
