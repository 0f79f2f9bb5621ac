"""Tables, figures, claims and a report of a study, in its folder."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mftpubsub.pipeline.ingest import write_json
from mftpubsub.query import Table, as_typed
from mftpubsub.reconfiguration.claims import judge
from mftpubsub.reconfiguration.figures import FIGURES, LABELS, draw_figures
from mftpubsub.reconfiguration.study import OverlayStudy, cpu_seconds
from mftpubsub.reconfiguration.tables import Tables, make_tables

if TYPE_CHECKING:
    import pandas as pd

#: In DIR: what the runs took, and of which commit they are; the runs themselves are not kept with results.
COSTS = "costs.json"


def make_report(folder: Path, study_file: Path, master: str | None = None) -> None:
    """Makes DIR/tables, DIR/figures, DIR/costs.json and DIR/report.md of DIR/runs."""
    series = OverlayStudy.from_yaml(study_file).series
    make_tables(folder, [name for name, one in series.items() if one.over_time], master)
    write_json(folder / COSTS, {"commit": _commit(), "cpu_s": cpu_seconds(folder / "runs")})
    tables = Tables(folder)
    draw_figures(folder, tables)
    claims = judge(folder, tables)
    (folder / "report.md").write_text(_report(folder, study_file, tables, claims), encoding="utf-8")


def _report(folder: Path, study_file: Path, tables: Tables, claims: pd.DataFrame) -> str:
    tally = Counter(claims["verdict"])
    costs: dict[str, Any] = json.loads((folder / COSTS).read_text(encoding="utf-8"))
    seeds = tables.runs.groupby("series")["seed"].nunique()
    faults = int((tables.runs["faults"] > 0).sum())
    parts = [
        "# Reconfiguration protocols of Cugola, Frey, Murphy and Picco",
        f"By `mftpubsub cugola {as_typed(study_file)} --out {as_typed(folder)}` at {costs['commit']}: "
        f"{len(tables.runs)} runs, {sum(costs['cpu_s'].values()):.0f} s of CPU time, "
        f"{seeds.max()} seeds ({_fewer(seeds)}). Tables were not as from scratch at the end of "
        f"{faults} of them. What the protocols and metrics are: docs/models/reconfiguration.md.",
        f"## Statements\n\n{tally['met']} of {len(claims)} met. P: C prints a number, Q: in words; the "
        "tolerances are ours.",
        _markdown(claims),
        "## The default scenario",
        _defaults(tables),
        "## What C's random selection of links may mean",
        _policies(tables),
        "## Figures",
        *(f"![{number}: {title}](figures/figure-{number}.svg)" for number, (title, _) in FIGURES.items()),
    ]
    return "\n\n".join(parts) + "\n"


def _markdown(frame: pd.DataFrame) -> str:
    rows = [[str(value) or "-" for value in row] for row in frame.itertuples(index=False)]
    return Table([*frame.columns], rows).markdown()


def _defaults(tables: Tables) -> str:
    rows = []
    for protocol in (name for name in LABELS if name in tables.protocols("default")):
        improves = protocol != "strawman"
        rows.append(
            [
                LABELS[protocol],
                str(tables.mean("default", protocol, "cost")),
                str(tables.improvement("default", protocol)) if improves else "-",
                str(tables.improvement("default", protocol, "involved")) if improves else "-",
            ]
        )
    return Table(["protocol", "cost", "less than strawman (%)", "fewer dispatchers (%)"], rows).markdown()


def _policies(tables: Tables) -> str:
    rows = []
    for policy, series in (
        ("shared", "default"),
        ("uniform", "policy-uniform"),
        ("nearby", "policy-nearby"),
        ("cycle", "policy-cycle"),
    ):
        rec = (tables.kind(series, "rp", "REC", column).mean() for column in ("hops_with_patterns", "cost"))
        found = (tables.improvement(series, protocol) for protocol in ("tdu", "ila", "rp"))
        involved = (tables.improvement(series, protocol, "involved") for protocol in ("ila", "rp"))
        rows.append([policy, *(f"{value:.3g}" for value in rec), *map(str, (*found, *involved))])
    headings = ["policy", "REC", "REC cost", "TDU %", "ILA %", "RP %", "fewer, ILA %", "fewer, RP %"]
    return Table(headings, rows).markdown()


def _fewer(seeds: pd.Series[int]) -> str:
    fewer = [f"{count} of {name}" for name, count in seeds.items() if count < seeds.max()]
    return ", ".join(fewer) or "of every series"


def _commit() -> str:
    """Of the working copy that this is run in, `unknown` outside of one."""
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or "unknown"
