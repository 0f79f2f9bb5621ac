/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/tree/tree-lab.h"

#include "lab/tree/lab-reduction.h"
#include "lab/tree/lab-state.h"
#include "policies/own-policies.h"

namespace mftpubsub
{

namespace
{

Filter
ParseFilter(const std::string& where)
{
    try
    {
        return Filter::Parse(where);
    }
    catch (const FilterError& error)
    {
        throw LabError("bad filter \"" + where + "\": " + error.what());
    }
}

Value
ToValue(const LabAttribute& attribute)
{
    switch (attribute.type)
    {
    case LabAttribute::INTEGER:
        return attribute.integer;
    case LabAttribute::REAL:
        return attribute.real;
    case LabAttribute::BOOLEAN:
        return attribute.boolean;
    default:
        return attribute.text;
    }
}

Event
MakeEvent(const LabEvent& contents)
{
    Event event;
    for (const auto& attribute : contents.attributes)
    {
        event.attributes.emplace_back(attribute.name, ToValue(attribute));
    }
    return event;
}

NodeView
Describe(const LabState& state, NodeId broker)
{
    const auto& process = state.GetProcesses().Get(broker);
    const auto& neighbours = state.GetLinks().GetNeighbours(broker);
    NodeView me;
    me.id = broker;
    me.roles = 1;
    me.round = process.round;
    me.parent = process.parent;
    me.hops = state.CountHops(broker);
    me.children = static_cast<uint32_t>(neighbours.size() - neighbours.count(process.parent));
    me.queuedEvents = static_cast<uint32_t>(process.machine->CountHeld());
    return me;
}

/// @return the link over which a message comes next, by names
LabState::Edge
FindMessage(const LabState& state, const std::string& source, const std::string& destination)
{
    const auto& processes = state.GetProcesses();
    for (const auto& link : state.GetChoices())
    {
        if (processes.Name(link.first) == source && processes.Name(link.second) == destination &&
            state.GetLinks().GetChannels().CarriesMessage(link))
        {
            return link;
        }
    }
    throw LabError("no message comes next from " + source + " to " + destination);
}

} // namespace

TreeLab::TreeLab(const LabOptions& options)
    : m_state(std::make_unique<LabState>(options))
{
}

TreeLab::TreeLab(const TreeLab& other)
    : m_state(std::make_unique<LabState>(*other.m_state))
{
}

TreeLab&
TreeLab::operator=(const TreeLab& other)
{
    m_state = std::make_unique<LabState>(*other.m_state);
    return *this;
}

TreeLab::~TreeLab() = default;

LabState&
TreeLab::Anew()
{
    m_state->ForgetExpired();
    return *m_state;
}

/// @return the client called @p name, which is new if nobody is called so and there is a @p broker
NodeId
TreeLab::AdmitClient(const std::string& name, const std::string& role, NodeId broker)
{
    auto& processes = m_state->GetProcesses();
    if (processes.Knows(name))
    {
        return processes.FindClient(name);
    }
    if (broker == NO_NODE)
    {
        throw LabError("say at which broker the new " + role + " '" + name + "' is");
    }
    processes.RequireUp(broker);
    if (name.empty())
    {
        throw LabError("a client needs a name");
    }
    const auto client = processes.Add(name, false);
    if (m_state->GetOptions().protocol == MFT_PUBSUB_2)
    {
        processes.Touch(client).subscriber.Overhear();
    }
    return client;
}

void
TreeLab::Subscribe(const std::string& subscriber, const std::string& at, const std::string& where)
{
    auto& processes = m_state->GetProcesses();
    const auto filter = ParseFilter(where);
    const auto broker = at.empty() ? NO_NODE : processes.FindBroker(at);
    const auto id = AdmitClient(subscriber, "subscriber", broker);
    if (processes.Get(id).at == NO_NODE)
    {
        processes.Touch(id).at = broker; // it is new
    }
    if (broker != NO_NODE && processes.Get(id).at != broker)
    {
        throw LabError(subscriber + " is at '" + processes.Name(processes.Get(id).at) +
                       "': move it");
    }
    Anew().Subscribe(id, filter);
}

void
TreeLab::Unsubscribe(const std::string& subscriber, const std::string& where)
{
    const auto& processes = m_state->GetProcesses();
    const auto id = processes.FindClient(subscriber);
    const auto filter = ParseFilter(where);
    if (!processes.Get(id).subscriber.GetFilters().contains(filter))
    {
        throw LabError(subscriber + " has no filter \"" + where + "\"");
    }
    Anew().Unsubscribe(id, filter);
}

std::string
TreeLab::Publish(const std::string& publisher, const std::string& at, const LabEvent& contents)
{
    const auto& processes = m_state->GetProcesses();
    const auto broker = at.empty() ? NO_NODE : processes.FindLiveBroker(at);
    const auto id = AdmitClient(publisher, "publisher", broker);
    if (broker != NO_NODE && processes.Get(id).at != broker)
    {
        m_state->Move(id, broker);
    }
    return processes.NameEvent(Anew().Publish(id, MakeEvent(contents)));
}

void
TreeLab::Connect(const std::string& one, const std::string& other)
{
    const auto& processes = m_state->GetProcesses();
    const auto a = processes.FindLiveBroker(one);
    const auto b = processes.FindLiveBroker(other);
    m_state->RequireNoCycle(a, b);
    Anew().Connect(a, b);
}

void
TreeLab::Disconnect(const std::string& one, const std::string& other)
{
    const auto& processes = m_state->GetProcesses();
    const auto a = processes.FindBroker(one);
    const auto b = processes.FindBroker(other);
    if (!m_state->GetLinks().GetNeighbours(a).contains(b))
    {
        throw LabError(one + " and " + other + " are not linked");
    }
    Anew().Disconnect(a, b);
}

void
TreeLab::Migrate(const std::string& broker, const std::string& to)
{
    const auto& processes = m_state->GetProcesses();
    const auto child = processes.FindLiveBroker(broker);
    const auto parent = processes.FindLiveBroker(to);
    const auto old = processes.Get(child).parent;
    if (old == parent)
    {
        throw LabError(to + " is the parent of " + broker + " already");
    }
    if (m_state->GetLinks().GetComponent(child, old).contains(parent))
    {
        throw LabError(broker + " cannot migrate to " + to + " below it: that would close a cycle");
    }
    Anew().Migrate(child, parent);
}

void
TreeLab::Hear(const std::string& broker, const std::vector<LabHeartbeat>& heartbeats)
{
    auto& processes = m_state->GetProcesses();
    const auto id = processes.FindLiveBroker(broker);
    for (const auto& heartbeat : heartbeats)
    {
        if (processes.FindLiveBroker(heartbeat.sender) == id)
        {
            throw LabError(broker + " does not hear itself");
        }
    }
    const Leadership leadership{};
    auto& process = processes.Touch(id);
    if (!process.choice)
    {
        const auto& policies = m_state->GetOptions().policies;
        process.choice.emplace(id, policies.parent, policies.migration, Instant::max());
    }
    auto& choice = *process.choice;
    if (choice.GetParent() != process.parent)
    {
        choice.Forget();
    }
    choice.BeginRound(leadership, ++process.round);
    for (const auto& [sender, rssiDbm, advertised] : heartbeats)
    {
        const auto from = processes.FindBroker(sender);
        const auto isBelow = m_state->GetLinks().GetComponent(id, process.parent).contains(from);
        Heartbeat word{leadership,
                       process.round,
                       m_state->CountHops(from),
                       isBelow ? id : processes.Get(from).parent,
                       1, // a broker
                       std::nullopt};
        if (advertised >= 0)
        {
            word.advertised = static_cast<uint8_t>(advertised);
        }
        if (choice.Hear(Instant(0), from, word, rssiDbm) && choice.Decide(Describe(*m_state, id)) &&
            choice.GetParent() != NO_NODE && choice.GetParent() != process.parent)
        {
            Migrate(broker, processes.Name(choice.GetParent()));
        }
    }
}

void
TreeLab::Move(const std::string& client, const std::string& to)
{
    const auto& processes = m_state->GetProcesses();
    const auto id = processes.FindClient(client);
    const auto broker = processes.FindLiveBroker(to);
    Anew().Move(id, broker);
}

void
TreeLab::Crash(const std::string& broker)
{
    const auto id = m_state->GetProcesses().FindLiveBroker(broker);
    Anew().Crash(id);
}

void
TreeLab::Restart(const std::string& broker)
{
    const auto id = m_state->GetProcesses().FindBroker(broker);
    if (m_state->GetProcesses().IsUp(id))
    {
        throw LabError(broker + " has not crashed");
    }
    Anew().Restart(id);
}

void
TreeLab::Drop(const std::string& source, const std::string& destination)
{
    const auto& [from, to] = FindMessage(*m_state, source, destination);
    Anew().GetLinks().GiveUp(from, to);
    m_state->Rest();
}

void
TreeLab::Deny(const std::string& source, const std::string& destination)
{
    const auto message = FindMessage(*m_state, source, destination);
    Anew().GetLinks().Deny(message);
    m_state->Rest();
}

void
TreeLab::Lose(const std::string& broker, const std::string& neighbour)
{
    const auto& processes = m_state->GetProcesses();
    const auto id = processes.FindLiveBroker(broker);
    const auto other = processes.FindLiveBroker(neighbour);
    if (!m_state->GetLinks().HasLink(id, other))
    {
        throw LabError(broker + " has no link to " + neighbour);
    }
    Anew().Lose(id, other);
}

void
TreeLab::RestartSilently(const std::string& broker)
{
    const auto id = m_state->GetProcesses().FindLiveBroker(broker);
    Anew().RestartSilently(id);
}

void
TreeLab::Slip(const std::string& client, const std::string& to)
{
    const auto& processes = m_state->GetProcesses();
    const auto id = processes.FindClient(client);
    const auto broker = processes.FindLiveBroker(to);
    if (processes.Get(id).at == NO_NODE)
    {
        throw LabError(client + " is at no broker");
    }
    Anew().Slip(id, broker);
}

std::vector<LabLink>
TreeLab::GetPending() const
{
    const auto& processes = m_state->GetProcesses();
    std::vector<LabLink> pending;
    for (const auto& [source, destination] : m_state->GetChoices())
    {
        pending.emplace_back(processes.Name(source), processes.Name(destination));
    }
    return pending;
}

bool
TreeLab::Step()
{
    return m_state->Step();
}

void
TreeLab::StepLink(const std::string& source, const std::string& destination)
{
    const auto& processes = m_state->GetProcesses();
    for (const auto& link : m_state->GetChoices())
    {
        if (processes.Name(link.first) == source && processes.Name(link.second) == destination)
        {
            m_state->Take(link);
            return;
        }
    }
    throw LabError("nothing is pending on " + source + " -> " + destination);
}

void
TreeLab::Expire(const std::string& broker, const std::string& timer)
{
    const auto id = m_state->GetProcesses().FindLiveBroker(broker);
    if (!m_state->GetOptions().brokers)
    {
        throw LabError("expire: timers of protocols that ship expire where nothing is pending");
    }
    Anew().ExpireTimer(id, timer);
}

bool
TreeLab::StepChoice(uint64_t choice)
{
    const auto choices = m_state->GetChoices();
    if (choices.empty())
    {
        return false;
    }
    m_state->Take(choices[choice % choices.size()]);
    return true;
}

std::vector<size_t>
TreeLab::GetPersistentChoices() const
{
    return FindPersistentChoices(*m_state);
}

uint64_t
TreeLab::Settle(uint64_t limit)
{
    return m_state->Settle(limit);
}

const std::vector<LabRecord>&
TreeLab::GetLog() const
{
    return m_state->GetLinks().GetLog().GetRecords();
}

void
TreeLab::ClearLog()
{
    m_state->GetLinks().GetLog().Clear();
}

void
TreeLab::SetLogging(bool logging)
{
    m_state->GetLinks().GetLog().SetLogging(logging);
}

std::vector<std::string>
TreeLab::FindWanting(const LabEvent& contents) const
{
    const auto& processes = m_state->GetProcesses();
    const auto event = MakeEvent(contents);
    std::vector<std::string> wanting;
    for (const auto client : processes.GetClients())
    {
        if (processes.Get(client).subscriber.Wants(event))
        {
            wanting.push_back(processes.Name(client));
        }
    }
    return wanting;
}

} // namespace mftpubsub
