"""What names a run: its keys in tables, and its folder, `protocol=P/config=C/speed=V/seed=N`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Protocol

#: What names a run, in the order of its folder. Types as in SQL.
RUN_KEYS = {"protocol": "string", "config": "string", "speed_mps": "double", "seed": "bigint"}
KEYS = tuple(RUN_KEYS)
#: A case is a run but for its seed.
CASE = KEYS[:-1]
#: The parts of a run's folder, each `name=value`; Spark reads them as columns.
PARTS = ("protocol", "config", "speed", "seed")
#: A value there: what a Parquet partition can be called.
NAME = r"[\w.+ -]+"

TRACE = "trace.gz"
METADATA = "run.json"
#: How the names begin of what is under way.
PARTIAL = ".partial-"


class Named(Protocol):
    """A scenario, as far as it names its run."""

    @property
    def protocol(self) -> str: ...
    @property
    def config(self) -> str: ...
    @property
    def speed(self) -> float: ...
    @property
    def seed(self) -> int: ...


def run_keys(scenario: Named) -> dict[str, Any]:
    """What names a run in tables."""
    values = (scenario.protocol, scenario.config, scenario.speed, scenario.seed)
    return dict(zip(RUN_KEYS, values, strict=True))


def run_folder(scenario: Named) -> Path:
    """Folder of a run, relative to the folder of all runs."""
    return folder_of(run_keys(scenario))


def folder_of(keys: dict[str, Any]) -> Path:
    """The same by what names the run in tables."""
    values = (keys["protocol"], keys["config"], speed_part(keys["speed_mps"]), keys["seed"])
    return Path(*(f"{part}={value}" for part, value in zip(PARTS, values, strict=True)))


def speed_part(speed_mps: float) -> str:
    """A speed as the part of a folder's name, all digits: it is read as a key again."""
    return repr(float(speed_mps)).removesuffix(".0")


def read_metadata(folder: Path) -> dict[str, Any]:
    """The content of a run's run.json; empty if the run is not complete."""
    try:
        metadata = json.loads((folder / METADATA).read_text(encoding="utf-8"))
        complete = (folder / TRACE).stat().st_size == metadata["trace_bytes"]
    except (OSError, ValueError, LookupError, TypeError):
        return {}
    return dict(metadata) if complete else {}
