/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/reconfiguration/strawman.h"

namespace mftpubsub::reconfiguration
{

std::unique_ptr<Dispatcher>
Strawman::Clone() const
{
    return std::make_unique<Strawman>(*this);
}

void
Strawman::LinkRemoved(NodeId neighbour, ReconfigurationId /*id*/, Actions& actions)
{
    RemoveLinkTo(neighbour, actions);
}

void
Strawman::LinkAdded(NodeId neighbour, ReconfigurationId /*id*/, Actions& actions)
{
    AddLinkTo(neighbour, actions);
}

} // namespace mftpubsub::reconfiguration
