/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/handoff/elvin.h"

#include "protocols/handoff/tree.h"

namespace mftpubsub::handoff
{

Elvin::Elvin(NodeId self, const Options& options)
    : m_self(self),
      m_options(options)
{
}

void
Elvin::Receive(Instant now, NodeId from, const Message& message, Output& output)
{
    Dispatch(*this, now, from, message, output);
}

bool
Elvin::IsProxy() const
{
    return m_self == m_options.tree->GetRoot();
}

void
Elvin::Tell(Instant now, NodeId to, const Message& message, Output& output)
{
    if (to == m_self)
    {
        Receive(now, m_self, message, output);
    }
    else
    {
        output.sends.push_back({to, message});
    }
}

void
Elvin::Handle(Instant now, NodeId, const Sub& sub, Output& output)
{
    const auto last = m_ended[sub.subscriber];
    const auto session = m_connected.try_emplace(sub.subscriber, last).first->second;
    const auto user = sub.user == NO_NODE ? sub.subscriber : sub.user;
    const RouteTo route{sub.subscriber, session, user, {}, {sub.filter}};
    Tell(now, m_options.tree->GetRoot(), route, output);
}

void
Elvin::Handle(Instant now, NodeId, const Reconnect& reconnect, Output& output)
{
    m_connected[reconnect.subscriber] = reconnect.session;
    const RouteTo route{reconnect.subscriber, reconnect.session, NO_NODE, reconnect.last, {}};
    Tell(now, m_options.tree->GetRoot(), route, output);
}

void
Elvin::LinkDown(Instant now, NodeId client, Output& output)
{
    if (const auto found = m_connected.find(client); found != m_connected.end())
    {
        Tell(now, m_options.tree->GetRoot(), Detach{client, found->second}, output);
        m_connected.erase(found);
    }
}

void
Elvin::Handle(Instant now, NodeId from, const Uns& uns, Output& output)
{
    if (from == uns.subscriber)
    {
        m_ended[uns.subscriber] = m_connected[uns.subscriber];
        m_connected.erase(uns.subscriber);
    }
    if (!IsProxy())
    {
        Tell(now, m_options.tree->GetRoot(), uns, output);
        return;
    }
    const auto found = m_attachments.find(uns.subscriber);
    if (found == m_attachments.end())
    {
        return;
    }
    m_ended[uns.subscriber] = found->second.session;
    const auto store = m_stores.find(found->second.user);
    m_attachments.erase(found);
    m_wanted.Erase(uns.subscriber);
    if (store == m_stores.end())
    {
        return; // its filters have not come, and are not taken when they do
    }
    store->second.clients.erase(uns.subscriber);
    if (store->second.clients.empty())
    {
        m_stores.erase(store);
    }
}

void
Elvin::Handle(Instant now, NodeId, const Evack& evack, Output& output)
{
    if (!IsProxy())
    {
        Tell(now, m_options.tree->GetRoot(), evack, output);
    }
    else if (const auto found = m_attachments.find(evack.subscriber); found != m_attachments.end())
    {
        found->second.had.Add(evack.id);
    }
}

void
Elvin::Handle(Instant now, NodeId, const Pub& pub, Output& output)
{
    if (!IsProxy())
    {
        Tell(now, m_options.tree->GetRoot(), pub, output);
        return;
    }
    std::set<NodeId> users;
    m_wanted.Match(*pub.event, m_options, [&](NodeId client, Copy&) {
        users.insert(m_attachments.at(client).user);
    });
    for (const auto user : users)
    {
        auto& store = m_stores.at(user);
        Keep(store, {now + m_options.eventExpiry, {pub.event}});
        ++output.stored;
        for (const auto client : store.clients)
        {
            const auto& attachment = m_attachments.at(client);
            if (attachment.broker != NO_NODE)
            {
                const Notify notify{client, attachment.session, {{pub.event}}};
                Tell(now, attachment.broker, notify, output);
            }
        }
    }
}

void
Elvin::Handle(Instant now, NodeId from, const RouteTo& route, Output& output)
{
    if (route.session < m_ended[route.subscriber])
    {
        return; // it has unsubscribed meanwhile
    }
    auto& attachment = m_attachments[route.subscriber];
    if (!route.filters.empty())
    {
        attachment.user = route.user;
        m_stores[route.user].clients.insert(route.subscriber);
        auto filters = m_wanted.Touch(route.subscriber, m_options).filters;
        filters.insert(filters.end(), route.filters.begin(), route.filters.end());
        m_wanted.SetFilters(route.subscriber, filters);
    }
    if (route.session < attachment.session)
    {
        return; // it has moved on meanwhile
    }
    attachment.broker = from;
    attachment.session = route.session;
    attachment.had.Add(route.last);
    if (auto missed = FindMissed(attachment); !missed.empty())
    {
        const Notify notify{route.subscriber, route.session, Transferred(std::move(missed))};
        Tell(now, from, notify, output);
    }
}

void
Elvin::Handle(Instant, NodeId, const Detach& detach, Output&)
{
    const auto found = m_attachments.find(detach.subscriber);
    if (found != m_attachments.end() && found->second.session == detach.session)
    {
        found->second.broker = NO_NODE;
    }
}

void
Elvin::Handle(Instant, NodeId, const Notify& notify, Output& output)
{
    const auto found = m_connected.find(notify.subscriber);
    if (found == m_connected.end() || found->second != notify.session)
    {
        return; // the proxy sends it again where the client is
    }
    for (const auto& held : notify.events)
    {
        output.deliveries.push_back({notify.subscriber, held});
    }
}

void
Elvin::Keep(Store& store, Stored stored) const
{
    store.bytes += GetSize(*stored.held.event);
    store.events.push_back(std::move(stored));
    while (store.bytes > m_options.queueBytes)
    {
        store.bytes -= GetSize(*store.events.front().held.event);
        store.events.pop_front();
    }
}

std::vector<Held>
Elvin::FindMissed(const Attachment& client) const
{
    std::vector<Held> events;
    const auto store = m_stores.find(client.user);
    if (store == m_stores.end())
    {
        return events; // its filters have not come
    }
    for (const auto& stored : store->second.events)
    {
        events.push_back(stored.held);
    }
    return Missing(events, client.had);
}

std::optional<Instant>
Elvin::NextTimer() const
{
    std::optional<Instant> next;
    for (const auto& [user, store] : m_stores)
    {
        if (!store.events.empty())
        {
            const auto expiry = store.events.front().expiry;
            next = next ? std::min(*next, expiry) : expiry;
        }
    }
    return next;
}

void
Elvin::Expire(Instant now, Output&)
{
    for (auto& [user, store] : m_stores)
    {
        while (!store.events.empty() && store.events.front().expiry <= now)
        {
            store.bytes -= GetSize(*store.events.front().held.event);
            store.events.pop_front();
        }
    }
}

std::vector<CopyView>
Elvin::GetCopies() const
{
    std::map<NodeId, CopyView> views;
    for (const auto& [client, attachment] : m_attachments)
    {
        views[client].state = "PROXY";
        for (const auto& held : FindMissed(attachment))
        {
            views[client].buffer.push_back(held.event->id);
        }
    }
    for (const auto& [client, session] : m_connected)
    {
        views[client].state = "SERVING";
    }
    std::vector<CopyView> list;
    for (auto& [client, view] : views)
    {
        view.subscriber = client;
        list.push_back(std::move(view));
    }
    return list;
}

size_t
Elvin::CountHeld() const
{
    size_t held = 0;
    for (const auto& [user, store] : m_stores)
    {
        held += store.events.size();
    }
    return held;
}

} // namespace mftpubsub::handoff
