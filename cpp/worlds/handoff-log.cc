/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "worlds/handoff-log.h"

#include "ns3/simulator.h"

#include <string>
#include <utility>

namespace mftpubsub
{

namespace
{

double
NowInSeconds()
{
    return ns3::Simulator::Now().GetSeconds();
}

} // namespace

HandoffLog::HandoffLog(bool isLogging, uint64_t eventBytes)
    : m_isLogging(isLogging),
      m_eventBytes(eventBytes)
{
}

void
HandoffLog::Sent(NodeId from, NodeId to, const handoff::Message& message)
{
    if (m_isLogging)
    {
        const auto bytes = static_cast<double>(CountEvents(message) * m_eventBytes);
        m_messages.push_back({NowInSeconds(), from, to, std::string(GetName(message)), bytes});
    }
}

void
HandoffLog::Moved(NodeId subscriber, NodeId broker)
{
    if (m_isLogging)
    {
        m_moves.push_back({NowInSeconds(), subscriber, broker});
    }
}

void
HandoffLog::Holds(NodeId broker, const handoff::Broker& machine)
{
    if (m_isLogging)
    {
        m_rows.Note(broker, machine.Describe(NameHandoffNode));
    }
}

void
HandoffLog::MoveTo(HandoffResult& result)
{
    result.log = std::exchange(m_messages, {});
    result.moveLog = std::exchange(m_moves, {});
    result.rowLog = m_rows.Take();
}

} // namespace mftpubsub
