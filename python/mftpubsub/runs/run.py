"""One run: a scenario in, a trace and its metrics out."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import subprocess
import uuid
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from mftpubsub.errors import ConfigurationError, QueryError
from mftpubsub.files import as_path, remove
from mftpubsub.own.naming import NO_IMPORTS
from mftpubsub.own.objects import Recorded
from mftpubsub.protocols.catalogue import POLICIES
from mftpubsub.runs.result import Result
from mftpubsub.runs.simulation import Cost, Progress, simulate
from mftpubsub.scenario.observers import Observer, check_observers
from mftpubsub.scenario.scenario import Scenario
from mftpubsub.scenario.study import Study
from mftpubsub.simulator.library import code_version
from mftpubsub.trace import trace_format
from mftpubsub.trace.file import TraceFile
from mftpubsub.trace.layout import METADATA, PARTIAL, TRACE, is_foreign, read_metadata, run_folder, run_keys


def run(
    scenario: Scenario,
    trace: str | Path | None = None,
    progress: Progress | None = None,
    observers: Iterable[Observer] = (),
) -> Result:
    """Runs a scenario to its end, as `mftpubsub.run` says."""
    if isinstance(scenario, Study):
        raise ConfigurationError(
            "run: a Study is many runs: its `case(protocol=..., config=..., speed=..., seed=...)` is one, "
            "and `mftpubsub.sweep` makes all"
        )
    if not isinstance(scenario, Scenario):
        raise ConfigurationError(f"run: {scenario!r} is no Scenario; Scenario.from_yaml(FILE) reads one")
    looking_on = [*scenario.observers, *check_observers(observers)]
    if trace is not None:
        trace = as_path(trace, "run: trace", "run.trace.gz")
    with TraceFile(trace) as file:
        cost = simulate(scenario, file.write, progress, looking_on)
        file.complete()
    return Result(scenario, file.path, cost, file.keep)


def open_run(folder: str | Path, *, import_policies: bool = False) -> Result:
    """The result of a finished run of a sweep, as `mftpubsub.open_run` says."""
    folder = as_path(folder, "open_run", "out/mine/runs/protocol=P/config=C/speed=V/seed=N")
    told = read_metadata(folder)
    if not told:
        raise QueryError(f"{folder} holds no complete run, such as `mftpubsub sweep` leaves below DIR/runs")
    if is_foreign(told):
        raise QueryError(
            f"{folder} is of {told['source']}: without a scenario of ours it cannot be made anew"
        )
    try:
        context = None if import_policies else NO_IMPORTS
        scenario = Scenario.model_validate(told["scenario"], context=context).placed(told.get("axes", {}))
    except (ValueError, SyntaxError) as error:
        raise QueryError(f"{folder}: its scenario cannot be made anew: {error}") from error
    cost = Cost(told["wall_s"], told["cpu_s"], told["events"])
    return Result(scenario, folder / TRACE, cost, rerun_obstacle=_obstacle(scenario, told))


def _obstacle(scenario: Scenario, told: Mapping[str, Any]) -> str:
    """Why a run of which run.json told this cannot be simulated anew; empty if it can."""
    if (told["fingerprint"], told["code"]) != (scenario.fingerprint(), code_version()):
        return "it was run by other code"
    for name in (*POLICIES, "protocol"):
        if isinstance(own := getattr(scenario, name), Recorded):
            return own.obstacle
    return ""


def run_to_directory(scenario: Scenario, runs: Path, fingerprint: str | None = None) -> Path:
    """Runs a scenario into its folder below `runs`; the folder appears only when it is complete.

    Returns the folder, `protocol=P/config=C/speed=V/seed=N`, with trace.gz and run.json. One that is there
    is replaced if it is incomplete, and kept if it is not. `fingerprint` is the scenario's; the
    processes of a sweep are told it, since there the source of a class of the user's script may be missing.
    """
    folder = runs / run_folder(scenario)
    partial = runs / f"{PARTIAL}{os.getpid()}-{uuid.uuid4().hex}"
    partial.mkdir(parents=True)
    # Before the run, in which users may edit their classes: each time they are read anew.
    told = {
        "scenario": scenario.model_dump(mode="json"),
        "fingerprint": fingerprint or scenario.fingerprint(),
    }
    try:
        metadata = describe(run(scenario, partial / TRACE)) | told
        (partial / METADATA).write_text(json.dumps(metadata, indent=1) + "\n", encoding="utf-8")
        folder.parent.mkdir(parents=True, exist_ok=True)
        if not read_metadata(folder):
            remove(folder)
            partial.rename(folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return folder


def describe(result: Result) -> dict[str, Any]:
    """The metadata that goes with a trace (run.json), but for what it is of."""
    with result.trace.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {
        **run_keys(result.scenario),
        "code": code_version(),
        "axes": dict(result.scenario.axes),
        "schema_version": trace_format.version(),
        "trace_bytes": result.trace.stat().st_size,
        "trace_sha256": digest,
        "wall_s": result.cost.wall_s,
        "cpu_s": result.cost.cpu_s,
        "events": result.cost.events,
        **_provenance(),
        "finished": datetime.now(UTC).isoformat(timespec="milliseconds"),
    }


@cache
def _provenance() -> dict[str, Any]:
    """What the runs of this process are made by: asked once, as asking takes as long as a short run."""
    return {
        "versions": {
            "mftpubsub": version("mftpubsub"),
            "ns3": version("ns3"),
            "python": platform.python_version(),
        },
        "git_commit": git_commit(),
        "machine": _machine(),
    }


def _machine() -> str:
    """System, number and kind of processors of this machine."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    processor = models[0] if models else "processor"
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} x {processor}"


def git_commit() -> str | None:
    """Commit of the source tree that this package runs from, `-dirty` if it has changes; else None.

    Results that are being published there are no changes: no run is made of them.
    """
    try:
        _git("ls-files", "--error-unmatch", __file__)  # a .venv lies in a source tree of another project
        changes = _git("status", "--porcelain", "--untracked-files=no", ":/", ":(top,exclude)results")
        return _git("rev-parse", "HEAD") + ("-dirty" if changes else "")
    except (OSError, subprocess.CalledProcessError):
        return None


def _git(*command: str) -> str:
    """What git says in the folder of this package."""
    whole = ["git", "-C", str(Path(__file__).parent), *command]
    return subprocess.run(whole, capture_output=True, text=True, check=True).stdout.strip()
