/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "wsn/counter-random.h"

#include "ns3/rng-seed-manager.h"

namespace mftpubsub
{

uint64_t
MakeStreamKey(int64_t stream)
{
    uint64_t key = MixBits(ns3::RngSeedManager::GetSeed());
    key = MixBits(key ^ ns3::RngSeedManager::GetRun());
    return MixBits(key ^ static_cast<uint64_t>(stream));
}

} // namespace mftpubsub
