/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/station.h"

#include <map>
#include <string>

namespace mftpubsub::mesh
{

void
Station::Step(Instant now, const Input& input, Output& output)
{
    std::visit(
        Overloaded{
            [&](const input::Started&) { Start(now, output); },
            [&](const input::Heard& heard) { Receive(now, heard.frame, heard.rssiDbm, output); },
            [&](const input::Transmitted& sent) { Transmitted(now, sent.airTime, output); },
            [&](const input::Dropped&) { Dropped(now, output); },
            [&](const input::Published& published) { Publish(now, published.event, output); },
            [&](const input::Recalled& recalled) {
                Recall(now, recalled.event, recalled.since, output);
            },
            [&](const input::Subscribed& wanted) { Subscribe(now, wanted.filter, output); },
            [&](const input::Unsubscribed& unwanted) { Unsubscribe(now, unwanted.filter, output); },
            [&](const input::Expired&) { Expire(now, output); },
        },
        input);
}

void
Station::Recall(Instant now, const EventPtr& event, Instant, Output& output)
{
    Publish(now, event, output);
}

std::optional<Instant>
Station::NextTimer() const
{
    const auto due = NextDue();
    return due == NEVER ? std::nullopt : std::optional(due);
}

std::vector<Wanted>
Station::GetWanted() const
{
    std::map<EventId, IdSet> sets;
    for (const auto& [event, subscriber] : GetHeld())
    {
        sets[event].Insert(subscriber);
    }
    std::vector<Wanted> events;
    for (auto& [event, subscribers] : sets)
    {
        events.push_back({event, std::make_shared<const IdSet>(std::move(subscribers))});
    }
    return events;
}

Description
Station::Describe(const Namer& name) const
{
    std::map<NodeId, size_t> counts;
    for (const auto& held : GetHeld())
    {
        ++counts[held.subscriber];
    }
    Description rows;
    for (const auto& [subscriber, count] : counts)
    {
        rows[name(subscriber)] = std::to_string(count) + " events wait";
    }
    return rows;
}

} // namespace mftpubsub::mesh
