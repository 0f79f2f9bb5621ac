/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/tree/lab-state.h"

#include <functional>

namespace mftpubsub
{

namespace
{

/// Times in a row that timers of brokers of one's own expire while no client gets an event: some
/// count for ever.
constexpr uint32_t MOST_IDLE = 100;

} // namespace

void
LabState::Rest()
{
    if (m_adoptions.empty() && m_links.GetChannels().IsEmpty() && !IsOwn())
    {
        m_links.ExpireDue();
    }
}

void
LabState::ExpireTimer(NodeId broker, const std::string& timer)
{
    m_links.GetLog().BeginStep();
    m_links.ExpireTimer(broker, timer);
}

void
LabState::ForgetExpired()
{
    m_expired.clear();
    m_idle = 0;
}

/// Nothing is under way: timers of brokers of one's own expire, which may go on for ever.
/// @return whether any has, in a state in which none had expired before
bool
LabState::ExpireOwn()
{
    if (!IsOwn() || !m_links.HasTimers() ||
        !m_expired.insert(std::hash<std::string>()(GetDigest())).second)
    {
        return false;
    }
    const auto delivered = GetProcesses().CountDelivered();
    m_idle = delivered == m_delivered ? m_idle + 1 : 0;
    m_delivered = delivered;
    if (m_idle > MOST_IDLE)
    {
        m_idle = 0;
        return false;
    }
    m_links.GetLog().BeginStep();
    m_links.ExpireTimers();
    return true;
}

} // namespace mftpubsub
