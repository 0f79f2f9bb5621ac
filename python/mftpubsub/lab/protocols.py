"""The protocols of Cugola, Frey, Murphy and Picco (C), and what is held against them, by two names each."""

from __future__ import annotations

from collections.abc import Mapping

#: Short names, as tables and figures have them.
SHORT: Mapping[str, str] = {
    "strawman": "strawman",
    "tdu": "deferred-unsub-timed",
    "ndu": "deferred-unsub-notified",
    "ila": "informed-link-activation",
    "ila-hide": "informed-link-activation-hide",
    "ila-timed": "informed-link-activation-timed",
    "rp": "reconfiguration-path",
    "ef": "event-forwarding",
    "mft": "mft-pubsub",
    "mft-r": "mft-pubsub-r",
}

#: Of them, those that defer unsubscriptions, and those that keep a repair to where it is needed.
DEFERRED, INFORMED = ("tdu", "ndu"), ("ila", "rp")

#: Those of another family, which C's setting can host: subscribers are routed to one by one.
ROUTING = ("mft", "mft-r")

#: Those that repair tables, in C's order.
REPAIRING = ("strawman", "tdu", "ndu", "ila", "rp")

_SHORT_OF = {name: short for short, name in SHORT.items()}


def short_name(name: str) -> str | None:
    """The short name of a protocol, given by either of its names; None if there is no such protocol."""
    return name if name in SHORT else _SHORT_OF.get(name)
