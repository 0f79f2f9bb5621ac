/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LAB_TREE_LAB_LINKS_H
#define MFTPUBSUB_LAB_TREE_LAB_LINKS_H

#include "content/instant.h"
#include "lab/tree/lab-channels.h"
#include "lab/tree/lab-log.h"
#include "lab/tree/lab-processes.h"
#include "lab/tree/lab-tree.h"
#include "lab/tree/owed-events.h"

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub
{

/// Machines are told no time here: nothing in a laboratory takes any, but for their timers.
inline constexpr Instant TIMELESS{0};

/**
 * The processes of a laboratory and the links between them: the tree's, and those from clients to
 * their brokers. Carries messages and tells the processes, by number, what becomes of them.
 */
class LabLinks
{
  public:
    using Edge = LabChannels::Edge;
    using Sign = LabChannels::Sign;

    explicit LabLinks(const std::string& protocol);

    const LabProcesses& GetProcesses() const;
    LabProcesses& GetProcesses();
    const LabChannels& GetChannels() const;
    LabChannels& GetChannels();
    const OwedEvents& GetOwed() const;
    OwedEvents& GetOwed();

    /// Adds a broker without links and without a machine.
    NodeId AddBroker(const std::string& name);

    /// A tree link appears between two brokers that are up.
    void Link(NodeId one, NodeId other);

    /// A tree link breaks: what is under way on it is lost.
    void Unlink(NodeId one, NodeId other);

    /// The transport of @p from gives up what it has sent to @p to, and begins a new session.
    void GiveUp(NodeId from, NodeId to);

    /// The oldest message over @p link arrives, and its source does not learn so and gives up.
    void Deny(const Edge& link);

    /// @p broker alone loses its tree link to @p neighbour, and hears it again later.
    void Lose(NodeId broker, NodeId neighbour);

    /// @p broker, whose machine is a new one, has forgotten everything, and nobody is told.
    void Forget(NodeId broker);

    /// @p broker has @p neighbour as tree neighbour from now on, if it has not yet.
    void Hear(NodeId broker, NodeId neighbour);

    /// @p client leaves its broker: what is under way between them is lost.
    void DetachClient(NodeId client);

    /// @p client leaves its broker, which is not told and sends in vain until it gives up.
    void SlipAway(NodeId client);

    /// @p client is at @p broker from now on.
    void AttachClient(NodeId client, NodeId broker);

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

    /// @return whether the machine of @p broker has @p neighbour as tree neighbour
    bool HasLink(NodeId broker, NodeId neighbour) const;

    /// Nothing is under way: time passes, until every timer has expired.
    void ExpireTimers();

    /// Timers expire that are due at once.
    void ExpireDue();

    /// A timer of a broker of one's own, which is up, expires whatever is under way.
    void ExpireTimer(NodeId broker, const std::string& timer);

    /// @return whether a broker waits for a timer
    bool HasTimers() const;

    /// @p broker, which is up, crashes: what it holds or has sent lately is owed no more.
    void ExcuseHeldBy(NodeId broker);

    const LabLog& GetLog() const;
    LabLog& GetLog();
    uint64_t CountSent() const;

    /// The network is new: what it took to make it does not count.
    void ForgetPast();

    /// @return everything that decides what happens on the links, as text
    std::string GetDigest() const;

  private:
    bool IsLinked(NodeId from, NodeId to) const;
    bool IsThere(const Edge& link) const;
    void Tell(NodeId broker, const Broker::Input& input, Instant now = TIMELESS);
    void Transmit(NodeId from, NodeId to, const Message& message);
    void Broadcast(NodeId from, const Message& message);
    void DeliverSign(const Edge& link, Sign sign);
    void LearnNewSession(NodeId process, NodeId other);
    /// @p process has a sign of life of @p other.
    void TellAlive(NodeId process, NodeId other);
    void DeliverMessage(const Edge& link, const std::shared_ptr<const Message>& message);
    void Send(NodeId from, const std::vector<mftpubsub::Send>& sends);
    void Send(NodeId broker, const BrokerOutput& output);
    void Send(NodeId client, const SubscriberOutput& output);
    void SettleFailures();

    LabProcesses m_processes;
    LabTree m_tree;
    std::set<Edge> m_up; //!< (broker, neighbour): its machine has the neighbour as such
    LabChannels m_channels;
    OwedEvents m_owed;
    LabLog m_log;
    uint64_t m_sent{0};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_LAB_TREE_LAB_LINKS_H */
