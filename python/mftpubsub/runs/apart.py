"""Labels beside points that do not hide each other, nor the points."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: In points: of letters, and how far labels are from the middle of what they name.
SIZE = 6.0
_LETTER = 0.62 * SIZE
_AWAY = 4.5

Box = tuple[float, float, float, float]


def write_labels(ax: Axes, places: Mapping[str, tuple[float, float]]) -> None:
    """Writes each name beside its place (in data units), on the side where it covers least."""
    from matplotlib.patheffects import withStroke

    points_per_unit = (
        ax.get_window_extent().width * 72 / ax.figure.dpi / (ax.get_xlim()[1] - ax.get_xlim()[0])
    )
    centres = {node: (x * points_per_unit, y * points_per_unit) for node, (x, y) in places.items()}
    taken = [_around(x, y, _AWAY, _AWAY) for x, y in centres.values()]
    for node, (x, y) in sorted(centres.items(), key=lambda item: item[1]):
        width = _LETTER * len(node) / 2
        sides = [
            (across * (_AWAY + width), up * (_AWAY + SIZE / 2))
            for across, up in product((1, 0, -1), repeat=2)
            if across or up
        ]
        boxes = [_around(x + dx, y + dy, width, SIZE / 2) for dx, dy in sides]
        best = min(range(len(boxes)), key=lambda i: sum(_overlap(boxes[i], other) for other in taken))
        taken.append(boxes[best])
        ax.annotate(
            node,
            places[node],
            sides[best],
            textcoords="offset points",
            ha="center",
            va="center_baseline",
            fontsize=SIZE,
            zorder=6,
            path_effects=[withStroke(linewidth=1.6, foreground="white")],
        )


def _around(x: float, y: float, half_width: float, half_height: float) -> Box:
    return (x - half_width, y - half_height, x + half_width, y + half_height)


def _overlap(one: Box, other: Box) -> float:
    """The area that two boxes share."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(width, 0.0) * max(height, 0.0)
