"""DIR/report.md: the figures with their numbers, where they come from, and what is not in them."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable, Mapping
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mftpubsub import figures
from mftpubsub.figures import Figure, in_order, label

if TYPE_CHECKING:
    import pandas as pd

#: Columns of the table of all cases: metric, heading, factor.
OVERVIEW = (
    ("delivery_rate", "delivery rate (thesis), %", 100.0),
    ("delivery_rate_strict", "delivery rate (strict), %", 100.0),
    ("reachable", "reachable, %", 100.0),
    ("delivered_of_reachable", "delivered of reachable, %", 100.0),
    ("delay_median_s", "delay, median, s", 1.0),
    ("delay_p95_s", "delay, p95, s", 1.0),
    ("migrations", "migrations", 1.0),
    ("duplicates", "duplicates", 1.0),
)
FRAMES = (
    ("frames_per_node_pub", "PUB, DATA", 1.0),
    ("frames_per_node_rep", "REP", 1.0),
    ("frames_per_node_control", "control", 1.0),
    ("frames_per_node_heartbeat", "heartbeat, HELLO", 1.0),
    ("frames_per_node_ack", "ACK", 1.0),
    ("frames_per_broker", "by a broker", 1.0),
    ("frames_per_subscriber", "by a subscriber", 1.0),
    ("frames_per_publisher", "by a publisher", 1.0),
)
CASE = ("protocol", "config", "speed_mps")


def make(folder: Path) -> None:
    """Writes DIR/report.md if the tables, the ingest report or the figures are newer than it.

    Raises MftPubsubError if there are no tables.
    """
    table = figures.read_table(folder)
    ingest_report = folder / "ingest-report.json"
    drawn = sorted((folder / "figures").glob("*.png"))
    path = folder / "report.md"
    if figures.is_newer(path, folder / "tables" / "metrics.parquet", ingest_report, *drawn):
        return
    sections = [
        f"# Results: {folder.resolve().name}",
        "Means over independent seeds ± half the width of the 95 % confidence interval (Student's t); "
        "in parentheses the number of seeds. The same seed gives every protocol the same mobility, shadowing "
        "and traffic.",
        *(_figure(figure) for figure in figures.plan(table)),
        "## Delivery and delay",
        "The thesis's rate counts the (event, subscriber) pairs that some broker matched; the strict rate "
        "counts all whose subscriber held a matching subscription at publication. Reachable is the share of "
        "these that an ideal epidemic protocol would deliver.",
        _overview(table, OVERVIEW),
        "## Messages sent, per node",
        _overview(table, FRAMES),
        "## Provenance",
        _provenance(folder),
        "## Missing",
        _missing(folder),
    ]
    partial = path.with_name(".report.md.partial")
    partial.write_text("\n\n".join(sections) + "\n", encoding="utf-8")
    partial.replace(path)


def _figure(figure: Figure) -> str:
    """The picture, and under it the numbers that it shows."""
    title = figure.title.replace("\n", ", ")
    number = figure.name.removeprefix("fig").replace("_", ".")
    factor = 100.0 if figure.is_share else 1.0
    cells = {(row[figure.lines], row[figure.x]): _cell(row, factor) for row in figure.rows.to_dict("records")}
    places = in_order(figure.x, figure.rows[figure.x])
    unit = " m/s" if figure.x == "speed_mps" else ""
    rows = [
        [label(figure.lines, name), *(cells.get((name, place), "-") for place in places)]
        for name in in_order(figure.lines, figure.rows[figure.lines])
    ]
    heading = [figure.ylabel, *(label(figure.x, place) + unit for place in places)]
    image = f"![{title}](figures/{figure.name}.png)"
    return f"## Figure {number}: {title}\n\n{image}\n\n{_markdown(heading, rows)}"


def _cell(row: Mapping[Any, Any], factor: float = 1.0) -> str:
    """`mean ± ci95 (n)`, to four significant digits; `-` if no run defines the metric."""
    if row["n"] == 0:
        return "-"
    mean, half = _number(row["mean"] * factor), _number((row["ci95"] or 0.0) * factor)
    return f"{mean} ± {half} ({row['n']})" if row["n"] > 1 else f"{mean} (1)"


def _number(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _overview(table: pd.DataFrame, metrics: Iterable[tuple[str, str, float]]) -> str:
    """One row for each case, one column for each metric that the table has."""
    present = [metric for metric in metrics if (table["metric"] == metric[0]).any()]
    cells = {
        (*(row[key] for key in CASE), row["metric"]): row for row in table.to_dict("records") if row["n"]
    }
    orders = [in_order(key, table[key]) for key in CASE]
    rows = []
    for case in product(*orders):
        values = [cells.get((*case, name)) for name, _, _ in present]
        if any(values):
            names = [label(key, value) for key, value in zip(CASE, case, strict=True)]
            texts = [
                _cell(row, factor) if row else "-" for row, (*_, factor) in zip(values, present, strict=True)
            ]
            rows.append([*names, *texts])
    return _markdown(["protocol", "configuration", "m/s", *(heading for _, heading, _ in present)], rows)


def _provenance(folder: Path) -> str:
    """Commands, code, versions, seeds and machine, from the runs' own metadata."""
    runs = [
        json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("runs/*/*/*/*/run.json"))
    ]
    if not runs:
        return "The runs themselves are not kept here."
    name = folder.resolve().name
    versions = sorted({", ".join(f"{key} {value}" for key, value in run["versions"].items()) for run in runs})
    cpu_h = sum(run["cpu_s"] for run in runs) / 3600
    events = sum(run["events"] for run in runs)
    rows = [
        [
            "command",
            f"`mftpubsub sweep CONFIG --out {name}`, then `ingest`, `figures` and `report` of `{name}`",
        ],
        ["commit", ", ".join(sorted({str(run["git_commit"]) for run in runs}))],
        ["versions", "; ".join(versions)],
        ["seeds", ", ".join(map(str, sorted({run["seed"] for run in runs})))],
        ["runs", f"{len(runs)}: {cpu_h:.2f} h of processor time, {events} simulator events"],
        ["report made on", f"{platform.system()} {platform.machine()}, {_processor()}"],
    ]
    return _markdown(["", ""], rows)


def _processor() -> str:
    """Kind and number of this machine's processors."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{os.cpu_count()} x {models[0] if models else 'processor'}"


def _missing(folder: Path) -> str:
    """What was set aside, and the runs that would make the grid of what is there complete."""
    import pandas as pd

    lines = []
    report = folder / "ingest-report.json"
    if report.exists():
        problems = json.loads(report.read_text(encoding="utf-8"))["set_aside"]
        lines += [f"- set aside: `{problem['file']}`: {problem['reason']}" for problem in problems]
    path = folder / "tables" / "runs.parquet"
    if path.exists():
        runs = pd.read_parquet(path, columns=[*CASE, "seed"])
        there = set(runs.itertuples(index=False, name=None))
        grid = product(*(in_order(key, runs[key]) for key in CASE), sorted(runs["seed"].unique()))
        lines += [
            f"- no run: {label('protocol', case[0])}, {case[1]}, {case[2]:g} m/s, seed {case[3]}"
            for case in grid
            if case not in there
        ]
    return "\n".join(lines) or "Nothing: no file was set aside, and every case has all its seeds."


def _markdown(heading: list[str], rows: list[list[str]]) -> str:
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
