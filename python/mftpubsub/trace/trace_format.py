"""The trace format as trace_schema.yaml defines it, for everything in Python that reads or documents it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from mftpubsub.shipped import read_table


@dataclass(frozen=True)
class Column:
    """One column: `type` is string, int or double, a type name that Spark SQL and DuckDB share."""

    name: str
    type: str
    doc: str
    unit: str = ""


def _source() -> bytes:
    return files("mftpubsub.trace").joinpath("trace_schema.yaml").read_bytes()


@cache
def _schema() -> dict[str, Any]:
    schema: dict[str, Any] = read_table("mftpubsub.trace", "trace_schema.yaml")
    return schema


def digest() -> str:
    """SHA-256 (hex) of the definition."""
    return hashlib.sha256(_source()).hexdigest()


def version() -> int:
    """Version of the format, the third word of a trace's first line."""
    return int(_schema()["version"])


def columns() -> tuple[Column, ...]:
    """The columns, in the order of a line's fields."""
    return tuple(Column(**column) for column in _schema()["columns"])


def records() -> list[dict[str, Any]]:
    """The kinds of records: op, layer, kind, the columns they fill besides those four, and what they mean."""
    return list(_schema()["records"])


def header() -> str:
    """First line of a trace, without the line's end."""
    names = " ".join(column.name for column in columns())
    return f"# mftpubsub-trace {version()} {names}"


def markdown() -> str:
    """The text of docs/trace-format.md."""
    column_rows = [f"| `{c.name}` | {c.type} | {c.unit} | {c.doc} |" for c in columns()]
    record_rows = [
        f"| `{r['op']}` | {r['layer']} | {r['kind']} | {', '.join(r['columns']) or '-'} | {r['doc']} |"
        for r in records()
    ]
    lines = [
        "# The trace format",
        "",
        "Made from `python/mftpubsub/trace/trace_schema.yaml` by `trace_format.markdown()`.",
        "",
        "One gzip text file a run, in blocks of whole lines that can be read alone. One record a line,",
        "fields separated by one space, `-` where a field does not apply. The last line is the END record;",
        "the first is:",
        "",
        f"    {header()}",
        "",
        "## Columns",
        "",
        "| column | type | unit | meaning |",
        "|---|---|---|---|",
        *column_rows,
        "",
        "## Records",
        "",
        "| op | layer | kind | columns besides op, time_s, node, layer and kind | meaning |",
        "|---|---|---|---|---|",
        *record_rows,
    ]
    return "\n".join(lines) + "\n"
