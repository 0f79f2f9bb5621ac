/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/reconfiguration/dispatcher.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace mftpubsub::reconfiguration
{

namespace
{

/// @return whom a row of a table is for, in words
std::string
NameOf(Subscriber subscriber, const Namer& name)
{
    if (IsNeighbour(subscriber))
    {
        return name(static_cast<NodeId>(subscriber));
    }
    return subscriber == LOCAL ? "local" : "ghost of " + std::to_string(subscriber - Ghost(0));
}

} // namespace

Dispatcher::Dispatcher(NodeId self, TimerOptions timers)
    : m_self(self),
      m_timerOptions(timers)
{
}

void
Dispatcher::Step(Instant now, const Input& input, Actions& actions)
{
    m_now = now;
    std::visit(
        Overloaded{
            [&](const input::LinkRemoved& removed) {
                LinkRemoved(removed.neighbour, removed.reconfiguration, actions);
            },
            [&](const input::LinkAdded& added) {
                LinkAdded(added.neighbour, added.reconfiguration, actions);
            },
            [&](const input::LinkSubstituted& link) {
                LinkSubstituted(link.substitution, actions);
            },
            [&](const input::Received<Message>& received) {
                Receive(received.from, received.message, actions);
            },
            [&](const input::PatternWanted& wanted) { ClientSubscribe(wanted.pattern, actions); },
            [&](const input::PatternUnwanted& unwanted) {
                ClientUnsubscribe(unwanted.pattern, actions);
            },
            [&](const input::PublicationMade& made) { Publish(made.publication, actions); },
            [&](const input::Expired&) { Expire(actions); },
        },
        input);
}

void
Dispatcher::Expire(Actions& actions)
{
    if (const auto next = GetNextTimer(); next && next->due <= m_now)
    {
        StopTimer(next->timer, next->reconfiguration);
        actions.cause = next->reconfiguration;
        TimerExpired(next->timer, next->reconfiguration, actions);
    }
}

std::optional<Instant>
Dispatcher::NextTimer() const
{
    const auto next = GetNextTimer();
    return next ? std::optional(next->due) : std::nullopt;
}

std::optional<RunningTimer>
Dispatcher::GetNextTimer() const
{
    const auto next =
        std::ranges::min_element(m_timers, {}, [](const auto& running) { return running.second; });
    if (next == m_timers.end())
    {
        return std::nullopt;
    }
    return RunningTimer{next->first.second, next->first.first, next->second};
}

void
Dispatcher::StartTimer(Timer timer, ReconfigurationId id)
{
    const auto lasts =
        timer == Timer::UNSUBSCRIBE ? m_timerOptions.unsubscribe : m_timerOptions.subscribe;
    m_timers[{id, timer}] = m_now + lasts;
}

void
Dispatcher::StopTimer(Timer timer, ReconfigurationId id)
{
    m_timers.erase({id, timer});
}

Description
Dispatcher::Describe(const Namer& name) const
{
    Description rows;
    for (const auto subscriber : m_table.GetRows())
    {
        auto& text = rows[NameOf(subscriber, name)];
        for (const auto pattern : m_table.GetRow(subscriber))
        {
            text += (text.empty() ? "" : " ") + std::to_string(pattern);
        }
    }
    return rows;
}

NodeId
Dispatcher::GetId() const
{
    return m_self;
}

void
Dispatcher::Begin(NodeId neighbour, const Patterns& row)
{
    AddNeighbour(neighbour);
    if (HasRoutes())
    {
        for (const auto pattern : row)
        {
            m_table.Add(neighbour, pattern);
        }
    }
}

void
Dispatcher::BeginLocal(const Patterns& row)
{
    for (const auto pattern : row)
    {
        m_table.Add(LOCAL, pattern);
    }
}

void
Dispatcher::LinkSubstituted(const Substitution& /*substitution*/, Actions& /*actions*/)
{
}

void
Dispatcher::TimerExpired(Timer /*timer*/, ReconfigurationId /*id*/, Actions& /*actions*/)
{
}

const PatternTable&
Dispatcher::GetTable() const
{
    return m_table;
}

const std::vector<NodeId>&
Dispatcher::GetNeighbours() const
{
    return m_neighbours;
}

bool
Dispatcher::IsAtRest() const
{
    return true;
}

bool
Dispatcher::IsWaiting(ReconfigurationId id) const
{
    const auto first = m_timers.lower_bound({id, Timer::UNSUBSCRIBE});
    return first != m_timers.end() && first->first.first == id;
}

bool
Dispatcher::NeedsPattern(Pattern pattern) const
{
    return !m_table.GetSubscribers(pattern).empty();
}

bool
Dispatcher::HasRoutes() const
{
    return true;
}

std::string
Dispatcher::GetDigest() const
{
    std::ostringstream text;
    for (const auto neighbour : m_neighbours)
    {
        text << neighbour << ',';
    }
    for (const auto subscriber : m_table.GetRows())
    {
        text << ';' << subscriber << ':';
        for (const auto pattern : m_table.GetRow(subscriber))
        {
            text << pattern << ',';
        }
    }
    for (const auto& [key, due] : m_timers)
    {
        text << '@' << key.first << '/' << static_cast<int>(key.second) << '=' << due.count();
    }
    return text.str();
}

void
Dispatcher::AddNeighbour(NodeId neighbour)
{
    const auto place = std::lower_bound(m_neighbours.begin(), m_neighbours.end(), neighbour);
    if (place == m_neighbours.end() || *place != neighbour)
    {
        m_neighbours.insert(place, neighbour);
    }
}

void
Dispatcher::RemoveNeighbour(NodeId neighbour)
{
    std::erase(m_neighbours, neighbour);
}

bool
Dispatcher::HasNeighbour(Subscriber subscriber) const
{
    return IsNeighbour(subscriber) &&
           std::binary_search(m_neighbours.begin(), m_neighbours.end(), subscriber);
}

void
Dispatcher::SendTo(NodeId to, Message message, Actions& actions)
{
    actions.sends.push_back({to, std::move(message)});
}

void
Dispatcher::SendToNeighbours(const Message& message, Subscriber except, Actions& actions) const
{
    for (const auto neighbour : m_neighbours)
    {
        if (neighbour != except)
        {
            SendTo(neighbour, message, actions);
        }
    }
}

bool
Dispatcher::MatchesLocal(const Publication& publication) const
{
    return std::any_of(publication.patterns.begin(),
                       publication.patterns.end(),
                       [this](auto pattern) { return m_table.Has(LOCAL, pattern); });
}

} // namespace mftpubsub::reconfiguration
