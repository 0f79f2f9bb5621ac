/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "radios/wired-medium.h"

namespace mftpubsub
{

WiredMedium::WiredMedium(const ns3::NodeContainer& nodes)
    : PlacedMedium(nodes)
{
}

bool
WiredMedium::IsUsable(NodeId from, NodeId to) const
{
    return from != to && !IsCut(from, to);
}

double
WiredMedium::GetStrengthDbm(NodeId, NodeId) const
{
    return 0;
}

void
WiredMedium::OnLinksChanged(std::function<void()>)
{
    // Nothing that moves changes them; who cuts links knows it.
}

void
WiredMedium::OnSignalEnded(SignalEnded)
{
    // Such devices do not tell.
}

bool
WiredMedium::IsSampled() const
{
    return true;
}

} // namespace mftpubsub
