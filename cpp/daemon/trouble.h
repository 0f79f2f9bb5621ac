/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_DAEMON_TROUBLE_H
#define MFTPUBSUB_DAEMON_TROUBLE_H

#include "content/node-id.h"
#include "live/runner.h"

#include <chrono>
#include <set>
#include <string>

namespace mftpubsub::live
{

/// Says on stderr what is wrong at a node, each thing once.
class Trouble
{
  public:
    explicit Trouble(NodeId node);

    /// Looks at the counters of @p runner, each second at most.
    void Look(const Runner& runner);

    /// Says @p words, once for each @p subject.
    void Say(const std::string& subject, const std::string& words);

  private:
    NodeId m_node;
    std::set<std::string> m_said; //!< subjects
    std::chrono::steady_clock::time_point m_lookAt;
};

} // namespace mftpubsub::live

#endif /* MFTPUBSUB_DAEMON_TROUBLE_H */
