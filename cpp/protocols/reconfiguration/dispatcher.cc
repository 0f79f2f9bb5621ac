/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/reconfiguration/dispatcher.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace mftpubsub::reconfiguration
{

void
Actions::Clear()
{
    sends.clear();
    timers.clear();
    isDelivered = false;
}

Dispatcher::Dispatcher(NodeId self)
    : m_self(self)
{
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
