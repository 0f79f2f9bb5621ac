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

namespace
{

void
Require(bool isRight, const std::string& what)
{
    if (!isRight)
    {
        throw std::invalid_argument(what);
    }
}

/// What one event or message takes is short enough that sums of many stay within ns-3's time.
void
CheckTimes(const HandoffScenario& scenario)
{
    for (const auto period : {scenario.window, scenario.meanConnected, scenario.eventExpiry})
    {
        Require(period >= 1e-6 && period <= 1e7, "window, mean stay, event expiry: 1e-6 to 1e7 s");
    }
    for (const auto time : {scenario.warmUp,
                            scenario.drain,
                            scenario.sleep,
                            scenario.detectionDelay,
                            scenario.sessionExpiry})
    {
        Require(time >= 0 && time <= 1e7,
                "warm-up, drain, sleep, detection delay, session expiry: 0 to 1e7 s");
    }
    Require(scenario.transferTime >= 0 && scenario.transferTime <= 100,
            "transfer time: 0 to 100 s an event");
    const auto& costs = scenario.costs;
    for (const auto cost :
         {costs.eventMs, costs.deliveredMs, costs.storedMs, costs.controlMs, costs.transferredMs})
    {
        Require(cost >= 0 && cost <= 1e5, "costs: 0 to 1e5 ms each");
    }
}

} // namespace

void
Check(const HandoffScenario& scenario)
{
    Require(scenario.brokers >= 1 && scenario.brokers < FIRST_HANDOFF_SUBSCRIBER,
            "brokers: at least 1, fewer than " + std::to_string(FIRST_HANDOFF_SUBSCRIBER));
    Require(scenario.subscribers >= 1 && scenario.subscribers <= 50000, "subscribers: 1 to 50000");
    Require(scenario.closedLoop || (scenario.rate >= 1e-6 && scenario.rate <= 1e6),
            "rate: 1e-6 to 1e6 events/s");
    // Draws go by the logarithm of 1 - interest, and by gaps of 32 bits.
    Require(scenario.interest >= 1e-6 && scenario.interest <= 1, "interest: 1e-6 to 1");
    Require(scenario.eventBytes >= 6 && scenario.eventBytes <= UINT16_MAX,
            "event bytes: 6 to 65535");
    Require(scenario.queueBytes >= scenario.eventBytes, "queue bytes: at least one event");
    CheckTimes(scenario);
    const auto last = std::to_string(scenario.brokers);
    const auto isBroker = [&scenario](uint16_t id) { return id >= 1 && id <= scenario.brokers; };
    std::vector<bool> canLeave(scenario.brokers + 1);
    for (const auto& [from, to] : scenario.moves)
    {
        Require(isBroker(from) && isBroker(to), "moves: between brokers 1 to " + last);
        canLeave[from] = true;
    }
    for (const auto& [one, other] : scenario.links)
    {
        Require(isBroker(one) && isBroker(other), "links: between brokers 1 to " + last);
    }
    Require(scenario.links.size() + 1 == scenario.brokers, "links: one tree of all brokers");
    Require(isBroker(scenario.root), "root: a broker, 1 to " + last);
    Require(scenario.bandwidth == 0 || scenario.bandwidth >= 1000,
            "bandwidth: at least 1000 bit/s, or 0 for no bound");
    Require(std::all_of(canLeave.begin() + 1, canLeave.end(), [](bool can) { return can; }),
            "moves: at least one from every broker");
}

} // namespace mftpubsub
