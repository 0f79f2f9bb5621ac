"""What the studies say that a folder of results keeps: their files, as they were run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from mftpubsub.scenario.axes import named_values


def studies(folder: Path) -> list[Mapping[str, Any]]:
    """The files that the results in a folder come from, as they were run; first that of its name."""
    name = folder.resolve().name
    paths = sorted(folder.glob("studies/*.yaml"), key=lambda path: (path.stem != name, path.stem))
    return [yaml.safe_load(path.read_text(encoding="utf-8")) for path in paths]


def orders(folder: Path) -> dict[str, list[str]]:
    """By key of the tables what its values are called there, in the order of the files."""
    found: dict[str, dict[str, None]] = {}
    for study in studies(folder):
        for key, names in _named(study):
            found.setdefault(key, {}).update(dict.fromkeys(map(str, names)))
    return {key: [*names] for key, names in found.items()}


def _named(study: Mapping[str, Any]) -> Iterator[tuple[str, Iterable[Any]]]:
    yield "config", study.get("configurations") or ()
    for axis, values in (study.get("axes") or {}).items():
        yield axis, (name for name, _ in named_values(values))
