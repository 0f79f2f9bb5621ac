/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_WSN_PORT_H
#define MFTPUBSUB_HOSTS_WSN_PORT_H

#include "hosts/device-port.h"
#include "wsn/wsn-net-device.h"

namespace mftpubsub
{

/// The port of a WsnNetDevice, whose trace sources it passes on.
class WsnPort : public DevicePort
{
  public:
    static ns3::TypeId GetTypeId();

    explicit WsnPort(ns3::Ptr<WsnNetDevice> device);
    ~WsnPort() override;

    ns3::Ptr<ns3::NetDevice> GetDevice() const override;
    bool Send(const ns3::Ptr<ns3::Packet>& frame, NodeId to, uint16_t protocol) override;
    void SetReceiver(uint16_t protocol, Receiver receiver) override;
    LinkTiming GetTiming() const override;
    ns3::Time GetAirTime(uint32_t bytesOnAir) const override;
    void SetAsleep(bool asleep) override;
    void StartLate(ns3::Time start) override;
    std::optional<double> GetEnergyJoules() override;
    ns3::Time GetStartTime() override;

  protected:
    void DoDispose() override;

  private:
    void DoSetOn(bool on) override;
    void Transmitted(ns3::Ptr<const ns3::Packet> frame,
                     uint16_t protocol,
                     ns3::Mac48Address to,
                     uint32_t bytesOnAir);
    void Dropped(ns3::Ptr<const ns3::Packet> frame,
                 uint16_t protocol,
                 ns3::Mac48Address to,
                 uint32_t bytesOnAir);
    void Waited(ns3::Time wait);

    ns3::Ptr<WsnNetDevice> m_device;
    ns3::Ptr<Radio> m_radio; //!< tells its energy when the device is gone, too
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_WSN_PORT_H */
