/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_CONTENT_MATCHER_H
#define MFTPUBSUB_CONTENT_MATCHER_H

#include "content/filter.h"

#include <memory>
#include <vector>

namespace mftpubsub
{

/**
 * Matches one event against every filter of a routing table at once (protocols.md section 7).
 *
 * Holds (subscriber, filter) pairs; a pair inserted twice is held once.
 */
class Matcher
{
  public:
    Matcher();
    ~Matcher();
    Matcher(Matcher&&) noexcept;
    Matcher& operator=(Matcher&&) noexcept;

    void Insert(NodeId subscriber, const Filter& filter);

    /// Does nothing when the pair is not held.
    void Remove(NodeId subscriber, const Filter& filter);

    /// @return the subscribers with at least one filter that matches @p event, ascending, each once
    std::vector<NodeId> Match(const Event& event) const;

  private:
    class Index;
    std::unique_ptr<Index> m_index;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_CONTENT_MATCHER_H */
