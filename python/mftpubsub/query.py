"""The numbers of a study: what each run gave, and its means over the seeds, as tables."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mftpubsub.errors import MftPubsubError
from mftpubsub.pipeline.single import RUN_KEYS
from mftpubsub.pipeline.state import are_half_made

if TYPE_CHECKING:
    import pandas as pd

#: What names a run; `seed` last.
KEYS = tuple(RUN_KEYS)
#: A case is a run but for its seed.
CASE = KEYS[:-1]
CONFIDENCE = 0.95
#: At which the thesis compares sizes.
SPEED_MPS = 8.0

#: How protocols are called and ordered in print; others follow under their own names.
LABELS = {
    "mft-pubsub": "MFT-PubSub",
    "mft-pubsub-r": "MFT-PubSub-R",
    "aodv": "AODV",
    "aodv-acked": "AODV, acknowledged",
    "aodv-thesis": "AODV, as the thesis says",
    "aodv-tuned": "AODV, tuned",
    "aodv-tuned-acked": "AODV, tuned, acknowledged",
    "olsr": "OLSR",
    "olsr-tuned": "OLSR, tuned",
    "dsdv": "DSDV",
    "dsdv-tuned": "DSDV, tuned",
    "cascading": "first approach",
    "phoenix": "Phoenix",
    "simple-routing": "Simple Routing",
    "flooding": "flooding",
    "mft-mesh": "MFT-Mesh",
    "mpl": "MPL",
    "epidemic": "epidemic routing",
}

#: Headings of metrics, and by what they are multiplied for print. Others stand under their own names.
METRICS: Mapping[str, tuple[str, float]] = {
    "delivery_rate": ("delivery rate (thesis), %", 100.0),
    "delivery_rate_strict": ("delivery rate (strict), %", 100.0),
    "reachable": ("reachable, %", 100.0),
    "delivered_of_reachable": ("delivered of reachable, %", 100.0),
    "matched_share": ("matched, %", 100.0),
    "delivered_pairs": ("messages delivered", 1.0),
    "delay_mean_s": ("delay, mean, s", 1.0),
    "delay_median_s": ("delay, median, s", 1.0),
    "delay_p95_s": ("delay, p95, s", 1.0),
    "hops_mean": ("hops, mean", 1.0),
    "hops_max": ("hops, maximum", 1.0),
    "frames_per_node": ("messages per node", 1.0),
    "frames_per_node_pub": ("PUB, DATA", 1.0),
    "frames_per_node_rep": ("REP", 1.0),
    "frames_per_node_control": ("control", 1.0),
    "frames_per_node_heartbeat": ("heartbeat, HELLO", 1.0),
    "frames_per_node_ack": ("ACK", 1.0),
    "frames_per_broker": ("by a broker", 1.0),
    "frames_per_subscriber": ("by a subscriber", 1.0),
    "frames_per_publisher": ("by a publisher", 1.0),
    "control_per_migration": ("control messages per migration", 1.0),
    "control_bytes_per_migration": ("control bytes per migration", 1.0),
    "senders_mean": ("nodes sending at a time", 1.0),
    "wall_s": ("wall time of a run, s", 1.0),
    "cpu_s": ("processor time of a run, s", 1.0),
    "events": ("simulator events", 1.0),
    "trace_bytes": ("trace, MB", 1e-6),
}

#: Why pairs were not delivered, in the order of an event's way; words for print.
CAUSES: Mapping[str, str] = {
    "UNSENT": "never left the publisher",
    "UNMATCHED": "never matched",
    "NO_ROUTE": "no route found",
    "EXPIRED_ROUTE": "route expired on the way",
    "NO_ADDRESS": "next hop without address",
    "TTL": "too many hops",
    "STRANDED": "no way on at a later broker",
    "RADIO": "lost on the air",
    "MAC": "dropped by the MAC's buffer",
    "DROPPED_BY_QUEUE": "dropped by a queue",
    "CRASHED": "on a node that crashed",
    "QUEUED": "queued at the end",
    "IN_FLIGHT": "under way at the end",
}
LOST = "lost_"
#: Kinds of frames that are no control messages, as in metrics.sql.
NO_CONTROL = ("ACK", "HEARTBEAT", "HELLO", "PUB", "DATA", "REP")

Statistic = Literal["mean", "sum", "max"]


@dataclass(frozen=True)
class Table:
    """A table for print. `command` prints it; `protocols` says of which protocol each row is, if of one."""

    heading: list[str]
    rows: list[list[str]]
    protocols: list[str] = field(default_factory=list)
    command: str = ""

    def markdown(self) -> str:
        """The table in Markdown."""
        lines = [self.heading, ["---"] * len(self.heading), *self.rows]
        return "\n".join(f"| {' | '.join(text.replace('|', '&#124;') for text in line)} |" for line in lines)


@dataclass(frozen=True)
class Query:
    """What a table shows: a row for each value of `by`, a column for each metric or each value of `across`.

    `only` restricts keys to values. `mean` is over seeds (each seed's runs averaged first), with its 95 %
    confidence interval and the number of seeds; `sum` and `max` are over runs.
    """

    metrics: tuple[str, ...]
    by: tuple[str, ...] = CASE
    across: str | None = None
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    stat: Statistic = "mean"

    def command(self, folder: str) -> str:
        """The command line that prints this table."""
        parts = [f"mftpubsub table {folder}", *(f"--metric {name}" for name in self.metrics)]
        parts += [f"--by {','.join(self.by) or repr('')}"] if self.by != CASE else []
        parts += [f"--across {self.across}"] if self.across else []
        only = [f"{key}={','.join(given)}" for key, given in self.only.items()]
        parts += [f"--only {shlex.quote(text)}" for text in only]
        parts += [f"--stat {self.stat}"] if self.stat != "mean" else []
        return " ".join(parts)


def as_typed(folder: Path) -> str:
    """For a shell: a relative path as it is; of an absolute one, which means nothing elsewhere, the name."""
    return shlex.quote(folder.name if folder.is_absolute() else folder.as_posix())


def read(folder: Path, name: str) -> pd.DataFrame | None:
    """The table DIR/tables/`name`, or DIR/costs; None if there is none. What is undefined is NaN.

    Raises MftPubsubError if it cannot be read, or an ingest did not end.
    """
    import pandas as pd

    if are_half_made(folder):
        raise MftPubsubError(
            f"{folder}: an ingest did not end, so its tables may be mixed; "
            f"`mftpubsub ingest {folder}` mends that"
        )
    path = (folder if name == "costs" else folder / "tables") / f"{name}.parquet"
    if not path.exists():
        return None
    try:
        table = pd.read_parquet(path)
    except (OSError, ValueError) as error:
        raise MftPubsubError(
            f"{path} cannot be read ({' '.join(str(error).split())}); delete it, "
            f"and `mftpubsub ingest {folder}` makes it anew"
        ) from error
    # The pipeline marks what is undefined by types of its own; seeds and counts stay whole numbers.
    marked = {name: kind for name, kind in table.dtypes.items() if str(kind) in ("Float64", "Int64")}
    return table.astype(
        {
            name: "int64" if str(kind) == "Int64" and table[name].notna().all() else "float64"
            for name, kind in marked.items()
        }
    )


def values(folder: Path) -> pd.DataFrame:
    """One row a run: its keys and all that is known of it.

    Besides the columns of `runs` and `costs`: `matched_share`, control messages and bytes per migration,
    the frames per node of each kind (`frames_per_node_RREQ`), and by cause (`lost_QUEUED`) the share of the
    sent pairs that was not delivered. Raises MftPubsubError if there are no tables.
    """
    runs = read(folder, "runs")
    if runs is None:
        raise MftPubsubError(f"{folder}/tables/runs.parquet is missing; `mftpubsub ingest {folder}` makes it")
    runs = runs.set_index([*KEYS])
    migrations = runs["migrations"].where(runs["migrations"] > 0)
    runs = runs.assign(
        matched_share=runs["matched_pairs"] / runs["sent_pairs"],
        control_per_migration=runs["frames_per_node_control"] * runs["nodes"] / migrations,
    )
    frames, losses, costs = (read(folder, name) for name in ("frames_by_kind", "losses", "costs"))
    parts: list[pd.DataFrame | pd.Series[Any]] = []
    if frames is not None:
        parts.append(_spread(frames, "kind", "frames", "frames_per_node_", runs["nodes"]))
        control = frames[~frames["kind"].isin(NO_CONTROL)]
        size = control.groupby([*KEYS])[["bytes"]].sum().div(migrations, axis=0)
        parts.append(size.rename(columns={"bytes": "control_bytes_per_migration"}))
    if losses is not None:
        shares = _spread(losses, "cause", "pairs", LOST, runs["sent_pairs"])
        parts.append(shares.reindex(columns=[f"{LOST}{cause}" for cause in CAUSES], fill_value=0.0))
    if costs is not None:
        parts.append(costs.set_index([*KEYS]))
    return runs.join(parts).reset_index()


def _spread(table: pd.DataFrame, kind: str, count: str, prefix: str, base: pd.Series[Any]) -> pd.DataFrame:
    """Long counts to one column for each kind, relative to `base`."""
    wide = table.pivot_table(index=[*KEYS], columns=kind, values=count, aggfunc="sum")
    wide = wide.reindex(base.index).fillna(0).astype(float)
    return wide.div(base.astype(float), axis=0).add_prefix(prefix)


def moments(table: pd.DataFrame, metric: str, by: Iterable[str]) -> pd.DataFrame:
    """Mean, ci95 (half the width), sd and n over the seeds for each value of `by`; a seed's runs count once.

    What a run leaves undefined does not count.
    """
    from scipy.stats import t

    by = [*by]
    per_seed = table.groupby([*by, "seed"])[metric].mean()
    found = per_seed.groupby(level=by).agg(["mean", "std", "count"])
    found.columns = ["mean", "sd", "n"]
    width = t.ppf((1 + CONFIDENCE) / 2, (found["n"] - 1).clip(lower=1))
    found["ci95"] = (width * found["sd"] / found["n"] ** 0.5).where(found["n"] > 1)
    return found[["mean", "ci95", "sd", "n"]]


def tabulate(table: pd.DataFrame, query: Query, folder: str) -> Table:
    """The table that `query` asks for. Raises MftPubsubError for a metric or key that is not there."""
    query = replace(query, by=tuple(key for key in dict.fromkeys(query.by) if key != query.across))
    table = _select(table, query)
    columns = _columns(table, query)
    cells: dict[tuple[Any, ...], str] = {}
    for name in query.metrics:
        cells |= {(name, *key): text for key, text in _cells(table, name, query).items()}
    orders = [in_order(key, table[key]) for key in query.by]
    rows, protocols = [], []
    for place in product(*orders):
        texts = [cells.get((column[0], *place, *column[1]), "-") for column in columns]
        if any(text != "-" for text in texts):
            rows.append([*map(label, place), *texts])
            protocols.append(str(place[query.by.index("protocol")]) if "protocol" in query.by else "")
    heading = [_KEY_HEADINGS[key] for key in query.by] + [column[2] for column in columns]
    return Table(heading, rows, protocols, query.command(folder))


def in_order(key: str, values: pd.Series[Any]) -> list[Any]:
    """Distinct values of a key column, as they stand in print: C2 before C16, ours before AODV."""
    orders: dict[str, Callable[[Any], Any]] = {"config": _by_number, "protocol": _by_label}
    return sorted(values.unique(), key=orders.get(key, float))


def _by_number(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]


def _by_label(name: str) -> tuple[int, str]:
    known = list(LABELS)
    return (known.index(name) if name in known else len(known), name)


def label(value: Any) -> str:
    """How a value of a key column is printed."""
    return LABELS.get(value, value) if isinstance(value, str) else f"{value:g}"


_KEY_HEADINGS = {"protocol": "protocol", "config": "configuration", "speed_mps": "m/s", "seed": "seed"}


def _select(table: pd.DataFrame, query: Query) -> pd.DataFrame:
    known = sorted(str(name) for name in table.select_dtypes("number") if name not in KEYS)
    for name in query.metrics:
        if name not in known:
            raise MftPubsubError(f"no metric {name!r}; there are {', '.join(known)}")
    for key in (*query.by, *([query.across] if query.across else []), *query.only):
        if key not in KEYS:
            raise MftPubsubError(f"no key {key!r}; there are {', '.join(KEYS)}")
    if query.across and len(query.metrics) > 1:
        raise MftPubsubError("--across goes with one --metric")
    for key, given in query.only.items():
        texts = table[key].map(lambda value: f"{value:g}" if isinstance(value, float) else str(value))
        if missing := set(given) - set(texts):
            present = ", ".join(texts.unique())
            raise MftPubsubError(f"no {key} {', '.join(sorted(missing))}; there are {present}")
        table = table[texts.isin(given)]
    return table


def _columns(table: pd.DataFrame, query: Query) -> list[tuple[str, tuple[Any, ...], str]]:
    """Of each column: the metric, the value of `across` if there is one, and the heading."""
    if not query.across:
        return [(name, (), heading(name)[0]) for name in query.metrics]
    unit = " m/s" if query.across == "speed_mps" else ""
    return [
        (query.metrics[0], (value,), label(value) + unit)
        for value in in_order(query.across, table[query.across])
    ]


def heading(metric: str) -> tuple[str, float]:
    """How a metric is called in print, and by what it is multiplied."""
    if metric.startswith(LOST):
        cause = metric.removeprefix(LOST)
        return f"{CAUSES.get(cause, cause)}, %", 100.0
    return METRICS.get(metric, (metric, 1.0))


def _cells(table: pd.DataFrame, metric: str, query: Query) -> dict[tuple[Any, ...], str]:
    by = [*query.by, *([query.across] if query.across else [])]
    factor = heading(metric)[1]
    # A key that is the same for all, so that `by` may be empty.
    table, keys = table.assign(all=0), ["all", *by]
    if query.stat == "mean":
        found = moments(table, metric, keys)
        return {key[1:]: cell(row, factor) for key, row in _rows(found, keys)}
    grouped = table.dropna(subset=[metric]).groupby(keys)[metric].agg(query.stat).to_frame("value")
    return {key[1:]: number(row["value"] * factor) for key, row in _rows(grouped, keys)}


def _rows(table: pd.DataFrame, keys: list[str]) -> Iterable[tuple[tuple[Any, ...], Mapping[Any, Any]]]:
    for row in table.reset_index().to_dict("records"):
        yield tuple(row[key] for key in keys), row


def cell(row: Mapping[Any, Any], factor: float = 1.0) -> str:
    """`mean ± ci95 (n)`, to four significant digits; `-` if no run defines the metric."""
    if row["n"] == 0:
        return "-"
    mean, half = number(row["mean"] * factor), number((row["ci95"] or 0.0) * factor)
    return f"{mean} ± {half} ({row['n']:g})" if row["n"] > 1 else f"{mean} (1)"


def number(value: float) -> str:
    """Four significant digits, or all digits of a whole number."""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"
