/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_SESSION_MESSAGE_PARTS_H
#define MFTPUBSUB_SESSION_MESSAGE_PARTS_H

#include "content/bytes.h"
#include "content/node-id.h"
#include "session/frame.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>

namespace mftpubsub
{

/// Joins the messages of sessions that take several frames, as one sees them on the air.
class MessageParts
{
  public:
    /// A frame is on the air.
    /// @return the body of the message that it is a part of, if all others were on the air before
    std::optional<Bytes> Add(const FrameHeader& header, std::span<const uint8_t> body);

  private:
    struct Part
    {
        Bytes body;
        bool hasMore{false};
    };

    /// The latest frames from one node to another.
    struct Frames
    {
        SessionNumber session{NO_SESSION};
        std::map<uint8_t, Part> parts; //!< by sequence number
    };

    std::map<std::pair<NodeId, NodeId>, Frames> m_frames; //!< by source and destination
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_SESSION_MESSAGE_PARTS_H */
