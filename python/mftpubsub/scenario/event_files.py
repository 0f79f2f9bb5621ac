"""Files of events that publishers replay: read, and refused with the line that is wrong."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mftpubsub.errors import suggest
from mftpubsub.scenario.numerals import number_of, number_or_none
from mftpubsub.simulator.checks import text_problem

#: Columns that are no attributes.
COLUMNS = ("time", "publisher", "bytes")


class RecordedEvent(BaseModel):
    """A line of the file."""

    model_config = ConfigDict(frozen=True)

    time: Annotated[float, Field(ge=0, le=1e7, allow_inf_nan=False)]
    publisher: Annotated[int, Field(ge=0, le=65_534)] = 0
    bytes: Annotated[int, Field(ge=6, le=60_000)]
    attributes: dict[str, bool | int | float | str] = Field(min_length=1)


@lru_cache(maxsize=8)
def read(path: str, _sha256: str) -> list[RecordedEvent]:
    """The events, by time. Raises ValueError that names the line."""
    with Path(path).open(encoding="utf-8-sig", newline="") as file:  # spreadsheets begin with a mark
        lines = csv.DictReader(file, strict=True)
        try:
            events = _events(lines, path)
        except csv.Error as error:
            hint = "; is a quote left open?" if "end of data" in str(error) else ""
            raise ValueError(f"{path}:{lines.line_num + 1}: {error}{hint}") from None
        except UnicodeDecodeError as error:
            raise ValueError(f"{path}: no file of text in UTF-8: {error}") from None
    return sorted(events, key=lambda event: event.time)


def _events(lines: csv.DictReader[str], path: str) -> list[RecordedEvent]:
    names = lines.fieldnames or []
    for column in ("time", "bytes"):
        if column not in names:
            hint = suggest(column, names, "its first line has")
            raise ValueError(f"{path}:1: no column {column!r}; {hint}")
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"{path}:1: column {twice[0]!r} stands there twice")
    events = [_event(line, f"{path}:{lines.line_num}") for line in lines]
    if not events:
        raise ValueError(f"{path}: no events")
    return events


def _event(line: Mapping[str | None, str], where: str) -> RecordedEvent:
    if None in line or None in line.values():
        raise ValueError(f"{where}: not as many values as the first line has columns")
    attributes = {
        name: _value(text) for name, text in line.items() if name and name not in COLUMNS and text != ""
    }
    for name, value in attributes.items():
        if isinstance(value, str) and (problem := text_problem(value)):
            raise ValueError(f"{where}: {name}: {value[:40]!a} is no text: {problem}")
    given = {column: number_of(line[column], f"{where}: {column}") for column in COLUMNS if column in line}
    try:
        return RecordedEvent.model_validate({**given, "attributes": attributes})
    except ValidationError as error:
        detail = error.errors()[0]
        if detail["loc"][0] == "attributes":
            raise ValueError(f"{where}: an event without attributes, which no filter can ask for") from None
        message = detail["msg"][0].lower() + detail["msg"][1:]
        raise ValueError(f"{where}: {detail['loc'][0]}: {message} (given: {detail['input']!r})") from None


def _value(text: str) -> bool | int | float | str:
    """What a filter would read: a number, true or false, or a text."""
    if text in ("true", "false"):
        return text == "true"
    value = number_or_none(text)
    return text if value is None or abs(value) >= 2**63 else value
