/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WORLDS_HANDOFF_DRAW_H
#define MFTPUBSUB_WORLDS_HANDOFF_DRAW_H

#include "content/event.h"
#include "content/node-id.h"
#include "worlds/handoff-scenario.h"

#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"

namespace mftpubsub
{

/// An event, and who wants it: drawn, and not written as filters.
struct TargetedEvent : Event
{
    std::vector<NodeId> audience; //!< ascending
};

/// Where and when one subscriber moves (handoff.md 10.1): its own random streams, so that it moves
/// alike under every scheme.
class HandoffMovement
{
  public:
    /// @param scenario which outlives this
    HandoffMovement(const HandoffScenario& scenario, uint32_t subscriber);

    /// @return how long a state of @p mean seconds lasts
    ns3::Time Stay(double mean);

    bool TossCoin();

    /// @return the broker where it begins
    NodeId First();

    /// @return the broker where it goes from @p from
    NodeId Next(NodeId from);

  private:
    const HandoffScenario& m_scenario;
    ns3::Ptr<ns3::ExponentialRandomVariable> m_stay;
    ns3::Ptr<ns3::UniformRandomVariable> m_choice;
};

/// Which events one subscriber wants: each with the same probability, by itself.
class HandoffInterest
{
  public:
    HandoffInterest(double probability, uint32_t subscriber);

    /// Asked once for every event, in order.
    bool Wants(uint32_t sequence);

  private:
    /// Geometric distance to the next event that is wanted.
    void Skip();

    double m_probability;
    ns3::Ptr<ns3::UniformRandomVariable> m_random;
    uint32_t m_next{0}; //!< sequence numbers begin at 1
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_WORLDS_HANDOFF_DRAW_H */
