/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_WIRE_ROWS_H
#define MFTPUBSUB_HOSTS_WIRE_ROWS_H

#include "protocols/machine.h"

#include <map>
#include <string>
#include <vector>

namespace mftpubsub
{

/// A row of what a node knows and holds, as it is from an instant on.
struct WireRow
{
    double seconds{0};
    NodeId node{NO_NODE};
    std::string name; //!< whom it is for
    std::string text; //!< empty: it is gone
};

/// Keeps what changes in the rows of nodes.
class WireRowLog
{
  public:
    /// @p node has these rows now.
    void Note(NodeId node, Description rows);

    /// @return all changes so far, in order of time
    std::vector<WireRow> Take();

  private:
    std::map<NodeId, Description> m_latest;
    std::vector<WireRow> m_changes;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_WIRE_ROWS_H */
