/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LAB_TREE_LAB_PROCESSES_H
#define MFTPUBSUB_LAB_TREE_LAB_PROCESSES_H

#include "overlay/parent-choice.h"
#include "protocols/tree/broker.h"
#include "protocols/tree/publisher.h"
#include "protocols/tree/subscriber.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mftpubsub
{

/// A broker of a laboratory, or a client, which may be subscriber and publisher both.
struct LabProcess
{
    LabProcess(std::string processName, bool isBroker, NodeId id);

    std::string name;
    bool broker;

    std::shared_ptr<Broker> machine; //!< of a broker that is up; cloned with the process
    uint64_t memory{0};              //!< what one's own had on stable storage when it crashed
    uint32_t restarts{0};            //!< of a broker
    NodeId parent{NO_NODE};
    NodeId lastParent{NO_NODE};         //!< the parent or, without one, the last: b_o of the next
                                        //!< migration
    std::optional<ParentChoice> choice; //!< of a broker that has heard heartbeats
    uint32_t round{0};                  //!< of these, the last one

    NodeId at{NO_NODE};     //!< the broker of a client
    bool subscribes{false}; //!< has ever: a mere publisher attaches itself without a word
    bool isSlippery{false}; //!< has left a broker that was not told
    Subscriber subscriber;
    Publisher publisher;
    uint32_t published{0};
    std::vector<EventId> delivered;

    mutable std::string digest; //!< as it was last asked for, empty since the process was touched
};

/// The processes of a laboratory, known by name and by number. Copies share those that neither has
/// touched since.
class LabProcesses
{
  public:
    /// @return the new process, whose name no other may have
    NodeId Add(const std::string& name, bool isBroker);

    const LabProcess& Get(NodeId id) const;
    LabProcess& Touch(NodeId id);

    bool Knows(const std::string& name) const;

    // All throw LabError if there is no such process.

    NodeId FindBroker(const std::string& name) const;
    NodeId FindLiveBroker(const std::string& name) const;
    NodeId FindClient(const std::string& name) const;

    /// @throws LabError if the broker @p id has crashed
    void RequireUp(NodeId id) const;

    bool IsUp(NodeId broker) const;

    /// @return their numbers, ascending: in the natural order of their names
    std::vector<NodeId> GetBrokers() const;

    /// @return their numbers, ascending: in the order of arrival
    std::vector<NodeId> GetClients() const;

    /// @return the clients that are at @p broker, or will be when it is back
    std::vector<NodeId> GetClientsAt(NodeId broker) const;

    /// @return how many events clients have got, all together
    uint64_t CountDelivered() const;

    /// @return the name of @p id, empty for NO_NODE
    const std::string& Name(NodeId id) const;

    /// @return what an event is called: its publisher's name and its number there
    std::string NameEvent(const EventId& event) const;

    /// @return everything that decides what the processes will do, as text
    std::string GetDigest() const;

  private:
    NodeId Find(const std::string& name) const;
    std::vector<NodeId> Select(bool brokers) const;

    std::vector<std::shared_ptr<LabProcess>> m_processes; //!< by NodeId; brokers first
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_LAB_TREE_LAB_PROCESSES_H */
