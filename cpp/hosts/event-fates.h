/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_EVENT_FATES_H
#define MFTPUBSUB_HOSTS_EVENT_FATES_H

#include "protocols/tree/broker.h"
#include "trace/run-trace.h"

namespace mftpubsub
{

/// Tells @p trace that @p cause has befallen the events that @p message carries, if any.
void NoteFate(RunTrace& trace, const Message& message, LossCause cause);

/// The same of the events in the queues of @p broker.
void NoteQueued(RunTrace& trace, const Broker& broker, LossCause cause);

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_EVENT_FATES_H */
