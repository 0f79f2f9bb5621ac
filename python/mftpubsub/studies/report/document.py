"""What a report says, for both of its forms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mftpubsub.labels import LOST, in_order, label, leading, why_strict
from mftpubsub.studies import claims, figures, numbers, provenance, sensitivity
from mftpubsub.studies.claims import Verdict
from mftpubsub.studies.figures import Figure
from mftpubsub.studies.kept import studies
from mftpubsub.studies.numbers import Query, Table
from mftpubsub.studies.report import charts, overview, pages
from mftpubsub.studies.report.charts import Chart, Key
from mftpubsub.studies.results import StudyResults
from mftpubsub.studies.source import Source
from mftpubsub.trace.layout import axes_of, text

if TYPE_CHECKING:
    import pandas as pd

DELIVERY = (
    "delivery_rate",
    "delivery_rate_strict",
    "reachable",
    "delivered_of_reachable",
    "delay_mean_s",
    "delay_median_s",
    "delay_p95_s",
    "migrations",
    "duplicates",
)
FRAMES = (
    "frames_per_node_pub",
    "frames_per_node_rep",
    "frames_per_node_control",
    "frames_per_node_heartbeat",
    "frames_per_node_ack",
    "frames_per_broker",
    "frames_per_subscriber",
    "frames_per_publisher",
    "senders_mean",
)


NUMBERS = (
    "Means over independent seeds ± half the width of the 95 % confidence interval (Student's t), or the "
    "ends of that interval if it would reach beyond what is possible; in parentheses the number of seeds. "
    "Under each table stands the command that prints it from the tables of this study."
)
RATES = (
    "The thesis's rate counts the (event, subscriber) pairs that some broker matched; the strict rate counts "
    "all whose subscriber held a matching subscription at publication. Reachable is the share of these that "
    "an ideal epidemic protocol would deliver."
)
TESTS = (
    "Measured are effects, paired seed by seed, with their 95 % confidence intervals and in parentheses the "
    "number of seeds. A part holds if its interval lies wholly in the claimed region, is opposite if wholly "
    "beyond the point of no effect, open if the interval does not say. A statement is confirmed if all of "
    "its parts hold, and opposite if all are, with a p value of all parts below 0.05 after correction for "
    "the number of statements (Holm). Of two or more parts it is partly confirmed if the p value of the "
    "surest one that holds is below 0.05 after correction for their number. Else it is not confirmed if a "
    "part does not hold, and cannot be decided if none fails. The p value stands beside a verdict that rests "
    "on it, or that lacks it though parts hold. What is the same in every run has no p value: it does not "
    "hold outside the claimed region, and else tells nothing. A part whose seeds all get worse by as much "
    "improves no verdict. A statement on the delivery rate is judged by the thesis's rate and, beside it, by "
    "the strict rate. Signed-rank tests of every part are in tables/claims.csv."
)
RIVALS = (
    "The verdicts above are against ns-3's AODV with its defaults. Here stand those that rest on it against "
    "each AODV that was run; behind a stroke that by the strict rate, where it is another. Where both are "
    "tuned, MFT-PubSub-tuned stands for MFT-PubSub."
)
PLACES = (
    "The verdicts above are of the first column. Here stand those that are not the same everywhere; behind a "
    "stroke that by the strict rate, where it is another."
)


@dataclass(frozen=True)
class Picture:
    """Drawings with a file of the same content (without its suffix), and a legend of bars if needed."""

    file: str
    title: str
    charts: list[Chart]
    legend: list[Key] = field(default_factory=list)


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it. `is_folded`: tables are shown when asked for."""

    title: str
    anchor: str
    texts: list[str]
    tables: list[Table] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    is_folded: bool = False
    verdicts: list[Verdict] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Document:
    """The whole report. `protocols`: id and name of each, for filters."""

    title: str
    texts: list[str]
    sections: list[Section]
    protocols: list[tuple[str, str]]


def build(results: StudyResults, source: Source, judged: Mapping[str, list[Verdict]]) -> Document:
    """The report of a study, with its verdicts by rival. Raises MftPubsubError if there are no tables."""
    values, name = results.runs, results.name
    kept = studies(results.folder)
    plan = source.plan(results.means)
    protocols = in_order("protocol", values["protocol"])
    sections = [
        _overview(values, name, plan, judged),
        *_networks(kept),
        Section("How to read the numbers", "numbers", [NUMBERS]),
        *_verdicts(judged, name, source, values),
        *(_figure(figure, values, name) for figure in plan),
        *_bound(values, name),
        Section(
            "Delivery and delay of every case",
            "delivery",
            [RATES, *filter(None, [why_strict(protocols)])],
            [numbers.tabulate(values, Query(tuple(leading(DELIVERY, protocols))), name)],
        ),
        Section("Messages sent, per node", "messages", [], [numbers.tabulate(values, Query(FRAMES), name)]),
        *_sensitivity(results),
        *_costs(values, name),
        Section("Commands", "commands", [], lines=_commands(results)),
        Section("Provenance", "provenance", [], provenance.tables(results)),
        _missing(results),
    ]
    question, added = overview.abouts(results.folder)
    title = f"Results: {results.folder.resolve().name}"
    keys = [(key, label(key)) for key in protocols]
    texts = [*filter(None, [question]), *added, *overview.runs(values), *overview.lacking(results)]
    return Document(title, texts, sections, keys)


def _overview(
    values: pd.DataFrame, name: str, plan: list[Figure], judged: Mapping[str, list[Verdict]]
) -> Section:
    where, table = overview.outcome(values, name)
    texts = [f"The numbers are of {where}; all others are below."]
    if judged:
        count = len(next(iter(judged.values())))
        texts.append(f"What became of {count} statements of the sources:")
        against = claims.against(values).capitalize()
        texts += [f"{against} {label(name)}: {pages.tally(verdicts)}." for name, verdicts in judged.items()]
    pictures = [_picture(figure) for figure in figures.overview(plan)]
    return Section("What came out", "overview", texts, [table], pictures)


def _networks(kept: list[Mapping[str, Any]]) -> Iterator[Section]:
    lines = overview.networks(kept)
    if lines:
        yield Section("The networks", "networks", [], lines=lines)


def _verdicts(
    judged: Mapping[str, list[Verdict]], name: str, source: Source, values: pd.DataFrame
) -> Iterator[Section]:
    """Nothing if the study is about other things than the sources."""
    if not judged:
        return
    verdicts = next(iter(judged.values()))
    summary, *others = claims.tables(judged, f"mftpubsub claims {name}")
    limits = filter(None, [claims.where(values, source)])
    yield Section(
        "What the sources say, checked",
        "claims",
        [f"Of {len(verdicts)} statements: {pages.tally(verdicts)}. {source.cited}", *limits, TESTS],
        [summary],
        verdicts=verdicts,
    )
    if others and axes_of(values):
        yield Section("Verdicts by place", "rivals", [PLACES], others)
    elif others:
        told = [RIVALS, *filter(None, [claims.unequal(values, source)])]
        yield Section("Which AODV", "rivals", told, others)


def _figure(figure: Figure, values: pd.DataFrame, name: str) -> Section:
    only = {key: (text(value),) for key, value in figure.only.items()}
    asked = Query((figure.metric,), (figure.lines,), figure.x, only)
    title = f"Figure {figure.number}: {_title(figure)}" if figure.number else _title(figure)
    table = numbers.tabulate(values, asked, name)
    return Section(title, figure.name, [], [table], [_picture(figure)], is_folded=True)


def _picture(figure: Figure) -> Picture:
    chart = charts.of_figure(figure)
    return Picture(figure.name, _title(figure), [chart] if chart else [])


def _title(figure: Figure) -> str:
    return figure.title.replace("\n", ", ")


def _bound(values: pd.DataFrame, name: str) -> Iterator[Section]:
    """The bound, and the losses by cause, if they are known."""
    found = figures.outcomes(values)
    if found is None:
        return
    only = {key: (text(value),) for key, value in found.only.items()}
    rates = ("delivery_rate_strict", "reachable", "delivered_of_reachable")
    causes = tuple(f"{LOST}{cause}" for cause in found.causes)
    yield Section(
        f"The bound, and what became of the rest, {found.place}",
        "losses",
        [
            "No protocol can deliver more than is reachable: the pairs for which a space-time path over "
            "usable links exists before the end (an epidemic with infinite buffers). Whatever was not "
            "delivered has one cause: the last that was heard of it. Each row of the second table sums "
            f"to 100 % ({_largest_gap(values)}).",
        ],
        [
            numbers.tabulate(values, Query(rates, ("protocol", "config"), only=only), name),
            numbers.tabulate(
                values, Query(("delivery_rate_strict", *causes), ("protocol", "config"), only=only), name
            ),
        ],
        [
            Picture(
                "losses",
                "Delivered, and lost by cause; across each bar, what is reachable",
                charts.of_outcomes(found),
                charts.keys_of_outcomes(found),
            )
        ],
        is_folded=True,
    )


def _largest_gap(values: pd.DataFrame) -> str:
    """How far the whole of a run is from the sum of its parts."""
    parts = values[["delivery_rate_strict", *(name for name in values if str(name).startswith(LOST))]]
    gap = float((parts.sum(axis=1) - 1)[values["sent_pairs"] > 0].abs().max())
    return "exactly, in every run" if gap < 1e-9 else f"up to {100 * gap:.2g} points off in a run"


_POSITION_BIAS = (
    "Position bias: under random waypoint, nodes that start uniformly are drawn to the middle of the area "
    "while the run goes on. So density, and with it connectivity, is not the same at first as later. The "
    "thesis starts uniformly; the variant steady-state starts in the stationary distribution."
)


def _sensitivity(results: StudyResults) -> Iterator[Section]:
    tables = sensitivity.tables(results)
    if tables:
        yield Section(
            "Sensitivity: what the verdicts hang on",
            "sensitivity",
            [
                "Each variant changes one thing in some of this study's cases (speeds, seeds), and is "
                "compared with the same cases as they are here. A protocol that the change does not concern "
                "is not run again. A verdict here is about those cases only. With few seeds some cannot be "
                "decided before or after: this tells of the seeds and not of the variant. A part that turns "
                "round is decided both times, and differently. Of the metrics: changes, paired seed by seed "
                "over all speeds, with 95 % confidence intervals.",
                *([_POSITION_BIAS] if "steady-state" in {row[0] for row in tables[0].rows} else []),
            ],
            tables,
        )


def _costs(values: pd.DataFrame, name: str) -> Iterator[Section]:
    if "wall_s" not in values:
        return
    by = ("protocol", "config")
    times = ("wall_s", "cpu_s")
    yield Section(
        "What it took",
        "costs",
        [
            "Wall and processor time of one run by size: means over all speeds, then the longest run, "
            "then the sum of all runs. Runs share the machine with others, one a processor."
        ],
        [
            numbers.tabulate(values, Query((*times, "events", "trace_bytes"), by), name),
            numbers.tabulate(values, Query(("wall_s",), ("protocol",), "config", stat="max"), name),
            numbers.tabulate(values, Query(times, ("protocol",), stat="sum"), name),
        ],
    )


def _commands(results: StudyResults) -> list[str]:
    return [f"`{command}`" for command in provenance.commands(results.folder, is_reported=True)]


def _missing(results: StudyResults) -> Section:
    lines = provenance.missing(results)
    texts = [] if lines else ["Nothing: every case has all its seeds."]
    return Section("Missing", "missing", texts, lines=lines)
