/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_RUN_GIVEN_NODES_H
#define MFTPUBSUB_RUN_GIVEN_NODES_H

#include "scenario/scenario.h"

#include "ns3/node-container.h"

namespace mftpubsub
{

/**
 * Checks nodes that somebody else has made, as ns-3 aborts the process where it could refuse them.
 *
 * @return @p nodes
 * @throws std::invalid_argument if the network of @p scenario cannot be built on @p nodes
 */
const ns3::NodeContainer& CheckGivenNodes(const ns3::NodeContainer& nodes,
                                          const Scenario& scenario);

} // namespace mftpubsub

#endif /* MFTPUBSUB_RUN_GIVEN_NODES_H */
