/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_RUN_AIR_LOG_H
#define MFTPUBSUB_RUN_AIR_LOG_H

#include "content/bytes.h"
#include "content/event.h"
#include "content/node-id.h"
#include "hosts/device-port.h"
#include "run/run.h"
#include "scenario/medium.h"
#include "session/message-parts.h"

#include "ns3/mac48-address.h"
#include "ns3/packet.h"

#include <cstdint>
#include <vector>

namespace mftpubsub
{

struct BrokerHooks;

/// One thing about a frame that is or was on the air; Python reads these bytes
/// (views/viewer/replay.py).
struct AirRecord
{
    /// What it tells.
    enum What : uint8_t
    {
        SIGNAL, //!< how the frame's signal ended at a node: outcome
        EVENT   //!< the frame carries an event, or the last part: publisher, sequence, subscriber
    };

    uint32_t frame;      //!< counts the run's frames, those of its trace, from 0
    uint32_t sequence;   //!< of the event
    uint16_t node;       //!< who hears the frame (SIGNAL), or sends it (EVENT)
    uint16_t publisher;  //!< of the event
    uint16_t subscriber; //!< whom this copy is for; NO_NODE if it names nobody
    uint8_t what;        //!< a What
    uint8_t outcome;     //!< a SignalOutcome
};

static_assert(sizeof(AirRecord) == 16);

/**
 * What the trace leaves out, as it would be ten times as long: who heard each frame, or did not and
 * why, and which events it carried. Only looks: a run with it has the trace of the run without.
 * Signals below the sensitivity at their start (FAIL_SENSITIVITY) are not told.
 */
class AirLog
{
  public:
    /// @param ports of the whole network, by node
    /// @param brokers of a protocol of one's own, which says what its messages carry; may be null
    AirLog(const DevicePorts& ports, Medium& medium, AirSink sink, const BrokerHooks* brokers);

    /// Hands on what is left.
    void Flush();

    /// An event in a frame.
    struct Carried
    {
        EventId event;
        NodeId subscriber{NO_NODE}; //!< whom the copy is for, if it names somebody
    };

  private:
    std::vector<Carried> GetEvents(const ns3::Ptr<const ns3::Packet>& packet, uint16_t protocol);
    void FrameOnAir(NodeId sender,
                    ns3::Ptr<const ns3::Packet> packet,
                    uint16_t protocol,
                    ns3::Mac48Address to,
                    uint32_t bytesOnAir);
    void SignalEnded(NodeId receiver, uint64_t frame, SignalOutcome outcome);
    void Append(const AirRecord& record);

    AirSink m_sink;
    const BrokerHooks* m_brokers;
    MessageParts m_parts;
    uint32_t m_frames{0};
    std::vector<AirRecord> m_records;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_RUN_AIR_LOG_H */
