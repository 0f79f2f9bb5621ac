/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LAB_TREE_LAB_INVARIANTS_H
#define MFTPUBSUB_LAB_TREE_LAB_INVARIANTS_H

#include "lab/tree/lab-state.h"

#include <string>
#include <vector>

namespace mftpubsub
{

/// @return what is wrong in @p state, in which nothing is pending: see TreeLab::FindViolations
std::vector<std::string> FindViolations(const LabState& state);

} // namespace mftpubsub

#endif /* MFTPUBSUB_LAB_TREE_LAB_INVARIANTS_H */
