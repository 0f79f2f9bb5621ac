/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_TREE_MFT_PUBSUB_R_H
#define MFTPUBSUB_PROTOCOLS_TREE_MFT_PUBSUB_R_H

#include "protocols/tree/routing-broker.h"

#include <map>
#include <set>
#include <vector>

namespace mftpubsub
{

/**
 * MFT-PubSub, repaired (protocols.md section 11): the messages of T chapter 4, with rules under
 * which no interleaving of migrations, partitions, crashes and client moves leaves a wrong routing
 * table or loses an event. docs/protocols.md argues why.
 *
 * For each subscriber s, every link of the tree is claimed exactly once: one of its ends has the
 * other as next hop towards s, or a claim is on its way over it. A claim says "s is on my side";
 * who receives one turns its next hop to the sender and claims the link that it turned away from.
 * Only the home, the broker that s is attached to, answers a claim with one of its own, and it
 * gives way to a later home alone: s's timestamp at its arrival says which is later. A broker that
 * opens a link to a new parent settles its claim for every s in one BMIG: O are those for whom it
 * has no way itself, who are the parent's from now on; C it claims. A link between neighbours that
 * merely turn their parenthood round is settled already and costs nothing.
 *
 * Filters are spread apart from claims, whole, under the timestamp of the SUB or UNS that made
 * them, which is what the table has as freshness: the newer set wins, and who is told an older one
 * answers with its own. A home that is told a newer set than it has asks s by FILTERS, for s alone
 * knows.
 *
 * An event that matches s once travels for s by name (PUB says for whom), so what brokers on the
 * way have heard of s's filters does not matter any more; without a way it is queued.
 *
 * Departures from T: hop counts are not used (sent as 0); SUB, UNS and MIG go from the client to
 * its broker only, whose BSUB tells the others; BSUB's h says what it claims (see Claim).
 */
class MftPubsubR : public RoutingBroker
{
  public:
    explicit MftPubsubR(NodeId self, QueueOptions queues = {});

    std::unique_ptr<Broker> Clone() const override;
    void LinkUp(NodeId neighbour) override;
    void LinkDown(NodeId neighbour) override;
    void ParentChanged(NodeId previous, NodeId current, BrokerOutput& output) override;
    void Receive(NodeId from, const Message& message, BrokerOutput& output) override;
    void DeliveryFailed(NodeId to, const Message& message, BrokerOutput& output) override;
    std::string GetDigest() const override;

  private:
    friend class Broker; // calls Handle

    /// What a BSUB says about the link that it comes over: its h.
    enum Claim : uint8_t
    {
        TELLS = 0,  //!< nothing, only filters
        CLAIMS = 1, //!< s is on the sender's side
        OPENS = 2,  //!< the same, and the sender knew of no claim for s on this link before
    };

    static constexpr uint8_t OPENING = 0;              //!< h of a BMIG that opens a link ...
    static constexpr uint8_t PASSED_ON = 1;            //!< ... that goes on with its claims ...
    static constexpr uint8_t REOPENING = UNKNOWN_HOPS; //!< ... that opens a link again, when asked

    /// A link to a tree neighbour.
    struct Link
    {
        bool opened{false}; //!< a BMIG has opened it, or is on its way from here
        bool mine{false};   //!< this broker opened it
        bool spoken{false}; //!< this broker has claimed by other words than the opening
        bool heard{false};  //!< and so has the other
        bool asked{false};  //!< for the other to open it again
        unsigned deaf{0}; //!< they have to begin anew: claims are void until they say so, so often
        std::set<NodeId> claimed; //!< the subscribers for whom it has been claimed by either end
    };

    /// Claims to be passed on in one BMIG each, by receiver.
    using Waves = std::map<NodeId, std::vector<SubscriberFreshness>>;

    using RoutingBroker::Handle;
    void Handle(NodeId from, const Sub& message, BrokerOutput& output);
    void Handle(NodeId from, const Uns& message, BrokerOutput& output);
    void Handle(NodeId from, const Mig& message, BrokerOutput& output);
    void Handle(NodeId from, const Pub& message, BrokerOutput& output);
    void Handle(NodeId from, const Bmig& message, BrokerOutput& output);
    void Handle(NodeId from, const Bquery& message, BrokerOutput& output);
    void Handle(NodeId from, const Bsub& message, BrokerOutput& output);

    /// Opens the link to @p to, @p hops = OPENING or REOPENING: settles it for all subscribers.
    void Open(NodeId to, uint8_t hops, BrokerOutput& output);

    /// @p from has opened the link between us. @return false if our own opening stands against it
    bool TakeOpening(NodeId from, uint8_t hops, BrokerOutput& output);

    /**
     * Asks @p neighbour to open the link again, if this broker alone has seen it break: on a radio
     * one end may give up on a link that the other believes in all along.
     */
    void AskToOpen(NodeId neighbour, BrokerOutput& output);

    /// Also asks neighbours for a way.
    void Enqueue(NodeId subscriber, const EventPtr& event, BrokerOutput& output) override;

    /// Makes the subscribers that are reached by @p neighbour unreachable.
    void Unroute(NodeId neighbour);

    /// What an opening BMIG says of filters, and what it does not mention.
    void CompareContents(NodeId from, const Bmig& message, BrokerOutput& output);

    /**
     * @p from claims @p subscriber: turns to it, unless this is the home.
     *
     * @param home t with which s came to the home that claims it, 0 if no home speaks
     * @return the neighbour turned away from, which has to be claimed now; NO_NODE if there is none
     */
    NodeId Turn(NodeId subscriber, NodeId from, uint32_t home, BrokerOutput& output);

    /// A word of @p subscriber itself has come: this is its home now.
    void BecomeHome(NodeId subscriber, uint32_t timestamp, BrokerOutput& output);

    /// After a SUB or UNS: tells everybody.
    void ChangeFilters(NodeId subscriber,
                       const std::set<Filter>& before,
                       uint32_t timestamp,
                       BrokerOutput& output);

    /// Tells every neighbour but @p except of the filters of @p subscriber.
    void Spread(NodeId subscriber, const std::set<NodeId>& except, BrokerOutput& output);

    /// Tells @p to of the filters, and claims the link if nobody has yet.
    void Tell(NodeId subscriber, NodeId to, BrokerOutput& output);

    void SendSubscriptions(NodeId subscriber,
                           NodeId to,
                           Claim claim,
                           uint32_t home,
                           BrokerOutput& output);

    /// Sends @p waves as BMIG.
    void PassOn(Waves& waves, BrokerOutput& output);

    /// @p node lives: repeats what could not be brought to it.
    void PayOwed(NodeId node, BrokerOutput& output);

    uint32_t GetTimestamp(NodeId subscriber) const;
    std::set<Filter> GetFilterSet(NodeId subscriber) const;

    std::map<NodeId, uint32_t> m_homes;            //!< subscribers attached here, and since which t
    std::map<NodeId, Link> m_links;                //!< by neighbour
    std::set<NodeId> m_dropped;                    //!< of whose open links this end has let go
    std::map<NodeId, std::vector<Message>> m_owed; //!< undelivered to one still connected
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_PROTOCOLS_TREE_MFT_PUBSUB_R_H */
