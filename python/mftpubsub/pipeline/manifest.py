"""What DIR/parquet holds: one file that names the runs and the parts that their records are in.

A part that it does not name is not there. So an ingest commits by replacing this file, and whoever reads sees
all of what was there before, or all of what is there now.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute, parquet

from mftpubsub.folders import Folder, Stat
from mftpubsub.trace import trace_format

#: In DIR; the underscore hides it from Spark.
MANIFEST = "parquet/_manifest.parquet"
#: A row is a run: what is known of it without its run.json.
SCHEMA = pa.schema(
    [
        ("name", pa.string()),
        ("parts", pa.list_(pa.string())),
        ("rows", pa.int64()),
        # What tells its content: of the trace and of run.json.
        ("trace_bytes", pa.int64()),
        ("trace_sha256", pa.string()),
        ("metadata_sha256", pa.string()),
        # What the file system said of both files before they were read.
        ("stat", pa.list_(pa.int64())),
        ("protocol", pa.string()),
        ("config", pa.string()),
        ("speed_mps", pa.float64()),
        ("seed", pa.int64()),
        ("axes", pa.string()),  # JSON
        ("unknown", pa.string()),  # JSON
        ("is_foreign", pa.bool_()),
        ("versions", pa.string()),
        ("wall_s", pa.float64()),
        ("cpu_s", pa.float64()),
        ("events", pa.int64()),
        ("finished", pa.string()),
        ("git_commit", pa.string()),
        ("machine", pa.string()),
        # The beginnings of two SHA-256 (hex): what made it, and its settings but for the seed.
        ("code", pa.string()),
        ("settings", pa.string()),
    ]
)


#: Runs of a group of rows in the file, for each of which Parquet has buffers.
_GROUP = 2**14
#: Of a SHA-256 (hex), so many tell two apart.
_DIGITS = 16
#: Runs that are Python's own objects at a time.
_SOME = 2**12
#: Of a run, what the task that has read it tells.
TOLD = pa.schema([field for field in SCHEMA if field.name not in ("parts", "stat")])


@dataclass(frozen=True)
class Part:
    """A file of records below DIR/parquet: size (B), SHA-256 (hex), records, what the file system said."""

    bytes: int
    sha256: str
    rows: int
    stat: Stat = ()


@dataclass(frozen=True)
class Manifest:
    """The runs (SCHEMA) and the parts, by their names in DIR; `written` is its own time, ns."""

    runs: pa.Table = field(default_factory=SCHEMA.empty_table)
    parts: Mapping[str, Part] = field(default_factory=dict)
    written: int = 0

    def column(self, name: str) -> list[Any]:
        """A column of the runs."""
        found: list[Any] = self.runs.column(name).to_pylist()
        return found

    def rows_of(self, names: list[str]) -> npt.NDArray[np.int64]:
        """The rows of the runs with these names; -1 of one that is not here."""
        return places(encoded(names), self.runs.column("name"))

    def are_in(self, parts: Iterable[str]) -> npt.NDArray[np.bool_]:
        """By run, whether all parts that it is in are among these."""
        column = self.runs.column("parts").combine_chunks()
        is_there = compute.is_in(column.flatten(), pa.array(parts, pa.string()))
        found = np.ones(len(column), bool)
        found[compute.list_parent_indices(column).filter(compute.invert(is_there)).to_numpy()] = False
        return found

    def lists_of_parts(self) -> set[tuple[str, ...]]:
        """The parts of each run; runs that are in one part together have them once."""
        batches = self.runs.select(["parts"]).to_batches(_SOME)
        return {(*names,) for batch in batches for names in batch.column(0).to_pylist()}

    def unfit(self) -> set[str]:
        """Parts that hold more or fewer records than their runs: of runs that are gone, or have changed.

        An ingest of an older version that was killed may have left them.
        """
        of_runs = pa.table(
            {"part": compute.list_element(self.runs.column("parts"), 0), "rows": self.runs.column("rows")}
        )
        sums = of_runs.group_by("part").aggregate([("rows", "sum")])
        rows = dict(zip(*(sums.column(name).to_pylist() for name in ("part", "rows_sum")), strict=True))
        return {
            name
            for names in self.lists_of_parts()
            if rows[names[0]] != sum(self.parts[name].rows for name in names)
            for name in names
        }

    def stats(self, width: int) -> npt.NDArray[np.int64]:
        """By run what the file system said, in so many numbers; -2 if it said something of another kind."""
        found = np.full((len(self.runs), width), -2, np.int64)
        column = self.runs.column("stat").combine_chunks()
        alike = compute.equal(compute.list_value_length(column), width).to_numpy(zero_copy_only=False)
        found[alike] = column.filter(pa.array(alike)).flatten().to_numpy().reshape(-1, width)
        return found

    def places(self) -> pa.StringArray:
        """By run, what its folder says of its configuration: its name, and its values on the axes."""
        found = compute.extract_regex(self.runs.column("name"), "^[^/]*/config=(?P<place>[^/]*)/")
        return compute.struct_field(found, "place").combine_chunks()

    def content(self) -> str:
        """SHA-256 (hex) of what the runs say: the same of a copy."""
        found = hashlib.sha256(f"[{json.dumps(trace_format.digest())}, [".encode())
        separator = ""
        # In their order, and some at a time: of many runs all of it would be large.
        for batch in self.runs.select(["name", "trace_sha256", "metadata_sha256"]).to_batches(_SOME):
            rows = zip(*(column.to_pylist() for column in batch.columns), strict=True)
            found.update((separator + ", ".join(map(json.dumps, rows))).encode())
            separator = ", "
        found.update(b"]]")
        return found.hexdigest()


def encoded(names: Iterable[str]) -> pa.BinaryArray:
    """Names of runs as the file system has them, which need not be Unicode's."""
    return pa.array([os.fsencode(name) for name in names], pa.binary())


def places(names: pa.Array | pa.ChunkedArray, among: pa.Array | pa.ChunkedArray) -> npt.NDArray[np.int64]:
    """The places of names in a column; -1 of one that is not there."""
    found = compute.index_in(names.cast(pa.binary()), among.cast(pa.binary()))
    rows: npt.NDArray[np.int64] = compute.fill_null(found, -1).cast(pa.int64()).to_numpy()
    return rows


def listed(stats: npt.NDArray[np.int64]) -> pa.ListArray:
    """What the file system says of runs, a row each, as the column `stat`."""
    count, width = stats.shape
    return pa.ListArray.from_arrays(pa.array(range(0, (count + 1) * width, width), pa.int32()), stats.ravel())


def described(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Of a run, what SCHEMA has of its run.json."""
    versions = ", ".join(f"{part} {number}" for part, number in metadata["versions"].items())
    settings = json.dumps(_settings(metadata.get("scenario")))
    return {
        **{name: metadata[name] for name in ("protocol", "config", "speed_mps", "seed", "trace_bytes")},
        **{name: metadata.get(name) for name in ("wall_s", "cpu_s", "events")},
        **{name: _text(metadata.get(name)) for name in ("finished", "git_commit", "machine")},
        "trace_sha256": metadata["trace_sha256"],
        "axes": json.dumps(metadata.get("axes", {})),
        "unknown": json.dumps(metadata.get("unknown", [])),
        "is_foreign": "source" in metadata,
        "versions": versions,
        "code": str(metadata.get("code", "unknown"))[:_DIGITS],
        "settings": hashlib.sha256(settings.encode()).hexdigest()[:_DIGITS],
    }


def _settings(scenario: object) -> object:
    """A scenario without its seed, and without the places of files whose SHA-256 it has."""
    if isinstance(scenario, list):
        return [_settings(each) for each in scenario]
    if not isinstance(scenario, dict):
        return scenario
    left_out = {"seed", "path"} if "sha256" in scenario else {"seed"}
    return {name: _settings(scenario[name]) for name in sorted(scenario) if name not in left_out}


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def mixed(held: Manifest) -> list[str]:
    """What tables take for alike and is not: runs of several codes, or of several settings of one code."""
    own = held.runs.filter(compute.invert(held.runs.column("is_foreign")))
    of_cases = compute.replace_substring_regex(own.column("name"), "/seed=[^/]*$", "")
    own = own.append_column("case", of_cases)
    return [
        *(f"runs of {name} are of {count} codes" for name, count in _several(own, ["protocol"], "code")),
        *(
            f"runs in {name} have {count} settings, besides their seeds"
            for name, count in _several(own, ["case", "code"], "settings")
        ),
    ]


def _several(runs: pa.Table, keys: list[str], column: str) -> list[tuple[str, int]]:
    """The groups of runs that have several values in a column, by the first of their keys."""
    counts = runs.group_by(keys).aggregate([(column, "count_distinct")])
    counts = counts.filter(compute.greater(counts.column(f"{column}_count_distinct"), 1)).sort_by(keys[0])
    names, numbers = (counts.column(name).to_pylist() for name in (keys[0], f"{column}_count_distinct"))
    return [*zip(names, numbers, strict=True)]


def load(folder: Folder) -> Manifest:
    """What DIR/parquet holds; nothing if it was read by another schema, or its manifest is damaged."""
    try:
        stat = folder.stat(MANIFEST)
        with folder.on_disk(MANIFEST) as path, parquet.ParquetFile(path) as file:
            # One after the other: of all at once Parquet has buffers as large as the table.
            groups = [file.read_row_group(group, use_threads=False) for group in range(file.num_row_groups)]
            runs = pa.concat_tables(groups) if groups else file.read()
        told = {name.decode(): value.decode() for name, value in (runs.schema.metadata or {}).items()}
        if told["schema"] != trace_format.digest() or runs.schema.remove_metadata() != SCHEMA:
            return Manifest()
        parts = {
            name: Part(**part | {"stat": tuple(part["stat"])})
            for name, part in json.loads(told["parts"]).items()
        }
    except (FileNotFoundError, IsADirectoryError, ValueError, LookupError, TypeError):
        return Manifest()
    return Manifest(runs.replace_schema_metadata(), parts, stat[1] if stat else 0)


def save(folder: Folder, rows: Iterable[pa.Table], parts: Mapping[str, Part]) -> None:
    """Makes these runs, and the parts that they are in, what DIR/parquet holds."""
    runs = pa.concat_tables([SCHEMA.empty_table(), *rows]).sort_by("name")
    told = {
        "schema": trace_format.digest(),
        "parts": json.dumps({name: asdict(parts[name]) for name in sorted(parts)}),
    }
    with folder.scratch() as path:
        parquet.write_table(runs.replace_schema_metadata(told), path, row_group_size=_GROUP)
        folder.keep(path, MANIFEST)
