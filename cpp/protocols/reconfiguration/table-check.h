/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_RECONFIGURATION_TABLE_CHECK_H
#define MFTPUBSUB_PROTOCOLS_RECONFIGURATION_TABLE_CHECK_H

#include "protocols/reconfiguration/dispatcher.h"
#include "protocols/reconfiguration/forest.h"

#include <functional>
#include <string>
#include <vector>

namespace mftpubsub::reconfiguration
{

/// Rows of a table, by neighbour in the order of Forest::GetNeighbours.
using Rows = std::vector<Patterns>;

/// @return by dispatcher, the rows that subscription forwarding builds from scratch on @p tree
/// @param wanted what the clients of each dispatcher want
std::vector<Rows> BuildTables(const Forest& tree, const std::vector<Patterns>& wanted);

/// @return what is wrong with machines of which nothing is under way: rows that are not as from
/// scratch, neighbours that are not those of @p tree, things still waited for
std::vector<std::string> FindFaults(
    const Forest& tree,
    const std::function<const Dispatcher&(NodeId)>& dispatcher,
    const Namer& name = [](NodeId node) { return std::to_string(node); });

} // namespace mftpubsub::reconfiguration

#endif /* MFTPUBSUB_PROTOCOLS_RECONFIGURATION_TABLE_CHECK_H */
