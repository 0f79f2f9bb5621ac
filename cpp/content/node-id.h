/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_CONTENT_NODE_ID_H
#define MFTPUBSUB_CONTENT_NODE_ID_H

#include <cstdint>

namespace mftpubsub
{

/// Address of a process (broker, subscriber, publisher); the roles on one device share its address.
using NodeId = uint16_t;

/// No node.
inline constexpr NodeId NO_NODE = 0xffff;

/// @return whether @p self can hear @p source: frames from outside may name anybody as their sender
constexpr bool
IsOtherNode(NodeId source, NodeId self)
{
    return source != NO_NODE && source != self;
}

} // namespace mftpubsub

#endif /* MFTPUBSUB_CONTENT_NODE_ID_H */
