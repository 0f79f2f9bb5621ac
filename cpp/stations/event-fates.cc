/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "stations/event-fates.h"

#include <variant>

namespace mftpubsub
{

void
NoteFate(EventLog& log, const Message& message, LossCause cause)
{
    if (const auto* rep = std::get_if<Rep>(&message))
    {
        for (const auto& event : rep->events)
        {
            log.Fate(event->id, rep->subscriber, cause);
        }
    }
    else if (const auto* pub = std::get_if<Pub>(&message))
    {
        for (const auto subscriber : pub->subscribers)
        {
            log.Fate(pub->event->id, subscriber, cause);
        }
        if (pub->subscribers.empty())
        {
            log.FateUnmatched(pub->event->id, cause);
        }
    }
    else if (const auto* own = std::get_if<Own>(&message))
    {
        for (const auto& event : own->events)
        {
            log.FateUnmatched(event, cause);
        }
    }
}

void
NoteHeld(EventLog& log, const std::vector<Pair>& held, LossCause cause)
{
    for (const auto& [event, subscriber] : held)
    {
        log.Fate(event, subscriber, cause);
    }
}

} // namespace mftpubsub
