/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_HANDOFF_THESIS_BROKER_H
#define MFTPUBSUB_PROTOCOLS_HANDOFF_THESIS_BROKER_H

#include "protocols/handoff/broker.h"
#include "protocols/tree/broker.h"

#include <deque>
#include <map>
#include <set>

namespace mftpubsub::handoff
{

/**
 * A machine of the thesis (Phoenix, MFT-PubSub) as a hand-off scheme: its brokers stay, in a tree,
 * and its subscribers' words come as SUB, UNS and RECONNECT.
 *
 * RECONNECT is MIG with the session as timestamp. What a subscriber has not acknowledged when it
 * goes comes back to MFT-PubSub as a delivery that failed; Phoenix is not told that it goes, and
 * replays by its own timestamps. FILTERS is not passed on: filters do not change on the way.
 */
class ThesisBroker : public Broker
{
  public:
    enum class Protocol : uint8_t
    {
        PHOENIX,
        MFT_PUBSUB
    };

    ThesisBroker(NodeId self, const Options& options, Protocol protocol);

    /// @return one for each subscriber, STORING where its queue is and ROUTING on the way to it
    std::vector<CopyView> GetCopies() const override;
    size_t CountHeld() const override;

    void Handle(Instant now, NodeId from, const Sub& sub, Output& output);
    void Handle(Instant now, NodeId from, const Uns& uns, Output& output);
    void Handle(Instant now, NodeId from, const Reconnect& reconnect, Output& output);
    void Handle(Instant now, NodeId from, const Evack& evack, Output& output);
    void Handle(Instant now, NodeId from, const Pub& pub, Output& output);
    void Handle(Instant now, NodeId from, const RoutedSub& sub, Output& output);
    void Handle(Instant now, NodeId from, const RoutedUns& uns, Output& output);
    void Handle(Instant now, NodeId from, const Mig& mig, Output& output);
    void Handle(Instant now, NodeId from, const Rep& rep, Output& output);

  protected:
    void Receive(Instant now, NodeId from, const Message& message, Output& output) override;
    void LinkDown(Instant now, NodeId client, Output& output) override;

  private:
    /// Gives @p message to the machine, and carries out what it answers.
    void Tell(Instant now, NodeId from, const mftpubsub::Message& message, Output& output);

    void CarryOut(const BrokerOutput& answer, size_t heldBefore, Output& output);
    void SendToBroker(NodeId to, const mftpubsub::Message& message, Output& output) const;
    void SendToClient(NodeId client, const mftpubsub::Message& message, Output& output);
    void SendToClient(NodeId client, const Held& held, Output& output);

    /// @return @p event with attributes that the filters of exactly its audience match
    EventPtr Addressed(const EventPtr& event) const;

    /// @return what Addressed was given
    EventPtr Original(const EventPtr& event) const;

    /// @return @p filter, or what stands for it where interests are drawn
    Filter FilterOf(NodeId subscriber, const Filter& filter) const;

    Options m_options;
    Protocol m_protocol;
    std::set<NodeId> m_neighbours;
    std::unique_ptr<mftpubsub::Broker> m_machine;
    std::map<NodeId, Session> m_connected;               //!< subscribers here, with their sessions
    std::map<NodeId, std::deque<Held>> m_unacknowledged; //!< MFT-PubSub: sent to those here
};

} // namespace mftpubsub::handoff

#endif /* MFTPUBSUB_PROTOCOLS_HANDOFF_THESIS_BROKER_H */
