/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_WIFI_PORT_H
#define MFTPUBSUB_HOSTS_WIFI_PORT_H

#include "hosts/device-port.h"
#include "hosts/port-receivers.h"

#include "ns3/device-energy-model.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-phy.h"

#include <unordered_map>

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

    /// @param model of what the device takes from its battery
    void SetEnergyModel(ns3::Ptr<ns3::energy::DeviceEnergyModel> model);

    ns3::Ptr<ns3::NetDevice> GetDevice() const override;
    bool Send(const ns3::Ptr<ns3::Packet>& frame, NodeId to, uint16_t protocol) override;
    void SetReceiver(uint16_t protocol, Receiver receiver) override;
    LinkTiming GetTiming() const override;
    ns3::Time GetAirTime(uint32_t bytesOnAir) const override;
    bool HasAcks() const override;
    void SetOn(bool on) override;
    std::optional<double> GetEnergyJoules() override;

  protected:
    void DoDispose() override;

  private:
    void Queued(ns3::Ptr<const ns3::Packet> packet);
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

    ns3::Ptr<ns3::WifiNetDevice> m_device;
    ns3::Ptr<ns3::energy::DeviceEnergyModel> m_energy;
    PortReceivers m_receivers;
    double m_rssiDbm{0};                                //!< of the last signal
    std::unordered_map<uint64_t, ns3::Time> m_queuedAt; //!< by uid, of frames not on the air yet
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_WIFI_PORT_H */
