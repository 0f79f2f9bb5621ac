/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/tree/event-queues.h"

#include <stdexcept>
#include <utility>

namespace mftpubsub
{

EventQueues::EventQueues(QueueOptions options)
    : m_options(std::move(options))
{
}

void
EventQueues::Enqueue(NodeId subscriber,
                     const EventPtr& event,
                     BrokerOutput& output,
                     uint32_t timestamp)
{
    const auto now = m_options.policy ? m_options.describe().timeNanoseconds : 0;
    m_queues[subscriber].push_back({event, timestamp, now});
    ApplyPolicy(subscriber, output);
}

void
EventQueues::ApplyPolicy(NodeId subscriber, BrokerOutput& output)
{
    const auto found = m_queues.find(subscriber);
    if (!m_options.policy || found == m_queues.end())
    {
        return;
    }
    auto& held = found->second;
    const auto me = m_options.describe();
    std::vector<QueuedEvent> views;
    for (const auto& [event, timestamp, queuedNanoseconds] : held)
    {
        views.push_back({event->id.publisher,
                         event->id.sequence,
                         1e-9 * static_cast<double>(me.timeNanoseconds - queuedNanoseconds),
                         event->payloadBytes});
    }
    const auto positions = m_options.policy->Decide(me, subscriber, views);
    const std::set<size_t> dropped(positions.begin(), positions.end());
    if (!dropped.empty() && *dropped.rbegin() >= held.size())
    {
        throw std::out_of_range("a queue policy dropped event " +
                                std::to_string(*dropped.rbegin()) + " of " +
                                std::to_string(held.size()));
    }
    std::vector<Held> kept;
    for (size_t i = 0; i < held.size(); ++i)
    {
        if (dropped.contains(i))
        {
            output.drops.push_back({held[i].event->id, subscriber});
        }
        else
        {
            kept.push_back(std::move(held[i]));
        }
    }
    held = std::move(kept);
    if (held.empty())
    {
        m_queues.erase(found);
    }
}

std::set<NodeId>
EventQueues::TakeBack(const Message& undelivered, BrokerOutput& output)
{
    std::set<NodeId> subscribers;
    if (const auto* pub = std::get_if<Pub>(&undelivered))
    {
        subscribers.insert(pub->subscribers.begin(), pub->subscribers.end());
        for (const auto subscriber : subscribers)
        {
            Enqueue(subscriber, pub->event, output);
        }
    }
    else if (const auto* rep = std::get_if<Rep>(&undelivered))
    {
        subscribers.insert(rep->subscriber);
        for (const auto& event : rep->events)
        {
            Enqueue(rep->subscriber, event, output);
        }
    }
    return subscribers;
}

std::vector<EventQueues::Held>
EventQueues::Take(NodeId subscriber, BrokerOutput& output)
{
    ApplyPolicy(subscriber, output);
    auto node = m_queues.extract(subscriber);
    return node ? std::move(node.mapped()) : std::vector<Held>{};
}

void
EventQueues::Settle(NodeId subscriber, const RecentEvents& has)
{
    const auto found = m_queues.find(subscriber);
    if (found == m_queues.end())
    {
        return;
    }
    std::erase_if(found->second, [&has](const Held& held) { return has.Contains(held.event->id); });
    if (found->second.empty())
    {
        m_queues.erase(found);
    }
}

void
EventQueues::Replay(NodeId subscriber, NodeId to, BrokerOutput& output)
{
    Rep rep{subscriber, {}, 1};
    for (auto& held : Take(subscriber, output))
    {
        rep.events.push_back(std::move(held.event));
    }
    if (!rep.events.empty())
    {
        output.sends.push_back({to, std::move(rep)});
    }
}

std::vector<QueueView>
EventQueues::GetView() const
{
    std::vector<QueueView> view;
    for (const auto& [subscriber, queue] : m_queues)
    {
        auto& ids = view.emplace_back(QueueView{subscriber, {}}).events;
        for (const auto& held : queue)
        {
            ids.push_back(held.event->id);
        }
    }
    return view;
}

size_t
EventQueues::Count() const
{
    size_t count = 0;
    for (const auto& [subscriber, queue] : m_queues)
    {
        count += queue.size();
    }
    return count;
}

std::string
EventQueues::GetTimestamps() const
{
    std::string text;
    for (const auto& [subscriber, queue] : m_queues)
    {
        for (const auto& held : queue)
        {
            text += "@" + std::to_string(held.timestamp);
        }
        text += ";";
    }
    return text;
}

} // namespace mftpubsub
