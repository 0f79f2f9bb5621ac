/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WSN_RECEIVER_H
#define MFTPUBSUB_WSN_RECEIVER_H

#include "wsn/radio-mode.h"
#include "wsn/rssi-window.h"

#include <array>
#include <cstdint>
#include <vector>

namespace mftpubsub
{

/// What became of a signal at a radio: Castalia's breakdown (PARAMETERS).
enum class SignalOutcome : uint8_t
{
    RX_NO_INTERFERENCE,      //!< received, nothing else on the air
    RX_DESPITE_INTERFERENCE, //!< received although something else was on the air
    FAIL_NO_INTERFERENCE,    //!< bit error before any interference, or cut off
    FAIL_INTERFERENCE,       //!< bit error after some interference
    FAIL_NON_RX,             //!< radio not in RX at the start, or left RX during the signal
    FAIL_SENSITIVITY         //!< weaker than the sensitivity at the start
};

inline constexpr size_t N_SIGNAL_OUTCOMES = 6;

/// Counts of signals by outcome.
using SignalCounts = std::array<uint64_t, N_SIGNAL_OUTCOMES>;

/// A signal that has ended.
struct EndedSignal
{
    SignalOutcome outcome{SignalOutcome::FAIL_NON_RX};
    bool received{false};
    float rssiDbm{0}; //!< as reported with a received frame (point 17), dBm; with SetReportsQuality
    float lqiDb{0};   //!< power of a received frame over its strongest interference, dB; likewise
    double success{0}; //!< how likely it was that it would be received, with SetForecast
};

/**
 * The part of a radio that hears (BEHAVIOUR points 7 to 9, 12 to 14, 17, 18): tracks every signal
 * on its own, adds powers by the staircase, tests a frame for bit errors segment by segment.
 *
 * Every frame touches this state at all its hearers, twice: a channel keeps the receivers of all
 * its radios side by side, two lines of the processor's cache each. A bit error's draw is a
 * function of the key, the frame and the time.
 */
class alignas(64) Receiver
{
  public:
    /// @param mode the radio's mode, which must stay
    explicit Receiver(const RadioMode& mode);

    /// @param mode the radio's mode, which must stay
    void SetMode(const RadioMode& mode);

    /// @param now it hears nothing before, and listens from then on, ns
    void SetStart(int64_t now)
    {
        m_since = now;
    }

    /// @param key of the bit errors' draws (see MakeStreamKey)
    void SetKey(uint64_t key)
    {
        m_key = key;
    }

    /// The radio enters RX. @param now current time, ns
    void Listen(int64_t now);
    /// The radio leaves RX: frames under reception are lost and stay as interference (point 14).
    void StopListening();
    /// The radio sends, or is off: nothing is sensed any more.
    void StopSensing();

    /// @return whether the radio is in RX
    bool IsListening() const
    {
        return m_isListening;
    }

    /**
     * @param now current time, ns
     * @return whether it has been in RX for long enough to tell whether the channel is clear (point
     * 11)
     */
    bool CanAssess(int64_t now) const
    {
        return m_isListening && now - m_since >= m_window.GetLength();
    }

    /**
     * @param now current time, ns
     * @return RSSI, dBm; only meaningful in RX
     */
    float ReadRssi(int64_t now) const;

    /**
     * A signal begins.
     *
     * @param frame number of the frame: of those on the air no two have the same
     * @param powerDbm received power, dBm
     * @param now current time, ns
     */
    void StartSignal(uint32_t frame, float powerDbm, int64_t now);

    /**
     * A signal ends.
     *
     * @param frame number of the frame
     * @param now current time, ns
     * @param ended what became of it
     * @return false if it is not known: it began before this radio started
     */
    bool EndSignal(uint32_t frame, int64_t now, EndedSignal& ended);

    /// @param reports whether EndSignal is to tell RSSI and LQI
    void SetReportsQuality(bool reports)
    {
        m_reportsQuality = reports;
    }

    /// @return whether EndSignal tells RSSI and LQI
    bool ReportsQuality() const
    {
        return m_reportsQuality;
    }

    /**
     * Reports success probabilities instead of drawing bit errors: every signal that could be
     * received is. For replays.
     *
     * @param forecast whether to do so
     */
    void SetForecast(bool forecast)
    {
        m_forecast = forecast;
    }

    // Inlined, as to g++ they have no effect: it leaves calls of such functions out.

    /// Lets the processor fetch what a signal will need.
    [[gnu::always_inline]] void Prefetch() const
    {
        const auto* state = reinterpret_cast<const char*>(this);
        __builtin_prefetch(state);
        __builtin_prefetch(state + 64);
    }

    /// Lets the processor fetch what Prefetch's data point to.
    [[gnu::always_inline]] void PrefetchSignals() const
    {
        __builtin_prefetch(m_signals.data());
    }

  private:
    /// A signal at this radio.
    struct Signal
    {
        int64_t segmentStart;     //!< start of the current segment, ns
        double success;           //!< probability of no error so far (with SetForecast)
        uint32_t frame;           //!< number of the frame
        float powerDbm;           //!< dBm
        float interferenceDbm;    //!< noise and other signals now, dBm
        float maxInterferenceDbm; //!< the largest so far, dBm
        SignalOutcome failure;    //!< valid if !alive
        bool alive;               //!< no bit error yet
    };

    /// Draws the bit errors of the segment that ends now.
    void CloseSegment(Signal& signal, int64_t now) const;
    /// @return whether @p bits bits arrive without an error; draws only if that is not certain
    bool DrawNoError(const Signal& signal, uint64_t bits) const;
    /// @return noise and all signals but @p except, newest first, dBm
    float AddUp(const Signal* except) const;

    RssiWindow m_window;           //!< empty unless in RX, or about to leave it
    int64_t m_since{0};            //!< in RX since, or hears nothing before, ns
    std::vector<Signal> m_signals; //!< oldest first
    const RadioMode* m_mode{nullptr};
    const NoErrorBounds* m_noErrorBounds{nullptr};
    uint64_t m_key{0}; //!< of the draws
    bool m_isListening{true};
    bool m_senses{true}; //!< in RX, or about to leave it
    bool m_reportsQuality{false};
    bool m_forecast{false};
};

static_assert(sizeof(Receiver) == 128, "a receiver is two lines of the cache");

} // namespace mftpubsub

#endif /* MFTPUBSUB_WSN_RECEIVER_H */
