/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LAB_TREE_OWED_EVENTS_H
#define MFTPUBSUB_LAB_TREE_OWED_EVENTS_H

#include "content/event.h"
#include "protocols/tree/broker.h"
#include "protocols/tree/subscriber.h"

#include <map>
#include <set>
#include <string>

namespace mftpubsub
{

/// Who has to get which event of a laboratory, whatever becomes of the brokers.
class OwedEvents
{
  public:
    /// Who has to get one event.
    struct Owed
    {
        EventPtr event;
        std::set<NodeId> wanted;  //!< have wanted it ever since it was published
        std::set<NodeId> matched; //!< some broker found that it matches
    };

    /// @p event is published now, when @p wanted want it.
    void Add(const EventPtr& event, const std::set<NodeId>& wanted);

    void NoteMatch(const Pair& match);

    /// @p subscriber need not get @p event any more.
    void Excuse(NodeId subscriber, const EventId& event);

    /// @p subscriber, whose number is @p id, has fewer filters than before.
    void ExcuseUnwanted(NodeId id, const Subscriber& subscriber);

    /// Whatever @p broker holds for subscribers is lost.
    void ExcuseQueued(const Broker& broker);

    /// @p message, which carries events maybe, is lost, and its sender too.
    void ExcuseCarried(const Message& message);

    const std::map<EventId, Owed>& Get() const;

    /// @return all of it, as text
    std::string GetDigest() const;

  private:
    void ExcuseAll(const EventId& event);

    std::map<EventId, Owed> m_owed;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_LAB_TREE_OWED_EVENTS_H */
