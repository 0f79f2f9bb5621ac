/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/handoff/emma.h"

namespace mftpubsub::handoff
{

Emma::Emma(NodeId self, const Options& options)
    : Mqtt(self, options, true)
{
}

void
Emma::Receive(Instant now, NodeId from, const Message& message, Output& output)
{
    Dispatch(*this, now, from, message, output);
}

void
Emma::Arrive(Place& place, const Reconnect& reconnect, Output& output)
{
    Mqtt::Arrive(place, reconnect, output);
    if (reconnect.old != m_self)
    {
        Send(reconnect.old, Disconnect{reconnect.subscriber, reconnect.session}, output);
    }
}

void
Emma::Handle(Instant now, NodeId, const Disconnect& disconnect, Output& output)
{
    auto* place = m_places.Find(disconnect.subscriber);
    if (place && place->isConnected && place->session < disconnect.session)
    {
        output.accepted.push_back({disconnect.subscriber, disconnect.session});
        LinkDown(now, disconnect.subscriber, output);
    }
}

} // namespace mftpubsub::handoff
