/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "policies/failure-policy.h"

namespace mftpubsub
{

namespace
{

/// @return a maker of a policy that always does @p action
auto
Always(FailureAction action)
{
    return [=](const PolicyParameters&) { return std::make_shared<FixedFailureAction>(action); };
}

std::shared_ptr<FailurePolicy>
MakeResend(const PolicyParameters& parameters)
{
    return std::make_shared<FixedFailureAction>(FailureAction::DROP_LINK,
                                                Find(parameters, "times"));
}

} // namespace

const Makers<FailurePolicy> FailurePolicy::SHIPPED{
    {"drop-link", Always(FailureAction::DROP_LINK)},
    {"keep-link", Always(FailureAction::KEEP_LINK)},
    {"resend", MakeResend},
};

FixedFailureAction::FixedFailureAction(FailureAction action, double resends)
    : m_action(action),
      m_resends(resends)
{
}

FailureAction
FixedFailureAction::Decide(const NodeView&, NodeId, std::string_view, uint32_t failures)
{
    return failures <= m_resends ? FailureAction::RESEND : m_action;
}

} // namespace mftpubsub
