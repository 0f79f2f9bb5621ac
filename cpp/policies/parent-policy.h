/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_POLICIES_PARENT_POLICY_H
#define MFTPUBSUB_POLICIES_PARENT_POLICY_H

#include "policies/policy.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace mftpubsub
{

/// A broker whose heartbeat was heard, as a policy sees it.
struct Candidate
{
    NodeId id{NO_NODE};
    double rssiDbm{0};      //!< of the heartbeat
    uint16_t hops{0};       //!< to the leader, as it announced
    NodeId parent{NO_NODE}; //!< its own, as it announced
    int32_t advertised{-1}; //!< what its policy advertises, 0 to 255; -1: nothing
    uint32_t arrival{0};    //!< how many were heard before it in its round: 0 was the first
    double ageSeconds{0};   //!< since it was heard
};

/**
 * Which broker a broker (or a client) has as its parent. T 5.2 names better trees than that of the
 * first senders as future work.
 *
 * Asked at each heartbeat of the newest round with the present parent as it was heard last, nullptr
 * if there is none that may be kept, and the candidates: heard in this round so far and free of
 * loops, in order of arrival. Answers with the id of one of these, or NO_NODE for "none new": the
 * present one, if there is one.
 */
class ParentPolicy : public Policy<NodeId(const Candidate*, const std::vector<Candidate>&)>
{
  public:
    static const Makers<ParentPolicy> SHIPPED;

    /// @return what the heartbeats of @p me are to tell others' policies, if anything
    virtual std::optional<uint8_t> Advertise(const NodeView& me);
};

/// The first sender of the round (T 2.5, J 4).
class FirstHeard : public ParentPolicy
{
  public:
    NodeId Decide(const NodeView& me,
                  const Candidate* current,
                  const std::vector<Candidate>& candidates) override;
};

/// A parent is kept unless another's signal is stronger by a margin; with none, the strongest.
class StrongestLink : public ParentPolicy
{
  public:
    explicit StrongestLink(double marginDb = 0);

    NodeId Decide(const NodeView& me,
                  const Candidate* current,
                  const std::vector<Candidate>& candidates) override;

  private:
    double m_marginDb;
};

/// The slowest broker, and no change among equals: a backbone of slow nodes (T 5.2).
class SlowNodeBackbone : public ParentPolicy
{
  public:
    NodeId Decide(const NodeView& me,
                  const Candidate* current,
                  const std::vector<Candidate>& candidates) override;

    /// @return the speed in 0.1 m/s, 25.5 m/s at most
    std::optional<uint8_t> Advertise(const NodeView& me) override;
};

/// The broker with the fewest children besides us: a balanced tree (T 5.2).
class BalancedFanOut : public ParentPolicy
{
  public:
    NodeId Decide(const NodeView& me,
                  const Candidate* current,
                  const std::vector<Candidate>& candidates) override;

    /// @return the number of children
    std::optional<uint8_t> Advertise(const NodeView& me) override;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_POLICIES_PARENT_POLICY_H */
