/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_RECONFIGURATION_DISPATCHER_H
#define MFTPUBSUB_PROTOCOLS_RECONFIGURATION_DISPATCHER_H

#include "protocols/machine.h"
#include "protocols/reconfiguration/messages.h"
#include "protocols/reconfiguration/pattern-table.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
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

/// How long timers run.
struct TimerOptions
{
    Instant unsubscribe{0}; //!< T_u
    Instant subscribe{0};   //!< T_s
};

/// A timer that runs, of one reconfiguration.
struct RunningTimer
{
    Timer timer{Timer::UNSUBSCRIBE};
    ReconfigurationId reconfiguration{0};
    Instant due{0};
};

/// What a dispatcher answers to one input: to be carried out in order.
struct Actions
{
    std::vector<Send> sends;
    bool isDelivered{false};                     //!< the event at hand, to the dispatcher's clients
    ReconfigurationId cause{NO_RECONFIGURATION}; //!< whose timer has expired
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

} // namespace mftpubsub::reconfiguration

namespace mftpubsub::input
{

/// The link to @c neighbour is gone. Without a reconfiguration (NO_RECONFIGURATION) none will
/// replace it.
struct LinkRemoved
{
    NodeId neighbour{NO_NODE};
    reconfiguration::ReconfigurationId reconfiguration{0};
};

/// There is a link to @c neighbour. Without a reconfiguration it replaces none.
struct LinkAdded
{
    NodeId neighbour{NO_NODE};
    reconfiguration::ReconfigurationId reconfiguration{0};
};

/// The link that this dispatcher lost has been replaced.
struct LinkSubstituted
{
    const reconfiguration::Substitution& substitution;
};

/// The first of the clients subscribes to @c pattern.
struct PatternWanted
{
    reconfiguration::Pattern pattern{0};
};

/// The last of the clients that subscribed to @c pattern does so no more.
struct PatternUnwanted
{
    reconfiguration::Pattern pattern{0};
};

/// A client publishes.
struct PublicationMade
{
    const reconfiguration::PublicationPtr& publication;
};

} // namespace mftpubsub::input

namespace mftpubsub::reconfiguration
{

/// The family of Cugola, Frey, Murphy and Picco (C).
struct ReconfigurationFamily
{
    using Input = std::variant<input::LinkRemoved,
                               input::LinkAdded,
                               input::LinkSubstituted,
                               input::Received<Message>,
                               input::PatternWanted,
                               input::PatternUnwanted,
                               input::PublicationMade,
                               input::Expired>;
    using Output = Actions;
};

/**
 * A dispatcher's side of a protocol of C.
 *
 * Dispatchers form a tree that somebody else maintains, a forest while a link waits for the one
 * that replaces it. A dispatcher has neighbours, and one subscriber LOCAL that stands for all its
 * clients. In one instant, when a link goes, LinkRemoved is called at both its ends; when the one
 * that replaces it is there, LinkAdded at both ends of the new one, then LinkSubstituted at both
 * ends of the old one. Links are FIFO and lose nothing but what is on them when they break.
 *
 * Of several timers that are due, input::Expired is for the first: then NextTimer is at once.
 */
class Dispatcher : public Machine<ReconfigurationFamily>
{
  public:
    explicit Dispatcher(NodeId self, TimerOptions timers = {});

    void Step(Instant now, const Input& input, Actions& actions) final;
    std::optional<Instant> NextTimer() const final;

    /// @return whose patterns it knows: its neighbours', its clients', those of ghosts
    Description Describe(const Namer& name) const override;

    NodeId GetId() const;

    /// A neighbour and what it wants, before anything happens: nothing is sent.
    void Begin(NodeId neighbour, const Patterns& row);

    /// What the clients want, before anything happens: nothing is sent.
    void BeginLocal(const Patterns& row);

    /// @return the timer that expires next, if any runs
    std::optional<RunningTimer> GetNextTimer() const;

    const PatternTable& GetTable() const;

    /// @return the neighbours that messages go to, ascending
    const std::vector<NodeId>& GetNeighbours() const;

    /// @return whether nothing of a reconfiguration is still being waited for
    virtual bool IsAtRest() const;

    /// @return whether a timer of @p id runs: else the machine has forgotten it
    bool IsWaiting(ReconfigurationId id) const;

    /// @return whether somebody wants @p pattern, or did so behind a lost link that is waited for
    virtual bool NeedsPattern(Pattern pattern) const;

    /// @return whether neighbours tell each other what they want, so that tables can be checked
    virtual bool HasRoutes() const;

    /// @return a machine in the same state
    virtual std::unique_ptr<Dispatcher> Clone() const = 0;

    /// @return neighbours, rows, timers and what is deferred, as text: all that a machine
    /// remembers which DispatchingBroker can host
    virtual std::string GetDigest() const;

  protected:
    Dispatcher(const Dispatcher&) = default;

    // The inputs, one each

    virtual void LinkRemoved(NodeId neighbour, ReconfigurationId id, Actions& actions) = 0;
    virtual void LinkAdded(NodeId neighbour, ReconfigurationId id, Actions& actions) = 0;
    virtual void LinkSubstituted(const Substitution& substitution, Actions& actions);
    virtual void Receive(NodeId from, const Message& message, Actions& actions) = 0;
    virtual void ClientSubscribe(Pattern pattern, Actions& actions) = 0;
    virtual void ClientUnsubscribe(Pattern pattern, Actions& actions) = 0;
    virtual void Publish(const PublicationPtr& publication, Actions& actions) = 0;
    virtual void TimerExpired(Timer timer, ReconfigurationId id, Actions& actions);

    /// Starts the timer of @p id, anew if it runs.
    void StartTimer(Timer timer, ReconfigurationId id);

    void StopTimer(Timer timer, ReconfigurationId id);

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
    void Expire(Actions& actions);

    NodeId m_self;
    TimerOptions m_timerOptions;
    Instant m_now{0}; //!< of the input at hand
    std::map<std::pair<ReconfigurationId, Timer>, Instant> m_timers;
    std::vector<NodeId> m_neighbours; //!< neigh, ascending
};

} // namespace mftpubsub::reconfiguration

#endif /* MFTPUBSUB_PROTOCOLS_RECONFIGURATION_DISPATCHER_H */
