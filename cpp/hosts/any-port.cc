/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/any-port.h"

#include "hosts/device-type.h"
#include "hosts/length-header.h"
#include "hosts/node-address.h"

#include "ns3/channel.h"
#include "ns3/data-rate.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <utility>

namespace mftpubsub
{

NS_LOG_COMPONENT_DEFINE("AnyPort");

NS_OBJECT_ENSURE_REGISTERED(AnyPort);

namespace
{

/// All links are as long: 0 dBm are a hop.
constexpr LinkBudget BUDGET{-200, 0, 24, 1};
constexpr double BACKOFF_BYTES = 64;
constexpr double DEFAULT_BIT_RATE = 1e6;

/// @return bit/s, as the device or its channel tells; 0 means no limit there
double
FindBitRate(const ns3::NetDevice& device)
{
    ns3::DataRateValue rate;
    const auto channel = device.GetChannel();
    const bool isKnown = device.GetAttributeFailSafe("DataRate", rate) ||
                         (channel && channel->GetAttributeFailSafe("DataRate", rate));
    return isKnown && rate.Get().GetBitRate() > 0 ? static_cast<double>(rate.Get().GetBitRate())
                                                  : DEFAULT_BIT_RATE;
}

/// @return whether short frames are received longer than they were sent: in Ethernet II
bool
FillsUp(const ns3::NetDevice& device)
{
    return IsDevice(device, "ns3::CsmaNetDevice") || IsDevice(device, "ns3::FdNetDevice");
}

/// @return @p frame as it was before its length was put in front; null if it is none
ns3::Ptr<const ns3::Packet>
CutToLength(const ns3::Ptr<const ns3::Packet>& frame)
{
    if (frame->GetSize() < LengthHeader::BYTES)
    {
        return nullptr;
    }
    const auto rest = frame->Copy();
    LengthHeader header;
    rest->RemoveHeader(header);
    if (header.GetLength() > rest->GetSize())
    {
        return nullptr;
    }
    rest->RemoveAtEnd(rest->GetSize() - header.GetLength());
    return rest;
}

} // namespace

ns3::TypeId
AnyPort::GetTypeId()
{
    static ns3::TypeId tid =
        ns3::TypeId("mftpubsub::AnyPort").SetParent<DevicePort>().SetGroupName("mftpubsub");
    return tid;
}

AnyPort::AnyPort(ns3::Ptr<ns3::NetDevice> device)
    : m_device(device),
      m_receivers([this](const ns3::Address& from) {
          m_from = ToNodeId(ns3::Mac48Address::ConvertFrom(from));
          return 0;
      }),
      m_bitRate(FindBitRate(*m_device)),
      m_fillsUp(FillsUp(*m_device))
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
    NS_LOG_FUNCTION(this << frame << to << protocol);
    if (!m_isOn || frame->GetSize() > GetMaxFrameBytes())
    {
        return false;
    }
    if (m_isAsleep)
    {
        return m_waiting.Add({frame, to, protocol});
    }
    const auto address = ToMacAddress(to);
    const auto sent = frame->Copy();
    if (m_fillsUp)
    {
        sent->AddHeader(LengthHeader(static_cast<uint16_t>(frame->GetSize())));
    }
    const auto bytes = sent->GetSize(); // the device adds a header
    if (!m_device->Send(sent, address, protocol))
    {
        return false;
    }
    // In an event of its own, as with devices that take time: who sends has done so by then.
    const ns3::Ptr<AnyPort> self(this);
    ns3::Simulator::ScheduleNow([self, frame, protocol, address, bytes] {
        self->m_macWait(ns3::Time(0));
        self->m_transmit(frame, protocol, address, bytes);
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
                        const auto whole = m_fillsUp ? CutToLength(frame) : frame;
                        if (whole && m_isOn && !m_isAsleep && !(m_isCut && m_isCut(m_from)))
                        {
                            receiver(whole, rssiDbm);
                        }
                    });
}

uint16_t
AnyPort::GetMaxFrameBytes() const
{
    return DevicePort::GetMaxFrameBytes() - (m_fillsUp ? LengthHeader::BYTES : 0);
}

LinkTiming
AnyPort::GetTiming() const
{
    return MakeLinkTiming(m_bitRate, Instant(0), 0, 8 * BACKOFF_BYTES / m_bitRate);
}

void
AnyPort::DoSetOn(bool on)
{
    NS_LOG_FUNCTION(this << on);
    m_isOn = on;
    m_isAsleep = false;
    m_waiting.Clear();
}

void
AnyPort::SetAsleep(bool asleep)
{
    NS_LOG_FUNCTION(this << asleep);
    m_isAsleep = asleep;
    if (asleep)
    {
        return;
    }
    for (const auto& [frame, to, protocol] : m_waiting.Take())
    {
        Send(frame, to, protocol);
    }
}

} // namespace mftpubsub
