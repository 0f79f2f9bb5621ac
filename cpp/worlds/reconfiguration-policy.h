/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WORLDS_RECONFIGURATION_POLICY_H
#define MFTPUBSUB_WORLDS_RECONFIGURATION_POLICY_H

#include "worlds/reconfiguration-draw.h"

namespace mftpubsub
{

/**
 * Draws which links break and which replace them. Among the links that are up the broken one is
 * drawn uniformly, and the new one where dispatchers have free places:
 *
 * - shared: one end of the old link, drawn, stays an end; the other end is any dispatcher of the
 *   other part;
 * - nearby: the same, at most four hops from the end that the link has left;
 * - uniform: any dispatcher of each part;
 * - cycle: the new link is drawn first, and then the one that breaks, of the cycle that it closes.
 *
 * What is possible is asked again when the new link comes, since other links may be missing then:
 * if nothing is, any two dispatchers with free places do, and if there are none the old link.
 *
 * @throws std::invalid_argument for an unknown policy
 */
std::vector<ReconfigurationWorld::Change> DrawChanges(reconfiguration::Forest tree,
                                                      const WorldOptions& options);

} // namespace mftpubsub

#endif /* MFTPUBSUB_WORLDS_RECONFIGURATION_POLICY_H */
