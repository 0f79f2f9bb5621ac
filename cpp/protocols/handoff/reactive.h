/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_HANDOFF_REACTIVE_H
#define MFTPUBSUB_PROTOCOLS_HANDOFF_REACTIVE_H

#include "protocols/handoff/visited-broker.h"

#include <map>
#include <set>

namespace mftpubsub::handoff
{

/// A copy of the reactive scheme.
struct ReactiveCopy : VisitedCopy
{
    /// Another broker, in a session of the subscriber.
    struct Peer
    {
        NodeId broker{NO_NODE};
        Session session{0};
    };

    using VisitedCopy::VisitedCopy;
    bool active{false}; //!< it stores or sends what it matches
    Session session{0};
    std::set<Session> fetched;        //!< sessions whose SUBS is to come
    std::map<Session, NodeId> awaits; //!< brokers whose TRANSFER is to come, by session
    std::vector<Held> collected;      //!< what has come of them
    std::vector<Peer> askers;         //!< who asked for filters that had not come yet
    std::optional<Peer> onward;       //!< who gets everything once it is here

    // reactive-home
    NodeId home{NO_NODE};
    std::optional<Session> lent; //!< at home: to the broker of this session
    bool isBorrowed{false};      //!< elsewhere: it is to go back

    /// @return whether the filters are not here, and may come of a session before @p asked
    bool MayLearnBefore(Session asked) const;
};

/**
 * The reactive scheme (G 1; handoff.md 5.2): when a subscriber turns up at a new broker, that one
 * fetches the filters from the old, subscribes, has them removed there, and gets the stored events.
 *
 * Sessions and `onward` are ours (R4): a subscriber may outrun its own transfer. Filters that come
 * with RECONNECT need not be fetched: REMOVE goes out at once (Burcea et al.: on the device).
 */
class Reactive : public VisitedBroker<ReactiveCopy>
{
  public:
    Reactive(NodeId self, const Options& options);

    std::vector<CopyView> GetCopies() const override;

    using VisitedBroker::Handle;
    void Handle(Instant now, NodeId from, const Reconnect& reconnect, Output& output);
    void Handle(Instant now, NodeId from, const Sub& sub, Output& output);
    void Handle(Instant now, NodeId from, const Pub& pub, Output& output);
    void Handle(Instant now, NodeId from, const Fetch& fetch, Output& output);
    void Handle(Instant now, NodeId from, const Subs& subs, Output& output);
    void Handle(Instant now, NodeId from, const Remove& remove, Output& output);
    void Handle(Instant now, NodeId from, const Transfer& transfer, Output& output);

  protected:
    void Receive(Instant now, NodeId from, const Message& message, Output& output) override;

    /// Keeps what @p transfer brings to @p copy.
    /// @return everything that the subscriber is to get, once nothing more is awaited
    std::optional<std::vector<Held>> Collect(ReactiveCopy& copy, const Transfer& transfer);

    void SendTransfer(NodeId to,
                      NodeId subscriber,
                      Session session,
                      std::vector<Held> events,
                      Output& output) const;

    NodeId m_self;
};

} // namespace mftpubsub::handoff

#endif /* MFTPUBSUB_PROTOCOLS_HANDOFF_REACTIVE_H */
