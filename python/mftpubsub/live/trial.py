"""All nodes of a site on this machine, and the simulation of the same scenario beside them."""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from mftpubsub.errors import ConfigurationError, RunError
from mftpubsub.live import plan as plans
from mftpubsub.live.merge import merge
from mftpubsub.live.namespaces import INTERFACE, namespaces
from mftpubsub.live.plan import Plan
from mftpubsub.live.running import ready
from mftpubsub.live.site import Site
from mftpubsub.runs.run import run_to_directory
from mftpubsub.scenario.scenario import Scenario
from mftpubsub.trace import sql
from mftpubsub.trace.layout import TRACE, run_keys

#: A trial is bounded: s, and nodes on one machine.
MOST_SECONDS = 3600.0
MOST_NODES = 64
#: s until all processes must run.
_START_LIMIT = 120.0
_PORTS = (20000, 60000)
#: What is compared, and how it is called.
COMPARED = {
    "published": "events published",
    "sent_pairs": "wanted by subscribers",
    "delivered_pairs": "delivered",
    "delivery_rate_strict": "delivery rate",
    "duplicates": "delivered twice",
    "frames_per_node": "frames a node",
    "delay_median_s": "median delay, s",
    "delay_p95_s": "95th percentile, s",
}


@dataclass(frozen=True)
class Comparison:
    """What a trial has shown."""

    live: Mapping[str, Any]
    """Metrics of the nodes that ran."""
    simulated: Mapping[str, Any]
    heard: Mapping[int, Mapping[int, int]]
    """Datagrams, by who heard them, and from whom."""
    counters: Mapping[int, Mapping[str, float]]
    """Of each node that ended by itself."""
    run: Path
    """The folder of the run that the nodes' traces make."""

    def __str__(self) -> str:
        rows = [("", "live", "simulated")]
        for name, words in COMPARED.items():
            rows.append((words, _short(self.live.get(name)), _short(self.simulated.get(name))))
        lines = [f"{words:<24}{live:>12}{simulated:>12}" for words, live, simulated in rows]
        nodes = sorted(self.heard)
        lines += [
            "",
            "datagrams heard (rows) of nodes (columns)",
            "     " + "".join(f"{id:>7}" for id in nodes),
        ]
        for hearer in nodes:
            counts = (self.heard[hearer].get(id, 0) for id in nodes)
            lines.append(f"{hearer:>5}" + "".join(f"{count or '.':>7}" for count in counts))
        return "\n".join(lines)


def _short(value: Any) -> str:
    if value is None or value != value:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def attempt(site: Site, out: Path, duration: float | None = None, *, apart: bool = False) -> Comparison:
    """Runs all nodes as processes, on the loopback or each in a namespace (`apart`), and the simulation.

    `out` gets the nodes' files, and both runs below `runs`. Raises ConfigurationError for a site without a
    scenario, or one that is too large; RunError if a node fails.
    """
    scenario = _checked(site, duration)
    if out.exists() and any(out.iterdir()):
        raise ConfigurationError(f"{out} is not empty: name another folder, or remove it")
    plan = plans.make(scenario)
    try:
        return _attempt(site, scenario, plan, out, apart=apart)
    except BaseException:
        shutil.rmtree(out, ignore_errors=True)  # the error tells what a node has said
        raise


def _attempt(site: Site, scenario: Scenario, plan: Plan, out: Path, *, apart: bool) -> Comparison:
    home = out / "nodes"
    home.mkdir(parents=True)
    plan.write(home / "plan.json")
    keys = run_keys(scenario) | {"config": f"{scenario.config} live"}
    simulated = run_to_directory(scenario, out / "runs")
    with ExitStack() as stack:
        commands = stack.enter_context(namespaces(site.ids())) if apart else {}
        port = site.port.model_copy(
            update={"interfaces": (INTERFACE if apart else "lo",), "port": random.randint(*_PORTS), "hops": 1}
        )
        (home / "port.json").write_text(port.model_dump_json(), encoding="utf-8")
        _run_all(site, home, plan, commands)
    traces = sorted(home.glob("node-*.trace"))
    folder = merge(traces, out, keys)
    counters = {id: _counters(home, id) for id in site.ids()}
    return Comparison(
        sql.metrics_of(folder / TRACE, keys),
        sql.metrics_of(simulated / TRACE, run_keys(scenario)),
        {id: _heard(own) for id, own in counters.items()},
        counters,
        folder,
    )


def _checked(site: Site, duration: float | None) -> Scenario:
    if site.trial is None:
        raise ConfigurationError(
            f"{site.path}: scenario: a trial needs one, for what is published and wanted"
        )
    scenario = site.trial if duration is None else site.trial.replace(duration=duration)
    if scenario.duration > MOST_SECONDS:
        raise ConfigurationError(
            f"{site.path}: scenario.duration: a trial takes as long as that, {MOST_SECONDS:g} s at most "
            f"(given: {scenario.duration:g}); --duration shortens it"
        )
    if len(site.ids()) > MOST_NODES:
        raise ConfigurationError(
            f"{site.path}: a trial has {MOST_NODES} nodes at most, not {len(site.ids())}"
        )
    if set(site.ids()) != set(range(scenario.count())):
        raise ConfigurationError(f"{site.path}: nodes: those of the scenario are 0 to {scenario.count() - 1}")
    return scenario


def _counters(home: Path, id: int) -> dict[str, float]:
    try:
        told: dict[str, float] = json.loads((home / f"node-{id}.counters.json").read_text(encoding="utf-8"))
    except OSError:
        return {}  # it was killed, and not started again
    return told


def _heard(counters: Mapping[str, float]) -> dict[int, int]:
    mark = "heard_from_"
    return {int(name.removeprefix(mark)): int(n) for name, n in counters.items() if name.startswith(mark)}


class Processes:
    """The nodes that run."""

    def __init__(self, site: Site, home: Path, commands: Mapping[int, Sequence[str]]) -> None:
        self._site, self._home, self._commands = site, home, commands
        self._running: dict[int, subprocess.Popen[bytes]] = {}

    def start(self, id: int) -> None:
        command = [
            *self._commands.get(id, ()),
            *(sys.executable, "-m", "mftpubsub", "live", "run", str(self._site.path)),
            *("--node", str(id), "--trial", str(self._home)),
        ]
        with self._log(id) as log:
            self._running[id] = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    @contextmanager
    def _log(self, id: int) -> Iterator[IO[bytes]]:
        with (self._home / f"node-{id}.log").open("ab") as file:
            yield file

    def kill(self, id: int) -> None:
        """As a loss of power would."""
        process = self._running.pop(id)
        process.send_signal(signal.SIGKILL)
        process.wait()

    def check(self) -> None:
        """Raises RunError if a node has failed."""
        for id, process in self._running.items():
            if process.poll():
                said = (self._home / f"node-{id}.log").read_text(encoding="utf-8", errors="replace").strip()
                raise RunError(
                    f"node {id} has failed: {said.splitlines()[-1] if said else process.returncode}"
                )

    def wait(self) -> None:
        """Until all have ended by themselves."""
        while any(process.poll() is None for process in self._running.values()):
            self.check()
            time.sleep(0.1)
        self.check()

    def end(self) -> None:
        for process in self._running.values():
            process.kill()
        for process in self._running.values():
            process.wait()


def _run_all(site: Site, home: Path, plan: Plan, commands: Mapping[int, Sequence[str]]) -> None:
    processes = Processes(site, home, commands)
    try:
        for id in site.ids():
            processes.start(id)
        limit = time.monotonic() + _START_LIMIT
        while not all(ready(home, id).exists() for id in site.ids()):
            processes.check()
            if time.monotonic() > limit:
                raise RunError(f"the nodes have not started within {_START_LIMIT:g} s")
            time.sleep(0.05)
        begin = time.time() + 1.0
        temporary = home / "begin.new"
        temporary.write_text(repr(begin), encoding="utf-8")
        temporary.rename(home / "begin")
        for at, id, starts in _agenda(plan):
            time.sleep(max(0.0, begin + at - time.time()))
            processes.start(id) if starts else processes.kill(id)
        processes.wait()
    finally:
        processes.end()


def _agenda(plan: Plan) -> list[tuple[float, int, bool]]:
    """When nodes are killed, and start again."""
    found = []
    for id, at, restart in plan.crashes:
        found.append((at, id, False))
        if restart is not None:
            found.append((restart, id, True))
    return sorted(found)
