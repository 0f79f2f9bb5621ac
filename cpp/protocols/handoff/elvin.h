/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_HANDOFF_ELVIN_H
#define MFTPUBSUB_PROTOCOLS_HANDOFF_ELVIN_H

#include "protocols/handoff/broker.h"

#include <deque>
#include <map>
#include <set>

namespace mftpubsub::handoff
{

/**
 * ELVIN's proxy for disconnected clients (Sutton et al. 2001): one
 * broker, the root, gets every publication, keeps what a user's clients subscribe to until it
 * expires, and sends each client what that has not had. Receipt is not destructive: the clients of
 * one user share their subscriptions, and each gets everything. The other brokers keep nothing.
 */
class Elvin : public Broker
{
  public:
    Elvin(NodeId self, const Options& options);

    std::optional<Instant> NextTimer() const override;
    std::vector<CopyView> GetCopies() const override;
    /// An event of a user's store counts once, however many of the user's clients lack it.
    size_t CountHeld() const override;

    // From clients
    void Handle(Instant now, NodeId from, const Sub& sub, Output& output);
    void Handle(Instant now, NodeId from, const Uns& uns, Output& output);
    void Handle(Instant now, NodeId from, const Reconnect& reconnect, Output& output);
    void Handle(Instant now, NodeId from, const Evack& evack, Output& output);
    void Handle(Instant now, NodeId from, const Pub& pub, Output& output);

    // Between the clients' brokers and the proxy
    void Handle(Instant now, NodeId from, const RouteTo& route, Output& output);
    void Handle(Instant now, NodeId from, const Detach& detach, Output& output);
    void Handle(Instant now, NodeId from, const Notify& notify, Output& output);

  protected:
    void Receive(Instant now, NodeId from, const Message& message, Output& output) override;
    void LinkDown(Instant now, NodeId client, Output& output) override;
    void Expire(Instant now, Output& output) override;

  private:
    struct Stored
    {
        Instant expiry{0};
        Held held;
    };

    /// What the proxy keeps for the clients of one user, oldest first, and who they are.
    struct Store
    {
        std::deque<Stored> events;
        uint64_t bytes{0};
        std::set<NodeId> clients;
    };

    /// What the proxy knows of one client.
    struct Attachment
    {
        NodeId user{NO_NODE};
        NodeId broker{NO_NODE}; //!< NO_NODE while it is away
        Session session{0};
        Consumed had;
    };

    bool IsProxy() const;
    void Tell(Instant now, NodeId to, const Message& message, Output& output);
    void Keep(Store& store, Stored stored) const;
    std::vector<Held> FindMissed(const Attachment& client) const;

    NodeId m_self;
    Options m_options;
    std::map<NodeId, Session> m_connected;      //!< clients that are here
    std::map<NodeId, Session> m_ended;          //!< when it unsubscribed, by client
    std::map<NodeId, Store> m_stores;           //!< at the proxy, by user
    std::map<NodeId, Attachment> m_attachments; //!< at the proxy, by client
    CopyTable<Copy> m_wanted;                   //!< at the proxy, by client; its buffers stay empty
};

} // namespace mftpubsub::handoff

#endif /* MFTPUBSUB_PROTOCOLS_HANDOFF_ELVIN_H */
