/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_STATIONS_EVENT_FATES_H
#define MFTPUBSUB_STATIONS_EVENT_FATES_H

#include "content/event-log.h"
#include "protocols/machine.h"
#include "protocols/tree/message.h"

#include <vector>

namespace mftpubsub
{

/// Tells @p log that @p cause has befallen the events that @p message carries, if any.
void NoteFate(EventLog& log, const Message& message, LossCause cause);

/// Tells @p log that @p cause has befallen what a machine holds.
void NoteHeld(EventLog& log, const std::vector<Pair>& held, LossCause cause);

} // namespace mftpubsub

#endif /* MFTPUBSUB_STATIONS_EVENT_FATES_H */
