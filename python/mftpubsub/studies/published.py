"""Tables whose runs are elsewhere: which runs they have, and whether those are what this code gives.

A published study has tables, but no runs. `verify` makes some of its runs again and compares every metric.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mftpubsub.errors import MftPubsubError
from mftpubsub.files import need_writable, read_texts, write_text
from mftpubsub.labels import in_order, label
from mftpubsub.notes import tell
from mftpubsub.runs.run import git_commit
from mftpubsub.scenario.study import Study
from mftpubsub.simulator.library import code_version
from mftpubsub.studies.numbers import Table, selected
from mftpubsub.studies.replacing import VERIFIED, alone
from mftpubsub.studies.results import StudyResults
from mftpubsub.sweeps.table import sweep
from mftpubsub.trace.layout import keys_of, run_keys, text

if TYPE_CHECKING:
    import pandas as pd

    from mftpubsub.scenario.scenario import Scenario

#: Two numbers are the same up to the order in which their parts were summed.
_TOLERANCE = 1e-9

Key = tuple[str, ...]


def verify(
    results: StudyResults, count: int, seed: int, only: Mapping[str, tuple[str, ...]] | None = None
) -> Table:
    """Makes `count` runs of each protocol again, drawn by `seed`, and compares all their metrics.

    `only` restricts keys to values. Writes DIR/verified.csv: by run the hash of the code that made it again,
    and what differs, if anything does. Returns a row for each protocol. Raises MftPubsubError if no kept
    study has cases that the tables have, a run fails, or an ingest or a join is at work there at the end.
    """
    drawn = _drawn(results, count, seed, only or {})
    need_writable(results.folder)
    found_again(results)  # what cannot be added to is told before the runs are made
    again = sweep([*drawn.values()])
    if again["failure"].notna().any():
        failed = again[again["failure"].notna()].iloc[0]
        raise MftPubsubError(f"{results.name}: {failed['protocol']} {failed['config']}: {failed['failure']}")
    runs = results.need("runs")
    keys = keys_of(runs)
    published = dict(zip(key_of_each(runs), runs.to_dict("records"), strict=True))
    of_code = {"code": code_version(), "git_commit": git_commit()}
    rows = [
        {name: published[key][name] for name in keys} | of_code | {"differs": difference(published[key], row)}
        for key, row in zip(drawn, again.to_dict("records"), strict=True)
    ]
    _keep(results, rows, keys)
    return _by_protocol(rows, f"mftpubsub verify {results.name}")


def verified(results: StudyResults) -> Table | None:
    """What `verify` found last, a row for each protocol; None if it was never asked."""
    rows = found_again(results)
    return _by_protocol(rows, f"mftpubsub verify {results.name}") if rows else None


def cases(results: StudyResults) -> dict[Key, Scenario]:
    """The cases of the studies in DIR/studies that the tables have, by what names their runs."""
    runs = results.need("runs")
    keys, there = keys_of(runs), {*key_of_each(runs)}
    return {
        key: case
        for path in kept_studies(results)
        for key, case in cases_of(Study.from_yaml(path), keys, there).items()
    }


def kept_studies(results: StudyResults) -> list[Path]:
    """The files of the studies; those that `join` had to number come last, as their cases count."""
    return sorted((results.folder / "studies").glob("*.yaml"), key=lambda path: (number_of(path), path.name))


def number_of(path: Path) -> int:
    """Of a kept study `NAME.2.yaml` it is 2, of one without a number 0."""
    number = path.stem.rpartition(".")[2]
    return int(number) if number.isdecimal() else 0


def cases_of(study: Study, keys: Sequence[str], there: set[Key]) -> dict[Key, Scenario]:
    """The cases of a study that are `there`, by what names their runs."""
    found = {}
    for case in study.cases():
        named = run_keys(case) | dict(case.axes)
        if {*named} >= {*keys} and (key := key_of(named, keys)) in there:
            found[key] = case
    return found


def _drawn(
    results: StudyResults, count: int, seed: int, only: Mapping[str, tuple[str, ...]]
) -> dict[Key, Scenario]:
    """`count` of the cases of each protocol."""
    wanted = {*key_of_each(selected(results.need("runs"), only))}
    by_protocol: dict[str, dict[Key, Scenario]] = {}
    known = {key: case for key, case in cases(results).items() if key in wanted}
    if not known:
        raise MftPubsubError(f"{results.name}: no case of {results.name}/studies is in the tables")
    if lacking := len(wanted) - len(known):
        tell(f"{lacking} of {len(wanted)} runs are of no study in {results.name}/studies: they are not drawn")
    for key, case in known.items():
        by_protocol.setdefault(str(case.protocol), {})[key] = case
    draw = random.Random(seed)
    return {
        key: found[key]
        for found in by_protocol.values()
        for key in sorted(draw.sample(sorted(found), min(count, len(found))))
    }


def key_of_each(runs: pd.DataFrame) -> list[Key]:
    """What names each run of a table, as texts; its protocol first."""
    keys = keys_of(runs)
    return [key_of(row, keys) for row in runs[[*keys]].to_dict("records")]


def key_of(row: Mapping[Any, Any], keys: Iterable[str]) -> Key:
    return tuple(text(row[name]) for name in keys)


def difference(published: Mapping[Any, Any], again: Mapping[Any, Any]) -> str:
    """Of two rows of one run the first metric that is another, with both values; empty if none is."""
    keys = keys_of(published)
    for name in published:
        then, now = _number(published[name]), _number(again.get(name))
        is_same = math.isclose(then, now, rel_tol=_TOLERANCE) or (math.isnan(then) and math.isnan(now))
        if name in again and name not in keys and not is_same:
            return f"{name}: {then:.6g}, now {now:.6g}"
    return ""


def _number(value: object) -> float:
    """NaN for what is undefined, or no number."""
    return float(value) if isinstance(value, int | float) else math.nan


def _keep(results: StudyResults, rows: Sequence[dict[str, Any]], keys: Sequence[str]) -> None:
    """Adds what was found to DIR/verified.csv, where a run stands once, as it was found last."""
    import pandas as pd

    with alone(results.folder):
        newest = {key_of(row, keys): row for row in [*found_again(results), *rows]}
        found = pd.DataFrame([*newest.values()]).sort_values([*keys])
        write_text(results.folder / VERIFIED, found.to_csv(index=False))


def found_again(results: StudyResults) -> list[dict[Any, Any]]:
    """The rows of DIR/verified.csv, with numbers where the tables have them.

    Raises MftPubsubError if it is no such table, or of a study before it had all of its axes.
    """
    path = results.folder / VERIFIED
    if not path.exists():
        return []
    runs = results.need("runs")
    found = read_texts(path, [*runs.select_dtypes(["number", "bool"])])
    if lacking := {*keys_of(runs), "code", "git_commit", "differs"} - {*found}:
        raise MftPubsubError(
            f"{path} has no column {min(lacking)}: delete it, and `mftpubsub verify {results.name}` makes "
            "it anew"
        )
    return found.to_dict("records")


def _by_protocol(rows: Sequence[Mapping[Any, Any]], command: str) -> Table:
    import pandas as pd

    lines = []
    for name in in_order("protocol", pd.Series([row["protocol"] for row in rows])):
        of_it = [row for row in rows if row["protocol"] == name]
        differ = [row for row in of_it if row["differs"]]
        first = f"{differ[0]['config']}, seed {differ[0]['seed']}: {differ[0]['differs']}" if differ else ""
        commits = ", ".join(sorted({str(row["git_commit"]) for row in of_it}))
        lines.append([label(name), commits, str(len(of_it)), str(len(of_it) - len(differ)), first])
    heading = ["protocol", "made again by commit", "runs", "all metrics the same", "first difference"]
    return Table(heading, lines, command=command)
