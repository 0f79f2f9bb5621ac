"""Tables whose runs are elsewhere: are they what this code gives, and how a part of them is made anew.

A published study has tables, but no runs. `verify` makes some of its runs again and compares every metric.
`join` puts the rows of runs that were made anew in place of the older ones.
"""

from __future__ import annotations

import math
import random
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import takewhile
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

from mftpubsub.errors import MftPubsubError
from mftpubsub.files import locked, need_writable, read_texts, remove, write_table, write_text
from mftpubsub.folders import LocalFolder
from mftpubsub.labels import in_order, label
from mftpubsub.notes import tell
from mftpubsub.pipeline.marks import BEFORE, LOCK, note_join
from mftpubsub.pipeline.tables import OF_RUNS, summary
from mftpubsub.runs.run import git_commit
from mftpubsub.scenario import yaml_files
from mftpubsub.scenario.axes import label as label_on_axis
from mftpubsub.scenario.study import Study
from mftpubsub.simulator.library import code_version
from mftpubsub.studies.numbers import Table, selected, text
from mftpubsub.studies.results import StudyResults
from mftpubsub.sweeps.sweep import differences, whole
from mftpubsub.sweeps.table import sweep
from mftpubsub.trace.layout import KEYS, METADATA, PARTIAL, keys_of, read_metadata, run_keys, run_name

if TYPE_CHECKING:
    import pandas as pd

    from mftpubsub.scenario.scenario import Scenario

#: In DIR: one row for each run that `verify` made again.
VERIFIED = "verified.csv"
#: In DIR: what `join` changes.
_JOINED = ("tables", "costs.parquet", "costs.csv", "studies", VERIFIED)
#: Two numbers are the same up to the order in which their parts were summed.
_TOLERANCE = 1e-9

Key = tuple[str, ...]
_Value = TypeVar("_Value")


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


def join(
    results: StudyResults, other: StudyResults, only: Mapping[str, tuple[str, ...]] | None = None
) -> None:
    """Puts the runs of `other` into the tables of `results`, in place of those of the same name.

    `only` restricts keys of `other` to values. This code must be known to give all runs that then stand
    there: it made them, or `verify` found a sample of their protocol to be the same. Writes the tables of
    runs, `metrics` and `costs`, and keeps the studies of `other`. A table that `other` lacks loses the rows
    of these runs, and a note tells it; one that `results` lacks is not made. The next ingest of a folder with
    runs makes its tables anew of these alone, and says so. Raises MftPubsubError if `only` names what is not
    there, if runs are not known to be of this code, if the two have other axes, if a case would have runs of
    several settings, or if an ingest or another join is at work there.
    """
    with _alone(results.folder):
        results = StudyResults(results.folder)  # another join may have ended since it was read
        runs, new = results.need("runs"), selected(other.need("runs"), only or {})
        keys = keys_of(runs)
        if keys != keys_of(new):
            raise MftPubsubError(
                f"{results.name} and {other.name} have other axes ({', '.join(keys)}; "
                f"{', '.join(keys_of(new))}), so their runs cannot stand in one table"
            )
        taken = {*key_of_each(new)}
        _refuse_unknown(other, {key[0] for key in taken})
        _refuse_unknown(results, {key[0] for key in key_of_each(runs) if key not in taken})
        kept = _parts(other, keys, taken)
        _refuse_mixed(results, other, kept, taken)
        tables = _tables_joined(results, other, taken)
        tables["metrics"] = summary(tables["runs"])
        costs = _joined(results.need("costs"), other.need("costs"), taken)
        chosen = "".join(f" --only {key}={','.join(values)}" for key, values in (only or {}).items())
        command = f"mftpubsub join {results.name} {other.name}{chosen}"
        with _replacing(results.folder) as made:
            for name, table in tables.items():
                write_table(table, made / "tables" / name)
            write_table(costs, made / "costs")
            _forget(results, taken, made)
            _keep_studies(results, other, kept, taken, command, made)
        note_join(LocalFolder(results.folder), command)


def verified(results: StudyResults) -> Table | None:
    """What `verify` found last, a row for each protocol; None if it was never asked."""
    rows = _found(results)
    return _by_protocol(rows, f"mftpubsub verify {results.name}") if rows else None


def cases(results: StudyResults) -> dict[Key, Scenario]:
    """The cases of the studies in DIR/studies that the tables have, by what names their runs."""
    runs = results.need("runs")
    keys, there = keys_of(runs), {*key_of_each(runs)}
    return {
        key: case
        for path in _kept(results)
        for key, case in _cases(Study.from_yaml(path), keys, there).items()
    }


def _kept(results: StudyResults) -> list[Path]:
    """The files of the studies; those that `join` had to number come last, as their cases count."""
    return sorted((results.folder / "studies").glob("*.yaml"), key=lambda path: (_number_of(path), path.name))


def _number_of(path: Path) -> int:
    """Of a kept study `NAME.2.yaml` it is 2, of one without a number 0."""
    number = path.stem.rpartition(".")[2]
    return int(number) if number.isdecimal() else 0


def _cases(study: Study, keys: Sequence[str], there: set[Key]) -> dict[Key, Scenario]:
    """The cases of a study that are `there`, by what names their runs."""
    found = {}
    for case in study.cases():
        named = run_keys(case) | dict(case.axes)
        if {*named} >= {*keys} and (key := _key(named, keys)) in there:
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
    return [_key(row, keys) for row in runs[[*keys]].to_dict("records")]


def _key(row: Mapping[Any, Any], keys: Iterable[str]) -> Key:
    return tuple(text(row[name]) for name in keys)


def difference(published: Mapping[Any, Any], again: Mapping[Any, Any]) -> str:
    """The first metric that is another, with both values; empty if none is."""
    for name in published:
        then, now = _number(published[name]), _number(again.get(name))
        is_same = math.isclose(then, now, rel_tol=_TOLERANCE) or (math.isnan(then) and math.isnan(now))
        if name in again and name not in KEYS and not is_same:
            return f"{name}: {then:.6g}, now {now:.6g}"
    return ""


def _number(value: object) -> float:
    """NaN for what is undefined, or no number."""
    return float(value) if isinstance(value, int | float) else math.nan


def _keep(results: StudyResults, rows: Sequence[dict[str, Any]], keys: Sequence[str]) -> None:
    """Adds what was found to DIR/verified.csv, where a run stands once, as it was found last."""
    import pandas as pd

    with _alone(results.folder):
        newest = {_key(row, keys): row for row in [*_found(results), *rows]}
        found = pd.DataFrame([*newest.values()]).sort_values([*keys])
        write_text(results.folder / VERIFIED, found.to_csv(index=False))


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Neither an ingest nor another join is at work in the folder meanwhile. Ends a join that did not."""
    if not folder.is_dir():
        raise MftPubsubError(f"{folder} is no folder: give one of a study that has tables")
    with locked(folder / LOCK, "ingest or join"):
        _put_back(folder)
        for unfinished in folder.glob(f"{PARTIAL}*"):
            remove(unfinished)
        yield


@contextmanager
def _replacing(folder: Path) -> Iterator[Path]:
    """Gives a copy of what `join` changes, which takes its place all at once when the block has ended well.

    Who is interrupted leaves all as it was. Who is killed leaves what was there in DIR/BEFORE.
    """
    with TemporaryDirectory(dir=folder, prefix=PARTIAL) as temporary:
        made = Path(temporary) / "made"
        made.mkdir()
        for path in (folder / name for name in _JOINED):
            if path.is_dir():
                shutil.copytree(path, made / path.name)
            elif path.exists():
                shutil.copy2(path, made)
        yield made
        before = folder / BEFORE
        try:
            before.mkdir()
            _move(folder, before)
            _move(made, folder)
            before.rename(Path(temporary) / "old")
        except BaseException:
            _put_back(folder)
            raise


def _put_back(folder: Path) -> None:
    """Ends a join that did not: what was there before it is there again."""
    if (folder / BEFORE).exists():
        tell(f"{folder}: a join did not end, and what was there before it is there again")
        _move(folder / BEFORE, folder)
        remove(folder / BEFORE)


def _move(source: Path, target: Path) -> None:
    for name in _JOINED:
        if (source / name).exists():
            remove(target / name)
            (source / name).rename(target / name)


def _forget(results: StudyResults, taken: set[Key], made: Path) -> None:
    """Removes from `made`/verified.csv what was found of runs that are no longer in the tables."""
    import pandas as pd

    keys = keys_of(results.need("runs"))
    rows = _found(results)
    stay = [row for row in rows if _key(row, keys) not in taken]
    if len(stay) < len(rows):
        found = pd.DataFrame(stay, columns=[*rows[0]])
        write_text(made / VERIFIED, found.to_csv(index=False))


def _found(results: StudyResults) -> list[dict[Any, Any]]:
    """The rows of DIR/verified.csv, with numbers where the tables have them."""
    path = results.folder / VERIFIED
    if not path.exists():
        return []
    return read_texts(path, [*results.need("runs").select_dtypes(["number", "bool"])]).to_dict("records")


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


def _refuse_unknown(results: StudyResults, protocols: set[str]) -> None:
    """Raises MftPubsubError if this code is not known to give the runs of `protocols`."""
    code = code_version()
    of_this_code = [row for row in _found(results) if row["code"] == code]
    known = {row["protocol"] for row in of_this_code}
    known -= {row["protocol"] for row in of_this_code if row["differs"]}
    known |= _made_by(results.folder / "runs", code)
    if lacking := sorted(protocols - known):
        raise MftPubsubError(
            f"{results.name}: it is not known whether this code gives the runs of {', '.join(lacking)}: "
            f"`mftpubsub verify {results.name}` tells"
        )


def _made_by(runs: Path, code: str) -> set[str]:
    """The protocols whose runs are there, all made by `code`."""
    found: dict[str, set[str | None]] = {}
    for path in runs.glob(f"*/*/*/*/{METADATA}"):
        run = read_metadata(path.parent)
        found.setdefault(str(run.get("protocol")), set()).add(run.get("code"))
    return {protocol for protocol, codes in found.items() if codes == {code}}


def _tables_joined(results: StudyResults, other: StudyResults, taken: set[Key]) -> dict[str, pd.DataFrame]:
    """The tables of runs of `results` with the runs that are `taken`; tells which lose rows of theirs."""
    made, lacking = {}, []
    for name in OF_RUNS:
        old, new = results.read(name), other.read(name)
        if old is not None:
            made[name] = _joined(old, old.iloc[:0] if new is None else new, taken)
            if new is None and len(made[name]) < len(old):
                lacking.append(name)
    if lacking:
        tell(
            f"{other.name} has no table of {', '.join(lacking)}: {results.name} keeps there no rows of the "
            f"runs that are replaced"
        )
    return made


def _joined(old: pd.DataFrame, new: pd.DataFrame, taken: set[Key]) -> pd.DataFrame:
    """The rows of `old` but for those that are `taken`, and these of `new`."""
    import pandas as pd

    stay = [key not in taken for key in key_of_each(old)]
    added = [key in taken for key in key_of_each(new)]
    found = pd.concat([old.loc[stay], new.loc[added]], ignore_index=True)
    return found.sort_values([*keys_of(old)], kind="stable", ignore_index=True)


def _parts(other: StudyResults, keys: Sequence[str], taken: set[Key]) -> dict[Path, Study]:
    """Of the studies of `other` what the runs that are `taken` were made by, by their files."""
    found = {}
    for path in _kept(other):
        study = Study.from_yaml(path)
        if own := _cases(study, keys, taken):
            found[path] = _part(study, {key: {*texts} for key, *texts in zip(keys, *own, strict=True)})
    return found


def _part(study: Study, texts: Mapping[str, set[str]]) -> Study:
    """The study of those of its values that have one of the `texts` of their key."""

    def stay(key: str, values: Iterable[_Value], name: Callable[[_Value], object] = str) -> list[_Value]:
        values = [*values]
        return [value for value in values if text(name(value)) in texts.get(key, ())] or values

    axes = {
        key: dict(stay(key, values.items(), itemgetter(0)))
        if isinstance(values, Mapping)
        else stay(key, values, label_on_axis)
        for key, values in study.axes.items()
    }
    chosen = {
        "configurations": {name: study.configurations[name] for name in stay("config", study.configurations)},
        "speeds": stay("speed_mps", study.speeds, float),
        "seeds": stay("seed", study.seeds),
        "axes": axes,
    }
    return study.restricted(stay("protocol", study.protocols)).model_copy(update=chosen)


def _refuse_mixed(
    results: StudyResults, other: StudyResults, kept: Mapping[Path, Study], taken: set[Key]
) -> None:
    """Raises MftPubsubError if runs that stay would be of other settings than newer ones of their case."""
    keys = keys_of(results.need("runs"))
    stay = {key: case for key, case in cases(results).items() if key not in taken}
    of_case = {key[:-1]: case for key, case in stay.items()}
    newer = {
        key: case for study in kept.values() for key, case in _cases(study, keys, taken | {*stay}).items()
    }
    for key, case in newer.items():
        if (old := of_case.get(key[:-1])) and (differ := _differences(old, case)):
            raise MftPubsubError(
                f"{other.name}: {run_name(case)} has other settings than the runs of its case that stay in "
                f"{results.name} ({', '.join(differ)}), and means would be over both: join runs of the same "
                f"settings, or all runs of the case"
            )
    if lacking := len(taken - {*newer}):
        tell(
            f"{lacking} of {len(taken)} runs are of no study in {other.name}/studies: their settings are not "
            f"compared with those of runs that stay"
        )


def _differences(old: Scenario, new: Scenario) -> list[str]:
    """What differs between two runs besides their seeds."""
    new = new.model_copy(update={"seed": old.seed})
    if old.fingerprint() == new.fingerprint():
        return []
    return differences(old.model_dump(mode="json"), new.model_dump(mode="json"))


def _keep_studies(
    results: StudyResults,
    other: StudyResults,
    kept: Mapping[Path, Study],
    taken: set[Key],
    command: str,
    made: Path,
) -> None:
    """Keeps what the runs of `other` were made by: the commands, and of the study what was taken."""
    runs, known = results.need("runs"), cases(results)
    keys, there = keys_of(runs), {*key_of_each(runs)}
    for path, study in kept.items():
        lines = path.read_text(encoding="utf-8").splitlines()
        commands = [
            *takewhile(lambda line: line.startswith("# "), lines),
            f"# mftpubsub ingest {other.name}",
            f"# {command}",
        ]
        content = yaml_files.dump(whole(study) | {"about": ""})  # the question is that of `results`
        name = f"{path.stem}-of-{other.folder.name}"
        target = made / "studies" / f"{name}.yaml"
        own = _cases(study, keys, taken)
        is_needed = target.exists() and not {*_cases(Study.from_yaml(target), keys, there)} <= taken
        if is_needed or any(key in known and _differences(known[key], own[key]) for key in own):
            number = 1 + max(map(_number_of, target.parent.glob("*.yaml")), default=0)
            target = target.with_name(f"{name}.{number}.yaml")
        write_text(target, "\n".join([*commands, content]))
        known |= own
