"""Tables, figures, claims and a report of a study, in its folder."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mftpubsub.errors import MftPubsubError
from mftpubsub.files import as_typed, write_json, write_table
from mftpubsub.notes import tell
from mftpubsub.protocols.catalogue import ROUTING
from mftpubsub.sources.cugola import own
from mftpubsub.sources.cugola.figures import FIGURES, LABELS, ROUTING_FIGURES, draw_figures
from mftpubsub.sources.cugola.source import CUGOLA
from mftpubsub.sources.cugola.study import OverlayStudy, cpu_seconds
from mftpubsub.sources.cugola.tables import Tables, make_tables, mean
from mftpubsub.studies import kept
from mftpubsub.studies.claims import Verdict, hold_against, to_table
from mftpubsub.studies.numbers import Table
from mftpubsub.studies.report import pages
from mftpubsub.studies.report.pages import Pages
from mftpubsub.worlds.reconfiguration.groups import INFORMED

if TYPE_CHECKING:
    import pandas as pd

#: In DIR: what the runs took, and of which commit they are; the runs themselves are not kept with results.
COSTS = "costs.json"


def make_report(folder: Path, study_file: Path, master: str | None = None) -> None:
    """Makes DIR/tables, DIR/costs.json, DIR/report.md, and DIR/figures if they are those of C."""
    aggregate(folder, study_file, master)
    write_report(folder, study_file)


def aggregate(folder: Path, study_file: Path, master: str | None = None) -> None:
    """Makes DIR/tables and DIR/costs.json of DIR/runs."""
    series = OverlayStudy.from_yaml(study_file).series
    over_time = [name for name, one in series.items() if one.over_time]
    make_tables(folder, over_time, master, {name: one.names for name, one in series.items() if one.names})
    write_json(folder / COSTS, {"commit": _commit(), "cpu_s": cpu_seconds(folder / "runs")})


def write_report(folder: Path, study_file: Path) -> None:
    """Writes DIR/report.md with the pages behind it, and DIR/figures, from DIR/tables.

    A study that lacks runs of C's evaluation has the metrics of its own cases as a report.
    """
    tables = Tables(folder)
    try:
        verdicts = hold_against(tables, CUGOLA)
        draw_figures(folder, tables)
    except MftPubsubError as error:
        tell(f"no statements and figures of C's evaluation: {error}")
        made_by = {"Commands": pages.commands(_commands(folder, study_file)), "Runs": _runs(folder, tables)}
        own.report(folder, OverlayStudy.from_yaml(study_file), tables, made_by)
        return
    write_table(to_table(verdicts), folder / "tables" / "claims")
    pages.write(folder, of_evaluation(folder, study_file, tables, verdicts))


QUESTION = (
    "Cugola, Frey, Murphy and Picco (C) compare protocols that mend the tables of a publish/subscribe tree "
    "when links are replaced. Do their results hold when the protocols run anew? Where does the thesis stand?"
)
VERDICTS = (
    f"{pages.VERDICTS} C gives no spread. The tolerances are ours and stand in the statement. C prints a "
    "number (printed), or words such as negligible, which are given a number here. Ratios are of means over "
    "the seeds; their intervals are by linearization (delta method)."
)


def of_evaluation(folder: Path, study_file: Path, tables: Tables, verdicts: list[Verdict]) -> Pages:
    """The report of C's evaluation."""
    drawn = {f"figure-{number}": f"{number}: {title}" for number, (title, _) in FIGURES.items()}
    drawn |= {name: title for name, (title, _) in ROUTING_FIGURES.items()}
    return Pages(
        "Cugola, Frey, Murphy and Picco, run anew",
        QUESTION,
        _answer(tables, verdicts),
        "figures/figure-14.svg",
        f"Figure {drawn['figure-14']}",
        _defaults(tables),
        {"C": verdicts},
        CUGOLA.cited,
        {
            "What C's random selection of links may mean": _policies(tables),
            "MFT-PubSub in this setting": _routing(tables),
            "Figures": "\n\n".join(f"![{title}](figures/{name}.svg)" for name, title in drawn.items()),
        },
        {
            "Numbers": "Means over the seeds with their 95 % intervals. What the protocols and metrics are: "
            "docs/models/reconfiguration.md.",
            "Verdicts": VERDICTS,
        },
        _provenance(folder, study_file, tables),
        VERDICTS,
    )


def _answer(tables: Tables, verdicts: list[Verdict]) -> list[str]:
    less = {name: f"{tables.improvement('default', name)} %" for name in ("tdu", "ila", "rp")}
    fewer = {name: f"{tables.improvement('default', name, 'involved')} %" for name in ("tdu", "ila")}
    costs = {name: tables.mean("default", name, "cost") for name in ("rp", "mft-r")}
    theirs = tables.runs[~tables.runs["protocol"].isin(ROUTING)]
    wrong = int((theirs["faults"] > 0).sum())
    return [
        f"Of {len(verdicts)} statements, {pages.tally(verdicts)}.",
        f"In the default scenario deferred unsubscription costs {less['tdu']} less than the strawman, "
        f"informed link activation {less['ila']}, reconfiguration path {less['rp']}.",
        f"They involve fewer dispatchers: {fewer['tdu']} and {fewer['ila']} fewer for the first two.",
        f"MFT-PubSub-R costs {costs['mft-r']} there, the cheapest of C's {costs['rp']}.",
        f"Tables of C's protocols were wrong at the end of {wrong} of {len(theirs)} runs.",
    ]


def _provenance(folder: Path, study_file: Path, tables: Tables) -> dict[str, str]:
    return {"Command": f"`{_command(folder, study_file)}`", "Runs": _runs(folder, tables)}


def _runs(folder: Path, tables: Tables) -> str:
    costs: dict[str, Any] = json.loads((folder / COSTS).read_text(encoding="utf-8"))
    seeds = tables.runs.groupby("series")["seed"].nunique()
    return (
        f"{len(tables.runs)} at {costs['commit']}, {sum(costs['cpu_s'].values()):.0f} s of CPU time, "
        f"{seeds.max()} seeds ({_fewer(seeds)})."
    )


def _command(folder: Path, study_file: Path) -> str:
    """Which takes all steps at once."""
    return f"mftpubsub cugola {as_typed(study_file)} --out {as_typed(folder)}"


def _commands(folder: Path, study_file: Path) -> list[str]:
    """That have made the results of a study of one's own."""
    swept = kept.swept(folder)
    if all(command.startswith("mftpubsub study run ") for command in swept) and swept:
        return [*swept, *(f"mftpubsub study {step} {as_typed(folder)}" for step in ("tables", "report"))]
    return swept or [_command(folder, study_file)]


def _defaults(tables: Tables) -> Table:
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
    return Table(["protocol", "cost", "less than strawman (%)", "fewer dispatchers (%)"], rows)


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
