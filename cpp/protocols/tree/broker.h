/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_TREE_BROKER_H
#define MFTPUBSUB_PROTOCOLS_TREE_BROKER_H

#include "protocols/machine.h"
#include "protocols/tree/message.h"

#include <memory>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace mftpubsub
{

/// One message that a machine wants sent.
struct Send
{
    NodeId to{NO_NODE}; //!< NO_NODE: one unacknowledged local broadcast, for every broker in range
    Message message;
};

/// What a broker answers to one input: to be carried out in order.
struct BrokerOutput
{
    std::vector<Send> sends;
    std::vector<Pair> matches;        //!< found between an event and a subscriber's filters
    std::vector<Pair> drops;          //!< that the queue policy gave up
    std::vector<std::string> notes{}; //!< for transcripts: protocols of one's own write them
};

namespace input
{

/// @c neighbour stays in the tree, but the session with it is over and another begins: what was
/// under way is lost.
struct LinkReset
{
    NodeId neighbour{NO_NODE};
};

/// The parent changed. LinkUp{current} came before.
struct ParentChanged
{
    NodeId previous{NO_NODE}; //!< until now, or the last one lost (b_o); NO_NODE if there is none
    NodeId current{NO_NODE};  //!< b_n
};

/// The transport gave up on a message that the machine had sent to @c to.
struct DeliveryFailed
{
    NodeId to{NO_NODE};
    const Message& message;
};

/// A tree neighbour has shown a sign of life: a heartbeat, a message, an acknowledgement.
struct NeighbourAlive
{
    NodeId neighbour{NO_NODE};
};

} // namespace input

/// The thesis's family (T): brokers in a tree.
struct TreeFamily
{
    using Input = std::variant<input::LinkUp,
                               input::LinkDown,
                               input::LinkReset,
                               input::ParentChanged,
                               input::Received<Message>,
                               input::DeliveryFailed,
                               input::NeighbourAlive,
                               input::Expired>;
    using Output = BrokerOutput;
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
 * A broker's side of a publish/subscribe protocol.
 *
 * The tree is somebody else's: the machine is told of links that appear and vanish and of a new
 * parent, is given messages, and answers with messages to send. It draws no random numbers.
 *
 * A link is one session of both ends: messages of one session never arrive in another, and when it
 * ends each end is told so (LinkDown or LinkReset), with what was not delivered (DeliveryFailed),
 * before it gets anything of the next one.
 */
class Broker : public Machine<TreeFamily>
{
  public:
    explicit Broker(NodeId self);

    void Step(Instant now, const Input& input, BrokerOutput& output) final;
    Description Describe(const Namer& name) const override;
    std::vector<Pair> GetHeld() const override;

    /// @return a machine in the same state
    virtual std::unique_ptr<Broker> Clone() const = 0;

    NodeId GetId() const;

    /// @return the routing table, by ascending subscriber
    virtual std::vector<RouteView> GetTable() const = 0;

    /// @return whether GetTable has a row for every subscriber that the broker routes to
    virtual bool HasTable() const;

    /// @return what a protocol of one's own has on stable storage, and its state: numbers that its
    ///         hooks know; 0 for those that ship
    virtual uint64_t GetMemory() const;
    virtual uint64_t GetState() const;

    /// @return the non-empty queues, by ascending subscriber
    virtual std::vector<QueueView> GetQueues() const;

    /// @return everything that this machine remembers, as text: machines of one protocol with equal
    ///         digests answer alike for ever
    virtual std::string GetDigest() const;

  protected:
    Broker(const Broker&) = default;

    // The inputs, one each

    /// @p neighbour (parent or child) enters N_i.
    virtual void LinkUp(Instant now, NodeId neighbour, BrokerOutput& output);

    /// @p neighbour is no tree neighbour any more, or is a client that is seen to have gone: it
    /// leaves I_i. (Whoever cannot see clients go need not say so.)
    virtual void LinkDown(Instant now, NodeId neighbour, BrokerOutput& output);

    virtual void LinkReset(Instant now, NodeId neighbour, BrokerOutput& output);

    /// A broker that can move migrates (T alg. 4.2), others do nothing.
    virtual void ParentChanged(Instant now, NodeId previous, NodeId current, BrokerOutput& output);

    virtual void Receive(Instant now,
                         NodeId from,
                         const Message& message,
                         BrokerOutput& output) = 0;

    virtual void DeliveryFailed(Instant now,
                                NodeId to,
                                const Message& message,
                                BrokerOutput& output);

    virtual void NeighbourAlive(Instant now, NodeId neighbour, BrokerOutput& output);

    virtual void Expire(Instant now, BrokerOutput& output);

    /// Calls Handle of @p machine, whose friend this class is, with the message that @p message
    /// holds, if it handles that kind of message.
    template <typename Handler>
    static void Dispatch(Handler& machine,
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
