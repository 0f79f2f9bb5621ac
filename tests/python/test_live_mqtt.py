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

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from mftpubsub.errors import ConfigurationError
from mftpubsub.live.mqtt import matches, to_filter
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
            got.put((message.topic, message.payload))

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
    threading.Thread(target=lambda lines: [said.put(line) for line in lines], args=(hears.stdout,)).start()
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
