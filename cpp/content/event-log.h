/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_CONTENT_EVENT_LOG_H
#define MFTPUBSUB_CONTENT_EVENT_LOG_H

#include "content/event.h"
#include "content/loss-cause.h"
#include "content/node-id.h"

namespace mftpubsub
{

/// Is told what becomes of events on their way.
class EventLog
{
  public:
    virtual ~EventLog() = default;

    /// A broker has got the event.
    virtual void Taken(EventId event) = 0;

    /// @p broker has found that @p subscriber wants the event.
    virtual void Matched(NodeId broker, EventId event, NodeId subscriber) = 0;

    /// What has become of the event for @p subscriber by now.
    virtual void Fate(EventId event, NodeId subscriber, LossCause cause) = 0;

    /// The same for a copy that names no subscriber.
    virtual void FateUnmatched(EventId event, LossCause cause) = 0;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_CONTENT_EVENT_LOG_H */
