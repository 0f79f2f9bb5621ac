"""What a shell offers where an option takes a name: `mftpubsub --install-completion` switches it on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import typer

from mftpubsub.errors import MftPubsubError
from mftpubsub.labels import label
from mftpubsub.metrics.table import METRICS
from mftpubsub.protocols.catalogue import FAMILIES, PROTOCOLS, SHORT
from mftpubsub.scenario.study import Study, load
from mftpubsub.trace.layout import keys_of, text


def protocols(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Those of the study that is named; without one all."""
    study = _study(context)
    known = [str(each) for each in study.protocols] if study else list(PROTOCOLS)
    return [(name, label(name)) for name in _beginning(known, incomplete)]


def configurations(context: typer.Context, incomplete: str) -> list[str]:
    """Those of the study that is named."""
    study = _study(context)
    return [*_beginning(study.configurations if study else (), incomplete)]


def metrics(incomplete: str) -> list[tuple[str, str]]:
    """All metrics, with what they mean."""
    return [(name, METRICS[name].meaning) for name in _beginning(METRICS, incomplete)]


def on_wires(incomplete: str) -> list[str]:
    """Protocols that repair tables, by either of their names."""
    return [*_beginning([*SHORT, *SHORT.values()], incomplete)]


def schemes(incomplete: str) -> list[tuple[str, str]]:
    """Hand-off schemes."""
    known = {
        row.name: row.label for family in FAMILIES for row in family.protocols if family.name == "handoff"
    }
    return [(name, known[name]) for name in _beginning(known, incomplete)]


def keys(context: typer.Context, incomplete: str) -> list[str]:
    """What tells the runs of a study's folder apart."""
    return [*_beginning(_values(context), incomplete)]


def keys_and_values(context: typer.Context, incomplete: str) -> list[str]:
    """KEY=VALUE[,VALUE...]: keys first, then the values that the runs have."""
    key, equals, given = incomplete.partition("=")
    if not equals:
        return [f"{name}=" for name in _beginning(_values(context), incomplete)]
    before, comma, last = given.rpartition(",")
    known = _values(context).get(key, [])
    return [f"{key}={before}{comma}{value}" for value in _beginning(known, last)]


def _beginning(names: Iterable[str], incomplete: str) -> Iterator[str]:
    return (name for name in names if name.startswith(incomplete))


def _first(context: typer.Context) -> Path:
    """The file or folder on the command line: no parameter yet while an option lacks its value."""
    given = [each for name in ("config_file", "folder", "what") if (each := context.params.get(name))]
    first = [*given, *context.args, ""][0]
    return Path(first[0] if isinstance(first, list) else first)


def _study(context: typer.Context) -> Study | None:
    """Of the scenario file on the command line, if it is a study."""
    try:
        return load(_first(context))
    except MftPubsubError:
        return None


def _values(context: typer.Context) -> dict[str, list[str]]:
    """The values of each key of the study's folder on the command line."""
    from mftpubsub.studies.results import StudyResults

    try:
        runs = StudyResults(_first(context)).runs
    except MftPubsubError:
        return {}
    return {
        key: [text(value) for value in runs[key].drop_duplicates().sort_values()] for key in keys_of(runs)
    }
