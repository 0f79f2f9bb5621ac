/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/tree/lab-processes.h"

#include "lab/tree/tree-lab.h"

#include <sstream>
#include <utility>

namespace mftpubsub
{

namespace
{

/// @return everything that decides what @p process will do, as text
std::string
Describe(const LabProcess& process)
{
    std::ostringstream text;
    text << process.parent << ',' << process.lastParent << ',' << process.at << ':';
    if (process.machine)
    {
        text << process.machine->GetDigest();
    }
    else if (process.memory > 0)
    {
        text << '^' << process.memory;
    }
    else if (!process.broker)
    {
        text << process.subscriber.GetDigest() << '+' << process.publisher.CountHeld()
             << (process.isSlippery ? "~" : "");
    }
    text << '\n';
    return text.str();
}

} // namespace

LabProcess::LabProcess(std::string processName, bool isBroker, NodeId id)
    : name(std::move(processName)),
      broker(isBroker),
      subscriber(id)
{
}

NodeId
LabProcesses::Add(const std::string& name, bool isBroker)
{
    const auto id = static_cast<NodeId>(m_processes.size());
    m_processes.push_back(std::make_shared<LabProcess>(name, isBroker, id));
    return id;
}

const LabProcess&
LabProcesses::Get(NodeId id) const
{
    return *m_processes[id];
}

LabProcess&
LabProcesses::Touch(NodeId id)
{
    auto& process = m_processes[id];
    if (process.use_count() > 1)
    {
        process = std::make_shared<LabProcess>(*process);
        if (process->machine)
        {
            process->machine = process->machine->Clone();
        }
    }
    process->digest.clear();
    return *process;
}

bool
LabProcesses::Knows(const std::string& name) const
{
    return Find(name) != NO_NODE;
}

NodeId
LabProcesses::FindBroker(const std::string& name) const
{
    const auto id = Find(name);
    if (id == NO_NODE || !Get(id).broker)
    {
        throw LabError("no broker '" + name + "'");
    }
    return id;
}

NodeId
LabProcesses::FindLiveBroker(const std::string& name) const
{
    const auto id = FindBroker(name);
    RequireUp(id);
    return id;
}

NodeId
LabProcesses::FindClient(const std::string& name) const
{
    const auto id = Find(name);
    if (id == NO_NODE)
    {
        throw LabError("no client '" + name + "'");
    }
    if (Get(id).broker)
    {
        throw LabError("'" + name + "' is a broker");
    }
    return id;
}

void
LabProcesses::RequireUp(NodeId id) const
{
    if (!IsUp(id))
    {
        throw LabError(Name(id) + " has crashed");
    }
}

bool
LabProcesses::IsUp(NodeId broker) const
{
    return Get(broker).machine != nullptr;
}

std::vector<NodeId>
LabProcesses::GetBrokers() const
{
    return Select(true);
}

std::vector<NodeId>
LabProcesses::GetClients() const
{
    return Select(false);
}

std::vector<NodeId>
LabProcesses::GetClientsAt(NodeId broker) const
{
    auto clients = GetClients();
    std::erase_if(clients, [&](NodeId client) { return Get(client).at != broker; });
    return clients;
}

uint64_t
LabProcesses::CountDelivered() const
{
    uint64_t count = 0;
    for (const auto client : GetClients())
    {
        count += Get(client).delivered.size();
    }
    return count;
}

const std::string&
LabProcesses::Name(NodeId id) const
{
    static const std::string NONE;
    return id < m_processes.size() ? Get(id).name : NONE; // a message of one's own may name anybody
}

std::string
LabProcesses::NameEvent(const EventId& event) const
{
    return Name(event.publisher) + "#" + std::to_string(event.sequence);
}

std::string
LabProcesses::GetDigest() const
{
    std::string text;
    for (const auto& process : m_processes)
    {
        if (process->digest.empty())
        {
            process->digest = Describe(*process);
        }
        text += process->digest;
    }
    return text;
}

NodeId
LabProcesses::Find(const std::string& name) const
{
    for (NodeId id = 0; id < m_processes.size(); ++id)
    {
        if (Name(id) == name)
        {
            return id;
        }
    }
    return NO_NODE;
}

std::vector<NodeId>
LabProcesses::Select(bool brokers) const
{
    std::vector<NodeId> selected;
    for (NodeId id = 0; id < m_processes.size(); ++id)
    {
        if (Get(id).broker == brokers)
        {
            selected.push_back(id);
        }
    }
    return selected;
}

} // namespace mftpubsub
