/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "scenario/simulator-lease.h"

#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"

#include <stdexcept>
#include <string>

namespace mftpubsub
{

namespace
{

constexpr uint32_t RNG_SEED = 1; //!< always; runs differ by ns-3's run number

bool g_isTaken = false;

} // namespace

SimulatorLease::SimulatorLease(uint64_t run)
    : m_seedBefore(ns3::RngSeedManager::GetSeed()),
      m_runBefore(ns3::RngSeedManager::GetRun())
{
    if (g_isTaken)
    {
        throw std::logic_error("a process has one simulator, and another network is using it");
    }
    if (!ns3::Simulator::Now().IsZero())
    {
        throw std::logic_error("the simulator stands at " +
                               std::to_string(ns3::Simulator::Now().GetSeconds()) +
                               " s and not at 0: call ns-3's Simulator::Destroy first");
    }
    g_isTaken = true;
    ns3::RngSeedManager::SetSeed(RNG_SEED);
    ns3::RngSeedManager::SetRun(run);
    ns3::RngSeedManager::ResetNextStreamIndex();
    ns3::Simulator::ScheduleDestroy([this] { m_isDestroyed = true; });
}

SimulatorLease::~SimulatorLease()
{
    ns3::Simulator::Destroy();
    ns3::RngSeedManager::SetSeed(m_seedBefore);
    ns3::RngSeedManager::SetRun(m_runBefore);
    ns3::RngSeedManager::ResetNextStreamIndex();
    g_isTaken = false;
}

bool
SimulatorLease::IsDestroyed() const
{
    return m_isDestroyed;
}

} // namespace mftpubsub
