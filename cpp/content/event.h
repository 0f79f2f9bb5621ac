/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_CONTENT_EVENT_H
#define MFTPUBSUB_CONTENT_EVENT_H

#include "content/node-id.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
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

/// In order of publication, names unique.
using Attributes = std::vector<std::pair<std::string, Value>>;

/// A published event: typed attributes and an opaque payload.
struct Event
{
    EventId id;
    Attributes attributes;
    uint16_t payloadBytes{0};       //!< size of the payload, bytes
    std::vector<uint8_t> payload{}; //!< its bytes; empty if all are zero, as simulations have it

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

    /// Makes @p bytes the payload. @throws std::length_error if there are 2^16 or more
    void SetPayload(std::span<const uint8_t> bytes)
    {
        if (bytes.size() > UINT16_MAX)
        {
            throw std::length_error("a payload of " + std::to_string(bytes.size()) +
                                    " bytes does not fit in an event");
        }
        payloadBytes = static_cast<uint16_t>(bytes.size());
        const auto isZero = [](uint8_t byte) { return byte == 0; };
        payload.clear();
        if (!std::ranges::all_of(bytes, isZero))
        {
            payload.assign(bytes.begin(), bytes.end());
        }
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
