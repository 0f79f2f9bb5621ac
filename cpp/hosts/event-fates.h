/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_EVENT_FATES_H
#define MFTPUBSUB_HOSTS_EVENT_FATES_H

#include "protocols/machine.h"
#include "protocols/tree/message.h"
#include "trace/run-trace.h"

#include <vector>

namespace mftpubsub
{

/// Tells @p trace that @p cause has befallen the events that @p message carries, if any.
void NoteFate(RunTrace& trace, const Message& message, LossCause cause);

/// Tells @p trace that @p cause has befallen what a machine holds.
void NoteHeld(RunTrace& trace, const std::vector<Pair>& held, LossCause cause);

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_EVENT_FATES_H */
