/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "wsn/wireless-channel.h"

#include "wsn/counter-random.h"
#include "wsn/radio.h"
#include "wsn/wsn-net-device.h"

#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace mftpubsub
{

NS_OBJECT_ENSURE_REGISTERED(WirelessChannel);

namespace
{

/// Power for which Castalia's tables of path losses are made (point 5), dBm.
constexpr float TABLE_TX_POWER_DBM = 0.0F;

/// Buckets of the grid for the radius of a search. Small ones waste less of their area at the
/// circle's edge.
constexpr double BUCKETS_PER_RADIUS = 8;

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

uint64_t
PairKey(uint32_t from, uint32_t to)
{
    return (uint64_t{from} << 32) | to;
}

} // namespace

ns3::TypeId
WirelessChannel::GetTypeId()
{
    static ns3::TypeId tid =
        ns3::TypeId("mftpubsub::WirelessChannel")
            .SetParent<ns3::Channel>()
            .SetGroupName("Mftpubsub")
            .AddConstructor<WirelessChannel>()
            .AddAttribute(
                "Mode",
                "Whether path loss belongs to pairs of nodes, standing or moving, or of cells",
                ns3::EnumValue(STATIC),
                ns3::MakeEnumAccessor<Mode>(&WirelessChannel::m_mode),
                ns3::MakeEnumChecker(STATIC,
                                     "Static",
                                     MOBILE,
                                     "Mobile",
                                     MOVING_PAIRS,
                                     "MovingPairs"))
            .AddAttribute("ReferenceLoss",
                          "Path loss at the reference distance (dB)",
                          ns3::DoubleValue(55.0),
                          ns3::MakeDoubleAccessor(&WirelessChannel::m_referenceLossDb),
                          ns3::MakeDoubleChecker<double>())
            .AddAttribute("ReferenceDistance",
                          "Reference distance of the path loss (m)",
                          ns3::DoubleValue(1.0),
                          ns3::MakeDoubleAccessor(&WirelessChannel::m_referenceDistance),
                          ns3::MakeDoubleChecker<double>(1e-6))
            .AddAttribute("Exponent",
                          "Path loss exponent",
                          ns3::DoubleValue(2.4),
                          ns3::MakeDoubleAccessor(&WirelessChannel::m_exponent),
                          ns3::MakeDoubleChecker<double>(0.1))
            .AddAttribute("Sigma",
                          "Standard deviation of the shadowing (dB)",
                          ns3::DoubleValue(4.0),
                          ns3::MakeDoubleAccessor(&WirelessChannel::m_sigma),
                          ns3::MakeDoubleChecker<double>(0.0))
            .AddAttribute("BidirectionalSigma",
                          "Standard deviation of the difference of both directions (dB)",
                          ns3::DoubleValue(1.0),
                          ns3::MakeDoubleAccessor(&WirelessChannel::m_bidirectionalSigma),
                          ns3::MakeDoubleChecker<double>(0.0))
            .AddAttribute("DeliveryThreshold",
                          "Weaker signals are not delivered at all (dBm)",
                          ns3::DoubleValue(-100.0),
                          ns3::MakeDoubleAccessor(&WirelessChannel::m_deliveryThresholdDbm),
                          ns3::MakeDoubleChecker<double>())
            .AddAttribute("FieldX",
                          "Width of the field, mobile case (m)",
                          ns3::DoubleValue(100.0),
                          ns3::MakeDoubleAccessor(&WirelessChannel::m_fieldX),
                          ns3::MakeDoubleChecker<double>(0.1))
            .AddAttribute("FieldY",
                          "Height of the field, mobile case (m)",
                          ns3::DoubleValue(100.0),
                          ns3::MakeDoubleAccessor(&WirelessChannel::m_fieldY),
                          ns3::MakeDoubleChecker<double>(0.1))
            .AddAttribute("CellSize",
                          "Side of a cell, mobile case (m)",
                          ns3::DoubleValue(5.0),
                          ns3::MakeDoubleAccessor(&WirelessChannel::m_cellSize),
                          ns3::MakeDoubleChecker<double>(0.1))
            .AddAttribute("UpdateInterval",
                          "Period of the sampling of positions, mobile case",
                          ns3::TimeValue(ns3::MilliSeconds(100)),
                          ns3::MakeTimeAccessor(&WirelessChannel::m_updateInterval),
                          ns3::MakeTimeChecker(ns3::NanoSeconds(1)))
            .AddTraceSource("SignalEnd",
                            "A signal has ended: index of the receiver's device, number of the "
                            "frame, what became of it",
                            ns3::MakeTraceSourceAccessor(&WirelessChannel::m_signalEnd),
                            "mftpubsub::WirelessChannel::SignalTracedCallback")
            .AddTraceSource("PositionsUpdated",
                            "Some node changed its cell, or its position in mode MovingPairs",
                            ns3::MakeTraceSourceAccessor(&WirelessChannel::m_positionsUpdated),
                            "mftpubsub::WirelessChannel::PositionsUpdatedTracedCallback");
    return tid;
}

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
    m_places.clear();
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
    if (m_prepared)
    {
        throw std::logic_error("WirelessChannel: devices cannot be added once it is in use");
    }
    m_devices.push_back(device);
    m_radios.push_back(ns3::PeekPointer(device->GetRadio()));
    m_receivers.emplace_back(device->GetRadio()->GetMode());
    m_counts.emplace_back();
    m_places.emplace_back();
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

void
WirelessChannel::Prepare() const
{
    if (m_prepared)
    {
        return;
    }
    m_prepared = true;
    m_shadowing.emplace(MakeStreamKey(m_stream), m_sigma, m_bidirectionalSigma);
    const double reach =
        TABLE_TX_POWER_DBM - m_deliveryThresholdDbm - m_referenceLossDb + 3 * m_sigma;
    // Finite and not 0, whatever the attributes are: buckets of this size are counted.
    m_cutDistance = static_cast<float>(
        std::clamp<double>(m_referenceDistance * std::pow(10.0, reach / (10.0 * m_exponent)),
                           std::numeric_limits<float>::min(),
                           std::numeric_limits<float>::max()));
    for (uint32_t i = 0; i < m_devices.size(); ++i)
    {
        if (const auto node = m_devices[i]->GetNode())
        {
            m_places[i].mobility = node->GetObject<ns3::MobilityModel>();
        }
        if (m_places[i].mobility)
        {
            const ns3::Vector position = m_places[i].mobility->GetPosition();
            m_places[i].x = position.x;
            m_places[i].y = position.y;
        }
    }
    if (m_mode == MOBILE)
    {
        m_cellLosses.Divide(m_fieldX, m_fieldY, m_cellSize);
        m_cellLosses.Compute([this](float distance) { return MeanLoss(distance); },
                             m_cutDistance,
                             TABLE_TX_POWER_DBM - m_deliveryThresholdDbm,
                             *m_shadowing);
    }
    else
    {
        m_neighbours.resize(m_devices.size());
    }
    if (m_mode != STATIC)
    {
        ResetGrid(0, 0, m_fieldX, m_fieldY);
    }
    else
    {
        double minX = 0;
        double minY = 0;
        double maxX = 0;
        double maxY = 0;
        for (const Place& place : m_places)
        {
            minX = std::min(minX, place.x);
            minY = std::min(minY, place.y);
            maxX = std::max(maxX, place.x);
            maxY = std::max(maxY, place.y);
        }
        ResetGrid(minX, minY, maxX, maxY);
    }
    for (uint32_t i = 0; i < m_places.size(); ++i)
    {
        const Place& place = m_places[i];
        m_grid.Add(i, place.x, place.y);
        m_cells.push_back(m_mode == MOBILE ? m_cellLosses.CellOf(place.x, place.y) : Cell{i, 0, 0});
    }
}

void
WirelessChannel::ResetGrid(double minX, double minY, double maxX, double maxY) const
{
    // Where everybody may hear everybody there is nothing to search.
    const bool isSmall = std::hypot(maxX - minX, maxY - minY) <= m_cutDistance;
    m_grid.Reset(minX,
                 minY,
                 maxX,
                 maxY,
                 isSmall ? m_cutDistance : m_cutDistance / BUCKETS_PER_RADIUS);
}

bool
WirelessChannel::Place2d(uint32_t device, double x, double y) const
{
    Place& place = m_places[device];
    if (!m_prepared)
    {
        place.x = x;
        place.y = y;
        return true;
    }
    if (place.x == x && place.y == y)
    {
        return false;
    }
    m_grid.Move(device, place.x, place.y, x, y);
    place.x = x;
    place.y = y;
    if (m_mode != MOBILE)
    {
        return true;
    }
    const Cell cell = m_cellLosses.CellOf(x, y);
    const bool changed = cell.index != m_cells[device].index;
    m_cells[device] = cell;
    return changed;
}

void
WirelessChannel::SetPosition(uint32_t device, double x, double y)
{
    CheckIndex(device);
    if (m_prepared && m_mode == STATIC)
    {
        throw std::logic_error(
            "WirelessChannel: in static mode positions are fixed once it is in use");
    }
    if (Place2d(device, x, y))
    {
        ForgetNeighbours();
    }
}

void
WirelessChannel::ForgetNeighbours()
{
    for (auto& neighbours : m_neighbours)
    {
        neighbours.reset();
    }
}

std::pair<double, double>
WirelessChannel::GetPosition(uint32_t device) const
{
    CheckIndex(device);
    Prepare();
    return {m_places[device].x, m_places[device].y};
}

bool
WirelessChannel::UpdatePositions()
{
    Prepare();
    bool changed = false;
    if (m_mode != STATIC)
    {
        for (uint32_t i = 0; i < m_places.size(); ++i)
        {
            if (m_places[i].mobility)
            {
                const ns3::Vector position = m_places[i].mobility->GetPosition();
                changed |= Place2d(i, position.x, position.y);
            }
        }
    }
    if (changed)
    {
        ForgetNeighbours();
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
WirelessChannel::SetPathLossTable(std::span<const PathLossEntry> entries)
{
    if (m_prepared)
    {
        throw std::logic_error("WirelessChannel: the path-loss table must be set before use");
    }
    m_explicitLosses = true;
    if (m_mode != MOBILE)
    {
        for (const auto& [from, to, lossDb] : entries)
        {
            CheckIndex(from);
            CheckIndex(to);
            m_explicitPairs[PairKey(from, to)] = lossDb;
        }
        return;
    }
    m_cellLosses.Divide(m_fieldX, m_fieldY, m_cellSize);
    m_cellLosses.SetTable(entries);
}

float
WirelessChannel::MeanLoss(float distance) const
{
    if (distance < m_referenceDistance / 10)
    {
        return 0.0F;
    }
    return static_cast<float>(m_referenceLossDb +
                              10.0 * m_exponent * std::log10(distance / m_referenceDistance));
}

float
WirelessChannel::PairDistance(uint32_t from, uint32_t to) const
{
    return static_cast<float>(
        std::hypot(m_places[from].x - m_places[to].x, m_places[from].y - m_places[to].y));
}

float
WirelessChannel::CutLoss(float lossDb) const
{
    return TABLE_TX_POWER_DBM - lossDb < m_deliveryThresholdDbm ? NEVER_DELIVERED : lossDb;
}

float
WirelessChannel::PairLoss(uint32_t from, uint32_t to) const
{
    if (m_explicitLosses)
    {
        const auto entry = m_explicitPairs.find(PairKey(from, to));
        return entry == m_explicitPairs.end() ? NEVER_DELIVERED : entry->second;
    }
    const float distance = PairDistance(from, to);
    if (distance > m_cutDistance)
    {
        return NEVER_DELIVERED;
    }
    return CutLoss(static_cast<float>(GetUncutPathLossDb(from, to)));
}

double
WirelessChannel::GetMeanPathLossDb(uint32_t from, uint32_t to) const
{
    CheckIndex(from);
    CheckIndex(to);
    Prepare();
    return MeanLoss(m_mode == MOBILE ? m_cellLosses.GetDistance(m_cells[from], m_cells[to])
                                     : PairDistance(from, to));
}

double
WirelessChannel::GetUncutPathLossDb(uint32_t from, uint32_t to) const
{
    const double mean = GetMeanPathLossDb(from, to);
    const float distance = m_mode == MOBILE ? m_cellLosses.GetDistance(m_cells[from], m_cells[to])
                                            : PairDistance(from, to);
    if (distance < m_referenceDistance / 10)
    {
        return mean;
    }
    return mean + m_shadowing->Get(m_cells[from].index, m_cells[to].index);
}

double
WirelessChannel::GetPathLossDb(uint32_t from, uint32_t to) const
{
    CheckIndex(from);
    CheckIndex(to);
    Prepare();
    return m_mode == MOBILE ? m_cellLosses.Get(m_cells[from], m_cells[to]) : PairLoss(from, to);
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
WirelessChannel::IsUsable(uint32_t from, uint32_t to) const
{
    if (from == to || (m_isCut && m_isCut(from, to)))
    {
        return false;
    }
    return GetStrengthDbm(from, to) >= m_radios[to]->GetMode().sensitivityDbm;
}

std::vector<uint32_t>
WirelessChannel::GetUsableLinks(uint32_t from) const
{
    CheckIndex(from);
    Prepare();
    const auto power = static_cast<float>(m_radios[from]->GetTxPower());
    std::vector<uint32_t> links;
    VisitHearers(from, [&](uint32_t to, float loss) {
        if (power - loss >= m_radios[to]->GetMode().sensitivityDbm)
        {
            links.push_back(to);
        }
    });
    std::ranges::sort(links);
    return links;
}

const std::vector<WirelessChannel::Neighbour>&
WirelessChannel::NeighboursOf(uint32_t device) const
{
    auto& neighbours = m_neighbours[device];
    if (!neighbours)
    {
        neighbours = std::make_unique<std::vector<Neighbour>>();
        const auto consider = [&](uint32_t other) {
            if (other != device)
            {
                if (const float loss = PairLoss(device, other); loss != NEVER_DELIVERED)
                {
                    neighbours->push_back({other, loss});
                }
            }
        };
        if (m_explicitLosses)
        {
            for (uint32_t other = 0; other < m_devices.size(); ++other)
            {
                consider(other);
            }
        }
        else
        {
            m_grid.Visit(m_places[device].x, m_places[device].y, m_cutDistance, consider);
            std::sort(neighbours->begin(), neighbours->end(), [](const auto& a, const auto& b) {
                return a.device < b.device;
            });
        }
    }
    return *neighbours;
}

template <typename Visitor>
void
WirelessChannel::VisitHearers(uint32_t from, Visitor&& visitor) const
{
    const auto visit = [&](uint32_t device, float loss) {
        if (!m_isCut || !m_isCut(from, device))
        {
            visitor(device, loss);
        }
    };
    if (m_mode != MOBILE)
    {
        for (const auto& [device, loss] : NeighboursOf(from))
        {
            visit(device, loss);
        }
        return;
    }
    m_candidates.resize(m_devices.size());
    uint32_t* end = m_candidates.data();
    const auto consider = [&end](uint32_t device) { *end++ = device; };
    if (m_cellLosses.HasTable())
    {
        for (uint32_t device = 0; device < m_devices.size(); ++device)
        {
            consider(device);
        }
    }
    else
    {
        // Distances are between cell origins: two cells apart more at most.
        const Place& place = m_places[from];
        m_grid.Visit(
            std::clamp(place.x, 0.0, m_fieldX), // who is outside counts to the nearest cell
            std::clamp(place.y, 0.0, m_fieldY),
            m_cutDistance + 2 * m_cellSize,
            consider);
    }
    const std::span candidates(m_candidates.data(), end);
    for (const auto& [device, loss] : m_cellLosses.Find(m_cells[from], candidates, m_cells))
    {
        if (device != from)
        {
            visit(device, loss);
        }
    }
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
        ++m_counts[index][static_cast<size_t>(ended.outcome)];
        m_signalEnd(index, transmission.id, ended);
        if (!ended.received || !isWhole || (m_isCut && m_isCut(from, index)))
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
