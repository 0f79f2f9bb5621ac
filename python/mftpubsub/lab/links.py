"""Who hears whom in the laboratory for stations, and how well."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any, NamedTuple

from mftpubsub.simulator.laboratory import LabError

#: Of every frame on a link that says nothing else, dBm.
RSSI_DBM = -60.0
_WORD = re.compile(r"(\d+)-(\d+)(?:@(\S+))?")


class Link(NamedTuple):
    """Two devices that hear each other."""

    one: int
    other: int
    rssi_dbm: float = RSSI_DBM

    def __str__(self) -> str:
        """As commands of transcripts say it."""
        rssi = "" if self.rssi_dbm == RSSI_DBM else f"@{self.rssi_dbm!r}".removesuffix(".0")
        return f"{self.one}-{self.other}{rssi}"


def is_link(word: str) -> bool:
    """Whether a word of a command is one."""
    return _WORD.fullmatch(word) is not None


def links_of(links: str | Iterable[str | Sequence[float]], size: int) -> list[Link]:
    """The links that are meant, among `size` devices. Raises LabError."""
    if not isinstance(links, Iterable):
        raise LabError(f"links: needs pairs of devices, as in '0-1 1-2' (given: {links!r})")
    found: dict[frozenset[int], Link] = {}
    for given in links.split() if isinstance(links, str) else links:
        link = _link(given)
        one, other, rssi = link
        if one == other or not (0 <= one < size and 0 <= other < size):
            raise LabError(f"links: {one}-{other}: two of the devices 0 to {size - 1}")
        if not isfinite(rssi):
            raise LabError(f"links: {link}: an RSSI is a number, dBm")
        if frozenset((one, other)) in found:
            raise LabError(f"links: {one}-{other} twice")
        found[frozenset((one, other))] = link
    return [*found.values()]


def _link(given: str | Sequence[Any]) -> Link:
    parts: Sequence[Any] = given
    if isinstance(given, str):
        word = _WORD.fullmatch(given)
        parts = word.groups(str(RSSI_DBM)) if word else ()
    try:
        one, other, *rssi = parts
        return Link(int(one), int(other), *map(float, rssi))
    except (TypeError, ValueError):
        raise LabError(f"links: {given!r} is no pair of devices, as in 0-1 or 0-1@-80 (dBm)") from None
