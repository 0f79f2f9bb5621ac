/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WSN_RADIO_H
#define MFTPUBSUB_WSN_RADIO_H

#include "wsn/radio-mode.h"
#include "wsn/rssi-window.h"
#include "wsn/wsn-frame.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"
#include "ns3/traced-callback.h"

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace mftpubsub
{

class WirelessChannel;
class WsnNetDevice;

/// What became of a signal at a radio: Castalia's breakdown (PARAMETERS).
enum class SignalOutcome : uint8_t
{
    RX_NO_INTERFERENCE,      //!< received, nothing else on the air
    RX_DESPITE_INTERFERENCE, //!< received although something else was on the air
    FAIL_NO_INTERFERENCE,    //!< bit error before any interference
    FAIL_INTERFERENCE,       //!< bit error after some interference
    FAIL_NON_RX,             //!< radio not in RX at the start, or left RX during the signal
    FAIL_SENSITIVITY         //!< weaker than the sensitivity at the start
};

inline constexpr size_t N_SIGNAL_OUTCOMES = 6;

/// Counts of signals by outcome.
using SignalCounts = std::array<uint64_t, N_SIGNAL_OUTCOMES>;

/// Answer of the radio to "is the channel clear?".
enum class ChannelAssessment : uint8_t
{
    CLEAR,
    BUSY,
    NOT_VALID //!< not in RX, or not long enough (point 11)
};

/**
 * Castalia's CC2420 radio (BEHAVIOUR points 7 to 18): tracks every signal on its own, adds powers
 * by the staircase, senses through a window of 128 us, tests a frame for bit errors segment by
 * segment. A turnaround takes 10 us; frames in its buffer follow each other without a gap.
 *
 * Not modelled: sleep, modulations and interference models that Castalia offers and these
 * parameters do not use.
 */
class Radio : public ns3::Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static ns3::TypeId GetTypeId();

    Radio();
    ~Radio() override;

    /// @param channel where it sends; @param device whose radio it is
    void Connect(WirelessChannel* channel, WsnNetDevice* device);

    /// @param start the radio hears nothing before
    void SetStartTime(ns3::Time start);

    /**
     * @param dbm output power, dBm
     * @throw std::invalid_argument if the chip has no such level
     */
    void SetTxPower(double dbm);
    /// @return output power, dBm
    double GetTxPower() const;

    /// @param name see GetRadioMode; @throw std::invalid_argument for an unknown name
    void SetMode(std::string name);
    /// @return the name of the mode
    std::string GetModeName() const;

    /// @return the mode
    const RadioMode& GetMode() const
    {
        return *m_mode;
    }

    /**
     * @param bytes size on the air, bytes
     * @return time on the air
     */
    ns3::Time GetAirTime(uint32_t bytes) const;

    /// @return delay from the end of a frame to its delivery to the MAC
    ns3::Time GetProcessingDelay() const
    {
        return m_processingDelay;
    }

    /**
     * Puts a frame into the radio's buffer and goes to TX if not there yet. Sent frames follow
     * without a gap while the buffer has some; then the radio goes back to RX.
     *
     * @param frame the frame
     * @return false if the buffer was full, or the radio is off
     */
    bool Send(WsnFrame frame);

    /**
     * Switches the radio off, or on again. Off it loses the frames in its buffer and the one on the
     * air, and receives nothing; on again it listens.
     *
     * @param on whether it shall be on
     */
    void SetOn(bool on);

    /// @return whether the channel is clear (points 8, 9, 11)
    ChannelAssessment AssessChannel() const;

    /// @return RSSI, dBm; only meaningful in RX
    float ReadRssi() const;

    /**
     * @param stream first stream to use
     * @return the number of streams used (1: bit errors)
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * As Castalia's resource manager counts it: by the radio's state, and on top what the rest of
     * the node draws (attribute BaselinePower), since the start and while it is on.
     *
     * @return energy consumed so far, J
     */
    double GetEnergy() const;

    /// @return signals at this radio so far, by outcome
    const SignalCounts& GetCounts() const
    {
        return m_counts;
    }

    // What the channel calls

    /**
     * A signal begins.
     *
     * @param frame id of the frame
     * @param powerDbm received power, dBm
     * @param now current time, ns
     */
    void StartSignal(uint64_t frame, float powerDbm, int64_t now);
    /**
     * A signal ends.
     *
     * @param frame id of the frame
     * @param now current time, ns
     * @return whether the frame was received
     */
    bool EndSignal(uint64_t frame, int64_t now);
    /// The frame being sent has ended, with the radio on all the time.
    void EndTransmission();

    /// @return how often it has been switched off
    uint32_t CountOutages() const
    {
        return m_outages;
    }

    /// Lets the processor fetch what a signal will need.
    void Prefetch() const
    {
        constexpr size_t line = 64;
        const auto* state = reinterpret_cast<const char*>(&m_signals);
        for (size_t i = 0; i < 4; ++i)
        {
            __builtin_prefetch(state + i * line);
        }
    }

    /// Lets the processor fetch what Prefetch's data point to.
    void PrefetchHistory() const
    {
        __builtin_prefetch(m_signals.data());
        __builtin_prefetch(ns3::PeekPointer(m_errors));
    }

    WsnNetDevice* GetDevice() const
    {
        return m_device;
    }

    /**
     * Reports success probabilities instead of drawing bit errors: every signal that could be
     * received is, and GetLastSuccess tells how likely that was. For replays.
     *
     * @param forecast whether to do so
     */
    void SetForecast(bool forecast)
    {
        m_forecast = forecast;
    }

    /// @return probability that the last ended signal was received (with SetForecast)
    double GetLastSuccess() const
    {
        return m_lastSuccess;
    }

    /// @return RSSI of the last received frame as it was reported with it (point 17), dBm
    float GetLastRssi() const
    {
        return m_lastRssi;
    }

    /// @return power of the last received frame over its strongest interference, dB
    float GetLastLqi() const
    {
        return m_lastLqi;
    }

    /**
     * TracedCallback signature of SignalEnd.
     *
     * @param frame number of the frame in its channel
     * @param outcome a SignalOutcome
     */
    typedef void (*SignalTracedCallback)(uint64_t frame, SignalOutcome outcome);

  protected:
    void DoDispose() override;

  private:
    /// States. A turnaround counts as neither RX nor TX.
    enum State : uint8_t
    {
        RX,
        TX,
        RX_TO_TX,
        TX_TO_RX,
        OFF
    };

    /// A signal at this radio.
    struct Signal
    {
        uint64_t frame;
        int64_t segmentStart;     //!< start of the current segment, ns
        float powerDbm;           //!< dBm
        float interferenceDbm;    //!< noise and other signals now, dBm
        float maxInterferenceDbm; //!< the largest so far, dBm
        SignalOutcome failure;    //!< valid if !alive
        double success;           //!< probability of no error so far (with SetForecast)
        bool alive;               //!< no bit error yet
    };

    /// Draws the bit errors of the segment that ends now.
    void CloseSegment(Signal& signal, int64_t now);
    /// @return whether @p bits bits arrive without an error; draws only if that is not certain
    bool DrawNoError(float snrDb, uint64_t bits);
    /// @return noise and all signals but @p except, newest first, dBm
    float AddUp(const Signal* except) const;
    /// Loses the frames under reception; they stay as interference (point 14).
    void LoseReceptions();
    void StartTransmission();
    void EnterRx();
    void ChangeState(State state);
    /// @return what the node draws in the present state, mW
    double GetConsumption() const;

    // What every signal needs comes first and together: with many nodes it is no longer in the
    // processor's cache.
    std::vector<Signal> m_signals; //!< oldest first
    RssiWindow m_window;           //!< empty unless in RX, or about to leave it
    const RadioMode* m_mode;
    const NoErrorBounds* m_noErrorBounds;
    int64_t m_start{0};   //!< hears nothing before, ns
    int64_t m_rxSince{0}; //!< in RX since, ns
    ns3::Ptr<ns3::UniformRandomVariable> m_errors;
    WsnNetDevice* m_device{nullptr};
    State m_state{RX};
    bool m_forecast{false};
    double m_lastSuccess{0};
    float m_lastRssi{0}; //!< dBm
    float m_lastLqi{0};  //!< dB
    SignalCounts m_counts{};
    ns3::TracedCallback<uint64_t, SignalOutcome> m_signalEnd;

    WirelessChannel* m_channel{nullptr};
    ns3::EventId m_turnaround;
    std::deque<WsnFrame> m_buffer;
    uint32_t m_outages{0};
    double m_consumedPj{0};  //!< until the state changed last, pJ
    int64_t m_stateSince{0}; //!< when it did, or the start, ns

    // Attributes
    float m_txPowerDbm{0};      //!< dBm
    double m_txPowerMw{0};      //!< consumed for it, mW
    double m_baselineMw{0};     //!< mW
    float m_ccaThresholdDbm{0}; //!< dBm
    ns3::Time m_processingDelay;
    uint32_t m_bufferSize{0}; //!< frames
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_WSN_RADIO_H */
