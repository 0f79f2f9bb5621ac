/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_AODV_FEEDBACK_H
#define MFTPUBSUB_HOSTS_AODV_FEEDBACK_H

#include "content/node-id.h"

#include "ns3/net-device.h"

namespace mftpubsub
{

/**
 * Tells ns-3's AODV that a link is broken, which it learns from its own HELLOs and from Wi-Fi only
 * (RFC 3561, 6.11): hands it, on its own node, a RERR as if from @p neighbour, which has lost all
 * of the network, itself included. AODV invalidates its routes over the neighbour and tells those
 * that use them.
 *
 * @param device that IPv4 is on
 * @param nodes of the network, whose ids are below this
 */
void TellAodvOfBrokenLink(const ns3::Ptr<ns3::NetDevice>& device, NodeId neighbour, NodeId nodes);

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_AODV_FEEDBACK_H */
