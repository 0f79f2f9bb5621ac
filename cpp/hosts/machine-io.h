/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_MACHINE_IO_H
#define MFTPUBSUB_HOSTS_MACHINE_IO_H

#include "content/bytes.h"

#include "ns3/packet.h"
#include "ns3/simulator.h"

#include <chrono>

namespace mftpubsub
{

/// @return the simulated time, as the machines without I/O want it
inline std::chrono::nanoseconds
Now()
{
    return std::chrono::nanoseconds(ns3::Simulator::Now().GetNanoSeconds());
}

inline Bytes
GetBytes(const ns3::Ptr<const ns3::Packet>& packet)
{
    Bytes bytes(packet->GetSize());
    packet->CopyData(bytes.data(), static_cast<uint32_t>(bytes.size()));
    return bytes;
}

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_MACHINE_IO_H */
