/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "wsn/radio.h"

#include "wsn/power.h"
#include "wsn/wireless-channel.h"
#include "wsn/wsn-net-device.h"

#include "ns3/double.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace mftpubsub
{

NS_OBJECT_ENSURE_REGISTERED(Radio);

namespace
{

/// Symbols over which the RSSI is averaged (PARAMETERS).
constexpr int64_t SYMBOLS_FOR_RSSI = 8;

/// @return length of the RSSI window, ns
int64_t
RssiWindowLength(const RadioMode& mode)
{
    return std::llround(1e9 * SYMBOLS_FOR_RSSI * mode.bitsPerSymbol / mode.dataRate);
}

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
                          ns3::StringValue("CC2420/normal"),
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
                          ns3::MakeUintegerChecker<uint32_t>(1))
            .AddTraceSource("SignalEnd",
                            "A signal has ended: number of the frame in its channel, outcome",
                            ns3::MakeTraceSourceAccessor(&Radio::m_signalEnd),
                            "mftpubsub::Radio::SignalTracedCallback");
    return tid;
}

Radio::Radio()
    : m_window(0),
      m_errors(ns3::CreateObject<ns3::UniformRandomVariable>())
{
    SetMode("CC2420/normal");
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
Radio::Connect(WirelessChannel* channel, WsnNetDevice* device)
{
    m_channel = channel;
    m_device = device;
}

void
Radio::SetStartTime(ns3::Time start)
{
    m_start = start.GetNanoSeconds();
    m_rxSince = m_start;
    m_stateSince = m_start;
}

void
Radio::SetMode(std::string name)
{
    m_mode = &GetRadioMode(name);
    m_noErrorBounds = &GetNoErrorBounds(*m_mode);
    m_window = RssiWindow(RssiWindowLength(*m_mode));
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
    m_errors->SetStream(stream);
    return 1;
}

bool
Radio::Send(WsnFrame frame)
{
    if (m_buffer.size() >= m_bufferSize || m_state == OFF)
    {
        return false;
    }
    m_buffer.push_back(std::move(frame));
    if (m_state == RX)
    {
        LoseReceptions();
        ChangeState(RX_TO_TX);
        m_turnaround = ns3::Simulator::Schedule(ns3::NanoSeconds(m_mode->rxTxTurnaroundNs),
                                                &Radio::StartTransmission,
                                                this);
    }
    return true;
}

void
Radio::LoseReceptions()
{
    for (Signal& signal : m_signals)
    {
        if (signal.alive)
        {
            signal.alive = false;
            signal.failure = SignalOutcome::FAIL_NON_RX;
        }
    }
}

void
Radio::SetOn(bool on)
{
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
    LoseReceptions();
    m_window.Clear();
    ChangeState(OFF);
    ++m_outages;
    for (const auto& frame : std::exchange(m_buffer, {}))
    {
        m_device->NotifyMacDrop(frame);
    }
}

void
Radio::StartTransmission()
{
    ChangeState(TX);
    m_window.Clear();
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
    m_rxSince = Now();
    m_window.Push(m_rxSince, AddUp(nullptr));
    if (!m_buffer.empty())
    {
        ChangeState(RX_TO_TX);
        m_turnaround = ns3::Simulator::Schedule(ns3::NanoSeconds(m_mode->rxTxTurnaroundNs),
                                                &Radio::StartTransmission,
                                                this);
    }
}

float
Radio::AddUp(const Signal* except) const
{
    float total = m_mode->noiseFloorDbm;
    for (auto it = m_signals.rbegin(); it != m_signals.rend(); ++it)
    {
        if (&*it != except)
        {
            total = AddPowerDbm(total, it->powerDbm);
        }
    }
    return total;
}

void
Radio::CloseSegment(Signal& signal, int64_t now)
{
    const int64_t duration = now - signal.segmentStart;
    signal.segmentStart = now;
    if (duration == 0)
    {
        return;
    }
    const auto bits =
        static_cast<uint64_t>(std::ceil(static_cast<double>(duration) * m_mode->dataRate / 1e9));
    const float snrDb = signal.powerDbm - signal.interferenceDbm;
    if (m_forecast)
    {
        signal.success *= NoErrorProbability(snrDb, bits, *m_mode);
        return;
    }
    if (DrawNoError(snrDb, bits))
    {
        return;
    }
    signal.alive = false;
    signal.failure = signal.maxInterferenceDbm > m_mode->noiseFloorDbm
                         ? SignalOutcome::FAIL_INTERFERENCE
                         : SignalOutcome::FAIL_NO_INTERFERENCE;
}

bool
Radio::DrawNoError(float snrDb, uint64_t bits)
{
    const auto bounds = m_noErrorBounds->Get(snrDb, bits);
    if (bounds.low == 1.0 || bounds.high == 0.0)
    {
        return bounds.low == 1.0;
    }
    if (!bounds.IsUncertain())
    {
        const double success = NoErrorProbability(snrDb, bits, *m_mode);
        return success == 1.0 || (success > 0.0 && m_errors->GetValue() <= success);
    }
    const double draw = m_errors->GetValue();
    if (draw <= bounds.low || draw > bounds.high)
    {
        return draw <= bounds.low;
    }
    return draw <= NoErrorProbability(snrDb, bits, *m_mode);
}

void
Radio::StartSignal(uint64_t frame, float powerDbm, int64_t now)
{
    if (now < m_start)
    {
        return;
    }
    if (m_window.IsEmpty() && m_state != TX && m_state != TX_TO_RX && m_state != OFF)
    {
        m_window.Push(m_rxSince, m_mode->noiseFloorDbm);
    }
    for (Signal& signal : m_signals)
    {
        if (signal.alive)
        {
            // The new signal counts as seen when the segment before it turns out to be in error
            // (point 18).
            const float interference = AddPowerDbm(signal.interferenceDbm, powerDbm);
            signal.maxInterferenceDbm = std::max(signal.maxInterferenceDbm, interference);
            CloseSegment(signal, now);
            signal.interferenceDbm = interference;
        }
    }
    const float before = m_window.IsEmpty() ? m_mode->noiseFloorDbm : m_window.Current();
    Signal signal{.frame = frame,
                  .segmentStart = now,
                  .powerDbm = powerDbm,
                  .interferenceDbm = before,
                  .maxInterferenceDbm = before,
                  .failure = SignalOutcome::FAIL_NON_RX,
                  .success = 1.0,
                  .alive = m_state == RX};
    if (signal.alive && powerDbm < m_mode->sensitivityDbm)
    {
        signal.alive = false;
        signal.failure = SignalOutcome::FAIL_SENSITIVITY;
    }
    m_signals.push_back(signal);
    if (!m_window.IsEmpty())
    {
        m_window.Push(now, AddPowerDbm(before, powerDbm));
    }
}

bool
Radio::EndSignal(uint64_t frame, int64_t now)
{
    const auto ended = std::find_if(m_signals.begin(), m_signals.end(), [frame](const Signal& s) {
        return s.frame == frame;
    });
    if (ended == m_signals.end())
    {
        return false; // began before this node started
    }
    if (ended->alive)
    {
        CloseSegment(*ended, now);
    }
    const bool received = ended->alive;
    SignalOutcome outcome = ended->failure;
    if (received)
    {
        outcome = ended->maxInterferenceDbm > m_mode->noiseFloorDbm
                      ? SignalOutcome::RX_DESPITE_INTERFERENCE
                      : SignalOutcome::RX_NO_INTERFERENCE;
        if (m_device->WantsSignalQuality())
        {
            m_lastRssi = m_window.Read(now);
            m_lastLqi = ended->powerDbm - ended->maxInterferenceDbm;
        }
    }
    m_lastSuccess = received ? ended->success : 0.0;
    m_signals.erase(ended);
    for (Signal& signal : m_signals)
    {
        if (signal.alive)
        {
            CloseSegment(signal, now);
            signal.interferenceDbm = AddUp(&signal);
            signal.maxInterferenceDbm = std::max(signal.maxInterferenceDbm, signal.interferenceDbm);
        }
    }
    if (!m_window.IsEmpty())
    {
        m_window.Push(now, AddUp(nullptr));
    }
    ++m_counts[static_cast<size_t>(outcome)];
    m_signalEnd(frame, outcome);
    return received;
}

float
Radio::ReadRssi() const
{
    return m_window.IsEmpty() ? m_mode->noiseFloorDbm : m_window.Read(Now());
}

ChannelAssessment
Radio::AssessChannel() const
{
    const int64_t now = Now();
    if (m_state != RX || now - m_rxSince < m_window.GetLength())
    {
        return ChannelAssessment::NOT_VALID;
    }
    return ReadRssi() < m_ccaThresholdDbm ? ChannelAssessment::CLEAR : ChannelAssessment::BUSY;
}

} // namespace mftpubsub
