/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_IP_FRAME_KINDS_H
#define MFTPUBSUB_HOSTS_IP_FRAME_KINDS_H

#include "ns3/ipv4-header.h"
#include "ns3/packet.h"

#include <cstdint>
#include <string_view>

namespace mftpubsub
{

/// Tells what the frames of a node carry. Of a message in fragments only the first has the ports:
/// the others are told by it, as frames leave the node in their order.
class IpFrameKinds
{
  public:
    /// @return what an IPv4 or ARP frame carries, as the trace names it: DATA or ARP; of AODV
    /// RREQ, RREP, RREP_ACK, RERR, HELLO (a RREP whose destination is its origin); of OLSR HELLO,
    /// or TC if there are others than HELLOs; of DSDV UPDATE; ACK for an acknowledgement of
    /// AckedNetDevice's
    std::string_view Name(const ns3::Ptr<const ns3::Packet>& frame, uint16_t protocol);

  private:
    ns3::Ipv4Header m_first; //!< of the latest first fragment of a routing message
    std::string_view m_firstKind;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_IP_FRAME_KINDS_H */
