/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What a broker does as a neighbour: who may change the copy that it has for others
// (handoff.md 6.3)

#include "protocols/handoff/pro-active-broker.h"

#include <algorithm>

namespace mftpubsub::handoff
{

bool
ProActiveBroker::SharedCopy::IsNeighbours() const
{
    return state == State::PASSIVE || state == State::ACTIVE;
}

bool
ProActiveBroker::IsOver(NodeId subscriber,
                        std::optional<Session> session,
                        std::optional<Session> Ended::* what) const
{
    const auto ended = m_ended.find(subscriber);
    return ended != m_ended.end() && session <= ended->second.*what;
}

void
ProActiveBroker::EndClaims(NodeId subscriber, std::optional<Session> session)
{
    if (!session)
    {
        return;
    }
    auto& ended = m_ended[subscriber];
    ended.storing = std::max(ended.storing, session);
    ended.claiming = std::max(ended.claiming, session);
}

void
ProActiveBroker::Tidy(NodeId subscriber)
{
    const auto* copy = m_copies.Find(subscriber);
    if (copy && copy->state == State::PASSIVE &&
        IsOver(subscriber, std::max(copy->session, copy->claimed), &Ended::claiming))
    {
        m_copies.Erase(subscriber);
    }
}

void
ProActiveBroker::Handle(Instant, NodeId from, const Activate& activate, Output& output)
{
    if (IsOver(activate.subscriber, activate.session, &Ended::storing))
    {
        return;
    }
    auto* copy = m_copies.Find(activate.subscriber);
    if (!copy)
    {
        output.sends.push_back({from, Nack{activate.subscriber, activate.session}});
        return;
    }
    if (!copy->IsNeighbours() || activate.session < copy->session)
    {
        return; // the subscriber is here, or was here last
    }
    for (const auto& held : Missing(copy->buffer.Take(), activate.last))
    {
        copy->buffer.Append(held);
    }
    Store(from, activate.subscriber, *copy, activate.session, output);
}

void
ProActiveBroker::Store(NodeId control,
                       NodeId subscriber,
                       SharedCopy& copy,
                       std::optional<Session> session,
                       Output& output) const
{
    copy.state = State::ACTIVE;
    copy.control = control;
    copy.session = session;
    if (!m_first)
    {
        copy.complete = false; // who knows what was stored before, without sessions
    }
    output.sends.push_back({control, Ack{subscriber, session}});
}

void
ProActiveBroker::Handle(Instant, NodeId from, const Forward& forward, Output& output)
{
    auto* copy = m_copies.Find(forward.subscriber);
    if (!copy || copy->state != State::ACTIVE || copy->control != from ||
        copy->session != forward.session)
    {
        return;
    }
    auto events = copy->buffer.Take();
    events.insert(events.end(), forward.events.begin(), forward.events.end());
    for (const auto& held : Missing(events, {}))
    {
        copy->buffer.Append(held);
    }
    output.stored += static_cast<uint32_t>(forward.events.size());
    copy->complete = true;
}

void
ProActiveBroker::Handle(Instant, NodeId from, const Context& context, Output& output)
{
    if (IsOver(context.subscriber, context.session, &Ended::claiming))
    {
        return;
    }
    auto& copy = m_copies.Touch(context.subscriber, m_options);
    if (!copy.IsNeighbours() || context.session < copy.session)
    {
        return;
    }
    m_copies.SetFilters(context.subscriber, context.filters);
    if (IsOver(context.subscriber, context.session, &Ended::storing))
    {
        return;
    }
    auto events = copy.buffer.Take();
    events.insert(events.end(), context.events.begin(), context.events.end());
    for (const auto& held : Missing(events, context.last))
    {
        copy.buffer.Append(held);
    }
    output.stored += static_cast<uint32_t>(context.events.size());
    Store(from, context.subscriber, copy, context.session, output);
}

void
ProActiveBroker::Handle(Instant, NodeId from, const Deactivate& deactivate, Output&)
{
    if (deactivate.session)
    {
        auto& ended = m_ended[deactivate.subscriber];
        ended.storing = std::max(ended.storing, deactivate.session);
    }
    auto* copy = m_copies.Find(deactivate.subscriber);
    if (copy && copy->state == State::ACTIVE && copy->control == from &&
        copy->session == deactivate.session)
    {
        Pacify(*copy);
        Tidy(deactivate.subscriber);
    }
}

void
ProActiveBroker::Pacify(SharedCopy& copy)
{
    copy.state = State::PASSIVE;
    copy.control = NO_NODE;
    copy.complete = false;
    copy.buffer.Clear();
}

void
ProActiveBroker::Handle(Instant, NodeId from, const Delete& request, Output& output)
{
    if (request.why != Delete::Why::EDGE)
    {
        EndClaims(request.subscriber, request.session);
    }
    auto* copy = m_copies.Find(request.subscriber);
    if (!copy)
    {
        return;
    }
    if (request.why == Delete::Why::UNSUBSCRIBE)
    {
        if (m_first && !copy->IsNeighbours())
        {
            DeleteAtNeighbours(request.subscriber, *copy, request.why, output);
        }
        m_copies.Erase(request.subscriber);
        return;
    }
    const auto isControlled = copy->control == from || copy->control == NO_NODE;
    if (!copy->IsNeighbours() || !isControlled || copy->session > request.session)
    {
        return;
    }
    if (copy->claimed <= request.session)
    {
        m_copies.Erase(request.subscriber);
    }
    else
    {
        Pacify(*copy); // a later session's broker has come to want it, and may have let go since
        Tidy(request.subscriber);
    }
}

} // namespace mftpubsub::handoff
