"""A hand-off study of one's own: its cells, what varies as pictures, and what it was made by."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import Any

import pandas as pd

from mftpubsub.files import as_typed
from mftpubsub.labels import in_order
from mftpubsub.sources.gaddah import study
from mftpubsub.sources.gaddah.measures import MEASURES, texts
from mftpubsub.studies import kept
from mftpubsub.studies.figures import Figure, at, write_panels
from mftpubsub.studies.numbers import Table
from mftpubsub.studies.report import pages

#: What a group may vary, in the order in which it is drawn along; what it is called there.
_ALONG = {
    "subscribers": "Subscribers",
    "rate": "Publications (events/s)",
    "mean_connected": "T_beta (s)",
    "buffer_events": "Events that a buffer holds",
    "mobility": "Moves",
}
#: What is drawn: metric, title, what stands beside it.
_PANELS = (
    ("loss_percent", "Events lost", "Lost (%)"),
    ("delay_first_copies_mean_s", "Delay of first copies", "Mean delay (s)"),
    ("control_per_move.all", "Messages of hand-offs", "Messages a move"),
)
CAPTION = "; ".join(title for _, title, *_ in _PANELS)


def report(folder: Path, cells: pd.DataFrame) -> None:
    """Writes DIR/report.md, DIR/provenance.md and DIR/figures."""
    drawn = draw(folder, cells)
    sections = {}
    for name in in_order("group", cells["group"]):
        picture = pages.picture(CAPTION, drawn[name]) if name in drawn else ""
        sections[name] = f"{picture}{_table(at(cells, {'group': name})).markdown()}"
    title = f"Hand-offs: {folder.resolve().name}"
    intro = "Means over the seeds with their 95 % intervals."
    pages.write_own(folder, title, intro, sections, _provenance(folder, cells))


def draw(folder: Path, cells: pd.DataFrame) -> dict[str, Path]:
    """Draws each group that varies something but its schemes into DIR/figures. Returns the PNGs by group."""
    groups = {name: _panels(cells, name) for name in in_order("group", cells["group"])}
    return write_panels(folder, {name: panels for name, panels in groups.items() if panels})


def _panels(cells: pd.DataFrame, group: str) -> list[Figure]:
    """Along the first of what varies; of what varies besides, the first value."""
    looks = {scheme: place for place, scheme in enumerate(in_order("scheme", cells["scheme"]))}
    cells = at(cells, {"group": group})
    varied = [key for key in _ALONG if cells[key].nunique() > 1]
    if not varied:
        return []
    only = {key: in_order(key, cells[key].dropna())[0] for key in varied[1:]}
    cells = at(cells, only).rename(columns={"half_width": "ci95", "seeds": "n"})
    words = [group, *(f"{key} {_text(value)}" for key, value in only.items())]
    return [
        Figure(
            metric,
            f"{title}\n{'; '.join(words)}",
            beside,
            metric,
            varied[0],
            "scheme",
            only,
            rows,
            labels={scheme: scheme for scheme in looks},
            along=_ALONG[varied[0]],
            looks=looks,
        )
        for metric, title, beside in _PANELS
        if len(rows := cells[cells["metric"] == metric])
    ]


def _table(cells: pd.DataFrame) -> Table:
    keys = [key for key in study.KEYS if key != "group" and key in cells]
    ranks = {key: {value: rank for rank, value in enumerate(in_order(key, cells[key]))} for key in keys}
    found: dict[tuple[Any, ...], list[str]] = {}
    for where, metrics in cells.groupby(keys, dropna=False):
        values = metrics[["metric", "mean", "half_width"]].to_numpy().tolist()
        told = texts({metric: (mean, half) for metric, mean, half in values})
        found[where] = [*map(_text, where), *told, f"{metrics['seeds'].max()}"]
    places = sorted(
        found, key=lambda where: [ranks[key].get(value, inf) for key, value in zip(keys, where, strict=True)]
    )
    heading = [*keys, *(name for name, *_ in MEASURES), "seeds"]
    return Table(heading, [found[where] for where in places])


def _text(value: Any) -> str:
    """A key's value; a rate that is none is what the brokers let."""
    if isinstance(value, float):
        return f"{value:g}" if value == value else "closed loop"
    return str(value)


def _provenance(folder: Path, cells: pd.DataFrame) -> dict[str, str]:
    name = as_typed(folder)
    steps = [f"mftpubsub study {step} {name}" for step in ("tables", "report")]
    seeds = cells.groupby([key for key in study.KEYS if key in cells], dropna=False)["seeds"].max()
    told = {
        "Commands": pages.commands([*kept.swept(folder), *steps]),
        study.BY_SOURCE: study.runs_by_source(folder),
        "Seeds of a cell": f"{seeds.min()} to {seeds.max()}.",
    }
    if files := kept.files(folder):
        told["Study"] = f"{', '.join(f'[{file.name}](studies/{file.name})' for file in files)}, as run."
        told["Missing"] = study.missing(folder, files)
    return told
