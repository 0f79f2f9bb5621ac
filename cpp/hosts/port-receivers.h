/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_PORT_RECEIVERS_H
#define MFTPUBSUB_HOSTS_PORT_RECEIVERS_H

#include "hosts/device-port.h"

#include <map>

namespace mftpubsub
{

/// Who takes the frames of a device that hands them to its ns-3 node.
class PortReceivers
{
  public:
    /// @param getRssiDbm strength of the frame that is handed over now, by its sender
    using Strength = std::function<double(const ns3::Address& from)>;

    explicit PortReceivers(Strength getRssiDbm);

    /// As DevicePort::SetReceiver. @param protocol 0: whatever the device hands over
    void Set(ns3::NetDevice& device, uint16_t protocol, DevicePort::Receiver receiver);

  private:
    void Receive(ns3::Ptr<ns3::NetDevice> device,
                 ns3::Ptr<const ns3::Packet> frame,
                 uint16_t protocol,
                 const ns3::Address& from,
                 const ns3::Address& to,
                 ns3::NetDevice::PacketType type);

    Strength m_getRssiDbm;
    std::map<uint16_t, DevicePort::Receiver> m_receivers;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_PORT_RECEIVERS_H */
