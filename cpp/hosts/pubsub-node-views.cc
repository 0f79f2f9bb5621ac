/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What a node shows: to those who look at it, to its policies, to the trace at the end.
 */
#include "hosts/event-fates.h"
#include "hosts/pubsub-node.h"

#include "ns3/mobility-model.h"
#include "ns3/node.h"

namespace mftpubsub
{

NodeId
PubSubNode::GetParent() const
{
    if (m_attachment)
    {
        return m_attachment->GetBroker();
    }
    return m_broker ? m_broker->GetOverlay().GetParent() : NO_NODE;
}

NodeId
PubSubNode::GetLeader() const
{
    return m_broker ? m_broker->GetOverlay().GetLeader() : NO_NODE;
}

uint32_t
PubSubNode::CountQueuedEvents() const
{
    return m_broker ? static_cast<uint32_t>(m_broker->GetMachine().CountHeld()) : 0;
}

std::vector<RouteView>
PubSubNode::GetTable() const
{
    return m_broker ? m_broker->GetMachine().GetTable() : std::vector<RouteView>();
}

std::vector<QueueView>
PubSubNode::GetQueues() const
{
    return m_broker ? m_broker->GetMachine().GetQueues() : std::vector<QueueView>();
}

void
PubSubNode::NoteQueued(LossCause cause) const
{
    if (m_broker)
    {
        NoteHeld(m_trace, m_broker->GetMachine().GetHeld(), cause);
    }
}

void
PubSubNode::NoteUnderway(LossCause cause) const
{
    if (!m_broker)
    {
        return; // what a publisher has not got rid of is UNSENT
    }
    for (const auto& underway : m_port.GetUnderway())
    {
        NoteFate(m_trace, underway.send.message, cause);
    }
}

NodeView
PubSubNode::Describe() const
{
    return m_broker ? m_broker->GetOverlay().Describe(Now()) : m_attachment->Describe(Now());
}

void
PubSubNode::CompleteView(NodeView& me) const
{
    me.speedMetresPerSecond = GetNode()->GetObject<ns3::MobilityModel>()->GetVelocity().GetLength();
    me.queuedEvents = CountQueuedEvents();
}

} // namespace mftpubsub
