/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/handoff/reactive.h"

#include <utility>

namespace mftpubsub::handoff
{

bool
ReactiveCopy::MayLearnBefore(Session asked) const
{
    return !active && !fetched.empty() && *fetched.begin() < asked;
}

Reactive::Reactive(NodeId self, const Options& options)
    : VisitedBroker(options),
      m_self(self)
{
}

void
Reactive::Receive(Instant now, NodeId from, const Message& message, Output& output)
{
    Dispatch(*this, now, from, message, output);
}

void
Reactive::Handle(Instant now, NodeId from, const Sub& sub, Output& output)
{
    VisitedBroker::Handle(now, from, sub, output);
    m_copies.Find(sub.subscriber)->active = true;
}

void
Reactive::Handle(Instant, NodeId, const Reconnect& reconnect, Output& output)
{
    const auto subscriber = reconnect.subscriber;
    auto& copy = m_copies.Touch(subscriber, m_options);
    copy.serving = true;
    copy.session = reconnect.session;
    const auto wasActive = copy.active;
    if (!reconnect.filters.empty())
    {
        m_copies.SetFilters(subscriber, reconnect.filters);
        copy.active = true;
    }
    if (reconnect.old == m_self)
    {
        if (copy.awaits.empty())
        {
            DeliverBuffer(subscriber, copy, output);
        }
        return;
    }
    if (wasActive)
    {
        DeliverBuffer(subscriber, copy, output);
    }
    if (copy.onward)
    {
        SendTransfer(copy.onward->broker, subscriber, copy.onward->session, {}, output);
        copy.onward.reset();
    }
    copy.awaits.emplace(reconnect.session, reconnect.old);
    if (!reconnect.filters.empty())
    {
        output.sends.push_back({reconnect.old, Remove{subscriber, reconnect.session, {}, {}}});
        return;
    }
    copy.fetched.insert(reconnect.session);
    output.sends.push_back({reconnect.old, Fetch{subscriber, reconnect.session}});
}

void
Reactive::Handle(Instant, NodeId, const Pub& pub, Output& output)
{
    m_copies.Match(*pub.event, m_options, [&](NodeId subscriber, ReactiveCopy& copy) {
        if (!copy.active)
        {
            return;
        }
        if (!copy.awaits.empty())
        {
            Store(copy.temp, {pub.event}, output);
        }
        else
        {
            DeliverOrStore(subscriber, copy, {pub.event}, output);
        }
    });
}

void
Reactive::Handle(Instant, NodeId from, const Fetch& fetch, Output& output)
{
    auto* copy = m_copies.Find(fetch.subscriber);
    if (copy && copy->session <= *fetch.session && copy->MayLearnBefore(*fetch.session))
    {
        copy->askers.push_back({from, *fetch.session});
        return;
    }
    output.sends.push_back(
        {from,
         Subs{fetch.subscriber, fetch.session, copy ? copy->filters : std::vector<Filter>{}}});
}

void
Reactive::Handle(Instant, NodeId from, const Subs& subs, Output& output)
{
    output.sends.push_back({from, Remove{subs.subscriber, subs.session, {}, {}}});
    auto* copy = m_copies.Find(subs.subscriber);
    if (!copy)
    {
        return; // it has unsubscribed meanwhile; REMOVE clears what is left there
    }
    if (!subs.filters.empty())
    {
        m_copies.SetFilters(subs.subscriber, subs.filters);
    }
    copy->active |= !copy->filters.empty();
    copy->fetched.erase(*subs.session);
    for (const auto& asker : std::exchange(copy->askers, {}))
    {
        if (copy->MayLearnBefore(asker.session))
        {
            copy->askers.push_back(asker);
        }
        else
        {
            output.sends.push_back(
                {asker.broker, Subs{subs.subscriber, asker.session, copy->filters}});
        }
    }
}

void
Reactive::Handle(Instant, NodeId from, const Remove& remove, Output& output)
{
    auto* copy = m_copies.Find(remove.subscriber);
    if (!copy || copy->session > *remove.session)
    {
        SendTransfer(from, remove.subscriber, *remove.session, {}, output);
        return;
    }
    copy->active = false;
    if (!copy->awaits.empty())
    {
        copy->onward = ReactiveCopy::Peer{from, *remove.session};
        return;
    }
    SendTransfer(from, remove.subscriber, *remove.session, copy->buffer.Take(), output);
    m_copies.Erase(remove.subscriber);
}

void
Reactive::Handle(Instant, NodeId, const Transfer& transfer, Output& output)
{
    auto* copy = m_copies.Find(transfer.subscriber);
    if (!copy)
    {
        return;
    }
    auto events = Collect(*copy, transfer);
    if (!events)
    {
        return;
    }
    if (copy->onward)
    {
        const auto onward = *copy->onward;
        m_copies.Erase(transfer.subscriber);
        SendTransfer(onward.broker,
                     transfer.subscriber,
                     onward.session,
                     std::move(*events),
                     output);
        return;
    }
    for (const auto& held : *events)
    {
        DeliverOrStore(transfer.subscriber, *copy, held, output);
    }
}

std::optional<std::vector<Held>>
Reactive::Collect(ReactiveCopy& copy, const Transfer& transfer)
{
    copy.awaits.erase(*transfer.session);
    AppendTo(copy.collected, transfer.events);
    if (!copy.awaits.empty())
    {
        return std::nullopt;
    }
    auto events = copy.buffer.Take();
    AppendTo(events, std::exchange(copy.collected, {}));
    AppendTo(events, copy.temp.Take());
    return m_options.mergeDuplicates ? Missing(events, {}) : Sorted(std::move(events));
}

void
Reactive::SendTransfer(NodeId to,
                       NodeId subscriber,
                       Session session,
                       std::vector<Held> events,
                       Output& output) const
{
    output.sends.push_back({to, Transfer{subscriber, session, Transferred(std::move(events)), {}}});
}

std::vector<CopyView>
Reactive::GetCopies() const
{
    auto views = VisitedBroker::GetCopies();
    for (auto& view : views)
    {
        for (const auto& [session, broker] : m_copies.Get(view.subscriber).awaits)
        {
            view.awaits.push_back(broker);
        }
    }
    return views;
}

} // namespace mftpubsub::handoff
