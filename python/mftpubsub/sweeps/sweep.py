"""A study's runs, only those that are missing: on the processors of this machine, or on a Spark cluster."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import closing, contextmanager
from datetime import timedelta
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mftpubsub.errors import ConfigurationError, DiskFullError, MftPubsubError
from mftpubsub.files import as_typed, copy_tree, locked, remove, write_text
from mftpubsub.folders import Folder, LocalFolder, folder_at
from mftpubsub.notes import LOG_INTERVAL, console, tell
from mftpubsub.own.objects import Recorded, path_of
from mftpubsub.pipeline.marks import damaged, refuse_half_joined
from mftpubsub.protocols.catalogue import POLICIES
from mftpubsub.runs.run import run_to_directory
from mftpubsub.scenario import yaml_files
from mftpubsub.scenario.common import Common, asked_policies, unused_parts
from mftpubsub.scenario.left_out import tell_left_out
from mftpubsub.simulator.library import code_version
from mftpubsub.sweeps.estimate import Clock, Estimate, seconds, trace_bytes
from mftpubsub.sweeps.place import runs_in
from mftpubsub.sweeps.processes import Outcome, Runner, clean, packed, run_here
from mftpubsub.trace.layout import METADATA, PARTIAL, is_foreign, read_metadata, run_folder, run_name

if TYPE_CHECKING:
    from rich.progress import Progress, Task

    from mftpubsub.scenario.scenario import Scenario
    from mftpubsub.scenario.study import Study

#: In `out`: held by the sweep at work there, with a word that tells executors that they see the same folder.
LOCK = ".sweep"
#: s that a time limit may be, 30 years: far longer ones are more than a system's clock counts.
LONGEST_RUN = 1e9
#: B of a process with a large network: 200 MB were measured with the thesis's largest.
RUN_MEMORY = 250e6


def run_study(
    study: Study,
    out: str | Path,
    *,
    workers: int | None = None,
    protocols: Iterable[str] | None = None,
    master: str | None = None,
    time_limit: float | None = None,
    reuse: Sequence[Path] = (),
    runner: Runner = run_to_directory,
) -> list[str]:
    """Runs every case of `study`, or of some of its protocols, that `out`/runs does not hold yet.

    `out` may be a URL: `s3://bucket/study`, `hdfs://...`, `file://...`.

    `workers` is the number of processes on this machine, by default one a processor, fewer if memory is
    short. With `master` (`spark://host:port`, `local[N]`, ...) the runs are tasks of Spark. A run that takes
    longer than `time_limit` (s of wall time; default: none) fails. Folders of other sweeps to `reuse` lend
    the runs that are the same there: of the same scenario, by the same code. A script that calls this must
    do so under `if __name__ == "__main__":`, since its processes import it.

    Returns what failed, and why; empty if nothing did. Raises MftPubsubError if `out` cannot be made or holds
    runs of other code or settings, if its disk is too small or full, or if another sweep is at work there.
    """
    cases = study.cases(protocols)
    failures = run_cases(cases, out, study, workers, master, time_limit, reuse, runner)
    return [
        f"{run_name(case)}: {failures[case.fingerprint()]}"
        for case in cases
        if case.fingerprint() in failures
    ]


def run_cases(
    cases: Sequence[Scenario],
    out: str | Path,
    study: Study | None = None,
    workers: int | None = None,
    master: str | None = None,
    time_limit: float | None = None,
    reuse: Sequence[Path] = (),
    runner: Runner = run_to_directory,
) -> dict[str, str]:
    """As `run_study`, which they may be part of. Returns why cases failed, by their fingerprints."""
    if time_limit is not None and not (isinstance(time_limit, int | float) and 0 < time_limit <= LONGEST_RUN):
        raise ConfigurationError(
            f"time_limit: must be a number above 0, in s, {LONGEST_RUN:g} at most (given: {time_limit!r})"
        )
    if workers is not None and not (isinstance(workers, int) and workers >= 1):
        raise ConfigurationError(f"workers: must be a number of processes, at least 1 (given: {workers!r})")
    _refuse_unpicklable(cases)
    folder = folder_at(out)
    if isinstance(folder, LocalFolder):
        return _run_cases(cases, folder.path, study, workers, master, time_limit, reuse, runner)
    from mftpubsub.sweeps.remote import staged

    with staged(folder, runner, cases) as (stage, uploading):
        return _run_cases(cases, stage, study, workers, master, time_limit, reuse, uploading, is_staged=True)


def _run_cases(
    cases: Sequence[Scenario],
    out: Path,
    study: Study | None,
    workers: int | None,
    master: str | None,
    time_limit: float | None,
    reuse: Sequence[Path],
    runner: Runner,
    is_staged: bool = False,
) -> dict[str, str]:
    """As `run_cases`. If it `is_staged`, no executor sees `out`, and no trace stays there."""
    refuse_half_joined(out)
    runs = runs_in(out, "the radio")
    with _locked(out) as token:
        clean(runs)
        _remove_damaged(out, cases)
        for other in reuse:
            _take_over(cases, Path(other) / "runs", runs)
        found = _found(runs)
        _refuse_mixing(study, cases, runs, found)
        time_of, size_of = Estimate(seconds), Estimate(trace_bytes)
        missing = []
        for case in cases:
            metadata = found.get(run_folder(case))
            if metadata:
                time_of.learn(case, metadata["wall_s"])
                size_of.learn(case, metadata["trace_bytes"])
            else:
                missing.append(case)
        if not is_staged:
            _check_disk(out, sum(map(size_of.of, missing)))
        # The longest first, so that none is left alone at the end.
        missing.sort(key=time_of.of, reverse=True)
        tell(f"{len(cases)} runs, of which {len(cases) - len(missing)} are there already")
        if not missing:
            return {}
        tell_left_out(missing)
        if master is None:
            count = min(workers or _default_workers(), len(missing))
            slots, outcomes = lambda: count, run_here(missing, runs, count, runner, time_limit)
        else:
            from mftpubsub.sweeps.executors import SparkRuns

            spark = SparkRuns(master, None if is_staged else out / LOCK, token)
            slots, outcomes = spark.slots, spark.run(missing, runs, runner, time_limit)
        try:
            with closing(outcomes):
                return _watch(missing, outcomes, Clock(missing, time_of, slots))
        finally:
            clean(runs)


def _refuse_unpicklable(cases: Iterable[Scenario]) -> None:
    """Raises ConfigurationError for a policy that other processes cannot be handed."""
    policies = [getattr(case, name) for case in cases for name in (*POLICIES, "protocol")]
    for policy in {id(policy): policy for policy in policies}.values():
        if isinstance(policy, Recorded):
            raise ConfigurationError(policy.obstacle)
        try:
            packed(policy)
        except Exception as error:  # whatever the user's code raises
            raise ConfigurationError(
                f"{policy.what} {path_of(type(policy))} cannot be handed to other processes "
                f"({type(error).__name__}: {error}): keep what cannot be pickled out of its attributes"
            ) from error


def keep_study(
    study: Study,
    config_file: Path,
    out: str | Path,
    protocols: Sequence[str] = (),
    until: Sequence[str] = (),
    most_seeds: int | None = None,
) -> None:
    """Keeps what was run as `out`/studies/NAME.yaml: the command, and the study with all its defaults.

    With `protocols` it is of these only, and NAME tells. What is there and the same stays as it is; another
    command of the same study, such as with more seeds, stands below those before it.
    """
    options = [("--protocol", protocol) for protocol in protocols] + [("--until", aim) for aim in until]
    options += [("--most-seeds", str(most_seeds))] if most_seeds else []
    folder = folder_at(out)
    where = as_typed(folder.path) if isinstance(folder, LocalFolder) else shlex.quote(str(out))
    command = f"# mftpubsub sweep {as_typed(config_file)} --out {where}"
    command += "".join(f" {name} {shlex.quote(value)}" for name, value in options)
    if protocols:
        study = study.restricted(protocols)
    content = yaml_files.dump(whole(study))
    name = f"studies/{'+'.join((config_file.stem, *protocols))}.yaml"
    lines = [*_commands_before(folder, name, content), command]
    if lines.index(command) < len(lines) - 1:
        return
    text = "\n".join([*lines, content])
    if isinstance(folder, LocalFolder):
        write_text(folder.path / name, text)
    else:
        folder.write(name, text.encode())


def whole(study: Study) -> dict[str, Any]:
    """What a kept study says: all its defaults too, but for a channel that each radio chooses."""
    content = study.model_dump(mode="json")
    if "channel" not in study.model_fields_set and any(key.split(".")[0] == "radio" for key in study.axes):
        del content["channel"]
    return content


def _commands_before(folder: Folder, name: str, content: str) -> list[str]:
    """The lines above the kept study, if it is of this `content`."""
    try:
        kept = folder.read(name).decode()
    except FileNotFoundError:
        return []
    lines = [*takewhile(lambda line: line.startswith("# "), kept.splitlines())]
    return lines if kept == "\n".join([*lines, content]) else []


@contextmanager
def _locked(out: Path) -> Iterator[str]:
    """Keeps other sweeps out of a folder until it, or this process, ends. Gives what the lock file holds."""
    token = uuid.uuid4().hex
    with locked(out / LOCK, "sweep", "wait for it, or choose another --out") as file:
        file.truncate(0)
        file.write(token)
        file.flush()
        yield token


def _remove_damaged(out: Path, cases: Iterable[Scenario]) -> None:
    """Removes the cases that the newest ingest has set aside: they are missing."""
    from mftpubsub.pipeline import integrity

    runs, folder = out / "runs", LocalFolder(out)
    names = {run_folder(case).as_posix() for case in cases}
    for name, stamp in damaged(folder).items():
        if name in names and integrity.stamp(folder, name) == stamp:
            print(f"again, as it is damaged: {runs / name}", file=sys.stderr)
            remove(runs / name)


def _take_over(cases: Iterable[Scenario], other: Path, runs: Path) -> None:
    """Links, or copies, those cases that `runs` lacks and `other` has, made by this code and complete."""
    if not other.is_dir():
        raise ConfigurationError(f"reuse: {other} is missing: name the --out of another sweep")
    taken = 0
    for case in cases:
        folder = run_folder(case)
        made_by = (case.fingerprint(), code_version())
        if read_metadata(runs / folder) or _made_by(other / folder) != made_by:
            continue
        partial = runs / f"{PARTIAL}{uuid.uuid4().hex}"
        copy_tree(other / folder, partial, _link)
        (runs / folder).parent.mkdir(parents=True, exist_ok=True)
        remove(runs / folder)
        partial.rename(runs / folder)
        taken += 1
    tell(f"{taken} runs are those of {other}")


def _made_by(folder: Path) -> tuple[str | None, str | None]:
    told = read_metadata(folder)
    return told.get("fingerprint"), told.get("code")


def _link(source: str, destination: str) -> None:
    """One file under two names, where the file system can; runs are never written to again."""
    try:
        os.link(source, destination)
    except OSError:
        shutil.copy2(source, destination)


def _found(runs: Path) -> dict[Path, dict[str, Any]]:
    """What run.json says of each complete run of ours, by its folder relative to `runs`."""
    folders = [path.parent for path in runs.glob(f"*/*/*/*/{METADATA}")]
    told = {folder.relative_to(runs): read_metadata(folder) for folder in folders}
    return {folder: run for folder, run in told.items() if run and not is_foreign(run)}


def _refuse_mixing(
    study: Study | None, cases: Iterable[Scenario], runs: Path, found: Mapping[Path, dict[str, Any]]
) -> None:
    """Raises MftPubsubError if a run was made by other code, or is not as the cases or `study` would be."""
    wanted = {run_folder(case): case for case in cases}
    beside = {folder.parent for folder in found if folder not in wanted}
    alike = _of_one_setting({folder: case for folder, case in wanted.items() if folder.parent in beside})
    alone = _of_no_other(study)
    for folder, run in found.items():
        if run.get("code") != (code := code_version()):
            raise mixed(runs, folder, f"by other code ({run.get('code', 'unknown')}; this is {code})")
        case, other = wanted.get(folder), []
        if not case and folder.parent in alike:
            case = alike[folder.parent].model_copy(update={"seed": run["seed"]})
        if case and run["fingerprint"] != case.fingerprint():
            other = differences(run["scenario"], case.model_dump(mode="json")) or [run["fingerprint"]]
        elif study and not case:
            other = _differences_beside(study, run, alone)
        if other:
            raise mixed(runs, folder, f"with other settings ({'; '.join(other)})")


def _of_one_setting(wanted: Mapping[Path, Scenario]) -> dict[Path, Scenario]:
    """A scenario of each case, by the folder of its seeds; of none whose seeds have settings of their own."""
    first: dict[Path, tuple[str, Scenario]] = {}
    varied: set[Path] = set()
    for folder, case in wanted.items():
        settings = case.model_copy(update={"seed": 1}).fingerprint()
        if first.setdefault(folder.parent, (settings, case))[0] != settings:
            varied.add(folder.parent)
    return {place: case for place, (_, case) in first.items() if place not in varied}


def _differences_beside(study: Study, run: Mapping[str, Any], alone: Set[str]) -> list[str]:
    """What differs between a run that is none of the study's cases and what it would be there."""
    case = _case_of(study, run)
    if case is None:
        varied = {key.split(".")[0] for key in (*study.axes, *run.get("axes", {}))}
        left_out = varied | {*unused_parts(run["protocol"])} | alone
        then, now = (_shared(each, left_out) for each in (run["scenario"], study.model_dump(mode="json")))
    elif run["fingerprint"] == case.fingerprint():
        return []
    else:
        then, now = (
            {name: value for name, value in each.items() if name not in alone}
            for each in (run["scenario"], case.model_dump(mode="json"))
        )
    return differences(then, now)


def _of_no_other(study: Study | None) -> set[str]:
    """Parts and policies that no protocol of the study depends on: runs beside them may have others."""
    if study is None:
        return set()
    unused = [
        {*unused_parts(protocol), *POLICIES} - {*asked_policies(protocol)} for protocol in study.protocols
    ]
    return set.intersection(*unused)


def _shared(settings: Mapping[str, Any], left_out: Set[str]) -> dict[str, Any]:
    """Of the settings of a run or a study, what both have but for the keys that are `left_out`."""
    shared = {name: settings.get(name) for name in Common.model_fields if name not in POLICIES}
    shared["mobility"] = {**settings["mobility"], "speed": None}
    return {name: value for name, value in shared.items() if name not in left_out}


def _case_of(study: Study, run: Mapping[str, Any]) -> Scenario | None:
    """The case of the same name in `study`, as if it had that protocol, speed and seed; None if it cannot."""
    if run.get("axes"):
        return None
    try:
        return study.case(
            protocol=run["protocol"], config=run["config"], speed=run["speed_mps"], seed=run["seed"]
        )
    except ConfigurationError:
        return None


def mixed(runs: Path, folder: Path, how: str) -> MftPubsubError:
    """The error of a run in `folder` of `runs` that was made otherwise than those that are to come."""
    return MftPubsubError(
        f"{runs / folder} was run {how}, and such results are not mixed: "
        f"delete {runs} to start anew, or choose another --out"
    )


def differences(then: Any, now: Any, name: str = "") -> list[str]:
    """What differs between two settings, each by its key."""
    if isinstance(then, dict) and isinstance(now, dict):
        keys = [*then, *(key for key in now if key not in then)]
        return [
            text
            for key in keys
            for text in differences(then.get(key), now.get(key), f"{name}.{key}".lstrip("."))
        ]
    return [] if then == now else [f"{name} was {then}, is {now}"]


def _check_disk(out: Path, needed: float) -> None:
    """Raises MftPubsubError if traces of `needed` B do not fit."""
    if needed > (free := shutil.disk_usage(out).free):
        raise MftPubsubError(
            f"{out}: the runs need about {needed / 1e9:.2g} GB, {free / 1e9:.2g} GB are free: "
            "choose another --out"
        )


def _default_workers() -> int:
    """As many as there are processors for this process, or fewer if memory is short."""
    told = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    available = next(int(line.split()[1]) for line in told if line.startswith("MemAvailable")) * 1024
    return max(1, min(len(os.sched_getaffinity(0)), int(available / RUN_MEMORY)))


def _watch(cases: list[Scenario], outcomes: Iterator[Outcome], clock: Clock) -> dict[str, str]:
    """Shows how the runs go and how long the rest will take. Returns why cases failed, by fingerprint."""
    failures: dict[str, str] = {}
    told = time.monotonic()
    with _progress(clock) as progress:
        bar = progress.add_task("", total=None, done=0, of=len(cases), failed=0)
        for done, outcome in enumerate(outcomes, 1):
            clock.finish(outcome.case, outcome.seconds, failed=outcome.failure is not None)
            if outcome.is_disk_full:
                raise DiskFullError(f"{outcome.failure}; make room, and the same command goes on")
            if outcome.failure is not None:
                case = cases[outcome.case]
                failures[case.fingerprint()] = outcome.failure
                print(f"failed: {run_name(case)}: {outcome.failure}", file=sys.stderr)
            work = clock.done + clock.work()
            progress.update(bar, completed=clock.done, total=work, done=done, failed=len(failures))
            if not progress.console.is_terminal and time.monotonic() - told > LOG_INTERVAL:
                told = time.monotonic()
                tell(f"{done}/{len(cases)} runs, {len(failures)} failed, {_left(clock)}")
    if failures:
        print(f"{len(failures)} of {len(cases)} runs failed; a second start runs them again", file=sys.stderr)
    return failures


def _left(clock: Clock) -> str:
    return f"{timedelta(seconds=round(clock.left()))} left"


def _progress(clock: Clock) -> Progress:
    from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn
    from rich.text import Text

    class Left(ProgressColumn):
        """Asks the clock whenever the bar is drawn."""

        def render(self, task: Task) -> Text:
            return Text(_left(clock))

    return Progress(
        TextColumn("{task.fields[done]}/{task.fields[of]} runs, {task.fields[failed]} failed"),
        BarColumn(),
        TimeElapsedColumn(),
        Left(),
        console=console(),
    )
