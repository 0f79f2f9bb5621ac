/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WSN_CSMA_MAC_H
#define MFTPUBSUB_WSN_CSMA_MAC_H

#include "wsn/wsn-frame.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <deque>

namespace mftpubsub
{

class Radio;
class WsnNetDevice;

/**
 * Castalia's TunableMAC with the parameters of CSMA.ini (BEHAVIOUR points 19 to 27): non-persistent
 * CSMA without acknowledgements or retransmissions. The first assessment of the channel comes at
 * once; the k-th busy one in a row is followed by a backoff of U(0, 1) * k * BackoffBase. Once the
 * channel is won, all queued frames, and those that arrive during the first 95 % of each frame,
 * are sent back to back.
 *
 * Not modelled: duty cycles, beacons, persistence, repeated transmissions.
 */
class CsmaMac : public ns3::Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static ns3::TypeId GetTypeId();

    CsmaMac();
    ~CsmaMac() override;

    /// @param radio the radio below; @param device whose MAC it is
    void Connect(Radio* radio, WsnNetDevice* device);

    /// @param factor what the node's clock multiplies every timer with (point 26)
    void SetClockFactor(double factor);

    /**
     * Queues a frame.
     *
     * @param frame the frame
     * @return false if the buffer was full and the frame is lost
     */
    bool Send(WsnFrame frame);

    /// Drops all frames, as a node does that is switched off.
    void Reset();

    /// @param paused whether frames wait instead of going to the radio
    void SetPaused(bool paused);

    /// @return whether frames wait
    bool IsPaused() const
    {
        return m_state == PAUSED;
    }

    /**
     * @param stream first stream to use
     * @return the number of streams used (1: backoff)
     */
    int64_t AssignStreams(int64_t stream);

    /// @return frames handed to the radio so far
    uint64_t GetSent() const
    {
        return m_sent;
    }

    /// @return frames lost as the buffer was full
    uint64_t GetOverflows() const
    {
        return m_overflows;
    }

  protected:
    void DoDispose() override;

  private:
    /// States of the MAC.
    enum State : uint8_t
    {
        IDLE,    //!< nothing to send
        SENSING, //!< an assessment of the channel is ahead
        SENDING, //!< the channel is won
        PAUSED   //!< frames wait
    };

    void Sense();
    /// Hands the next frame to the radio, or ends the chain.
    void SendNext();
    /// Schedules @p handler after @p delay by the node's clock.
    void SetTimer(ns3::Time delay, void (CsmaMac::*handler)());

    // Attributes
    ns3::Time m_backoffBase;
    ns3::Time m_retryDelay;    //!< before asking again when an assessment was not valid
    double m_chainFraction{0}; //!< share of a frame's air time after which the next one follows
    uint32_t m_bufferSize{0};  //!< frames

    Radio* m_radio{nullptr};
    WsnNetDevice* m_device{nullptr};
    double m_clockFactor{1};
    State m_state{IDLE};
    uint32_t m_backoffs{0}; //!< busy assessments in a row
    std::deque<WsnFrame> m_queue;
    ns3::EventId m_timer; //!< of the next assessment, or of the next frame of a chain
    ns3::Ptr<ns3::UniformRandomVariable> m_backoff;
    uint64_t m_sent{0};
    uint64_t m_overflows{0};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_WSN_CSMA_MAC_H */
