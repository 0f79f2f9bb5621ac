/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/port-receivers.h"

#include <utility>

namespace mftpubsub
{

PortReceivers::PortReceivers(Strength getRssiDbm)
    : m_getRssiDbm(std::move(getRssiDbm))
{
}

void
PortReceivers::Set(ns3::NetDevice& device, uint16_t protocol, DevicePort::Receiver receiver)
{
    const auto handler = ns3::MakeCallback(&PortReceivers::Receive, this);
    const auto node = device.GetNode();
    if (m_receivers.erase(protocol) > 0)
    {
        node->UnregisterProtocolHandler(handler);
        for (const auto& [other, taken] : m_receivers) // it has gone for all of them
        {
            node->RegisterProtocolHandler(handler, other, &device);
        }
    }
    if (receiver)
    {
        m_receivers[protocol] = std::move(receiver);
        node->RegisterProtocolHandler(handler, protocol, &device);
    }
}

void
PortReceivers::Receive(ns3::Ptr<ns3::NetDevice>,
                       ns3::Ptr<const ns3::Packet> frame,
                       uint16_t protocol,
                       const ns3::Address& from,
                       const ns3::Address&,
                       ns3::NetDevice::PacketType)
{
    if (const auto found = m_receivers.find(protocol); found != m_receivers.end())
    {
        const auto receiver = found->second; // it may take itself away
        receiver(frame, m_getRssiDbm(from));
    }
}

} // namespace mftpubsub
