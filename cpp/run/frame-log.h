/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_RUN_FRAME_LOG_H
#define MFTPUBSUB_RUN_FRAME_LOG_H

#include "content/bytes.h"
#include "hosts/device-port.h"
#include "run/run.h"

#include "ns3/mac48-address.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"

#include <cstdint>

namespace mftpubsub
{

/**
 * The bytes of every frame, in the order of the trace's frames: for each how long it waited in the
 * MAC (8 B, ns), its EtherType, its size (2 B each; all big endian), and what the device was given
 * to send. Only looks, as AirLog does.
 */
class FrameLog
{
  public:
    /// @param ports of the whole network
    FrameLog(const DevicePorts& ports, FrameSink sink);

    /// Hands on what is left.
    void Flush();

  private:
    void Waited(ns3::Time wait);
    void FrameOnAir(ns3::Ptr<const ns3::Packet> packet,
                    uint16_t protocol,
                    ns3::Mac48Address to,
                    uint32_t bytesOnAir);

    FrameSink m_sink;
    ns3::Time m_wait; //!< of the frame that goes on the air now
    Bytes m_block;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_RUN_FRAME_LOG_H */
