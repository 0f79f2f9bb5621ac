/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/reconfiguration/event-forwarding.h"

namespace mftpubsub::reconfiguration
{

std::unique_ptr<Dispatcher>
EventForwarding::Clone() const
{
    return std::make_unique<EventForwarding>(*this);
}

void
EventForwarding::LinkRemoved(NodeId neighbour, ReconfigurationId /*id*/, Actions& /*actions*/)
{
    RemoveNeighbour(neighbour);
}

void
EventForwarding::LinkAdded(NodeId neighbour, ReconfigurationId /*id*/, Actions& /*actions*/)
{
    AddNeighbour(neighbour);
}

void
EventForwarding::Receive(NodeId from, const Message& message, Actions& actions)
{
    const auto& event = std::get<Event>(message);
    actions.isDelivered = MatchesLocal(*event.publication);
    SendToNeighbours(event, from, actions);
}

void
EventForwarding::ClientSubscribe(Pattern pattern, Actions& /*actions*/)
{
    m_table.Add(LOCAL, pattern);
}

void
EventForwarding::ClientUnsubscribe(Pattern pattern, Actions& /*actions*/)
{
    m_table.Remove(LOCAL, pattern);
}

void
EventForwarding::Publish(const PublicationPtr& publication, Actions& actions)
{
    SendToNeighbours(Event{publication}, LOCAL, actions);
}

bool
EventForwarding::HasRoutes() const
{
    return false;
}

} // namespace mftpubsub::reconfiguration
