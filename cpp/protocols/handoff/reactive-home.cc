/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/handoff/reactive-home.h"

#include <algorithm>
#include <utility>

namespace mftpubsub::handoff
{

void
ReactiveHome::Receive(Instant now, NodeId from, const Message& message, Output& output)
{
    Dispatch(*this, now, from, message, output);
}

void
ReactiveHome::LinkDown(Instant now, NodeId client, Output& output)
{
    Reactive::LinkDown(now, client, output);
    if (auto* copy = m_copies.Find(client))
    {
        Offer(client, *copy, output);
    }
}

void
ReactiveHome::Handle(Instant now, NodeId from, const Sub& sub, Output& output)
{
    Reactive::Handle(now, from, sub, output);
    m_copies.Find(sub.subscriber)->home = m_self;
}

void
ReactiveHome::Handle(Instant, NodeId, const Uns& uns, Output& output)
{
    auto* copy = m_copies.Find(uns.subscriber);
    if (!copy)
    {
        return;
    }
    if (copy->home == m_self)
    {
        Close(uns.subscriber, *copy, output);
        return;
    }
    output.sends.push_back({copy->home, Subs{uns.subscriber, copy->session, {}}});
    m_copies.Erase(uns.subscriber);
}

void
ReactiveHome::Handle(Instant, NodeId, const Reconnect& reconnect, Output& output)
{
    const auto subscriber = reconnect.subscriber;
    auto& copy = m_copies.Touch(subscriber, m_options);
    copy.serving = true;
    copy.session = reconnect.session;
    copy.home = reconnect.old;
    if (copy.awaits.empty())
    {
        DeliverBuffer(subscriber, copy, output);
    }
    if (copy.home != m_self && !copy.isBorrowed)
    {
        Borrow(subscriber, copy, output);
    }
}

void
ReactiveHome::Borrow(NodeId subscriber, ReactiveCopy& copy, Output& output)
{
    copy.isBorrowed = true;
    copy.awaits.emplace(copy.session, copy.home);
    output.sends.push_back({copy.home, Fetch{subscriber, copy.session}});
}

void
ReactiveHome::Handle(Instant, NodeId from, const Fetch& fetch, Output& output)
{
    auto* copy = m_copies.Find(fetch.subscriber);
    if (!copy || *fetch.session < copy->session)
    {
        output.sends.push_back({from, Subs{fetch.subscriber, fetch.session, {}}});
    }
    else if (copy->lent)
    {
        copy->askers.push_back({from, *fetch.session});
    }
    else
    {
        Lend(fetch.subscriber, *copy, {from, *fetch.session}, output);
    }
}

void
ReactiveHome::Lend(NodeId subscriber,
                   ReactiveCopy& copy,
                   const ReactiveCopy::Peer& asker,
                   Output& output)
{
    copy.lent = asker.session;
    copy.session = asker.session;
    output.sends.push_back({asker.broker, Subs{subscriber, asker.session, copy.filters}});
}

void
ReactiveHome::TurnDown(NodeId subscriber, ReactiveCopy& copy, Output& output)
{
    for (const auto& [broker, session] : std::exchange(copy.askers, {}))
    {
        output.sends.push_back({broker, Subs{subscriber, session, {}}});
    }
}

void
ReactiveHome::Close(NodeId subscriber, ReactiveCopy& copy, Output& output)
{
    TurnDown(subscriber, copy, output);
    if (copy.onward)
    {
        SendTransfer(copy.onward->broker, subscriber, copy.onward->session, {}, output);
    }
    m_copies.Erase(subscriber);
}

void
ReactiveHome::Handle(Instant, NodeId from, const Subs& subs, Output& output)
{
    output.sends.push_back({from, Remove{subs.subscriber, subs.session, {}, {}}});
    auto* copy = m_copies.Find(subs.subscriber);
    if (copy && copy->home == m_self)
    {
        TakeBack(from, subs, *copy, output);
    }
    else if (copy && !subs.filters.empty())
    {
        m_copies.SetFilters(subs.subscriber, subs.filters);
        copy->active = true;
    }
    else if (!subs.filters.empty()) // it has unsubscribed meanwhile: nobody wants it back
    {
        output.sends.push_back({from, Subs{subs.subscriber, subs.session, {}}});
    }
}

void
ReactiveHome::TakeBack(NodeId from, const Subs& subs, ReactiveCopy& copy, Output& output)
{
    if (subs.filters.empty()) // it has unsubscribed there
    {
        Close(subs.subscriber, copy, output);
        return;
    }
    m_copies.SetFilters(subs.subscriber, subs.filters);
    copy.active = true;
    copy.session = std::max(copy.session, *subs.session);
    copy.awaits.emplace(*subs.session, from);
    LendOn(subs.subscriber, copy, output);
}

void
ReactiveHome::LendOn(NodeId subscriber, ReactiveCopy& copy, Output& output)
{
    copy.lent.reset();
    const auto newest =
        std::max_element(copy.askers.begin(), copy.askers.end(), [](const auto& a, const auto& b) {
            return a.session < b.session;
        });
    if (newest != copy.askers.end() && newest->session > copy.session)
    {
        const auto asker = *newest;
        copy.askers.erase(newest);
        Lend(subscriber, copy, asker, output);
    }
    TurnDown(subscriber, copy, output);
}

void
ReactiveHome::Offer(NodeId subscriber, ReactiveCopy& copy, Output& output)
{
    if (copy.isBorrowed && !copy.serving && copy.active && copy.awaits.empty())
    {
        copy.isBorrowed = false;
        output.sends.push_back({copy.home, Subs{subscriber, copy.session, copy.filters}});
    }
}

void
ReactiveHome::Handle(Instant, NodeId from, const Remove& remove, Output& output)
{
    auto* copy = m_copies.Find(remove.subscriber);
    if (!copy)
    {
        SendTransfer(from, remove.subscriber, *remove.session, {}, output);
    }
    else if (copy->home == m_self)
    {
        Give(from, remove, *copy, output);
    }
    else
    {
        copy->active = false;
        auto events = copy->buffer.Take();
        AppendTo(events, copy->temp.Take());
        SendTransfer(from, remove.subscriber, *remove.session, std::move(events), output);
        if (!copy->isBorrowed)
        {
            m_copies.Erase(remove.subscriber);
        }
    }
}

void
ReactiveHome::Give(NodeId to, const Remove& remove, ReactiveCopy& copy, Output& output) const
{
    if (copy.session > *remove.session)
    {
        output.sends.push_back({to, Transfer{remove.subscriber, remove.session, {}, {}, true}});
        if (copy.lent == remove.session) // and has been here since
        {
            LendOn(remove.subscriber, copy, output);
        }
        return;
    }
    copy.active = false;
    if (copy.awaits.empty())
    {
        SendTransfer(to, remove.subscriber, *remove.session, copy.buffer.Take(), output);
    }
    else
    {
        copy.onward = ReactiveCopy::Peer{to, *remove.session};
    }
}

void
ReactiveHome::Handle(Instant, NodeId, const Transfer& transfer, Output& output)
{
    const auto subscriber = transfer.subscriber;
    auto* copy = m_copies.Find(subscriber);
    if (!copy)
    {
        return;
    }
    copy->active &= !transfer.isObsolete;
    auto events = Collect(*copy, transfer);
    if (!events)
    {
        return;
    }
    if (const auto onward = std::exchange(copy->onward, std::nullopt))
    {
        SendTransfer(onward->broker, subscriber, onward->session, std::move(*events), output);
    }
    else if (copy->active || copy->home == m_self)
    {
        for (const auto& held : *events)
        {
            DeliverOrStore(subscriber, *copy, held, output);
        }
        Offer(subscriber, *copy, output);
    }
    else if (!transfer.isObsolete) // nobody knows it at home: it has unsubscribed
    {
        m_copies.Erase(subscriber);
    }
    else if (copy->serving) // it was too late for that session, and is here again since
    {
        Borrow(subscriber, *copy, output);
    }
    else
    {
        SendTransfer(copy->home, subscriber, copy->session, std::move(*events), output);
        m_copies.Erase(subscriber);
    }
}

} // namespace mftpubsub::handoff
