/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "run/frame-log.h"

#include "hosts/machine-io.h"

#include <utility>

namespace mftpubsub
{

namespace
{

constexpr size_t BYTES_AT_ONCE = 1 << 20; //!< bytes handed on at once

} // namespace

FrameLog::FrameLog(const DevicePorts& ports, FrameSink sink)
    : m_sink(std::move(sink))
{
    for (const auto& port : ports)
    {
        port->TraceConnectWithoutContext("MacWait", ns3::MakeCallback(&FrameLog::Waited, this));
        port->TraceConnectWithoutContext("Transmit",
                                         ns3::MakeCallback(&FrameLog::FrameOnAir, this));
    }
}

void
FrameLog::Flush()
{
    if (!m_block.empty())
    {
        m_sink(reinterpret_cast<uintptr_t>(m_block.data()), m_block.size());
        m_block.clear();
    }
}

void
FrameLog::Waited(ns3::Time wait)
{
    m_wait = wait;
}

void
FrameLog::FrameOnAir(ns3::Ptr<const ns3::Packet> packet,
                     uint16_t protocol,
                     ns3::Mac48Address,
                     uint32_t)
{
    const auto bytes = GetBytes(packet);
    ByteWriter header;
    header.Put(static_cast<uint64_t>(m_wait.GetNanoSeconds()));
    header.Put(protocol);
    header.Put(static_cast<uint16_t>(bytes.size()));
    const auto begin = header.Take();
    m_block.insert(m_block.end(), begin.begin(), begin.end());
    m_block.insert(m_block.end(), bytes.begin(), bytes.end());
    if (m_block.size() >= BYTES_AT_ONCE)
    {
        Flush();
    }
}

} // namespace mftpubsub
