"""The report of G's evaluation: its tables beside ours, verdicts on its statements, its figures."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from mftpubsub.simulator.laboratory import handoff_schemes
from mftpubsub.sources.gaddah import claims, figures, own, printed, reasons, study
from mftpubsub.sources.gaddah.measures import MEASURES, measured, texts
from mftpubsub.sources.gaddah.printed import MOBILITIES, SCHEMES, SUBSCRIBERS
from mftpubsub.sources.gaddah.source import GADDAH
from mftpubsub.studies import claims as judging
from mftpubsub.studies.claims import Verdict
from mftpubsub.studies.numbers import Table
from mftpubsub.studies.report import pages
from mftpubsub.studies.report.pages import Pages

#: Title, metric, what G prints, group of cells, events that a buffer holds.
_TABLES: tuple[tuple[str, str, dict[printed.Cell, float], str, int], ...] = (
    (
        "Table 2: throughput, messages/s, in closed loop (128 events)",
        "throughput",
        printed.THROUGHPUT,
        "closed",
        128,
    ),
    ("Table 3: loss, %, at the implied rates (256 events)", "loss_percent", printed.LOSS, "tables", 256),
    (
        "Table 4: duplicates, %, at the implied rates (128 events)",
        "duplicates_percent",
        printed.DUPLICATES,
        "tables",
        128,
    ),
)
#: What the groups of the table of every scheme add to a scheme's name.
_VARIANTS = {"schemes": "", "reactive-home": ", home", "reactive-filters": ", filters on device"}
_SCHEMES_TEXT = (
    "Beyond G: 50 subscribers, 20 events/s, buffers of 256 events, the same movement for all. Each cell has "
    "one mean with its interval for each T_beta (s connected, the header's order); a wide interval is of few "
    "seeds that collapse. Messages a move are those between brokers "
    "for hand-offs; links are those of the brokers' tree. "
    "State is the events in all buffers, by broker; Phoenix's hold what it has passed on to connected "
    "subscribers too. EMMA's controller has nobody to send elsewhere, since links break before another is "
    "there: its row is MQTT's clean sessions, and a DISCONNECT for each move. With home brokers events are "
    "handed over twice a move, so that transfers outlast stays earlier."
)
#: What figures show, by their names.
CAPTIONS = {
    "fig5": "Figure 5: delay and throughput over the number of subscribers",
    "fig6": "Figure 6: hand-off latency, cumulative (quantiles, mean over the seeds)",
    "fig7": "Figure 7: how often subscribers move",
    "fig8": "Figure 8: pro-active, by broker; work is shown as copies stored",
    "fig12_13": "Figures 12, 13: G's fitted curve beside our throughput, by broker",
    "occupancy": "Where subscribers are: the Markov chains beside the simulation",
}


QUESTION = (
    "Gaddah and Kunz (G) compare three schemes that hand subscribers over between six fixed brokers: durable "
    "subscriptions, reactive and pro-active hand-off. Do their results hold when the schemes run anew?"
)


def make(folder: Path) -> None:
    """Writes DIR/report.md and the pages behind it from DIR/tables/cells.parquet.

    Of G's evaluation, which has its groups of cells, with DIR/figures and DIR/tables/claims.
    """
    table = study.cells(folder)
    if not GADDAH.concern(table):
        own.report(folder, table)
        return
    verdicts = judging.hold_against(claims.Cells(table), GADDAH)
    judging.to_table(verdicts).to_csv(folder / "tables" / "claims.csv", index=False)
    figures.make(table, folder / "figures")
    pages.write(folder, of_cells(folder, table, verdicts))


def of_cells(folder: Path, table: pd.DataFrame, verdicts: list[Verdict]) -> Pages:
    """The report of G's evaluation, of DIR/tables and the verdicts."""
    pictures = [
        f"![{caption}](figures/{name}.png)"
        for name, caption in CAPTIONS.items()
        if (folder / "figures" / f"{name}.png").exists()
    ]
    return Pages(
        "Gaddah and Kunz, run anew",
        QUESTION,
        _answer(claims.Cells(table), verdicts),
        "figures/overview.png",
        "Loss, delay and throughput over the number of subscribers, at the rates that G implies",
        _outcome(table),
        {"G": verdicts},
        GADDAH.cited,
        {
            **{
                title: _beside(table, metric, theirs, group, size).markdown()
                for title, metric, theirs, group, size in _TABLES
            },
            "Every scheme on one movement": _SCHEMES_TEXT,
            **{f"{mobility} moves": _schemes(table, mobility).markdown() for mobility in MOBILITIES},
            "At 20 events/s": f"Buffers of 256 events.\n\n{_one_rate(table).markdown()}",
            "Figures": "\n\n".join(pictures),
        },
        _methods(folder, table),
        _provenance(folder),
    )


def _answer(cells: claims.Cells, verdicts: list[Verdict]) -> list[str]:
    """Five sentences."""
    found = {verdict.claim.id: verdict.verdict for verdict in verdicts}
    return [
        f"Of {len(verdicts)} statements there are {pages.tally(verdicts)}.",
        f"The order of throughput (pro-active, reactive, durable) is {found['T2a']}, that of delays "
        f"{found['F5a']}.",
        f"That pro-active loses least is {found['T3a']}. {reasons.equal_rates(cells)}",
        f"What a move costs in messages is {found['M']}; that pro-active has no duplicates, {found['T4a']}.",
        f"Near saturation the reactive scheme loses {reasons.near_saturation(cells)}.",
    ]


def _outcome(table: pd.DataFrame) -> Table:
    """G's schemes with 200 subscribers, random moves, buffers of 256 events."""
    there = (table.mobility == "random") & (table.subscribers == 200) & (table.buffer_events == 256)
    chosen = table[there & (table.group == "tables")]
    rows = []
    for scheme in SCHEMES:
        values = chosen.loc[chosen.scheme == scheme, ["metric", "mean", "half_width"]].to_numpy().tolist()
        rows.append([scheme, *texts({name: (mean, half) for name, mean, half in values})])
    return Table(["K 200, random moves", *(name for name, *_ in MEASURES)], rows)


def _methods(folder: Path, table: pd.DataFrame) -> dict[str, str]:
    methods = {
        "Cells": "Each cell of a table beside G's: printed / ours, with the 95 % interval over the seeds "
        f"({table.seeds.min()} to {table.seeds.max()} of them). G measured a testbed whose event size and "
        "costs are not published: its absolute numbers are targets for shape.",
        "Verdicts": f"{pages.VERDICTS} The tables of cells keep means and intervals, not seeds: effects "
        "between cells are taken as those of independent means (Welch).",
    }
    costs = folder / "tables" / "costs.csv"
    if costs.exists():
        fitted = pd.read_csv(costs).iloc[0]
        values = ", ".join(f"{name} {value:.4g}" for name, value in fitted.items())
        methods["Costs of the closed loop"] = (
            f"Fitted by non-negative least squares to the 18 implied rates, ms: {values}."
        )
    return methods


def _provenance(folder: Path) -> dict[str, str]:
    return {
        "Commands": "`make gaddah` makes all this; the cells are in `tables/cells.parquet`.",
        study.BY_SOURCE: study.runs_by_source(folder),
    }


def _schemes(table: pd.DataFrame, mobility: str) -> Table:
    """Rows: schemes, as the registry has them; columns: measures, each for every T_beta."""
    cells = table[table.group.isin(_VARIANTS) & (table.mobility == mobility)]
    cells = cells.assign(scheme=cells.scheme + cells.group.map(_VARIANTS))
    stays = sorted(cells.mean_connected.unique())
    columns = ["scheme", "mean_connected", "metric", "mean", "half_width"]
    found: dict[tuple[str, float, str], tuple[float, float]] = {
        (scheme, stay, metric): (mean, half)
        for scheme, stay, metric, mean, half in cells[columns].to_numpy().tolist()
    }

    def of(scheme: str) -> list[str]:
        return [
            " / ".join(
                measured(found[scheme, stay, metric], metric, digits, unit)
                if (scheme, stay, metric) in found
                else "-"
                for stay in stays
            )
            for _, metric, digits, unit in MEASURES
        ]

    names = [scheme + variant for scheme in handoff_schemes() for variant in _VARIANTS.values()]
    run = set(cells.scheme)
    return Table(
        [f"scheme (T_beta {' / '.join(f'{stay:g}' for stay in stays)})", *(name for name, *_ in MEASURES)],
        [[name, *of(name)] for name in names if name in run],
    )


def _one_rate(table: pd.DataFrame) -> Table:
    """Rows: cells of the group rate-20; columns: measures with their intervals."""
    columns = ["scheme", "mobility", "subscribers", "metric", "mean", "half_width"]
    cells: dict[tuple[str, str, int], dict[str, tuple[float, float]]] = {}
    rate_20 = table.loc[table.group == "rate-20", columns].to_numpy().tolist()
    for scheme, mobility, subscribers, metric, mean, half in rate_20:
        cells.setdefault((scheme, mobility, subscribers), {})[metric] = (mean, half)
    rows = []
    for (scheme, mobility, subscribers), found in cells.items():
        rows.append([scheme, mobility, str(subscribers), *texts(found)])
    return Table(["scheme", "mobility", "K", *(name for name, *_ in MEASURES)], rows)


def _beside(
    table: pd.DataFrame, metric: str, theirs: dict[printed.Cell, float], group: str, buffer_events: int
) -> Table:
    chosen = table[(table.metric == metric) & (table.group == group) & (table.buffer_events == buffer_events)]
    ours = {
        (row.scheme, row.mobility, row.subscribers): f"{row.mean:.2f} ± {row.half_width:.2f}"
        for row in chosen.itertuples()
    }
    columns = [(scheme, mobility) for scheme in SCHEMES for mobility in MOBILITIES]
    rows = [
        [str(k), *(f"{theirs[(*column, k)]:g} / {ours.get((*column, k), 'not run')}" for column in columns)]
        for k in SUBSCRIBERS
    ]
    return Table(["K", *(f"{scheme} {mobility}" for scheme, mobility in columns)], rows)
