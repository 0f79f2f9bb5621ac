/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/wifi-port.h"

#include "hosts/node-address.h"

#include "ns3/llc-snap-header.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/wifi-mac-queue.h"
#include "ns3/wifi-mpdu.h"
#include "ns3/wifi-psdu.h"
#include "ns3/wifi-remote-station-manager.h"

#include <utility>

namespace mftpubsub
{

NS_LOG_COMPONENT_DEFINE("WifiPort");

NS_OBJECT_ENSURE_REGISTERED(WifiPort);

namespace
{

constexpr uint16_t WIFI_MAC_OVERHEAD = 24 + 4; //!< header and check sequence
constexpr uint16_t QOS_BYTES = 2;
constexpr uint16_t LLC_BYTES = 8;
/// Slots of the longest first backoff and what is around it, of the slowest standard: 31 x 20 us
/// and 50 us.
constexpr double WIFI_BACKOFF_SECONDS = 670e-6;
/// Until it falls asleep with frames that it has not sent.
const ns3::Time LONGEST_GOODNIGHT = ns3::Seconds(1);

/// What the device was given, of an MPDU.
struct Content
{
    explicit Content(const ns3::WifiMpdu& mpdu)
        : packet(mpdu.GetPacket()->Copy())
    {
        ns3::LlcSnapHeader llc;
        packet->RemoveHeader(llc);
        protocol = llc.GetType();
    }

    ns3::Ptr<ns3::Packet> packet;
    uint16_t protocol{0};
};

/// Takes the first frame of a uid out of @p frames.
template <typename Frames>
typename Frames::node_type
TakeFirst(Frames& frames, uint64_t uid)
{
    const auto first = frames.lower_bound(uid);
    const auto isThere = first != frames.end() && first->first == uid;
    return isThere ? frames.extract(first) : typename Frames::node_type();
}

} // namespace

ns3::TypeId
WifiPort::GetTypeId()
{
    static ns3::TypeId tid =
        ns3::TypeId("mftpubsub::WifiPort").SetParent<DevicePort>().SetGroupName("mftpubsub");
    return tid;
}

WifiPort::WifiPort(ns3::Ptr<ns3::WifiNetDevice> device)
    : m_device(device),
      m_receivers([this](const ns3::Address&) { return m_rssiDbm; })
{
    const auto mac = m_device->GetMac();
    for (const auto category : {ns3::AC_BE, ns3::AC_BK, ns3::AC_VI, ns3::AC_VO, ns3::AC_BE_NQOS})
    {
        if (const auto queue = mac->GetTxopQueue(category))
        {
            queue->TraceConnectWithoutContext("Enqueue",
                                              ns3::MakeCallback(&WifiPort::Queued, this));
        }
    }
    mac->TraceConnectWithoutContext("AckedMpdu", ns3::MakeCallback(&WifiPort::Acknowledged, this));
    mac->TraceConnectWithoutContext("DroppedMpdu", ns3::MakeCallback(&WifiPort::Dropped, this));
    const auto phy = m_device->GetPhy();
    phy->TraceConnectWithoutContext("PhyTxPsduBegin", ns3::MakeCallback(&WifiPort::PutOnAir, this));
    phy->TraceConnectWithoutContext("MonitorSnifferRx",
                                    ns3::MakeCallback(&WifiPort::Sniffed, this));
    phy->GetState()->TraceConnectWithoutContext("State",
                                                ns3::MakeCallback(&WifiPort::InState, this));
}

WifiPort::~WifiPort() = default;

void
WifiPort::DoDispose()
{
    m_device = nullptr;
    DevicePort::DoDispose();
}

void
WifiPort::SetPowers(const StatePowers& powers)
{
    m_powers = powers;
}

ns3::Ptr<ns3::NetDevice>
WifiPort::GetDevice() const
{
    return m_device;
}

bool
WifiPort::Send(const ns3::Ptr<ns3::Packet>& frame, NodeId to, uint16_t protocol)
{
    NS_LOG_FUNCTION(this << frame << to << protocol);
    if (frame->GetSize() > GetMaxFrameBytes())
    {
        return false;
    }
    if (m_isAsleep)
    {
        return m_waiting.Add({frame, to, protocol});
    }
    if (m_device->GetPhy()->GetState()->IsStateOff())
    {
        return false;
    }
    return m_device->Send(frame->Copy(), ToMacAddress(to), protocol); // it adds a header
}

void
WifiPort::SetReceiver(uint16_t protocol, Receiver receiver)
{
    m_receivers.Set(*m_device, protocol, std::move(receiver));
}

ns3::WifiTxVector
WifiPort::GetVector() const
{
    ns3::WifiMacHeader header(m_device->GetMac()->GetQosSupported() ? ns3::WIFI_MAC_QOSDATA
                                                                    : ns3::WIFI_MAC_DATA);
    header.SetAddr1(ns3::Mac48Address::GetBroadcast());
    return m_device->GetRemoteStationManager()->GetDataTxVector(
        header,
        m_device->GetPhy()->GetChannelWidth());
}

LinkTiming
WifiPort::GetTiming() const
{
    const auto phy = m_device->GetPhy();
    const auto vector = GetVector();
    const auto rate = vector.GetMode().GetDataRate(vector);
    const auto preamble = ns3::WifiPhy::CalculatePhyPreambleAndHeaderDuration(vector);
    const auto hasQos = m_device->GetMac()->GetQosSupported();
    return MakeLinkTiming(static_cast<double>(rate),
                          Instant(preamble.GetNanoSeconds()),
                          WIFI_MAC_OVERHEAD + LLC_BYTES + (hasQos ? QOS_BYTES : 0),
                          WIFI_BACKOFF_SECONDS);
}

ns3::Time
WifiPort::GetAirTime(uint32_t bytesOnAir) const
{
    return ns3::WifiPhy::CalculateTxDuration(bytesOnAir,
                                             GetVector(),
                                             m_device->GetPhy()->GetPhyBand());
}

bool
WifiPort::HasAcks() const
{
    return true;
}

void
WifiPort::DoSetOn(bool on)
{
    NS_LOG_FUNCTION(this << on);
    SettleOff();
    m_isAsleep = false;
    Switch(on);
    for (const auto& [frame, to, protocol] : m_waiting.Take())
    {
        const auto bytes = frame->GetSize() + GetTiming().overheadBytes;
        m_macDrop(frame, protocol, ToMacAddress(to), bytes);
    }
}

void
WifiPort::SetAsleep(bool asleep)
{
    NS_LOG_FUNCTION(this << asleep);
    if (asleep == m_isAsleep)
    {
        return;
    }
    SettleOff();
    m_isAsleep = asleep;
    if (asleep)
    {
        FallAsleep(ns3::Simulator::Now() + LONGEST_GOODNIGHT);
        return;
    }
    Switch(true);
    for (const auto& [frame, to, protocol] : m_waiting.Take())
    {
        Send(frame, to, protocol);
    }
}

void
WifiPort::FallAsleep(ns3::Time latest)
{
    if (!m_isAsleep || !m_device)
    {
        return; // it woke up meanwhile
    }
    const auto now = ns3::Simulator::Now();
    if (now < latest && !(m_queued.empty() && m_unacked.empty()))
    {
        ns3::Simulator::Schedule(ns3::MilliSeconds(1),
                                 &WifiPort::FallAsleep,
                                 ns3::Ptr(this),
                                 latest);
        return;
    }
    Switch(false);
}

void
WifiPort::Switch(bool on)
{
    const auto phy = m_device->GetPhy();
    if (on != phy->GetState()->IsStateOff())
    {
        return;
    }
    if (on)
    {
        phy->ResumeFromOff();
        return;
    }
    phy->SetOffMode(); // the MAC forgets its frames, and tells nobody
    for (const auto& [uid, queued] : std::exchange(m_queued, {}))
    {
        Drop(*queued.mpdu);
    }
    for (const auto& [uid, packet] : std::exchange(m_unacked, {}))
    {
        m_givenUp(packet);
    }
}

void
WifiPort::Drop(const ns3::WifiMpdu& mpdu)
{
    const Content content(mpdu);
    m_macDrop(content.packet, content.protocol, mpdu.GetHeader().GetAddr1(), mpdu.GetSize());
}

/// ns-3 does not tell of the time for which a PHY is off.
void
WifiPort::SettleOff()
{
    if (m_powers && m_device->GetPhy()->GetState()->IsStateOff())
    {
        m_meter.SpendSince(GetWatts(ns3::WifiPhyState::OFF));
    }
}

void
WifiPort::InState(ns3::Time start, ns3::Time duration, ns3::WifiPhyState state)
{
    if (m_powers)
    {
        m_meter.Spend(GetWatts(state), start, duration);
    }
}

double
WifiPort::GetWatts(ns3::WifiPhyState state) const
{
    switch (state)
    {
    case ns3::WifiPhyState::TX:
        return m_powers->transmit;
    case ns3::WifiPhyState::RX:
        return m_powers->receive;
    case ns3::WifiPhyState::SLEEP:
        return m_powers->sleep;
    case ns3::WifiPhyState::OFF:
        return m_isAsleep ? m_powers->sleep : 0;
    default:
        return m_powers->listen;
    }
}

std::optional<double>
WifiPort::GetEnergyJoules()
{
    if (!m_powers)
    {
        return std::nullopt;
    }
    return m_meter.GetJoules(GetWatts(m_device->GetPhy()->GetState()->GetState()));
}

void
WifiPort::Queued(ns3::Ptr<const ns3::WifiMpdu> mpdu)
{
    if (mpdu->GetHeader().HasData())
    {
        m_queued.emplace(mpdu->GetPacket()->GetUid(), QueuedFrame{mpdu, ns3::Simulator::Now()});
    }
}

void
WifiPort::PutOnAir(ns3::WifiConstPsduMap psdus, ns3::WifiTxVector, double)
{
    for (const auto& [station, psdu] : psdus)
    {
        for (const auto& mpdu : *psdu)
        {
            if (!mpdu->GetHeader().HasData())
            {
                continue; // the MAC's own
            }
            const Content content(*mpdu);
            const auto queued = TakeFirst(m_queued, content.packet->GetUid());
            if (queued && !mpdu->GetHeader().GetAddr1().IsGroup())
            {
                m_unacked.emplace(content.packet->GetUid(), content.packet);
            }
            m_macWait(queued ? ns3::Simulator::Now() - queued.mapped().at : ns3::Time(0));
            m_transmit(content.packet,
                       content.protocol,
                       mpdu->GetHeader().GetAddr1(),
                       mpdu->GetSize());
        }
    }
}

void
WifiPort::Sniffed(ns3::Ptr<const ns3::Packet>,
                  uint16_t,
                  ns3::WifiTxVector,
                  ns3::MpduInfo,
                  ns3::SignalNoiseDbm signal,
                  uint16_t)
{
    m_rssiDbm = signal.signal;
}

void
WifiPort::Acknowledged(ns3::Ptr<const ns3::WifiMpdu> mpdu)
{
    if (mpdu->GetHeader().HasData())
    {
        const Content content(*mpdu);
        TakeFirst(m_unacked, content.packet->GetUid());
        m_acknowledged(content.packet);
    }
}

void
WifiPort::Dropped(ns3::WifiMacDropReason reason, ns3::Ptr<const ns3::WifiMpdu> mpdu)
{
    if (!mpdu->GetHeader().HasData())
    {
        return;
    }
    NS_LOG_DEBUG("to " << mpdu->GetHeader().GetAddr1() << ": dropped for reason "
                       << +static_cast<uint8_t>(reason));
    const auto uid = mpdu->GetPacket()->GetUid();
    if (const auto unacked = TakeFirst(m_unacked, uid))
    {
        m_givenUp(unacked.mapped()); // it was on the air
        return;
    }
    TakeFirst(m_queued, uid);
    Drop(*mpdu);
}

} // namespace mftpubsub
