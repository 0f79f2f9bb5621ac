/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LAB_TREE_LAB_REDUCTION_H
#define MFTPUBSUB_LAB_TREE_LAB_REDUCTION_H

#include "lab/tree/lab-state.h"

#include <cstddef>
#include <vector>

namespace mftpubsub
{

/**
 * Deliveries to different processes commute, so that a search need not try all their orders: if
 * nothing else can reach some process before a message that is under way to it does, the next
 * deliveries to this process are a persistent set (Godefroid 1996). A search that follows only
 * persistent sets sees every quiet state that deliveries can lead to.
 *
 * @return the indices in GetChoices() of a persistent set; all if none is smaller
 */
std::vector<size_t> FindPersistentChoices(const LabState& state);

} // namespace mftpubsub

#endif /* MFTPUBSUB_LAB_TREE_LAB_REDUCTION_H */
