"""Hatches of SVG drawings, which tell bars apart in grey print: matplotlib's, by the same texts."""

from __future__ import annotations

from dataclasses import dataclass

#: In a tile of 8 by 8, by matplotlib's letters.
_STROKES = {
    "/": "M-1 1L1 -1M0 8L8 0M7 9L9 7",
    "\\": "M-1 7L1 9M0 0L8 8M7 -1L9 1",
    "x": "M-1 1L1 -1M0 8L8 0M7 9L9 7M-1 7L1 9M0 0L8 8M7 -1L9 1",
    "-": "M0 4H8",
    "|": "M4 0V8",
    "+": "M0 4H8M4 0V8",
    ".": "M3.4 4h1.2",
    "o": "M2.4 4a1.6 1.6 0 1 0 3.2 0a1.6 1.6 0 1 0 -3.2 0",
    "O": "M1 4a3 3 0 1 0 6 0a3 3 0 1 0 -6 0",
    "*": "M4 1.5V6.5M1.8 2.8L6.2 5.2M1.8 5.2L6.2 2.8",
}
_TILE = 16


@dataclass(frozen=True)
class Hatch:
    """A pattern that bars refer to by its `id`."""

    id: str
    ink: str
    path: str
    """Of a tile of 8 by 8."""
    size: float
    """Of the tile in the drawing: the more letters, the denser."""


def hatch_of(id: str, letters: str, ink: str) -> Hatch:
    """What matplotlib calls `letters`."""
    path = "".join(_STROKES[letter] for letter in sorted(set(letters)))
    return Hatch(id, ink, path, _TILE / len(letters))
