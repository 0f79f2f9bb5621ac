/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_TREE_MFT_PUBSUB_H
#define MFTPUBSUB_PROTOCOLS_TREE_MFT_PUBSUB_H

#include "protocols/tree/routing-broker.h"

#include <vector>

namespace mftpubsub
{

/**
 * The broker of MFT-PubSub as published (T chapter 4, algorithms 4.1 to 4.4), with the rulings of
 * protocols.md section 4 where the thesis is open or loose.
 *
 * Every word about a subscriber s carries s's own timestamp t and the hops h that it has made; a
 * broker believes the newer word, T_i(s) = (t, h). A broker that gets a new parent migrates for all
 * subscribers below it with one BMIG, which walks the old paths of those subscribers and turns them
 * round; contradictions found on the way are settled by BQUERY and BSUB.
 *
 * It is kept as published, with the failures that protocols.md section 11 lists. Departure: every
 * newer SUB or UNS points its subscriber to where it came from (alg. 4.1 does so for a new filter
 * only, with one next hop for each filter; ruling 1 leaves one for all).
 */
class MftPubsub : public RoutingBroker
{
  public:
    struct Options
    {
        /// Put subscribers whose next hop is the new parent into C, as alg. 4.2 literally has it,
        /// and not into O (ruling 5).
        bool literalChildren{false};
    };

    MftPubsub(NodeId self, Options options, QueueOptions queues = {});

    std::unique_ptr<Broker> Clone() const override;

  protected:
    void ParentChanged(Instant now, NodeId previous, NodeId current, BrokerOutput& output) override;
    void Receive(Instant now, NodeId from, const Message& message, BrokerOutput& output) override;

  private:
    friend class Broker; // calls Handle

    using RoutingBroker::Handle;
    void Handle(NodeId from, const Sub& message, BrokerOutput& output);
    void Handle(NodeId from, const Uns& message, BrokerOutput& output);
    void Handle(NodeId from, const Mig& message, BrokerOutput& output);
    void Handle(NodeId from, const Bmig& message, BrokerOutput& output);
    void Handle(NodeId from, const Bquery& message, BrokerOutput& output);
    void Handle(NodeId from, const Bsub& message, BrokerOutput& output);

    /// Takes note of T_i(s) in a SUB, UNS or MIG. @return whether it was news
    template <typename M>
    bool Accept(NodeId from, const M& message);

    /// Points s to where its SUB or UNS came from, and passes the message on.
    template <typename M>
    void Follow(NodeId from, const M& message, BrokerOutput& output);

    /// Alg. 4.3 lines 3-18: @return C_i, the subscribers of C_j that are (or may be) below @p from
    std::vector<SubscriberFreshness> JudgeChildren(NodeId from,
                                                   const Bmig& message,
                                                   BrokerOutput& output);

    /// Alg. 4.3 lines 19-23.
    void JudgeOthers(NodeId from, const Bmig& message, BrokerOutput& output);

    /// Alg. 4.3 lines 24-26: tells the migrated broker of subscribers that it did not name.
    void TellUnnamed(NodeId from, const Bmig& message, BrokerOutput& output);

    /// Alg. 4.4 sendSubscriptions.
    void SendSubscriptions(NodeId subscriber, NodeId to, BrokerOutput& output) const;

    Options m_options;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_PROTOCOLS_TREE_MFT_PUBSUB_H */
