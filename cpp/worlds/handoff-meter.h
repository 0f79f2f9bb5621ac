/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WORLDS_HANDOFF_METER_H
#define MFTPUBSUB_WORLDS_HANDOFF_METER_H

#include "protocols/handoff/broker.h"
#include "worlds/handoff-world.h"

#include "ns3/nstime.h"

#include <vector>

namespace mftpubsub
{

/// Counts what happens in a hand-off scenario, when it does: within the window, and what becomes of
/// events published within it.
class HandoffMeter
{
  public:
    explicit HandoffMeter(const HandoffScenario& scenario);

    /// @return whether it is being measured now
    bool IsInWindow() const;

    /// The next event is published.
    void Published();

    /// An event has been given to every broker, not by a message.
    void Flooded();

    /// @p message is sent over @p hops links of the tree.
    void Sent(const handoff::Message& message, uint64_t hops);

    void Answered(NodeId broker, const handoff::Output& output);

    /// A subscriber has turned up at another broker.
    void Moved();

    void Received(NodeId broker, const handoff::Held& held, bool isDuplicate);

    /// The first event since a subscriber turned up elsewhere, at @p reconnected.
    void ReceivedFirst(ns3::Time reconnected);

    /// A subscriber has been at @p broker since @p since.
    void WasConnected(NodeId broker, ns3::Time since);

    /// @p held events are in all buffers.
    void SampleHeld(size_t held);

    /// @return what the brokers did since the last call, as time
    ns3::Time TakeWork();

    /// @return the counts; nothing is left. Subscribers know what was wanted and lost.
    HandoffResult Finish();

  private:
    /// Work of the brokers.
    struct Work
    {
        uint64_t delivered{0};
        uint64_t stored{0};
        uint64_t control{0};
        uint64_t transferred{0};
    };

    bool IsInWindow(ns3::Time time) const;

    ns3::Time m_windowStart;
    ns3::Time m_windowEnd;
    HandoffCosts m_costs;
    HandoffResult m_result;
    Work m_work;
    std::vector<ns3::Time> m_publishedAt; //!< by sequence number
    uint64_t m_heldSamples{0};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_WORLDS_HANDOFF_METER_H */
