/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/handoff/durable.h"

namespace mftpubsub::handoff
{

void
Durable::Receive(Instant now, NodeId from, const Message& message, Output& output)
{
    Dispatch(*this, now, from, message, output);
}

void
Durable::Handle(Instant, NodeId, const Reconnect& reconnect, Output& output)
{
    auto& copy = m_copies.Touch(reconnect.subscriber, m_options);
    m_copies.SetFilters(reconnect.subscriber, reconnect.filters);
    copy.serving = true;
    DeliverBuffer(reconnect.subscriber, copy, output);
}

void
Durable::Handle(Instant, NodeId, const Pub& pub, Output& output)
{
    m_copies.Match(*pub.event, m_options, [&](NodeId subscriber, VisitedCopy& copy) {
        DeliverOrStore(subscriber, copy, {pub.event}, output);
    });
}

} // namespace mftpubsub::handoff
