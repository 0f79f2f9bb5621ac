/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_RECONFIGURATION_MESSAGES_H
#define MFTPUBSUB_PROTOCOLS_RECONFIGURATION_MESSAGES_H

#include "content/node-id.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string_view>
#include <variant>
#include <vector>

namespace mftpubsub::reconfiguration
{

/// A pattern that events are matched against: C's characters, numbered from 0.
using Pattern = uint16_t;

/// Ascending, each once.
using Patterns = std::vector<Pattern>;

/// One link that another replaces (rId).
using ReconfigurationId = uint32_t;

/// Not of a reconfiguration.
inline constexpr ReconfigurationId NO_RECONFIGURATION = 0xffffffff;

/// From A, an end of the old link, over C and D, the ends of the new one, to B, its other end.
struct Path
{
    std::vector<NodeId> nodes;
    size_t headLength{0}; //!< A..C; the rest, D..B, is the tail
};

using PathPtr = std::shared_ptr<const Path>;

/// What is published: it matches the patterns that it contains.
struct Publication
{
    uint32_t id{0};
    Patterns patterns;
};

using PublicationPtr = std::shared_ptr<const Publication>;

/// I want events that match the pattern.
struct Sub
{
    static constexpr std::string_view NAME = "SUB";
    Pattern pattern{0};
};

/// I do not want them any more.
struct Unsub
{
    static constexpr std::string_view NAME = "UNSUB";
    Pattern pattern{0};
};

struct Event
{
    static constexpr std::string_view NAME = "EVENT";
    PublicationPtr publication;
};

/// What was sent over the new link before has arrived: no need to wait with unsubscriptions.
struct Flush
{
    static constexpr std::string_view NAME = "FLUSH";
    ReconfigurationId reconfiguration{0};
    PathPtr path; //!< reconfiguration-path only
};

/// You have a new neighbour; of the patterns only what you lost wanted, say nothing to it yet.
struct Activate
{
    static constexpr std::string_view NAME = "ACTIVATE";
    ReconfigurationId reconfiguration{0};
    std::shared_ptr<const Patterns> patterns; //!< P
    NodeId neighbour{NO_NODE};
};

/// What REC tells of patterns.
struct PatternChange
{
    Patterns add;    //!< wanted from the next dispatcher of the path on
    Patterns remove; //!< not wanted from where the message comes from any more
};

/// Walks along the reconfiguration path and mends the tables there.
struct Rec
{
    static constexpr std::string_view NAME = "REC";
    ReconfigurationId reconfiguration{0};
    std::shared_ptr<const PatternChange> change;
    PathPtr path;
};

/// I have read your REC: what I send from now on takes it into account.
struct RecAck
{
    static constexpr std::string_view NAME = "RECACK";
    ReconfigurationId reconfiguration{0};
};

using Message = std::variant<Sub, Unsub, Event, Flush, Activate, Rec, RecAck>;

/// Cost of a message that carries no pattern (C V-C.1).
inline constexpr double CONTROL_WEIGHT = 0.1;

/// @return the cost of one hop of @p message, that of a SUB being 1 (C table II)
inline double
GetWeight(const Message& message)
{
    const auto patterns = [](size_t count) {
        return count == 0 ? CONTROL_WEIGHT : static_cast<double>(count);
    };
    if (const auto* activate = std::get_if<Activate>(&message))
    {
        return patterns(activate->patterns->size());
    }
    if (const auto* rec = std::get_if<Rec>(&message))
    {
        return patterns(rec->change->add.size() + rec->change->remove.size());
    }
    const bool isPlain =
        std::holds_alternative<Flush>(message) || std::holds_alternative<RecAck>(message);
    return isPlain ? CONTROL_WEIGHT : 1;
}

/// @return whether @p message is sent to @p to in order to tell of patterns, be there any or none:
/// of REC those along the head of the path and over the new link, by C's count in figure 13
inline bool
TellsOfPatterns(const Message& message, NodeId to)
{
    if (const auto* rec = std::get_if<Rec>(&message))
    {
        const auto& nodes = rec->path->nodes;
        const auto end = nodes.begin() + static_cast<std::ptrdiff_t>(rec->path->headLength) + 1;
        return std::find(nodes.begin(), end, to) != end;
    }
    return std::holds_alternative<Sub>(message) || std::holds_alternative<Unsub>(message) ||
           std::holds_alternative<Activate>(message);
}

/// @return whether who receives @p message is involved in what caused it (C V-C.5)
inline bool
Involves(const Message& message)
{
    return std::holds_alternative<Sub>(message) || std::holds_alternative<Unsub>(message) ||
           std::holds_alternative<Rec>(message);
}

/// Calls @p call with the name of each kind, in the order of Message.
template <size_t INDEX = 0, typename Call>
void
ForEachKind(const Call& call)
{
    if constexpr (INDEX < std::variant_size_v<Message>)
    {
        call(std::variant_alternative_t<INDEX, Message>::NAME);
        ForEachKind<INDEX + 1>(call);
    }
}

inline std::string_view
GetName(const Message& message)
{
    return std::visit([](const auto& m) { return m.NAME; }, message);
}

} // namespace mftpubsub::reconfiguration

#endif /* MFTPUBSUB_PROTOCOLS_RECONFIGURATION_MESSAGES_H */
