"""Figures as the geometry of an SVG drawing, for report.html: coordinates in its units, from the top left."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, floor, isnan, log10
from typing import Any

from mftpubsub.labels import CAUSES, SHARE, in_order, label, number, tick
from mftpubsub.statistics import ends
from mftpubsub.studies import numbers
from mftpubsub.studies.figures import Figure, Outcomes, colour, hatch, hatch_ink
from mftpubsub.studies.lines import style, x_label
from mftpubsub.studies.report.hatches import Hatch, hatch_of
from mftpubsub.style import INKS

WIDTH, HEIGHT = 480, 320
LEFT, RIGHT, TOP, BOTTOM = 62, 12, 14, 44
#: Dashes as SVG has them, for the lines in the order of figures.DASHES.
DASHES = (
    *("", "7 4", "8 3 2 3", "2 3", "9 3 2 3 2 3", "1 2", "12 4", "5 2 5 6", "14 2 3 2", "3 6", "9 6"),
    *("16 3 3 3", "6 2", "2 6", "10 2 2 5", "20 4", "4 5 2 5", "13 2 6 2", "3 2 3 6", "7 2 2 2", "15 4 2 4"),
)
BLACK = "#000000"


@dataclass(frozen=True)
class Tick:
    """A mark on an axis."""

    at: float
    text: str


@dataclass(frozen=True)
class Point:
    """A mean, and the ends of its interval."""

    x: float
    y: float
    top: float
    bottom: float
    text: str


@dataclass(frozen=True)
class Line:
    """Points that belong together; `protocol` is empty if they are not of one protocol of several."""

    name: str
    protocol: str
    colour: str
    dash: str
    points: list[Point]
    is_drawn: bool = True
    """Whether one point leads to the next: names along the axis have no order."""

    @property
    def path(self) -> str:
        """For an SVG polyline."""
        if not self.is_drawn:
            return ""
        return " ".join(f"{point.x:.1f},{point.y:.1f}" for point in self.points)


@dataclass(frozen=True)
class Bar:
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float
    colour: str
    text: str
    hatch: str = ""
    """Of a Hatch: its id."""


@dataclass(frozen=True)
class Key:
    """What a legend says of bars."""

    colour: str
    hatch: str
    name: str


@dataclass(frozen=True)
class Chart:
    """One drawing. `protocol`: of which protocol all of it is, if of one."""

    title: str
    xlabel: str
    ylabel: str
    x: list[Tick]
    y: list[Tick]
    protocol: str = ""
    lines: list[Line] = field(default_factory=list)
    bars: list[Bar] = field(default_factory=list)
    marks: list[Bar] = field(default_factory=list)
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM


class _Scale:
    """Values to heights; `is_log` if each doubling is as high as the other."""

    def __init__(self, low: float, high: float, is_log: bool) -> None:
        self._is_log = is_log
        values = _decades(low, high) if is_log else _steps(high)
        self._low, self._high = self._to(values[0]), self._to(values[-1])
        self.ticks = [Tick(self(value), f"{value:g}") for value in values]

    def __call__(self, value: float) -> float:
        share = (self._to(value) - self._low) / ((self._high - self._low) or 1)
        return HEIGHT - BOTTOM - min(max(share, 0.0), 1.0) * (HEIGHT - BOTTOM - TOP)

    def _to(self, value: float) -> float:
        return log10(max(value, 1e-300)) if self._is_log else value


def _steps(high: float) -> list[float]:
    """Even round values from 0 to `high` or a little above."""
    from matplotlib.ticker import MaxNLocator

    values = [float(value) for value in MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]).tick_values(0, high or 1)]
    return [value for value in values if value >= 0]


def _decades(low: float, high: float) -> list[float]:
    """1, 2, 5, 10, ... from `low` or a little below to `high` or a little above."""
    exponents = range(floor(log10(low)), ceil(log10(high)) + 1)
    values = [digit * 10.0**exponent for exponent in exponents for digit in (1, 2, 5)]
    first = max(value for value in values if value <= low * (1 + 1e-9))
    last = min(value for value in values if value >= high * (1 - 1e-9))
    return [value for value in values if first <= value <= last]


def of_figure(figure: Figure) -> Chart | None:
    """The drawing of one of the thesis's figures; None if nothing is known of it."""
    factor = SHARE if figure.is_share else 1.0
    rows = figure.rows.dropna(subset=["mean"])
    if rows.empty:
        return None
    means, halves = rows["mean"] * factor, rows["ci95"].fillna(0.0) * factor
    is_log = figure.is_log and bool((means > 0).all())
    # An interval that reaches down to nothing must not stretch a logarithmic axis.
    lowest = float((means - halves).clip(lower=means / 2).min()) if is_log else 0.0
    scale = _Scale(lowest, 100.0 if figure.is_share else float((means + halves).max()), is_log)
    places = _places(figure)
    names = in_order(figure.lines, rows[figure.lines])
    lines = []
    for i, name in enumerate(names):
        aside = (i - (len(names) - 1) / 2) * min(4, 12 / len(names))
        own = rows[rows[figure.lines] == name]
        own = own.assign(place=own[figure.x].map(places)).sort_values("place")
        points = [_point(row, name, figure, factor, scale, aside) for row in own.to_dict("records")]
        look = style(figure, name)
        protocol = name if figure.lines == "protocol" else ""
        ink = "currentColor" if INKS[look] == BLACK else INKS[look]  # white on a dark page
        lines.append(Line(figure.line_label(name), protocol, ink, DASHES[look], points, figure.is_ordered))
    ticks = [Tick(place, tick(value)) for value, place in places.items()]
    title = figure.title.replace("\n", ", ")
    along = x_label(figure)
    return Chart(title, along, figure.ylabel, ticks, scale.ticks, str(figure.only.get("protocol", "")), lines)


def _places(figure: Figure) -> dict[Any, float]:
    marks = figure.places()
    low, high = min(marks.values()), max(marks.values())
    width = WIDTH - LEFT - RIGHT - 60
    return {
        value: LEFT + 30 + width * ((mark - low) / (high - low) if high > low else 0.5)
        for value, mark in marks.items()
    }


def _point(row: Any, name: Any, figure: Figure, factor: float, scale: _Scale, aside: float) -> Point:
    mean = row["mean"] * factor
    half = 0.0 if row["ci95"] != row["ci95"] else row["ci95"] * factor
    low, high = ends(mean, half, figure.possible)
    where = numbers.key_words(figure.x, row[figure.x])
    text = f"{figure.line_label(name)}, {where}: {numbers.cell(row, figure.metric)}"
    return Point(row["place"] + aside, scale(mean), scale(high), scale(low), text)


def of_outcomes(found: Outcomes) -> list[Chart]:
    """One drawing for each protocol: bars of what was delivered and lost, with the bound across them."""
    return [_outcomes_of(found, protocol) for protocol in found.protocols()]


def keys_of_outcomes(found: Outcomes) -> list[Key]:
    """What the colours and hatches of these bars stand for."""
    return [
        Key(colour(column), _hatch_id(column), CAUSES.get(column, column)) for column in found.shares.columns
    ]


def hatches() -> list[Hatch]:
    """All that bars may have."""
    return [hatch_of(_hatch_id(cause), hatch(cause), hatch_ink(cause)) for cause in CAUSES if hatch(cause)]


def _hatch_id(column: str) -> str:
    return f"hatch-{column.lower()}" if hatch(column) else ""


def _outcomes_of(found: Outcomes, protocol: str) -> Chart:
    scale = _Scale(0, 100, is_log=False)
    configs, heights, reachable = found.bars(protocol)
    width = (WIDTH - LEFT - RIGHT) / len(configs)
    ticks = [Tick(LEFT + (i + 0.5) * width, config) for i, config in enumerate(configs)]
    bars, marks = [], []
    for i, spot in enumerate(ticks):
        below = 0.0
        for column, shares in heights.items():
            if isnan(shares[i]):  # nothing was wanted there
                continue
            top = scale(below + shares[i])
            text = f"{spot.text}: {CAUSES.get(column, column)} {number(shares[i])} %"
            height = scale(below) - top
            bars.append(
                Bar(
                    spot.at - width * 0.38, top, width * 0.76, height, colour(column), text, _hatch_id(column)
                )
            )
            below += shares[i]
        if isnan(reachable[i]):
            continue
        text = f"{spot.text}: reachable {number(reachable[i])} %"
        marks.append(
            Bar(spot.at - width * 0.45, scale(reachable[i]) - 1, width * 0.9, 2, "currentColor", text)
        )
    return Chart(
        label(protocol),
        "Configuration",
        "Of all pairs (%)",
        ticks,
        scale.ticks,
        protocol,
        bars=bars,
        marks=marks,
    )
