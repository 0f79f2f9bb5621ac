/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LAB_LAB_LINKS_H
#define MFTPUBSUB_LAB_LAB_LINKS_H

#include "lab/lab-processes.h"
#include "lab/lab.h"
#include "lab/owed-events.h"

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub
{

/**
 * The processes of a laboratory and the links between them: the tree's, and those from clients to
 * their brokers. Carries messages and tells the processes, by number, what becomes of them.
 */
class LabLinks
{
  public:
    using Edge = std::pair<NodeId, NodeId>; //!< (source, destination)

    explicit LabLinks(const std::string& protocol);

    const LabProcesses& GetProcesses() const;
    LabProcesses& GetProcesses();
    const OwedEvents& GetOwed() const;
    OwedEvents& GetOwed();

    /// Adds a broker without links and without a machine.
    NodeId AddBroker(const std::string& name);

    /// A tree link appears between two brokers that are up.
    void Link(NodeId one, NodeId other);

    /// A tree link breaks: what is under way on it is lost.
    void Unlink(NodeId one, NodeId other);

    /// @p client leaves its broker: what is under way between them is lost.
    void DetachClient(NodeId client);

    /// @return the brokers that have a tree link to @p broker
    const std::set<NodeId>& GetNeighbours(NodeId broker) const;

    /// @return the brokers connected to @p broker, not counting its link to @p without
    std::set<NodeId> GetComponent(NodeId broker, NodeId without = NO_NODE) const;

    /// Sends what @p process has answered, and tells the senders of what cannot be sent.
    template <typename Output>
    void Carry(NodeId process, const Output& output)
    {
        Send(process, output);
        SettleFailures();
    }

    /// Delivers the oldest message of @p link, which has one.
    void Deliver(const Edge& link);

    /// @return the links with messages, each with its oldest one's place in the order of sending
    std::vector<std::pair<uint64_t, Edge>> GetHeads() const;

    /// @return the next place in the order of sending
    uint64_t TakePlace();

    /// @p broker, which is up, crashes: what it holds or has sent lately is owed no more.
    void ExcuseHeldBy(NodeId broker);

    void BeginStep();
    const std::vector<LabRecord>& GetLog() const;
    void ClearLog();
    void SetLogging(bool logging);
    uint64_t CountSent() const;

    /// The network is new: what it took to make it does not count.
    void ForgetPast();

    /// @return everything that decides what happens on the links, as text
    std::string GetDigest() const;

  private:
    struct InFlight
    {
        uint64_t order{0}; //!< in the global order of sending
        std::shared_ptr<const Message> message;
    };

    struct Failure
    {
        Edge link;
        std::shared_ptr<const Message> message;
    };

    bool IsLinked(NodeId one, NodeId other) const;
    void Transmit(NodeId from, NodeId to, const Message& message);
    void Send(NodeId from, const std::vector<mftpubsub::Send>& sends);
    void Send(NodeId broker, const BrokerOutput& output);
    void Send(NodeId client, const SubscriberOutput& output);
    void LoseMessages(NodeId one, NodeId other);
    void SettleFailures();
    void Record(const Edge& link, const Message& message, bool failed);

    std::string m_protocol;
    LabProcesses m_processes;
    std::map<NodeId, std::set<NodeId>> m_tree;       //!< links between brokers
    std::map<Edge, std::deque<InFlight>> m_channels; //!< never empty
    std::deque<Failure> m_failures;                  //!< of which the senders are to be told
    OwedEvents m_owed;
    std::vector<LabRecord> m_log;
    bool m_logging{true};
    uint64_t m_order{0};
    uint64_t m_step{0};
    uint64_t m_sent{0};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_LAB_LAB_LINKS_H */
