/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_CONTENT_EVENT_H
#define MFTPUBSUB_CONTENT_EVENT_H

#include "content/node-id.h"

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace mftpubsub
{

/// Value of an attribute (protocols.md section 7).
using Value = std::variant<int64_t, double, std::string, bool>;

/// Identity of an event: its publisher and that publisher's sequence number.
struct EventId
{
    NodeId publisher{NO_NODE};
    uint32_t sequence{0};

    auto operator<=>(const EventId&) const = default;
};

/// A published event: typed attributes and an opaque payload, of which only the size matters here.
struct Event
{
    EventId id;
    std::vector<std::pair<std::string, Value>>
        attributes;           //!< in order of publication, names unique
    uint16_t payloadBytes{0}; //!< size of the payload, bytes

    /// @return the value of the attribute called @p name, or nullptr
    const Value* Find(std::string_view name) const
    {
        for (const auto& [key, value] : attributes)
        {
            if (key == name)
            {
                return &value;
            }
        }
        return nullptr;
    }

    bool operator==(const Event&) const = default;
};

/// Events are immutable once published and shared between queues and messages.
using EventPtr = std::shared_ptr<const Event>;

} // namespace mftpubsub

template <>
struct std::hash<mftpubsub::EventId>
{
    size_t operator()(const mftpubsub::EventId& id) const noexcept
    {
        return std::hash<uint64_t>{}((uint64_t{id.publisher} << 32) | id.sequence);
    }
};

#endif /* MFTPUBSUB_CONTENT_EVENT_H */
