"""Distributions of delays over a study: how much had arrived within which time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mftpubsub.errors import QueryError, no_such
from mftpubsub.labels import in_order, rounded
from mftpubsub.notes import tell
from mftpubsub.statistics import ends, half_width
from mftpubsub.studies import figures, lines, numbers
from mftpubsub.studies.own_figure import check_ends, check_labels, place, styled
from mftpubsub.studies.results import StudyResults
from mftpubsub.style import DASHES, INKS
from mftpubsub.trace.layout import case_of, keys_of, text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure as Drawing

#: Bins of a decade in delays.sql.
BINS = 50
#: What is counted, by the name of the option, and what is said along the axis.
UNITS: Mapping[str, tuple[str, str]] = {
    "pairs": ("PAIR", "Pairs delivered (% of those sent)"),
    "events": ("EVENT", "Events that all subscribers had (% of those wanted)"),
    "subscribers": ("SUBSCRIBER", "Subscribers by their mean delay (%)"),
}


@dataclass(frozen=True)
class Wish:
    """Which distribution: a line for each value of the key `by`; `of` is pairs, events or subscribers.

    `only` restricts keys to values. Several values of a key that is left count together, which the title
    tells: each pair, event or subscriber once.
    """

    of: str = "pairs"
    by: str = "protocol"
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    has_title: bool = True
    labels: Mapping[str, str] = field(default_factory=dict)
    styles: Sequence[str] = ()

    @property
    def name(self) -> str:
        """Of its files."""
        return f"delay_of_{self.of}_by_{self.by}"


def distribution(results: StudyResults, wish: Wish) -> pd.DataFrame:
    """Rows by the key `wish.by` and delay_s: share that had arrived within it, ci95 (half the width), n.

    What never arrives is in the whole: pairs end at `delivery_rate_strict`. Shares are means over the seeds.
    A seed's runs count once. Raises QueryError for what is not there.
    """
    shares = _wished(results, wish).stack()
    found = shares.groupby(level=[wish.by, "bin"]).agg(["mean", "std", "count"]).reset_index()
    found.columns = [wish.by, "bin", "share", "sd", "n"]
    found["ci95"] = half_width(found["sd"], found["n"])
    found["delay_s"] = 10 ** (found["bin"] / BINS)
    found.attrs = dict(results.runs.attrs)
    return found[[wish.by, "delay_s", "share", "ci95", "n"]]


#: That are told unless others are asked for.
QUANTILES = (0.5, 0.9, 0.95, 0.99)


def quantiles(results: StudyResults, wish: Wish, shares: Sequence[float] = QUANTILES) -> pd.DataFrame:
    """How long it took until a share had arrived: rows by the key `wish.by` and share.

    What never arrives is in the whole, as in `distribution`. `delay_s` is the geometric mean of the seeds'
    quantiles, `ci_low` and `ci_high` the ends of its 95 % interval (Student's t of their logarithms); NaN
    unless all seeds came to that share. `n` seeds there are, and `reached` of them came to it. A quantile is
    the end of its bin, of 50 a decade: at most 4.7 % too long. Raises as `distribution`, and for a share that
    is not between 0 and 1.
    """
    import numpy as np
    import pandas as pd

    if wrong := [share for share in shares if not 0 < share < 1]:
        raise QueryError(f"quantile: {wrong[0]:g} is not between 0 and 1, as 0.95 is")
    arrived = _wished(results, wish)
    rows = []
    for share in shares:
        firsts = (arrived >= share).apply(lambda row: row[row].index.min(), axis=1)
        for name, bins in firsts.groupby(level=wish.by):
            n, reached = len(bins), int(bins.notna().sum())
            mean, half = bins.mean() if reached == n else np.nan, half_width(float(bins.std()), n)
            ends_of = [10 ** ((mean + side * half) / BINS) for side in (0, -1, 1)]
            rows.append((name, share, *ends_of, reached, n))
    columns = [wish.by, "share", "delay_s", "ci_low", "ci_high", "reached", "n"]
    found = pd.DataFrame(rows, columns=columns)
    found.attrs = dict(results.runs.attrs)
    return found


def table(results: StudyResults, wish: Wish, shares: Sequence[float] = QUANTILES) -> numbers.Table:
    """The same for print, a row for each value of the key."""
    found = quantiles(results, wish, shares)
    rows = [
        [numbers.key_words(wish.by, name), *map(_cell, found[found[wish.by] == name].to_dict("records"))]
        for name in in_order(wish.by, found[wish.by])
    ]
    heading = numbers.key_heading(wish.by, *found[wish.by])
    return numbers.Table([heading, *(f"{100 * share:g} %, s" for share in shares)], rows)


def _cell(row: Mapping[str, Any]) -> str:
    if row["reached"] < row["n"]:
        return f"not in {row['n'] - row['reached']} of {row['n']} seeds"
    spread = row["ci_high"] - row["ci_low"]
    if spread > 10 * row["delay_s"]:
        return f"{row['delay_s']:.2g} (interval wider than ten times that)"
    ends_of = rounded(row["delay_s"], row["ci_low"], row["ci_high"], spread=spread)
    return ends_of[0] if row["n"] == 1 else "{} [{}, {}]".format(*ends_of)


_NO_DELAYS = "have no delays, since nobody wanted an event or none are kept"


def _wished(results: StudyResults, wish: Wish) -> pd.DataFrame:
    """As `_shares`, of what is wished. Raises QueryError for what is not there."""
    if wish.of not in UNITS:
        raise QueryError(f"of: {no_such('unit', wish.of, UNITS)}")
    if wish.by not in case_of(results.runs):
        raise QueryError(no_such("key", wish.by, case_of(results.runs)))
    asked, runs = numbers.selected(results.runs, wish.only), _with_delays(results, wish)
    kept = asked.merge(runs[[*keys_of(runs)]], how="left", indicator="side")["side"] == "both"
    if len(lacking := asked[~kept.to_numpy()]):
        names = numbers.key_words(wish.by, *in_order(wish.by, lacking[wish.by]))
        tell(f"{results.name}: {len(lacking)} runs of {names} {_NO_DELAYS}: left out")
    _where(runs, wish)
    for note in numbers.unequal(runs, [wish.by]):
        tell(note)
    table = results.need("delays").merge(runs[[*keys_of(runs)]])
    return _shares(table[table["unit"] == UNITS[wish.of][0]], wish.by)


def _with_delays(results: StudyResults, wish: Wish) -> pd.DataFrame:
    """The runs that are wished and whose delays are kept. Raises QueryError if there are none."""
    runs = numbers.selected(results.runs, wish.only)
    found = runs.merge(results.need("delays")[[*keys_of(runs)]].drop_duplicates())
    if found.empty:
        protocols = numbers.key_words("protocol", *in_order("protocol", runs["protocol"]))
        raise QueryError(f"{results.name}: these runs of {protocols} {_NO_DELAYS}")
    found.attrs = dict(runs.attrs)
    return found


def _where(runs: pd.DataFrame, wish: Wish) -> str:
    """Which values the other keys have. Raises QueryError if lines have not all the same ones."""
    return place(runs, (wish.by,), "all of ")


def _shares(table: pd.DataFrame, by: str) -> pd.DataFrame:
    """By `by` and seed, with a column for each bin that any run has: what had arrived within it, of all."""
    import pandas as pd

    counts = table.astype({"units": "float64"}).groupby([by, "seed", "bin"], dropna=False)["units"].sum()
    arrived = counts[counts.index.get_level_values("bin").notna()].unstack("bin").fillna(0.0)
    whole = counts.groupby(level=[by, "seed"]).sum()
    if arrived.empty:  # nothing arrived in any run: no more within 10 s than within 1 s
        arrived = arrived.reindex(columns=pd.Index([0.0, BINS], name="bin"))
    arrived = arrived.reindex(whole.index, fill_value=0.0).sort_index(axis=1)
    return arrived.cumsum(axis=1).div(whole, axis=0)


def draw(results: StudyResults, wish: Wish) -> Drawing:
    """Draws it. Raises QueryError or MftPubsubError for a key, value or style that is not there."""
    import matplotlib.pyplot as plt

    rows = distribution(results, wish)
    check_labels(wish.labels, {wish.by: in_order(wish.by, rows[wish.by])})
    with styled(wish.styles):
        drawing, axes = plt.subplots()
        names = in_order(wish.by, rows[wish.by])
        bright = lines.standing_out(names)
        for name in names:
            look = lines.look(wish.by, names, name)
            _draw_line(axes, rows[rows[wish.by] == name], wish, (look, name), name in bright)
        axes.set_xscale("log")
        axes.set_xlabel("Delay (s)")
        axes.set_ylabel(lines.folded(UNITS[wish.of][1], lines.HIGH))
        axes.set_ylim(0, 104)
        if wish.has_title:
            axes.set_title(lines.folded(_where(_with_delays(results, wish), wish)))
        figures.add_legend(drawing, [axes], 3, numbers.seeds_note(rows["n"], " at each delay"))
    return drawing


def write(results: StudyResults, wish: Wish, paths: Sequence[Path]) -> Sequence[Path]:
    """Draws it into files of figures.KINDS, by their names' ends. Returns them. Raises as `draw`."""
    check_ends(paths)
    with styled(wish.styles):
        figures.save(draw(results, wish), paths)
    return paths


def _draw_line(axes: Any, rows: pd.DataFrame, wish: Wish, line: tuple[int, Any], is_bright: bool) -> None:
    """With its interval, or in grey without."""
    look, name = line
    shares = 100 * rows["share"].to_numpy(float)
    halves = 100 * rows["ci95"].fillna(0.0).to_numpy(float)
    limits = [ends(*both, (0.0, 100.0)) for both in zip(shares, halves, strict=True)]
    delays = rows["delay_s"].to_numpy(float)
    usual = name if wish.by == "protocol" else numbers.key_words(wish.by, name)  # as in `own_figure`
    words = wish.labels.get(text(name)) or usual
    colour = INKS[look] if is_bright else lines.FAINT
    axes.step(delays, shares, where="post", color=colour, linestyle=DASHES[look], label=words)
    if is_bright:
        axes.fill_between(
            delays, *zip(*limits, strict=True), step="post", color=colour, alpha=0.15, linewidth=0
        )
