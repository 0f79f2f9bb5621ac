/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_WIFI_PORT_H
#define MFTPUBSUB_HOSTS_WIFI_PORT_H

#include "content/state-powers.h"
#include "hosts/device-port.h"
#include "hosts/energy-meter.h"
#include "hosts/port-receivers.h"
#include "hosts/waiting-frames.h"

#include "ns3/wifi-mac.h"
#include "ns3/wifi-mpdu.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-phy.h"

#include <cstdint>
#include <map>
#include <optional>

namespace mftpubsub
{

/**
 * The port of a Wi-Fi device of ns-3's.
 *
 * Each attempt of a frame is told of by Transmit; the MAC's own acknowledgements, RTS and CTS are
 * not. The strength of a frame is that of the last signal that the PHY has handed to the MAC, which
 * hands it up in the same event.
 */
class WifiPort : public DevicePort
{
  public:
    static ns3::TypeId GetTypeId();

    explicit WifiPort(ns3::Ptr<ns3::WifiNetDevice> device);
    ~WifiPort() override;

    /// Without, the device tells no energy.
    void SetPowers(const StatePowers& powers);

    ns3::Ptr<ns3::NetDevice> GetDevice() const override;
    bool Send(const ns3::Ptr<ns3::Packet>& frame, NodeId to, uint16_t protocol) override;
    void SetReceiver(uint16_t protocol, Receiver receiver) override;
    LinkTiming GetTiming() const override;
    ns3::Time GetAirTime(uint32_t bytesOnAir) const override;
    bool HasAcks() const override;

    /// It falls asleep when it has sent what it has; what it is given asleep waits until it wakes
    /// up.
    void SetAsleep(bool asleep) override;
    std::optional<double> GetEnergyJoules() override;

  protected:
    void DoDispose() override;

  private:
    /// A frame in a queue of the MAC's.
    struct QueuedFrame
    {
        ns3::Ptr<const ns3::WifiMpdu> mpdu;
        ns3::Time at;
    };

    void DoSetOn(bool on) override;
    void Queued(ns3::Ptr<const ns3::WifiMpdu> mpdu);
    void PutOnAir(ns3::WifiConstPsduMap psdus, ns3::WifiTxVector vector, double watts);
    void Sniffed(ns3::Ptr<const ns3::Packet> packet,
                 uint16_t megahertz,
                 ns3::WifiTxVector vector,
                 ns3::MpduInfo mpdu,
                 ns3::SignalNoiseDbm signal,
                 uint16_t station);
    void Acknowledged(ns3::Ptr<const ns3::WifiMpdu> mpdu);
    void Dropped(ns3::WifiMacDropReason reason, ns3::Ptr<const ns3::WifiMpdu> mpdu);
    ns3::WifiTxVector GetVector() const;
    void InState(ns3::Time start, ns3::Time duration, ns3::WifiPhyState state);
    void Switch(bool on);
    void Drop(const ns3::WifiMpdu& mpdu);
    void SettleOff();
    void FallAsleep(ns3::Time latest);
    double GetWatts(ns3::WifiPhyState state) const;

    ns3::Ptr<ns3::WifiNetDevice> m_device;
    std::optional<StatePowers> m_powers;
    EnergyMeter m_meter;
    bool m_isAsleep{false};
    WaitingFrames m_waiting{500}; //!< as the MAC's queue by default
    PortReceivers m_receivers;
    double m_rssiDbm{0}; //!< of the last signal
    // By uid, which the fragments of a datagram have in common.
    std::multimap<uint64_t, QueuedFrame> m_queued; //!< frames that were not on the air yet
    std::multimap<uint64_t, ns3::Ptr<const ns3::Packet>> m_unacked; //!< those that it may repeat
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_WIFI_PORT_H */
