/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_HANDOFF_TREE_BROKER_H
#define MFTPUBSUB_PROTOCOLS_HANDOFF_TREE_BROKER_H

#include "protocols/handoff/broker.h"
#include "protocols/handoff/tree.h"

#include <set>

namespace mftpubsub::handoff
{

/// A broker that wants to take a subscriber over, for a session of it.
struct Ask
{
    NodeId broker{NO_NODE};
    Session session{0};

    bool operator==(const Ask&) const = default;
};

/// What a broker of a tree knows of one subscriber: the way to it, and what it stores for it.
struct Place : Copy
{
    using Copy::Copy;

    /// Whose events these are: another's, about to be this broker's, or this broker's.
    enum class Role : uint8_t
    {
        ELSEWHERE,
        ARRIVING,
        HERE
    };

    /// Neighbours that matching events go to, by what they lead to: a proxy's broker where entries
    /// are kept for proxies, else the neighbour itself.
    std::map<NodeId, NodeId> hops;
    bool isLocal{false}; //!< matching events stay here
    Role role{Role::ELSEWHERE};
    bool isConnected{false};
    bool discards{false};    //!< it left without wishing events to be kept (JEDI)
    bool isDeparting{false}; //!< handed over, and stores until the new broker is ready
    bool isAnswered{false};  //!< ARRIVING: the first message has been answered
    bool isLeaving{false};   //!< ARRIVING: it has unsubscribed
    Session session{0};      //!< of its newest connection here
    Consumed last;           //!< what it had consumed then, and what it was sent since
};

/**
 * A broker of a scheme that routes events over a tree: subscriptions are known by subscriber, and
 * a publication follows their entries. Links are first in, first out;
 * its host takes a message for a broker that is no neighbour there hop by hop.
 */
class TreeBroker : public Broker
{
  public:
    TreeBroker(NodeId self, const Options& options);

    std::vector<CopyView> GetCopies() const override;
    size_t CountHeld() const override;

    void Handle(Instant now, NodeId from, const Sub& sub, Output& output);
    void Handle(Instant now, NodeId from, const Uns& uns, Output& output);
    void Handle(Instant now, NodeId from, const Evack& evack, Output& output);
    void Handle(Instant now, NodeId from, const Reconnect& reconnect, Output& output);
    void Handle(Instant now, NodeId from, const MoveOut& moveOut, Output& output);
    void Handle(Instant now, NodeId from, const Pub& pub, Output& output);

  protected:
    void LinkDown(Instant now, NodeId client, Output& output) override;

    /// Tells other brokers what @p place wants; called when it is HERE, for each subscription.
    virtual void Spread(NodeId subscriber, Place& place, Output& output) = 0;

    /// Takes that back: @p place is HERE, and its subscriber leaves for good.
    virtual void Withdraw(NodeId subscriber, Place& place, Output& output) = 0;

    /// @p place has become ARRIVING: begins the hand-off from where its subscriber was.
    virtual void Arrive(Place& place, const Reconnect& reconnect, Output& output) = 0;

    /// Takes or forwards an event that @p place matches. @return the neighbours that it goes to
    virtual std::set<NodeId> Route(NodeId subscriber,
                                   Place& place,
                                   const Held& held,
                                   Output& output);

    /// Sends @p pub along the entries that match, and to @p always for whoever it concerns, but
    /// not back.
    void Forward(NodeId from, const Pub& pub, NodeId always, Output& output);

    /// The new broker's first message has been answered: the client may name it as the old one.
    void Answer(NodeId subscriber, Place& place, Output& output);

    /// Everything from the old broker is here: @p place is HERE.
    void Complete(NodeId subscriber, Place& place, Output& output);

    /// To the subscriber if it is connected, else into the buffer.
    void Give(NodeId subscriber, Place& place, const Held& held, Output& output);

    /// Gives what has come from the old broker, and what has come meanwhile, each event once,
    /// those of a publisher in order.
    void GiveAll(NodeId subscriber, Place& place, std::vector<Held> events, Output& output);

    /// Gives what waits in the buffer.
    void Flush(NodeId subscriber, Place& place, Output& output);

    /// @return the buffer's events, as the broker that they go to holds them; none are left
    static std::vector<Held> TakeStored(Place& place);

    /// Nothing is kept for the subscriber here any more.
    static void Drop(Place& place);

    /// Forgets what @p subscriber wants, where nothing leads to it any more.
    void Tidy(NodeId subscriber, Place& place);

    Place& Touch(NodeId subscriber);

    void Send(NodeId to, Message message, Output& output) const;
    void Flood(const Message& message, NodeId except, Output& output) const;

    // Entries for proxies (SIENA, MQTT), or for whole subscribers: everyone is told.
    void FloodSub(NodeId subscriber, Place& place, Output& output);
    void FloodUns(NodeId subscriber, Place& place, Output& output);
    void LearnProxy(NodeId from, const TreeSub& sub, Output& output);
    void ForgetProxy(NodeId from, const TreeUns& uns, Output& output);

    NodeId m_self;
    Options m_options;
    bool m_isAnnounced{false};   //!< clients say that they leave (JEDI, SIENA)
    bool m_isAcknowledged{true}; //!< clients acknowledge events
    CopyTable<Place> m_places;
};

} // namespace mftpubsub::handoff

#endif /* MFTPUBSUB_PROTOCOLS_HANDOFF_TREE_BROKER_H */
