/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "wsn/wireless-channel.h"

#include "wsn/position-of.h"
#include "wsn/radio.h"
#include "wsn/wsn-net-device.h"

#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace mftpubsub
{

NS_LOG_COMPONENT_DEFINE("WsnChannel");

namespace
{

using CourseChange = ns3::Callback<void, ns3::Ptr<const ns3::MobilityModel>>;

/// So many hearers ahead memory is fetched: what a radio points to, and before that the radio.
constexpr size_t SOON = 6;
constexpr size_t LATER = 12;

/// Has the processor fetch counts, which may lie in two lines of its cache. (Inlined as
/// Receiver's.)
[[gnu::always_inline]] inline void
Prefetch(const SignalCounts& counts)
{
    __builtin_prefetch(&counts.front());
    __builtin_prefetch(&counts.back());
}

} // namespace

WirelessChannel::WirelessChannel() = default;

WirelessChannel::~WirelessChannel() = default;

void
WirelessChannel::DoInitialize()
{
    Prepare();
    if (m_mode != STATIC)
    {
        ns3::Simulator::Schedule(m_updateInterval, &WirelessChannel::PeriodicUpdate, this);
    }
    ns3::Channel::DoInitialize();
}

void
WirelessChannel::DoDispose()
{
    m_devices.clear();
    m_radios.clear();
    m_mobility.clear();
    m_transmissions.clear();
    ns3::Channel::DoDispose();
}

std::size_t
WirelessChannel::GetNDevices() const
{
    return m_devices.size();
}

ns3::Ptr<ns3::NetDevice>
WirelessChannel::GetDevice(std::size_t i) const
{
    return m_devices.at(i);
}

int64_t
WirelessChannel::AssignStreams(int64_t stream)
{
    m_stream = stream;
    return 1;
}

uint32_t
WirelessChannel::Attach(ns3::Ptr<WsnNetDevice> device)
{
    NS_LOG_FUNCTION(this << device);
    if (m_losses.IsPrepared())
    {
        throw std::logic_error("WirelessChannel: devices cannot be added once it is in use");
    }
    m_devices.push_back(device);
    m_radios.push_back(ns3::PeekPointer(device->GetRadio()));
    m_receivers.emplace_back(device->GetRadio()->GetMode());
    m_counts.emplace_back();
    m_mobility.emplace_back();
    m_losses.Add();
    return static_cast<uint32_t>(m_devices.size() - 1);
}

void
WirelessChannel::CheckIndex(uint32_t device) const
{
    if (device >= m_devices.size())
    {
        throw std::out_of_range("WirelessChannel: no device " + std::to_string(device) +
                                ", it has " + std::to_string(m_devices.size()));
    }
}

PathLossSettings
WirelessChannel::GetSettings() const
{
    return {.mode = m_mode,
            .referenceLossDb = m_referenceLossDb,
            .referenceDistance = m_referenceDistance,
            .exponent = m_exponent,
            .sigma = m_sigma,
            .bidirectionalSigma = m_bidirectionalSigma,
            .deliveryThresholdDbm = m_deliveryThresholdDbm,
            .fieldX = m_fieldX,
            .fieldY = m_fieldY,
            .cellSize = m_cellSize,
            .stream = m_stream,
            .walls = m_walls};
}

void
WirelessChannel::Prepare() const
{
    if (m_losses.IsPrepared())
    {
        return;
    }
    for (uint32_t i = 0; i < m_devices.size(); ++i)
    {
        if (const auto node = m_devices[i]->GetNode())
        {
            m_mobility[i] = node->GetObject<ns3::MobilityModel>();
        }
        if (m_mobility[i])
        {
            m_losses.Place(i, PositionOf(*m_mobility[i]));
            if (m_mode == STATIC)
            {
                CheckStays(i);
                const ns3::Ptr<const WirelessChannel> self(this);
                m_mobility[i]->TraceConnectWithoutContext(
                    "CourseChange",
                    CourseChange([self, i](const auto&) { self->CheckStays(i); }));
            }
        }
    }
    m_losses.Prepare(GetSettings());
}

void
WirelessChannel::CheckStays(uint32_t device) const
{
    if (device >= m_mobility.size())
    {
        return; // the simulation is over
    }
    const auto& mobility = *m_mobility[device];
    if (mobility.GetVelocity().GetLength() > 0 || PositionOf(mobility) != m_losses.GetPlace(device))
    {
        throw std::logic_error("WirelessChannel: node " +
                               std::to_string(m_devices[device]->GetNode()->GetId()) +
                               " moves, and mode Static reads positions once: take mode Mobile, as "
                               "WsnHelper::CreateMobileChannel does, or MovingPairs");
    }
}

void
WirelessChannel::SetPosition(uint32_t device, const Position& position)
{
    CheckIndex(device);
    if (m_losses.IsPrepared() && m_mode == STATIC)
    {
        throw std::logic_error(
            "WirelessChannel: in static mode positions are fixed once it is in use");
    }
    if (m_losses.Place(device, position))
    {
        m_losses.ForgetNeighbours();
    }
}

const Position&
WirelessChannel::GetPosition(uint32_t device) const
{
    CheckIndex(device);
    Prepare();
    return m_losses.GetPlace(device);
}

bool
WirelessChannel::UpdatePositions()
{
    Prepare();
    bool changed = false;
    if (m_mode != STATIC)
    {
        for (uint32_t i = 0; i < m_mobility.size(); ++i)
        {
            if (m_mobility[i])
            {
                changed |= m_losses.Place(i, PositionOf(*m_mobility[i]));
            }
        }
    }
    if (changed)
    {
        m_losses.ForgetNeighbours();
        m_positionsUpdated();
    }
    return changed;
}

void
WirelessChannel::PeriodicUpdate()
{
    UpdatePositions();
    ns3::Simulator::Schedule(m_updateInterval, &WirelessChannel::PeriodicUpdate, this);
}

void
WirelessChannel::SetWalls(Walls walls)
{
    if (m_losses.IsPrepared())
    {
        throw std::logic_error("WirelessChannel: walls must be set before use");
    }
    m_walls = std::move(walls);
}

void
WirelessChannel::SetPathLossTable(std::span<const PathLossEntry> entries)
{
    if (m_losses.IsPrepared())
    {
        throw std::logic_error("WirelessChannel: the path-loss table must be set before use");
    }
    if (m_mode != MOBILE)
    {
        for (const auto& [from, to, lossDb] : entries)
        {
            CheckIndex(from);
            CheckIndex(to);
        }
    }
    m_losses.SetTable(GetSettings(), entries);
}

double
WirelessChannel::GetMeanPathLossDb(uint32_t from, uint32_t to) const
{
    CheckIndex(from);
    CheckIndex(to);
    Prepare();
    return m_losses.GetMean(from, to);
}

double
WirelessChannel::GetUncutPathLossDb(uint32_t from, uint32_t to) const
{
    CheckIndex(from);
    CheckIndex(to);
    Prepare();
    return m_losses.GetUncut(from, to);
}

double
WirelessChannel::GetPathLossDb(uint32_t from, uint32_t to) const
{
    CheckIndex(from);
    CheckIndex(to);
    Prepare();
    return m_losses.Get(from, to);
}

void
WirelessChannel::SetLinkFilter(IsCut isCut)
{
    m_isCut = std::move(isCut);
}

float
WirelessChannel::GetStrengthDbm(uint32_t from, uint32_t to) const
{
    const auto loss = static_cast<float>(GetPathLossDb(from, to));
    return static_cast<float>(m_radios[from]->GetTxPower()) - loss;
}

bool
WirelessChannel::CanReceive(uint32_t to, float powerDbm) const
{
    return powerDbm >= static_cast<float>(m_deliveryThresholdDbm) &&
           powerDbm >= m_radios[to]->GetMode().sensitivityDbm;
}

bool
WirelessChannel::IsUsable(uint32_t from, uint32_t to) const
{
    if (from == to || (m_isCut && m_isCut(from, to)))
    {
        return false;
    }
    return CanReceive(to, GetStrengthDbm(from, to));
}

std::vector<uint32_t>
WirelessChannel::GetUsableLinks(uint32_t from) const
{
    CheckIndex(from);
    Prepare();
    const auto power = static_cast<float>(m_radios[from]->GetTxPower());
    std::vector<uint32_t> links;
    VisitHearers(from, [&](uint32_t to, float loss) {
        if (CanReceive(to, power - loss))
        {
            links.push_back(to);
        }
    });
    std::ranges::sort(links);
    return links;
}

template <typename Visitor>
void
WirelessChannel::VisitHearers(uint32_t from, Visitor&& visitor) const
{
    m_losses.VisitHearers(from, [&](uint32_t device, float loss) {
        if (!m_isCut || !m_isCut(from, device))
        {
            visitor(device, loss);
        }
    });
}

[[gnu::always_inline]] inline void
WirelessChannel::PrefetchAfter(const std::vector<Hearer>& hearers, size_t index) const
{
    if (index + SOON < hearers.size())
    {
        m_receivers[hearers[index + SOON].device].PrefetchSignals();
    }
    if (index + LATER < hearers.size())
    {
        m_receivers[hearers[index + LATER].device].Prefetch();
    }
}

void
WirelessChannel::Transmit(Radio& sender, WsnFrame frame, float powerDbm, ns3::Time duration)
{
    Prepare();
    uint32_t slot = 0;
    if (m_freeSlots.empty())
    {
        slot = static_cast<uint32_t>(m_transmissions.size());
        m_transmissions.emplace_back();
    }
    else
    {
        slot = m_freeSlots.back();
        m_freeSlots.pop_back();
    }
    Transmission& transmission = m_transmissions[slot];
    transmission.id = m_nextFrame++;
    transmission.sender = &sender;
    transmission.outages = sender.CountOutages();
    transmission.frame = std::move(frame);

    const uint32_t from = sender.GetDevice()->GetChannelIndex();
    const auto threshold = static_cast<float>(m_deliveryThresholdDbm);
    VisitHearers(from, [&](uint32_t device, float loss) {
        const float received = powerDbm - loss;
        if (received >= threshold)
        {
            m_receivers[device].Prefetch();
            transmission.hearers.push_back({device, received});
        }
    });
    const int64_t now = ns3::Simulator::Now().GetNanoSeconds();
    const auto& hearers = transmission.hearers;
    for (size_t i = 0; i < hearers.size(); ++i)
    {
        PrefetchAfter(hearers, i);
        const auto& [device, receivedDbm] = hearers[i];
        m_receivers[device].StartSignal(static_cast<uint32_t>(transmission.id), receivedDbm, now);
    }
    ns3::Simulator::Schedule(duration, &WirelessChannel::EndTransmission, this, slot);
}

void
WirelessChannel::EndTransmission(uint32_t slot)
{
    Transmission& transmission = m_transmissions[slot];
    Radio* sender = transmission.sender;
    const bool isWhole = sender->CountOutages() == transmission.outages;
    const uint32_t from = sender->GetDevice()->GetChannelIndex();
    const int64_t now = ns3::Simulator::Now().GetNanoSeconds();
    const auto& hearers = transmission.hearers;
    for (size_t i = 0; i < hearers.size(); ++i)
    {
        PrefetchAfter(hearers, i);
        if (i + SOON < hearers.size())
        {
            Prefetch(m_counts[hearers[i + SOON].device]);
        }
        const uint32_t index = hearers[i].device;
        EndedSignal ended;
        if (!m_receivers[index].EndSignal(static_cast<uint32_t>(transmission.id), now, ended))
        {
            continue;
        }
        if (ended.received && (!isWhole || (m_isCut && m_isCut(from, index))))
        {
            ended.received = false;
            ended.outcome = SignalOutcome::FAIL_NO_INTERFERENCE;
        }
        ++m_counts[index][static_cast<size_t>(ended.outcome)];
        m_signalEnd(index, transmission.id, ended);
        if (!ended.received)
        {
            continue;
        }
        if (m_receivers[index].ReportsQuality())
        {
            m_radios[index]->SetLastReceived(ended);
        }
        WsnNetDevice* device = ns3::PeekPointer(m_devices[index]);
        device->Prefetch();
        transmission.deliveries.push_back({device, ended.rssiDbm});
    }
    transmission.hearers.clear();
    HandOver(slot);
    if (isWhole)
    {
        sender->EndTransmission();
    }
}

void
WirelessChannel::HandOver(uint32_t slot)
{
    Transmission& transmission = m_transmissions[slot];
    const WsnFrame& frame = transmission.frame;
    std::erase_if(transmission.deliveries, [&](const Delivery& delivery) {
        WsnNetDevice* device = delivery.device;
        device->NotifyReceived(frame);
        const auto way = device->GetDelivery(frame);
        if (way == WsnNetDevice::Delivery::NODE)
        {
            ns3::Simulator::ScheduleWithContext(device->GetNode()->GetId(),
                                                device->GetRadio()->GetProcessingDelay(),
                                                &WsnNetDevice::ReceiveFrame,
                                                device,
                                                frame,
                                                delivery.rssiDbm);
        }
        return way != WsnNetDevice::Delivery::DIRECT;
    });
    if (transmission.deliveries.empty())
    {
        Release(slot);
        return;
    }
    const WsnNetDevice* first = transmission.deliveries.front().device;
    ns3::Simulator::Schedule(first->GetRadio()->GetProcessingDelay(),
                             &WirelessChannel::Deliver,
                             this,
                             slot);
}

void
WirelessChannel::Deliver(uint32_t slot)
{
    Transmission& transmission = m_transmissions[slot];
    for (const auto& [device, rssiDbm] : transmission.deliveries)
    {
        device->ReceiveDirect(transmission.frame, rssiDbm);
    }
    transmission.deliveries.clear();
    Release(slot);
}

void
WirelessChannel::Release(uint32_t slot)
{
    m_transmissions[slot].frame.packet = nullptr;
    m_freeSlots.push_back(slot);
}

} // namespace mftpubsub
