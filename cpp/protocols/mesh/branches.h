/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_BRANCHES_H
#define MFTPUBSUB_PROTOCOLS_MESH_BRANCHES_H

#include "protocols/mesh/whereabouts.h"

#include <cstddef>
#include <vector>

namespace mftpubsub::mesh
{

/// Spots to which one way leads from a root at first.
struct Branch
{
    std::vector<size_t> spots; //!< by index, the nearest to the root first
    double metres{0};          //!< of all ways between them, and of the one from the root
};

/// @return the branches of the shortest tree between @p root and @p spots. Between any two of them
/// there are at least 60 degrees, as seen from the root.
std::vector<Branch> GetBranches(const Spot& root, const std::vector<Spot>& spots);

/// @return how long all ways of the shortest tree between @p root and @p spots are together, m
double GetTreeMetres(const Spot& root, const std::vector<Spot>& spots);

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_BRANCHES_H */
