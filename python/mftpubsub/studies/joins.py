"""How a part of a published study is made anew: `join` puts its rows in place of the older ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import takewhile
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from mftpubsub.errors import MftPubsubError
from mftpubsub.files import write_table, write_text
from mftpubsub.folders import LocalFolder
from mftpubsub.notes import tell
from mftpubsub.pipeline.marks import note_join
from mftpubsub.pipeline.tables import OF_RUNS, summary
from mftpubsub.scenario import yaml_files
from mftpubsub.scenario.axes import label as label_on_axis
from mftpubsub.scenario.study import Study
from mftpubsub.simulator.library import code_version
from mftpubsub.studies.numbers import selected
from mftpubsub.studies.published import (
    Key,
    cases,
    cases_of,
    found_again,
    kept_studies,
    key_of,
    key_of_each,
    number_of,
)
from mftpubsub.studies.replacing import VERIFIED, alone, replacing
from mftpubsub.studies.results import StudyResults, on_one_axis
from mftpubsub.sweeps.sweep import differences, whole
from mftpubsub.trace.layout import METADATA, keys_of, read_metadata, run_name, text

if TYPE_CHECKING:
    import pandas as pd

    from mftpubsub.scenario.scenario import Scenario

_Value = TypeVar("_Value")


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
    several settings, if the two are one folder, or if an ingest or another join is at work there.
    """
    if results.folder.resolve() == other.folder.resolve():
        raise MftPubsubError(f"{results.name} and {other.name} are one folder: NEW is another one")
    with alone(results.folder):
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
        with replacing(results.folder) as made:
            for name, table in tables.items():
                write_table(table, made / "tables" / name)
            write_table(costs, made / "costs")
            _forget(results, taken, made)
            _keep_studies(results, other, kept, taken, command, made)
        note_join(LocalFolder(results.folder), command)


def _refuse_unknown(results: StudyResults, protocols: set[str]) -> None:
    """Raises MftPubsubError if this code is not known to give the runs of `protocols`."""
    code = code_version()
    of_this_code = [row for row in found_again(results) if row["code"] == code]
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

    old, new = on_one_axis(old, new)
    stay = old.loc[[key not in taken for key in key_of_each(old)]]
    added = new.loc[[key in taken for key in key_of_each(new)]]
    found = pd.concat([stay, added], ignore_index=True)
    return found.sort_values([*keys_of(old)], kind="stable", ignore_index=True)


def _parts(other: StudyResults, keys: Sequence[str], taken: set[Key]) -> dict[Path, Study]:
    """Of the studies of `other` what the runs that are `taken` were made by, by their files."""
    found = {}
    for path in kept_studies(other):
        study = Study.from_yaml(path)
        if own := cases_of(study, keys, taken):
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
        key: case for study in kept.values() for key, case in cases_of(study, keys, taken | {*stay}).items()
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
        own = cases_of(study, keys, taken)
        is_needed = target.exists() and not {*cases_of(Study.from_yaml(target), keys, there)} <= taken
        if is_needed or any(key in known and _differences(known[key], own[key]) for key in own):
            number = 1 + max(map(number_of, target.parent.glob("*.yaml")), default=0)
            target = target.with_name(f"{name}.{number}.yaml")
        write_text(target, "\n".join([*commands, content]))
        known |= own


def _forget(results: StudyResults, taken: set[Key], made: Path) -> None:
    """Removes from `made`/verified.csv what was found of runs that are no longer in the tables."""
    import pandas as pd

    keys = keys_of(results.need("runs"))
    rows = found_again(results)
    stay = [row for row in rows if key_of(row, keys) not in taken]
    if len(stay) < len(rows):
        found = pd.DataFrame(stay, columns=[*rows[0]])
        write_text(made / VERIFIED, found.to_csv(index=False))
