/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_ENERGY_METER_H
#define MFTPUBSUB_HOSTS_ENERGY_METER_H

#include "ns3/nstime.h"

namespace mftpubsub
{

/**
 * What a device has taken from its battery, from what it tells of its states. It neither schedules
 * nor draws: runs are the same with it and without.
 */
class EnergyMeter
{
  public:
    /// It drew @p watts for @p duration from @p start on. What was counted already is not counted
    /// again; between what it tells of, it drew nothing.
    void Spend(double watts, ns3::Time start, ns3::Time duration);

    /// It drew @p watts since what it told of last.
    void SpendSince(double watts);

    /// @param watts that it draws now, since what it told of last
    double GetJoules(double watts) const;

  private:
    double m_joules{0};
    ns3::Time m_until; //!< counted so far
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_ENERGY_METER_H */
