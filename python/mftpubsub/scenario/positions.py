"""Where somebody is: [x, y] in m, or [x, y, z] with a height above the ground."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import PlainValidator, TypeAdapter

from mftpubsub.scenario.part import Height, Point, Seconds

_FLAT: TypeAdapter[tuple[float, float]] = TypeAdapter(Point)
_HEIGHT: TypeAdapter[float] = TypeAdapter(Height)
_TIME: TypeAdapter[float] = TypeAdapter(Seconds)

Position = tuple[float, float] | tuple[float, float, float]
#: (t, x, y) or (t, x, y, z), s and m.
Waypoint = tuple[float, float, float] | tuple[float, float, float, float]


def position(value: Any) -> Position:
    """A position as it was given, checked."""
    if not isinstance(value, list | tuple) or len(value) not in (2, 3):
        raise ValueError(f"a position is [x, y] or [x, y, z] in m, not {value!r}")
    x, y = _FLAT.validate_python(tuple(value[:2]))
    return (x, y) if len(value) == 2 else (x, y, _HEIGHT.validate_python(value[2]))


def waypoint(value: Any) -> Waypoint:
    """A position with a time before it."""
    if not isinstance(value, list | tuple) or len(value) not in (3, 4):
        raise ValueError(f"a waypoint is (t, x, y) or (t, x, y, z) in s and m, not {value!r}")
    return (_TIME.validate_python(value[0]), *position(value[1:]))


if TYPE_CHECKING:
    Place = Position
else:
    Place = Annotated[Any, PlainValidator(position)]
