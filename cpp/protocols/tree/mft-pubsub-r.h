/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_TREE_MFT_PUBSUB_R_H
#define MFTPUBSUB_PROTOCOLS_TREE_MFT_PUBSUB_R_H

#include "protocols/tree/addressing-broker.h"
#include "protocols/tree/tree-links.h"

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
 * For each subscriber s, every open link of the tree is claimed exactly once: one of its ends has
 * the other as next hop towards s, or a claim is on its way over it. A claim says "s is on my
 * side"; who receives one turns its next hop to the sender and claims the link that it turned away
 * from. Only the home, the broker that s is attached to, answers a claim with one of its own, and
 * it gives way to a later home alone: s's timestamp at its arrival says which is later. A broker
 * opens the link to its parent once a session: it settles the claim for every s that it knows in
 * one BMIG. O are those for whom it has no way itself, who are the parent's from now on; C it
 * claims. Nothing is said on a link before. A link between neighbours that merely turn their
 * parenthood round is open already and costs nothing.
 *
 * Filters are spread apart from claims, whole, under the timestamp of the SUB or UNS that made
 * them, which is what the table has as freshness: the newer set wins, and who is told an older one
 * answers with its own. A home that is told a newer set than it has asks s by FILTERS, for s alone
 * knows.
 *
 * Departures from T: hop counts are not used (sent as 0); SUB, UNS and MIG go from the client to
 * its broker only, whose BSUB tells the others.
 */
class MftPubsubR : public AddressingBroker
{
  public:
    MftPubsubR(NodeId self, const AddressingLimits& limits, QueueOptions queues = {});

    std::unique_ptr<Broker> Clone() const override;
    std::string GetDigest() const override;

  protected:
    void LinkUp(Instant now, NodeId neighbour, BrokerOutput& output) override;
    void LinkDown(Instant now, NodeId neighbour, BrokerOutput& output) override;
    void LinkReset(Instant now, NodeId neighbour, BrokerOutput& output) override;
    void ParentChanged(Instant now, NodeId previous, NodeId current, BrokerOutput& output) override;
    void Receive(Instant now, NodeId from, const Message& message, BrokerOutput& output) override;
    void NeighbourAlive(Instant now, NodeId neighbour, BrokerOutput& output) override;

  private:
    friend class Broker; // calls Handle

    using Link = TreeLinks::Link;

    /// Claims to be passed on in one BMIG each, by receiver.
    using Waves = std::map<NodeId, std::vector<SubscriberFreshness>>;

    using AddressingBroker::Handle;
    void Handle(NodeId from, const Sub& message, BrokerOutput& output);
    void Handle(NodeId from, const Uns& message, BrokerOutput& output);
    void Handle(NodeId from, const Mig& message, BrokerOutput& output);
    void Handle(NodeId from, const OpeningBmig& message, BrokerOutput& output);
    void Handle(NodeId from, const ClaimingBmig& message, BrokerOutput& output);
    void Handle(NodeId from, const Yield& message, BrokerOutput& output);
    void Handle(NodeId from, const Bquery& message, BrokerOutput& output);
    void Handle(NodeId from, const Bsub& message, BrokerOutput& output);
    void Handle(NodeId from, const ClaimingBsub& message, BrokerOutput& output);

    bool IsOpen(NodeId neighbour) const override;

    /// Opens the link to @p to: settles it for all subscribers.
    void Open(NodeId to, BrokerOutput& output);

    /// @p from has opened @p link between us. @return false if our own opening stands against it
    bool TakeOpening(NodeId from, Link& link, BrokerOutput& output);

    /// Makes the subscribers that are reached by @p neighbour unreachable.
    void Unroute(NodeId neighbour);

    /// What an opening BMIG says of filters, and what it does not mention.
    void CompareContents(NodeId from, const OpeningBmig& message, BrokerOutput& output);

    using News = RoutingTable::News;

    /// Tells of newer filters everybody but @p told, and @p from if it has older ones.
    void Answer(News news,
                NodeId subscriber,
                NodeId from,
                const std::set<NodeId>& told,
                BrokerOutput& output);

    /// Turns to @p from for all of @p children. @return whom this turns away from, with the claims
    Waves TurnAll(NodeId from,
                  const std::vector<SubscriberFreshness>& children,
                  BrokerOutput& output);

    /**
     * @p from claims @p subscriber: turns to it, unless this is the home.
     *
     * @param home t with which s came to the home that claims it, 0 if no home speaks
     * @return the neighbour turned away from, which has to be claimed now; NO_NODE if there is none
     */
    NodeId Turn(NodeId subscriber, NodeId from, uint32_t home, BrokerOutput& output);

    /// A word of @p subscriber itself has come: this is its home now.
    void BecomeHome(NodeId subscriber, uint32_t timestamp, BrokerOutput& output);

    /// A SUB or UNS: makes the @p change, and tells everybody.
    template <typename M>
    void ChangeFilters(NodeId from,
                       const M& message,
                       void (RoutingTable::*change)(NodeId, const Filter&),
                       BrokerOutput& output);

    /// Tells every neighbour but @p except of the filters of @p subscriber.
    void Spread(NodeId subscriber, const std::set<NodeId>& except, BrokerOutput& output);

    /// Tells @p to of the filters, and claims the link if nobody has yet; if it is open.
    void Tell(NodeId subscriber, NodeId to, BrokerOutput& output);

    void Claim(NodeId subscriber, NodeId to, uint32_t home, bool isFirst, BrokerOutput& output);

    /// Sends @p waves as BMIG.
    static void PassOn(Waves waves, BrokerOutput& output);

    std::map<NodeId, uint32_t> m_homes; //!< subscribers attached here, and since which t
    TreeLinks m_links;
    NodeId m_parent{NO_NODE}; //!< to whom the link is for this broker to open
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_PROTOCOLS_TREE_MFT_PUBSUB_R_H */
