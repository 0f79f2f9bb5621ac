"""DIR/report.md: G's tables beside ours, its claims with verdicts and reasons, its figures."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from mftpubsub.handoff import claims, figures, printed, study
from mftpubsub.handoff.printed import MOBILITIES, SCHEMES, SUBSCRIBERS
from mftpubsub.query import Table

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
_CAPTIONS = {
    "fig5": "Figure 5: delay and throughput over the number of subscribers",
    "fig6": "Figure 6: hand-off latency, cumulative (quantiles, mean over the seeds)",
    "fig7": "Figure 7: how often subscribers move",
    "fig8": "Figure 8: pro-active, by broker; work is shown as copies stored",
    "fig12_13": "Figures 12, 13: G's fitted curve beside our throughput, by broker",
    "occupancy": "Where subscribers are: the Markov chains beside the simulation",
}


def make(folder: Path) -> None:
    """Writes DIR/report.md, DIR/figures and DIR/tables/claims.csv from DIR/tables/cells.csv."""
    table = study.cells(folder)
    rows = claims.check(claims.Cells(table))
    pd.DataFrame(rows).to_csv(folder / "tables" / "claims.csv", index=False)
    verdicts = Table(
        ["claim", "G says", "kind", "verdict", "ours", "why"],
        [
            [row[key] for key in ("claim", "statement", "kind", "verdict", "measured", "reason")]
            for row in rows
        ],
    )
    parts = [
        "# Gaddah and Kunz, run anew",
        "Each cell: printed / ours, with the 95 % interval over the seeds. Kinds: X exact, I invariant, "
        "O order, N number. G measured a testbed whose event size and costs are not published: its absolute "
        "numbers are targets for shape. `make gaddah` makes all this; the cells are in `tables/cells.csv`. "
        f"Seeds a cell: {table.seeds.min()} to {table.seeds.max()}.",
        *(
            f"## {title}\n\n{_beside(table, metric, theirs, group, size).markdown()}"
            for title, metric, theirs, group, size in _TABLES
        ),
        f"## Claims\n\n{verdicts.markdown()}",
    ]
    costs = folder / "tables" / "costs.csv"
    if costs.exists():
        fitted = pd.read_csv(costs).iloc[0]
        parts.append(
            "## Costs of the closed loop\n\n"
            "Fitted by non-negative least squares to the 18 implied rates, ms: "
            + ", ".join(f"{name} {value:.4g}" for name, value in fitted.items())
            + "."
        )
    for path in figures.make(table, folder / "figures"):
        parts.append(f"## {_CAPTIONS[path.stem]}\n\n![{_CAPTIONS[path.stem]}](figures/{path.name})")
    (folder / "report.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


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
