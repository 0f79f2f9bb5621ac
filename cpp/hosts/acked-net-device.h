/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_ACKED_NET_DEVICE_H
#define MFTPUBSUB_HOSTS_ACKED_NET_DEVICE_H

#include "hosts/session-port.h"

#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/packet.h"
#include "ns3/random-variable-stream.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <unordered_map>

namespace mftpubsub
{

/**
 * A device with hop-by-hop acknowledgement, for network layers that know nothing of it:
 * unicast packets travel in the frames of Sessions, behind their protocol number; packets to groups
 * pass as they are. Decorates the device below as ns-3's SixLowPanNetDevice does, on the same node
 * and with the same address; IPv4 is installed on this one.
 *
 * Nobody above is told that a neighbour was given up, as CSMA tells nobody of a lost frame, unless
 * LinkFailure is listened to.
 */
class AckedNetDevice : public ns3::NetDevice
{
  public:
    static ns3::TypeId GetTypeId();

    /**
     * @param port the device below, on its node already
     * @param options of the hop transport
     * @param retry whether it sends a frame once more
     * @param stream of its random draws
     */
    AckedNetDevice(ns3::Ptr<DevicePort> port,
                   const TransportOptions& options,
                   RetryDecision retry,
                   int64_t stream);

    // From ns3::NetDevice
    void SetIfIndex(const uint32_t index) override;
    uint32_t GetIfIndex() const override;
    ns3::Ptr<ns3::Channel> GetChannel() const override;
    void SetAddress(ns3::Address address) override;
    ns3::Address GetAddress() const override;
    bool SetMtu(const uint16_t mtu) override;
    uint16_t GetMtu() const override;
    bool IsLinkUp() const override;
    void AddLinkChangeCallback(ns3::Callback<void> callback) override;
    bool IsBroadcast() const override;
    ns3::Address GetBroadcast() const override;
    bool IsMulticast() const override;
    ns3::Address GetMulticast(ns3::Ipv4Address multicastGroup) const override;
    ns3::Address GetMulticast(ns3::Ipv6Address addr) const override;
    bool IsBridge() const override;
    bool IsPointToPoint() const override;
    bool Send(ns3::Ptr<ns3::Packet> packet,
              const ns3::Address& dest,
              uint16_t protocolNumber) override;
    bool SendFrom(ns3::Ptr<ns3::Packet> packet,
                  const ns3::Address& source,
                  const ns3::Address& dest,
                  uint16_t protocolNumber) override;
    ns3::Ptr<ns3::Node> GetNode() const override;
    void SetNode(ns3::Ptr<ns3::Node> node) override;
    bool NeedsArp() const override;
    void SetReceiveCallback(ReceiveCallback cb) override;
    void SetPromiscReceiveCallback(PromiscReceiveCallback cb) override;
    bool SupportsSendFrom() const override;

    /**
     * TracedCallback signature of GiveUp.
     *
     * @param packet what the upper layer gave
     * @param protocol EtherType
     */
    typedef void (*GiveUpTracedCallback)(ns3::Ptr<const ns3::Packet> packet, uint16_t protocol);

    /**
     * TracedCallback signature of LinkFailure.
     *
     * @param neighbour to whom a packet was given up
     */
    typedef void (*LinkFailureTracedCallback)(ns3::Mac48Address neighbour);

  protected:
    void DoDispose() override;

  private:
    /// A packet of the upper layer.
    struct Carried
    {
        ns3::Ptr<const ns3::Packet> packet;
        uint16_t protocol{0};
    };

    void ReceiveFromPort(ns3::Ptr<ns3::NetDevice> port,
                         ns3::Ptr<const ns3::Packet> frame,
                         uint16_t protocol,
                         const ns3::Address& from,
                         const ns3::Address& to,
                         PacketType type);
    void FrameOnAir(ns3::Ptr<const ns3::Packet> frame,
                    uint16_t protocol,
                    ns3::Mac48Address to,
                    uint32_t bytesOnAir);
    void Happened(const SessionEvent& event);
    void ReceiveMessage(const ReceivedMessage& message);

    ns3::Ptr<DevicePort> m_port;
    ns3::Ptr<ns3::NetDevice> m_below; //!< its device
    ns3::Ptr<ns3::Node> m_node;
    uint32_t m_ifIndex{0};
    ReceiveCallback m_receive;
    SessionPort m_sessions;
    MessageHandle m_lastHandle{0};
    std::unordered_map<MessageHandle, Carried> m_unsettled; //!< what the sessions are working on
    std::unordered_map<uint64_t, Carried> m_queued;         //!< in the device, by the frame's uid

    ns3::TracedCallback<ns3::Ptr<const ns3::Packet>, uint16_t, ns3::Mac48Address, uint32_t>
        m_transmit;
    ns3::TracedCallback<ns3::Ptr<const ns3::Packet>, uint16_t> m_giveUp;
    ns3::TracedCallback<ns3::Mac48Address> m_linkFailure;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_ACKED_NET_DEVICE_H */
