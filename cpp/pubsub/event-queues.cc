/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "pubsub/event-queues.h"

namespace mftpubsub
{

void
EventQueues::Enqueue(NodeId subscriber, const EventPtr& event)
{
    m_queues[subscriber].push_back(event);
}

std::set<NodeId>
EventQueues::TakeBack(const Message& undelivered)
{
    std::set<NodeId> subscribers;
    if (const auto* pub = std::get_if<Pub>(&undelivered))
    {
        subscribers.insert(pub->subscribers.begin(), pub->subscribers.end());
        for (const auto subscriber : subscribers)
        {
            Enqueue(subscriber, pub->event);
        }
    }
    else if (const auto* rep = std::get_if<Rep>(&undelivered))
    {
        subscribers.insert(rep->subscriber);
        for (const auto& event : rep->events)
        {
            Enqueue(rep->subscriber, event);
        }
    }
    return subscribers;
}

std::vector<EventPtr>
EventQueues::Take(NodeId subscriber)
{
    auto node = m_queues.extract(subscriber);
    return node ? std::move(node.mapped()) : std::vector<EventPtr>{};
}

void
EventQueues::Replay(NodeId subscriber, NodeId to, BrokerOutput& output)
{
    auto events = Take(subscriber);
    if (!events.empty())
    {
        output.sends.push_back({to, Rep{subscriber, std::move(events), 1}});
    }
}

std::vector<QueueView>
EventQueues::GetView() const
{
    std::vector<QueueView> view;
    for (const auto& [subscriber, events] : m_queues)
    {
        auto& ids = view.emplace_back(QueueView{subscriber, {}}).events;
        for (const auto& event : events)
        {
            ids.push_back(event->id);
        }
    }
    return view;
}

} // namespace mftpubsub
