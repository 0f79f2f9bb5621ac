/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LAB_TREE_TREE_LAB_H
#define MFTPUBSUB_LAB_TREE_TREE_LAB_H

#include "lab/lab-error.h"
#include "policies/policies.h"
#include "protocols/tree/addressing-limits.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub
{

struct BrokerHooks;
class LabState;

/// A direction of a link, or (broker, broker): that broker still has to change its parent.
using LabLink = std::pair<std::string, std::string>;

/// What a laboratory is made of.
struct LabOptions
{
    std::string protocol;           //!< a name of GetBrokerProtocols()
    std::vector<LabLink> links;     //!< tree links between brokers
    std::string root;               //!< the first leader
    std::vector<std::string> order; //!< better leaders first; then root, then by name
    bool literalChildren{false};    //!< mft-pubsub: see MftPubsub::Options
    bool replay{true};              //!< cascading: see Cascading::Options
    bool shuffled{false};           //!< step in a random order, and not in the order of sending
    uint64_t seed{0};               //!< of that random order
    AddressingLimits addressing{};  //!< mft-pubsub-r
    Policies policies;              //!< of queues, and of parents and migration for Hear
    const BrokerHooks* brokers{nullptr}; //!< of one that is written in Python
};

/// A heartbeat that a broker hears.
struct LabHeartbeat
{
    std::string sender;
    double rssiDbm{0};
    int32_t advertised{-1}; //!< by the sender's policy; -1: nothing
};

/// A message that arrived, or that was lost with its link.
struct LabRecord
{
    uint64_t step{0}; //!< in which it arrived or was lost; 0 = before the first
    std::string source;
    std::string destination;
    std::string kind;   //!< "BMIG"
    std::string fields; //!< as a JSON object
    bool failed{false}; //!< lost: the sender was told
    std::string text;   //!< "b2 -> b1 BMIG C=[] O=[] h=1"
};

/// A subscriber or publisher, or both.
struct LabClient
{
    std::string name;
    std::string broker; //!< to which it is attached; empty: to none
    bool subscribes{false};
};

struct LabRoute
{
    std::string subscriber;
    std::string nextHop; //!< empty: none
    uint32_t timestamp{0};
    int hops{0};
    std::vector<std::string> filters;
};

struct LabQueue
{
    std::string subscriber;
    std::vector<std::string> events;
};

/// An attribute of an event: `type` says which of the values counts.
struct LabAttribute
{
    enum Type
    {
        INTEGER,
        REAL,
        TEXT,
        BOOLEAN
    };

    std::string name;
    Type type{TEXT};
    int64_t integer{0};
    double real{0};
    std::string text;
    bool boolean{false};
};

/// What Publish makes an event of.
struct LabEvent
{
    std::vector<LabAttribute> attributes;
};

/**
 * A network of brokers, subscribers and publishers over perfect FIFO links, without a radio and
 * without time: the laboratory that JBotSim was for the thesis (T 4.5).
 *
 * One step delivers one message, or lets one broker change its parent; the default order is the
 * global order of sending. Brokers form a tree, always. Whichever broker of a component has the
 * best leader's place in the order is who the others turn to: where two components join, the
 * brokers on the path from the joining end to the worse leader change their parents, one after the
 * other. A message on a link that breaks is lost and its sender is told, at once; so is one sent
 * where no link is. A broker that crashes forgets everything.
 *
 * Every method that is given nonsense throws LabError, and has changed nothing.
 */
class TreeLab
{
  public:
    explicit TreeLab(const LabOptions& options);
    TreeLab(const TreeLab& other);
    TreeLab& operator=(const TreeLab& other);
    ~TreeLab();

    /// @param at broker to attach a new subscriber to; empty: the one that it is attached to
    void Subscribe(const std::string& subscriber, const std::string& at, const std::string& where);
    void Unsubscribe(const std::string& subscriber, const std::string& where);

    /// @return the event's id
    std::string Publish(const std::string& publisher,
                        const std::string& at,
                        const LabEvent& attributes);

    void Connect(const std::string& one, const std::string& other);
    void Disconnect(const std::string& one, const std::string& other);

    /// @p broker leaves its parent for @p to, with everything below it.
    void Migrate(const std::string& broker, const std::string& to);

    /**
     * @p broker hears a round of heartbeats, in this order: its policies decide after each whether
     * it migrates. Its parent is known to them as it was last heard here, if it ever was.
     */
    void Hear(const std::string& broker, const std::vector<LabHeartbeat>& heartbeats);

    /// @p client leaves its broker for @p to.
    void Move(const std::string& client, const std::string& to);

    void Crash(const std::string& broker);

    /// @p broker is back, empty and without tree links; clients that it had and that went nowhere
    /// else attach themselves again.
    void Restart(const std::string& broker);

    // What happens on a radio, and brokers are not told.

    /// The oldest message from @p source to @p destination is lost for good: the transport of
    /// @p source gives up all that it has sent there, and begins a new session.
    void Drop(const std::string& source, const std::string& destination);

    /// The oldest message from @p source to @p destination arrives, but all acknowledgements are
    /// lost: the rest as Drop.
    void Deny(const std::string& source, const std::string& destination);

    /// @p broker alone loses its link to @p neighbour; it hears it again, when that is stepped.
    void Lose(const std::string& broker, const std::string& neighbour);

    /// @p broker forgets everything, so quickly that nobody notices until it speaks.
    void RestartSilently(const std::string& broker);

    /// @p client leaves its broker, which does not see it go, for @p to.
    void Slip(const std::string& client, const std::string& to);

    /// @return what Step can do next, in the default order
    std::vector<LabLink> GetPending() const;

    /// Does the next thing. @return false when nothing is pending
    bool Step();

    /// Delivers the head of @p source -> @p destination.
    void StepLink(const std::string& source, const std::string& destination);

    /// A timer of @p broker, which is one of one's own, expires: the first with this text.
    void Expire(const std::string& broker, const std::string& timer);

    /// Steps the @p choice-th (modulo their number) of GetPending(). @return false if there is none
    bool StepChoice(uint64_t choice);

    /// @return which choices a search has to try to see every quiet state that can be reached from
    /// here without commands, whatever the order of deliveries (lab-reduction.h)
    std::vector<size_t> GetPersistentChoices() const;

    /// Steps until nothing is pending. @return the steps made
    /// @throws std::runtime_error when @p limit steps do not end it
    uint64_t Settle(uint64_t limit);

    const std::vector<LabRecord>& GetLog() const;
    void ClearLog();

    /// Whether to keep a log; searches do without.
    void SetLogging(bool logging);

    std::vector<LabRoute> GetTable(const std::string& broker) const;
    std::vector<LabQueue> GetQueues(const std::string& broker) const;
    std::vector<std::string> GetDelivered(const std::string& subscriber) const;

    /// @return the subscribers who want an event with @p attributes
    std::vector<std::string> FindWanting(const LabEvent& attributes) const;

    std::string GetParent(const std::string& broker) const;

    /// @return the number of the state of a broker of one's own that is up
    uint64_t GetBrokerState(const std::string& broker) const;
    std::vector<std::string> GetBrokers() const;
    bool IsUp(const std::string& broker) const;
    std::vector<LabClient> GetClients() const;

    /// @return the links between brokers
    std::vector<LabLink> GetLinks() const;

    /// @return the table of a broker that is up, a line for each subscriber
    std::vector<std::string> DescribeTable(const std::string& broker) const;

    /// @return what a broker that is up holds, a line for each subscriber
    std::vector<std::string> DescribeQueues(const std::string& broker) const;

    /// @return the name of the process that policies know as @p id
    std::string GetProcessName(uint16_t id) const;
    uint64_t CountSent() const;

    /**
     * Checks what must hold once nothing is pending: in every component, each broker's table has
     * the place and the filters of every subscriber attached there (tombstones included), and no
     * filter that its subscriber has not; every event that some broker matched with a subscriber
     * that wanted it all along has reached it, or is queued where it cannot reach it.
     *
     * @return the violations, each as "class: what is wrong"
     */
    std::vector<std::string> FindViolations() const;

    /// @return everything that decides the future, as text
    std::string GetDigest() const;

  private:
    /// @return the state, for a command that is no step
    LabState& Anew();

    NodeId AdmitClient(const std::string& name, const std::string& role, NodeId broker);

    std::unique_ptr<LabState> m_state;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_LAB_TREE_TREE_LAB_H */
