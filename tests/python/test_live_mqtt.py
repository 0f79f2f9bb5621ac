"""Unmodified clients of MQTT use the network: paho, and Debian's mosquitto_pub and mosquitto_sub."""

from __future__ import annotations

import queue
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from mftpubsub.errors import ConfigurationError
from mftpubsub.live.mqtt_topics import matches, to_filter
from mftpubsub.protocols import Event, Filter

LIMIT = 300.0
SITE = """
network: mqtt-test
loss: 0.2
mft_mesh: {{heartbeat_interval: 0.3, heartbeat_max: 0.6, settle_time: 0.1}}
port: {{port: {port}}}
nodes:
  0: {{roles: publisher subscriber, mqtt: {one}}}
  1: {{roles: broker}}
  2: {{roles: broker subscriber, mqtt: {other}}}
reach: {{0: [1], 1: [0, 2], 2: [1]}}
"""

TOPICS = [
    "a",
    "a/b",
    "a/b/c",
    "a/b/c/d",
    "b/b",
    "a/x%y",
    "a/x_y",
    "a/it's",
    "/a",
    "a/",
    "$SYS/a",
    "a//c",
    "a!b",
]


@pytest.mark.parametrize(
    "topic_filter",
    [
        "#",
        "+",
        "a",
        "a/b",
        "a/#",
        "a/+",
        "+/b",
        "+/+",
        "a/+/c",
        "a/+/#",
        "a/x%y",
        "a/x_y",
        "a/it's",
        "/+",
        "+/",
        "a!b",
    ],
)
def test_a_filter_of_a_topic_lets_all_through_that_matches(topic_filter: str) -> None:
    where = Filter(to_filter(topic_filter))
    for topic in TOPICS:
        passes = where.matches(Event((0, 0), {"topic": topic}))
        if matches(topic, topic_filter):
            assert passes, (topic_filter, topic)
        elif not topic_filter.endswith("/#") and not topic.startswith("$"):
            assert not passes, (topic_filter, topic)
    assert not where.matches(Event((0, 0), {"temp": 1})), "no message of MQTT"


def test_topics_match_as_the_standard_says() -> None:
    assert matches("sport/tennis/player1/ranking", "sport/tennis/player1/#")
    assert matches("sport", "sport/#")
    assert matches("sport/", "sport/+")
    assert not matches("sport", "sport/+")
    assert matches("/finance", "+/+")
    assert not matches("$SYS/monitor", "#")
    assert matches("$SYS/monitor", "$SYS/#")


def free_port(kind: socket.SocketKind = socket.SOCK_STREAM) -> int:
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Site:
    """Its nodes, as processes."""

    def __init__(self, folder: Path) -> None:
        self.one, self.other = free_port(), free_port()
        self.path = folder / "site.yaml"
        self.path.write_text(SITE.format(port=free_port(socket.SOCK_DGRAM), one=self.one, other=self.other))
        self.running: dict[int, subprocess.Popen[bytes]] = {}
        for node in (0, 1, 2):
            self.start(node)

    def start(self, node: int) -> None:
        command = [sys.executable, "-m", "mftpubsub", "live", "run", str(self.path), "--node", str(node)]
        self.running[node] = subprocess.Popen(command)

    def kill(self, node: int) -> None:
        self.running[node].send_signal(signal.SIGKILL)
        self.running[node].wait()

    def wait(self, port: int) -> None:
        def accepts() -> bool:
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", port)) == 0

        until(accepts)

    def stop(self) -> list[int]:
        for process in self.running.values():
            process.terminate()
        return [process.wait(LIMIT) for process in self.running.values()]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    made = Site(tmp_path)
    made.wait(made.one)
    made.wait(made.other)
    yield made
    for process in made.running.values():
        process.kill()
        process.wait()


def until(holds: Callable[[], bool]) -> None:
    limit = time.monotonic() + LIMIT
    while not holds():
        if time.monotonic() > limit:
            raise AssertionError("not within the limit")
        time.sleep(0.02)


def client(port: int, name: str = "") -> paho.Client:
    made = paho.Client(CallbackAPIVersion.VERSION2, client_id=name, protocol=paho.MQTTv311)
    made.connect("127.0.0.1", port)
    made.loop_start()
    return made


def until_heard(says: paho.Client, topic: str, heard: Callable[[], bool]) -> None:
    """Says b"?" over and over: the network has learned what is wanted when one has arrived."""

    def asked() -> bool:
        says.publish(topic, b"?", qos=1).wait_for_publish(LIMIT)
        return heard()

    until(asked)


@pytest.mark.programs
def test_clients_exchange_messages_over_nodes_that_fail(site: Site) -> None:
    got: queue.Queue[tuple[str, bytes]] = queue.Queue()
    subscribed = threading.Event()
    hears = client(site.other)
    is_known = threading.Event()

    def on_message(_: object, __: object, message: paho.MQTTMessage) -> None:
        if message.payload == b"?":
            is_known.set()
        else:
            got.put((message.topic, bytes(message.payload)))

    hears.on_message = on_message
    hears.on_subscribe = lambda *_: subscribed.set()
    hears.subscribe([("garden/+/temp", 1), ("house/#", 1)])
    assert subscribed.wait(LIMIT)
    says = client(site.one)
    until_heard(says, "house", is_known.is_set)
    wanted = {}
    for n in range(30):
        if n == 10:
            site.kill(1)  # the only way
        if n == 15:
            site.start(1)
        topic = ("garden/bed/temp", "house", "garden/bed/other")[n % 3]
        says.publish(topic, f"{n}".encode() + b"\0\xff", qos=1).wait_for_publish(LIMIT)
        if n % 3 != 2:
            wanted[f"{n}".encode() + b"\0\xff"] = topic
        time.sleep(0.05)
    received: list[tuple[str, bytes]] = []
    until(lambda: received.append(got.get(timeout=LIMIT)) or len(received) >= len(wanted))  # type: ignore[func-returns-value]
    assert {payload: topic for topic, payload in received} == wanted
    assert len(received) == len(wanted), "each once"
    for each in (hears, says):
        each.loop_stop()
        each.disconnect()
    assert site.stop() == [0, 0, 0], "a clean end"


class Client:
    """One of paho's that comes back by itself, and what it has heard."""

    def __init__(self, port: int, *topics: str, name: str = "", will: str = "") -> None:
        self.heard: list[tuple[str, bytes, bool]] = []
        self.paho = paho.Client(
            CallbackAPIVersion.VERSION2, client_id=name, clean_session=not name, protocol=paho.MQTTv311
        )
        self.paho.reconnect_delay_set(1, 1)
        if will:
            self.paho.will_set(will, b"gone", qos=1, retain=True)
        self.subscribed = 0
        self.topics = topics
        self.paho.on_connect = self._on_connect
        self.paho.on_subscribe = self._on_subscribe
        self.paho.on_message = lambda _, __, said: self.heard.append(
            (said.topic, bytes(said.payload), said.retain)
        )
        self.paho.connect("127.0.0.1", port)
        self.paho.loop_start()
        until(lambda: self.subscribed >= len(topics) if topics else self.paho.is_connected())

    def _on_connect(self, *_: object) -> None:
        for topic in self.topics:
            self.paho.subscribe(topic, 2)

    def _on_subscribe(self, *_: object) -> None:
        self.subscribed += 1

    def say(self, topic: str, payload: bytes, retain: bool = False) -> None:
        self.paho.publish(topic, payload, qos=2, retain=retain).wait_for_publish(LIMIT)

    def waits_for(self, *expected: tuple[str, bytes, bool]) -> None:
        """Exactly these, and nothing beside them, in any order."""
        until(lambda: len(self.heard) >= len(expected))
        assert sorted(self.heard) == sorted(expected)

    def leave(self) -> None:
        self.paho.disconnect()
        self.paho.loop_stop()

    def die(self) -> None:
        self.paho.loop_stop()
        sock = self.paho.socket()
        assert sock
        sock.close()


@pytest.mark.programs
def test_what_is_retained_and_wills_reach_clients_of_other_nodes(site: Site) -> None:
    says = Client(site.one)
    watches = [Client(port, "garden/gate") for port in (site.one, site.other)]
    says.say("garden/light", b"off", retain=True)
    says.say("garden/light", b"on", retain=True)
    says.say("garden/gate", b"open", retain=True)
    says.say("garden/gate", b"", retain=True)  # takes it back
    for watch in watches:
        until(lambda: b"" in [payload for _, payload, _ in watch.heard])  # noqa: B023
    Client(site.one, will="garden/lamp").die()
    retained = (("garden/light", b"on", True), ("garden/lamp", b"gone", True))
    for port, place in ((site.one, "house"), (site.other, "shed")):
        until(lambda: {*retained} <= {*Client(port, "garden/#").heard})  # noqa: B023
        late = Client(port, "garden/#")
        late.waits_for(*retained)
        other = Client(port, f"{place}/+")
        other.say(f"{place}/door", b"shut")
        other.waits_for((f"{place}/door", b"shut", False))
    site.kill(2)
    (site.path.with_suffix(".live") / "node-2.mqtt").unlink()
    site.start(2)
    site.wait(site.other)
    until(lambda: len(Client(site.other, "garden/#").heard) == 2)  # node 0 was asked
    site.kill(0)
    site.start(0)
    site.wait(site.one)
    Client(site.one, "garden/light").waits_for(("garden/light", b"on", True))


@pytest.mark.programs
def test_a_session_gets_what_it_has_missed_once(site: Site) -> None:
    hears = Client(site.other, "garden/+", name="hears")
    says = Client(site.one)
    until_heard(says.paho, "garden/known", lambda: bool(hears.heard))
    hears.leave()
    before = len(hears.heard)
    watch = Client(site.other, "garden/+")
    missed = [(f"garden/{n}", b"%d" % n, False) for n in range(20)]
    for topic, payload, _ in missed:
        says.say(topic, payload)
    until(lambda: {*missed} <= {*watch.heard})
    again = Client(site.other, "garden/+", name="hears")
    until(lambda: {*missed} <= {*again.heard})
    hears.heard += [one for one in again.heard if one[1] != b"?"]
    assert sorted(hears.heard[before:]) == sorted(missed)


def connected(port: int, name: bytes, keep_alive: int = 0) -> socket.socket:
    """A client of bytes, which has said CONNECT and subscribed to all."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    made.connect(("127.0.0.1", port))
    words = b"\0\4MQTT\4\2" + keep_alive.to_bytes(2) + len(name).to_bytes(2) + name
    made.sendall(bytes([0x10, len(words)]) + words + b"\x82\6\0\1\0\1#\1")
    assert made.recv(4) == b"\x20\2\0\0"
    return made


def until_closed(connection: socket.socket) -> None:
    connection.settimeout(LIMIT)
    try:
        while connection.recv(4096):
            pass
    except ConnectionResetError:
        pass


@pytest.mark.programs
def test_bad_clients_cost_others_nothing(site: Site) -> None:
    hears = Client(site.other, "garden/#")
    says = Client(site.one)
    until_heard(says.paho, "garden/known", lambda: bool(hears.heard))
    bad = [connected(site.other, b"reads nothing")]
    for rest in (b"", b"\x10", b"GET / HTTP/1.1\r\n\r\n", bytes(range(256)), b"\x30\xff\xff\xff\x7f"):
        bad.append(socket.create_connection(("127.0.0.1", site.other)))
        bad[-1].sendall(rest)
        bad.append(connected(site.other, b"%d" % len(bad)))
        bad[-1].sendall(rest)
    silent = connected(site.other, b"silent", keep_alive=1)
    former = connected(site.other, b"same")
    bad.append(connected(site.other, b"same"))
    until_closed(former)
    until_closed(silent)
    wanted = [b"%d" % n + bytes(900) for n in range(200)]
    for payload in wanted:
        says.say("garden/bed", payload)
    until(lambda: {*wanted} <= {payload for _, payload, _ in hears.heard})
    assert len([one for one in hears.heard if one[1] != b"?"]) == len(wanted), "each once"
    assert site.stop() == [0, 0, 0], "clients that do not read do not keep a node from its end"
    for each in bad:
        each.close()


@pytest.mark.programs
def test_a_session_outlives_its_node(site: Site) -> None:
    """Its client does not ask again, and was away when the node was killed."""
    hears = Client(site.other, "garden/+", name="hears")
    watch = Client(site.other, "garden/+")
    says = Client(site.one)
    until_heard(says.paho, "garden/known", lambda: bool(hears.heard and watch.heard))
    hears.leave()
    missed = [(f"garden/{n}", b"%d" % n, False) for n in range(20)]
    for topic, payload, _ in missed[:10]:
        says.say(topic, payload)
    until(lambda: {*missed[:10]} <= {*watch.heard})
    site.kill(2)
    site.start(2)
    for topic, payload, _ in missed[10:]:
        says.say(topic, payload)
    site.wait(site.other)
    again = Client(site.other, name="hears")
    until(lambda: {*missed} <= {*again.heard})
    assert sorted(one for one in again.heard if one[1] != b"?") == sorted(missed), "each once"


@pytest.mark.programs
def test_a_message_that_is_longer_than_a_frame_comes_whole(site: Site) -> None:
    hears = Client(site.other, "garden/#")
    says = Client(site.one)
    until_heard(says.paho, "garden/known", lambda: bool(hears.heard))
    long = [bytes([n]) * size for n, size in enumerate((1100, 1399, 5000, 100_000), 1)]
    for n, payload in enumerate(long):
        if n == 2:
            site.kill(2)  # the subscriber's, which has parts of some
            site.start(2)
            site.wait(site.other)
            until(lambda: hears.subscribed > 1)
        says.say("garden/picture", payload, retain=payload is long[-1])
    until(lambda: {*long} <= {payload for _, payload, _ in hears.heard})
    Client(site.other, "garden/picture").waits_for(("garden/picture", long[-1], True))


@pytest.mark.programs
def test_clients_of_a_node_that_is_killed_come_back(site: Site) -> None:
    """At the publisher, in between, and at subscribers; their clients ask again and get all."""
    hears = [Client(site.other, "garden/#"), Client(site.other, "garden/+", name="kept")]
    says = Client(site.one, name="says")
    until_heard(says.paho, "garden/known", lambda: all(one.heard for one in hears))
    for victim in (0, 1, 2):
        said = {}
        for n in range(60):
            if n == 20:
                site.kill(victim)
            if n == 30:
                site.start(victim)
            payload = b"%d of %d" % (n, victim)
            said[payload] = says.paho.publish("garden/bed", payload, qos=1)
            time.sleep(0.05)
        until(lambda: all(one.rc != paho.MQTT_ERR_SUCCESS or one.is_published() for one in said.values()))  # noqa: B023
        for one in hears:
            until(lambda: {*said} <= {payload for _, payload, _ in one.heard})  # noqa: B023


@pytest.mark.programs
def test_mosquittos_clients_work_unchanged(site: Site) -> None:
    if not shutil.which("mosquitto_sub"):
        pytest.skip("no mosquitto_sub: .ci/tools installs mosquitto-clients")
    address = ["-h", "127.0.0.1", "-q", "1"]
    hears = subprocess.Popen(
        ["mosquitto_sub", *address, "-p", f"{site.other}", "-t", "garden/#", "-v", "-W", "300"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert hears.stdout
    said = queue.Queue[str]()

    def hear(lines: IO[str]) -> None:
        for line in lines:
            said.put(line)

    threading.Thread(target=hear, args=(hears.stdout,)).start()
    until_heard(client(site.one), "garden/known", lambda: not said.empty())
    for topic, words in (("garden/a", "one"), ("other", "no"), ("garden", "two words")):
        subprocess.run(
            ["mosquitto_pub", *address, "-p", f"{site.one}", "-t", topic, "-m", words],
            check=True,
        )
    heard: list[str] = []
    until(lambda: heard.append(said.get(timeout=LIMIT).strip()) or len({*heard}) == 3)  # type: ignore[func-returns-value]
    assert {*heard} == {"garden/known ?", "garden two words", "garden/a one"}
    hears.terminate()
    assert hears.wait(LIMIT) is not None


def test_a_node_that_cannot_serve_says_so(tmp_path: Path) -> None:
    from mftpubsub.live.site import load

    path = tmp_path / "site.yaml"
    path.write_text("nodes: {0: {roles: broker, mqtt: 1883}}")
    with pytest.raises(ConfigurationError, match=r"nodes.0.mqtt.*subscriber"):
        load(path)
