/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/tree/lab-state.h"

#include "lab/natural-order.h"
#include "protocols/own/hook-broker.h"
#include "protocols/tree/make-broker.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace mftpubsub
{

LabState::LabState(const LabOptions& options)
    : m_options(std::make_shared<const LabOptions>(options)),
      m_random(options.seed),
      m_links(options.protocol)
{
    AddBrokers();
    RankLeaders();
    for (const auto& [one, other] : m_options->links)
    {
        const auto a = GetProcesses().FindBroker(one);
        const auto b = GetProcesses().FindBroker(other);
        RequireNoCycle(a, b);
        m_links.Link(a, b);
    }
    UpdateAdoptions();
    Settle(1000 * (m_options->links.size() + 1));
    m_links.ForgetPast();
}

void
LabState::AddBrokers()
{
    std::set<std::string, decltype(&NaturallyLess)> names(&NaturallyLess);
    names.insert(m_options->root);
    for (const auto& [one, other] : m_options->links)
    {
        names.insert({one, other});
    }
    if (names.contains(""))
    {
        throw LabError("a broker needs a name: links or root are missing one");
    }
    for (const auto& name : names)
    {
        const auto id = m_links.AddBroker(name);
        GetProcesses().Touch(id).machine = MakeMachine(id);
    }
}

void
LabState::RankLeaders()
{
    auto ranking = m_options->order;
    ranking.push_back(m_options->root);
    for (const auto broker : GetProcesses().GetBrokers())
    {
        ranking.push_back(GetProcesses().Name(broker));
    }
    for (const auto& name : ranking)
    {
        const auto broker = GetProcesses().FindBroker(name);
        if (std::ranges::find(m_leaders, broker) == m_leaders.end())
        {
            m_leaders.push_back(broker);
        }
    }
}

std::unique_ptr<Broker>
LabState::MakeMachine(NodeId id) const
{
    if (m_options->brokers)
    {
        const auto memory = GetProcesses().Get(id).memory;
        return std::make_unique<HookBroker>(id, *m_options->brokers, TIMELESS, memory);
    }
    const auto describe = [id] { // without time: nothing ages here
        NodeView me;
        me.id = id;
        return me;
    };
    const auto restarts = GetProcesses().Get(id).restarts;
    BrokerOptions options;
    options.literalChildren = m_options->literalChildren;
    options.replay = m_options->replay;
    options.queues = {m_options->policies.queue, describe};
    options.addressing = m_options->addressing;
    options.addressing.isBack = restarts > 0;
    options.overhearing = {.forwarding = TIMELESS, .patience = TIMELESS};
    options.renaming = [restarts] { return restarts / 65536.0; }; // by the same numbers each time
    try
    {
        return MakeBroker(m_options->protocol, id, options);
    }
    catch (const std::invalid_argument& error)
    {
        throw LabError(error.what());
    }
}

const LabOptions&
LabState::GetOptions() const
{
    return *m_options;
}

const LabLinks&
LabState::GetLinks() const
{
    return m_links;
}

LabLinks&
LabState::GetLinks()
{
    return m_links;
}

const LabProcesses&
LabState::GetProcesses() const
{
    return m_links.GetProcesses();
}

LabProcesses&
LabState::GetProcesses()
{
    return m_links.GetProcesses();
}

const std::vector<NodeId>&
LabState::GetLeaders() const
{
    return m_leaders;
}

uint8_t
LabState::CountHops(NodeId broker) const
{
    uint8_t hops = 0;
    for (auto at = GetProcesses().Get(broker).parent; at != NO_NODE && hops < m_leaders.size();
         ++hops)
    {
        at = GetProcesses().Get(at).parent;
    }
    return hops;
}

void
LabState::Move(NodeId client, NodeId broker)
{
    m_links.DetachClient(client);
    m_links.AttachClient(client, broker);
}

void
LabState::Slip(NodeId client, NodeId broker)
{
    m_links.SlipAway(client);
    m_links.AttachClient(client, broker);
}

void
LabState::Subscribe(NodeId client, const Filter& filter)
{
    auto& process = GetProcesses().Touch(client);
    SubscriberOutput output;
    process.subscriber.Subscribe(filter, output);
    if (!process.subscribes)
    {
        process.subscribes = true;
        process.subscriber.Attached(process.at, output);
    }
    m_links.Carry(client, output);
}

void
LabState::Unsubscribe(NodeId client, const Filter& filter)
{
    SubscriberOutput output;
    GetProcesses().Touch(client).subscriber.Unsubscribe(filter, output);
    m_links.Carry(client, output);
    m_links.GetOwed().ExcuseUnwanted(client, GetProcesses().Get(client).subscriber);
}

EventId
LabState::Publish(NodeId client, Event event)
{
    auto& process = GetProcesses().Touch(client);
    event.id = {client, ++process.published};
    const auto published = std::make_shared<const Event>(std::move(event));
    std::set<NodeId> wanted;
    for (const auto other : GetProcesses().GetClients())
    {
        if (GetProcesses().Get(other).subscriber.Wants(*published))
        {
            wanted.insert(other);
        }
    }
    m_links.GetOwed().Add(published, wanted);
    std::vector<Send> sends;
    if (process.at != NO_NODE && !process.publisher.IsAttached()) // a subscriber until now
    {
        process.publisher.Attached(process.at, sends);
    }
    process.publisher.Publish(published, sends);
    m_links.Carry(client, sends);
    return published->id;
}

void
LabState::RequireNoCycle(NodeId one, NodeId other) const
{
    const auto& a = GetProcesses().Name(one);
    const auto& b = GetProcesses().Name(other);
    if (m_links.GetNeighbours(one).contains(other))
    {
        throw LabError(a + " and " + b + " are linked already");
    }
    if (m_links.GetComponent(one).contains(other))
    {
        throw LabError("a link between " + a + " and " + b + " would close a cycle");
    }
}

void
LabState::Connect(NodeId one, NodeId other)
{
    m_links.Link(one, other);
    UpdateAdoptions();
    for (const auto& [child, parent] : {Edge{one, other}, Edge{other, one}})
    {
        const auto adoption = m_adoptions.find(child);
        if (adoption != m_adoptions.end() && adoption->second.parent == parent)
        {
            Adopt(child, parent);
            UpdateAdoptions();
            return;
        }
    }
}

void
LabState::Disconnect(NodeId one, NodeId other)
{
    m_links.Unlink(one, other);
    UpdateAdoptions();
}

void
LabState::Migrate(NodeId broker, NodeId to)
{
    const auto old = GetProcesses().Get(broker).parent;
    if (old != NO_NODE)
    {
        m_links.Unlink(broker, old);
    }
    m_links.Link(broker, to);
    Adopt(broker, to);
    UpdateAdoptions();
}

void
LabState::Crash(NodeId broker)
{
    m_links.ExcuseHeldBy(broker);
    auto& crashed = GetProcesses().Touch(broker);
    crashed.memory = crashed.machine->GetMemory();
    crashed.machine = nullptr;
    const auto neighbours = m_links.GetNeighbours(broker);
    for (const auto neighbour : neighbours)
    {
        m_links.Unlink(neighbour, broker);
    }
    for (const auto client : GetProcesses().GetClientsAt(broker))
    {
        m_links.DetachClient(client);
        GetProcesses().Touch(client).at = broker; // comes back with the broker
    }
    GetProcesses().Touch(broker).parent = NO_NODE;
    GetProcesses().Touch(broker).lastParent = NO_NODE;
    UpdateAdoptions();
}

void
LabState::Restart(NodeId broker)
{
    ++GetProcesses().Touch(broker).restarts;
    GetProcesses().Touch(broker).machine = MakeMachine(broker);
    for (const auto client : GetProcesses().GetClientsAt(broker))
    {
        m_links.AttachClient(client, broker);
    }
    UpdateAdoptions();
}

void
LabState::RestartSilently(NodeId broker)
{
    m_links.ExcuseHeldBy(broker);
    auto& process = GetProcesses().Touch(broker);
    process.memory = process.machine->GetMemory();
    ++process.restarts;
    process.machine = MakeMachine(broker);
    process.parent = NO_NODE;
    process.lastParent = NO_NODE;
    m_links.Forget(broker);
    UpdateAdoptions();
}

void
LabState::Lose(NodeId broker, NodeId neighbour)
{
    m_links.Lose(broker, neighbour);
    UpdateAdoptions();
}

void
LabState::Adopt(NodeId child, NodeId parent)
{
    auto& process = GetProcesses().Touch(child);
    const auto previous = std::exchange(process.lastParent, parent);
    process.parent = parent;
    m_links.Hear(child, parent);
    BrokerOutput output;
    process.machine->Step(TIMELESS, input::ParentChanged{previous, parent}, output);
    m_links.Carry(child, output);
}

void
LabState::UpdateAdoptions()
{
    auto enabled = FindAdoptions();
    for (auto& [child, adoption] : enabled)
    {
        const auto before = m_adoptions.find(child);
        const auto same = before != m_adoptions.end() && before->second.parent == adoption.parent;
        adoption.order = same ? before->second.order : m_links.GetChannels().TakePlace();
    }
    m_adoptions = std::move(enabled);
    Rest();
}

std::map<NodeId, LabState::Adoption>
LabState::FindAdoptions() const
{
    std::map<NodeId, Adoption> enabled;
    std::set<NodeId> visited;
    for (const auto leader : m_leaders) // best first: the first parentless one leads its component
    {
        if (!GetProcesses().IsUp(leader) || GetProcesses().Get(leader).parent != NO_NODE ||
            visited.contains(leader))
        {
            continue;
        }
        visited.merge(m_links.GetComponent(leader));
        std::vector<NodeId> settled{leader};
        for (size_t i = 0; i < settled.size(); ++i)
        {
            const auto node = settled[i];
            for (const auto next : m_links.GetNeighbours(node))
            {
                if (GetProcesses().Get(next).parent == node)
                {
                    settled.push_back(next);
                }
                else if (GetProcesses().Get(node).parent != next)
                {
                    enabled[next].parent = node;
                }
            }
        }
    }
    return enabled;
}

std::vector<LabState::Edge>
LabState::GetChoices() const
{
    auto choices = m_links.GetChannels().GetHeads();
    for (const auto& [child, adoption] : m_adoptions)
    {
        choices.emplace_back(adoption.order, Edge{child, child});
    }
    std::ranges::sort(choices);
    std::vector<Edge> links;
    links.reserve(choices.size());
    for (const auto& [order, link] : choices)
    {
        links.push_back(link);
    }
    return links;
}

void
LabState::Take(const Edge& choice)
{
    m_links.GetLog().BeginStep();
    if (choice.first == choice.second)
    {
        Adopt(choice.first, m_adoptions.at(choice.first).parent);
        UpdateAdoptions();
    }
    else
    {
        m_links.Deliver(choice);
    }
    if (m_adoptions.empty() && m_links.GetChannels().IsEmpty() && !IsOwn())
    {
        m_links.ExpireTimers();
    }
}

bool
LabState::IsOwn() const
{
    return m_options->brokers != nullptr;
}

bool
LabState::Step()
{
    const auto choices = GetChoices();
    if (choices.empty())
    {
        return ExpireOwn();
    }
    Take(choices[m_options->shuffled ? m_random() % choices.size() : 0]);
    return true;
}

uint64_t
LabState::Settle(uint64_t limit)
{
    for (uint64_t steps = 0; steps < limit; ++steps)
    {
        if (!Step())
        {
            return steps;
        }
    }
    if (GetChoices().empty())
    {
        return limit;
    }
    throw std::runtime_error("not quiet after " + std::to_string(limit) + " steps");
}

std::string
LabState::GetDigest() const
{
    auto text = m_links.GetDigest();
    for (const auto& [child, adoption] : m_adoptions)
    {
        text += std::to_string(child) + "^" + std::to_string(adoption.parent) + " ";
    }
    return text + m_links.GetOwed().GetDigest();
}

} // namespace mftpubsub
