/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "worlds/handoff-scenario.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace mftpubsub
{

std::string
NameHandoffNode(NodeId node)
{
    return node < FIRST_HANDOFF_SUBSCRIBER ? "B" + std::to_string(node)
                                           : "S" + std::to_string(node - FIRST_HANDOFF_SUBSCRIBER);
}

void
Check(const HandoffScenario& scenario)
{
    const auto require = [](bool isRight, const std::string& what) {
        if (!isRight)
        {
            throw std::invalid_argument(what);
        }
    };
    require(scenario.brokers >= 1 && scenario.brokers < FIRST_HANDOFF_SUBSCRIBER,
            "brokers: at least 1, fewer than " + std::to_string(FIRST_HANDOFF_SUBSCRIBER));
    require(scenario.subscribers >= 1 && scenario.subscribers <= 50000, "subscribers: 1 to 50000");
    require(scenario.closedLoop || scenario.rate > 0, "rate: more than 0 events/s");
    require(scenario.interest > 0 && scenario.interest <= 1, "interest: more than 0, at most 1");
    require(scenario.eventBytes >= 6 && scenario.eventBytes <= UINT16_MAX,
            "event bytes: 6 to 65535");
    require(scenario.queueBytes >= scenario.eventBytes, "queue bytes: at least one event");
    require(scenario.window > 0 && scenario.warmUp >= 0 && scenario.drain >= 0,
            "window: more than 0 s; warm-up and drain: at least 0 s");
    require(scenario.meanConnected > 0, "mean stay: more than 0 s");
    std::vector<bool> canLeave(scenario.brokers + 1);
    for (const auto& [from, to] : scenario.moves)
    {
        require(from >= 1 && from <= scenario.brokers && to >= 1 && to <= scenario.brokers,
                "moves: between brokers 1 to " + std::to_string(scenario.brokers));
        canLeave[from] = true;
    }
    require(scenario.links.size() + 1 == scenario.brokers, "links: one tree of all brokers");
    require(scenario.bandwidth >= 0, "bandwidth: more than 0 bit/s, or 0 for no bound");
    require(std::all_of(canLeave.begin() + 1, canLeave.end(), [](bool can) { return can; }),
            "moves: at least one from every broker");
}

} // namespace mftpubsub
