"""Tables whose runs are elsewhere: are they what this code gives, and how a part of them is made anew.

A published study has tables, but no runs. `verify` makes some of its runs again and compares every metric.
`join` puts the rows of runs that were made anew in place of the older ones.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mftpubsub.errors import ConfigurationError, MftPubsubError, no_such
from mftpubsub.files import as_typed, write_table, write_text
from mftpubsub.labels import in_order, label
from mftpubsub.pipeline.tables import OF_RUNS, summary
from mftpubsub.runs.run import git_commit
from mftpubsub.scenario.study import Study
from mftpubsub.simulator.library import code_version
from mftpubsub.studies.numbers import Table, text
from mftpubsub.studies.results import StudyResults
from mftpubsub.sweeps.table import sweep
from mftpubsub.trace.layout import KEYS, METADATA, keys_of, read_metadata, run_keys

if TYPE_CHECKING:
    import pandas as pd

    from mftpubsub.scenario.scenario import Scenario

#: In DIR: one row for each run that `verify` made again.
VERIFIED = "verified.csv"
#: Two numbers are the same up to the order in which their parts were summed.
_TOLERANCE = 1e-9

Key = tuple[str, ...]


def verify(
    results: StudyResults, count: int, seed: int, only: Mapping[str, tuple[str, ...]] | None = None
) -> Table:
    """Makes `count` runs of each protocol again, drawn by `seed`, and compares all their metrics.

    `only` restricts keys to values. Writes DIR/verified.csv: by run the hash of the code that made it again,
    and what differs, if anything does. Returns a row for each protocol. Raises MftPubsubError if no kept
    study has cases that the tables have, or a run fails.
    """
    drawn = _drawn(results, count, seed, only or {})
    again = sweep([*drawn.values()])
    if again["failure"].notna().any():
        failed = again[again["failure"].notna()].iloc[0]
        raise MftPubsubError(f"{results.name}: {failed['protocol']} {failed['config']}: {failed['failure']}")
    runs = results.need("runs")
    keys = keys_of(runs)
    published = {_key(row, keys): row for row in runs.to_dict("records")}
    of_code = {"code": code_version(), "git_commit": git_commit()}
    rows = [
        {name: published[key][name] for name in keys} | of_code | {"differs": difference(published[key], row)}
        for key, row in zip(drawn, again.to_dict("records"), strict=True)
    ]
    _keep(results, rows, keys)
    return _by_protocol(rows, f"mftpubsub verify {results.name}")


def join(results: StudyResults, other: StudyResults) -> None:
    """Puts the runs of `other` into the tables of `results`, in place of those of the same name.

    `other` was made by this code. The runs of a protocol stay that `verify` found to be what this code gives.
    Writes the tables of runs, `metrics` and `costs`, and keeps the studies of `other`. Tables that only one
    of the two has are left as they are. Raises MftPubsubError if protocols that stay are not verified, or
    the two have other axes.
    """
    runs, new = results.need("runs"), other.need("runs")
    if keys_of(runs) != keys_of(new):
        raise MftPubsubError(
            f"{results.name} and {other.name} have other axes ({', '.join(keys_of(runs))}; "
            f"{', '.join(keys_of(new))}), so their runs cannot stand in one table"
        )
    _refuse_other_code(other)
    taken = {_key(row, keys_of(new)) for row in new.to_dict("records")}
    stay = [row["protocol"] for row in runs.to_dict("records") if _key(row, keys_of(runs)) not in taken]
    _refuse_unverified(results, stay)
    for name in OF_RUNS:
        old, added = results.read(name), other.read(name)
        if old is not None and added is not None:
            write_table(_joined(old, added, taken), results.folder / "tables" / name)
    write_table(_joined(results.need("costs"), other.need("costs"), taken), results.folder / "costs")
    made = StudyResults(results.folder)
    write_table(summary(made.need("runs")), results.folder / "tables" / "metrics")
    _keep_studies(results, other)


def verified(results: StudyResults) -> Table | None:
    """What `verify` found last, a row for each protocol; None if it was never asked."""
    rows = _found(results)
    return _by_protocol(rows, f"mftpubsub verify {results.name}") if rows else None


def _drawn(
    results: StudyResults, count: int, seed: int, only: Mapping[str, tuple[str, ...]]
) -> dict[Key, Scenario]:
    """Cases of the kept studies that the tables have, `count` of each protocol, by their keys."""
    runs = results.need("runs")
    keys = keys_of(runs)
    if unknown := next((key for key in only if key not in keys), None):
        raise ConfigurationError(no_such("key", unknown, keys))
    there = {_key(row, keys) for row in runs.to_dict("records")}
    by_protocol: dict[str, dict[Key, Scenario]] = {}
    for case in cases(results.folder):
        named = run_keys(case) | dict(case.axes)
        key = _key(named, keys) if {*named} >= {*keys} else ()
        if key in there and all(text(named[name]) in values for name, values in only.items()):
            by_protocol.setdefault(str(case.protocol), {})[key] = case
    if not by_protocol:
        raise MftPubsubError(f"{results.name}: no case of {results.name}/studies is in the tables")
    draw = random.Random(seed)
    return {
        key: found[key]
        for found in by_protocol.values()
        for key in sorted(draw.sample(sorted(found), min(count, len(found))))
    }


def cases(folder: Path) -> Iterator[Scenario]:
    """The cases of the studies that DIR/studies keeps."""
    for path in sorted((folder / "studies").glob("*.yaml")):
        yield from Study.from_yaml(path).cases()


def _key(row: Mapping[Any, Any], keys: Iterable[str]) -> Key:
    return tuple(text(row[name]) for name in keys)


def difference(published: Mapping[Any, Any], again: Mapping[Any, Any]) -> str:
    """The first metric that is another, with both values; empty if none is."""
    for name in published:
        then, now = published[name], again.get(name)
        if name not in KEYS and isinstance(then, int | float) and isinstance(now, int | float):
            is_same = math.isclose(then, now, rel_tol=_TOLERANCE) or (math.isnan(then) and math.isnan(now))
            if not is_same:
                return f"{name}: {then:.6g}, now {now:.6g}"
    return ""


def _keep(results: StudyResults, rows: Sequence[dict[str, Any]], keys: Sequence[str]) -> None:
    """Adds what was found to DIR/verified.csv, where a run stands once, as it was found last."""
    import pandas as pd

    found = pd.DataFrame([*_found(results), *rows])
    found = found.drop_duplicates([*keys], keep="last").sort_values([*keys])
    write_text(results.folder / VERIFIED, found.to_csv(index=False))


def _found(results: StudyResults) -> list[dict[Any, Any]]:
    """The rows of DIR/verified.csv."""
    import pandas as pd

    path = results.folder / VERIFIED
    return pd.read_csv(path, keep_default_na=False).to_dict("records") if path.exists() else []


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


def _refuse_other_code(other: StudyResults) -> None:
    found = (read_metadata(path.parent) for path in (other.folder / "runs").rglob(METADATA))
    codes = {run.get("code") for run in found}
    if codes != {code_version()}:
        raise MftPubsubError(
            f"{other.name}/runs was not made by this code: make these runs anew, then join them"
        )


def _refuse_unverified(results: StudyResults, protocols: Iterable[str]) -> None:
    """Raises MftPubsubError if this code is not known to give the published runs of `protocols`."""
    of_this_code = [row for row in _found(results) if row["code"] == code_version()]
    same = {row["protocol"] for row in of_this_code if not row["differs"]}
    same -= {row["protocol"] for row in of_this_code if row["differs"]}
    if lacking := sorted({*protocols} - same):
        raise MftPubsubError(
            f"{results.name}: it is not known whether this code gives the runs of {', '.join(lacking)}, "
            f"which would stay: `mftpubsub verify {results.name}` tells"
        )


def _joined(old: pd.DataFrame, new: pd.DataFrame, taken: set[Key]) -> pd.DataFrame:
    """The rows of both, but those of `old` that are `taken` by runs of `new`."""
    import pandas as pd

    keys = keys_of(old)
    stay = [_key(row, keys) not in taken for row in old[[*keys]].to_dict("records")]
    found = pd.concat([old[stay], new], ignore_index=True)
    return found.sort_values([*keys], kind="stable", ignore_index=True)


def _keep_studies(results: StudyResults, other: StudyResults) -> None:
    """Copies what the runs of `other` were made by; its second line says that they were joined."""
    command = f"# mftpubsub join {results.name} {other.name}\n"
    for path in sorted((other.folder / "studies").glob("*.yaml")):
        first, _, rest = path.read_text(encoding="utf-8").partition("\n")
        ingest = f"# mftpubsub ingest {as_typed(other.folder)}\n"
        write_text(results.folder / "studies" / path.name, f"{first}\n{ingest}{command}{rest}")
