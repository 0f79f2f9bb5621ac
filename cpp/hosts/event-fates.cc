/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/event-fates.h"

#include <variant>

namespace mftpubsub
{

void
NoteFate(RunTrace& trace, const Message& message, LossCause cause)
{
    if (const auto* rep = std::get_if<Rep>(&message))
    {
        for (const auto& event : rep->events)
        {
            trace.Fate(event->id, rep->subscriber, cause);
        }
    }
    else if (const auto* pub = std::get_if<Pub>(&message))
    {
        for (const auto subscriber : pub->subscribers)
        {
            trace.Fate(pub->event->id, subscriber, cause);
        }
        if (pub->subscribers.empty())
        {
            trace.FateUnmatched(pub->event->id, cause);
        }
    }
    else if (const auto* own = std::get_if<Own>(&message))
    {
        for (const auto& event : own->events)
        {
            trace.FateUnmatched(event, cause);
        }
    }
}

void
NoteHeld(RunTrace& trace, const std::vector<Pair>& held, LossCause cause)
{
    for (const auto& [event, subscriber] : held)
    {
        trace.Fate(event, subscriber, cause);
    }
}

} // namespace mftpubsub
