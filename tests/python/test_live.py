"""Nodes on this machine: datagrams on its loopback, files that outlive processes, and what is refused."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest
from own_flood import Flood

from mftpubsub import Overlay
from mftpubsub.errors import ConfigurationError, RunError
from mftpubsub.live import MftMesh, Node, UdpMulticast
from mftpubsub.live.site import load
from mftpubsub.live.stable import StableFile
from mftpubsub.protocols import Event, cpp
from mftpubsub.simulator.live import Runner

EXAMPLES = Path(__file__).parents[2] / "python" / "examples" / "protocols"
sys.path.insert(0, str(EXAMPLES))

from tree_broker import TreeBroker  # noqa: E402

GROUP = "239.255.77.77"
LIMIT = 60.0


@pytest.fixture
def port() -> UdpMulticast:
    """A port of this test's own: others may run beside it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return UdpMulticast(GROUP, probe.getsockname()[1])


def finish(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(asyncio.wait_for(work, LIMIT))


async def collect(node: Node, count: int) -> list[Event]:
    found: list[Event] = []
    async for event in node.events():
        found.append(event)
        if len(found) == count:
            return found
    raise AssertionError("the node has ended")


async def until(holds: Any) -> None:
    while not holds():
        await asyncio.sleep(0.01)


@pytest.mark.slow
@pytest.mark.parametrize(
    "protocol",
    [
        "mft-mesh",
        MftMesh(forget_after=5.0),
        Flood(),
        cpp(EXAMPLES / "flood.cc", name="flood-cc", options={"jitter": 0.1}),
        "mpl",
        "epidemic",
    ],
    ids=str,
)
def test_events_come_with_attributes_and_payload(protocol: Any, port: UdpMulticast) -> None:
    async def work() -> None:
        async with (
            Node(id=0, roles="publisher", protocol=protocol, port=port) as publisher,
            Node(id=1, roles="broker", protocol=protocol, port=port),
            Node(id=2, roles=("subscriber",), protocol=protocol, port=port) as subscriber,
        ):
            await subscriber.subscribe("temp > 20")
            for temp in (20, 21, 22):
                await publisher.publish({"temp": temp, "name": "ä"}, payload=bytes((0, temp, 255)))
            got = await collect(subscriber, 2)
        assert sorted((event.attributes["temp"], event.payload) for event in got) == [
            (21, b"\0\x15\xff"),
            (22, b"\0\x16\xff"),
        ]
        assert {event.attributes["name"] for event in got} == {"ä"}

    finish(work())


def number(event: Event) -> int:
    value = event.attributes["n"]
    assert isinstance(value, int)
    return value


async def until_known(publisher: Node, subscriber: Node) -> None:
    """Publishes until something arrives: a tree matches at brokers, which know of filters by then."""
    heard = asyncio.ensure_future(collect(subscriber, 1))
    while not heard.done():
        await publisher.publish({"n": -1})
        await asyncio.sleep(0.05)


@pytest.mark.parametrize(
    "protocol", ["mft-pubsub", "mft-pubsub-tuned", "mft-pubsub-r", "cascading", "flooding"]
)
def test_trees_run_live(protocol: str, port: UdpMulticast) -> None:
    """Publisher, two brokers, subscriber, each of which hears those beside it.

    Not simple-routing and phoenix: they never tell a later neighbour what was subscribed before.
    """

    async def work() -> None:
        overlay = Overlay(heartbeat_interval=0.2, leader_timeout=0.7)
        roles = ("publisher", "broker", "broker", "subscriber")
        nodes = [
            Node(id, role, protocol, port, overlay=overlay, network=protocol) for id, role in enumerate(roles)
        ]
        async with nodes[0], nodes[1], nodes[2], nodes[3]:
            for id, node in enumerate(nodes):
                node.limit_reach([id - 1, id + 1] if 0 < id < 3 else [1 if id == 0 else 2])
            await nodes[3].subscribe("n < 19")
            await until_known(nodes[0], nodes[3])
            for n in range(20):
                await nodes[0].publish({"n": n}, payload=bytes([n]))
            got: list[Event] = []
            while len(got) < 19:
                got += [event for event in await collect(nodes[3], 1) if number(event) >= 0]
            assert sorted(map(number, got)) == [*range(19)]
            assert all(event.payload == bytes([number(event)]) for event in got)
            assert "heard_from_0" not in nodes[3].counters

    finish(work())


SITE_OF_A_TREE = """\
network: own
protocol: own_passing:Passing
overlay: {{heartbeat_interval: 0.2, leader_timeout: 0.7}}
port: {{group: {group}, port: {port}}}
nodes: {{0: {{roles: publisher}}, 1: {{roles: broker}}, 2: {{roles: broker}}, 3: {{roles: subscriber}}}}
reach: {{0: [1], 1: [0, 2], 2: [1, 3], 3: [2]}}
"""


@pytest.mark.slow
def test_brokers_of_ones_own_run_as_processes_and_come_back(port: UdpMulticast, tmp_path: Path) -> None:
    file = tmp_path / "site.yaml"
    file.write_text(SITE_OF_A_TREE.format(group=port.group, port=port.port))
    site = load(file)
    command = [sys.executable, "-m", "mftpubsub", "live", "run", str(file), "--node"]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent)}
    running: dict[int, subprocess.Popen[bytes]] = {}

    def start(id: int) -> None:
        running[id] = subprocess.Popen([*command, str(id)], env=environment)

    async def work() -> None:
        async with site.node(0) as publisher, site.node(3) as subscriber:
            publisher.limit_reach([1])
            subscriber.limit_reach([2])
            await subscriber.subscribe("n <= 20")
            for victim in (1, 2, None):
                await until_known(publisher, subscriber)
                told = [await publisher.publish({"n": n}, payload=bytes([n])) for n in range(20)]
                got: list[Event] = []
                while len(got) < 20:
                    got += [event for event in await collect(subscriber, 1) if number(event) >= 0]
                assert sorted(event.id for event in got) == told, "each once"
                assert all(event.payload == bytes([number(event)]) for event in got)
                if victim:
                    running[victim].send_signal(signal.SIGKILL)
                    running[victim].wait()
                    start(victim)

    try:
        start(1)
        start(2)
        finish(work())
    finally:
        for process in running.values():
            process.kill()
            process.wait()


def test_a_subscriber_of_a_tree_knows_after_a_restart_what_it_has_seen(
    port: UdpMulticast, tmp_path: Path
) -> None:
    async def work() -> None:
        given: dict[str, Any] = {
            "protocol": "mft-pubsub-r",
            "port": port,
            "overlay": Overlay(heartbeat_interval=0.2, leader_timeout=0.7),
        }
        async with (
            Node(id=0, roles="broker", **given) as broker,
            Node(id=1, roles="broker", **given),
        ):
            for first in (0, 5):
                async with Node(id=2, roles="subscriber", store=tmp_path / "node.store", **given) as node:
                    if first == 0:
                        await node.subscribe("n < 99")
                    assert node.filters == ["n < 99"]
                    await until_known(broker, node)
                    for n in range(first, first + 5):
                        await broker.publish({"n": n})
                    got: list[int] = []
                    while len(got) < 5:
                        got += [n for n in map(number, await collect(node, 1)) if n >= 0]
                    assert sorted(got) == [*range(first, first + 5)]

    finish(work())


@pytest.mark.slow
def test_losses_are_made_up_for(port: UdpMulticast) -> None:
    async def work() -> None:
        mesh = MftMesh(heartbeat_interval=0.2, heartbeat_max=0.5, settle_time=0.1)
        async with (
            Node(id=0, roles="publisher", protocol=mesh, port=port) as publisher,
            Node(id=1, roles="broker", protocol=mesh, port=port) as broker,
            Node(id=2, roles="subscriber", protocol=mesh, port=port) as subscriber,
        ):
            for node in (publisher, broker, subscriber):
                node.lose(0.3)
            await subscriber.subscribe("n >= 0")
            for n in range(50):
                await publisher.publish({"n": n})
                await asyncio.sleep(0.01)
            got = await collect(subscriber, 50)
            assert {event.attributes["n"] for event in got} == {*range(50)}
            assert subscriber.counters["lost_on_purpose"] > 0

    finish(work())


def test_nodes_hear_whom_they_reach(port: UdpMulticast) -> None:
    async def work() -> None:
        async with (
            Node(id=0, roles="publisher", port=port) as publisher,
            Node(id=1, roles="broker", port=port) as broker,
            Node(id=2, roles="subscriber", port=port) as subscriber,
        ):
            publisher.limit_reach([1])
            broker.limit_reach([0, 2])
            subscriber.limit_reach([1])
            await subscriber.subscribe("temp > 20")
            await publisher.publish({"temp": 21})
            await collect(subscriber, 1)
            assert "heard_from_0" not in subscriber.counters
            assert subscriber.counters["heard_from_1"] > 0
            assert subscriber.counters["duplicate_ids"] == 0, "it has not happened"

    finish(work())


def test_strangers_and_damage_are_counted_and_dropped(port: UdpMulticast) -> None:
    async def work() -> None:
        async with (
            Node(id=0, roles="broker subscriber", port=port, key=b"secret") as node,
            Node(id=1, roles="broker subscriber", port=port) as outside,
            Node(id=2, roles="broker subscriber", port=port, key=b"secret") as inside,
        ):
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
                stranger.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("127.0.0.1"))
                stranger.sendto(b"GET / HTTP/1.1", (port.group, port.port))
                stranger.sendto(b"", (port.group, port.port))
                stranger.sendto(b"\xb5\x01\x00", (port.group, port.port))
            for each in (node, outside, inside):
                await each.subscribe("n >= 0")
            await node.publish({"n": 0})
            await outside.publish({"n": 1})
            assert [event.attributes["n"] for event in await collect(inside, 1)] == [0]
            await until(lambda: node.counters.get("unsigned") and outside.counters.get("locked"))
            assert node.counters["strangers"] == 2
            assert node.counters["damaged"] == 1
            assert [event.attributes["n"] for event in await collect(outside, 1)] == [1]
            assert (inside.counters["delivered"], outside.counters["delivered"]) == (1, 1)

    finish(work())


def eavesdropper(port: UdpMulticast) -> socket.socket:
    """Hears all that is said in a group on the loopback."""
    found = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    found.bind((port.group, port.port))
    member = socket.inet_aton(port.group) + socket.inet_aton("127.0.0.1")
    found.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)
    found.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("127.0.0.1"))
    found.setblocking(False)
    return found


def heard_by(spy: socket.socket) -> list[bytes]:
    found = []
    while True:
        try:
            found.append(spy.recv(65536))
        except BlockingIOError:
            return found


@pytest.mark.slow
def test_what_an_eavesdropper_repeats_or_changes_brings_nothing(port: UdpMulticast, tmp_path: Path) -> None:
    """Its datagrams are of a network with a key: as they were, late, and with each part changed."""
    store = tmp_path / "1.store"

    async def attack(spy: socket.socket, heard: list[bytes]) -> int:
        """Returns how many datagrams are no repetitions."""
        changed = []
        for datagram in heard[:20]:
            for place in range(2, len(datagram)):  # behind magic and version
                changed.append(bytes((*datagram[:place], datagram[place] ^ 1, *datagram[place + 1 :])))
            changed.append(datagram[:-1])
            changed.append(datagram[:2] + b"\0" + datagram[3:-8] + bytes(8))
        for place, datagram in enumerate(heard + changed):
            spy.sendto(datagram, (port.group, port.port))
            if place % 20 == 0:
                await asyncio.sleep(0.001)  # no socket keeps thousands
        return len(changed)

    def refused(node: Node) -> int:
        names = ("damaged", "unsigned", "other_networks", "strangers", "other_versions")
        return sum(node.counters.get(name, 0) for name in names)

    async def listen(spy: socket.socket, heard: list[bytes], deliveries: int) -> None:
        async with Node(id=1, roles="subscriber", port=port, key=b"secret", store=store) as node:
            await node.subscribe("n >= 0")
            if not heard:
                async with Node(id=0, roles="publisher broker", port=port, key=b"secret") as publisher:
                    for n in range(3):
                        await publisher.publish({"n": n})
                    await collect(node, 3)
                heard += heard_by(spy)
            count = await attack(spy, heard)
            await until(lambda: refused(node) >= count and node.counters["repeated"] >= len(heard) // 2)
            assert node.counters.get("delivered", 0) == deliveries
            assert refused(node) == count

    with eavesdropper(port) as spy:
        heard: list[bytes] = []
        finish(listen(spy, heard, 3))
        heard_by(spy)
        finish(listen(spy, heard, 0))


def test_an_id_of_two_nodes_is_told(port: UdpMulticast, caplog: pytest.LogCaptureFixture) -> None:
    async def work() -> None:
        async with (
            Node(id=7, roles="broker", port=port) as one,
            Node(id=7, roles="broker", port=port) as other,
        ):
            await until(lambda: one.counters.get("duplicate_ids") or other.counters.get("duplicate_ids"))
            await until(lambda: "another node has the id 7" in caplog.text)

    finish(work())


def test_filters_of_the_store_that_have_no_room_are_told(
    port: UdpMulticast, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    filters = [f"topic = 'garden/bed/sensor-{n}/temperature'" for n in range(9)]

    async def work() -> None:
        given: dict[str, Any] = {"roles": "subscriber", "store": tmp_path / "store"}
        async with Node(id=7, port=port, **given) as node:
            for one in filters:
                await node.subscribe(one)
        async with Node(id=7, port=UdpMulticast(GROUP, port.port, max_frame=400), **given) as node:
            assert node.counters["filters_left_out"] == len(filters) - len(node.filters) > 0
            for one in filters:
                is_told = f"the filter {one} of its store {tmp_path}/store is left out" in caplog.text
                assert is_told is (one not in node.filters)

    finish(work())


KILLED = """
import asyncio, sys
from mftpubsub.live import Node, UdpMulticast

async def main():
    port = UdpMulticast("{group}", {port})
    async with Node(id=0, roles="broker subscriber", port=port, store=sys.argv[1]) as node:
        await node.subscribe("n >= 0")
        print("ready", flush=True)
        n = 0
        while True:
            sequence = (await node.publish({{"n": n}})).sequence
            print(sequence, flush=True)
            n += 1
            await asyncio.sleep(0.001)

asyncio.run(main())
"""


@pytest.mark.slow
def test_numbers_and_filters_survive_kill_9(port: UdpMulticast, tmp_path: Path) -> None:
    store = tmp_path / "node.store"
    told: list[int] = []
    for _ in range(2):
        script = KILLED.format(group=port.group, port=port.port)
        process = subprocess.Popen(
            [sys.executable, "-c", script, str(store)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout
        lines = iter(process.stdout.readline, "")
        assert next(lines) == "ready\n"
        told += [int(next(lines)) for _ in range(30)]
        process.send_signal(signal.SIGKILL)
        told += [int(line) for line in lines if line.endswith("\n")]
        process.wait()
    assert len(set(told)) == len(told), "no number twice"

    async def work() -> None:
        async with Node(id=0, roles="broker subscriber", port=port, store=store) as node:
            assert node.filters == ["n >= 0"]
            assert (await node.publish({"n": -1})).sequence > max(told)
            # Kill -9 may fall between storing an event and printing its number: that event comes too.
            missing = {*told}
            while missing:
                missing -= {event.id.sequence for event in await collect(node, 1)}

    finish(work())


def test_an_event_that_is_not_done_with_comes_again(port: UdpMulticast, tmp_path: Path) -> None:
    store = tmp_path / "node.store"

    async def first(ends: bool) -> list[int]:
        got: list[int] = []
        async with Node(id=0, roles="broker subscriber", port=port, store=store) as node:
            async for event in node.events():
                got.append(event.id.sequence)
                if ends:
                    break
                raise RuntimeError("in the middle of its work")
        return got

    async def publish() -> None:
        async with Node(id=0, roles="broker subscriber", port=port, store=store) as node:
            await node.subscribe("n >= 0")
            await node.publish({"n": 0})
            await node.publish({"n": 1})

    finish(publish())
    with pytest.raises(RuntimeError, match="middle"):
        finish(first(False))
    assert finish(first(True)) == [0]
    assert finish(first(True)) == [1]


class Counting(Flood):
    """Counts its lives and events on stable storage."""

    def start(self) -> None:
        super().start()
        self.stable["lives"] = self.stable.get("lives", 0) + 1

    def publish(self, event: Event) -> None:
        self.stable["last"] = event.attributes["n"]
        super().publish(event)


class CountingBroker(TreeBroker):
    """The same as a broker of the tree."""

    def start(self) -> None:
        super().start()
        self.stable["lives"] = self.stable.get("lives", 0) + 1

    def publish(self, publisher: int, event: Event) -> None:
        self.stable["last"] = event.attributes["n"]


@pytest.mark.parametrize("protocol", [Counting(), CountingBroker()], ids=["station", "broker"])
def test_what_is_stable_is_there_after_a_crash(protocol: Any, port: UdpMulticast, tmp_path: Path) -> None:
    store = tmp_path / "node.store"
    file = tmp_path / "node.store.stable"
    left = file.read_bytes

    async def live(lines: bytes, number: int) -> None:
        async with Node(id=0, roles="publisher broker", protocol=protocol, port=port, store=store) as node:
            assert left() == lines, "written before anything leaves"
            await node.publish({"n": number})
            assert left() == lines + b'{"last": %d, "lives": %d}\n' % (number, number - 6)

    finish(live(b'{"lives": 1}\n', 7))
    file.write_bytes(left() + b'{"lives": 55, "la')  # power was lost while it was written
    finish(live(b'{"last": 7, "lives": 2}\n', 8))
    file.write_bytes(b"nothing\n")
    with pytest.raises(RunError, match=r"node\.store\.stable is damaged"):
        finish(live(b"", 9))


def test_a_file_of_what_is_stable_does_not_grow_for_ever(tmp_path: Path) -> None:
    path = tmp_path / "node.stable"
    file = StableFile(path)
    for n in range(3000):
        file.keep({"n": n, "text": "x" * 1000})
        assert path.stat().st_size < 1.1 * 2**20
    file.close()
    assert StableFile(path).values["n"] == 2999
    with pytest.raises(ValueError, match=r"stable\['n'\] is .*JSON has not"):
        file.keep({"n": {1}})


def test_a_failure_of_ones_own_broker_is_raised(port: UdpMulticast) -> None:
    class Broken(TreeBroker):
        def publish(self, publisher: int, event: Event) -> None:
            raise KeyError("oops")

    async def work() -> None:
        async with Node(id=1, roles="broker", protocol=Broken(), port=port) as node:
            await node.publish({"n": 1})
            await asyncio.Event().wait()

    with pytest.raises(RunError, match=r"Broken.publish at node 1.*oops"):
        finish(work())


@pytest.mark.slow
def test_what_a_full_station_answers_is_checked(tmp_path: Path, port: UdpMulticast) -> None:
    careless = tmp_path / "careless.cc"
    text = (EXAMPLES / "repeat.cc").read_text().replace("isNew ? event : nullptr", "nullptr")
    careless.write_text(text.replace("repeat-cc", "careless-cc"))

    async def work() -> None:
        own = cpp(careless, name="careless-cc")
        async with Node(id=0, roles="broker subscriber", protocol=own, port=port) as node:
            await node.subscribe("temp > 20")
            await node.publish({"temp": 21})

    with pytest.raises(RunError, match=r"Publish at node 0, .* s: deliver: 0:0 is new here, but its event"):
        finish(work())


def test_a_failure_of_ones_own_station_is_raised(port: UdpMulticast) -> None:
    class Broken(Flood):
        def receive(self, message: Any, sender: int, rssi_dbm: float) -> None:
            raise KeyError("oops")

    async def work() -> None:
        async with (
            Node(id=0, roles="publisher", protocol=Flood(), port=port, network="n") as publisher,
            Node(id=1, roles="subscriber", protocol=Broken(), port=port, network="n") as subscriber,
        ):
            await publisher.publish({"n": 0})
            await collect(subscriber, 1)

    Broken.name = Flood().name
    with pytest.raises(RunError, match=r"receive at node 1.*oops"):
        finish(work())


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"id": 65535}, "0 to 65534"),
        ({"id": "1"}, "0 to 65534"),
        ({"roles": "brocker"}, "did you mean 'broker'"),
        ({"roles": ""}, "broker, subscriber, publisher"),
        ({"protocol": "aodv"}, "mft-mesh"),
        ({"protocol": "nowhere:Flood"}, "nowhere"),
        ({"port": "239.1.1.1:47777"}, "port: '239.1.1.1:47777' is no UdpMulticast"),
        ({"overlay": 3}, "overlay: 3 is no Overlay"),
        ({"key": "abc"}, "key: 'abc' is no bytes"),
        ({"protocol": MftMesh(positions=True)}, r"mft_mesh\.positions: nothing tells a live node"),
    ],
)
def test_what_cannot_be_is_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        Node(**{"id": 1, "roles": "broker", **changes})


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (({"n": 1}, "abc"), "publish: payload: 'abc' is no bytes"),
        (({1: 2},), "publish: attribute 1: its name is no str"),
        (({"n": [1]},), "publish: attribute 'n': .* is no bool"),
    ],
)
def test_what_is_no_event_is_refused(port: UdpMulticast, event: tuple[Any, ...], words: str) -> None:
    async def work() -> None:
        async with Node(id=1, roles="publisher", port=port) as node:
            await node.publish(*event)

    with pytest.raises(ConfigurationError, match=words):
        finish(work())


def test_a_trace_is_not_written_behind_a_store(tmp_path: Path, port: UdpMulticast) -> None:
    file = tmp_path / "store"

    async def filters(**given: Any) -> list[str]:
        async with Node(id=1, roles="subscriber", port=port, store=file, **given) as node:
            if not node.filters:
                await node.subscribe("n > 0")
            return node.filters

    finish(filters())
    with pytest.raises(RunError, match="store: a file that is no trace"):
        finish(filters(trace=file))
    assert finish(filters()) == ["n > 0"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"group": "10.0.0.1"}, "multicast"),
        ({"port": 0}, "port"),
        ({"interfaces": ()}, "interfaces"),
        ({"rate": 0.0}, "rate"),
    ],
)
def test_a_port_that_cannot_be_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        UdpMulticast(**given)


def test_what_a_node_may_not_do_is_refused(port: UdpMulticast, tmp_path: Path) -> None:
    async def work() -> None:
        node = Node(id=1, roles="subscriber", port=port, store=tmp_path / "one.store")
        with pytest.raises(ConfigurationError, match="async with"):
            await node.publish({"n": 1})
        async with node:
            with pytest.raises(ConfigurationError, match="publisher or a broker"):
                await node.publish({"n": 1})
            with pytest.raises(ConfigurationError, match="position"):
                await node.subscribe("n >")
            with pytest.raises(ConfigurationError, match="-1 is no node"):
                node.limit_reach([-1, 1])
            with pytest.raises(ConfigurationError, match="no filter n > 1"):
                await node.unsubscribe("n > 1")
            with pytest.raises(RunError, match="another process"):
                async with Node(id=1, roles="subscriber", port=port, store=tmp_path / "one.store"):
                    pass
        with pytest.raises(RunError, match="of node 1"):
            async with Node(id=2, roles="subscriber", port=port, store=tmp_path / "one.store"):
                pass
        with pytest.raises(ConfigurationError, match=r"no 'wlan77'; this machine has.*lo"):
            async with Node(id=1, roles="broker", port=UdpMulticast(interfaces=("wlan77",))):
                pass
        async with Node(id=1, roles="broker", port=port) as broker:
            with pytest.raises(ConfigurationError, match="frames are not split"):
                await broker.publish({"n": 1}, payload=bytes(1400))
            with pytest.raises(ConfigurationError, match="a node subscribes"):
                await broker.subscribe("n > 1")

    finish(work())


def test_a_node_ends_in_order(port: UdpMulticast) -> None:
    async def work() -> None:
        gc.collect()  # what other tests have left
        before = len([*Path("/proc/self/fd").iterdir()])
        async with Node(id=1, roles="broker subscriber", port=port) as node:
            reading = asyncio.ensure_future(collect(node, 1))
            await asyncio.sleep(0.05)
        with pytest.raises(AssertionError, match="has ended"):
            await reading
        assert len([*Path("/proc/self/fd").iterdir()]) == before

    finish(work())


def test_a_node_whose_loop_fails_ends_with_that(port: UdpMulticast, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever C++ takes for the reason: a service that runs is started again, wrong settings are not."""

    def fails(_: Runner) -> None:
        raise ConfigurationError("a frame of 2000 B")

    async def work() -> None:
        async with Node(id=1, roles="broker subscriber", port=port) as node:
            await node.subscribe("n >= 0")
            await collect(node, 1)

    gc.collect()  # what other tests have left
    before = len([*Path("/proc/self/fd").iterdir()])
    monkeypatch.setattr(Runner, "run", fails)
    with pytest.raises(RunError, match="a frame of 2000 B"):
        finish(work())
    assert len([*Path("/proc/self/fd").iterdir()]) == before


def test_a_disk_that_keeps_nothing_ends_a_node(
    port: UdpMulticast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: StableFile) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("mftpubsub.live.node._LOOK_INTERVAL", 0.01)

    async def work() -> None:
        given: dict[str, Any] = {"protocol": Flood(), "port": port, "store": tmp_path / "one.store"}
        async with Node(id=1, roles="subscriber", **given) as node:
            with monkeypatch.context() as patch:
                patch.setattr(StableFile, "sync", fails)
                await collect(node, 1)

    with pytest.raises(RunError, match="Input/output error"):
        finish(work())


def test_an_event_that_is_none_holds_up_no_other(
    port: UdpMulticast, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Events from the air may have any bytes."""
    good = Event((7, 4), {"n": 1, "name": "Möller"})
    bad = Event((7, 3), {"n": 0, "name": "M?ller"}).wire.replace(b"?", b"\xfc")
    waiting = iter([bad, good.wire])
    monkeypatch.setattr(Runner, "take", lambda _: next(waiting, None))

    async def work() -> None:
        async with Node(id=1, roles="subscriber", port=port) as node:
            assert [event.attributes for event in await collect(node, 1)] == [good.attributes]
            assert node.counters["unreadable"] == 1

    finish(work())
    assert "event 7:3 is left out" in caplog.text


def test_an_error_names_the_file_or_the_key(port: UdpMulticast, tmp_path: Path) -> None:
    async def refused(**given: Any) -> str:
        with pytest.raises((ConfigurationError, RunError)) as error:
            async with Node(**{"id": 1, "roles": "broker", "port": port, **given}):
                pass
        return str(error.value)

    async def check() -> None:
        damaged, nowhere = tmp_path / "node.store", tmp_path / "nowhere" / "node"
        damaged.write_text("damaged")
        assert (await refused(store=damaged)).startswith(f"{damaged}: no store, or a damaged one")
        assert await refused(store=nowhere) == f"{nowhere}.lock: No such file or directory"
        assert await refused(trace=nowhere) == f"{nowhere}: No such file or directory"
        missing = await refused(port=UdpMulticast(interfaces=("wlan77",)))
        assert missing.startswith("port.interfaces: there is no 'wlan77'; this machine has ")

    asyncio.run(check())


def test_a_folder_that_cannot_be_is_refused(tmp_path: Path) -> None:
    site = tmp_path / "site.yaml"
    site.write_text(f"folder: {site}\nnodes: {{0: {{roles: broker}}}}\n")
    with pytest.raises(ConfigurationError, match=r"site.yaml: folder: .*site.yaml: File exists"):
        load(site).node(0)
