/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "live/make-station.h"

#include "live/datagram.h"
#include "policies/own-policies.h"
#include "protocols/mesh/make-station.h"
#include "protocols/own/hook-bytes.h"
#include "protocols/tree/make-broker.h"
#include "stations/broadcast-tree.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace mftpubsub::live
{

namespace
{

/// What a MAC may wait for a busy channel, as on the simulated radio.
constexpr double BACKOFF_SECONDS = 0.016;

/// The rate that mesh::Limits were set for: the CC2420's.
constexpr double USUAL_RATE = 250000;
/// Beyond so many times that rate, the time between frames is the machine's, not the port's.
constexpr double MOST_TIMES = 100;

/// Repairs take a share of the port's rate, as they do on the simulated radio.
void
FollowRate(double rate, mesh::Limits& limits)
{
    const auto times = static_cast<uint32_t>(std::clamp(rate / USUAL_RATE, 1.0, MOST_TIMES));
    limits.broker.repairs *= times;
    limits.broker.repairGap /= times;
    limits.broker.repairJitter /= times;
    limits.publisher.retryGap /= times;
}

/// Clocks of nodes have nothing in common: the id says who leads, not how long it has.
TreeOptions
MakeTreeOptions(const Settings& settings)
{
    const auto& [heartbeatSeconds, leaderTimeoutSeconds] = settings.overlay;
    if (leaderTimeoutSeconds <= heartbeatSeconds)
    {
        std::ostringstream why;
        why << "leader_timeout: " << leaderTimeoutSeconds << " s; it is to be longer than "
            << "heartbeat_interval, " << heartbeatSeconds << " s, or no leader stays";
        throw std::invalid_argument(why.str());
    }
    TreeOptions options;
    options.id = settings.id;
    options.roles = settings.roles;
    if (options.roles & ROLE_BROKER)
    {
        options.roles |= ROLE_PUBLISHER; // brokers publish, too (Node::Publish)
    }
    options.overlay.heartbeatInterval = mesh::Seconds(settings.overlay.heartbeatSeconds);
    options.overlay.leaderTimeout = mesh::Seconds(settings.overlay.leaderTimeoutSeconds);
    options.policies = MakePolicies(GetOwnPolicies(settings.protocol));
    options.policies.leader = std::make_shared<LowestIdLeader>();
    options.clientsOverhear = settings.protocol == MFT_PUBSUB_2;
    options.transport.maxFrameBytes = settings.port.maxFrameBytes;
    options.transport.timing =
        MakeLinkTiming(settings.port.rate, Instant(0), AROUND_DATAGRAM, BACKOFF_SECONDS);
    return options;
}

std::unique_ptr<mesh::Station>
MakeTree(const Settings& settings, mesh::StationSeat seat, bool isBack)
{
    auto options = MakeTreeOptions(settings);
    options.makeBroker = [protocol = settings.protocol,
                          isBack](NodeId self, const auto& uniform, NodeDescriber describe) {
        BrokerOptions broker;
        broker.addressing.isBack = isBack;
        broker.renaming = uniform; // without a store a node never knows of its former lives
        broker.queues = {nullptr, std::move(describe)};
        return MakeBroker(protocol, self, broker);
    };
    return std::make_unique<BroadcastTree>(std::move(options),
                                           std::move(seat.uniform),
                                           std::move(seat.memory));
}

} // namespace

std::unique_ptr<mesh::Station>
MakeOwnTree(const Settings& settings, mesh::StationSeat seat, const BrokerHooks& hooks)
{
    auto options = MakeTreeOptions(settings);
    options.ownKinds = SplitKinds(hooks.kinds);
    options.makeBroker = [&hooks](NodeId self, const auto&...) {
        return std::make_unique<HookBroker>(self, hooks, Instant(0)); // when the process begins
    };
    return std::make_unique<BroadcastTree>(std::move(options),
                                           std::move(seat.uniform),
                                           std::move(seat.memory));
}

mesh::Options
MakeOptions(const Settings& settings)
{
    const auto& given = settings.mesh;
    mesh::Options options;
    options.heartbeat = mesh::Seconds(given.heartbeatSeconds);
    options.heartbeatMax = mesh::Seconds(given.heartbeatMaxSeconds);
    options.forward = mesh::Seconds(given.forwardSeconds);
    options.settle = mesh::Seconds(given.settleSeconds);
    options.copies = given.copies;
    options.redundancy = given.redundancy;
    options.isScoped = given.isScoped;
    options.few = given.few;
    if (given.forgetAfterSeconds > 0)
    {
        options.forgetAfter = mesh::Seconds(given.forgetAfterSeconds);
    }
    options.maxFrameBytes = settings.port.maxFrameBytes;
    FollowRate(settings.port.rate, options.limits);
    return options;
}

std::unique_ptr<mesh::Station>
MakeShipped(const Settings& settings, mesh::StationSeat seat, bool isBack)
{
    const auto& protocol = settings.protocol;
    if (std::ranges::count(GetBrokerProtocols(), protocol) > 0)
    {
        return MakeTree(settings, std::move(seat), isBack);
    }
    if (mesh::IsStationProtocol(protocol))
    {
        return mesh::MakeStation(protocol, std::move(seat));
    }
    if (const auto* maker = mesh::FindProtocol(protocol))
    {
        return (*maker)(std::move(seat));
    }
    std::string known;
    for (const auto& name : mesh::GetStationProtocols())
    {
        known += name + ", ";
    }
    throw std::invalid_argument("protocol " + protocol + " does not run live: " + known +
                                "those on the elected tree and own ones do");
}

} // namespace mftpubsub::live
