"""What names a run: its keys in tables, and its folder, `protocol=P/config=C/speed=V/seed=N`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
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
#: How the folders of tables are called that a run of another program has beside its trace.
RAW = "ns3_"


class Named(Protocol):
    """A scenario, as far as it names its run."""

    @property
    def protocol(self) -> object:
        """Its name, or what tells it as a text."""

    @property
    def config(self) -> str: ...
    @property
    def axes(self) -> Mapping[str, Any]: ...
    @property
    def speed(self) -> float: ...
    @property
    def seed(self) -> int: ...


def keys_of(columns: Iterable[object]) -> tuple[str, ...]:
    """The columns of a table of runs that name one: its first columns, axes too, up to the seed."""
    names = [str(name) for name in columns]
    return tuple(names[: names.index("seed") + 1])


def axes_of(columns: Iterable[object]) -> tuple[str, ...]:
    """The columns of a table of runs or of `metrics` that are axes: behind the case, before what follows."""
    names = [str(name) for name in columns]
    end = next(place for place, name in enumerate(names) if name in ("seed", "metric"))
    return tuple(names[len(CASE) : end])


def case_of(columns: Iterable[object]) -> tuple[str, ...]:
    """The columns of such a table that name a case."""
    return (*CASE, *axes_of(columns))


def may_tell(key: str) -> bool:
    """Whether a value may bring one of another key, as a movement its speed. No protocol does."""
    return key not in ("protocol", "speed_mps", "seed")


def place(config: str, axes: Mapping[str, Any]) -> str:
    """A configuration with the values on the axes, `C8 leader_timeout 3`: as the part of a folder's name."""
    words = (f"{key.rpartition('.')[2]} {value}" for key, value in axes.items())
    return " ".join([config, *(re.sub(r"[^\w.+ -]+", "-", word) for word in words)])


def run_name(scenario: Named) -> str:
    """What a run is called in messages: `mft-pubsub C8 leader_timeout 3 2 m/s seed 1`."""
    where = place(scenario.config, scenario.axes)
    return f"{scenario.protocol} {where} {all_digits(scenario.speed)} m/s seed {scenario.seed}"


def run_keys(scenario: Named) -> dict[str, Any]:
    """What names a run in tables, but for the axes."""
    values = (str(scenario.protocol), scenario.config, scenario.speed, scenario.seed)
    return dict(zip(RUN_KEYS, values, strict=True))


def run_folder(scenario: Named) -> Path:
    """Folder of a run, relative to the folder of all runs."""
    return folder_of(run_keys(scenario) | {"axes": scenario.axes})


def folder_of(keys: Mapping[str, Any]) -> Path:
    """The same by what names the run in tables, and its `axes`."""
    config = place(keys["config"], keys.get("axes", {}))
    values = (keys["protocol"], config, all_digits(keys["speed_mps"]), keys["seed"])
    return Path(*(f"{part}={value}" for part, value in zip(PARTS, values, strict=True)))


def all_digits(number: float) -> str:
    """A number as a part of a name, by which it is found again: only equal ones are written the same."""
    return repr(float(number) + 0.0).removesuffix(".0")  # -0.0 is 0.0


def text(value: object) -> str:
    """A key's value with all its digits, as folders of runs, tables and `--only` name it."""
    return all_digits(value) if isinstance(value, float) else str(value)


def as_text(given: str) -> str:
    """What somebody typed, as `text` has it: 2.0 is 2, and true is True."""
    if given.casefold() in ("true", "false"):
        return given.capitalize()
    with suppress(ValueError):
        return text(float(given))
    return given


def is_foreign(metadata: Mapping[str, Any]) -> bool:
    """Whether another program made a run, which then has neither scenario nor fingerprint."""
    return "source" in metadata


def read_metadata(folder: Path) -> dict[str, Any]:
    """The content of a run's run.json; empty if the run is not complete."""
    try:
        metadata = json.loads((folder / METADATA).read_text(encoding="utf-8"))
        complete = (folder / TRACE).stat().st_size == metadata["trace_bytes"]
    except (OSError, ValueError, LookupError, TypeError):
        return {}
    return dict(metadata) if complete else {}
