/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_LR_WPAN_PORT_H
#define MFTPUBSUB_HOSTS_LR_WPAN_PORT_H

#include "content/state-powers.h"
#include "hosts/device-port.h"
#include "hosts/energy-meter.h"
#include "hosts/port-receivers.h"
#include "hosts/waiting-frames.h"

#include "ns3/lr-wpan-net-device.h"
#include "ns3/lr-wpan-phy.h"

#include <cstdint>
#include <deque>
#include <optional>

namespace mftpubsub
{

/**
 * The port of an IEEE 802.15.4 device of ns-3's.
 *
 * Its frames have no EtherType: whatever arrives goes to the one receiver. ns-3 3.44 does not tell
 * how strong a frame was, so whoever knows the channel is asked (SetStrength).
 */
class LrWpanPort : public DevicePort
{
  public:
    static ns3::TypeId GetTypeId();

    explicit LrWpanPort(ns3::Ptr<ns3::lrwpan::LrWpanNetDevice> device);
    ~LrWpanPort() override;

    /// @param getRssiDbm how strong a frame is that @p from has just sent; without, 0 is told
    void SetStrength(std::function<double(NodeId from)> getRssiDbm);

    /// Without, the device tells no energy.
    void SetPowers(const StatePowers& powers);

    ns3::Ptr<ns3::NetDevice> GetDevice() const override;
    bool Send(const ns3::Ptr<ns3::Packet>& frame, NodeId to, uint16_t protocol) override;
    void SetReceiver(uint16_t protocol, Receiver receiver) override;
    LinkTiming GetTiming() const override;
    bool HasAcks() const override;

    /// What waits is forgotten. The MAC ends the frame that it has begun with.

    /// It falls asleep when it has sent what it has; what it is given asleep waits until it wakes
    /// up.
    void SetAsleep(bool asleep) override;
    std::optional<double> GetEnergyJoules() override;

  protected:
    void DoDispose() override;

  private:
    /// A frame that is to be sent.
    struct Frame
    {
        ns3::Ptr<const ns3::Packet> frame; //!< as the port was given it
        NodeId to{NO_NODE};
        uint16_t protocol{0};
        ns3::Time queuedAt;
        bool wasOnAir{false};
    };

    void DoSetOn(bool on) override;
    void Change(ns3::Time now,
                ns3::lrwpan::PhyEnumeration before,
                ns3::lrwpan::PhyEnumeration after);
    void ChangeMac(ns3::lrwpan::MacState before, ns3::lrwpan::MacState after);
    void Switch(bool on, bool asleep);
    void Rest();
    double GetWatts() const;
    bool SendNext();
    bool IsFirst(const ns3::Packet& packet) const;
    std::optional<Frame> TakeFirst(const ns3::Packet& packet);
    void PutOnAir(ns3::Ptr<const ns3::Packet> packet);
    void Succeeded(ns3::Ptr<const ns3::Packet> packet);
    void Failed(ns3::Ptr<const ns3::Packet> packet);

    ns3::Ptr<ns3::lrwpan::LrWpanNetDevice> m_device;
    std::function<double(NodeId from)> m_getRssiDbm;
    PortReceivers m_receivers;
    std::deque<Frame> m_frames;  //!< the MAC has the first
    WaitingFrames m_waiting{32}; //!< as the CC2420's MAC by default
    std::optional<StatePowers> m_powers;
    EnergyMeter m_meter;
    ns3::lrwpan::PhyEnumeration m_state{ns3::lrwpan::IEEE_802_15_4_PHY_TRX_OFF};
    bool m_isMacIdle{true};
    bool m_isOn{true};
    bool m_isAsleep{false};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_LR_WPAN_PORT_H */
