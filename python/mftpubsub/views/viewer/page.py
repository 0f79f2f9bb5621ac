"""The viewer's page: one HTML file with the runs in it, which needs no server and no network."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from mftpubsub.errors import QueryError
from mftpubsub.files import as_path, write_text
from mftpubsub.labels import label, leading
from mftpubsub.notes import tell
from mftpubsub.protocols.device import Device
from mftpubsub.runs.result import Result
from mftpubsub.runs.simulation import Progress
from mftpubsub.scenario.scenario import Scenario
from mftpubsub.trace.layout import TRACE, place, read_metadata
from mftpubsub.views.exports.own import FieldReader
from mftpubsub.views.viewer.columns import Columns
from mftpubsub.views.viewer.records import FAULTS, Records, read
from mftpubsub.views.viewer.replay import Replay, replay, replay_result, step_for
from mftpubsub.views.viewer.walk import walk

#: Where the page takes its runs.
_PLACE = "<!-- runs -->"
#: Of the metrics, those that the page shows.
_METRICS = (
    "delivery_rate",
    "delivery_rate_strict",
    "reachable",
    "delay_median_s",
    "delay_p95_s",
    "hops_mean",
    "frames_per_node",
    "migrations",
    "duplicates",
)
#: What no page tells.
_UNTOLD = (
    "what waits in a MAC's buffer",
    "which events wait in a queue (their number is told)",
)


def page(blocks: Sequence[bytes], title: str) -> str:
    """The page of compressed runs (`columns.py`)."""
    runs = (
        f'<script type="application/x-mftpubsub-run">{base64.b64encode(block).decode()}</script>'
        for block in blocks
    )
    return _filled("\n".join(runs), title)


def live_page(title: str) -> str:
    """The page that asks its server for its run (`live.py`)."""
    return _filled('<script type="application/x-mftpubsub-live"></script>', title)


def _filled(runs: str, title: str) -> str:
    template = files("mftpubsub.views.viewer").joinpath("viewer.html").read_text(encoding="utf-8")
    named = template.replace("<title>mftpubsub</title>", f"<title>{escape(title)}</title>", 1)
    return named.replace(_PLACE, runs, 1)


def of_scenario(scenario: Scenario, step_s: float | None = None, progress: Progress | None = None) -> bytes:
    """Runs a scenario and gives its block. `step_s`: between looks at it; by default half a second."""
    step_s = step_for(scenario.count(), scenario.duration, step_s)
    seen = replay(scenario, step_s, progress, has_packets=isinstance(scenario.protocol, Device))
    return _of_replay(Result(scenario, seen.trace, seen.cost, seen.keep), seen)


def of_result(result: Result, step_s: float | None = None, progress: Progress | None = None) -> bytes:
    """The block of a run that is over. It is simulated anew where it can be, for what its trace leaves out.

    Raises QueryError if that gives another trace.
    """
    if result.rerun_obstacle:
        why = f"the run cannot be simulated anew: {result.rerun_obstacle}"
        tell(f"{why}; the page shows its trace alone, with nodes at places that are easy to look at")
        return of_trace(result.trace, result, why)
    has_packets = isinstance(result.scenario.protocol, Device)
    return _of_replay(result, replay_result(result, step_s, progress, has_packets=has_packets))


def of_trace(trace: Path, result: Result | None = None, why: str = "it is a trace without its run") -> bytes:
    """The block of a trace file alone: no positions, links or receptions. `why` says why that is so."""
    columns = Columns()
    records = read(trace, columns)
    left_out = f"positions, links, leaders, queues, who heard a frame and what it carried ({why})"
    return columns.block(_told(records, result, trace.name, [left_out, *_UNTOLD]))


def of_foreign(folder: Path) -> bytes:
    """The block of a run that another program made: of its trace, and of where its nodes were if told."""
    told = read_metadata(folder)
    columns = Columns()
    records = read(folder / TRACE, columns)
    walked = walk(folder, records.ids, records.end_s)
    unknown = "links, who heard a frame" if walked else "positions, links, who heard a frame"
    header = _told(records, None, "", [f"all that {told['source']} does not tell: {unknown}", *_UNTOLD])
    if walked:
        header["area"] = walked.area_m
        walked.add_to(columns, records.clock)
    keys = {"protocol": told["protocol"], "label": label(told["protocol"]), "config": told["config"]}
    return columns.block(header | keys | {"speed": told["speed_mps"], "seed": told["seed"]})


def _of_replay(result: Result, seen: Replay) -> bytes:
    columns = Columns()
    records = read(result.trace, columns)
    seen.film.add_to(columns, records.clock)
    untold = list(_UNTOLD)
    if not seen.film.add_routes_to(columns):
        untold.insert(0, "routing tables (too many for a page)")
    if not seen.air.add_to(columns, records):
        untold.insert(0, "who heard which frame (too many frames and nodes for a page)")
    told = _told(records, result, "", untold)
    if isinstance(result.scenario.protocol, Device):
        told["fields"] = _add_fields(columns, result.scenario.protocol, seen)
    return columns.block(told)


def _add_fields(columns: Columns, protocol: Device, seen: Replay) -> list[dict[str, str]]:
    """Adds, for each frame, the place of its fields among those that are returned: values by name."""
    known: dict[tuple[tuple[str, str], ...], int] = {}
    reader = FieldReader(protocol)
    places = [
        known.setdefault(tuple(reader.fields(ethertype, content).items()), len(known))
        for _, ethertype, content in seen.packets
    ]
    columns.add("frame.fields", places, "i4", "delta")
    return [dict(fields) for fields in known]


def _told(records: Records, result: Result | None, name: str, untold: list[str]) -> dict[str, Any]:
    """The header of a run's block."""
    told: dict[str, Any] = {
        "format": 1,
        "name": name,
        "tick": records.clock.tick_s,
        "duration": records.end_s,
        "roles": records.roles,
        "kinds": records.kinds,
        "causes": records.causes,
        "faults": FAULTS,
        "untold": untold,
    }
    if records.ids != [*range(len(records.ids))]:
        told["names"] = [str(id) for id in records.ids]
    if result is None:
        return told
    names = leading(_METRICS, [str(result.scenario.protocol)])
    metrics = {name: result.metrics[name] for name in names}
    return told | told_of(result.scenario) | {"metrics": metrics}


def told_of(scenario: Scenario) -> dict[str, Any]:
    """What the header says of a run's scenario."""
    return {
        "protocol": str(scenario.protocol),
        "label": label(str(scenario.protocol)),
        "config": place(scenario.config, scenario.axes),
        "speed": scenario.speed,
        "seed": scenario.seed,
        "area": list(scenario.area),
        "walls": [[*start, *end] for each in scenario.obstacles for start, end in each.walls()],
        "secondsPerByte": scenario.radio.seconds_per_byte(),
    }


class View:
    """A page, which shows itself in a notebook."""

    def __init__(self, blocks: Sequence[bytes], title: str) -> None:
        self._blocks = blocks
        self._title = title

    def save(self, out: str | Path) -> None:
        """Writes the page. Raises QueryError if it cannot be written."""
        write(as_path(out, "save", "view.html"), self._blocks, self._title)

    def _repr_html_(self) -> str:
        inner = escape(page(self._blocks, self._title))
        return f'<iframe srcdoc="{inner}" style="width: 100%; height: 640px; border: 0"></iframe>'


def write(out: Path, blocks: Sequence[bytes], title: str) -> None:
    """Writes the page, whole or not at all. Raises QueryError if it cannot be written."""
    try:
        write_text(out, page(blocks, title))
    except OSError as error:
        raise QueryError(f"{out} cannot be written: {error.strerror or error}") from error
