/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LAB_HANDOFF_HANDOFF_NAMES_H
#define MFTPUBSUB_LAB_HANDOFF_HANDOFF_NAMES_H

#include "protocols/handoff/messages.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub
{

/// What a laboratory of hand-offs calls its brokers, subscribers and events: ids behind names, and
/// messages as a transcript shows them.
class HandoffNames
{
  public:
    /// Brokers are all ends of @p links; their ids are 1, 2, ... in the natural order of the names.
    explicit HandoffNames(const std::vector<std::pair<std::string, std::string>>& links);

    NodeId CountBrokers() const;

    /// @throws LabError if there is none
    NodeId FindBroker(const std::string& name) const;

    /// @throws LabError if there is none
    NodeId FindSubscriber(const std::string& name) const;

    /// @return the id of a new subscriber, whom its name stands for from now on
    NodeId AddSubscriber(const std::string& name);

    /// @return the id of whoever publishes at @p broker, and at no other
    static NodeId PublisherAt(NodeId broker);

    void AddEvent(EventId event, const std::string& name);

    std::string Name(NodeId node) const;
    std::string Name(const EventId& event) const;
    std::string Name(const std::vector<NodeId>& nodes) const;
    std::string Name(const std::vector<EventId>& events) const;

    /// @return the fields of @p message: " s1 last=e1"
    std::string Describe(const handoff::Message& message) const;

  private:
    std::string Name(const handoff::Consumed& consumed) const;
    std::string List(const std::vector<handoff::Held>& events) const;
    std::string List(const handoff::Neighbours& neighbours) const;

    std::string DescribeFields(const handoff::Reconnect& message) const;
    std::string DescribeFields(const handoff::Transfer& message) const;
    std::string DescribeFields(const handoff::Remove& message) const;
    std::string DescribeFields(const handoff::Pub& message) const;
    std::string DescribeFields(const handoff::Adv& message) const;

    /// Of every other message: what it has of the fields that a transcript shows.
    template <typename Kind>
    std::string DescribeFields(const Kind& message) const;

    std::vector<std::string> m_brokers; //!< of id 1, 2, ...
    std::vector<std::string> m_subscribers;
    std::map<EventId, std::string> m_events;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_LAB_HANDOFF_HANDOFF_NAMES_H */
