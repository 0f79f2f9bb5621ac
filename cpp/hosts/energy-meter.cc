/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/energy-meter.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace mftpubsub
{

void
EnergyMeter::Spend(double watts, ns3::Time start, ns3::Time duration)
{
    const auto end = start + duration;
    if (end > m_until)
    {
        m_joules += watts * (end - std::max(start, m_until)).GetSeconds();
        m_until = end;
    }
}

void
EnergyMeter::SpendSince(double watts)
{
    Spend(watts, m_until, ns3::Simulator::Now() - m_until);
}

double
EnergyMeter::GetJoules(double watts) const
{
    // A frame that is on the air was counted when it began; what is left of it was not drawn yet.
    return m_joules + watts * (ns3::Simulator::Now() - m_until).GetSeconds();
}

} // namespace mftpubsub
