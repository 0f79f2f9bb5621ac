/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_PROTOCOL_NUMBERS_H
#define MFTPUBSUB_HOSTS_PROTOCOL_NUMBERS_H

#include <cstdint>

/**
 * @file
 * EtherTypes of our frames on a NetDevice, one a family: an EtherType alone says how a frame is
 * read. IEEE 802 has two for local experiments; the others are assigned to nobody that Wireshark
 * knows.
 */

namespace mftpubsub
{

// Others' numbers, by IEEE 802 and IANA; ns-3 has changed where it keeps them.

inline constexpr uint16_t IPV4_PROTOCOL_NUMBER = 0x0800;
inline constexpr uint16_t ARP_PROTOCOL_NUMBER = 0x0806;
inline constexpr uint8_t UDP_PROTOCOL_NUMBER = 17; //!< of IPv4's field `protocol`

/// Brokers in a tree, and their clients: a session's frames with a Message.
inline constexpr uint16_t TREE_PROTOCOL_NUMBER = 0x88b5;

/// AckedNetDevice: a session's frames with a packet of another protocol.
inline constexpr uint16_t ACKED_PROTOCOL_NUMBER = 0x88b6;

/// Stations that broadcast: a mesh::Frame.
inline constexpr uint16_t MESH_PROTOCOL_NUMBER = 0xf5b5;

/// Clients that move between fixed brokers: a session's frames with a handoff::RadioMessage.
inline constexpr uint16_t HANDOFF_PROTOCOL_NUMBER = 0xf5b6;

/// Stations of protocols that do not ship: kind, source, to, then a message of theirs.
inline constexpr uint16_t OWN_PROTOCOL_NUMBER = 0xf5b7;

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_PROTOCOL_NUMBERS_H */
