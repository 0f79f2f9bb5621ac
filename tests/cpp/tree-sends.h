/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What machines of the tree send, compared field by field.
 */
#ifndef MFTPUBSUB_TESTS_TREE_SENDS_H
#define MFTPUBSUB_TESTS_TREE_SENDS_H

#include "protocols/tree/broker.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace mftpubsub
{

/// @return event @p sequence of @p publisher, with a topic and 10 B of payload
inline EventPtr
MakeEvent(NodeId publisher, uint32_t sequence, const std::string& topic = "f")
{
    auto event = std::make_shared<Event>();
    event->id = {publisher, sequence};
    event->attributes.emplace_back("topic", topic);
    event->payloadBytes = 10;
    return event;
}

inline bool
AreSame(const Pub& a, const Pub& b)
{
    return a.event == b.event && a.hops == b.hops && a.subscribers == b.subscribers &&
           a.addressed == b.addressed && a.timestamp == b.timestamp;
}

inline bool
AreSame(const Rep& a, const Rep& b)
{
    return a.subscriber == b.subscriber && a.events == b.events && a.hops == b.hops &&
           a.timestamp == b.timestamp;
}

template <typename Kind>
bool
AreSame(const Kind& a, const Kind& b)
{
    return a == b;
}

/// @return whether these are the same messages to the same nodes, in this order
inline bool
AreSame(const std::vector<Send>& a, const std::vector<Send>& b)
{
    return std::ranges::equal(a, b, [](const Send& left, const Send& right) {
        return left.to == right.to && left.message.index() == right.message.index() &&
               std::visit(
                   [&](const auto& message) {
                       using Kind = std::decay_t<decltype(message)>;
                       return AreSame(message, std::get<Kind>(right.message));
                   },
                   left.message);
    });
}

} // namespace mftpubsub

#endif /* MFTPUBSUB_TESTS_TREE_SENDS_H */
