/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_HANDOFF_VISITED_BROKER_H
#define MFTPUBSUB_PROTOCOLS_HANDOFF_VISITED_BROKER_H

#include "protocols/handoff/broker.h"

namespace mftpubsub::handoff
{

/// A copy where the subscriber is, or has been.
struct VisitedCopy : Copy
{
    using Copy::Copy;
    bool serving{false};
};

/**
 * What the schemes share that have copies only where a subscriber is or has been: the broker serves
 * it while it is there, and stores for it when it has gone.
 *
 * @tparam T a VisitedCopy
 */
template <typename T>
class VisitedBroker : public Broker
{
  public:
    explicit VisitedBroker(const Options& options)
        : m_options(options)
    {
    }

    std::vector<CopyView> GetCopies() const override
    {
        std::vector<CopyView> views;
        for (const auto subscriber : m_copies.GetSubscribers())
        {
            const auto& copy = m_copies.Get(subscriber);
            auto& view = views.emplace_back();
            view.subscriber = subscriber;
            view.state = copy.serving ? "SERVING" : "STORING";
            view.buffer = GetIds(copy.buffer);
            view.temp = GetIds(copy.temp);
        }
        return views;
    }

    size_t CountHeld() const override
    {
        return m_copies.CountHeld();
    }

    void Handle(Instant, NodeId, const Sub& sub, Output&)
    {
        auto& copy = m_copies.Touch(sub.subscriber, m_options);
        copy.serving = true;
        auto filters = copy.filters;
        filters.push_back(sub.filter);
        m_copies.SetFilters(sub.subscriber, filters);
    }

    void Handle(Instant, NodeId, const Uns& uns, Output&)
    {
        m_copies.Erase(uns.subscriber);
    }

    void Handle(Instant, NodeId, const Evack& evack, Output&)
    {
        if (auto* copy = m_copies.Find(evack.subscriber); copy && copy->serving)
        {
            Acknowledge(copy->unacknowledged, evack.id);
        }
    }

  protected:
    void LinkDown(Instant, NodeId client, Output&) override
    {
        if (auto* copy = m_copies.Find(client))
        {
            copy->serving = false;
            ReturnUnacknowledged(*copy);
        }
    }

    /// Delivers @p held if the subscriber of @p copy is here, else stores it.
    static void DeliverOrStore(NodeId subscriber, T& copy, const Held& held, Output& output)
    {
        if (copy.serving)
        {
            Deliver(subscriber, copy, held, output);
        }
        else
        {
            Store(copy.buffer, held, output);
        }
    }

    /// Delivers what waits for the subscriber of @p copy, who is here.
    static void DeliverBuffer(NodeId subscriber, T& copy, Output& output)
    {
        for (const auto& held : copy.buffer.Take())
        {
            Deliver(subscriber, copy, held, output);
        }
    }

    Options m_options;
    CopyTable<T> m_copies;
};

} // namespace mftpubsub::handoff

#endif /* MFTPUBSUB_PROTOCOLS_HANDOFF_VISITED_BROKER_H */
