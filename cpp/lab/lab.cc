/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/lab.h"

#include "lab/lab-invariants.h"
#include "lab/lab-reduction.h"
#include "lab/lab-state.h"

#include <algorithm>

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

std::string
Join(const std::vector<std::string>& words, const std::string& separator)
{
    std::string joined;
    for (const auto& word : words)
    {
        joined += (joined.empty() ? "" : separator) + word;
    }
    return joined;
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

Lab::Lab(const LabOptions& options)
    : m_state(std::make_unique<LabState>(options))
{
}

Lab::Lab(const Lab& other)
    : m_state(std::make_unique<LabState>(*other.m_state))
{
}

Lab&
Lab::operator=(const Lab& other)
{
    m_state = std::make_unique<LabState>(*other.m_state);
    return *this;
}

Lab::~Lab() = default;

/// @return the client called @p name, which is new if nobody is called so and there is a @p broker
NodeId
Lab::AdmitClient(const std::string& name, const std::string& role, NodeId broker)
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
    return processes.Add(name, false);
}

void
Lab::Subscribe(const std::string& subscriber, const std::string& at, const std::string& where)
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
    m_state->Subscribe(id, filter);
}

void
Lab::Unsubscribe(const std::string& subscriber, const std::string& where)
{
    const auto& processes = m_state->GetProcesses();
    const auto id = processes.FindClient(subscriber);
    const auto filter = ParseFilter(where);
    if (!processes.Get(id).subscriber.GetFilters().contains(filter))
    {
        throw LabError(subscriber + " has no filter \"" + where + "\"");
    }
    m_state->Unsubscribe(id, filter);
}

std::string
Lab::Publish(const std::string& publisher, const std::string& at, const LabEvent& contents)
{
    const auto& processes = m_state->GetProcesses();
    const auto broker = at.empty() ? NO_NODE : processes.FindLiveBroker(at);
    const auto id = AdmitClient(publisher, "publisher", broker);
    if (broker != NO_NODE && processes.Get(id).at != broker)
    {
        m_state->Move(id, broker);
    }
    return processes.NameEvent(m_state->Publish(id, MakeEvent(contents)));
}

void
Lab::Connect(const std::string& one, const std::string& other)
{
    const auto& processes = m_state->GetProcesses();
    const auto a = processes.FindLiveBroker(one);
    const auto b = processes.FindLiveBroker(other);
    m_state->RequireNoCycle(a, b);
    m_state->Connect(a, b);
}

void
Lab::Disconnect(const std::string& one, const std::string& other)
{
    const auto& processes = m_state->GetProcesses();
    const auto a = processes.FindBroker(one);
    const auto b = processes.FindBroker(other);
    if (!m_state->GetLinks().GetNeighbours(a).contains(b))
    {
        throw LabError(one + " and " + other + " are not linked");
    }
    m_state->Disconnect(a, b);
}

void
Lab::Migrate(const std::string& broker, const std::string& to)
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
    m_state->Migrate(child, parent);
}

void
Lab::Hear(const std::string& broker, const std::vector<LabHeartbeat>& heartbeats)
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
Lab::Move(const std::string& client, const std::string& to)
{
    const auto& processes = m_state->GetProcesses();
    const auto id = processes.FindClient(client);
    m_state->Move(id, processes.FindLiveBroker(to));
}

void
Lab::Crash(const std::string& broker)
{
    m_state->Crash(m_state->GetProcesses().FindLiveBroker(broker));
}

void
Lab::Restart(const std::string& broker)
{
    const auto id = m_state->GetProcesses().FindBroker(broker);
    if (m_state->GetProcesses().IsUp(id))
    {
        throw LabError(broker + " has not crashed");
    }
    m_state->Restart(id);
}

void
Lab::Drop(const std::string& source, const std::string& destination)
{
    const auto& [from, to] = FindMessage(*m_state, source, destination);
    m_state->GetLinks().GiveUp(from, to);
}

void
Lab::Deny(const std::string& source, const std::string& destination)
{
    m_state->GetLinks().Deny(FindMessage(*m_state, source, destination));
}

void
Lab::Lose(const std::string& broker, const std::string& neighbour)
{
    const auto& processes = m_state->GetProcesses();
    const auto id = processes.FindLiveBroker(broker);
    const auto other = processes.FindLiveBroker(neighbour);
    if (!m_state->GetLinks().HasLink(id, other))
    {
        throw LabError(broker + " has no link to " + neighbour);
    }
    m_state->Lose(id, other);
}

void
Lab::RestartSilently(const std::string& broker)
{
    m_state->RestartSilently(m_state->GetProcesses().FindLiveBroker(broker));
}

void
Lab::Slip(const std::string& client, const std::string& to)
{
    const auto& processes = m_state->GetProcesses();
    const auto id = processes.FindClient(client);
    const auto broker = processes.FindLiveBroker(to);
    if (processes.Get(id).at == NO_NODE)
    {
        throw LabError(client + " is at no broker");
    }
    m_state->Slip(id, broker);
}

std::vector<LabLink>
Lab::GetPending() const
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
Lab::Step()
{
    return m_state->Step();
}

void
Lab::StepLink(const std::string& source, const std::string& destination)
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

bool
Lab::StepChoice(uint64_t choice)
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
Lab::GetPersistentChoices() const
{
    return FindPersistentChoices(*m_state);
}

uint64_t
Lab::Settle(uint64_t limit)
{
    return m_state->Settle(limit);
}

const std::vector<LabRecord>&
Lab::GetLog() const
{
    return m_state->GetLinks().GetLog();
}

void
Lab::ClearLog()
{
    m_state->GetLinks().ClearLog();
}

void
Lab::SetLogging(bool logging)
{
    m_state->GetLinks().SetLogging(logging);
}

std::vector<LabRoute>
Lab::GetTable(const std::string& broker) const
{
    const auto& processes = m_state->GetProcesses();
    std::vector<LabRoute> table;
    for (const auto& view : processes.Get(processes.FindLiveBroker(broker)).machine->GetTable())
    {
        auto& row = table.emplace_back(LabRoute{processes.Name(view.subscriber),
                                                processes.Name(view.nextHop),
                                                view.freshness.timestamp,
                                                view.freshness.hops,
                                                {}});
        for (const auto& filter : view.filters)
        {
            row.filters.push_back(filter.GetText());
        }
    }
    return table;
}

std::vector<LabQueue>
Lab::GetQueues(const std::string& broker) const
{
    const auto& processes = m_state->GetProcesses();
    std::vector<LabQueue> queues;
    for (const auto& view : processes.Get(processes.FindLiveBroker(broker)).machine->GetQueues())
    {
        auto& row = queues.emplace_back(LabQueue{processes.Name(view.subscriber), {}});
        for (const auto& event : view.events)
        {
            row.events.push_back(processes.NameEvent(event));
        }
    }
    return queues;
}

std::vector<std::string>
Lab::GetDelivered(const std::string& subscriber) const
{
    const auto& processes = m_state->GetProcesses();
    std::vector<std::string> events;
    for (const auto& event : processes.Get(processes.FindClient(subscriber)).delivered)
    {
        events.push_back(processes.NameEvent(event));
    }
    return events;
}

std::vector<std::string>
Lab::FindWanting(const LabEvent& contents) const
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

std::string
Lab::GetParent(const std::string& broker) const
{
    const auto& processes = m_state->GetProcesses();
    return processes.Name(processes.Get(processes.FindBroker(broker)).parent);
}

std::vector<std::string>
Lab::GetBrokers() const
{
    const auto& processes = m_state->GetProcesses();
    std::vector<std::string> names;
    for (const auto broker : processes.GetBrokers())
    {
        names.push_back(processes.Name(broker));
    }
    return names;
}

bool
Lab::IsUp(const std::string& broker) const
{
    const auto& processes = m_state->GetProcesses();
    return processes.IsUp(processes.FindBroker(broker));
}

std::vector<LabClient>
Lab::GetClients() const
{
    const auto& processes = m_state->GetProcesses();
    std::vector<LabClient> clients;
    for (const auto id : processes.GetClients())
    {
        const auto& client = processes.Get(id);
        clients.push_back({client.name, processes.Name(client.at), client.subscribes});
    }
    return clients;
}

std::vector<LabLink>
Lab::GetLinks() const
{
    const auto& processes = m_state->GetProcesses();
    std::vector<LabLink> links;
    for (const auto broker : processes.GetBrokers())
    {
        for (const auto neighbour : m_state->GetLinks().GetNeighbours(broker))
        {
            if (broker < neighbour)
            {
                links.emplace_back(processes.Name(broker), processes.Name(neighbour));
            }
        }
    }
    return links;
}

std::vector<std::string>
Lab::DescribeTable(const std::string& broker) const
{
    std::vector<std::string> lines;
    for (auto route : GetTable(broker))
    {
        std::ranges::sort(route.filters);
        const auto [end, last] = std::ranges::unique(route.filters);
        route.filters.erase(end, last);
        const auto filters = Join(route.filters, ", ");
        const auto freshness = route.timestamp == 0 ? ""
                                                    : " t=" + std::to_string(route.timestamp) +
                                                          " h=" + std::to_string(route.hops);
        lines.push_back(route.subscriber + " via " +
                        (route.nextHop.empty() ? "nobody" : route.nextHop) + freshness + ": " +
                        (filters.empty() ? "(tombstone)" : filters));
    }
    return lines;
}

std::vector<std::string>
Lab::DescribeQueues(const std::string& broker) const
{
    std::vector<std::string> lines;
    for (const auto& queue : GetQueues(broker))
    {
        lines.push_back(queue.subscriber + ": " + Join(queue.events, " "));
    }
    return lines;
}

std::string
Lab::GetProcessName(uint16_t id) const
{
    return m_state->GetProcesses().Name(id);
}

uint64_t
Lab::CountSent() const
{
    return m_state->GetLinks().CountSent();
}

std::vector<std::string>
Lab::FindViolations() const
{
    return mftpubsub::FindViolations(*m_state);
}

std::string
Lab::GetDigest() const
{
    return m_state->GetDigest();
}

} // namespace mftpubsub
