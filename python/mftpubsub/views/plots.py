"""Pictures of one run: the network at an instant, and what became of a subscriber's events."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mftpubsub.errors import QueryError
from mftpubsub.runs import run_tables
from mftpubsub.runs.apart import write_labels
from mftpubsub.runs.result import check_instant
from mftpubsub.simulator.snapshot import Node, Snapshot
from mftpubsub.style import COLOURS, in_style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, RED, GREEN, PURPLE, ORANGE, SKY, BLACK = COLOURS
GREY = "#bbbbbb"

#: Marker and colour of a node, by its roles.
LOOKS: dict[tuple[str, ...], tuple[str, str]] = {
    ("broker",): ("s", BLUE),
    ("subscriber",): ("o", GREEN),
    ("publisher",): ("^", RED),
    ("broker", "subscriber"): ("p", SKY),
    ("broker", "publisher"): ("D", PURPLE),
    ("subscriber", "publisher"): ("h", ORANGE),
    ("broker", "subscriber", "publisher"): ("*", BLACK),
    (): ("X", GREY),
}

#: Lines from nodes to their parents.
LINES: dict[str, dict[str, Any]] = {
    "tree": {"color": BLUE, "linewidth": 2.5, "alpha": 0.8, "zorder": 2},
    "client to its broker": {"color": BLACK, "linewidth": 1.0, "zorder": 2},
    "parent out of reach": {"color": RED, "linewidth": 1.6, "linestyle": "--", "zorder": 3},
    "wall": {"color": "0.35", "linewidth": 3, "zorder": 1.5},
}

#: A ring.
LEADER: dict[str, Any] = {"s": 150, "facecolors": "none", "edgecolors": BLACK, "linewidths": 1.6}

#: Of links, dBm: of the radio's sensitivity, and what is drawn as strongly as can be.
WEAKEST, STRONGEST = -95, -65

#: Of events that were never delivered, by cause: as many as the trace knows causes.
LOSS_MARKERS = ("x", "+", "1", "2", "3", "4", "*", "P", "X", "D", "v", "^", "<", ">")

#: Above so many nodes their ids would cover the picture.
MAX_LABELS = 100


def draw_networks(snapshots: Sequence[Snapshot], axes: Sequence[Axes] | None = None) -> list[Axes]:
    """Draws each snapshot into its own of `axes`, or into a new row of them, with one legend."""
    import matplotlib.pyplot as plt

    if axes is not None and len(axes) != len(snapshots):
        raise QueryError(f"{len(snapshots)} instants need as many axes (given: {len(axes)})")
    with in_style():
        if axes is None:
            count = len(snapshots)
            figure, row = plt.subplots(1, count, figsize=(4.2 * count, 4.6), squeeze=False)
            drawn = list(row[0])
        else:
            figure, drawn = None, list(axes)
        for ax, snapshot in zip(drawn, snapshots, strict=True):
            draw_network(ax, snapshot)
            if len(snapshot.nodes) <= MAX_LABELS:
                write_labels(ax, {named(node): (node.x, node.y) for node in snapshot.nodes})
        _add_legend(drawn, figure)
    return drawn


def draw_network(ax: Axes, snapshot: Snapshot) -> None:
    """Draws a snapshot without labels, and without a legend."""
    from matplotlib.collections import LineCollection
    from matplotlib.patches import Rectangle

    places = {node.id: (node.x, node.y) for node in snapshot.nodes}

    def lines(pairs: list[tuple[int, int]], label: str) -> None:
        if pairs:
            segments = [(places[one], places[other]) for one, other in pairs]
            ax.add_collection(LineCollection(segments, label=label, **LINES[label]))

    parents = [(node, node.parent) for node in snapshot.nodes if node.parent is not None]
    held = [(n, parent) for n, parent in parents if _pair(n.id, parent) in snapshot.links]
    broken = [(n.id, parent) for n, parent in parents if _pair(n.id, parent) not in snapshot.links]
    tree = [(n.id, parent) for n, parent in held if "broker" in n.roles]
    clients = [(n.id, parent) for n, parent in held if "broker" not in n.roles]
    _draw_links(ax, snapshot, places)
    lines(tree, "tree")
    lines(clients, "client to its broker")
    lines(broken, "parent out of reach")
    for roles, look in LOOKS.items():
        _draw_nodes(ax, [node for node in snapshot.nodes if node.roles == roles], look)
    leaders = [places[leader] for leader in snapshot.leaders]
    if leaders:
        xs, ys = zip(*leaders, strict=True)
        ax.scatter(xs, ys, label="leader", zorder=5, **LEADER)
    width, height = snapshot.area
    ax.add_patch(Rectangle((0, 0), width, height, fill=False, linewidth=0.8))
    if snapshot.walls:
        ax.add_collection(LineCollection(snapshot.walls, label="wall", **LINES["wall"]))
    margin = 0.04 * max(width, height)
    ax.set(xlim=(-margin, width + margin), ylim=(-margin, height + margin), aspect="equal")
    ax.set(xlabel="x (m)", ylabel="y (m)", title=f"t = {snapshot.time_s:g} s")
    ax.grid(visible=False)


def _draw_links(ax: Axes, snapshot: Snapshot, places: dict[int, tuple[float, float]]) -> None:
    """Weak ones pale and below, so that of hundreds those that carry are seen."""
    from matplotlib.collections import LineCollection

    if not snapshot.links:
        return
    links = sorted(snapshot.links, key=lambda link: snapshot.strengths_dbm.get(link, WEAKEST))
    drawn = LineCollection(
        [(places[one], places[other]) for one, other in links],
        label="radio link",
        linewidths=0.7,
        cmap="YlGnBu",
        zorder=1,
    )
    drawn.set_array([snapshot.strengths_dbm.get(link, WEAKEST) for link in links])
    drawn.set_clim(WEAKEST, STRONGEST)
    ax.add_collection(drawn)


def named(node: Node) -> str:
    """Its id, and its height if it is not on the ground."""
    return f"{node.id} ({node.z:.3g} m up)" if node.z else str(node.id)


def _pair(one: int, other: int) -> tuple[int, int]:
    """As links are named."""
    return (min(one, other), max(one, other))


def _draw_nodes(ax: Axes, nodes: list[Node], look: tuple[str, str]) -> None:
    """Nodes of the same roles; those that are down are hollow."""
    marker, colour = look
    for is_up in (True, False):
        of_kind = [node for node in nodes if node.is_up is is_up]
        if not of_kind:
            continue
        ax.scatter(
            [node.x for node in of_kind],
            [node.y for node in of_kind],
            s=44,
            marker=marker,
            facecolors=colour if is_up else "white",
            edgecolors="white" if is_up else colour,
            linewidths=0.6 if is_up else 1.2,
            label=(", ".join(of_kind[0].roles) or "router") + ("" if is_up else " (down)"),
            zorder=4,
        )


def _add_legend(axes: Sequence[Axes], figure: Figure | None) -> None:
    """One legend and one scale of links for all: below and beside a figure of our own, else the last axes."""
    found: dict[str, Any] = {}
    for ax in axes:
        handles, labels = ax.get_legend_handles_labels()
        found |= dict(zip(labels, handles, strict=True))
    links = found.pop("radio link", None)
    if figure is None:
        axes[-1].legend(found.values(), found.keys(), fontsize=7, frameon=True)
        return
    figure.legend(found.values(), found.keys(), loc="outside lower center", ncols=2 * len(axes), fontsize=8)
    if links is not None:
        figure.colorbar(
            links, ax=list(axes), shrink=0.6, aspect=30, label="radio link, weaker direction (dBm)"
        ).ax.tick_params(labelsize=7)


@dataclass(frozen=True)
class Timeline:
    """What a subscriber wanted, when it got it, and the migrations on the way."""

    subscriber: int
    duration_s: float
    deliveries: pd.DataFrame
    """The rows of `to_pandas("deliveries")` that are the subscriber's, by time of publication."""
    migrations: pd.DataFrame
    """Rows of `to_pandas("migrations")`: the subscriber's own, and those of the broker that served it
    at that time. `whose` says which: "subscriber" or "broker"."""

    @classmethod
    def of(cls, trace: Path, subscriber: int, duration_s: float) -> Timeline:
        """The timeline of a subscriber of a trace. Raises QueryError if it is none."""
        nodes, deliveries, migrations, frames = run_tables.read(
            trace, "nodes", "deliveries", "migrations", "frames"
        )
        subscribers = nodes[nodes["roles"].str.contains("S")]["node"].tolist()
        if subscriber not in subscribers or isinstance(subscriber, bool):
            known = ", ".join(str(node) for node in subscribers)
            raise QueryError(f"node {subscriber!r} is no subscriber; there are {known or 'none'}")
        mine = deliveries[deliveries["subscriber"] == subscriber].reset_index(drop=True)
        return cls(subscriber, duration_s, mine, _migrations_of(subscriber, migrations, frames))

    @property
    def lost(self) -> pd.DataFrame:
        """The deliveries that never came."""
        return self.deliveries[self.deliveries["delivered_s"].isna()]

    def to_pandas(self) -> pd.DataFrame:
        """`deliveries`."""
        return self.deliveries

    def plot(self, ax: Axes | None = None, start: float = 0.0, stop: float | None = None) -> Axes:
        """Draws the events that were published from `start` to `stop` (s; default: the end).

        Each event is a line from its publication (tick) to its delivery (dot), in the order of
        publication; a cross is one that never came. Upright lines are migrations: dots that
        stand above one another beside such a line are events that were held until it was over.
        Raises QueryError for times that are not within the run, in that order.
        """
        import matplotlib.pyplot as plt

        stop = self.duration_s if stop is None else stop
        for instant in (start, stop):
            check_instant(instant)
        if not 0 <= start < stop <= self.duration_s:
            raise QueryError(
                f"start ({start:g} s) must come before stop ({stop:g} s), both within the run, "
                f"0 to {self.duration_s:g} s"
            )
        with in_style():
            if ax is None:
                _, ax = plt.subplots(figsize=(8, 4.2))
            _draw_timeline(ax, self, start, stop)
        return ax

    def __repr__(self) -> str:
        delays = self.deliveries["delay_s"].dropna()
        took = f"delay median {delays.median():.3g} s, max {delays.max():.3g} s, " if len(delays) else ""
        return (
            f"Timeline(subscriber {self.subscriber}: {len(self.deliveries)} events wanted, "
            f"{len(self.lost)} lost, {took}{len(self.migrations)} migrations)"
        )

    def _repr_png_(self) -> bytes:
        import matplotlib.pyplot as plt

        figure, ax = plt.subplots(figsize=(8, 4.2), layout="constrained")
        self.plot(ax)
        picture = io.BytesIO()
        figure.savefig(picture, format="png", dpi=100)
        plt.close(figure)
        return picture.getvalue()


def _migrations_of(subscriber: int, migrations: pd.DataFrame, frames: pd.DataFrame) -> pd.DataFrame:
    """The migrations of a subscriber and of the broker that serves it at the time, as `Timeline` has them."""
    import pandas as pd

    # A client's first broker is no migration: it is whom its first word goes to.
    words = frames[(frames["node"] == subscriber) & frames["kind"].isin(["ATTACH", "SUB", "MIG"])]
    own = migrations[migrations["node"] == subscriber]
    attached = pd.concat(
        [
            words[["time_s", "peer"]].rename(columns={"peer": "broker"}),
            own[["time_s", "parent"]].rename(columns={"parent": "broker"}),
        ]
    ).sort_values("time_s", kind="stable")
    brokers = migrations[(migrations["kind"] == "BMIG") & (migrations["node"] != subscriber)]
    served = pd.merge_asof(brokers, attached, on="time_s")
    theirs = served[served["node"] == served["broker"]].drop(columns="broker")
    both = pd.concat([own.assign(whose="subscriber"), theirs.assign(whose="broker")])
    return both.sort_values("time_s", kind="stable").reset_index(drop=True)


def _draw_timeline(ax: Axes, timeline: Timeline, start: float, stop: float) -> None:
    rows = timeline.deliveries
    rows = rows[rows["published_s"].between(start, stop)].reset_index(drop=True)
    came = rows[rows["delivered_s"].notna()]
    lost = rows[rows["delivered_s"].isna()]
    again = rows[rows["duplicates"] > 0]
    for whose, colour in (("subscriber", ORANGE), ("broker", SKY)):
        theirs = timeline.migrations[timeline.migrations["whose"] == whose]
        times = theirs[theirs["time_s"].between(start, stop)]["time_s"]
        if len(times):
            label = "subscriber migrates" if whose == "subscriber" else "its broker migrates"
            ax.vlines(times, -1, len(rows), colors=colour, linewidths=1.0, label=label, zorder=1)
    ax.hlines(came.index, came["published_s"], came["delivered_s"], colors=GREY, linewidths=1.0, zorder=2)
    ax.plot(rows["published_s"], rows.index, "|", color=BLACK, markersize=4, label="published", zorder=3)
    ax.plot(came["delivered_s"], came.index, ".", color=BLUE, markersize=4, label="delivered", zorder=4)
    if len(again):
        delivered = again["delivered_s"]
        ax.plot(
            delivered, again.index, "o", mfc="none", mec=PURPLE, markersize=5, label="and again", zorder=3
        )
    for marker, (cause, theirs) in zip(LOSS_MARKERS, lost.groupby("cause"), strict=False):
        label = f"never delivered: {str(cause).lower().replace('_', ' ')}"
        ax.plot(theirs["published_s"], theirs.index, marker, color=RED, markersize=5, label=label, zorder=5)
    ax.set(xlim=(start, stop), ylim=(-1, max(len(rows), 1)), xlabel="time (s)")
    ax.set(ylabel="event, by publication", title=f"Subscriber {timeline.subscriber}")
    ax.grid(visible=False, axis="y")
    ax.legend(loc="upper left", fontsize=8)
