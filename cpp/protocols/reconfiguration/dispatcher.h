/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_RECONFIGURATION_DISPATCHER_H
#define MFTPUBSUB_PROTOCOLS_RECONFIGURATION_DISPATCHER_H

#include "protocols/reconfiguration/messages.h"
#include "protocols/reconfiguration/pattern-table.h"

#include <memory>
#include <string>
#include <vector>

namespace mftpubsub::reconfiguration
{

enum class Timer : uint8_t
{
    UNSUBSCRIBE, //!< T_u
    SUBSCRIBE,   //!< T_s
};

/// One message that a machine wants sent.
struct Send
{
    NodeId to{NO_NODE};
    Message message;
    bool isOutOfBand{
        false}; //!< point to point in one hop, else over the link to `to`, if there is one
};

/// A machine wants a timer started or stopped. How long it runs is the host's.
struct TimerAction
{
    Timer timer{Timer::UNSUBSCRIBE};
    ReconfigurationId reconfiguration{0};
    bool starts{false};
};

/// What a dispatcher answers to one input: to be carried out in order.
struct Actions
{
    std::vector<Send> sends;
    std::vector<TimerAction> timers;
    bool isDelivered{false}; //!< the event at hand, to the dispatcher's clients

    void Clear();
};

/// How a dispatcher on the path of a reconfiguration is told of it by the tree maintenance.
struct Substitution
{
    ReconfigurationId reconfiguration{0};
    NodeId lost{NO_NODE};  //!< the other end of the old link
    NodeId own{NO_NODE};   //!< the end of the new link in my part
    NodeId other{NO_NODE}; //!< its other end
    PathPtr path;
};

/**
 * A dispatcher's side of a protocol of Cugola, Frey, Murphy and Picco (C), as a state machine
 * without I/O and without a clock.
 *
 * Dispatchers form a tree that somebody else maintains, a forest while a link waits for the one
 * that replaces it. A dispatcher has neighbours, and one subscriber LOCAL that stands for all its
 * clients. In one instant, when a link goes, LinkRemoved is called at both its ends; when the one
 * that replaces it is there, LinkAdded at both ends of the new one, then LinkSubstituted at both
 * ends of the old one. Links are FIFO and lose nothing but what is on them when they break. The
 * same inputs give the same outputs.
 */
class Dispatcher
{
  public:
    explicit Dispatcher(NodeId self);
    virtual ~Dispatcher() = default;

    Dispatcher& operator=(const Dispatcher&) = delete;

    NodeId GetId() const;

    /// A neighbour and what it wants, before anything happens: nothing is sent.
    void Begin(NodeId neighbour, const Patterns& row);

    /// What the clients want, before anything happens: nothing is sent.
    void BeginLocal(const Patterns& row);

    /// The link to @p neighbour is gone. Without a reconfiguration (NO_RECONFIGURATION) none will
    /// replace it.
    virtual void LinkRemoved(NodeId neighbour, ReconfigurationId id, Actions& actions) = 0;

    /// There is a link to @p neighbour. Without a reconfiguration it replaces none.
    virtual void LinkAdded(NodeId neighbour, ReconfigurationId id, Actions& actions) = 0;

    /// The link that I lost has been replaced.
    virtual void LinkSubstituted(const Substitution& substitution, Actions& actions);

    virtual void Receive(NodeId from, const Message& message, Actions& actions) = 0;

    virtual void TimerExpired(Timer timer, ReconfigurationId id, Actions& actions);

    /// The first of the clients subscribes to @p pattern.
    virtual void ClientSubscribe(Pattern pattern, Actions& actions) = 0;

    /// The last of the clients that subscribed to @p pattern does so no more.
    virtual void ClientUnsubscribe(Pattern pattern, Actions& actions) = 0;

    /// A client publishes.
    virtual void Publish(const PublicationPtr& publication, Actions& actions) = 0;

    const PatternTable& GetTable() const;

    /// @return the neighbours that messages go to, ascending
    const std::vector<NodeId>& GetNeighbours() const;

    /// @return whether nothing of a reconfiguration is still being waited for
    virtual bool IsAtRest() const;

    /// @return whether neighbours tell each other what they want, so that tables can be checked
    virtual bool HasRoutes() const;

    /// @return a machine in the same state
    virtual std::unique_ptr<Dispatcher> Clone() const = 0;

    /// @return neighbours, rows and what is deferred, as text: all that a machine remembers which
    /// DispatchingBroker can host
    virtual std::string GetDigest() const;

  protected:
    Dispatcher(const Dispatcher&) = default;

    void AddNeighbour(NodeId neighbour);
    void RemoveNeighbour(NodeId neighbour);
    bool HasNeighbour(Subscriber subscriber) const;

    static void SendTo(NodeId to, Message message, Actions& actions);

    /// Sends @p message to every neighbour but @p except.
    void SendToNeighbours(const Message& message, Subscriber except, Actions& actions) const;

    /// @return whether LOCAL wants it
    bool MatchesLocal(const Publication& publication) const;

    PatternTable m_table; //!< tab

  private:
    NodeId m_self;
    std::vector<NodeId> m_neighbours; //!< neigh, ascending
};

} // namespace mftpubsub::reconfiguration

#endif /* MFTPUBSUB_PROTOCOLS_RECONFIGURATION_DISPATCHER_H */
