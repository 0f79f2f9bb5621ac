"""What DIR/parquet holds: one file that names the runs and the parts that their records are in.

A part that it does not name is not there. So an ingest commits by replacing this file, and whoever reads sees
all of what was there before, or all of what is there now.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import pyarrow as pa
from pyarrow import parquet

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
    ]
)


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

    def content(self) -> str:
        """SHA-256 (hex) of what the runs say: the same of a copy."""
        rows = zip(*map(self.column, ("name", "trace_sha256", "metadata_sha256")), strict=True)
        told = json.dumps([trace_format.digest(), sorted(rows)])
        return hashlib.sha256(told.encode()).hexdigest()


def described(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Of a run, what SCHEMA has of its run.json."""
    versions = ", ".join(f"{part} {number}" for part, number in metadata["versions"].items())
    return {
        **{name: metadata[name] for name in ("protocol", "config", "speed_mps", "seed", "trace_bytes")},
        **{name: _number(metadata.get(name)) for name in ("wall_s", "cpu_s", "events")},
        **{name: _text(metadata.get(name)) for name in ("finished", "git_commit", "machine")},
        "trace_sha256": metadata["trace_sha256"],
        "axes": json.dumps(metadata.get("axes", {})),
        "unknown": json.dumps(metadata.get("unknown", [])),
        "is_foreign": "source" in metadata,
        "versions": versions,
    }


def _number(value: object) -> object:
    return value if isinstance(value, int | float) else None


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def load(folder: Folder) -> Manifest:
    """What DIR/parquet holds; nothing if it was read by another schema, or its manifest is damaged."""
    try:
        stat = folder.stat(MANIFEST)
        with folder.on_disk(MANIFEST) as path:
            runs = parquet.read_table(path, partitioning=None)
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
        parquet.write_table(runs.replace_schema_metadata(told), path)
        folder.keep(path, MANIFEST)
