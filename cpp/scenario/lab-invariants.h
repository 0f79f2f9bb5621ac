/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_SCENARIO_LAB_INVARIANTS_H
#define MFTPUBSUB_SCENARIO_LAB_INVARIANTS_H

#include "scenario/lab-state.h"

#include <string>
#include <vector>

namespace mftpubsub
{

/// @return what is wrong in @p state, in which nothing is pending: see Lab::FindViolations
std::vector<std::string> FindViolations(const LabState& state);

} // namespace mftpubsub

#endif /* MFTPUBSUB_SCENARIO_LAB_INVARIANTS_H */
