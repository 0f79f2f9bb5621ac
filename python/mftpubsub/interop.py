"""Together with ns-3's own Python bindings: nodes from `ns`, trace callbacks, pcap, NetAnim.

from mftpubsub import interop
from ns import ns

nodes = ns.NodeContainer()
nodes.Create(18)
with interop.network(scenario, nodes=nodes) as net:
    net.connect("/NodeList/*/DeviceList/*", "Transmit", print)
    net.enable_pcap("out/run")
    net.animate("out/run.xml")
    result = net.run()

`import mftpubsub` never loads this module, as it loads all of ns-3's headers: about 10 s and 430 MB.
docs/how-to/ns3.md tells the rest.
"""

from __future__ import annotations

import contextlib
import importlib.util
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import cppyy
from cppyy.types import Instance

from mftpubsub.errors import ConfigurationError, InstallationError, RunError
from mftpubsub.face.result import Result
from mftpubsub.runs.simulation import Cost, Progress, Simulation
from mftpubsub.scenario.observers import Observer
from mftpubsub.scenario.scenario import Scenario
from mftpubsub.simulator.library import core, what
from mftpubsub.simulator.snapshot import roles_of
from mftpubsub.trace.file import TraceFile

HEADERS = (
    "hosts/acked-net-device.h",
    "hosts/ip-node.h",
    "hosts/radio-host.h",
    "run/network.h",
    "run/run-request.h",
    "run/trace-callback.h",
    "wsn/csma-mac.h",
    "wsn/radio.h",
    "wsn/wsn-helper.h",
    "wsn/wsn-net-device.h",
)

#: NetAnim's colour (red, green, blue) of a node, by the first of its roles in this order.
COLOURS = {
    "broker": (31, 119, 180),
    "publisher": (214, 39, 40),
    "subscriber": (44, 160, 44),
    "router": (127, 127, 127),
}


def _load_ns() -> Any:
    """ns-3's bindings, with our classes beside them."""
    core()  # first, as its libraries hold what the bindings' headers refer to
    package = importlib.util.find_spec("ns3")
    folders = list(package.submodule_search_locations or ()) if package else []
    try:
        # The bindings take ns-3's libraries from anywhere below the working directory: not from there.
        with contextlib.chdir(folders[0] if folders else "."):
            from ns import ns
    except (Exception, SystemExit) as error:
        raise InstallationError(
            f"ns-3's own Python bindings do not load (from ns import ns): {error}. They look for ns-3 in all "
            "folders of PATH and LD_LIBRARY_PATH: only one copy may lie below them"
        ) from error
    for header in HEADERS:
        cppyy.include(header)
    return ns


#: ns-3's bindings, what `from ns import ns` gives.
ns = _load_ns()


class Network:
    """A scenario's network, built and not yet run. Made by `network`; nothing of it may be used after that
    block has ended."""

    def __init__(self, scenario: Scenario, nodes: Any, trace: TraceFile) -> None:
        self._scenario = scenario
        self._trace = trace
        self._simulation = Simulation(scenario, trace.write)
        self._callbacks: list[Callable[..., None]] = []  # C++ keeps no Python function alive
        self._animation: Any = None
        self._is_own = nodes is None
        self._has_run = False
        if nodes is not None and not isinstance(nodes, ns.NodeContainer):
            raise ConfigurationError(f"nodes must be an ns.NodeContainer, not {type(nodes).__name__}")
        given = () if nodes is None else (nodes,)
        try:
            self._order = core().ReadRunOrder(self._simulation.request(), self._simulation.hooks)
            self._cpp = core().Network(self._order.request.scenario, self._order.trace, *given)
        except cppyy.gbl.std.invalid_argument as error:
            raise ConfigurationError(what(error)) from None
        except cppyy.gbl.std.logic_error as error:
            raise RunError(what(error)) from None

    @property
    def nodes(self) -> Any:
        """The nodes (ns.NodeContainer), by id."""
        return self._alive().GetNodes()

    @property
    def devices(self) -> Any:
        """Their WsnNetDevices (ns.NetDeviceContainer), by id."""
        return self._alive().GetDevices()

    @property
    def channel(self) -> Any:
        """The channel that they share: of the CC2420 a WirelessChannel."""
        shared = self._alive().GetChannel()
        is_ours = str(shared.GetInstanceTypeId().GetName()) == "mftpubsub::WirelessChannel"
        return shared.GetObject[core().WirelessChannel]() if is_ours else shared

    def connect(self, where: Any, source: str, callback: Callable[..., object]) -> None:
        """Calls `callback` whenever the trace source `source` fires, with the source's arguments.

        `where` is an ns-3 object, or a path of ns-3's Config, as "/NodeList/*/DeviceList/*"; with a path the
        callback is given the full path of the object, a string, before the other arguments. An exception in
        it ends the run, and `run` raises it. Raises ConfigurationError if no object there has the source.
        """
        self._alive()
        if not isinstance(where, str):
            self._connect(where, source, callback)
            return
        matches = _look_up(where)
        having = [(path, target) for path, target in matches if _find_source(target, source)]
        for path, target in having or matches[:1]:  # the first one, to be told what it has instead
            self._connect(target, source, partial(callback, path))

    def enable_pcap(
        self, prefix: str | Path, nodes: Iterable[int] | None = None, promiscuous: bool = False
    ) -> None:
        """Writes the frames of nodes, all or those named by id, to PREFIX-NODE-DEVICE.pcap (ns-3's numbers).

        A node's file has what it sends and what it receives; with `promiscuous` also frames for others that
        it overhears. Folders are made. Raises RunError for a file that cannot be written.
        """
        devices = self.devices
        if self._scenario.radio.model != "cc2420":
            raise ConfigurationError(
                f"enable_pcap: radio {self._scenario.radio.model} is ns-3's own: take its own helper, or "
                "`mftpubsub export` for a capture of all frames"
            )
        Path(prefix).parent.mkdir(parents=True, exist_ok=True)
        helper = core().WsnHelper()
        for index in range(devices.GetN()) if nodes is None else nodes:
            if not 0 <= index < devices.GetN():
                raise ConfigurationError(f"enable_pcap: no node {index}; there are 0 to {devices.GetN() - 1}")
            try:
                helper.EnablePcap(str(prefix), devices.Get(index), promiscuous, False)
            except cppyy.gbl.std.runtime_error as error:
                raise RunError(what(error)) from None

    def animate(self, path: str | Path) -> Any:
        """Writes how the nodes move, coloured by role, for NetAnim; the file is complete after `run`.

        Returns the ns.AnimationInterface, for its further settings; it goes with the run. NetAnim draws the
        frames of devices that it knows by name, and ours is not among them.
        """
        nodes = self.nodes
        if self._animation is not None:
            raise RunError("a network has one animation")
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.open("wb").close()  # raises OSError where ns-3 would abort
        self._animation = ns.AnimationInterface(str(path))
        for index, spec in enumerate(self._simulation.spec["nodes"]):
            roles = roles_of(spec) or ("router",)
            self._animation.UpdateNodeDescription(nodes.Get(index), f"{index} {' '.join(roles)}")
            self._animation.UpdateNodeColor(nodes.Get(index), *COLOURS[roles[0]])
        return self._animation

    def run(self, progress: Progress | None = None, observers: Iterable[Observer] = ()) -> Result:
        """Runs to the scenario's end, as `mftpubsub.run` does. Once only."""
        self._alive()
        if self._has_run:
            raise RunError("a network runs once: build another one")
        self._has_run = True
        try:
            everyone = [*self._scenario.observers, *observers]
            cost = self._simulation.drive(self._start, progress, everyone)
        finally:
            self._end_animation()
        self._trace.complete()
        obstacle = "" if self._is_own else "its nodes were given; net.run takes observers"
        return Result(self._scenario, self._trace.path, cost, self._trace.keep, rerun_obstacle=obstacle)

    def close(self) -> None:
        """Destroys the simulation."""
        self._end_animation()
        network, self._cpp = self._cpp, None
        network.__destruct__()

    def _start(self, instants: list[float]) -> Cost:
        cost = self._cpp.Run(self._order.progress, instants, self._order.observer)
        return Cost(cost.wallSeconds, cost.cpuSeconds, int(cost.events))

    def _end_animation(self) -> None:
        if self._animation is not None:
            self._animation.__destruct__()  # completes its file
        self._animation = None

    def _alive(self) -> Any:
        if self._cpp is None:
            raise RunError("this network is gone: use it inside its `with interop.network(...)` block")
        if self._cpp.IsDestroyed():
            raise RunError("ns-3's Simulator.Destroy has ended this network: build another one")
        return self._cpp

    def _connect(self, target: Any, source: str, callback: Callable[..., object]) -> None:
        signature = _find_source(target, source)
        if signature is None:
            kind = target.GetInstanceTypeId()
            known = ", ".join(sorted(_sources(kind))) or "none"
            raise ConfigurationError(f"{kind.GetName()} has no trace source {source!r}; it has {known}")

        def guarded(*arguments: Any) -> None:
            # Copies, as the caller's objects end with the call, and a callback may keep what it is given.
            kept = [type(one)(one) if isinstance(one, Instance) else one for one in arguments]
            if not self._simulation.guard(lambda: callback(*kept)):
                ns.Simulator.Stop()

        self._callbacks.append(guarded)
        target.TraceConnectWithoutContext(source, _trace_callback(signature).Make(guarded))


@contextlib.contextmanager
def network(scenario: Scenario, nodes: Any = None, trace: str | Path | None = None) -> Iterator[Network]:
    """Builds a scenario's network and takes it down at the end of the block.

    `nodes` is an ns.NodeContainer with a node for each of the scenario's, in its order; without, nodes are
    made. A node that carries a MobilityModel keeps it (its random streams become the scenario's), the others
    are placed and moved as the scenario says. `trace` names the trace file, as in `mftpubsub.run`.

    Raises ConfigurationError for nodes that cannot be used, RunError while another network exists.
    """
    with TraceFile(trace) as file, contextlib.closing(Network(scenario, nodes, file)) as net:
        yield net


def _find_source(target: Any, source: str) -> str | None:
    """The signature, a type of C++, of a trace source of an ns-3 object."""
    information = ns.TypeId.TraceSourceInformation()
    found = target.GetInstanceTypeId().LookupTraceSourceByName(source, information)
    return str(information.callback) if found else None


@cache
def _trace_callback(signature: str) -> Any:
    """TraceCallback for a signature; named in C++, since cppyy would make int of an enumeration, and would
    not find the class for a signature with a std::string."""
    name = "For_" + re.sub(r"\W", "_", signature)
    kind = f"TraceCallback<{signature}>"
    make = f"static auto Make({kind}::Function function) {{ return {kind}::Make(std::move(function)); }}"
    try:
        cppyy.cppdef(f"namespace mftpubsub::interop {{ struct {name} {{ {make} }}; }}")
    except SyntaxError as error:
        raise ConfigurationError(
            f"no header that is loaded declares {signature} of this trace source"
        ) from error
    return getattr(core().interop, name)


def _sources(kind: Any) -> Iterator[str]:
    """The names of a type's trace sources, its parents' included."""
    for index in range(kind.GetTraceSourceN()):
        yield str(kind.GetTraceSource(index).name)
    if kind.HasParent():
        yield from _sources(kind.GetParent())


def _look_up(path: str) -> list[tuple[str, Any]]:
    """The objects at a path of ns-3's Config, each with its own path."""
    for name in re.findall(r"\$([^/]+)", path):
        if not ns.LookupByNameFailSafe(name)[0]:  # ns-3 would abort
            raise ConfigurationError(f"{path}: ns-3 has no type {name}")
    matches = ns.Config.LookupMatches(path)
    if not matches.GetN():
        raise ConfigurationError(f"{path}: no object of the network is there")
    return [(str(matches.GetMatchedPath(i)).rstrip("/"), matches.Get(i)) for i in range(matches.GetN())]
