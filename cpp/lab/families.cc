/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/handoff/handoff-commands.h"
#include "lab/mesh/mesh-commands.h"
#include "lab/reconfiguration/reconfiguration-commands.h"
#include "lab/tree/tree-commands.h"

namespace mftpubsub
{

/// A protocol that several families have is that of the first: dispatchers also run on T's tree.
const std::vector<LabFamily>&
GetLabFamilies()
{
    static const std::vector<LabFamily> families{ReconfigurationCommands::GetFamily(),
                                                 TreeCommands::GetFamily(),
                                                 HandoffCommands::GetFamily(),
                                                 MeshCommands::GetFamily()};
    return families;
}

} // namespace mftpubsub
