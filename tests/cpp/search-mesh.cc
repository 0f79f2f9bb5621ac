/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "search-mesh.h"

#include <algorithm>
#include <memory>
#include <random>

namespace mftpubsub
{

namespace
{

constexpr uint8_t B = mesh::BROKER;
constexpr uint8_t S = mesh::SUBSCRIBER;
constexpr uint8_t P = mesh::PUBLISHER;

const std::vector<std::string> TOPICS = {"a", "b", "c"};

/// Bytes of a PUB around the payload of its only event.
constexpr size_t AROUND_PAYLOAD = 35;

/// Peace lasts this long at most; most worlds need a hundredth.
constexpr double LONGEST_PEACE = 6000;
constexpr double PEACE = 20;

} // namespace

std::string
Topic(const std::string& topic)
{
    return "topic = '" + topic + "'";
}

MeshWorld::MeshWorld(uint32_t seed, bool isLogging)
    : m_random(seed),
      m_options(MakeOptions(seed, isLogging)),
      m_lab(m_options)
{
    m_lab.SetLoss(0.6 * Draw());
    for (NodeId node = 0; node < m_roles.size(); ++node)
    {
        if ((m_roles[node] & S) && Happens(0.8))
        {
            m_lab.Subscribe(node, Topic(Pick(TOPICS)));
        }
    }
}

double
MeshWorld::Draw()
{
    return std::uniform_real_distribution<double>(0, 1)(m_random);
}

size_t
MeshWorld::DrawBelow(size_t count)
{
    return static_cast<size_t>(Draw() * static_cast<double>(count));
}

bool
MeshWorld::Happens(double probability)
{
    return Draw() < probability;
}

void
MeshWorld::DrawRoles()
{
    static const std::vector<uint8_t> ANY = {B, B, B, S, S, P, B | S, B | P, S | P, B | S | P};
    const auto count = 3 + DrawBelow(6);
    m_roles = {B, S, P};
    while (m_roles.size() < count)
    {
        m_roles.push_back(Pick(ANY));
    }
    if (Happens(0.1))
    {
        m_roles.insert(m_roles.end(), 10, P);
    }
}

void
MeshWorld::DrawLimits(mesh::Limits& limits)
{
    const auto few = [this](auto& limit) {
        if (Happens(0.4))
        {
            limit = static_cast<std::remove_reference_t<decltype(limit)>>(1 + DrawBelow(4));
        }
    };
    few(limits.frame.publishers);
    few(limits.frame.events);
    few(limits.frame.words);
    few(limits.frame.halvings);
    few(limits.frame.small);
    few(limits.frame.stamps);
    few(limits.frame.hashes);
    few(limits.frame.answers);
    few(limits.frame.open);
    few(limits.frame.distances);
    few(limits.broker.neighbourHeartbeats);
    few(limits.broker.repairs);
    few(limits.scope.sent);
    limits.scope.near = Happens(0.5) ? limits.scope.near : 0; // everybody is told
    few(limits.settled.epochs);
    few(limits.word.retries);
    few(limits.word.doubtGap);
    few(limits.word.largeBsubs);
    few(limits.word.doubtCompared);
    few(limits.subscriber.nacksInVain);
    few(limits.publisher.retries);
    few(limits.mix.sums);
    few(limits.mix.events);
    few(limits.mix.mostKnown);
    few(limits.mix.mostUnsolved);
    few(limits.pace.stuck);
    few(limits.block.many);
    few(limits.block.often);
    few(limits.block.fewest);
    few(limits.block.repairs);
    few(limits.block.atOnce);
    few(limits.block.blocks);
    few(limits.block.mostKnown);
    few(limits.block.mostUnsolved);
    limits.pace.least = Happens(0.5) ? limits.pace.least : 0.1;
    limits.mix.load = Happens(0.5) ? 1 : limits.mix.load; // always mixing
    few(limits.mix.fewest);
    limits.mix.copies = Happens(0.5) ? limits.mix.copies : 5 * Draw();
    const auto stretch = [this](mesh::Instant& time) {
        if (Happens(0.2))
        {
            time = mesh::Times(time, 0.1 + 3 * Draw());
        }
    };
    for (auto* time : {&limits.broker.firstHeartbeat,
                       &limits.broker.statePause,
                       &limits.broker.repairJitter,
                       &limits.broker.repairGap,
                       &limits.scope.approach,
                       &limits.scope.approachSpread,
                       &limits.scope.approachJitter,
                       &limits.scope.searchJitter,
                       &limits.scope.custody,
                       &limits.scope.takenFrom,
                       &limits.scope.greeted,
                       &limits.scope.greeting,
                       &limits.scope.answer,
                       &limits.scope.answerWithin,
                       &limits.scope.arrivalFrom,
                       &limits.distance.hop,
                       &limits.distance.sought,
                       &limits.word.first,
                       &limits.word.retry,
                       &limits.word.gap,
                       &limits.word.forward,
                       &limits.word.lacking,
                       &limits.word.bsubFrom,
                       &limits.word.bsubBy,
                       &limits.word.hashesGap,
                       &limits.word.compared,
                       &limits.pace.period,
                       &limits.pace.slowed,
                       &limits.mix.stuck,
                       &limits.mix.wait,
                       &limits.mix.window,
                       &limits.mix.around,
                       &limits.mix.known,
                       &limits.mix.unsolved,
                       &limits.block.counted,
                       &limits.block.heard,
                       &limits.block.gather,
                       &limits.block.unheard,
                       &limits.block.window,
                       &limits.block.known,
                       &limits.block.stuck,
                       &limits.block.unsolved,
                       &limits.givingUp.stuck,
                       &limits.givingUp.unsolved,
                       &limits.givingUp.slowed,
                       &limits.subscriber.nackJitter,
                       &limits.subscriber.nackGap,
                       &limits.subscriber.nackRetry,
                       &limits.subscriber.arrived,
                       &limits.subscriber.arrivedDirectly,
                       &limits.subscriber.helloFrom,
                       &limits.publisher.retry,
                       &limits.publisher.retryGap,
                       &limits.publisher.stateJitter})
    {
        stretch(*time);
    }
    limits.givingUp.patience *= Happens(0.5) ? 0.1 : 1; // sums with a policy, too
}

MeshLabOptions
MeshWorld::MakeOptions(uint32_t seed, bool isLogging)
{
    DrawRoles();
    m_isMixed = Happens(0.5);
    MeshLabOptions options;
    options.roles = m_roles;
    options.duplicates = Happens(0.5) ? 0.1 : 0;
    options.clockDrift = Happens(0.5) ? 1e-3 : 0;
    options.keepSeconds = Happens(0.15) ? 1 + 10 * Draw() : 0;
    auto& mesh = options.mesh;
    mesh.isScoped = Happens(0.75);
    mesh.few = Happens(0.5) ? mesh.few : static_cast<uint32_t>(DrawBelow(5));
    mesh.crowd = Happens(0.5) ? 0 : mesh.crowd; // few are few in a small network too
    mesh.copies = Happens(0.5) ? mesh.copies : static_cast<uint32_t>(1 + DrawBelow(3));
    mesh.redundancy = Happens(0.5) ? mesh.redundancy : static_cast<uint32_t>(1 + DrawBelow(4));
    mesh.forgetAfter = Happens(0.25) ? mesh::Seconds(20 * Draw()) : mesh::NEVER;
    if (Happens(0.5))
    {
        mesh.heartbeat = mesh::Seconds(0.5 + 3 * Draw());
        mesh.heartbeatMax = mesh::Times(mesh.heartbeat, 1 + 3 * Draw());
        mesh.settle = mesh::Seconds(0.1 + Draw());
        mesh.forward = mesh::Seconds(0.2 * Draw());
    }
    if (Happens(0.5))
    {
        mesh.maxFrameBytes = mesh::MIN_FRAME_BYTES + DrawBelow(150);
    }
    m_mostPayload = std::min<size_t>(mesh.maxFrameBytes - AROUND_PAYLOAD, 400);
    DrawLimits(mesh.limits);
    if (seed % 3 == 0)
    {
        UsePositions(options);
    }
    options.seed = seed;
    options.isLogging = isLogging;
    return options;
}

/// Positions have nothing to do with who hears whom, change at each look, and are not always known:
/// what is wrong about them must lose nothing.
void
MeshWorld::UsePositions(MeshLabOptions& options)
{
    options.mesh.usesPositions = true;
    options.mesh.maxFrameBytes += mesh::WHEREABOUTS_BYTES;
    auto& limits = options.mesh.limits.place;
    limits.aheadDegrees *= 2 * Draw();
    limits.near *= 4 * Draw();
    limits.progress *= 2 * Draw();
    limits.bestProgress = limits.progress + Draw();
    limits.moved = Draw();
    limits.again = mesh::Times(limits.again, 2 * Draw());
    limits.arrivalTo = mesh::Times(limits.arrivalTo, 0.1 + Draw());
    limits.openings = static_cast<uint32_t>(DrawBelow(3));
    limits.far *= 2 * Draw();
    limits.blur = Draw();
    limits.asks = static_cast<uint32_t>(DrawBelow(3));
    limits.told = DrawBelow(4);
    options.locate = [random = std::make_shared<std::mt19937>(options.roles.size())](NodeId node) {
        const auto x = static_cast<double>(node * 97 % 300 + (*random)() % 20);
        const auto y = static_cast<double>(node * 61 % 300 + (*random)() % 20);
        return (*random)() % 8 == 0 ? std::nullopt : std::optional(Position{x, y});
    };
}

std::vector<std::string>
MeshWorld::Run()
{
    const auto operations = 3 + DrawBelow(30);
    for (size_t i = 0; i < operations; ++i)
    {
        m_lab.Run(Happens(0.5) ? 0.1 * Draw() : 2 * Draw());
        Disturb();
    }
    Heal();
    auto wrong = WaitForPeace();
    if (wrong.empty() && Happens(0.1))
    {
        wrong = FindUnrest();
    }
    const auto& before = m_lab.GetViolations();
    wrong.insert(wrong.begin(), before.begin(), before.end());
    return wrong;
}

std::vector<NodeId>
MeshWorld::With(uint8_t role) const
{
    std::vector<NodeId> nodes;
    for (NodeId node = 0; node < m_roles.size(); ++node)
    {
        if ((m_roles[node] & role) && m_lab.IsUp(node))
        {
            nodes.push_back(node);
        }
    }
    return nodes;
}

NodeId
MeshWorld::AnyNode()
{
    return static_cast<NodeId>(DrawBelow(m_roles.size()));
}

void
MeshWorld::Disturb()
{
    const auto what = Draw();
    if (what < 0.35)
    {
        Publish(1);
    }
    else if (what < 0.4)
    {
        Publish(5 + DrawBelow(15));
    }
    else if (what < 0.55)
    {
        ChangeFilters();
    }
    else if (what < 0.75)
    {
        const auto one = AnyNode();
        const auto other = AnyNode();
        if (one != other)
        {
            m_lab.SetLink(one, other, Happens(0.4));
        }
    }
    else if (what < 0.82)
    {
        CutOff(AnyNode());
    }
    else if (what < 0.85)
    {
        Part();
    }
    else
    {
        CrashOrRestart(AnyNode());
    }
}

void
MeshWorld::Publish(size_t events)
{
    const auto publishers = With(P);
    if (publishers.empty())
    {
        return;
    }
    const auto publisher = Pick(publishers);
    const auto size = Happens(0.3) ? m_mostPayload : std::min<size_t>(m_mostPayload, 40);
    for (size_t i = 0; i < events; ++i)
    {
        const auto& topic = m_isMixed ? TOPICS[i % TOPICS.size()] : Pick(TOPICS);
        m_lab.Publish(publisher, topic, static_cast<uint16_t>(size));
        m_lab.Run(events > 1 ? 0.2 * Draw() : 0);
    }
}

void
MeshWorld::ChangeFilters()
{
    if (const auto subscribers = With(S); !subscribers.empty())
    {
        const auto subscriber = Pick(subscribers);
        const auto filter = Topic(Pick(TOPICS));
        if (Happens(0.6))
        {
            m_lab.Subscribe(subscriber, filter);
        }
        else
        {
            m_lab.Unsubscribe(subscriber, filter);
        }
    }
}

void
MeshWorld::CutOff(NodeId node)
{
    for (NodeId other = 0; other < m_roles.size(); ++other)
    {
        if (other != node)
        {
            m_lab.SetLink(node, other, false);
        }
    }
}

/// Two sides, or one again.
void
MeshWorld::Part()
{
    const auto isUp = Happens(0.4);
    for (NodeId one = 0; one < m_roles.size(); ++one)
    {
        for (NodeId other = one + 1; other < m_roles.size(); other += 2)
        {
            m_lab.SetLink(one, other, isUp);
        }
    }
}

void
MeshWorld::CrashOrRestart(NodeId node)
{
    const auto wasUp = m_lab.IsUp(node);
    if (wasUp)
    {
        m_lab.Crash(node);
    }
    if (!wasUp || Happens(0.5)) // silently: nobody has missed it
    {
        m_lab.Restart(node);
    }
}

/// Brokers in a row, each client in reach of one of them, and little loss.
void
MeshWorld::Heal()
{
    m_lab.SetLoss(0.1);
    for (NodeId node = 0; node < m_roles.size(); ++node)
    {
        if (!m_lab.IsUp(node))
        {
            m_lab.Restart(node);
        }
        CutOff(node);
    }
    const auto brokers = With(B);
    for (NodeId node = 0; node < m_roles.size(); ++node)
    {
        const auto at = std::ranges::find(brokers, node);
        if (at == brokers.end())
        {
            m_lab.SetLink(node, Pick(brokers), true);
        }
        else if (at != brokers.begin())
        {
            m_lab.SetLink(node, *std::prev(at), true);
        }
    }
}

std::vector<std::string>
MeshWorld::WaitForPeace()
{
    std::vector<std::string> wrong;
    for (double waited = 0; waited < LONGEST_PEACE; waited += PEACE)
    {
        m_lab.Run(PEACE);
        wrong = m_lab.CheckConverged();
        if (wrong.empty() || !m_lab.GetViolations().empty())
        {
            break;
        }
    }
    return wrong;
}

/// When all is delivered, heartbeats go on, and HELLOs now and then. Nothing else does.
std::vector<std::string>
MeshWorld::FindUnrest()
{
    m_lab.Run(10 * PEACE); // what is settled is told on, and doubts are mended
    const auto before = m_lab.CountFrames();
    const auto waited = 10 * PEACE;
    m_lab.Run(waited);
    const auto frames = static_cast<double>(m_lab.CountFrames() - before);
    const auto heartbeats =
        static_cast<double>(With(B).size()) *
        (1 + waited / std::chrono::duration<double>(m_options.mesh.heartbeat).count() * 1.2);
    const auto hellos = static_cast<double>(m_roles.size()) * 10;
    if (frames > heartbeats + hellos)
    {
        return {"8: " + std::to_string(frames) + " frames when quiet"};
    }
    return {};
}

} // namespace mftpubsub
