"""A node of a network on this machine: the same state machine that is simulated, on asyncio and UDP."""

from __future__ import annotations

import asyncio
import ctypes
import json
import logging
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from mftpubsub.errors import ConfigurationError, RunError, no_such
from mftpubsub.live.port import UdpMulticast
from mftpubsub.live.stable import StableFile
from mftpubsub.protocols.broker import Broker
from mftpubsub.protocols.broker_host import LiveBroker
from mftpubsub.protocols.catalogue import PROTOCOLS
from mftpubsub.protocols.content import DecodeError, Event, EventId, Filter, Value
from mftpubsub.protocols.cpp import CppProtocol
from mftpubsub.protocols.host import Host
from mftpubsub.protocols.naming import parse
from mftpubsub.protocols.own_protocol import OwnProtocol
from mftpubsub.protocols.station import Station
from mftpubsub.scenario.parameters import MftMesh, Overlay
from mftpubsub.simulator.live import Runner

ROLES = {"broker": 1, "subscriber": 2, "publisher": 4}
#: Protocols on the elected tree.
TREES = tuple(one.name for one in PROTOCOLS.values() if one.family == "tree")
#: Protocols that ship and run live, by name; `MftMesh(...)` says mft-mesh's parameters.
SHIPPED = (*(one.name for one in PROTOCOLS.values() if one.family == "mesh"), *TREES)
#: s after which brokers forget what all have got: a device's memory is bounded, a simulation's run is.
FORGET_AFTER = 600.0
#: mft-mesh without parameters: heartbeats mend losses, and a network of packets has room for more of them
#: than the CC2420's channel (docs/decisions/live.md).
MESH = MftMesh(heartbeat_interval=0.5, heartbeat_max=1.0, forget_after=FORGET_AFTER)
#: s between looks at the counters that tell of trouble.
_LOOK_INTERVAL = 1.0
_TROUBLE = {
    "duplicate_ids": "another node has the id {id}: give each its own",
    "locked": "datagrams come that need a key, and this node has none",
    "unsigned": "datagrams come without the key of this network",
    "damaged": "datagrams come that are damaged, or of another key",
    "inbox_overflows": "events were dropped, as the application does not take them",
}
_logger = logging.getLogger("mftpubsub.live")

Protocol = str | MftMesh | OwnProtocol
T = TypeVar("T")


class Node:
    """A node that publishes, subscribes and carries events for others.

    async with Node(id=3, roles="broker subscriber", store="node3.store") as node:
        await node.subscribe("temp > 20")
        async for event in node.events():
            print(event.attributes, event.payload)
    """

    def __init__(
        self,
        id: int,
        roles: str | Iterable[str],
        protocol: Protocol = "mft-mesh",
        port: UdpMulticast | None = None,
        store: str | Path | None = None,
        *,
        overlay: Overlay | None = None,
        network: str = "mftpubsub",
        key: bytes = b"",
        trace: str | Path | None = None,
        inbox: int = 10_000,
    ) -> None:
        """Nothing is opened before `async with`.

        - `id`: 0 to 65534, another one for each node.
        - `roles`: of broker, subscriber and publisher, some or all.
        - `protocol`: mft-mesh (with heartbeats each 0.5 to 1 s), `MftMesh(...)` with its parameters, mpl,
          epidemic, one on the elected tree (mft-pubsub, mft-pubsub-r, phoenix, cascading, simple-routing,
          flooding), or one of your own: stations, or brokers of the tree.
        - `port`: where datagrams go; default: multicast on the loopback.
        - `store`: file that lets event numbers, subscriptions and what was received outlive the process; what
          a station or broker of your own has in `stable` is in a second one, `store`.stable.
          Without one a node that restarts counts its events from 0, and others take them for old.
        - `overlay`: times of the leader election, for protocols on the tree. The broker with the lowest id
          leads: clocks of nodes have nothing in common.
        - `network`: its name; datagrams of others are counted and dropped.
        - `key`: of the network. Datagrams that were not made with it are dropped. They are not encrypted.
        - `trace`: file for `mftpubsub live merge`.
        - `inbox`: events that may wait for the application; then the oldest are dropped, and counted.

        Raises ConfigurationError for what cannot be.
        """
        self.id = _checked_id(id)
        self.roles = _checked_roles(roles)
        self.port = _checked(port or UdpMulticast(), UdpMulticast, "port")
        self._host: Host | LiveBroker | None = None
        self._store = Path(store) if store else None
        self._stable: StableFile | None = None
        self._failure: BaseException | None = None
        self._runner: Runner | None = None
        self._woken = asyncio.Event()
        self._unreadable = 0
        self._told: dict[str, int] = {}
        self._look: asyncio.TimerHandle | None = None
        self._settings = {
            "id": self.id,
            "roles": sum(ROLES[role] for role in self.roles),
            **self._protocol(protocol, network),
            "overlay": _overlay(_checked(overlay or Overlay(), Overlay, "overlay")),
            "keyHex": _checked(key, bytes, "key").hex(),
            "store": str(store or ""),
            "trace": str(trace or ""),
            "inbox": inbox,
            "port": self.port.to_cpp(),
        }

    def _protocol(self, protocol: Protocol, network: str) -> dict[str, Any]:
        """What the settings say of it."""
        spec: dict[str, Any] = {"parameters": {}, "mesh": _mesh(MESH)}
        if isinstance(protocol, MftMesh):
            if protocol.positions:
                raise ConfigurationError("mft_mesh.positions: nothing tells a live node where it is: false")
            return spec | {"protocol": "mft-mesh", "mesh": _mesh(protocol), "network": network}
        if isinstance(protocol, str) and ":" not in protocol:
            if protocol not in SHIPPED:
                raise ConfigurationError(f"{no_such('protocol', protocol, SHIPPED)} (live)")
            return spec | {"protocol": protocol, "network": network}
        try:
            own = parse(protocol)
        except ValueError as error:
            raise ConfigurationError(f"protocol: {error}") from None
        name = f"{network}/{own}"
        if isinstance(own, CppProtocol):
            return spec | {"protocol": own.load(), "parameters": own.options, "network": name}
        if isinstance(own, Broker):
            self._host = LiveBroker(own, self._fail)
            return spec | {"protocol": "python-brokers", "network": name}
        assert isinstance(own, Station)
        self._host = Host(own, self._fail, sees_all=False)
        return spec | {"protocol": "python", "network": name}

    async def __aenter__(self) -> Self:
        if self._runner:
            raise ConfigurationError("a Node is entered once: make another one")
        hooks = ctypes.addressof(self._host.hooks) if self._host else 0
        self._open_stable()
        runner = self._act(lambda: Runner(json.dumps(self._settings), hooks))
        self._runner = runner
        for text in runner.left_out():
            _logger.warning(
                "node %d: the filter %s of its store %s is left out: a frame has no room for it beside the "
                "older ones; unsubscribe those that nobody needs",
                *(self.id, text, self._store),
            )
        asyncio.get_running_loop().add_reader(runner.descriptor, self._run)
        self._look_for_trouble()
        return self

    def _open_stable(self) -> None:
        """Of a station or broker of one's own, beside the store."""
        if self._host and self._store:
            self._stable = StableFile(self._store.with_name(f"{self._store.name}.stable"))
            self._host.stable, self._host.keep = self._stable.values, self._stable.keep

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        """Writes the store. Without an error the event that was taken last is done with.

        Raises what the node has failed of.
        """
        runner, self._runner = self._runner, None
        assert runner
        asyncio.get_running_loop().remove_reader(runner.descriptor)
        if self._look:
            self._look.cancel()
        self._woken.set()
        try:
            if not self._failure:
                runner.stop(error is None)
        finally:
            runner.close()
            if self._stable:
                self._stable.close()
        self._check()

    async def publish(self, attributes: Mapping[str, Value], payload: bytes = b"") -> EventId:
        """Publishes an event; it is stored when this returns, if there is a store.

        Raises ConfigurationError for an event that cannot be, or does not fit into a frame.
        """
        runner = self._open()
        try:
            event = Event((self.id, 0), attributes, payload=payload)
        except ValueError as error:
            raise ConfigurationError(f"publish: {error}") from None
        sequence = self._act(lambda: runner.publish(event.wire))
        self._wake()
        return EventId(self.id, sequence)

    async def subscribe(self, where: str | Filter) -> None:
        """Asks for events that a filter matches (docs/filters.md), from now on, until `unsubscribe`.

        With a store it stays over restarts; asking once more changes nothing. Raises ConfigurationError for
        what is no filter, or a node that is no subscriber.
        """
        text, runner = _checked_filter(where), self._open()
        self._act(lambda: runner.subscribe(text))

    async def unsubscribe(self, where: str | Filter) -> None:
        """Raises ConfigurationError if it has no such filter."""
        text, runner = _checked_filter(where), self._open()
        self._act(lambda: runner.unsubscribe(text))

    @property
    def filters(self) -> list[str]:
        """What it has subscribed to."""
        return self._open().filters()

    async def events(self) -> AsyncIterator[Event]:
        """Events for its subscriber, until the node ends; for one reader.

        An event is done with when the next one is asked for. One that was not when the process died comes
        again after the restart, if there is a store. One that is no event is told in the log, and left out.
        """
        while runner := self._runner:
            self._check()
            wire = runner.take()
            if wire is None:
                self._woken.clear()
                await self._woken.wait()
            elif event := self._read(wire):
                yield event
        self._check()

    def _read(self, wire: bytes) -> Event | None:
        """None for what no reader could decode: it would be the first one again after each restart."""
        event = Event.from_wire(wire)
        try:
            event.attributes  # noqa: B018 - decoded here
        except DecodeError as error:
            self._unreadable += 1
            _logger.warning("node %d: event %s is left out: %s", self.id, event.id, error)
            return None
        return event

    @property
    def counters(self) -> dict[str, int]:
        """What the node has done, by name: sent, heard, delivered; damaged, strangers, duplicate_ids, ...

        What has not happened is 0.
        """
        return Counter(json.loads(self._open().counters()), unreadable=self._unreadable)

    def limit_reach(self, nodes: Iterable[int]) -> None:
        """Hears these nodes only from now on: for experiments on one machine."""
        self._open().set_reach([_checked_id(node) for node in nodes])

    def lose(self, share: float) -> None:
        """Loses this share of what it hears, at random: for experiments on one machine."""
        if not 0 <= share <= 1:
            raise ConfigurationError(f"lose({share!r}): a share is 0 to 1")
        self._open().set_loss(share)

    def _open(self) -> Runner:
        if self._runner is None:
            raise ConfigurationError("the node does not run: use it within `async with Node(...) as node:`")
        self._check()
        return self._runner

    def _check(self) -> None:
        if self._failure:
            raise self._failure

    def _act(self, act: Any) -> Any:
        """What a call gives; the failure of a station in Python as its own."""
        try:
            return act()
        except RunError as error:
            self._fail(error)
            raise self._failure or error from None

    def _fail(self, failure: BaseException) -> None:
        """The first one counts: what follows comes of it."""
        self._failure = self._failure or failure

    def _run(self) -> None:
        """Called by the loop when there is something to do."""
        if self._runner and not self._failure:
            self._go_on(self._runner, self._runner.run)

    def _go_on(self, runner: Runner, act: Any) -> None:
        """Whatever fails here ends the node: who reads its events is told, and so is who leaves it."""
        try:
            self._act(act)
        except BaseException as error:
            asyncio.get_running_loop().remove_reader(runner.descriptor)
            self._fail(RunError(str(error)) if isinstance(error, ConfigurationError | OSError) else error)
            _logger.error("node %d has failed: %s", self.id, error)
        self._wake()

    def _wake(self) -> None:
        self._woken.set()

    def _look_for_trouble(self) -> None:
        if self._runner and self._stable and not self._failure:
            self._go_on(self._runner, self._stable.sync)
        if self._runner is None or self._failure:
            return
        counters = self.counters
        for name, words in _TROUBLE.items():
            if counters.get(name, 0) > self._told.get(name, 0):
                if not self._told.get(name):
                    _logger.warning("node %d: %s", self.id, words.format(id=self.id))
                self._told[name] = counters[name]
        self._look = asyncio.get_running_loop().call_later(_LOOK_INTERVAL, self._look_for_trouble)


def _mesh(parameters: MftMesh) -> dict[str, Any]:
    """As live::MeshSettings has it."""
    return {
        "heartbeatSeconds": parameters.heartbeat_interval,
        "heartbeatMaxSeconds": parameters.heartbeat_max,
        "forwardSeconds": parameters.forward_jitter,
        "settleSeconds": parameters.settle_time,
        "copies": parameters.copies,
        "redundancy": parameters.redundancy,
        "isScoped": parameters.scoping,
        "few": parameters.few,
        "forgetAfterSeconds": parameters.forget_after or 0.0,
    }


def _overlay(parameters: Overlay) -> dict[str, Any]:
    """As live::OverlaySettings has it."""
    return {
        "heartbeatSeconds": parameters.heartbeat_interval,
        "leaderTimeoutSeconds": parameters.leader_timeout,
    }


def _checked_id(id: object) -> int:
    if not isinstance(id, int) or isinstance(id, bool) or not 0 <= id < 0xFFFF:
        raise ConfigurationError(f"id: {id!r} is no node: ids are 0 to 65534")
    return id


def _checked(given: object, kind: type[T], name: str) -> T:
    if not isinstance(given, kind):
        raise ConfigurationError(f"{name}: {given!r} is no {kind.__name__}")
    return given


def _checked_roles(roles: object) -> tuple[str, ...]:
    names = roles.split() if isinstance(roles, str) else list(roles) if isinstance(roles, Iterable) else []
    if not names:
        raise ConfigurationError(f"roles: {roles!r}: some of {', '.join(ROLES)}, as in 'broker subscriber'")
    for name in names:
        if name not in ROLES:
            raise ConfigurationError(f"roles: {no_such('role', name, ROLES)}")
    return tuple(role for role in ROLES if role in names)


def _checked_filter(where: object) -> str:
    try:
        return (where if isinstance(where, Filter) else Filter(str(where))).text
    except ValueError as error:
        raise ConfigurationError(str(error)) from None
