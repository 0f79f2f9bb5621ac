/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "wsn/receiver.h"

#include "wsn/counter-random.h"
#include "wsn/power.h"

#include <algorithm>
#include <cmath>

namespace mftpubsub
{

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

} // namespace

Receiver::Receiver(const RadioMode& mode)
    : m_window(0)
{
    SetMode(mode);
}

void
Receiver::SetMode(const RadioMode& mode)
{
    m_mode = &mode;
    m_noErrorBounds = &GetNoErrorBounds(mode);
    m_window = RssiWindow(RssiWindowLength(mode));
}

void
Receiver::Listen(int64_t now)
{
    m_isListening = true;
    m_senses = true;
    m_since = std::max(m_since, now);
    m_window.Push(m_since, AddUp(nullptr));
}

void
Receiver::StopListening()
{
    m_isListening = false;
    for (Signal& signal : m_signals)
    {
        signal.alive = false;
        if (signal.failure != SignalOutcome::FAIL_SENSITIVITY)
        {
            signal.failure = SignalOutcome::FAIL_NON_RX; // with a bit error, too
        }
    }
}

void
Receiver::StopSensing()
{
    m_senses = false;
    m_window.Clear();
}

float
Receiver::ReadRssi(int64_t now) const
{
    return m_window.IsEmpty() ? m_mode->noiseFloorDbm : m_window.Read(now);
}

float
Receiver::AddUp(const Signal* except) const
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
Receiver::CloseSegment(Signal& signal, int64_t now) const
{
    const int64_t duration = now - signal.segmentStart;
    signal.segmentStart = now;
    if (duration == 0)
    {
        return;
    }
    const auto bits =
        static_cast<uint64_t>(std::ceil(static_cast<double>(duration) * m_mode->dataRate / 1e9));
    if (m_forecast)
    {
        signal.success *=
            NoErrorProbability(signal.powerDbm - signal.interferenceDbm, bits, *m_mode);
        return;
    }
    if (DrawNoError(signal, bits))
    {
        return;
    }
    signal.alive = false;
    signal.failure = signal.maxInterferenceDbm > m_mode->noiseFloorDbm
                         ? SignalOutcome::FAIL_INTERFERENCE
                         : SignalOutcome::FAIL_NO_INTERFERENCE;
}

bool
Receiver::DrawNoError(const Signal& signal, uint64_t bits) const
{
    const float snrDb = signal.powerDbm - signal.interferenceDbm;
    const auto bounds = m_noErrorBounds->Get(snrDb, bits);
    if (bounds.low == 1.0 || bounds.high == 0.0)
    {
        return bounds.low == 1.0;
    }
    const double draw = UniformOf(
        MixBits(MixBits(m_key ^ signal.frame) ^ static_cast<uint64_t>(signal.segmentStart)));
    if (bounds.IsUncertain() && (draw <= bounds.low || draw > bounds.high))
    {
        return draw <= bounds.low;
    }
    return draw <= NoErrorProbability(snrDb, bits, *m_mode);
}

void
Receiver::StartSignal(uint32_t frame, float powerDbm, int64_t now)
{
    if (now < m_since)
    {
        return; // not started yet
    }
    if (m_window.IsEmpty() && m_senses)
    {
        m_window.Push(m_since, m_mode->noiseFloorDbm);
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
    Signal signal{.segmentStart = now,
                  .success = 1.0,
                  .frame = frame,
                  .powerDbm = powerDbm,
                  .interferenceDbm = before,
                  .maxInterferenceDbm = before,
                  .failure = SignalOutcome::FAIL_NON_RX,
                  .alive = m_isListening};
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
Receiver::EndSignal(uint32_t frame, int64_t now, EndedSignal& ended)
{
    const auto signal = std::ranges::find(m_signals, frame, &Signal::frame);
    if (signal == m_signals.end())
    {
        return false;
    }
    if (signal->alive)
    {
        CloseSegment(*signal, now);
    }
    ended.received = signal->alive;
    ended.outcome = signal->failure;
    ended.success = signal->alive ? signal->success : 0.0;
    if (signal->alive)
    {
        ended.outcome = signal->maxInterferenceDbm > m_mode->noiseFloorDbm
                            ? SignalOutcome::RX_DESPITE_INTERFERENCE
                            : SignalOutcome::RX_NO_INTERFERENCE;
        if (m_reportsQuality)
        {
            ended.rssiDbm = m_window.Read(now);
            ended.lqiDb = signal->powerDbm - signal->maxInterferenceDbm;
        }
    }
    m_signals.erase(signal);
    for (Signal& other : m_signals)
    {
        if (other.alive)
        {
            CloseSegment(other, now);
            other.interferenceDbm = AddUp(&other);
        }
    }
    if (!m_window.IsEmpty())
    {
        m_window.Push(now, AddUp(nullptr));
    }
    return true;
}

} // namespace mftpubsub
