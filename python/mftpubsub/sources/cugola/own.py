"""A study of reconfigurations of one's own: the metrics of its cases, what varies as pictures."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from mftpubsub.labels import ORDERS
from mftpubsub.protocols.catalogue import SHORT
from mftpubsub.scenario.part import unit_at
from mftpubsub.sources.cugola.figures import LABELS
from mftpubsub.sources.cugola.study import OverlayStudy, Series
from mftpubsub.sources.cugola.tables import Tables, mean
from mftpubsub.statistics import moments
from mftpubsub.studies.figures import Figure, write_panels
from mftpubsub.studies.numbers import Table, told
from mftpubsub.studies.report import pages
from mftpubsub.trace.layout import text
from mftpubsub.worlds.reconfiguration.scenario import OverlayScenario

if TYPE_CHECKING:
    import pandas as pd

#: Of the report; the largest possible value.
_METRICS = {
    "cost": inf,
    "overhead": inf,
    "delivery": 1.0,
    "involved": 1.0,
    "total_traffic": inf,
    "faults": inf,
}
#: What is drawn: metric, title, what stands beside it, whether it is a share.
_PANELS = (
    ("cost", "Cost of a reconfiguration", "Cost (SUBs)", False),
    ("involved", "Dispatchers involved", "Of all dispatchers (%)", True),
    ("delivery", "Delivered", "Of all expected (%)", True),
)
CAPTION = "; ".join(title for _, title, *_ in _PANELS)


def report(folder: Path, study: OverlayStudy, tables: Tables, provenance: Mapping[str, str]) -> None:
    """Writes DIR/report.md, DIR/provenance.md and DIR/figures."""
    drawn = draw(folder, study, tables)
    sections = {}
    for name in (name for name in study.series if tables.protocols(name)):
        picture = pages.picture(CAPTION, drawn[name]) if name in drawn else ""
        sections[name] = f"{picture}{_table(study.series[name], name, tables).markdown()}"
    intro = "Means over the seeds with their 95 % intervals."
    pages.write_own(folder, f"Reconfigurations: {folder.resolve().name}", intro, sections, provenance)


def draw(folder: Path, study: OverlayStudy, tables: Tables) -> dict[str, Path]:
    """Draws each series that varies something into DIR/figures. Returns the PNGs by series."""
    varied = {name: series for name, series in study.series.items() if series.vary and tables.protocols(name)}
    panels = {name: _panels(name, series, tables) for name, series in varied.items()}
    return write_panels(folder, {name: figures for name, figures in panels.items() if figures})


def _panels(name: str, series: Series, tables: Tables) -> list[Figure]:
    import pandas as pd

    runs = tables.runs[tables.runs["series"] == name]
    runs = pd.concat([runs, *_over_all(runs, series)])
    runs = runs.assign(place=runs["x"].map(series.told), line=runs["protocol"])
    runs.attrs[ORDERS] = {"place": series.names, "line": [*series.flat, *series.protocols]}
    key = str(series.vary)
    unit = unit_at(OverlayScenario, key.split("."))
    return [
        Figure(
            metric,
            f"{title}\n{name}",
            beside,
            metric,
            "place",
            "line",
            {},
            moments(runs, metric, ["place", "line"]).reset_index(),
            is_share=is_share,
            labels=LABELS,
            along=f"{key} ({unit})" if unit else key,
            looks={short: place for place, short in enumerate(LABELS)},
        )
        for metric, title, beside, is_share in _PANELS
        if runs[metric].notna().any()
    ]


def _over_all(runs: pd.DataFrame, series: Series) -> list[pd.DataFrame]:
    """Those of protocols that do not depend on what varies, at its other values."""
    flat = runs[runs["protocol"].isin(series.flat)]
    return [flat.assign(x=x) for x in sorted(set(runs["x"]) - set(flat["x"]))]


def _table(series: Series, name: str, tables: Tables) -> Table:
    protocols = [short for short in (*series.flat, *series.protocols) if short in tables.protocols(name)]
    rows = [
        [
            *([text(series.told(x))] if series.vary else []),
            SHORT[short],
            *(_told(tables, name, short, metric, x) for metric in _METRICS),
        ]
        for short in protocols
        for x in tables.places(name, short)
    ]
    return Table([*([series.vary] if series.vary else []), "protocol", *_METRICS], rows)


def _told(tables: Tables, series: str, protocol: str, metric: str, x: float) -> str:
    """A mean with its interval and the number of seeds; nothing if no run has the metric."""
    values = tables.values(series, protocol, metric, x).dropna()
    found = mean(values)
    return told(found.mean, found.half, len(values), (0.0, _METRICS[metric]))
