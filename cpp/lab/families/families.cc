/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/families/handoff-commands.h"
#include "lab/families/mesh-commands.h"
#include "lab/families/reconfiguration-commands.h"
#include "lab/families/tree-commands.h"

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
