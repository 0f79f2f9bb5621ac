/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_STACKS_HANDOFF_STACK_H
#define MFTPUBSUB_STACKS_HANDOFF_STACK_H

#include <string>
#include <string_view>
#include <vector>

namespace mftpubsub
{

/// @return the names of those hand-off schemes that run on the radio: of brokers that flood
std::vector<std::string> GetRadioHandoffSchemes();

/// @return whether @p protocol is one of these
bool RunsHandoff(std::string_view protocol);

} // namespace mftpubsub

#endif /* MFTPUBSUB_STACKS_HANDOFF_STACK_H */
