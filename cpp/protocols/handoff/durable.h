/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_HANDOFF_DURABLE_H
#define MFTPUBSUB_PROTOCOLS_HANDOFF_DURABLE_H

#include "protocols/handoff/broker.h"

namespace mftpubsub::handoff
{

/**
 * JMS durable subscriptions (G 1, 5; handoff.md 5.1): every broker that a subscriber has visited
 * stores for it whenever it is not there, for ever. Brokers exchange no message.
 */
class Durable : public Broker
{
  public:
    explicit Durable(const Options& options);

    void Receive(Instant now, NodeId from, const Message& message, Output& output) override;
    void LinkDown(Instant now, NodeId client, Output& output) override;
    std::vector<CopyView> GetCopies() const override;
    size_t CountHeld() const override;

    void Handle(Instant now, NodeId from, const Sub& sub, Output& output);
    void Handle(Instant now, NodeId from, const Uns& uns, Output& output);
    void Handle(Instant now, NodeId from, const Reconnect& reconnect, Output& output);
    void Handle(Instant now, NodeId from, const Evack& evack, Output& output);
    void Handle(Instant now, NodeId from, const Pub& pub, Output& output);

  private:
    struct DurableCopy : Copy
    {
        using Copy::Copy;
        bool serving{false};
    };

    Options m_options;
    CopyTable<DurableCopy> m_copies;
};

} // namespace mftpubsub::handoff

#endif /* MFTPUBSUB_PROTOCOLS_HANDOFF_DURABLE_H */
