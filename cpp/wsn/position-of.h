/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WSN_POSITION_OF_H
#define MFTPUBSUB_WSN_POSITION_OF_H

#include "content/position.h"

#include "ns3/mobility-model.h"

namespace mftpubsub
{

/// @return where @p mobility has its node now
inline Position
PositionOf(const ns3::MobilityModel& mobility)
{
    const auto position = mobility.GetPosition();
    return {position.x, position.y, position.z};
}

} // namespace mftpubsub

#endif /* MFTPUBSUB_WSN_POSITION_OF_H */
