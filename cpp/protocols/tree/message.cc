/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/tree/message.h"

namespace mftpubsub
{

std::string_view
GetName(const Message& message)
{
    if (const auto* own = std::get_if<Own>(&message); own && own->format)
    {
        return own->format->names.at(own->kind);
    }
    return std::visit([](const auto& m) { return m.NAME; }, message);
}

bool
ComesFromChild(NodeId from, const Message& message)
{
    const auto* bmig = std::get_if<Bmig>(&message);
    const auto* cascading = std::get_if<CascadingBmig>(&message);
    const auto* own = std::get_if<Own>(&message);
    return (own && own->isForParent) || (bmig && bmig->hops == 0) ||
           (cascading && cascading->origin == from) ||
           std::holds_alternative<OpeningBmig>(message) ||
           std::holds_alternative<OpeningLink>(message);
}

bool
IsAmongNeighbours(NodeId from, const Message& message)
{
    return std::visit(
        [from](const auto& m) {
            using M = std::decay_t<decltype(m)>;
            if constexpr (std::is_same_v<M, Sub> || std::is_same_v<M, Uns> ||
                          std::is_same_v<M, Mig>)
            {
                return m.subscriber != from;
            }
            return !std::is_same_v<M, Attach> && !std::is_same_v<M, Pub> &&
                   !std::is_same_v<M, Rep> && !std::is_same_v<M, Have>;
        },
        message);
}

} // namespace mftpubsub
