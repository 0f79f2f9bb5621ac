/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_MPL_H
#define MFTPUBSUB_PROTOCOLS_MESH_MPL_H

#include "protocols/mesh/relay-station.h"
#include "protocols/mesh/trickle.h"

namespace mftpubsub::mesh
{

/// Parameters of MPL (RFC 7731 section 5.4), with its defaults.
struct MplOptions
{
    bool isProactive{true}; //!< PROACTIVE_FORWARDING
    /// DATA_MESSAGE_*: Imin is 10 times the latency of the link layer, taken to be 10 ms
    TrickleOptions data{Seconds(0.1), Seconds(0.1), 1, 3};
    /// CONTROL_MESSAGE_*
    TrickleOptions control{Seconds(0.1), Seconds(300), 1, 10};
};

/**
 * The Multicast Protocol for Low-Power and Lossy Networks (RFC 7731), each publisher a seed and
 * each event a message, subscribers' filters at the ends.
 *
 * Departs from it: control messages carry a SUMMARY instead of minimum sequence numbers and
 * bitmaps, messages are buffered for ever (the RFC's 30 minutes are longer than any run), and
 * subscribers send control messages but do not forward.
 */
class Mpl : public RelayStation
{
  public:
    Mpl(NodeId self,
        uint8_t roles,
        const Options& options,
        const MplOptions& mpl,
        Uniform uniform,
        SubscriberMemory memory = {});

  private:
    void Hear(Instant now, const Header& header, ByteReader& in, Output& output) override;
    void Begin(Instant now) override;
    void Stored(Instant now, EventId id) override;
    Instant Due() const override;
    std::optional<Message> Build(Instant now) override;
    void HearControl(Instant now, const SummaryPart& theirs);

    const MplOptions m_mpl;
    const Uniform m_draw;
    std::map<EventId, Trickle> m_data; //!< of messages that are being forwarded
    Trickle m_control;
    EventId m_summaryFrom{SummaryPart::BEGIN}; //!< where the next control message begins
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_MPL_H */
