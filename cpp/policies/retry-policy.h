/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_POLICIES_RETRY_POLICY_H
#define MFTPUBSUB_POLICIES_RETRY_POLICY_H

#include "overlay/node-view.h"

#include <cstdint>
#include <map>

namespace mftpubsub
{

/// How often a frame is sent again before its neighbour is given up. The sources leave it open.
class RetryPolicy
{
  public:
    virtual ~RetryPolicy() = default;

    /**
     * @param neighbour that has not acknowledged the frame
     * @param kind of its message
     * @param attempts times that it has been sent
     * @return whether to send it once more
     */
    virtual bool Retry(const NodeView& me, NodeId neighbour, uint8_t kind, uint32_t attempts) = 0;
};

/// So many retransmissions, for some kinds of messages another number.
class FixedRetries : public RetryPolicy
{
  public:
    explicit FixedRetries(uint32_t retries, std::map<uint8_t, uint32_t> byKind = {});

    bool Retry(const NodeView& me, NodeId neighbour, uint8_t kind, uint32_t attempts) override;

  private:
    uint32_t m_retries;
    std::map<uint8_t, uint32_t> m_byKind;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_POLICIES_RETRY_POLICY_H */
