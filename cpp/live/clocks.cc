/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "live/clocks.h"

#include "live/store.h"

#include <algorithm>
#include <ctime>
#include <fstream>

namespace mftpubsub::live
{

namespace
{

/// If the clock went back: longer than brokers remember events.
constexpr UnixTime LONG = std::chrono::hours(24);

} // namespace

Instant
ReadSinceBoot()
{
    timespec sinceBoot{};
    clock_gettime(CLOCK_BOOTTIME, &sinceBoot);
    return std::chrono::seconds(sinceBoot.tv_sec) + std::chrono::nanoseconds(sinceBoot.tv_nsec);
}

Clocks
ReadClocks()
{
    Clocks clocks;
    clocks.unixTime = std::chrono::system_clock::now().time_since_epoch();
    clocks.sinceBoot = ReadSinceBoot();
    std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), clocks.boot);
    return clocks;
}

void
FollowClock(Memory& memory, const Clocks& saved, const Clocks& now)
{
    auto newest = saved.unixTime;
    for (const auto& [at, event] : memory.recent)
    {
        newest = std::max(newest, at);
    }
    auto least = newest - saved.unixTime; // that has passed since
    auto most = now.unixTime - saved.unixTime;
    if (!saved.boot.empty() && saved.boot == now.boot)
    {
        least = most = now.sinceBoot - saved.sinceBoot;
    }
    else if (most < least)
    {
        most = least + LONG;
    }
    for (auto& [filter, since] : memory.filters)
    {
        since += now.unixTime - saved.unixTime - most;
    }
    for (auto& [at, event] : memory.recent)
    {
        at = std::min(at + now.unixTime - saved.unixTime - least, now.unixTime);
    }
}

} // namespace mftpubsub::live
