/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/wired-host.h"

#include <utility>

namespace mftpubsub
{

WiredHost::WiredHost(DispatchingOptions options)
    : m_options(options)
{
}

WiredHost::~WiredHost() = default;

void
WiredHost::SetOnSend(OnSend onSend)
{
    m_onSend = std::move(onSend);
}

void
WiredHost::SetOnDelivery(OnDelivery onDelivery)
{
    m_onDelivery = std::move(onDelivery);
}

void
WiredHost::SetOnHandled(OnHandled onHandled)
{
    m_onHandled = std::move(onHandled);
}

const reconfiguration::CostLedger&
WiredHost::GetLedger() const
{
    return m_ledger;
}

const EventHops&
WiredHost::GetEventHops() const
{
    return m_hops;
}

const DispatchingOptions&
WiredHost::GetOptions() const
{
    return m_options;
}

void
WiredHost::TellSend(NodeId from, NodeId to, std::string_view kind, double weight) const
{
    if (m_onSend)
    {
        m_onSend(from, to, kind, weight);
    }
}

void
WiredHost::TellDelivery(NodeId node, uint32_t publication) const
{
    if (m_onDelivery)
    {
        m_onDelivery(node, publication);
    }
}

void
WiredHost::TellHandled(NodeId node) const
{
    if (m_onHandled)
    {
        m_onHandled(node);
    }
}

} // namespace mftpubsub
