"""What made the results of a study: commands, code, versions, seeds, machines, and what it took."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from mftpubsub.errors import MftPubsubError
from mftpubsub.files import as_typed, read_json
from mftpubsub.labels import in_order, label
from mftpubsub.pipeline.marks import REPORT
from mftpubsub.scenario.axes import places
from mftpubsub.studies.figures import PANELS
from mftpubsub.studies.kept import swept
from mftpubsub.studies.numbers import WIDEST, Table
from mftpubsub.studies.published import verified
from mftpubsub.studies.results import StudyResults
from mftpubsub.trace.layout import KEYS, place, text

if TYPE_CHECKING:
    import pandas as pd


def check(results: StudyResults) -> None:
    """Raises MftPubsubError if nothing in the folder has an origin, or its study is not of the radio."""
    results.refuse_others()
    if results.read("costs") is None and not any((results.folder / "studies").glob("*.yaml")):
        raise MftPubsubError(
            f"{results.folder} has neither studies nor tables: name the --out of a `mftpubsub sweep`"
        )


def tables(results: StudyResults) -> list[Table]:
    """All that the tables say of the origin of a study; what differs by protocol apart."""
    command = f"mftpubsub provenance {results.name}"
    costs = results.read("costs")
    parts = []
    if costs is not None:
        rows = [
            ["versions", _values(costs["versions"])],
            ["seeds", _joined([str(seed) for seed in sorted(costs["seed"].unique())])],
            ["machine", _values(costs["machine"])],
            ["simulator events", f"{costs['events'].sum():.4g}"],
        ]
        parts = [Table(["", ""], rows, command=command), _by_protocol(costs, command)]
    again = verified(results)
    return [*parts, *([again] if again else [])]


def _by_protocol(costs: pd.DataFrame, command: str) -> Table:
    groups = [
        (label(name), costs[costs["protocol"] == name]) for name in in_order("protocol", costs["protocol"])
    ]
    rows = [
        [
            name,
            _values(runs["git_commit"]),
            str(len(runs)),
            f"{busy(runs) / 60:.3g}",
            f"{runs['cpu_s'].sum() / 60:.3g}",
        ]
        for name, runs in [*groups, ("all", costs)]
    ]
    heading = [
        "protocol",
        "commit",
        "runs",
        "wall time while its runs were under way, min",
        "processor time, min",
    ]
    return Table(heading, rows, command=command)


def commands(folder: Path, is_reported: bool = False) -> list[str]:
    """The commands that made what is there, sweeps first; `is_reported`: a report is being written."""
    name = as_typed(folder)
    left = {
        "ingest": (folder / REPORT, folder / "costs.parquet"),
        "figures": tuple(folder / "figures" / f"{name}.png" for name in (PANELS, "losses")),
        "report": (folder / "report.md",),
    }
    made = [step for step, files in left.items() if any(file.exists() for file in files)]
    if is_reported and "report" not in made:
        made.append("report")
    return list(dict.fromkeys([*swept(folder), *(f"mftpubsub {step} {name}" for step in made)]))


def busy(costs: pd.DataFrame) -> float:
    """Wall time (s) during which at least one run was under way, in however many sweeps."""
    import pandas as pd

    costs = costs.dropna(subset="wall_s")  # of a run that another program made nobody knows it
    if costs.empty:
        return 0.0
    ends = pd.to_datetime(costs["finished"], format="ISO8601").map(pd.Timestamp.timestamp)
    spans = sorted(zip(ends - costs["wall_s"], ends, strict=True))
    total, until = 0.0, float("-inf")
    for start, end in spans:
        total += max(0.0, end - max(start, until))
        until = max(until, end)
    return total


def missing(results: StudyResults) -> list[str]:
    """What was set aside, and the runs of the kept studies that the tables lack."""
    problems = read_json(results.folder / REPORT).get("set_aside", [])
    lines = [f"set aside: {problem['file']}: {problem['reason']}" for problem in problems]
    if not _studies(results):
        return [*lines, "it is not known which runs were wanted: no sweep has come to its end"]
    return lines + lacking(results)


def lacking(results: StudyResults) -> list[str]:
    """The runs of the kept studies that the tables lack, each once."""
    runs = results.need("runs")
    return list(dict.fromkeys(line for study in _studies(results) for line in _missing_of(study, runs)))


def _studies(results: StudyResults) -> list[Path]:
    return sorted((results.folder / "studies").glob("*.yaml"))


def _missing_of(study: Path, runs: pd.DataFrame) -> list[str]:
    content = yaml.safe_load(study.read_text(encoding="utf-8"))
    axes = places(content.get("axes", {}))
    keys = [*KEYS, *axes[0]]
    there = set() if {*keys} - {*runs} else set(zip(*(runs[key].map(text) for key in keys), strict=True))
    protocols = [_name_of(protocol) for protocol in content["protocols"]]
    by = (content[name] for name in ("configurations", "speeds", "seeds"))
    return [
        f"no run: {label(protocol)}, {place(config, at)}, {text(speed)} m/s, seed {seed}"
        for protocol, config, speed, seed, at in product(protocols, *by, axes)
        if (protocol, config, text(speed), text(seed), *map(text, at.values())) not in there
    ]


def _name_of(protocol: Any) -> str:
    """What tables call a protocol of a kept study: of one that a user wrote it has the record."""
    return str(protocol["name"] if isinstance(protocol, dict) else protocol)


def _values(column: pd.Series[Any]) -> str:
    return _joined(sorted(str(value) for value in column.dropna().unique())) or "not recorded"


def _joined(values: Sequence[str]) -> str:
    """All values if a cell holds them, else the ends of their list and how many there are."""
    whole = ", ".join(values)
    return whole if len(whole) <= WIDEST else f"{values[0]} ... {values[-1]} ({len(values)} in all)"
