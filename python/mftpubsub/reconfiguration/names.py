"""The protocols of Cugola, Frey, Murphy and Picco (C), by their name and by a short one."""

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
}

#: Those that repair tables, in C's order.
REPAIRING = ("strawman", "tdu", "ndu", "ila", "rp")

_SHORT_OF = {name: short for short, name in SHORT.items()}


def short_name(name: str) -> str | None:
    """The short name of a protocol, given by either of its names; None if there is no such protocol."""
    return name if name in SHORT else _SHORT_OF.get(name)
