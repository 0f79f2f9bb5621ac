/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_POLICIES_FAILURE_POLICY_H
#define MFTPUBSUB_POLICIES_FAILURE_POLICY_H

#include "policies/policy.h"

#include <cstdint>
#include <string_view>

namespace mftpubsub
{

/// What becomes of a message, and of the link, that the transport has given up.
enum class FailureAction : int32_t
{
    DROP_LINK, //!< no tree neighbour until heard again; the broker is told, and queues
    KEEP_LINK, //!< the broker is told
    RESEND,    //!< the message is sent again, nobody is told
};

/**
 * What to do when the transport has given up a message. Asked with the neighbour, the name of the
 * message's kind, and how often the message has been given up.
 */
class FailurePolicy : public Policy<FailureAction(NodeId, std::string_view, uint32_t)>
{
  public:
    static const Makers<FailurePolicy> SHIPPED;
};

/// Always the same, after so many times of sending again.
class FixedFailureAction : public FailurePolicy
{
  public:
    explicit FixedFailureAction(FailureAction action, double resends = 0);

    FailureAction Decide(const NodeView& me,
                         NodeId neighbour,
                         std::string_view kind,
                         uint32_t failures) override;

  private:
    FailureAction m_action;
    double m_resends;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_POLICIES_FAILURE_POLICY_H */
