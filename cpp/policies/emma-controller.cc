/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "policies/emma-controller.h"

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

uint32_t
GetLatencyGroup(double rssiDbm)
{
    // Where 2 x 0.992 ms, divided by the probability that 248 bits arrive over noise of -100 dBm
    // (BEHAVIOUR point 13), are 2, 5 and 10 ms.
    static constexpr double BOUNDS[] = {-94.0, -93.4, -89.9};
    return static_cast<uint32_t>(std::end(BOUNDS) -
                                 std::upper_bound(std::begin(BOUNDS), std::end(BOUNDS), rssiDbm));
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

NodeId
EmmaControlled::Decide(const NodeView& me,
                       const Candidate* current,
                       const std::vector<Candidate>& candidates)
{
    NoteAsked(me);
    m_controller.Forget(me.id);
    m_controller.Attached(me.id, me.parent);
    for (const auto& candidate : candidates)
    {
        m_controller.Measured(me.id, candidate.id, GetLatencyGroup(candidate.rssiDbm));
    }
    if (current)
    {
        m_controller.Measured(me.id, current->id, GetLatencyGroup(current->rssiDbm));
    }
    const NodeId choice = m_controller.Choose(me.id);
    m_controller.Attached(me.id,
                          choice); // those that ask next count it, or all would go there at once
    return choice;
}

void
EmmaControlled::NoteAsked(const NodeView& me)
{
    auto& asked = m_asked[me.id];
    asked.last = me.timeNanoseconds;
    const std::pair round{me.leader, me.round};
    if (asked.round != round)
    {
        asked.round = round;
        std::shift_left(asked.begins.begin(), asked.begins.end(), 1);
        asked.begins.back() = me.timeNanoseconds;
    }
    std::erase_if(m_asked, [&, since = asked.begins.front()](const auto& other) {
        const auto isGone = other.second.last < since;
        if (isGone)
        {
            m_controller.Attached(other.first, NO_NODE);
        }
        return isGone;
    });
}

uint32_t
EmmaController::CountOthers(NodeId client, NodeId broker) const
{
    return static_cast<uint32_t>(std::ranges::count_if(m_brokers, [&](const auto& attachment) {
        return attachment.first != client && attachment.second == broker;
    }));
}

} // namespace mftpubsub
