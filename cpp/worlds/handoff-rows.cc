/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "worlds/handoff-rows.h"

#include "worlds/handoff-scenario.h"

#include <string>
#include <vector>

namespace mftpubsub
{

namespace
{

std::string
NameOf(NodeId node)
{
    return node < FIRST_HANDOFF_SUBSCRIBER ? "B" + std::to_string(node)
                                           : "S" + std::to_string(node - FIRST_HANDOFF_SUBSCRIBER);
}

std::string
List(const std::string& label, const std::vector<NodeId>& nodes)
{
    std::string names;
    for (const auto node : nodes)
    {
        names += (names.empty() ? "" : " ") + NameOf(node);
    }
    return names.empty() ? "" : " " + label + "=[" + names + "]";
}

std::string
Count(const std::string& label, size_t count)
{
    return count == 0 ? "" : " " + label + "=" + std::to_string(count);
}

} // namespace

WireRows
DescribeCopies(const handoff::Broker& broker)
{
    WireRows rows;
    for (const auto& view : broker.GetCopies())
    {
        rows[NameOf(view.subscriber)] =
            view.state + (view.control == NO_NODE ? "" : " ctrl=" + NameOf(view.control)) +
            List("to", view.hops) + (view.hold ? " hold" : "") + List("awaits", view.awaits) +
            Count("buf", view.buffer.size()) + Count("temp", view.temp.size());
    }
    return rows;
}

} // namespace mftpubsub
