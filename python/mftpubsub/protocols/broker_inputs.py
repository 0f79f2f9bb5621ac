"""By which methods a broker of one's own is told what happens, and their numbers in C++ (hook-broker.h)."""

from __future__ import annotations

#: BrokerInput of C++.
(
    START,
    LINK_UP,
    LINK_DOWN,
    LINK_RESET,
    PARENT_CHANGED,
    ALIVE,
    EXPIRED,
    RECEIVE,
    FAILED,
    UNDELIVERED,
    ATTACHED,
    MIGRATED,
    SUBSCRIBED,
    UNSUBSCRIBED,
    PUBLISHED,
    TABLE,
    QUEUES,
    CARRIED,
    WORDS,
) = range(19)
METHODS = (
    "start",
    "link_up",
    "link_down",
    "link_reset",
    "parent_changed",
    "neighbour_alive",
    "expire",
    "receive",
    "delivery_failed",
    "delivery_failed",
    "attached",
    "migrated",
    "subscribed",
    "unsubscribed",
    "publish",
    "table",
    "queues",
    "messages",
    "messages",
)
"""The method that is asked, by the number of the input."""
INPUTS = tuple(dict.fromkeys(METHODS[:CARRIED]))
"""The methods, once each."""
