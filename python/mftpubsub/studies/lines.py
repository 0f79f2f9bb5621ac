"""Lines of a figure: at most five stand out, each is named at its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from mftpubsub.labels import SHARE, in_order
from mftpubsub.protocols.catalogue import PROTOCOLS
from mftpubsub.statistics import ends
from mftpubsub.studies import numbers
from mftpubsub.style import DASHES, INKS, MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from mftpubsub.studies.figures import Figure

#: More lines than these nobody can follow.
MOST = 5
#: Those that stand out among more, the same in every figure; for those that are not there, the next in print.
FOREMOST = ("mft-pubsub", "mft-pubsub-r", "aodv", "aodv-tuned", "mft-mesh")
#: Of lines that do not stand out, and of what is said beside a figure.
FAINT, ASIDE = "#b8b8b8", "#555555"
#: Between two means at the same place, so that both intervals are seen, points: on lines, and without them.
BESIDE, APART = 1.2, 7.0

#: Characters that there is room for above a figure of the usual size, beside it, and side by side below it.
WIDE, HIGH, LEVEL = 52, 30, 36

X_LABELS: Mapping[str, str] = {
    "config": "Configuration",
    "speed_mps": "Node speed (m/s)",
    "protocol": "Protocol",
    "seed": "Seed",
}


def x_label(figure: Figure) -> str:
    """What stands along the axis of a figure."""
    key, unit = figure.x, numbers.unit_of_values(figure.x, figure.places())
    return figure.along or X_LABELS.get(key) or (f"{key} ({unit})" if unit else key)


def folded(text: str, most: int = WIDE) -> str:
    """Text with breaks where a line has more than `most` characters, rather between its clauses."""
    found: list[str] = []
    for line in text.splitlines():
        found.append("")
        for clause in line.split("; "):
            both = f"{found[-1]}; {clause}" if found[-1] else clause
            if len(both) > most and found[-1]:
                found[-1] += ";"
                found.append("")
                both = clause
            *full, found[-1] = wrap(both, most, break_long_words=False, break_on_hyphens=False) or [""]
            found[-1:-1] = full
    return "\n".join(found)


def standing_out(names: Sequence[Any]) -> list[Any]:
    """Of lines in order of print, those that are drawn in colour."""
    if len(names) <= MOST:
        return list(names)
    first = [name for name in FOREMOST if name in names]
    chosen = [*first, *(name for name in names if name not in first)][:MOST]
    return [name for name in names if name in chosen]


def style(figure: Figure, name: str) -> int:
    """Index of a line's colour, marker and dashes: a protocol has the same ones in every figure."""
    if name in figure.looks:
        return figure.looks[name]
    return look(figure.lines, in_order(figure.lines, figure.rows[figure.lines]), name)


def look(key: str, names: Sequence[Any], name: Any) -> int:
    """The same of the value `name` of a key, one of `names` in order of print.

    A protocol that has no look of ours has one that no other of `names` has, as long as there are such.
    """
    if key != "protocol":
        return names.index(name) % len(INKS)
    ours = {one: PROTOCOLS[one].look for one in names if one in PROTOCOLS}
    if (own := ours.get(name)) is not None:
        return own
    free = [number for number in range(len(INKS)) if number not in ours.values()] or [*range(len(INKS))]
    return free[[one for one in names if ours.get(one) is None].index(name) % len(free)]


def draw(axes: Axes, figure: Figure) -> None:
    """All lines of a figure, its axes, and at the lines' ends their names; without lines there are points."""
    places = figure.places()
    names = in_order(figure.lines, figure.rows[figure.lines])
    bright = standing_out(names)
    for name in names:
        if name in bright:
            turn = bright.index(name) - (len(bright) - 1) / 2
            _draw_bright(axes, figure, name, places, turn)
        else:
            _draw_faint(axes, figure, name, places)
    _set_axes(axes, figure, places)
    if figure.is_ordered:
        _name_ends(axes, figure, names, bright)


def _scale(figure: Figure) -> float:
    return SHARE if figure.is_share else 1.0


def _rows(figure: Figure, name: str, places: Mapping[Any, float]) -> Any:
    rows = figure.rows[figure.rows[figure.lines] == name].dropna(subset=["mean"])
    return rows.assign(place=rows[figure.x].map(places)).sort_values("place")


def _draw_faint(axes: Axes, figure: Figure, name: str, places: Mapping[Any, float]) -> None:
    """One line in grey, or points where no line leads from one to the next; a legend tells their markers."""
    rows = _rows(figure, name, places)
    means = rows["mean"] * _scale(figure)
    if figure.is_ordered and len(rows) > 1:
        axes.plot(rows["place"], means, color=FAINT, linewidth=1.0, zorder=1)
        return
    marker = MARKERS[style(figure, name)]
    axes.plot(rows["place"], means, marker, color=ASIDE, zorder=1, label=figure.line_label(name))


def _draw_bright(axes: Axes, figure: Figure, name: str, places: Mapping[Any, float], turn: float) -> None:
    """One line with its intervals, `turn` times BESIDE or APART beside the middle."""
    from matplotlib.transforms import ScaledTranslation

    rows, own = _rows(figure, name, places), style(figure, name)
    means = rows["mean"].to_numpy(float) * _scale(figure)
    halves = rows["ci95"].fillna(0.0).to_numpy(float) * _scale(figure)
    limits = [ends(*both, figure.possible) for both in zip(means, halves, strict=True)]
    drawing = axes.figure
    step = BESIDE if figure.is_ordered else APART
    beside = ScaledTranslation(turn * step / 72, 0, drawing.dpi_scale_trans)
    axes.errorbar(
        rows["place"].to_numpy(float),
        means,
        yerr=[means - [low for low, _ in limits], [high for _, high in limits] - means],
        label=figure.line_label(name),
        color=INKS[own],
        marker=MARKERS[own],
        linestyle=DASHES[own] if figure.is_ordered else "none",
        capsize=3,
        elinewidth=1.0,
        transform=axes.transData + beside,
    )
    # What is moved aside does not count for the limits of its own accord.
    along = rows["place"].to_numpy(float)
    axes.update_datalim([*zip(along, means, strict=True)])
    axes.update_datalim([(x, y) for x, both in zip(along, limits, strict=True) for y in both])
    axes.autoscale_view()


def _set_axes(axes: Axes, figure: Figure, places: Mapping[Any, float]) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_title(folded(figure.title))
    axes.set_ylabel(folded(figure.ylabel, HIGH))
    axes.set_xlabel(x_label(figure))
    axes.set_xticks(list(places.values()), [figure.label(value) for value in places])
    if figure.is_ordered:
        _leave_out_what_overlaps(axes)
    else:
        axes.set_xlim(-0.5, len(places) - 0.5)  # what stands beside its place has room at both ends
    if room_below(figure):
        slant(axes)
    axes.grid(visible=False, axis="x")
    if figure.is_log and (figure.rows["mean"] > 0).any():
        axes.set_yscale("log", nonpositive="clip")
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.yaxis.set_minor_formatter(NullFormatter())
    elif figure.possible[0] >= 0:
        axes.set_ylim(0, 104 if figure.is_share else None)


def _leave_out_what_overlaps(axes: Axes) -> None:
    """Of numbers along an axis those that would lie over the one before: 0 and 0.05 read as 00.05."""
    end, names = -inf, []
    for text in axes.get_xticklabels():
        extent = text.get_window_extent()
        is_free = extent.x0 > end
        names.append(text.get_text() if is_free else "")
        end = extent.x1 if is_free else end
    axes.set_xticks(axes.get_xticks(), names)


def slant(axes: Axes) -> None:
    """Long names along an axis aslant, so that none lies over another."""
    for text in axes.get_xticklabels():
        text.set(rotation=45, ha="right", rotation_mode="anchor")


def room_below(figure: Figure) -> float:
    """What the values of x take below a figure more than usual, inch: they are aslant if they are long."""
    ticks = [figure.label(value) for value in figure.places()]
    if figure.is_ordered or len("".join(ticks)) <= LEVEL:
        return 0.0
    return 0.06 * max(map(len, ticks))


def _name_ends(axes: Axes, figure: Figure, names: Sequence[Any], bright: Sequence[Any]) -> None:
    """Beside the last point of each line its name, none over another; at the foot where there is no place."""
    from matplotlib import rcParams
    from matplotlib.font_manager import FontProperties

    size = FontProperties(size=rcParams["legend.fontsize"]).get_size_in_points()
    places = figure.places()
    found = {name: rows for name in names if len(rows := _rows(figure, name, places))}
    to_share = axes.transData + axes.transAxes.inverted()
    means = (rows["mean"].iloc[-1] * _scale(figure) for rows in found.values())
    last = [max(0.0, to_share.transform((0, mean))[1]) for mean in means]
    height = 72 * axes.get_window_extent().height / axes.figure.dpi
    for name, at in zip(found, spread(last, 1.15 * size / height), strict=True):
        axes.text(
            1.02,
            at,
            figure.line_label(name),
            transform=axes.transAxes,
            va="center",
            fontsize=size,
            color=INKS[style(figure, name)] if name in bright else ASIDE,
            fontweight="bold" if name in bright and len(bright) < len(found) else "normal",
        )


def spread(wanted: Sequence[float], gap: float) -> list[float]:
    """Heights near the wanted ones, each at least `gap` from the next, in the same order."""
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    groups: list[list[int]] = []

    def middle(group: Sequence[int]) -> float:
        return sum(wanted[index] for index in group) / len(group)

    for index in order:
        groups.append([index])
        # A group is as high as its members need, about the middle of what they want.
        while len(groups) > 1 and _overlap(middle, groups[-2], groups[-1], gap):
            groups[-2:] = [groups[-2] + groups[-1]]
    found = [0.0] * len(wanted)
    for group in groups:
        for place, index in enumerate(group):
            found[index] = middle(group) + (place - (len(group) - 1) / 2) * gap
    return found


def _overlap(middle: Any, low: Sequence[int], high: Sequence[int], gap: float) -> bool:
    needed = gap * (len(low) + len(high)) / 2
    return bool(middle(high) - middle(low) < needed - 1e-12)
