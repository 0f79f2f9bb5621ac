"""One run: a scenario in, a trace and its metrics out."""

from __future__ import annotations

import ctypes
import gzip
import hashlib
import json
import os
import platform
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from mftpubsub import trace_schema
from mftpubsub._core import code_version, core
from mftpubsub.errors import RunError
from mftpubsub.scenario import Group, Scenario

if TYPE_CHECKING:
    import pandas as pd

#: Called with the simulated time in s now and then.
Progress = Callable[[float], None]

#: zlib's level: a trace is written once and read a few times.
COMPRESSION_LEVEL = 4


@dataclass(frozen=True)
class Cost:
    """What a run cost: wall-clock and CPU time in s, simulator events."""

    wall_s: float
    cpu_s: float
    events: int


@dataclass(frozen=True)
class Result:
    """What a run gave: its trace, and what is computed from it."""

    scenario: Scenario
    trace: Path
    cost: Cost
    _keep: Any = field(default=None, repr=False, compare=False)

    @cached_property
    def metrics(self) -> dict[str, Any]:
        """The run's metrics (protocols.md section 10) by name; units are in the names."""
        from mftpubsub.pipeline import single

        keys = run_keys(self.scenario)
        cost = {"wall_s": self.cost.wall_s, "cpu_s": self.cost.cpu_s, "events": self.cost.events}
        return keys | single.metrics_of(self.trace, keys) | cost

    def to_pandas(self) -> pd.DataFrame:
        """The trace's records, columns and units as in trace_schema.yaml."""
        from mftpubsub.pipeline import single

        return single.read_trace(self.trace)


def run_keys(scenario: Scenario) -> dict[str, Any]:
    """What names a run in tables."""
    return {
        "protocol": scenario.protocol,
        "config": scenario.config,
        "speed_mps": scenario.speed,
        "seed": scenario.seed,
    }


def run(scenario: Scenario, trace: str | Path | None = None, progress: Progress | None = None) -> Result:
    """Runs a scenario to its end.

    `trace` names the trace file to write (gzip); by default it is temporary and goes with the result.
    It appears under its name only when it is complete. Raises RunError if the run fails.
    """
    folder = None
    if trace is None:
        folder = tempfile.TemporaryDirectory(prefix="mftpubsub-")
        trace = Path(folder.name) / "trace.gz"
    path = Path(trace)
    partial = path.with_name(f".{path.name}.{uuid.uuid4().hex}.partial")
    try:
        with partial.open("wb") as file:
            cost = _simulate(scenario, file, progress)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return Result(scenario, path, cost, folder)


def run_to_directory(scenario: Scenario, runs: Path) -> Path:
    """Runs a scenario into its folder below `runs`; the folder appears only when it is complete.

    Returns the folder, `protocol=P/config=C/speed=V/seed=N`, with trace.gz and run.json.
    """
    folder = runs / run_folder(scenario)
    partial = runs / f".partial-{os.getpid()}-{uuid.uuid4().hex}"
    partial.mkdir(parents=True)
    try:
        result = run(scenario, partial / "trace.gz")
        metadata = json.dumps(describe(result), indent=1) + "\n"
        (partial / "run.json").write_text(metadata, encoding="utf-8")
        folder.parent.mkdir(parents=True, exist_ok=True)
        partial.rename(folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return folder


def run_folder(scenario: Scenario) -> Path:
    """Folder of a run, relative to the folder of all runs; Spark reads its parts as columns."""
    return Path(
        f"protocol={scenario.protocol}",
        f"config={scenario.config}",
        f"speed={scenario.speed:g}",
        f"seed={scenario.seed}",
    )


def describe(result: Result) -> dict[str, Any]:
    """The metadata that goes with a trace (run.json)."""
    content = result.trace.read_bytes()
    return {
        **run_keys(result.scenario),
        "fingerprint": result.scenario.fingerprint(),
        "code": code_version(),
        "scenario": result.scenario.model_dump(mode="json"),
        "schema_version": trace_schema.version(),
        "trace_bytes": len(content),
        "trace_sha256": hashlib.sha256(content).hexdigest(),
        "wall_s": result.cost.wall_s,
        "cpu_s": result.cost.cpu_s,
        "events": result.cost.events,
        "versions": {
            "mftpubsub": version("mftpubsub"),
            "ns3": version("ns3"),
            "python": platform.python_version(),
        },
        "git_commit": _git_commit(),
        "machine": _machine(),
        "finished": datetime.now(UTC).isoformat(timespec="milliseconds"),
    }


def _machine() -> str:
    """System, number and kind of processors of this machine."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    processor = models[0] if models else "processor"
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} x {processor}"


def _git_commit() -> str | None:
    """Commit of the source tree that this package runs from, `-dirty` if it has changes; else None."""
    here = Path(__file__).parent
    try:
        told = subprocess.run(
            ["git", "-C", str(here), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"],
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return told.stdout.strip()


def _simulate(scenario: Scenario, file: IO[bytes], progress: Progress | None) -> Cost:
    cpp = core()
    failures: list[BaseException] = []

    # An exception must not cross the simulator: it is kept, the run stopped, and raised afterwards.
    def guarded(step: Callable[[], object]) -> bool:
        try:
            step()
        except BaseException as error:
            failures.append(error)
        return not failures

    with gzip.GzipFile(
        filename="", mode="wb", compresslevel=COMPRESSION_LEVEL, fileobj=file, mtime=0
    ) as trace:

        def write(address: int, size: int) -> None:
            guarded(lambda: trace.write(ctypes.string_at(address, size)))

        def tick(seconds: float) -> bool:
            return guarded(lambda: progress(seconds) if progress else None)

        try:
            cost = cpp.RunScenario(_to_cpp(scenario), write, tick)
        except Exception as error:
            if not failures:
                raise RunError(f"{scenario.protocol} {scenario.config}: {_what(error)}") from error
    if failures:
        raise failures[0]
    return Cost(cost.wallSeconds, cost.cpuSeconds, int(cost.events))


def _what(error: Exception) -> str:
    """The C++ exception's own words."""
    what = getattr(error, "what", None)
    return str(what()) if callable(what) else str(error)


def _to_cpp(scenario: Scenario) -> Any:
    cpp = core().Scenario()
    cpp.protocol = scenario.protocol
    cpp.seed = scenario.seed
    cpp.durationSeconds = scenario.duration
    cpp.areaXMetres, cpp.areaYMetres = scenario.network.area
    for group in scenario.network.nodes:
        for index in range(group.count):
            cpp.nodes.push_back(_node_to_cpp(scenario, group, index))
    cpp.isMobile = scenario.mobility.model == "random-waypoint"
    cpp.speedMetresPerSecond = scenario.speed
    cpp.isShadowingPerCell = scenario.channel.shadowing == "cell"
    cpp.shadowingSigmaDb = scenario.channel.sigma
    cpp.bidirectionalSigmaDb = scenario.channel.bidirectional_sigma
    cpp.cellMetres = scenario.channel.cell
    cpp.pathLossExponent = scenario.channel.path_loss_exponent
    cpp.referenceLossDb = scenario.channel.reference_loss
    cpp.txPowerDbm = scenario.radio.tx_power
    cpp.startupSpreadSeconds = scenario.radio.startup_spread
    cpp.heartbeatIntervalSeconds = scenario.overlay.heartbeat_interval
    cpp.leaderTimeoutSeconds = scenario.overlay.leader_timeout
    cpp.rebroadcastJitterSeconds = scenario.overlay.rebroadcast_jitter
    cpp.retries = scenario.transport.retries
    cpp.window = scenario.transport.window
    cpp.maxFrameBytes = scenario.transport.max_frame
    cpp.literalChildren = scenario.mft_pubsub.literal_children
    cpp.replay = scenario.cascading.replay
    cpp.hasArp = scenario.aodv.arp
    for name, value in scenario.aodv.attributes.items():
        cpp.aodvAttributes.emplace_back(name, value)
    return cpp


def _node_to_cpp(scenario: Scenario, group: Group, index: int) -> Any:
    node = core().NodeSpec()
    node.isBroker = "broker" in group.roles
    node.isSubscriber = "subscriber" in group.roles
    node.isPublisher = "publisher" in group.roles
    if node.isSubscriber:
        for text in scenario.subscriber.where:
            node.filters.push_back(text)
    if node.isPublisher:
        node.publisher = _publisher_to_cpp(scenario)
    if group.at is not None:
        node.isPlaced = True
        node.xMetres, node.yMetres = group.at[index]
    return node


_SETTERS: dict[type, Callable[[Any, str, Any], None]] = {
    bool: lambda event, name, value: event.SetBoolean(name, value),
    int: lambda event, name, value: event.SetInteger(name, value),
    float: lambda event, name, value: event.SetDouble(name, value),
    str: lambda event, name, value: event.SetText(name, value),
}


def _publisher_to_cpp(scenario: Scenario) -> Any:
    cpp = core().PublisherSpec()
    cpp.rateHz = scenario.publisher.rate
    cpp.startSeconds = scenario.publisher.start
    cpp.stopSeconds = scenario.publisher.stop
    cpp.payloadBytes = scenario.publisher.payload
    for attributes in scenario.publisher.events:
        event = core().EventAttributes()
        for name, value in attributes.items():
            _SETTERS[type(value)](event, name, value)
        cpp.events.push_back(event)
    return cpp
