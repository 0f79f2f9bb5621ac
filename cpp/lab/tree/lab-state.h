/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LAB_TREE_LAB_STATE_H
#define MFTPUBSUB_LAB_TREE_LAB_STATE_H

#include "lab/tree/lab-links.h"
#include "lab/tree/tree-lab.h"

#include <map>
#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace mftpubsub
{

/**
 * What a laboratory is and does, by numbers: its links, who leads, and which brokers still have to
 * change their parents.
 *
 * Whoever calls sees to it that the arguments make sense: TreeLab does.
 */
class LabState
{
  public:
    using Edge = LabLinks::Edge; //!< or (broker, broker), as LabLink

    /// The network that @p options describe, in which nothing is pending.
    /// @throws LabError if they make no sense
    explicit LabState(const LabOptions& options);

    const LabOptions& GetOptions() const;
    const LabLinks& GetLinks() const;
    LabLinks& GetLinks();
    const LabProcesses& GetProcesses() const;
    LabProcesses& GetProcesses();

    /// @return the brokers, best leader first
    const std::vector<NodeId>& GetLeaders() const;

    /// @return hops from @p broker to the root of its parents
    uint8_t CountHops(NodeId broker) const;

    /// @p client, new or not, leaves its broker for @p broker.
    void Move(NodeId client, NodeId broker);

    /// The same, and the old broker is not told.
    void Slip(NodeId client, NodeId broker);

    void Subscribe(NodeId client, const Filter& filter);
    void Unsubscribe(NodeId client, const Filter& filter);

    /// @return the id that @p event gets
    EventId Publish(NodeId client, Event event);

    /// @throws LabError if a link between the brokers would close a cycle
    void RequireNoCycle(NodeId one, NodeId other) const;

    void Connect(NodeId one, NodeId other);
    void Disconnect(NodeId one, NodeId other);
    void Migrate(NodeId broker, NodeId to);
    void Crash(NodeId broker);
    void Restart(NodeId broker);

    /// @p broker, which is up, forgets everything, and nobody is told.
    void RestartSilently(NodeId broker);

    void Lose(NodeId broker, NodeId neighbour);

    /// @return what can happen next, in the order of sending
    std::vector<Edge> GetChoices() const;

    void Take(const Edge& choice);

    /// A timer of a broker of one's own, which is up, expires.
    void ExpireTimer(NodeId broker, const std::string& timer);

    /// Something other than a step has changed the state: timers of brokers of one's own may expire
    /// in states in which they have expired before.
    void ForgetExpired();

    bool Step();
    uint64_t Settle(uint64_t limit);

    /// Where a command has left nothing pending, timers expire that are due at once.
    void Rest();

    std::string GetDigest() const;

  private:
    struct Adoption
    {
        uint64_t order{0};
        NodeId parent{NO_NODE};
    };

    void AddBrokers();
    void RankLeaders();
    std::unique_ptr<Broker> MakeMachine(NodeId id) const;
    void Adopt(NodeId child, NodeId parent);
    void UpdateAdoptions();
    bool IsOwn() const;
    bool ExpireOwn();
    std::map<NodeId, Adoption> FindAdoptions() const;

    std::shared_ptr<const LabOptions> m_options;
    std::mt19937_64 m_random;
    LabLinks m_links;
    std::vector<NodeId> m_leaders;          //!< best first
    std::map<NodeId, Adoption> m_adoptions; //!< parent changes that can happen now
    uint32_t m_idle{0};                     //!< times in a row that timers led to no delivery
    uint64_t m_delivered{0};                //!< to all clients, when timers went off last
    std::set<size_t> m_expired;             //!< hashes of quiet states in which timers have expired
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_LAB_TREE_LAB_STATE_H */
