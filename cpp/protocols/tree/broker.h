/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_TREE_BROKER_H
#define MFTPUBSUB_PROTOCOLS_TREE_BROKER_H

#include "content/instant.h"
#include "content/node-id.h"
#include "protocols/tree/message.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace mftpubsub
{

/// One message that a machine wants sent.
struct Send
{
    NodeId to{NO_NODE}; //!< NO_NODE: one unacknowledged local broadcast, for every broker in range
    Message message;
};

/// A broker found that an event matches a subscriber's filters.
struct Match
{
    EventId event;
    NodeId subscriber{NO_NODE};
};

/// A broker's queue policy gave up an event.
struct Drop
{
    EventId event;
    NodeId subscriber{NO_NODE};
};

/// What a broker answers to one input: to be carried out in order.
struct BrokerOutput
{
    std::vector<Send> sends;
    std::vector<Match> matches;
    std::vector<Drop> drops;
};

/// A row of a broker's routing table, for those who look at it from outside.
struct RouteView
{
    NodeId subscriber{NO_NODE};
    NodeId nextHop{NO_NODE};
    Freshness freshness;
    std::vector<Filter> filters; //!< empty: a tombstone (protocols.md section 4 ruling 1)
};

/// The events that a broker holds for a subscriber.
struct QueueView
{
    NodeId subscriber{NO_NODE};
    std::vector<EventId> events;
};

/**
 * A broker's side of a publish/subscribe protocol, as a state machine without I/O.
 *
 * The tree is somebody else's: the machine is told of links that appear and vanish and of a new
 * parent, is given messages, and answers with messages to send. Time comes with every input, and
 * it draws no random numbers: the same inputs give the same outputs.
 *
 * A link is one session of both ends: messages of one session never arrive in another, and when it
 * ends each end is told so (LinkDown or LinkReset), with what was not delivered (DeliveryFailed),
 * before it gets anything of the next one.
 */
class Broker
{
  public:
    explicit Broker(NodeId self);
    virtual ~Broker() = default;

    Broker& operator=(const Broker&) = delete;

    /// @return a machine in the same state
    virtual std::unique_ptr<Broker> Clone() const = 0;

    NodeId GetId() const;

    /// @p neighbour is a tree neighbour (parent or child) from now on: it enters N_i.
    virtual void LinkUp(Instant now, NodeId neighbour, BrokerOutput& output);

    /// @p neighbour is no tree neighbour any more, or is a client that is seen to have gone: it
    /// leaves I_i. (Whoever cannot see clients go need not say so.)
    virtual void LinkDown(Instant now, NodeId neighbour, BrokerOutput& output);

    /// @p neighbour stays in the tree, but the session with it is over and another begins: what was
    /// under way is lost. To whom this does not matter it is nothing.
    virtual void LinkReset(Instant now, NodeId neighbour, BrokerOutput& output);

    /**
     * The parent changed: a broker that can move migrates (T alg. 4.2), others do nothing.
     * LinkUp(@p current) came before.
     *
     * @param previous the parent until now or the last one lost (b_o), NO_NODE if there is none
     * @param current the new parent (b_n)
     */
    virtual void ParentChanged(Instant now, NodeId previous, NodeId current, BrokerOutput& output);

    /// A message arrived from a tree neighbour or a client.
    virtual void Receive(Instant now,
                         NodeId from,
                         const Message& message,
                         BrokerOutput& output) = 0;

    /// The transport gave up on a message that this machine had sent to @p to.
    virtual void DeliveryFailed(Instant now,
                                NodeId to,
                                const Message& message,
                                BrokerOutput& output);

    /// A tree neighbour has shown a sign of life: a heartbeat, a message, an acknowledgement.
    virtual void NeighbourAlive(Instant now, NodeId neighbour, BrokerOutput& output);

    /// @return when Expire wants to be called, if ever
    virtual std::optional<Instant> NextTimer() const;

    /// The time that NextTimer gave has come.
    virtual void Expire(Instant now, BrokerOutput& output);

    /// @return the routing table, by ascending subscriber
    virtual std::vector<RouteView> GetTable() const = 0;

    /// @return the non-empty queues, by ascending subscriber
    virtual std::vector<QueueView> GetQueues() const;

    /// @return the events in all queues
    virtual uint32_t CountQueued() const;

    /// @return everything that this machine remembers, as text: machines of one protocol with equal
    ///         digests answer alike for ever
    virtual std::string GetDigest() const;

  protected:
    Broker(const Broker&) = default;

    /// Calls Handle of @p machine, whose friend this class is, with the message that @p message
    /// holds, if it handles that kind of message.
    template <typename Machine>
    static void Dispatch(Machine& machine,
                         NodeId from,
                         const Message& message,
                         BrokerOutput& output)
    {
        static_assert(
            requires(const Sub& sub) { machine.Handle(from, sub, output); },
            "a machine handles SUB, and Broker is its friend");
        std::visit(
            [&](const auto& m) {
                if constexpr (requires { machine.Handle(from, m, output); })
                {
                    machine.Handle(from, m, output);
                }
            },
            message);
    }

    /// @return whether @p node is in I_i: a tree neighbour or an attached client
    bool IsConnected(NodeId node) const;

    /// @return N_i, ascending
    const std::set<NodeId>& GetNeighbours() const;

    /// @p client has attached itself to this broker. It stays in I_i: once it is attached
    /// elsewhere, no route has it as next hop.
    void AddClient(NodeId client);

    /// @return whether @p pub comes straight from the publisher role of device @p from
    static bool IsFromPublisher(NodeId from, const Pub& pub);

    /// Sends @p message to every tree neighbour but @p except.
    void SendToNeighbours(const Message& message, NodeId except, BrokerOutput& output) const;

  private:
    NodeId m_self;
    std::set<NodeId> m_neighbours; //!< N_i
    std::set<NodeId> m_clients;    //!< I_i without N_i
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_PROTOCOLS_TREE_BROKER_H */
