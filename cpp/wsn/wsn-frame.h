/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WSN_WSN_FRAME_H
#define MFTPUBSUB_WSN_WSN_FRAME_H

#include "ns3/mac48-address.h"
#include "ns3/packet.h"

#include <cstdint>

namespace mftpubsub
{

/// Bytes that the MAC and the radio add to a packet on the air (PARAMETERS).
inline constexpr uint32_t WSN_MAC_OVERHEAD = 9;
inline constexpr uint32_t WSN_PHY_OVERHEAD = 6;
/// Largest frame that the radio accepts, with all overhead, bytes (point 16).
inline constexpr uint32_t WSN_MAX_FRAME = 1024;

/// A frame between device, MAC, radio and channel. Its headers are only sizes.
struct WsnFrame
{
    ns3::Ptr<ns3::Packet> packet; //!< what the upper layer gave
    ns3::Mac48Address source;
    ns3::Mac48Address destination;
    uint16_t protocol{0};   //!< EtherType of the upper layer
    uint32_t bytesOnAir{0}; //!< packet, MAC and PHY overhead, bytes
    int64_t queuedAt{0};    //!< when the MAC took it, ns
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_WSN_WSN_FRAME_H */
