/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/any-port.h"

#include "hosts/node-address.h"

#include "ns3/simulator.h"

#include <utility>

namespace mftpubsub
{

NS_OBJECT_ENSURE_REGISTERED(AnyPort);

namespace
{

/// All links are as long: 0 dBm are a hop.
constexpr LinkBudget BUDGET{-200, 0, 24, 1};
constexpr double BACKOFF_BYTES = 64;

} // namespace

ns3::TypeId
AnyPort::GetTypeId()
{
    static ns3::TypeId tid =
        ns3::TypeId("mftpubsub::AnyPort").SetParent<DevicePort>().SetGroupName("mftpubsub");
    return tid;
}

AnyPort::AnyPort(ns3::Ptr<ns3::NetDevice> device)
    : m_device(std::move(device)),
      m_receivers([this](const ns3::Address& from) {
          m_from = ToNodeId(ns3::Mac48Address::ConvertFrom(from));
          return 0;
      })
{
    SetBudget(BUDGET);
}

AnyPort::~AnyPort() = default;

void
AnyPort::DoDispose()
{
    m_device = nullptr;
    DevicePort::DoDispose();
}

void
AnyPort::SetBitRate(double bitRate)
{
    m_bitRate = bitRate;
}

void
AnyPort::SetFilter(std::function<bool(NodeId from)> isCut)
{
    m_isCut = std::move(isCut);
}

ns3::Ptr<ns3::NetDevice>
AnyPort::GetDevice() const
{
    return m_device;
}

bool
AnyPort::Send(const ns3::Ptr<ns3::Packet>& frame, NodeId to, uint16_t protocol)
{
    const auto address = ToMacAddress(to);
    if (!m_isOn || frame->GetSize() > GetMaxFrameBytes() ||
        !m_device->Send(frame->Copy(), address, protocol))
    {
        return false;
    }
    // In an event of its own, as with devices that take time: who sends has done so by then.
    const ns3::Ptr<AnyPort> self(this);
    ns3::Simulator::ScheduleNow([self, frame, protocol, address] {
        self->m_macWait(ns3::Time(0));
        self->m_transmit(frame, protocol, address, frame->GetSize());
    });
    return true;
}

void
AnyPort::SetReceiver(uint16_t protocol, Receiver receiver)
{
    if (!receiver)
    {
        m_receivers.Set(*m_device, protocol, nullptr);
        return;
    }
    m_receivers.Set(*m_device,
                    protocol,
                    [this, receiver = std::move(receiver)](const auto& frame, double rssiDbm) {
                        if (m_isOn && !(m_isCut && m_isCut(m_from)))
                        {
                            receiver(frame, rssiDbm);
                        }
                    });
}

LinkTiming
AnyPort::GetTiming() const
{
    return MakeLinkTiming(m_bitRate, Instant(0), 0, 8 * BACKOFF_BYTES / m_bitRate);
}

void
AnyPort::SetOn(bool on)
{
    m_isOn = on;
}

} // namespace mftpubsub
