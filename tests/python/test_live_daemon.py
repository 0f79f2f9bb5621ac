"""The daemon: its file, its local interface, a clean end, and nodes in Python beside it."""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mftpubsub.live import Node, UdpMulticast
from mftpubsub.simulator.library import package_file

LIMIT = 60.0
CONFIG = """
# A node of a test
id = 5
roles = broker subscriber
network = mixed
interfaces = lo
port = {port}
store = {folder}/store
socket = {folder}/socket
subscribe = temp > 20
"""


class Daemon:
    """One that runs, and a connection to it."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.config = folder / "node.conf"
        self.config.write_text(CONFIG.format(port=port, folder=folder))
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen([daemon(), self.config], stderr=subprocess.PIPE, text=True)
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(LIMIT)
        limit = time.monotonic() + LIMIT
        while self.socket.connect_ex(str(self.folder / "socket")):
            assert self.process.poll() is None, self.process.stderr.read() if self.process.stderr else ""
            assert time.monotonic() < limit
            time.sleep(0.01)
        self.lines = self.socket.makefile("r", encoding="utf-8")

    def ask(self, line: str) -> str:
        self.socket.sendall(f"{line}\n".encode())
        return self.lines.readline().rstrip("\n")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


def daemon() -> str:
    return str(package_file("bin/mftpubsubd"))


@pytest.fixture
def port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def running(tmp_path: Path, port: int) -> Iterator[Daemon]:
    made = Daemon(tmp_path, port)
    yield made
    made.kill()


def test_it_is_one_small_program() -> None:
    assert Path(daemon()).stat().st_size < 3e6
    needed = subprocess.run(["ldd", daemon()], capture_output=True, text=True, check=True).stdout
    assert not [word for word in ("ns3", "python", "stdc++", "gcc_s") if word in needed]


def test_it_speaks_with_nodes_in_python(running: Daemon, port: int) -> None:
    async def work() -> None:
        node = Node(id=1, roles="publisher subscriber", port=UdpMulticast(port=port), network="mixed")
        async with node:
            await node.subscribe("n = 7")
            assert running.ask("events") == "ok"
            await node.publish({"temp": 20})
            await node.publish({"temp": 21.5, "name": "ä"}, payload=b"\0\xff")
            heard = await asyncio.to_thread(running.lines.readline)
            assert heard == 'event 1 1 {"name":"ä","temp":21.5} 00ff\n'
            assert running.ask('publish {"n": 7} 6869').startswith("ok ")
            async for event in node.events():
                assert (event.id.publisher, event.attributes, event.payload) == (5, {"n": 7}, b"hi")
                break

    asyncio.run(asyncio.wait_for(work(), LIMIT))


def test_it_says_what_is_wrong(running: Daemon) -> None:
    assert "position" in running.ask("subscribe n >")
    assert "no filter" in running.ask("unsubscribe n > 1")
    assert "attributes" in running.ask("publish {temp}")
    assert "hexadecimal" in running.ask('publish {"n": 1} 6')
    assert running.ask("dance").startswith("error publish, subscribe")
    assert '"published":0' not in running.ask("counters")


def test_numbers_and_filters_survive_kill_9_and_it_ends_in_order(running: Daemon) -> None:
    assert running.ask("subscribe n > 1") == "ok"
    first = [running.ask('publish {"n": 2}') for _ in range(3)]
    running.kill()
    running.start()
    assert running.ask("events") == "ok"
    waiting = [running.lines.readline().split()[2] for _ in range(3)]
    assert [f"ok {sequence}" for sequence in waiting] == first, "not taken before"
    later = running.ask('publish {"n": 3}')
    assert int(later.split()[1]) > int(first[-1].split()[1])
    running.process.send_signal(signal.SIGTERM)
    assert running.process.wait(LIMIT) == 0
    assert not (running.folder / "socket").exists()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("id = 5", "id = 65535", "node.conf:3: id: a number from 0 to 65534, not '65535'"),
        ("id = 5", "id 5", "node.conf:3: 'id 5' is no line KEY = VALUE"),
        ("id = 5", "", "id is missing"),
        ("broker subscriber", "brocker", "roles: some of broker, subscriber, publisher, not 'brocker'"),
        ("interfaces = lo", "interface = lo", "keys are forget_after, group"),
        ("interfaces = lo", "interfaces = wlan77", "there is no 'wlan77'"),
        ("network = mixed", "key_file = /nowhere", "key_file: a file with the key; /nowhere cannot be read"),
        ("network = mixed", "id = 6", "id: is given twice"),
        ("temp > 20", "temp >", "subscribe: "),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, port: int, old: str, new: str, words: str) -> None:
    config = tmp_path / "node.conf"
    config.write_text(CONFIG.format(port=port, folder=tmp_path).replace(old, new))
    done = subprocess.run([daemon(), config], capture_output=True, text=True, check=False, timeout=LIMIT)
    assert done.returncode == 2
    assert words in done.stderr
    assert not (tmp_path / "store").exists()
