/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/tree/publisher.h"

#include <utility>

namespace mftpubsub
{

void
Publisher::Publish(const EventPtr& event, std::vector<Send>& sends)
{
    if (m_broker == NO_NODE)
    {
        m_held.push_back(event);
        return;
    }
    sends.push_back({m_broker, Pub{event, 1, {}}});
}

void
Publisher::Attached(NodeId broker, std::vector<Send>& sends)
{
    m_broker = broker;
    BrokerAlive(sends);
}

void
Publisher::Detached()
{
    m_broker = NO_NODE;
}

void
Publisher::BrokerAlive(std::vector<Send>& sends)
{
    for (const auto& event : std::exchange(m_held, {}))
    {
        Publish(event, sends);
    }
}

void
Publisher::DeliveryFailed(const Message& message)
{
    if (const auto* pub = std::get_if<Pub>(&message))
    {
        m_held.push_back(pub->event);
    }
}

bool
Publisher::IsAttached() const
{
    return m_broker != NO_NODE;
}

size_t
Publisher::CountHeld() const
{
    return m_held.size();
}

} // namespace mftpubsub
