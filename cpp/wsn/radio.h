/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WSN_RADIO_H
#define MFTPUBSUB_WSN_RADIO_H

#include "wsn/radio-mode.h"
#include "wsn/receiver.h"
#include "wsn/wsn-frame.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>
#include <deque>
#include <string>

namespace mftpubsub
{

class WirelessChannel;
class WsnNetDevice;

/// Answer of the radio to "is the channel clear?".
enum class ChannelAssessment : uint8_t
{
    CLEAR,
    BUSY,
    NOT_VALID //!< not in RX, or not long enough (point 11)
};

/**
 * Castalia's CC2420 radio (BEHAVIOUR points 7 to 18): how it hears is in Receiver, which the
 * channel keeps once the radio is connected to one. A turnaround takes 10 us; frames in its buffer
 * follow each other without a gap.
 *
 * Not modelled: modulations and interference models that Castalia offers and these parameters do
 * not use; the time that a radio takes to fall asleep and to wake up.
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

    /**
     * @param channel where it sends
     * @param index of the device in that channel
     * @param device whose radio it is
     */
    void Connect(WirelessChannel* channel, uint32_t index, WsnNetDevice* device);

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

    /**
     * Falls asleep: it hears nothing and cannot send until it wakes up.
     *
     * @return false, and it stays awake, while it sends or turns round
     */
    bool FallAsleep();

    /// Listens again, if it sleeps.
    void WakeUp();

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
    const SignalCounts& GetCounts() const;

    // What the channel calls

    /// The frame being sent has ended, with the radio on all the time.
    void EndTransmission();

    /// @return how often it has been switched off
    uint32_t CountOutages() const
    {
        return m_outages;
    }

    WsnNetDevice* GetDevice() const
    {
        return m_device;
    }

    /// @return what hears: the channel's, once connected
    Receiver& GetReceiver();
    const Receiver& GetReceiver() const;

    /// @param received the last received frame's signal
    void SetLastReceived(const EndedSignal& received)
    {
        m_lastReceived = received;
    }

    /// @return the last received frame's signal: its RSSI and LQI are known if they are reported
    const EndedSignal& GetLastReceived() const
    {
        return m_lastReceived;
    }

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
        SLEEP,
        OFF
    };

    /// Turns round to send what is in the buffer.
    void LeaveRx();
    void StartTransmission();
    void EnterRx();
    void ChangeState(State state);
    /// @return what the node draws in the present state, mW
    double GetConsumption() const;

    const RadioMode* m_mode;
    Receiver m_unconnected; //!< what hears until there is a channel
    int64_t m_stream;       //!< of the bit errors
    WirelessChannel* m_channel{nullptr};
    uint32_t m_index{0}; //!< in m_channel
    WsnNetDevice* m_device{nullptr};
    State m_state{RX};
    EndedSignal m_lastReceived;
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
