/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WORLDS_HANDOFF_ROWS_H
#define MFTPUBSUB_WORLDS_HANDOFF_ROWS_H

#include "hosts/wire-rows.h"
#include "protocols/handoff/broker.h"

namespace mftpubsub
{

/// @return the copies at @p broker, by subscriber, in the words of transcripts but for buffers: of
/// these the number of events
WireRows DescribeCopies(const handoff::Broker& broker);

} // namespace mftpubsub

#endif /* MFTPUBSUB_WORLDS_HANDOFF_ROWS_H */
