/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_ANY_PORT_H
#define MFTPUBSUB_HOSTS_ANY_PORT_H

#include "hosts/device-port.h"
#include "hosts/port-receivers.h"
#include "hosts/waiting-frames.h"

namespace mftpubsub
{

/**
 * The port of any device of ns-3's with addresses of 48 bits. What such devices have in common does
 * not tell when a frame goes on the air, nor how strong it arrives: it counts as on the air when it
 * is handed over, and its strength is 0 dBm. Ethernet fills short frames up: there each begins with
 * its length.
 */
class AnyPort : public DevicePort
{
  public:
    static ns3::TypeId GetTypeId();

    explicit AnyPort(ns3::Ptr<ns3::NetDevice> device);
    ~AnyPort() override;

    /// @param bitRate of the device, bit/s; by default what it or its channel tells, or 1 Mbit/s
    void SetBitRate(double bitRate);

    /// @param isCut whether nothing passes from a node to this one now
    void SetFilter(std::function<bool(NodeId from)> isCut);

    ns3::Ptr<ns3::NetDevice> GetDevice() const override;
    bool Send(const ns3::Ptr<ns3::Packet>& frame, NodeId to, uint16_t protocol) override;
    void SetReceiver(uint16_t protocol, Receiver receiver) override;
    uint16_t GetMaxFrameBytes() const override;
    LinkTiming GetTiming() const override;

    /// What it is given asleep waits until it wakes up.
    void SetAsleep(bool asleep) override;

  protected:
    void DoDispose() override;

  private:
    void DoSetOn(bool on) override;

    ns3::Ptr<ns3::NetDevice> m_device;
    std::function<bool(NodeId from)> m_isCut;
    NodeId m_from{NO_NODE}; //!< of the frame that is handed up now
    PortReceivers m_receivers;
    double m_bitRate;
    bool m_fillsUp;
    WaitingFrames m_waiting{100}; //!< as ns-3's queues by default
    bool m_isOn{true};
    bool m_isAsleep{false};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_ANY_PORT_H */
