/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_POLICIES_RETRY_POLICY_H
#define MFTPUBSUB_POLICIES_RETRY_POLICY_H

#include "policies/policy.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace mftpubsub
{

/**
 * Whether a frame is sent once more, or its neighbour is given up. The sources leave it open. Asked
 * with the neighbour, the name of the message's kind, and how often the frame has been sent.
 */
class RetryPolicy : public Policy<bool(NodeId, std::string_view, uint32_t)>
{
  public:
    static const Makers<RetryPolicy> SHIPPED;
};

/// So many retransmissions, for some kinds of messages another number.
class FixedRetries : public RetryPolicy
{
  public:
    /// @param byKind retransmissions by the names of kinds
    explicit FixedRetries(double retries, const PolicyParameters& byKind = {});

    bool Decide(const NodeView& me,
                NodeId neighbour,
                std::string_view kind,
                uint32_t attempts) override;

  private:
    double m_retries;
    std::map<std::string, double, std::less<>> m_byKind;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_POLICIES_RETRY_POLICY_H */
