/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_SPEAKER_H
#define MFTPUBSUB_PROTOCOLS_MESH_SPEAKER_H

#include "protocols/mesh/block-sums.h"
#include "protocols/mesh/frames.h"
#include "protocols/mesh/options.h"
#include "protocols/mesh/places.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>

namespace mftpubsub::mesh
{

/// What a device may have to say, in the order of precedence.
enum class Turn : uint8_t
{
    OWN_EVENTS,
    ANSWERS,
    FORWARDS,
    NACKS,
    OWN_WORD,
    WORDS,
    BSUBS,
    REPAIRS,
    HEARTBEATS,
};

inline constexpr std::array TURNS{Turn::OWN_EVENTS,
                                  Turn::ANSWERS,
                                  Turn::FORWARDS,
                                  Turn::NACKS,
                                  Turn::OWN_WORD,
                                  Turn::WORDS,
                                  Turn::BSUBS,
                                  Turn::REPAIRS,
                                  Turn::HEARTBEATS};

/// A frame that a machine wants sent now.
struct Outgoing
{
    NodeId destination{NO_NODE}; //!< who must answer, if anybody
    Body body;
    bool isOpen{false}; //!< sent again: its events are for whoever is nearer
};

/// What the machines of a device share.
struct Context
{
    NodeId self{NO_NODE};
    uint8_t roles{0}; //!< Role
    Options options;
    Uniform uniform;
    std::function<double()> load;           //!< FrameSender::GetLoad
    std::function<size_t(Instant)> stuck;   //!< sums that wait for others, for long
    std::function<size_t(Instant)> heard;   //!< events of all that were heard since, about
    std::function<Instant(size_t)> airTime; //!< FrameSender::GetAirTime
    std::shared_ptr<BlockSums> blocks;      //!< that the device has heard
    std::shared_ptr<Places> places{};       //!< of subscribers, if the device uses positions

    /// @return uniform in [@p from, @p to), longer under load
    Instant Draw(Instant from, Instant to) const
    {
        return from + Times(to - from, uniform() * load());
    }

    /// @return whether sums of blocks are heard
    bool HearsBlocks(Instant now) const
    {
        return blocks->HeardAt() >= now - options.limits.block.heard;
    }

    /// @return whether there are blocks of which sums are sent to all
    bool AreBlocksNew(Instant now) const
    {
        return blocks->HasNew(now - options.limits.block.window);
    }

    /// @return how old an event is that may not be on its way any more
    Instant Settle(Instant now) const
    {
        const auto settle = Stretch(options.settle);
        return HearsBlocks(now) ? std::max(settle, options.limits.block.window) : settle;
    }

    /// @return since when brokers have been heard that are still there, probably
    Instant LatelyHeard(Instant now) const
    {
        return now - options.limits.broker.neighbourHeartbeats * options.heartbeatMax;
    }

    /// @return bytes of a frame for whoever may lose a large one
    size_t SmallFrame() const
    {
        return std::min(options.maxFrameBytes,
                        std::max(options.limits.frame.small, MIN_FRAME_BYTES));
    }

    /// @return @p duration, longer under load
    Instant Stretch(Instant duration) const
    {
        return Times(duration, load());
    }
};

/// A machine that wants to send frames. What it sends is decided when the channel is free.
class Speaker
{
  public:
    virtual ~Speaker() = default;

    /// @return from when on there is something to say at this turn; NEVER if there is nothing
    virtual Instant Due(Turn turn) const = 0;

    /// @return what there is to say at a turn that is due; none if that has become needless
    virtual std::optional<Outgoing> Build(Instant now, Turn turn) = 0;
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_SPEAKER_H */
