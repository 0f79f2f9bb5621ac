/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_MACHINE_TIMER_H
#define MFTPUBSUB_HOSTS_MACHINE_TIMER_H

#include "content/instant.h"
#include "hosts/machine-io.h"

#include "ns3/event-id.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

namespace mftpubsub
{

/// Wakes a machine without I/O when its NextTimer is due: one event of the simulator at most.
class MachineTimer
{
  public:
    /// @param expire called when the instant has come
    explicit MachineTimer(std::function<void()> expire)
        : m_expire(std::move(expire))
    {
    }

    ~MachineTimer()
    {
        Cancel();
    }

    MachineTimer(const MachineTimer&) = delete;
    MachineTimer& operator=(const MachineTimer&) = delete;

    /// @param next NextTimer of the machine, after an input
    void Set(std::optional<Instant> next)
    {
        if (m_event.IsPending() && next == m_at)
        {
            return;
        }
        Cancel();
        m_at = next;
        if (next)
        {
            const auto delay = std::max(*next - Now(), Instant(0));
            m_event = ns3::Simulator::Schedule(ns3::NanoSeconds(delay.count()), m_expire);
        }
    }

    void Cancel()
    {
        m_event.Cancel();
    }

  private:
    std::function<void()> m_expire;
    ns3::EventId m_event;
    std::optional<Instant> m_at; //!< of the event
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_MACHINE_TIMER_H */
