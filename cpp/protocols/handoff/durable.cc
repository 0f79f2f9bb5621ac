/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/handoff/durable.h"

namespace mftpubsub::handoff
{

Durable::Durable(const Options& options)
    : m_options(options)
{
}

void
Durable::Receive(Instant now, NodeId from, const Message& message, Output& output)
{
    Dispatch(*this, now, from, message, output);
}

void
Durable::Handle(Instant, NodeId, const Sub& sub, Output&)
{
    auto& copy = m_copies.Touch(sub.subscriber, m_options);
    copy.serving = true;
    auto filters = copy.filters;
    filters.push_back(sub.filter);
    m_copies.SetFilters(sub.subscriber, filters);
}

void
Durable::Handle(Instant, NodeId, const Uns& uns, Output&)
{
    m_copies.Erase(uns.subscriber);
}

void
Durable::Handle(Instant, NodeId, const Reconnect& reconnect, Output& output)
{
    auto& copy = m_copies.Touch(reconnect.subscriber, m_options);
    m_copies.SetFilters(reconnect.subscriber, reconnect.filters);
    copy.serving = true;
    for (const auto& held : copy.buffer.Take())
    {
        Deliver(reconnect.subscriber, copy, held, output);
    }
}

void
Durable::Handle(Instant, NodeId, const Evack& evack, Output&)
{
    if (auto* copy = m_copies.Find(evack.subscriber); copy && copy->serving)
    {
        Acknowledge(*copy, evack.id);
    }
}

void
Durable::Handle(Instant, NodeId, const Pub& pub, Output& output)
{
    m_copies.Match(*pub.event, m_options, [&](NodeId subscriber, DurableCopy& copy) {
        if (copy.serving)
        {
            Deliver(subscriber, copy, {pub.event}, output);
        }
        else
        {
            Store(copy.buffer, {pub.event}, output);
        }
    });
}

void
Durable::LinkDown(Instant, NodeId client, Output&)
{
    if (auto* copy = m_copies.Find(client))
    {
        copy->serving = false;
        ReturnUnacknowledged(*copy);
    }
}

std::vector<CopyView>
Durable::GetCopies() const
{
    std::vector<CopyView> views;
    for (const auto subscriber : m_copies.GetSubscribers())
    {
        const auto& copy = m_copies.Get(subscriber);
        auto& view = views.emplace_back();
        view.subscriber = subscriber;
        view.state = copy.serving ? "SERVING" : "STORING";
        view.buffer = GetIds(copy.buffer);
    }
    return views;
}

size_t
Durable::CountHeld() const
{
    return m_copies.CountHeld();
}

} // namespace mftpubsub::handoff
