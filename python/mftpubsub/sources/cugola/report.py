"""Tables, figures, claims and a report of a study, in its folder."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mftpubsub.errors import MftPubsubError
from mftpubsub.files import as_typed, write_json, write_text
from mftpubsub.notes import tell
from mftpubsub.protocols.catalogue import ROUTING, SHORT
from mftpubsub.sources.cugola.claims import judge
from mftpubsub.sources.cugola.figures import FIGURES, LABELS, ROUTING_FIGURES, draw_figures
from mftpubsub.sources.cugola.study import OverlayStudy, cpu_seconds
from mftpubsub.sources.cugola.tables import Tables, make_tables, mean
from mftpubsub.studies.numbers import Table
from mftpubsub.worlds.reconfiguration.groups import INFORMED

if TYPE_CHECKING:
    import pandas as pd

#: Of the report of a study of one's own.
_METRICS = ("cost", "overhead", "delivery", "involved", "total_traffic", "faults")

#: In DIR: what the runs took, and of which commit they are; the runs themselves are not kept with results.
COSTS = "costs.json"


def make_report(folder: Path, study_file: Path, master: str | None = None) -> None:
    """Makes DIR/tables, DIR/costs.json and DIR/report.md of DIR/runs, and DIR/figures if they are those of C.

    A study that lacks runs of C's evaluation has the metrics of its own cases as a report.
    """
    series = OverlayStudy.from_yaml(study_file).series
    make_tables(folder, [name for name, one in series.items() if one.over_time], master)
    write_json(folder / COSTS, {"commit": _commit(), "cpu_s": cpu_seconds(folder / "runs")})
    tables = Tables(folder)
    try:
        report = text(folder, study_file, tables, judge(folder, tables))
        draw_figures(folder, tables)
    except MftPubsubError as error:
        tell(f"no statements and figures of C's evaluation: {error}")
        report = own(folder, study_file, tables)
    write_text(folder / "report.md", report)


def own(folder: Path, study_file: Path, tables: Tables) -> str:
    """The report of a study of one's own: the metrics of every case."""
    command = f"mftpubsub cugola {as_typed(study_file)} --out {as_typed(folder)}"
    parts = [f"# {study_file.stem}", f"By `{command}`. Means over the seeds with their 95 % intervals."]
    for series in dict.fromkeys(tables.runs["series"]):
        rows = [
            [f"{x:g}", SHORT[name], *(_told(tables, series, name, metric, x) for metric in _METRICS)]
            for name in tables.protocols(series)
            for x in tables.places(series, name)
        ]
        parts.append(f"## {series}\n\n{Table(['x', 'protocol', *_METRICS], rows).markdown()}")
    return "\n\n".join(parts) + "\n"


def _told(tables: Tables, series: str, protocol: str, metric: str, x: float) -> str:
    """A mean with its interval and the number of seeds; nothing if no run has the metric."""
    values = tables.values(series, protocol, metric, x).dropna()
    return f"{mean(values)} ({len(values)})" if len(values) else "-"


def text(folder: Path, study_file: Path, tables: Tables, claims: pd.DataFrame) -> str:
    """The report, without its figures."""
    tally = Counter(claims["verdict"])
    costs: dict[str, Any] = json.loads((folder / COSTS).read_text(encoding="utf-8"))
    seeds = tables.runs.groupby("series")["seed"].nunique()
    wrong = tables.runs[tables.runs["faults"] > 0]
    faults = int((~wrong["protocol"].isin(ROUTING)).sum())
    parts = [
        "# Reconfiguration protocols of Cugola, Frey, Murphy and Picco",
        f"By `mftpubsub cugola {as_typed(study_file)} --out {as_typed(folder)}` at {costs['commit']}: "
        f"{len(tables.runs)} runs, {sum(costs['cpu_s'].values()):.0f} s of CPU time, "
        f"{seeds.max()} seeds ({_fewer(seeds)}). Tables of C's protocols were not as from scratch at the end "
        f"of {faults} of them. What the protocols and metrics are: docs/models/reconfiguration.md.",
        f"## Statements\n\n{tally['met']} of {len(claims)} met. P: C prints a number, Q: in words; the "
        "tolerances are ours.",
        _markdown(claims),
        "## The default scenario",
        _defaults(tables),
        "## What C's random selection of links may mean",
        _policies(tables),
        "## MFT-PubSub in this setting",
        _routing(tables),
        *(f"![{title}](figures/{name}.svg)" for name, (title, _) in ROUTING_FIGURES.items()),
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
        rec = (tables.kind(series, "rp", "REC", column).mean() for column in ("telling_hops", "cost"))
        found = (tables.improvement(series, protocol) for protocol in ("tdu", "ila", "rp"))
        involved = (tables.improvement(series, protocol, "involved") for protocol in ("ila", "rp"))
        rows.append([policy, *(f"{value:.3g}" for value in rec), *map(str, (*found, *involved))])
    headings = ["policy", "REC", "REC cost", "TDU %", "ILA %", "RP %", "fewer, ILA %", "fewer, RP %"]
    return Table(headings, rows).markdown()


def _routing(tables: Tables) -> str:
    """The thesis's protocol beside C's best: cost and delivery on the same worlds, and what it costs else."""
    rows = []
    for protocol in ("strawman", *INFORMED, *ROUTING):
        runs = tables.runs[(tables.runs["protocol"] == protocol) & (tables.runs["series"] == "default")]
        events = tables.values("mft-events", protocol, "delivery")
        rows.append(
            [
                LABELS[protocol],
                str(tables.mean("default", protocol, "cost")),
                str(mean(_by_the_letter(tables, protocol))),
                str(mean(tables.values("default", protocol, "involved") * 100)),
                str(tables.mean("policy-uniform", protocol, "cost")),
                str(tables.mean("scale", protocol, "cost", tables.places("scale", protocol)[-1])),
                str(tables.mean("subscribers", protocol, "cost", 1.0)),
                str(mean(100 * events)),
                f"{int((runs['faults'] > 0).sum())} of {len(runs)}",
                str(tables.mean("mft-swaps", protocol, "total_traffic")),
            ]
        )
    headings = [
        "protocol",
        "cost",
        "letter",
        "involved (%)",
        "cost, uniform",
        "cost, 500",
        "cost, all subscribe",
        "delivered (%)",
        "wrong tables",
        "traffic, swaps",
    ]
    legend = (
        "On the same worlds as above. `cost`: the default scenario, where a subscriber's (t, h) weighs as a "
        "pattern; `letter`: with 0.1 for each message without patterns, whatever it lists (C V-C.1); then "
        "with the policy `uniform`, with 500 dispatchers and 200 patterns, and with subscribers everywhere. "
        "`delivered`: at 1 event/s of a dispatcher, all 8 s; `wrong tables`: runs of the default scenario "
        "that end so; `traffic, swaps`: of all messages of a run without events in which half of the "
        "subscribers give up a pattern for another once a second."
    )
    return f"{legend}\n\n{Table(headings, rows).markdown()}"


def _by_the_letter(tables: Tables, protocol: str) -> pd.Series[float]:
    """The cost by seed if all messages weigh the same that carry no pattern."""
    cost = tables.values("default", protocol, "cost")
    for kind in ("BMIG", "BQUERY"):
        hops, weighed = (tables.kind("default", protocol, kind, column) for column in ("hops", "cost"))
        cost = cost - weighed + 0.1 * hops
    return cost


def _fewer(seeds: pd.Series[int]) -> str:
    fewer = [f"{count} of {name}" for name, count in seeds.items() if count < seeds.max()]
    return ", ".join(fewer) or "of every series"


def _commit() -> str:
    """Of the working copy that this is run in, `unknown` outside of one; results may differ from it."""
    found = _git("describe", "--always").stdout.strip()
    differs = _git("diff", "--quiet", "HEAD", "--", ":/", ":(top,exclude)results").returncode != 0
    return f"{found}-dirty" if found and differs else found or "unknown"


def _git(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)
