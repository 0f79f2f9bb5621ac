/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "policies/retry-policy.h"

namespace mftpubsub
{

namespace
{

std::shared_ptr<RetryPolicy>
MakeByKind(const PolicyParameters& parameters)
{
    return std::make_shared<FixedRetries>(Find(parameters, "other"), parameters);
}

} // namespace

const Makers<RetryPolicy> RetryPolicy::SHIPPED{
    {"fixed", Make<FixedRetries>("retries")},
    {"by-kind", MakeByKind},
};

FixedRetries::FixedRetries(double retries, const PolicyParameters& byKind)
    : m_retries(retries),
      m_byKind(byKind.begin(), byKind.end())
{
}

bool
FixedRetries::Decide(const NodeView&, NodeId, std::string_view kind, uint32_t attempts)
{
    const auto own = m_byKind.find(kind);
    return attempts <= (own == m_byKind.end() ? m_retries : own->second);
}

} // namespace mftpubsub
