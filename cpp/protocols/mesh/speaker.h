/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_SPEAKER_H
#define MFTPUBSUB_PROTOCOLS_MESH_SPEAKER_H

#include "protocols/mesh/frames.h"
#include "protocols/mesh/options.h"

#include <algorithm>
#include <array>
#include <functional>

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
};

/// What the machines of a device share.
struct Context
{
    NodeId self{NO_NODE};
    uint8_t roles{0}; //!< Role
    Options options;
    Uniform uniform;
    std::function<double()> load;         //!< FrameSender::GetLoad
    std::function<size_t(Instant)> stuck; //!< Unmixer::CountStuck

    /// @return uniform in [@p from, @p to), longer under load
    Instant Draw(Instant from, Instant to) const
    {
        return from + Times(to - from, uniform() * load());
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
