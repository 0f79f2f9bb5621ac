"""A study's runs on the processors of this machine: only what is missing, each in a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mftpubsub._core import code_version
from mftpubsub.errors import MftPubsubError

if TYPE_CHECKING:
    from rich.progress import Progress

    from mftpubsub.scenario import Scenario
    from mftpubsub.study import Study

#: Runs a scenario into its folder below a folder of runs; must be importable by name.
Runner = Callable[["Scenario", Path], Any]


def sweep(
    study: Study,
    out: Path,
    workers: int | None = None,
    protocols: Iterable[str] | None = None,
    runner: Runner | None = None,
) -> int:
    """Runs every case of `study` that `out`/runs does not hold yet. Returns 0, or 1 if a run failed.

    `workers` is the number of processes, by default one a processor; `runner` is by default
    mftpubsub.run.run_to_directory. Raises MftPubsubError if `out` holds one of the cases run with other
    settings: such results are not mixed.
    """
    from mftpubsub.run import run_to_directory

    runs = out / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    _clean(runs)
    cases = study.cases(protocols)
    missing = sorted(_missing(cases, runs), key=_cost, reverse=True)
    print(f"{len(cases)} runs, of which {len(cases) - len(missing)} are there already", file=sys.stderr)
    try:
        failures = _run_all(missing, runs, workers or os.cpu_count() or 1, runner or run_to_directory)
    finally:
        _clean(runs)
    for failure in failures:
        print(f"failed: {failure}", file=sys.stderr)
    return 1 if failures else 0


def keep_study(study: Study, config_file: Path, out: Path) -> None:
    """Keeps what was run as `out`/studies/NAME.yaml: the command, and the study with all its defaults."""
    import yaml

    content = yaml.safe_dump(study.model_dump(mode="json"), sort_keys=False)
    path = out / "studies" / f"{config_file.stem}.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        f"# mftpubsub sweep {_as_typed(config_file)} --out {_as_typed(out)}\n{content}", encoding="utf-8"
    )


def _as_typed(path: Path) -> str:
    """A relative path as it is; of an absolute one only the name, since it means nothing elsewhere."""
    return path.name if path.is_absolute() else path.as_posix()


def _missing(cases: list[Scenario], runs: Path) -> list[Scenario]:
    """The cases without a finished run. Raises MftPubsubError if one had other settings or code."""
    from mftpubsub.run import run_folder

    found = {path.parent.relative_to(runs): _metadata(path) for path in runs.glob("*/*/*/*/run.json")}
    for folder, metadata in found.items():
        if metadata.get("code") != code_version():
            raise _mixed(runs / folder, f"code {metadata.get('code')}", f"this code is {code_version()}")
    missing = []
    for case in cases:
        metadata = found.get(run_folder(case), {})
        if not metadata:
            missing.append(case)
        elif metadata.get("fingerprint") != case.fingerprint():
            then, now = f"settings {metadata.get('fingerprint')}", f"the case now has {case.fingerprint()}"
            raise _mixed(runs / run_folder(case), then, now)
    return missing


def _metadata(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text(encoding="utf-8")))


def _mixed(folder: Path, then: str, now: str) -> MftPubsubError:
    runs = folder.parents[3]
    return MftPubsubError(
        f"{folder} was run with other {then}, {now}, and such results are not mixed: "
        f"delete {runs} to start anew, or choose another --out"
    )


def _name(case: Scenario) -> str:
    return f"{case.protocol} {case.config} {case.speed:g} m/s seed {case.seed}"


def _cost(case: Scenario) -> float:
    """Rough relative length of a run: every frame is heard by all, and AODV sends many more of them."""
    frames = 10 if case.protocol == "aodv" else 1
    return frames * case.duration * case.count() ** 2


def _clean(runs: Path) -> None:
    """Removes what processes that are no more left unfinished (`.partial-PID-...`)."""
    for path in runs.glob(".partial-*"):
        pid = path.name.split("-")[1]
        if not Path("/proc", pid).exists():
            shutil.rmtree(path, ignore_errors=True)


def _run_all(cases: list[Scenario], runs: Path, workers: int, runner: Runner) -> list[str]:
    """Runs cases in order, `workers` at once. Returns what failed, and why."""
    failures: list[str] = []
    children: set[BaseProcess] = set()
    with ThreadPoolExecutor(workers) as pool, _progress() as progress:
        task = progress.add_task("", total=sum(map(_cost, cases)), done=0, of=len(cases), failed=0)
        pending: dict[Future[str | None], Scenario] = {
            pool.submit(_run_one, case, runs, runner, children): case for case in cases
        }
        try:
            for done, future in enumerate(as_completed(pending), 1):
                case = pending[future]
                if reason := future.result():
                    failures.append(f"{_name(case)}: {reason}")
                progress.update(task, advance=_cost(case), done=done, failed=len(failures))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for child in list(children):
                child.terminate()
    return failures


def _progress() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.fields[done]}/{task.fields[of]} runs, {task.fields[failed]} failed"),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        speed_estimate_period=24 * 3600,
    )


def _run_one(case: Scenario, runs: Path, runner: Runner, children: set[BaseProcess]) -> str | None:
    """Runs a case in a new process and waits for it. Returns why it failed, None if it did not."""
    context = get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(case, runs, runner, sender), daemon=True)
    child.start()
    children.add(child)
    sender.close()
    try:
        reason: str | None = receiver.recv()
    except EOFError:
        child.join()
        code = child.exitcode or 0
        reason = f"the process died: {signal.Signals(-code).name if code < 0 else f'exit code {code}'}"
    child.join()
    children.discard(child)
    return reason


def _child(case: Scenario, runs: Path, runner: Runner, sender: Connection) -> None:
    """Body of the process: sends None, or why the run failed. Ends when the sweep does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        runner(case, runs)
        sender.send(None)
    except Exception as error:
        sender.send(f"{type(error).__name__}: {error}")


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
