/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "wsn/radio.h"

#include "wsn/counter-random.h"
#include "wsn/wireless-channel.h"
#include "wsn/wsn-net-device.h"

#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace mftpubsub
{

NS_LOG_COMPONENT_DEFINE("WsnRadio");

NS_OBJECT_ENSURE_REGISTERED(Radio);

namespace
{

constexpr const char* DEFAULT_MODE = "CC2420/normal";

/// Streams from here on are those of radios that were assigned none.
constexpr uint64_t AUTOMATIC_STREAMS = uint64_t{1} << 63;

int64_t
Now()
{
    return ns3::Simulator::Now().GetNanoSeconds();
}

} // namespace

ns3::TypeId
Radio::GetTypeId()
{
    static ns3::TypeId tid =
        ns3::TypeId("mftpubsub::Radio")
            .SetParent<ns3::Object>()
            .SetGroupName("Mftpubsub")
            .AddConstructor<Radio>()
            .AddAttribute("Mode",
                          "Name of the radio mode",
                          ns3::StringValue(DEFAULT_MODE),
                          ns3::MakeStringAccessor(&Radio::SetMode, &Radio::GetModeName),
                          ns3::MakeStringChecker())
            .AddAttribute("TxPower",
                          "Output power, one of the chip's levels (dBm)",
                          ns3::DoubleValue(0.0),
                          ns3::MakeDoubleAccessor(&Radio::SetTxPower, &Radio::GetTxPower),
                          ns3::MakeDoubleChecker<double>())
            .AddAttribute("CcaThreshold",
                          "The channel is busy at this RSSI or more (dBm)",
                          ns3::DoubleValue(-95.0),
                          ns3::MakeDoubleAccessor(&Radio::m_ccaThresholdDbm),
                          ns3::MakeDoubleChecker<float>())
            .AddAttribute("BaselinePower",
                          "Consumed by the rest of the node (mW)",
                          ns3::DoubleValue(6.0),
                          ns3::MakeDoubleAccessor(&Radio::m_baselineMw),
                          ns3::MakeDoubleChecker<double>(0.0))
            .AddAttribute("ProcessingDelay",
                          "From the end of a frame to its delivery to the MAC",
                          ns3::TimeValue(ns3::MicroSeconds(10)),
                          ns3::MakeTimeAccessor(&Radio::m_processingDelay),
                          ns3::MakeTimeChecker(ns3::Time(0)))
            .AddAttribute("BufferSize",
                          "Frames that wait in the radio",
                          ns3::UintegerValue(16),
                          ns3::MakeUintegerAccessor(&Radio::m_bufferSize),
                          ns3::MakeUintegerChecker<uint32_t>(1));
    return tid;
}

Radio::Radio()
    : m_mode(&GetRadioMode(DEFAULT_MODE)),
      m_unconnected(*m_mode),
      m_stream(static_cast<int64_t>(AUTOMATIC_STREAMS + ns3::RngSeedManager::GetNextStreamIndex()))
{
    m_unconnected.SetKey(MakeStreamKey(m_stream));
}

Radio::~Radio() = default;

void
Radio::DoDispose()
{
    m_buffer.clear();
    m_channel = nullptr;
    m_device = nullptr;
    ns3::Object::DoDispose();
}

void
Radio::Connect(WirelessChannel* channel, uint32_t index, WsnNetDevice* device)
{
    m_channel = channel;
    m_index = index;
    m_device = device;
    GetReceiver() = m_unconnected;
}

Receiver&
Radio::GetReceiver()
{
    return m_channel ? m_channel->GetReceiver(m_index) : m_unconnected;
}

const Receiver&
Radio::GetReceiver() const
{
    return m_channel ? m_channel->GetReceiver(m_index) : m_unconnected;
}

void
Radio::SetStartTime(ns3::Time start)
{
    m_stateSince = start.GetNanoSeconds();
    GetReceiver().SetStart(m_stateSince);
}

void
Radio::SetMode(std::string name)
{
    m_mode = &GetRadioMode(name);
    GetReceiver().SetMode(*m_mode);
}

std::string
Radio::GetModeName() const
{
    return m_mode->name;
}

void
Radio::SetTxPower(double dbm)
{
    const auto* level = m_mode->FindTxLevel(dbm);
    if (!level)
    {
        std::string levels;
        for (const auto& known : m_mode->txLevels)
        {
            levels += (levels.empty() ? "" : ", ") + std::to_string(std::lround(known.dbm));
        }
        throw std::invalid_argument(m_mode->name + " has no output power " + std::to_string(dbm) +
                                    " dBm, only " + levels);
    }
    m_txPowerDbm = static_cast<float>(dbm);
    m_txPowerMw = level->consumedMw;
}

double
Radio::GetTxPower() const
{
    return m_txPowerDbm;
}

ns3::Time
Radio::GetAirTime(uint32_t bytes) const
{
    return ns3::NanoSeconds(std::llround(8e9 * bytes / m_mode->dataRate));
}

int64_t
Radio::AssignStreams(int64_t stream)
{
    m_stream = stream;
    GetReceiver().SetKey(MakeStreamKey(stream));
    return 1;
}

bool
Radio::Send(WsnFrame frame)
{
    if (m_buffer.size() >= m_bufferSize || m_state == OFF || m_state == SLEEP)
    {
        return false;
    }
    m_buffer.push_back(std::move(frame));
    if (m_state == RX)
    {
        LeaveRx();
    }
    return true;
}

void
Radio::LeaveRx()
{
    GetReceiver().StopListening();
    ChangeState(RX_TO_TX);
    m_turnaround = ns3::Simulator::Schedule(ns3::NanoSeconds(m_mode->rxTxTurnaroundNs),
                                            &Radio::StartTransmission,
                                            this);
}

void
Radio::SetOn(bool on)
{
    NS_LOG_FUNCTION(this << on);
    if (on == (m_state != OFF))
    {
        return;
    }
    if (on)
    {
        EnterRx();
        return;
    }
    m_turnaround.Cancel();
    GetReceiver().StopListening();
    GetReceiver().StopSensing();
    ChangeState(OFF);
    ++m_outages;
    for (const auto& frame : std::exchange(m_buffer, {}))
    {
        m_device->NotifyMacDrop(frame);
    }
}

bool
Radio::FallAsleep()
{
    if (m_state != RX)
    {
        return m_state == SLEEP;
    }
    GetReceiver().StopListening();
    GetReceiver().StopSensing();
    ChangeState(SLEEP);
    return true;
}

void
Radio::WakeUp()
{
    if (m_state == SLEEP)
    {
        EnterRx();
    }
}

void
Radio::StartTransmission()
{
    NS_LOG_FUNCTION(this);
    ChangeState(TX);
    GetReceiver().StopSensing();
    WsnFrame frame = std::move(m_buffer.front());
    m_buffer.pop_front();
    const ns3::Time duration = GetAirTime(frame.bytesOnAir);
    m_device->NotifyTransmit(frame);
    m_channel->Transmit(*this, std::move(frame), m_txPowerDbm, duration);
}

void
Radio::EndTransmission()
{
    if (!m_buffer.empty())
    {
        StartTransmission();
        return;
    }
    ChangeState(TX_TO_RX);
    m_turnaround =
        ns3::Simulator::Schedule(ns3::NanoSeconds(m_mode->rxTxTurnaroundNs), &Radio::EnterRx, this);
}

void
Radio::ChangeState(State state)
{
    m_consumedPj = GetEnergy() * 1e12;
    m_stateSince = std::max(m_stateSince, Now());
    m_state = state;
}

double
Radio::GetEnergy() const
{
    const auto nanoseconds = std::max<int64_t>(0, Now() - m_stateSince);
    return (m_consumedPj + GetConsumption() * static_cast<double>(nanoseconds)) * 1e-12;
}

double
Radio::GetConsumption() const
{
    switch (m_state)
    {
    case OFF:
        return 0;
    case SLEEP:
        return m_baselineMw + m_mode->sleepingMw;
    case TX:
        return m_baselineMw + m_txPowerMw;
    default:
        return m_baselineMw + m_mode->listeningMw;
    }
}

void
Radio::EnterRx()
{
    ChangeState(RX);
    GetReceiver().Listen(Now());
    if (!m_buffer.empty())
    {
        LeaveRx();
    }
}

const SignalCounts&
Radio::GetCounts() const
{
    return m_channel->GetCounts(m_index);
}

float
Radio::ReadRssi() const
{
    return GetReceiver().ReadRssi(Now());
}

ChannelAssessment
Radio::AssessChannel() const
{
    const int64_t now = Now();
    const Receiver& receiver = GetReceiver();
    if (!receiver.CanAssess(now))
    {
        return ChannelAssessment::NOT_VALID;
    }
    return receiver.ReadRssi(now) < m_ccaThresholdDbm ? ChannelAssessment::CLEAR
                                                      : ChannelAssessment::BUSY;
}

} // namespace mftpubsub
