"""What laboratories for stations are given, checked: roles, positions, filters, events."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any

from mftpubsub.protocols import Event, Filter
from mftpubsub.protocols.station import Position
from mftpubsub.simulator.laboratory import LabError

_ROLES = {"B": "broker", "S": "subscriber", "P": "publisher"}
#: Of a subscriber that has said nothing else.
EVERYTHING = "TRUE"


def roles_of(words: str | Sequence[str]) -> list[tuple[str, ...]]:
    if not isinstance(words, str | Sequence):
        raise LabError(f"roles: needs a word for each device, as in 'PB B BS' (given: {words!r})")
    found = []
    for word in words.split() if isinstance(words, str) else words:
        if not isinstance(word, str) or not word or {*word} - {*_ROLES}:
            raise LabError(f"roles: {word!r} has other letters than P, B and S")
        found.append(tuple(_ROLES[letter] for letter in word))
    if not found:
        raise LabError("roles: there is no device")
    return found


def letters_of(roles: tuple[str, ...]) -> str:
    """The roles of a device in the words of transcripts."""
    return "".join(letter for letter, role in _ROLES.items() if role in roles)


def positions_of(given: str | Iterable[Any], size: int) -> list[Position]:
    """Where each of `size` devices is. Raises LabError."""
    if not isinstance(given, Iterable):
        raise LabError(f"positions: needs x,y or x,y,z for each device, as in '0,0 50,0' (given: {given!r})")
    words = given.split() if isinstance(given, str) else given
    found = [position_of(word.split(",") if isinstance(word, str) else word, "positions") for word in words]
    if len(found) != size:
        raise LabError(f"positions: there are {len(found)} of {size} devices")
    return found


def position_of(given: Any, what: str) -> Position:
    """A position, m; on the ground if it has no height. Raises LabError."""
    try:
        x, y, z = map(float, (*given, 0.0)[: max(len(given), 3)])
    except (TypeError, ValueError):
        raise LabError(f"{what}: {given!r} is no position, x,y or x,y,z (m)") from None
    if not (isfinite(x) and isfinite(y) and isfinite(z)):
        raise LabError(f"{what}: {given!r}: a position is of finite numbers, m")
    return x, y, z


def position_text(position: Position, between: str = ",") -> str:
    """A position in the words of transcripts."""
    return between.join(repr(each).removesuffix(".0") for each in position)


def filters_of(roles: tuple[str, ...]) -> tuple[Filter, ...]:
    return (Filter(EVERYTHING),) if "subscriber" in roles else ()


def filter_of(where: str) -> Filter:
    try:
        return Filter(where)
    except ValueError as error:
        raise LabError(str(error)) from None


def event_of(id: tuple[int, int], attributes: dict[str, Any]) -> Event:
    for name, value in attributes.items():
        if isinstance(value, float) and not isfinite(value):
            raise LabError(f"publish: attribute {name}: {value} is not a finite number")
    try:
        return Event(id, attributes)
    except ValueError as error:
        raise LabError(f"publish: {error}") from None
