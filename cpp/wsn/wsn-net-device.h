/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WSN_WSN_NET_DEVICE_H
#define MFTPUBSUB_WSN_WSN_NET_DEVICE_H

#include "wsn/wsn-frame.h"

#include "ns3/net-device.h"
#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <functional>

namespace mftpubsub
{

class CsmaMac;
class Radio;
class WirelessChannel;

/**
 * A sensor node's network interface: CsmaMac over Radio over WirelessChannel.
 *
 * A packet costs its own size plus 9 B (MAC) and 6 B (PHY) on the air. The node's clock drifts
 * (BEHAVIOUR point 26), and it starts within StartupWindow; before that it drops everything
 * (point 29). Nothing is acknowledged; duplicates are not filtered.
 *
 * Frames reach ns-3's node (and so IPv4) in one event per receiver, as ns3::Node insists on its
 * own context. An application that takes frames by SetDirectReceiveCallback gets those of its
 * protocol number in an event shared by all receivers of a frame, in the context of the sender.
 */
class WsnNetDevice : public ns3::NetDevice
{
  public:
    /// How a received frame reaches the node.
    enum class Delivery : uint8_t
    {
        NONE,   //!< not for this node
        DIRECT, //!< by the direct callback
        NODE    //!< by ns-3's callbacks
    };

    using DirectReceiveCallback = std::function<void(const WsnFrame& frame, float rssiDbm)>;

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static ns3::TypeId GetTypeId();

    WsnNetDevice();
    ~WsnNetDevice() override;

    /// @return the device of this class on @p node, null if there is none
    static ns3::Ptr<WsnNetDevice> On(const ns3::Node& node);

    /**
     * Joins a channel.
     *
     * @param channel the channel
     */
    void SetChannel(ns3::Ptr<WirelessChannel> channel);

    ns3::Ptr<Radio> GetRadio() const;
    ns3::Ptr<CsmaMac> GetMac() const;

    /// @return index of this device in its channel
    uint32_t GetChannelIndex() const
    {
        return m_channelIndex;
    }

    /**
     * @param stream first stream to use
     * @return the number of streams used (4: bit errors, backoff, clock drift, start)
     */
    int64_t AssignStreams(int64_t stream);

    /// @return when the node starts
    ns3::Time GetStartTime();
    /// @return what the node's clock multiplies every timer with, 1 + drift
    double GetClockFactor();

    /**
     * Takes frames of one protocol number past ns-3's node. The packet is shared: copy before
     * changing it.
     *
     * @param protocol EtherType
     * @param callback who takes them; none to take them no longer
     */
    void SetDirectReceiveCallback(uint16_t protocol, DirectReceiveCallback callback);

    /**
     * Switches the device off, or on again. Off it neither sends nor receives, and frames that
     * waited are lost.
     *
     * @param on whether it shall be on
     */
    void SetOn(bool on);

    /**
     * Lets the radio sleep, once it has sent what it has, or wakes it up. Asleep it hears nothing,
     * and frames wait in the MAC.
     *
     * @param asleep whether it shall sleep
     */
    void SetAsleep(bool asleep);

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

    // What MAC, radio and channel call
    void NotifyTransmit(const WsnFrame& frame);
    void NotifyMacDrop(const WsnFrame& frame);
    /// The radio has received @p frame, whoever it is for.
    void NotifyReceived(const WsnFrame& frame);
    Delivery GetDelivery(const WsnFrame& frame) const;
    void ReceiveFrame(WsnFrame frame, float rssiDbm);
    void ReceiveDirect(const WsnFrame& frame, float rssiDbm);

    /// Lets the processor fetch what a reception will need.
    void Prefetch() const
    {
        __builtin_prefetch(&m_address);
        __builtin_prefetch(&m_promiscSniffer);
    }

    /// @param wanted whether the radio works out RSSI and LQI of each received frame
    void SetWantsSignalQuality(bool wanted);

    /**
     * TracedCallback signature of Transmit and MacDrop.
     *
     * @param packet what the upper layer gave
     * @param protocol EtherType
     * @param destination link-layer destination
     * @param bytesOnAir size with MAC and PHY overhead, bytes
     */
    typedef void (*FrameTracedCallback)(ns3::Ptr<const ns3::Packet> packet,
                                        uint16_t protocol,
                                        ns3::Mac48Address destination,
                                        uint32_t bytesOnAir);

    /**
     * TracedCallback signature of MacWait.
     *
     * @param wait from the MAC's taking a frame to its going on the air
     */
    typedef void (*WaitTracedCallback)(ns3::Time wait);

  protected:
    void DoInitialize() override;
    void DoDispose() override;

  private:
    /// Draws start and drift once.
    /// Who takes what is received.
    struct Upcalls
    {
        uint16_t directProtocol{0}; //!< whose frames go to `direct`
        DirectReceiveCallback direct;
        ReceiveCallback receive;
        PromiscReceiveCallback promisc;
    };

    void Start();
    void FallAsleep();
    /// @return whether @p frame is addressed to this node, alone or among others
    bool IsMine(const WsnFrame& frame) const;
    /// Shows @p frame to the sniffers; to Sniffer only if it @p concerns this node.
    void Sniff(const WsnFrame& frame, bool concerns);

    // What every reception needs, together: with many nodes it is not in the processor's cache.
    ns3::Mac48Address m_address;
    Upcalls m_upcalls;
    ns3::TracedCallback<ns3::Ptr<const ns3::Packet>> m_sniffer;
    ns3::TracedCallback<ns3::Ptr<const ns3::Packet>> m_promiscSniffer;

    // Attributes
    ns3::Time m_startupOffset;
    ns3::Time m_startupWindow;
    double m_driftSigma{0};

    ns3::Ptr<ns3::Node> m_node;
    ns3::Ptr<WirelessChannel> m_channel;
    ns3::Ptr<Radio> m_radio;
    ns3::Ptr<CsmaMac> m_mac;
    uint32_t m_ifIndex{0};
    uint32_t m_channelIndex{0};
    uint16_t m_mtu;
    bool m_isOn{true};
    bool m_started{false};
    ns3::Time m_start;
    double m_clockFactor{1};
    ns3::Ptr<ns3::NormalRandomVariable> m_driftDraw;
    ns3::Ptr<ns3::UniformRandomVariable> m_startDraw;

    ns3::TracedCallback<ns3::Time> m_macWait;
    ns3::TracedCallback<ns3::Ptr<const ns3::Packet>, uint16_t, ns3::Mac48Address, uint32_t>
        m_transmit;
    ns3::TracedCallback<ns3::Ptr<const ns3::Packet>, uint16_t, ns3::Mac48Address, uint32_t>
        m_macDrop;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_WSN_WSN_NET_DEVICE_H */
