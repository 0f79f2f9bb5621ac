/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_POLICIES_EMMA_CONTROLLER_H
#define MFTPUBSUB_POLICIES_EMMA_CONTROLLER_H

#include "content/instant.h"
#include "content/node-id.h"
#include "policies/parent-policy.h"

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace mftpubsub
{

/// @return EMMA's latency group of a broker at this round trip: 0 to 2, 2 to 5, 5 to 10 ms, more
uint32_t GetLatencyGroup(Instant roundTrip);

/**
 * On the radio nobody pings (ours): the round trip is that of two frames of 31 bytes, each sent
 * until it arrives. What frames wait for is left out, as it is the same whoever they are for.
 *
 * @param rssiDbm strength at which a broker is heard, dBm
 * @return its latency group
 */
uint32_t GetLatencyGroup(double rssiDbm);

/**
 * EMMA's controller (Rausch et al. 2018): it is told how far each
 * client is from each broker, and where clients are, and says where each of them should be: at the
 * least loaded broker of the best group that it measured.
 *
 * A broker's load is its other clients (ours): so nobody is sent to where it would be no better
 * off, and back again.
 */
class EmmaController
{
  public:
    /// @param group of @p broker as @p client sees it, the best is 0
    void Measured(NodeId client, NodeId broker, uint32_t group);

    /// What @p client measured before counts no more.
    void Forget(NodeId client);

    /// @p client is at @p broker now; NO_NODE: at none.
    void Attached(NodeId client, NodeId broker);

    /// @return where @p client should be; NO_NODE if it has measured nothing
    NodeId Choose(NodeId client) const;

  private:
    uint32_t CountOthers(NodeId client, NodeId broker) const;

    std::map<NodeId, std::map<NodeId, uint32_t>> m_groups; //!< by client and broker
    std::map<NodeId, NodeId> m_brokers;                    //!< by client
};

/**
 * The controller as a client policy: one object for all clients of a run, which is within
 * everybody's reach and costs no frames. A client that has not asked in three whole rounds of
 * another one has gone, and is no load.
 */
class EmmaControlled : public ParentPolicy
{
  public:
    NodeId Decide(const NodeView& me,
                  const Candidate* current,
                  const std::vector<Candidate>& candidates) override;

  private:
    /// When a client asked.
    struct Asked
    {
        int64_t last{0};                               //!< ns
        std::pair<NodeId, uint32_t> round{NO_NODE, 0}; //!< in which leader's round
        std::array<int64_t, 4> begins{-1, -1, -1, -1}; //!< of its last rounds, ns
    };

    /// @p me is there, and whom it has not met for long is not.
    void NoteAsked(const NodeView& me);

    EmmaController m_controller;
    std::map<NodeId, Asked> m_asked; //!< by client
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_POLICIES_EMMA_CONTROLLER_H */
