"""What stands between Python and a running simulation: its trace, its clock, its observers, its failures."""

from __future__ import annotations

import ctypes
import json
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from ctypes import CFUNCTYPE, c_double, c_int, c_size_t, c_void_p
from dataclasses import dataclass

from mftpubsub.errors import RunError
from mftpubsub.notes import tell
from mftpubsub.own.objects import Recorded, shared
from mftpubsub.policies.hooks import Hooks, PolicyHooks, listening
from mftpubsub.protocols.broker import Broker
from mftpubsub.protocols.broker_host import BrokerHooks, RadioBrokers
from mftpubsub.protocols.catalogue import POLICIES
from mftpubsub.protocols.host import Host, StationHooks
from mftpubsub.protocols.own_protocol import OwnProtocol
from mftpubsub.protocols.station import Station
from mftpubsub.runs.to_cpp import to_cpp
from mftpubsub.scenario.observers import Agenda, Observer
from mftpubsub.scenario.scenario import Scenario
from mftpubsub.simulator.library import what
from mftpubsub.simulator.snapshot import from_cpp
from mftpubsub.simulator.worlds import run
from mftpubsub.trace.layout import place

#: Called with the simulated time in s now and then.
Progress = Callable[[float], None]


@dataclass(frozen=True)
class Cost:
    """What a run cost: wall-clock and CPU time in s, simulator events."""

    wall_s: float
    cpu_s: float
    events: int


#: scenario.h: Wish.
_STOP, _GO_ON, _LOOK = range(3)

_Trace = CFUNCTYPE(None, c_void_p, c_size_t)
_Progress = CFUNCTYPE(c_int, c_double)
_Observe = CFUNCTYPE(c_int, c_void_p, c_size_t)
_Air = CFUNCTYPE(None, c_void_p, c_size_t)
_Frames = CFUNCTYPE(None, c_void_p, c_size_t)


class RunHooks(ctypes.Structure):
    """The C++ struct of that name (run-request.h)."""

    _fields_ = (
        ("trace", _Trace),
        ("progress", _Progress),
        ("observe", _Observe),
        ("air", _Air),
        ("frames", _Frames),
        ("policies", PolicyHooks),
        ("stations", ctypes.POINTER(StationHooks)),
        ("brokers", ctypes.POINTER(BrokerHooks)),
    )


#: A process has one simulator: runs of several threads come one after the other.
_turn = threading.RLock()


def _begin_anew() -> None:
    """In a fork nobody has the turn: the thread that had it is not there."""
    global _turn
    _turn = threading.RLock()


os.register_at_fork(after_in_child=_begin_anew)


class Simulation:
    """One simulation, and the Python code that it calls.

    No exception may cross the simulator: `guard` keeps the first one, no more code is called, the simulation
    stops, and `drive` raises what was kept.
    """

    def __init__(
        self,
        scenario: Scenario,
        write: Callable[[bytes], object],
        air: Callable[[bytes], object] | None = None,
        packets: Callable[[bytes], object] | None = None,
    ) -> None:
        """`write` takes the trace, `air` what it leaves out (AirRecords of C++), `packets` what frames carry
        (FrameLog)."""
        #: The scenario as C++ takes it.
        self.spec = to_cpp(scenario)
        self._scenario = scenario
        self._write = write
        self._air = air
        self._packets = packets
        self._progress: Progress | None = None
        self._agenda = Agenda((), scenario.duration)
        self._failure: BaseException | None = None
        self._hooks = Hooks(self._fail)
        self._add_policies()
        self._host = self._host_of(scenario.protocol)
        self._shared = _shared(scenario)
        self._functions = RunHooks(
            _Trace(self._take),
            _Progress(self._tick),
            _Observe(self._observe),
            _Air(self._take_air) if air else _Air(),
            _Frames(self._take_packets) if packets else _Frames(),
            self._hooks.to_cpp(),
            ctypes.pointer(self._host.hooks) if isinstance(self._host, Host) else None,
            ctypes.pointer(self._host.hooks) if isinstance(self._host, RadioBrokers) else None,
        )

    def _add_policies(self) -> None:
        for name in POLICIES:
            policy = getattr(self._scenario, name)
            if name == "retry_policy":
                policy = policy.of_run(self._scenario.transport.retries)
            self._hooks.add(name.removesuffix("_policy"), policy)

    def _host_of(self, protocol: str | OwnProtocol) -> Host | RadioBrokers | None:
        """What calls a protocol that is written in Python. Raises RunError if its class is not there."""
        if isinstance(protocol, Recorded):
            raise RunError(f"protocol {protocol.obstacle}")
        if isinstance(protocol, Broker):
            return RadioBrokers(protocol, self._fail, self._scenario.seed)
        return Host(protocol, self._fail) if isinstance(protocol, Station) else None

    @property
    def hooks(self) -> int:
        """The address of the C++ RunHooks; C++ may use it as long as this object lives."""
        return ctypes.addressof(self._functions)

    def request(self, instants: Sequence[float] = ()) -> str:
        """What C++ reads as a RunRequest: the run, observed at `instants` (s)."""
        request = {"scenario": self.spec, "policies": self._hooks.specs, "instants": instants}
        return json.dumps(request, ensure_ascii=False, allow_nan=False, separators=(",", ":"))

    def guard(self, step: Callable[[], object]) -> bool:
        """Calls `step`, and says whether all has gone well so far."""
        if self._failure is None:
            try:
                step()
            except BaseException as error:
                self._fail(error)
        return self._failure is None

    def drive(
        self,
        start: Callable[[list[float]], Cost],
        progress: Progress | None,
        observers: Iterable[Observer],
    ) -> Cost:
        """Runs by `start`, which is told when to observe (s). Raises RunError if that fails."""
        self._progress = progress
        self._agenda = Agenda(observers, self._scenario.duration)
        cost = Cost(0.0, 0.0, 0)
        try:
            with _turn, listening(self._fail):
                cost = start(self._agenda.instants)
        except Exception as error:
            if self._failure is None:
                where = place(self._scenario.config, self._scenario.axes)
                raise RunError(f"{self._scenario.protocol} {where}: {what(error)}") from error
        if self._failure is not None:
            raise self._failure
        self._tell_changed()
        return cost

    def _tell_changed(self) -> None:
        for name, held in _shared(self._scenario).items():
            if held != self._shared.get(name):
                tell(
                    f"{name} has changed in this run: all devices share what a class or module holds, "
                    f"and the next run finds it. Make it in {held[1]}, as an attribute of self"
                )

    def _fail(self, error: BaseException) -> None:
        self._failure = self._failure or error

    def _take(self, address: int, size: int) -> None:
        self.guard(lambda: self._write(ctypes.string_at(address, size)))

    def _take_air(self, address: int, size: int) -> None:
        self.guard(lambda: self._air(ctypes.string_at(address, size)) if self._air else None)

    def _take_packets(self, address: int, size: int) -> None:
        self.guard(lambda: self._packets(ctypes.string_at(address, size)) if self._packets else None)

    def _tick(self, seconds: float) -> int:
        wish = _GO_ON

        def tick() -> None:
            nonlocal wish
            if self._progress:
                self._progress(seconds)
            if self._agenda.is_due():
                wish = _LOOK

        return wish if self.guard(tick) else _STOP

    def _observe(self, address: int, size: int) -> bool:
        def observe() -> None:
            snapshot = json.loads(ctypes.string_at(address, size))
            per_byte = self._scenario.radio.seconds_per_byte()
            self._agenda.observe(from_cpp(self.spec, snapshot, per_byte))

        return self.guard(observe)


def _shared(scenario: Scenario) -> dict[str, tuple[str, str]]:
    """What users' classes and modules hold, by name: a text, and in which method it would be an object's."""
    policies = [getattr(scenario, name) for name in POLICIES]
    held = {name: (text, "__init__") for policy in policies for name, text in shared(policy).items()}
    return held | {name: (text, "start") for name, text in shared(scenario.protocol).items()}


def simulate(
    scenario: Scenario,
    write: Callable[[bytes], object],
    progress: Progress | None = None,
    observers: Iterable[Observer] = (),
    until: float | None = None,
    air: Callable[[bytes], object] | None = None,
    packets: Callable[[bytes], object] | None = None,
) -> Cost:
    """Runs a scenario, to its end or past `until` (s), and hands its trace to `write`, what that leaves out
    to `air`, and what frames carried to `packets` (viewer/replay.py)."""
    simulation = Simulation(scenario, write, air, packets)
    spec = simulation.spec
    if until is not None:  # a little longer: a run does not simulate the instant at which it ends
        spec["durationSeconds"] = min(spec["durationSeconds"], until + 1e-6)

    def start(instants: list[float]) -> Cost:
        cost = run(simulation.request(instants), simulation.hooks)
        return Cost(cost["wallSeconds"], cost["cpuSeconds"], cost["events"])

    return simulation.drive(start, progress, observers)
