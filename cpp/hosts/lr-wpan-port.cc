/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/lr-wpan-port.h"

#include "hosts/node-address.h"

#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/lr-wpan-mac.h"
#include "ns3/lr-wpan-phy.h"
#include "ns3/simulator.h"

#include <stdexcept>
#include <utility>

namespace mftpubsub
{

NS_LOG_COMPONENT_DEFINE("LrWpanPort");

NS_OBJECT_ENSURE_REGISTERED(LrWpanPort);

namespace
{

constexpr double BIT_RATE = 250000;
constexpr uint16_t MAC_OVERHEAD =
    9 + 2;                           //!< header with short addresses and one PAN, check sequence
constexpr uint16_t PHY_OVERHEAD = 6; //!< preamble, delimiter, length
/// Of unslotted CSMA-CA: macMinBE 3, so at most 7 units of 320 us before the first assessment; a
/// second one waits up to 15.
constexpr double BACKOFF_SECONDS = 15 * 320e-6;

} // namespace

ns3::TypeId
LrWpanPort::GetTypeId()
{
    static ns3::TypeId tid =
        ns3::TypeId("mftpubsub::LrWpanPort").SetParent<DevicePort>().SetGroupName("mftpubsub");
    return tid;
}

LrWpanPort::LrWpanPort(ns3::Ptr<ns3::lrwpan::LrWpanNetDevice> device)
    : m_device(device),
      m_receivers([this](const ns3::Address& from) {
          const auto sender = ToNodeId(ns3::Mac48Address::ConvertFrom(from));
          return m_getRssiDbm ? m_getRssiDbm(sender) : 0;
      })
{
    const auto mac = m_device->GetMac();
    m_device->GetPhy()->TraceConnectWithoutContext("PhyTxBegin",
                                                   ns3::MakeCallback(&LrWpanPort::PutOnAir, this));
    m_device->GetPhy()->TraceConnectWithoutContext("TrxState",
                                                   ns3::MakeCallback(&LrWpanPort::Change, this));
    mac->TraceConnectWithoutContext("MacStateValue",
                                    ns3::MakeCallback(&LrWpanPort::ChangeMac, this));
    mac->TraceConnectWithoutContext("MacTxOk", ns3::MakeCallback(&LrWpanPort::Succeeded, this));
    mac->TraceConnectWithoutContext("MacTxDrop", ns3::MakeCallback(&LrWpanPort::Failed, this));
}

LrWpanPort::~LrWpanPort() = default;

void
LrWpanPort::DoDispose()
{
    m_device = nullptr;
    m_frames.clear();
    m_getRssiDbm = nullptr; // which may know the nodes, and so this
    DevicePort::DoDispose();
}

void
LrWpanPort::SetStrength(std::function<double(NodeId from)> getRssiDbm)
{
    m_getRssiDbm = std::move(getRssiDbm);
}

ns3::Ptr<ns3::NetDevice>
LrWpanPort::GetDevice() const
{
    return m_device;
}

bool
LrWpanPort::Send(const ns3::Ptr<ns3::Packet>& frame, NodeId to, uint16_t protocol)
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
    m_frames.push_back({frame, to, protocol, ns3::Simulator::Now()});
    return m_frames.size() > 1 || SendNext();
}

/// The MAC has one frame at a time, as it lets go of none that it was given.
bool
LrWpanPort::SendNext()
{
    const auto& [frame, to, protocol, queuedAt, wasOnAir] = m_frames.front();
    return m_device->Send(frame->Copy(), ToMacAddress(to), protocol); // it adds a header
}

void
LrWpanPort::SetReceiver(uint16_t, Receiver receiver)
{
    constexpr uint16_t ALL_PROTOCOLS = 0;
    if (!receiver)
    {
        m_receivers.Set(*m_device, ALL_PROTOCOLS, nullptr);
        return;
    }
    m_receivers.Set(*m_device,
                    ALL_PROTOCOLS,
                    [this, receiver = std::move(receiver)](const auto& frame, double rssiDbm) {
                        if (m_isOn)
                        {
                            receiver(frame, rssiDbm);
                        }
                    });
}

LinkTiming
LrWpanPort::GetTiming() const
{
    return MakeLinkTiming(BIT_RATE, Instant(0), MAC_OVERHEAD + PHY_OVERHEAD, BACKOFF_SECONDS);
}

bool
LrWpanPort::HasAcks() const
{
    ns3::BooleanValue hasAcks;
    m_device->GetAttribute("UseAcks", hasAcks);
    return hasAcks.Get();
}

void
LrWpanPort::DoSetOn(bool on)
{
    NS_LOG_FUNCTION(this << on);
    m_frames.clear();
    m_waiting.Clear();
    Switch(on, false);
}

void
LrWpanPort::SetAsleep(bool asleep)
{
    NS_LOG_FUNCTION(this << asleep);
    if (asleep == m_isAsleep)
    {
        return;
    }
    Switch(true, asleep);
    if (asleep)
    {
        return;
    }
    for (const auto& [frame, to, protocol] : m_waiting.Take())
    {
        Send(frame, to, protocol);
    }
}

void
LrWpanPort::Switch(bool on, bool asleep)
{
    if (m_powers)
    {
        m_meter.SpendSince(GetWatts());
    }
    m_isOn = on;
    m_isAsleep = asleep;
    if (on && !asleep)
    {
        m_device->GetMac()->SetRxOnWhenIdle(true);
    }
    else
    {
        Rest();
    }
}

/// The MAC ends what it has begun before it lets the PHY rest, and the PHY ends what it hears: ns-3
/// 3.44 ends the process if its MAC lets go of a PHY that hears a frame which is lost already.
void
LrWpanPort::Rest()
{
    const auto isToRest = !m_isOn || m_isAsleep;
    if (isToRest && m_isMacIdle && m_state != ns3::lrwpan::IEEE_802_15_4_PHY_BUSY_RX)
    {
        m_device->GetMac()->SetRxOnWhenIdle(false);
    }
}

void
LrWpanPort::ChangeMac(ns3::lrwpan::MacState, ns3::lrwpan::MacState after)
{
    m_isMacIdle = after == ns3::lrwpan::MAC_IDLE;
    Rest();
}

void
LrWpanPort::SetPowers(const StatePowers& powers)
{
    m_powers = powers;
}

std::optional<double>
LrWpanPort::GetEnergyJoules()
{
    return m_powers ? std::optional(m_meter.GetJoules(GetWatts())) : std::nullopt;
}

void
LrWpanPort::Change(ns3::Time, ns3::lrwpan::PhyEnumeration before, ns3::lrwpan::PhyEnumeration after)
{
    if (m_powers)
    {
        m_meter.SpendSince(GetWatts());
    }
    m_state = after;
    if (before == ns3::lrwpan::IEEE_802_15_4_PHY_BUSY_RX)
    {
        ns3::Simulator::ScheduleNow(&LrWpanPort::Rest, this); // when the PHY has done what it does
    }
}

double
LrWpanPort::GetWatts() const
{
    switch (m_state)
    {
    case ns3::lrwpan::IEEE_802_15_4_PHY_BUSY_TX:
        return m_powers->transmit;
    case ns3::lrwpan::IEEE_802_15_4_PHY_BUSY_RX:
        return m_powers->receive;
    case ns3::lrwpan::IEEE_802_15_4_PHY_TRX_OFF:
        return m_isOn ? m_powers->sleep : 0;
    default:
        return m_powers->listen;
    }
}

bool
LrWpanPort::IsFirst(const ns3::Packet& packet) const
{
    return !m_frames.empty() && m_frames.front().frame->GetUid() == packet.GetUid();
}

void
LrWpanPort::PutOnAir(ns3::Ptr<const ns3::Packet> packet)
{
    if (!IsFirst(*packet))
    {
        return; // an acknowledgement, or a frame from before the node was switched off
    }
    auto& first = m_frames.front();
    m_macWait(first.wasOnAir ? ns3::Time(0) : ns3::Simulator::Now() - first.queuedAt);
    first.wasOnAir = true;
    const auto sent = first; // who is told may send another, or switch the node off
    const auto bytes = packet->GetSize() + PHY_OVERHEAD;
    m_transmit(sent.frame, sent.protocol, ToMacAddress(sent.to), bytes);
}

std::optional<LrWpanPort::Frame>
LrWpanPort::TakeFirst(const ns3::Packet& packet)
{
    if (!IsFirst(packet))
    {
        return std::nullopt;
    }
    const auto first = std::move(m_frames.front());
    m_frames.pop_front();
    if (!m_frames.empty())
    {
        SendNext();
    }
    return first;
}

void
LrWpanPort::Succeeded(ns3::Ptr<const ns3::Packet> packet)
{
    const auto sent = TakeFirst(*packet);
    if (sent && sent->to != NO_NODE)
    {
        m_acknowledged(sent->frame);
    }
}

void
LrWpanPort::Failed(ns3::Ptr<const ns3::Packet> packet)
{
    const auto failed = TakeFirst(*packet);
    if (!failed)
    {
        return;
    }
    NS_LOG_DEBUG("to " << failed->to << ": on the air " << failed->wasOnAir);
    if (failed->wasOnAir && failed->to != NO_NODE)
    {
        m_givenUp(failed->frame);
        return;
    }
    const auto size = failed->frame->GetSize() + MAC_OVERHEAD + PHY_OVERHEAD;
    m_macDrop(failed->frame, failed->protocol, ToMacAddress(failed->to), size);
}

} // namespace mftpubsub
