/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/tree/lab-links.h"
#include "protocols/own/hook-broker.h"

#include <algorithm>

namespace mftpubsub
{

void
LabLinks::ExpireTimers()
{
    for (const auto broker : m_processes.GetBrokers())
    {
        const auto& machine = m_processes.Get(broker).machine;
        if (const auto due = machine ? machine->NextTimer() : std::nullopt)
        {
            Tell(broker, input::Expired(), *due);
            SettleFailures();
        }
    }
}

void
LabLinks::ExpireDue()
{
    for (const auto broker : m_processes.GetBrokers())
    {
        const auto& machine = m_processes.Get(broker).machine;
        const auto due = machine ? machine->NextTimer() : std::nullopt;
        if (due && *due <= TIMELESS)
        {
            Tell(broker, input::Expired());
            SettleFailures();
        }
    }
}

void
LabLinks::ExpireTimer(NodeId broker, const std::string& timer)
{
    BrokerOutput output;
    auto& machine = *m_processes.Touch(broker).machine;
    dynamic_cast<HookBroker&>(machine).ExpireTimer(TIMELESS, timer, output);
    Carry(broker, output);
}

bool
LabLinks::HasTimers() const
{
    return std::ranges::any_of(m_processes.GetBrokers(), [this](NodeId broker) {
        const auto& machine = m_processes.Get(broker).machine;
        return machine && machine->NextTimer();
    });
}

} // namespace mftpubsub
