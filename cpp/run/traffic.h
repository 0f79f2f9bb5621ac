/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_RUN_TRAFFIC_H
#define MFTPUBSUB_RUN_TRAFFIC_H

#include "hosts/event-source.h"
#include "scenario/scenario.h"

namespace mftpubsub
{

/// @return what and when a publisher publishes, as @p publisher says
TrafficOptions MakeTraffic(const PublisherSpec& publisher);

} // namespace mftpubsub

#endif /* MFTPUBSUB_RUN_TRAFFIC_H */
