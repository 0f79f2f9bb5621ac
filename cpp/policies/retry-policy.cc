/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "policies/retry-policy.h"

#include <utility>

namespace mftpubsub
{

FixedRetries::FixedRetries(uint32_t retries, std::map<uint8_t, uint32_t> byKind)
    : m_retries(retries),
      m_byKind(std::move(byKind))
{
}

bool
FixedRetries::Retry(const NodeView&, NodeId, uint8_t kind, uint32_t attempts)
{
    const auto own = m_byKind.find(kind);
    return attempts <= (own == m_byKind.end() ? m_retries : own->second);
}

} // namespace mftpubsub
