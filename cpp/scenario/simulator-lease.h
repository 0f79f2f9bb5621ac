/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_SCENARIO_SIMULATOR_LEASE_H
#define MFTPUBSUB_SCENARIO_SIMULATOR_LEASE_H

#include <cstdint>

namespace mftpubsub
{

/**
 * ns-3's simulator, of which a process has one: takes it for one network, sets its random numbers,
 * and in the end destroys the simulation and puts the random numbers back to where they were, with
 * automatic streams from the first one again. So what is built twice is twice the same.
 */
class SimulatorLease
{
  public:
    /**
     * @param run ns-3's run number
     * @throws std::logic_error if it is taken, or if its time has passed zero
     */
    explicit SimulatorLease(uint64_t run);
    ~SimulatorLease();

    /// @return whether a script has destroyed the simulation meanwhile
    bool IsDestroyed() const;

    SimulatorLease(const SimulatorLease&) = delete;
    SimulatorLease& operator=(const SimulatorLease&) = delete;

  private:
    uint32_t m_seedBefore;
    uint64_t m_runBefore;
    bool m_isDestroyed{false};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_SCENARIO_SIMULATOR_LEASE_H */
