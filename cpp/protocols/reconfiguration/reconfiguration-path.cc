/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/reconfiguration/reconfiguration-path.h"

#include <algorithm>
#include <utility>

namespace mftpubsub::reconfiguration
{

namespace
{

/// @return the last dispatcher of the head: an end of the new link
NodeId
GetC(const Path& path)
{
    return path.nodes[path.headLength - 1];
}

/// @return the first dispatcher of the tail: the other end of the new link
NodeId
GetD(const Path& path)
{
    return path.nodes[path.headLength];
}

size_t
GetPlace(const Path& path, NodeId node)
{
    return std::find(path.nodes.begin(), path.nodes.end(), node) - path.nodes.begin();
}

Rec
MakeRec(const Rec& rec, Patterns add, Patterns remove)
{
    auto change =
        std::make_shared<const PatternChange>(PatternChange{std::move(add), std::move(remove)});
    return {rec.reconfiguration, std::move(change), rec.path};
}

} // namespace

std::unique_ptr<Dispatcher>
ReconfigurationPath::Clone() const
{
    return std::make_unique<ReconfigurationPath>(*this);
}

void
ReconfigurationPath::LinkRemoved(NodeId neighbour, ReconfigurationId id, Actions& actions)
{
    if (id == NO_RECONFIGURATION)
    {
        RemoveLinkTo(neighbour, actions);
    }
}

void
ReconfigurationPath::LinkAdded(NodeId neighbour, ReconfigurationId id, Actions& actions)
{
    if (id == NO_RECONFIGURATION)
    {
        AddLinkTo(neighbour, actions);
    }
}

void
ReconfigurationPath::LinkSubstituted(const Substitution& substitution, Actions& actions)
{
    if (substitution.path->nodes.front() != GetId())
    {
        return; // B learns of it by REC
    }
    const auto row = m_table.GetRow(substitution.lost);
    RemoveNeighbour(substitution.lost);
    const auto change = std::make_shared<const PatternChange>(PatternChange{row, row});
    HandleRec(substitution.lost,
              {substitution.reconfiguration, change, substitution.path},
              actions); // 1a
    m_table.RemoveRow(substitution.lost);
}

void
ReconfigurationPath::Receive(NodeId from, const Message& message, Actions& actions)
{
    if (const auto* rec = std::get_if<Rec>(&message))
    {
        HandleRec(from, *rec, actions);
    }
    else if (const auto* ack = std::get_if<RecAck>(&message))
    {
        m_ignored.erase(ack->reconfiguration); // 1d
    }
    else if (const auto* flush = std::get_if<Flush>(&message))
    {
        HandleFlush(from, *flush, actions);
    }
    else if (const auto* unsub = std::get_if<Unsub>(&message);
             !unsub || !IsIgnored(from, unsub->pattern))
    {
        SubscriptionForwarding::Receive(from, message, actions);
    }
}

bool
ReconfigurationPath::IsAtRest() const
{
    return m_ignored.empty() && m_stored.empty();
}

bool
ReconfigurationPath::IsIgnored(NodeId from, Pattern pattern) const
{
    return std::any_of(m_ignored.begin(), m_ignored.end(), [&](const auto& entry) {
        const auto& ignored = entry.second;
        return ignored.next == from &&
               std::binary_search(ignored.patterns.begin(), ignored.patterns.end(), pattern);
    });
}

Patterns
ReconfigurationPath::SelectRemoved(const Patterns& removed, NodeId next) const
{
    Patterns selected;
    std::copy_if(removed.begin(), removed.end(), std::back_inserter(selected), [&](auto pattern) {
        return !m_table.IsKnown(pattern, next);
    });
    return selected;
}

void
ReconfigurationPath::UnsubscribeUnwanted(NodeId head, const Patterns& added, Actions& actions)
{
    for (const auto pattern : added)
    {
        if (!m_table.IsKnown(pattern, head))
        {
            SendTo(head, Unsub{pattern}, actions);
        }
    }
}

void
ReconfigurationPath::SubscribeMissed(NodeId head, const Patterns& told, Actions& actions)
{
    for (const auto pattern : m_table.GetKnown(head))
    {
        if (!std::binary_search(told.begin(), told.end(), pattern))
        {
            SendTo(head, Sub{pattern}, actions);
        }
    }
}

void
ReconfigurationPath::HandleRec(NodeId from, const Rec& rec, Actions& actions)
{
    const auto& path = *rec.path;
    const auto place = GetPlace(path, GetId());
    if (place < path.headLength)
    {
        HandleInHead(from, path.nodes[place + 1], rec, actions);
    }
    else
    {
        HandleInTail(from, rec, actions);
    }
}

void
ReconfigurationPath::HandleInHead(NodeId from, NodeId next, const Rec& rec, Actions& actions)
{
    const auto& add = rec.change->add;
    for (const auto pattern : rec.change->remove)
    {
        m_table.Remove(from, pattern);
    }
    if (GetId() == GetC(*rec.path))
    {
        AddLinkTo(next, actions);                     // 2
        SendTo(next, MakeRec(rec, add, {}), actions); // 3
    }
    else
    {
        m_ignored[rec.reconfiguration] = {next, add};
        SendTo(next, MakeRec(rec, add, SelectRemoved(rec.change->remove, next)), actions); // 1b
    }
    for (const auto pattern : add)
    {
        m_table.Add(next, pattern);
    }
    if (GetId() != rec.path->nodes.front())
    {
        SendTo(from, RecAck{rec.reconfiguration}, actions); // 1c
    }
}

void
ReconfigurationPath::HandleInTail(NodeId from, const Rec& rec, Actions& actions)
{
    const auto& path = *rec.path;
    if (GetId() == GetD(path))
    {
        AddNeighbour(from);
        UnsubscribeUnwanted(from, rec.change->add, actions); // 4
        m_stored[rec.reconfiguration] = rec.change->add;
    }
    if (GetId() == path.nodes.back())
    {
        RemoveLinkTo(path.nodes.front(), actions);                    // 6
        HandleFlush(LOCAL, {rec.reconfiguration, rec.path}, actions); // 7
    }
    else
    {
        const auto next = path.nodes[GetPlace(path, GetId()) + 1];
        SendTo(next, MakeRec(rec, {}, {}), actions); // 5
    }
}

void
ReconfigurationPath::HandleFlush(Subscriber from, const Flush& flush, Actions& actions)
{
    if (GetId() != GetD(*flush.path))
    {
        SendToNeighbours(flush, from, actions);
    }
    else if (const auto stored = m_stored.extract(flush.reconfiguration))
    {
        SubscribeMissed(GetC(*flush.path), stored.mapped(), actions); // 8
    }
}

} // namespace mftpubsub::reconfiguration
