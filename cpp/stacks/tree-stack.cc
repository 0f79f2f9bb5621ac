/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/machine-io.h"
#include "hosts/pubsub-node.h"
#include "policies/own-policies.h"
#include "protocols/own/hook-broker.h"
#include "protocols/own/hook-bytes.h"
#include "protocols/tree/make-broker.h"
#include "stacks/stack.h"
#include "stacks/tree-shape.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace mftpubsub
{

namespace
{

const ns3::Time LOOK_INTERVAL = ns3::Seconds(1);

/// Brokers on the overlay that leader election makes, and their clients.
class TreeStack : public Stack
{
  public:
    explicit TreeStack(const StackSite& site)
        : m_site(site)
    {
        for (NodeId id = 0; id < m_site.scenario.nodes.size(); ++id)
        {
            const auto node = ns3::CreateObject<PubSubNode>(MakeOptions(id), m_site.trace);
            for (const auto& text : m_site.scenario.nodes[id].filters)
            {
                node->Subscribe(Filter::Parse(text));
            }
            Start(m_site, id, node);
            m_nodes.push_back(node);
        }
        ns3::Simulator::Schedule(LOOK_INTERVAL, [this] { LookAtTrees(); });
    }

    void Publish(NodeId publisher, const EventPtr& event, const std::vector<NodeId>&) override
    {
        m_nodes[publisher]->Publish(event);
    }

    void Subscribe(NodeId id, const Filter& filter) override
    {
        m_nodes[id]->Subscribe(filter);
    }

    void Unsubscribe(NodeId id, const Filter& filter) override
    {
        m_nodes[id]->Unsubscribe(filter);
    }

    void Crash(NodeId id) override
    {
        m_crashed[id] = m_nodes[id]->Crash();
    }

    void Restart(NodeId id, int64_t stream) override
    {
        auto options = MakeOptions(id, true);
        options.stream = stream;
        options.subscriber = std::move(m_crashed.extract(id).mapped());
        const auto node = ns3::CreateObject<PubSubNode>(std::move(options), m_site.trace);
        m_site.nodes.Get(id)->AddApplication(node);
        m_nodes[id] = node;
    }

    void Describe(NodeId id, NodeState& state) const override
    {
        const auto toIndex = [](NodeId node) { return node == NO_NODE ? -1 : int32_t{node}; };
        const auto& node = *m_nodes[id];
        state.parent = toIndex(node.GetParent());
        state.leader = toIndex(node.GetLeader());
        state.queuedEvents = node.CountHeldEvents();
        state.routes = GetRoutes(node);
    }

    void NoteRemaining() const override
    {
        for (const auto& node : m_nodes)
        {
            node->NoteQueued(LossCause::QUEUED);
        }
        for (const auto& node : m_nodes)
        {
            node->NoteUnderway(LossCause::IN_FLIGHT);
        }
    }

    void NoteShape() const override
    {
        for (NodeId id = 0; id < m_nodes.size(); ++id)
        {
            if (const auto depth = m_shape.GetMeanDepth(id))
            {
                m_site.trace.Depth(id, *depth);
            }
        }
        if (const auto share = m_shape.GetLargestBranch())
        {
            m_site.trace.LargestBranch(*share);
        }
    }

  private:
    void LookAtTrees()
    {
        ns3::Simulator::Schedule(LOOK_INTERVAL, [this] { LookAtTrees(); });
        if (ns3::Simulator::Now().GetSeconds() < m_site.scenario.warmUpSeconds)
        {
            return;
        }
        std::map<NodeId, NodeId> parents;
        for (NodeId id = 0; id < m_nodes.size(); ++id)
        {
            if (m_site.scenario.nodes[id].isBroker && IsThere(id))
            {
                parents[id] = m_nodes[id]->GetParent();
            }
        }
        m_shape.Look(parents);
    }

    bool IsThere(NodeId id) const
    {
        return !m_crashed.contains(id) && m_site.ports[id]->GetStartTime() <= ns3::Simulator::Now();
    }

    static RouteStates GetRoutes(const PubSubNode& node)
    {
        std::map<NodeId, uint32_t> queued;
        for (const auto& queue : node.GetQueues())
        {
            queued[queue.subscriber] = static_cast<uint32_t>(queue.events.size());
        }
        RouteStates routes;
        for (const auto& route : node.GetTable())
        {
            routes.subscribers.push_back(route.subscriber);
            routes.nextHops.push_back(route.nextHop);
            routes.timestamps.push_back(route.freshness.timestamp);
            routes.hops.push_back(route.freshness.hops);
            routes.queuedEvents.push_back(queued[route.subscriber]);
        }
        return routes;
    }

    PubSubOptions MakeOptions(NodeId id, bool isBack = false) const
    {
        const auto& scenario = m_site.scenario;
        PubSubOptions options;
        options.id = id;
        options.roles = GetRoles(scenario.nodes[id]);
        options.overlay = MakeOverlayOptions(scenario);
        options.policies = scenario.policies;
        options.transport = MakeTransportOptions(m_site);
        options.stream = m_site.streams.protocol + id;
        if (scenario.protocol == MFT_PUBSUB_2)
        {
            Succeed(scenario.mftPubsub2, options);
            options.clientsOverhear = true;
        }
        if (scenario.protocol == PYTHON_BROKERS)
        {
            options.ownKinds = SplitKinds(scenario.brokers->kinds);
            options.makeBroker = [&scenario](NodeId self, const auto&...) {
                return std::make_unique<HookBroker>(self, *scenario.brokers, Now());
            };
            return options;
        }
        options.makeBroker =
            [&scenario, isBack](NodeId self, const UniformSource& uniform, NodeDescriber describe) {
                BrokerOptions broker;
                broker.addressing.isBack = isBack;
                broker.renaming = isBack ? uniform : UniformSource();
                broker.literalChildren = scenario.literalChildren;
                broker.replay = scenario.replay;
                broker.queues = {scenario.policies.queue, std::move(describe)};
                return MakeBroker(scenario.protocol, self, broker);
            };
        return options;
    }

    /// What mft-pubsub-2 has instead of the overlay's and the transport's.
    void Succeed(const MftPubsub2Spec& own, PubSubOptions& options) const
    {
        options.overlay.heartbeatInterval = ToInstant(own.heartbeatSeconds);
        options.overlay.leaderTimeout = ToInstant(own.leaderTimeoutSeconds);
        const auto most = own.maxFrameBytes - options.transport.timing.overheadBytes;
        options.transport.maxFrameBytes =
            std::min(options.transport.maxFrameBytes, static_cast<uint16_t>(most));
    }

    StackSite m_site;
    std::vector<ns3::Ptr<PubSubNode>> m_nodes; //!< by id
    std::map<NodeId, std::optional<Subscriber>> m_crashed;
    TreeShape m_shape;
};

} // namespace

std::unique_ptr<Stack>
MakeTreeStack(const StackSite& site)
{
    return std::make_unique<TreeStack>(site);
}

} // namespace mftpubsub
