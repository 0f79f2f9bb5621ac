/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/tree/message-split.h"

#include "protocols/tree/message-codec.h"

#include <optional>
#include <utility>

namespace mftpubsub
{

namespace
{

using Halves = std::pair<Message, Message>;

/// @return two vectors with the entries of one
template <typename T>
std::pair<std::vector<T>, std::vector<T>>
Halved(const std::vector<T>& entries)
{
    const auto half = entries.begin() + static_cast<ptrdiff_t>(entries.size() / 2);
    return {{entries.begin(), half}, {half, entries.end()}};
}

/// @return nothing for a message that fits, or cannot be halved
std::optional<Halves>
Halve(const Message& message, size_t mostBytes)
{
    const auto* rep = std::get_if<Rep>(&message);
    const auto* have = std::get_if<Have>(&message);
    if ((!rep && !have) || Encode(message).size() <= mostBytes)
    {
        return std::nullopt;
    }
    if (rep && rep->events.size() > 1)
    {
        auto [first, second] = Halved(rep->events);
        return Halves{Rep{rep->subscriber, std::move(first), rep->hops},
                      Rep{rep->subscriber, std::move(second), rep->hops}};
    }
    if (have && have->rows.size() > 1)
    {
        auto [first, second] = Halved(have->rows);
        return Halves{Have{have->subscriber, std::move(first)},
                      Have{have->subscriber, std::move(second)}};
    }
    return std::nullopt;
}

void
Split(const Message& message, size_t mostBytes, std::vector<Message>& parts)
{
    const auto halves = Halve(message, mostBytes);
    if (!halves)
    {
        parts.push_back(message);
        return;
    }
    Split(halves->first, mostBytes, parts);
    Split(halves->second, mostBytes, parts);
}

} // namespace

std::vector<Message>
SplitToFit(const Message& message, size_t mostBytes)
{
    std::vector<Message> parts;
    Split(message, mostBytes, parts);
    return parts;
}

} // namespace mftpubsub
