"""C's figures 12 to 29, drawn from the tables of a study."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mftpubsub.errors import MftPubsubError
from mftpubsub.protocols.catalogue import PROTOCOLS, ROUTING, SHORT
from mftpubsub.sources.cugola.tables import Estimate, Tables, mean
from mftpubsub.studies.figures import add_legend, save
from mftpubsub.style import COLOURS, DASHES, MARKERS, in_style
from mftpubsub.worlds.reconfiguration.groups import INFORMED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Names, and the look of each, which is the same in all figures.
LABELS = {short: PROTOCOLS[name].label for short, name in SHORT.items()}
_LOOKS = {protocol: index % len(COLOURS) for index, protocol in enumerate(LABELS)}


#: What C compares.
_CUGOLA = tuple(name for name in LABELS if name not in ROUTING)


@dataclass(frozen=True)
class Panel:
    """A metric over what a series varies, a line for each protocol."""

    series: str
    metric: str
    xlabel: str
    ylabel: str
    factor: float = 1.0
    improves: bool = False
    log_x: bool = False
    log_y: bool = False
    protocols: tuple[str, ...] = _CUGOLA

    def draw(self, axes: Axes, tables: Tables) -> None:
        if not tables.protocols(self.series):
            raise MftPubsubError(f"the study has no series {self.series}")
        places = max((tables.places(self.series, name) for name in tables.protocols(self.series)), key=len)
        for protocol in (name for name in self.protocols if name in tables.protocols(self.series)):
            if self.improves and protocol == "strawman":
                continue
            own = tables.places(self.series, protocol)
            found = [self._estimate(tables, protocol, x if x in own else own[0]) for x in places]
            _line(axes, protocol, places, found)
        axes.set(xlabel=self.xlabel, ylabel=self.ylabel)
        if self.log_x:
            axes.set_xscale("log")
        if self.log_y:
            axes.set_yscale("log")
        else:
            axes.set_ylim(bottom=0)

    def _estimate(self, tables: Tables, protocol: str, x: float) -> Estimate:
        if self.improves:
            return tables.improvement(self.series, protocol, self.metric, x)
        found = tables.mean(self.series, protocol, self.metric, x)
        return Estimate(self.factor * found.mean, self.factor * found.half)


#: Draws one panel.
Draw = Callable[["Axes", Tables], None]

_COST, _IMPROVES = "Cost of a reconfiguration (SUBs)", "Less than Strawman (%)"
_OVERHEAD = "Overhead of a reconfiguration (SUBs)"
_EVENTS = "Publish rate of a dispatcher (1/s)"


def _cost_and_improvement(series: str, xlabel: str) -> list[Draw]:
    return [
        Panel(series, "cost", xlabel, _COST).draw,
        Panel(series, "cost", xlabel, _IMPROVES, improves=True).draw,
    ]


def _involved(series: str, xlabel: str) -> list[Draw]:
    return [
        Panel(series, "involved", xlabel, "Dispatchers involved (%)", factor=100).draw,
        Panel(series, "involved", xlabel, _IMPROVES, improves=True).draw,
    ]


def _delivery(rate: float) -> Draw:
    def draw(axes: Axes, tables: Tables) -> None:
        rows = tables.bins[(tables.bins["series"] == "delivery") & (tables.bins["x"] == rate)]
        if rows.empty:
            raise MftPubsubError(f"the study has no runs at {rate:g} in delivery")
        sums = rows.dropna(subset="expected").groupby("seconds")[["expected", "delivered"]].sum()
        sums = sums[sums["expected"] > 0]
        share = 100 * sums["delivered"].fillna(0) / sums["expected"]
        axes.plot(share.index, share, color=COLOURS[_LOOKS["tdu"]])
        axes.set(
            xlabel="Time of publication (s)", ylabel="Delivered (%)", title=f"{rate:g} reconfigurations/s"
        )

    return draw


def _bars(axes: Axes, tables: Tables) -> None:
    """Messages and their cost by kind, two bars a protocol."""
    kinds = ("SUB", "UNSUB", "REC", "ACTIVATE", "FLUSH", "RECACK")
    labels: list[str] = []
    for place, protocol in enumerate(("ndu", "ila", "rp")):
        for offset, column in ((-0.2, "hops"), (0.2, "cost")):
            bottom = 0.0
            for kind, colour in zip(kinds, COLOURS, strict=False):
                height = mean(tables.kind("default", protocol, kind, column)).mean
                label = kind if kind not in labels and height else None
                labels += [label] if label else []
                axes.bar(place + offset, height, 0.36, bottom, color=colour, label=label)
                bottom += height
    axes.set_xticks(range(3), ["NDU", "ILA", "RP"])
    axes.set(ylabel="Messages (left), cost (right) of a reconfiguration")
    axes.legend()


def _misrouted_and_other(axes: Axes, tables: Tables) -> None:
    places = tables.places("events", "tdu")
    for metric, label, look in (
        ("cost", "other overhead", 0),
        ("misrouted", "misrouted events", 1),
    ):
        found = [tables.mean("events", "tdu", metric, x) for x in places]
        axes.plot(places, [one.mean for one in found], color=COLOURS[look], marker=MARKERS[look], label=label)
    axes.set(xlabel=_EVENTS, ylabel=_OVERHEAD, xscale="log", title=LABELS["tdu"])
    axes.legend()


def _goodput(series: str, title: str) -> Draw:
    def draw(axes: Axes, tables: Tables) -> None:
        Panel(series, "total_overhead", _EVENTS, "Of the whole run (SUBs)", log_x=True, log_y=True).draw(
            axes, tables
        )
        places = tables.places(series, "strawman")
        good = [tables.mean(series, "strawman", "goodput", x).mean for x in places]
        axes.plot(places, good, color="black", linewidth=2, label="good event hops")
        axes.set_title(title)

    return draw


def _traffic(axes: Axes, tables: Tables) -> None:
    for protocol in ("ila", "ef"):
        rows = tables.bins[(tables.bins["series"] == "burst") & (tables.bins["protocol"] == protocol)]
        seeds = rows["seed"].nunique()
        by_bin = rows.groupby("seconds")["traffic"].sum() / seeds / 0.1
        by_bin = by_bin[(by_bin.index >= 2.5) & (by_bin.index < 7.95)]
        axes.plot(by_bin.index, by_bin, color=COLOURS[_LOOKS[protocol]], label=LABELS[protocol])
    axes.set(xlabel="Time (s)", ylabel="Traffic (SUBs/s)")
    axes.set_ylim(bottom=0)


_N, _PI, _SIGMA = "Dispatchers", "Patterns", "Share of subscribers"
FIGURES: dict[int, tuple[str, list[Draw]]] = {
    12: ("Event delivery, timed deferred unsubscription", [_delivery(3), _delivery(30)]),
    13: ("Messages and their cost", [_bars]),
    14: ("System scale, balanced trees", _cost_and_improvement("scale", _N)),
    15: ("System scale, random trees", _cost_and_improvement("scale-random", _N)),
    16: ("Available patterns", _cost_and_improvement("patterns", _PI)),
    17: ("Density of subscribers", _cost_and_improvement("subscribers", _SIGMA)),
    18: (
        "Rate of reconfigurations",
        [Panel("rate", "cost", "Reconfigurations/s", _COST, log_x=True).draw],
    ),
    19: (
        "Unsubscription timer, 30 reconfigurations/s",
        [Panel("unsubscribe-timer", "cost", "T_u (s)", _COST).draw],
    ),
    20: ("Subscription timer", [Panel("subscribe-timer", "cost", "T_s (s)", _COST).draw]),
    21: ("Publish rate", [Panel("events", "overhead", _EVENTS, _OVERHEAD, log_x=True).draw]),
    22: (
        "Misrouted events",
        [Panel("events", "misrouted", _EVENTS, "Misrouted hops of a reconfiguration", log_x=True).draw],
    ),
    23: ("Misrouted events and other overhead", [_misrouted_and_other]),
    24: (
        "Good event traffic and overhead",
        [_goodput("events", "3 reconfigurations/s"), _goodput("events-fast", "30 reconfigurations/s")],
    ),
    25: (
        "Unsubscription timer, 50 events/s of a dispatcher",
        [Panel("unsubscribe-timer-events", "overhead", "T_u (s)", _OVERHEAD).draw],
    ),
    26: (
        "Subscription forwarding and event forwarding, 80 % subscribers",
        [
            _traffic,
            Panel(
                "traffic", "total_traffic", "Reconfigurations/s", "Traffic (SUBs/s)", 1 / 8, log_x=True
            ).draw,
        ],
    ),
    27: ("Dispatchers involved, system scale", _involved("scale", _N)),
    28: ("Dispatchers involved, patterns", _involved("patterns", _PI)),
    29: ("Dispatchers involved, density of subscribers", _involved("subscribers", _SIGMA)),
}


#: Not in C: the thesis's protocol on the same worlds.
_BOTH = ("strawman", *INFORMED, *ROUTING)
ROUTING_FIGURES: dict[str, tuple[str, list[Draw]]] = {
    "mft-cost": (
        "MFT-PubSub in C's setting: cost",
        [
            Panel("scale", "cost", _N, _COST, log_y=True, protocols=_BOTH).draw,
            Panel("subscribers", "cost", _SIGMA, _COST, log_y=True, protocols=_BOTH).draw,
        ],
    ),
    "mft-involved": (
        "MFT-PubSub in C's setting: dispatchers involved",
        [
            Panel(series, "involved", label, "Dispatchers involved (%)", 100, protocols=_BOTH).draw
            for series, label in (("scale", _N), ("subscribers", _SIGMA))
        ],
    ),
}


def draw_figures(folder: Path, tables: Tables) -> list[Path]:
    """Writes DIR/figures/figure-N.svg for each of FIGURES and ROUTING_FIGURES whose runs are there.

    Returns the files.
    """
    numbered = {
        f"figure-{number}": (f"C, figure {number}: {title}", panels)
        for number, (title, panels) in FIGURES.items()
    }
    return _draw(folder, tables, numbered | ROUTING_FIGURES)


def _draw(folder: Path, tables: Tables, drawings: Mapping[str, tuple[str, Sequence[Draw]]]) -> list[Path]:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    target = folder / "figures"
    target.mkdir(exist_ok=True)
    drawn: list[Path] = []
    with in_style():
        for name, (title, panels) in drawings.items():
            size = (4.6 * len(panels), 3.9)
            drawing, all_axes = plt.subplots(1, len(panels), squeeze=False, figsize=size)
            paths = [target / f"{name}.{kind}" for kind in ("svg", "pdf")]
            try:
                for axes, draw in zip(all_axes[0], panels, strict=True):
                    draw(axes, tables)
            except MftPubsubError:  # has no runs of it
                plt.close(drawing)
                continue
            add_legend(drawing, (axes for axes in all_axes[0] if axes.get_legend() is None), 2)
            drawing.suptitle(title, fontsize=10)
            save(drawing, paths)
            drawn += paths
    return drawn


def _line(axes: Axes, protocol: str, places: list[float], found: list[Estimate]) -> None:
    look = _LOOKS[protocol]
    axes.errorbar(
        places,
        [one.mean for one in found],
        [one.half for one in found],
        color=COLOURS[look],
        marker=MARKERS[look],
        linestyle=DASHES[look],
        label=LABELS[protocol],
        capsize=2,
        elinewidth=0.8,
    )
