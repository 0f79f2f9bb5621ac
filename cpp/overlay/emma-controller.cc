/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "overlay/emma-controller.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace mftpubsub
{

uint32_t
GetLatencyGroup(Instant roundTrip)
{
    using std::chrono::milliseconds;
    static constexpr Instant BOUNDS[] = {milliseconds(2), milliseconds(5), milliseconds(10)};
    return static_cast<uint32_t>(std::upper_bound(std::begin(BOUNDS), std::end(BOUNDS), roundTrip) -
                                 std::begin(BOUNDS));
}

void
EmmaController::Measured(NodeId client, NodeId broker, uint32_t group)
{
    m_groups[client][broker] = group;
}

void
EmmaController::Forget(NodeId client)
{
    m_groups.erase(client);
}

void
EmmaController::Attached(NodeId client, NodeId broker)
{
    m_brokers[client] = broker;
}

NodeId
EmmaController::Choose(NodeId client) const
{
    const auto measured = m_groups.find(client);
    if (measured == m_groups.end())
    {
        return NO_NODE;
    }
    const auto at = m_brokers.find(client);
    const auto present = at == m_brokers.end() ? NO_NODE : at->second;
    const auto rank = [&](const std::pair<const NodeId, uint32_t>& one) {
        const auto [broker, group] = one;
        return std::tuple(group, CountOthers(client, broker), broker != present, broker);
    };
    return std::ranges::min_element(measured->second, {}, rank)->first;
}

uint32_t
EmmaController::CountOthers(NodeId client, NodeId broker) const
{
    return static_cast<uint32_t>(std::ranges::count_if(m_brokers, [&](const auto& attachment) {
        return attachment.first != client && attachment.second == broker;
    }));
}

} // namespace mftpubsub
