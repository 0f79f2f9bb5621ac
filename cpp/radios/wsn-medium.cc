/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "radios/wsn-medium.h"

#include <utility>

namespace mftpubsub
{

WsnMedium::WsnMedium(ns3::Ptr<WirelessChannel> channel)
    : m_channel(channel)
{
}

Position
WsnMedium::GetPosition(NodeId node) const
{
    return m_channel->GetPosition(node);
}

bool
WsnMedium::IsUsable(NodeId from, NodeId to) const
{
    return m_channel->IsUsable(from, to);
}

std::vector<uint32_t>
WsnMedium::GetUsableLinks(NodeId from) const
{
    return m_channel->GetUsableLinks(from);
}

double
WsnMedium::GetStrengthDbm(NodeId from, NodeId to) const
{
    return m_channel->GetStrengthDbm(from, to);
}

void
WsnMedium::OnLinksChanged(std::function<void()> changed)
{
    m_channel->TraceConnectWithoutContext("PositionsUpdated",
                                          ns3::Callback<void>(std::move(changed)));
}

bool
WsnMedium::IsSampled() const
{
    return true;
}

void
WsnMedium::OnSignalEnded(SignalEnded ended)
{
    const auto tell =
        [ended = std::move(ended)](uint32_t receiver, uint64_t frame, const EndedSignal& signal) {
            ended(static_cast<NodeId>(receiver), frame, signal.outcome);
        };
    m_channel->TraceConnectWithoutContext(
        "SignalEnd",
        ns3::Callback<void, uint32_t, uint64_t, const EndedSignal&>(tell));
}

void
WsnMedium::SetLinkFilter(LinkFilter isCut)
{
    m_channel->SetLinkFilter([isCut = std::move(isCut)](uint32_t from, uint32_t to) {
        return isCut(static_cast<NodeId>(from), static_cast<NodeId>(to));
    });
}

} // namespace mftpubsub
