/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_RUN_MOBILITY_H
#define MFTPUBSUB_RUN_MOBILITY_H

#include "scenario/scenario.h"

#include "ns3/node-container.h"

namespace mftpubsub
{

/// Puts @p nodes where @p scenario says and gives each its way to move, by ns-3's models, except
/// to those that have a mobility model already. All random draws are from streams of the node.
void InstallMobility(const Scenario& scenario, const ns3::NodeContainer& nodes);

} // namespace mftpubsub

#endif /* MFTPUBSUB_RUN_MOBILITY_H */
