"""The daemon: its file, its local interface, a clean end, and nodes in Python beside it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from mftpubsub.live import Node, UdpMulticast
from mftpubsub.protocols.content import Event
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


#: A clock that goes on while CLOCK_MONOTONIC stands: by as many seconds as the file SLEPT says.
CLOCK = """
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec* now)
{
    const long done = syscall(SYS_clock_gettime, clock, now);
    FILE* file = clock == CLOCK_MONOTONIC ? NULL : fopen(getenv("SLEPT"), "r");
    long slept = 0;
    if (file && fscanf(file, "%ld", &slept) == 1)
        now->tv_sec += slept;
    if (file)
        fclose(file);
    return (int)done;
}
"""


class Client:
    """A connection to a daemon."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(LIMIT)
        self.socket.connect(str(path))
        self.lines = self.socket.makefile("r", encoding="utf-8")

    def ask(self, line: str) -> str:
        self.socket.sendall(f"{line}\n".encode())
        return self.next_line()

    def next_line(self) -> str:
        return self.lines.readline().rstrip("\n")

    def next_event(self) -> str:
        """The sequence number of an event that it is told."""
        return self.next_line().split()[2]

    def last_events(self) -> list[str]:
        """Those that it is told until the connection ends, within a line perhaps."""
        return [line.split()[2] for line in self.lines.read().split("\n")[:-1]]

    def close(self) -> None:
        self.lines.close()
        self.socket.close()


class Daemon(Client):
    """One that runs, and a connection to it."""

    def __init__(self, folder: Path, port: int, command: Sequence[str] = (), **env: str) -> None:
        self.folder = folder
        self.config = folder / "node.conf"
        self.config.write_text(CONFIG.format(port=port, folder=folder))
        self.said = folder / "said"
        self.command, self.env = command, os.environ | env
        self.start()

    def start(self) -> None:
        with self.said.open("w") as said:
            self.process = subprocess.Popen([*self.command, daemon(), self.config], stderr=said, env=self.env)
        self.wait_for("runs")
        super().__init__(self.folder / "socket")

    def wait_for(self, words: str) -> str:
        """The line that has them, of what it says on stderr."""
        limit = time.monotonic() + LIMIT
        while True:
            ends, said = self.process.poll() is not None, self.said.read_text()
            for line in said.splitlines():
                if words in line:
                    return line
            assert not ends, said
            assert time.monotonic() < limit, said
            time.sleep(0.01)

    def client(self) -> Client:
        return Client(self.folder / "socket")

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
def start() -> Iterator[Callable[..., Daemon]]:
    """Makes daemons that end with the test."""
    with ExitStack() as made:

        def make(*arguments: Any, **env: Any) -> Daemon:
            one = Daemon(*arguments, **env)
            made.callback(one.kill)
            return one

        yield make


@pytest.fixture
def running(start: Callable[..., Daemon], tmp_path: Path, port: int) -> Daemon:
    return start(tmp_path, port)


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
    of_no_type = "error attributes.n: must be a text, a number, true or false, not 'null}'"
    assert running.ask('publish {"n": null} 00') == of_no_type
    running.socket.sendall(b'publish {"n": 1, "name": "M\xfcller"}\n')
    assert running.next_line() == "error attributes.name: must be UTF-8, which it is not from byte 1 on"
    running.socket.sendall(b"subscribe name = 'M\xfcller'\n")
    assert running.next_line().startswith("error the filter: must be UTF-8")
    assert running.ask("dance").startswith("error publish, subscribe")
    assert '"published":0' not in running.ask("counters")


def test_it_reads_lines_as_other_programs_write_them(running: Daemon) -> None:
    """Python's `json.dumps` escapes what is not ASCII; some end lines in CRLF."""
    attributes = {"name": "Zo\u00eb \U0001f600", "temp": 21}
    assert running.ask(f"publish {json.dumps(attributes)} 00\r").startswith("ok ")
    assert running.ask("events\r") == "ok"
    told = running.next_line().split(maxsplit=3)[3]
    assert told == '{"name":"Zo\u00eb \U0001f600","temp":21} 00'


@pytest.mark.parametrize("words", [["--check"], []])
def test_a_file_where_its_socket_should_be_stays(tmp_path: Path, port: int, words: list[str]) -> None:
    config, taken = tmp_path / "node.conf", tmp_path / "socket"
    config.write_text(CONFIG.format(port=port, folder=tmp_path))
    taken.write_text("dear")
    done = subprocess.run([daemon(), *words, config], capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 2
    wanted = "socket: a path where nothing is, or a socket; "
    assert f"node.conf:9: {wanted}{taken} is something else" in done.stderr
    assert taken.read_text() == "dear"


def test_it_removes_no_file_but_its_socket(running: Daemon) -> None:
    path = running.folder / "socket"
    path.unlink()
    path.write_text("dear")
    running.process.send_signal(signal.SIGTERM)
    assert running.process.wait(LIMIT) == 0
    assert path.read_text() == "dear"


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


def test_filters_beyond_a_frame_are_refused_and_those_of_the_store_are_left_out(running: Daemon) -> None:
    filters = [f"n = {n} AND place = '{'p' * 50}'" for n in range(99, 0, -1)]
    answers = [running.ask(f"subscribe {each}") for each in filters]
    taken = answers.count("ok")
    assert 0 < taken < len(filters)
    assert answers[taken].startswith(f"error with {filters[taken]} there are ")
    assert running.ask(f"unsubscribe {filters[taken]}") == f"error it has no filter {filters[taken]}"
    running.kill()
    running.config.write_text(running.config.read_text() + "max_frame = 700\n")
    running.start()
    assert running.wait_for(
        f"the filter {filters[taken - 1]} of its store {running.folder}/store is left out"
    )
    assert running.ask(f"unsubscribe {filters[0]}") == "ok"
    running.process.send_signal(signal.SIGTERM)
    assert running.process.wait(LIMIT) == 0
    stored = (running.folder / "store").read_bytes()
    running.config.write_text(running.config.read_text() + f"subscribe = name = '{'x' * 700}'\n")
    done = subprocess.run([daemon(), running.config], capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 2
    assert "node.conf: subscribe: with name = 'xxx" in done.stderr
    assert (running.folder / "store").read_bytes() == stored
    assert subprocess.run([daemon(), "--check", running.config], check=False, timeout=LIMIT).returncode == 2


def test_filters_of_an_edited_file_take_the_room_of_others(running: Daemon) -> None:
    short = "n = 1"
    assert running.ask(f"subscribe {short}") == "ok"
    base = running.config.read_text() + "max_frame = 700\n"
    for edit in range(3):
        of_file = [f"topic = 'garden/bed-{edit}/sensor-{n}/temperature'" for n in range(9)]
        running.kill()
        running.config.write_text(base + "".join(f"subscribe = {one}\n" for one in of_file))
        running.start()
        left_out = running.said.read_text().count("left out")
        assert (left_out > 0) == (edit > 0)
        assert running.ask(f"unsubscribe {of_file[edit]}") == "ok"
    assert "`unsubscribe` those that no program needs" in running.said.read_text()
    assert running.ask(f"unsubscribe {short}") == "ok", "the longest make room"


def test_with_next_an_event_is_done_with_when_the_next_one_is_asked_for(running: Daemon) -> None:
    running.ask("subscribe n > 1")
    numbers = [running.ask('publish {"n": 2}').split()[1] for _ in range(3)]
    first = running.client()
    assert first.ask("next") == "ok"
    assert first.next_event() == numbers[0]
    assert running.ask("next").startswith("error a program gets events already")
    assert running.ask("events").startswith("error events go to the program that says `next`")
    first.close()
    second = running.client()
    assert second.ask("next") == "ok"
    assert second.next_event() == numbers[0], "its reader has died"
    assert second.ask("next") == "ok"
    assert second.next_event() == numbers[1]
    running.process.send_signal(signal.SIGTERM)
    assert running.process.wait(LIMIT) == 0
    running.start()
    assert running.ask("events") == "ok"
    assert [running.next_event() for _ in range(2)] == numbers[1:]


def test_what_a_program_has_done_with_does_not_come_again_when_it_has_left(running: Daemon) -> None:
    running.ask("subscribe n > 1")
    numbers = [running.ask('publish {"n": 2}').split()[1] for _ in range(2)]
    first = running.client()
    assert first.ask("next") == "ok"
    assert first.next_event() == numbers[0]
    first.socket.sendall(b"next\n")
    first.close()
    running.ask("counters")
    running.kill()
    running.start()
    assert running.ask("next") == "ok"
    assert running.next_event() == numbers[1]


def test_a_program_that_is_back_at_once_is_the_only_one(running: Daemon) -> None:
    running.ask("subscribe n > 1")
    numbers = [running.ask('publish {"n": 2}').split()[1] for _ in range(20)]
    for number in numbers:
        program = running.client()
        assert program.ask("next") == "ok"
        assert program.next_event() == number
        program.socket.sendall(b"next\n")
        program.close()


@pytest.mark.parametrize("word", ["next", "events"])
def test_an_event_that_no_program_could_read_is_left_out(running: Daemon, port: int, word: str) -> None:
    async def publish() -> None:
        node = Node(id=1, roles="publisher", port=UdpMulticast(port=port), network="mixed")
        async with node:
            assert node._runner
            for _ in range(2):
                node._runner.publish(
                    Event((1, 0), {"temp": 21, "room": "caf\u00e9"}).wire.replace(b"\xc3\xa9", b"\xe9!")
                )
            await node.publish({"temp": 22})
            while '"inbox":3' not in running.ask("counters"):
                await asyncio.sleep(0.05)

    asyncio.run(asyncio.wait_for(publish(), LIMIT))
    assert running.ask(word) == "ok"
    assert running.next_line() == 'event 1 2 {"temp":22} '
    assert '"unreadable":2' in running.ask("counters")
    said = "attributes.room: must be UTF-8, which it is not from byte 3 on"
    assert f"the event 1:0 is left out: {said}" in running.said.read_text()
    assert running.said.read_text().count("left out") == 1, "once a publisher"


def test_what_a_program_has_not_read_is_not_lost_and_it_does_not_hold_up_others(running: Daemon) -> None:
    running.ask("subscribe n > 1")
    first = running.client()
    assert first.ask("events") == "ok"
    numbers = [running.ask(f'publish {{"n": 2}} {"61" * 600}').split()[1] for _ in range(400)]
    running.kill()
    read = first.last_events()
    running.start()
    stalled = running.client()
    assert stalled.ask("events") == "ok"
    assert running.ask("events") == "ok"
    while not read or read[-1] != numbers[-1]:
        read.append(running.next_event())
    assert {*read, *stalled.last_events()} == {*numbers}


def test_who_reads_no_answers_is_not_read_from_and_who_has_asked_all_gets_them(running: Daemon) -> None:
    client = running.client()

    def ask() -> None:
        client.socket.sendall(f"{'x' * 1000}\n".encode() * 600 + b'publish {"n": 1}\n')
        client.socket.shutdown(socket.SHUT_WR)

    asking = threading.Thread(target=ask)
    asking.start()
    assert client.next_line().startswith("error ")
    for _ in range(100):
        assert '"published"' not in running.ask("counters")
    answers = client.lines.read().split("\n")
    asking.join()
    assert len(answers) == 600 + 1
    assert answers[-2].startswith("ok ")


def test_it_runs_without_stdin(start: Callable[..., Daemon], tmp_path: Path, port: int) -> None:
    made = start(tmp_path, port, ["sh", "-c", 'exec "$@" <&-', "sh"])
    assert made.ask("counters").startswith("ok ")
    assert made.ask("counters").startswith("ok ")
    made.process.send_signal(signal.SIGTERM)
    assert made.process.wait(LIMIT) == 0


def test_it_says_that_another_node_has_its_id(
    start: Callable[..., Daemon], running: Daemon, tmp_path: Path, port: int
) -> None:
    (tmp_path / "other").mkdir()
    start(tmp_path / "other", port)
    assert (
        running.wait_for("another node") == "mftpubsubd: node 5: another node has the id 5: give each its own"
    )


def test_events_from_after_a_sleep_of_the_machine_outlive_a_crash(
    start: Callable[..., Daemon], tmp_path: Path, port: int
) -> None:
    (tmp_path / "clock.c").write_text(CLOCK)
    clock, slept = tmp_path / "clock.so", tmp_path / "slept"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", clock, tmp_path / "clock.c"], check=True)
    made = start(tmp_path, port, LD_PRELOAD=str(clock), SLEPT=str(slept))
    slept.write_text("660")
    assert made.ask('publish {"n": 1}') == "ok 0"
    made.kill()
    made.start()
    assert '"held":1,' in made.ask("counters")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("id = 5", "id = 65535", "node.conf:3: id: a number from 0 to 65534, not '65535'"),
        ("id = 5", "id 5", "node.conf:3: 'id 5' is no line KEY = VALUE"),
        ("id = 5", "", "id is missing"),
        ("broker subscriber", "brocker", "roles: some of broker, subscriber, publisher, not 'brocker'"),
        ("interfaces = lo", "interface = lo", "keys are forget_after, group"),
        ("network = mixed", "key_file = /nowhere", "key_file: a file with the key; /nowhere cannot be read"),
        ("network = mixed", "id = 6", "id: is given twice"),
        ("network = mixed", "inbox = 1", "inbox: a number from 2 to 10000000, not '1'"),
        ("network = mixed", "protocol = mft-pubsup", "node.conf: protocol mft-pubsup does not run live"),
        (
            "network = mixed",
            "protocol = mft-pubsub-2\nheartbeat_interval = 3",
            "node.conf: leader_timeout: 3 s; it is to be longer than heartbeat_interval, 3 s",
        ),
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


def test_an_interface_that_is_not_there_may_come_yet(tmp_path: Path, port: int) -> None:
    """Its unit starts it again after any code but 2."""
    config = tmp_path / "node.conf"
    config.write_text(CONFIG.format(port=port, folder=tmp_path).replace("= lo", "= wlan77"))
    done = subprocess.run([daemon(), config], capture_output=True, text=True, check=False, timeout=LIMIT)
    assert done.returncode == 1
    assert "node.conf: port.interfaces: there is no 'wlan77'; this machine has " in done.stderr


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("interfaces = lo", "group = 10.0.0.1", "port.group: '10.0.0.1' is no IPv4 multicast address"),
        ("interfaces = lo", "interfaces = wlan77", "port.interfaces: there is no 'wlan77'"),
        ("interfaces = lo", "interfaces =", "port.interfaces: name at least one of "),
        ("id = 5", "id = 6", "store: this is the store of node 5, not of node 6"),
        ("/store", "/node.conf", "node.conf: no store, or a damaged one"),
    ],
)
def test_a_check_looks_at_the_port_and_the_store(running: Daemon, old: str, new: str, words: str) -> None:
    wrong = running.folder / "wrong.conf"
    for config, code in ((running.config, 0), (wrong, 2)):
        wrong.write_text(running.config.read_text().replace(old, new))
        checked = subprocess.run(
            [daemon(), "--check", config], capture_output=True, text=True, check=False, timeout=LIMIT
        )
        assert checked.returncode == code
        assert (f"{config}: " in checked.stderr and words in checked.stderr) == bool(code)


def test_a_check_tells_folders_that_are_not_there_yet(tmp_path: Path, port: int) -> None:
    config = tmp_path / "node.conf"
    config.write_text(CONFIG.format(port=port, folder=tmp_path / "later"))
    checked = subprocess.run(
        [daemon(), "--check", config], capture_output=True, text=True, check=False, timeout=LIMIT
    )
    assert checked.returncode == 0
    assert f"node.conf: store: there is no folder {tmp_path}/later yet" in checked.stderr
    assert f"node.conf: socket: there is no folder {tmp_path}/later yet" in checked.stderr
    assert "trace" not in checked.stderr
