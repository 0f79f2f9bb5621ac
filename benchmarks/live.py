"""Five nodes in a line as processes on the loopback: events/s, CPU, memory, under losses and `kill -9`.

The publisher is a window of events ahead of the slowest subscriber at most, so that nodes set the pace. With
mosquitto and its clients installed: five of its brokers, bridged in a line, on the same loopback.

`--full` is long life: 10^6 events, 30 % losses, and in the first ten minutes each 5 to 15 s a node that is
killed and comes back. `--minutes 10 --kills` is the same with 100 events/s.
"""

from __future__ import annotations

import asyncio
import math
import multiprocessing
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, TextIO

from common import TICKS_PER_S, arguments, publish

from mftpubsub.live import MftMesh, Node, UdpMulticast

NODES = 5
PUBLISHER, SUBSCRIBERS = 0, (2, 4)
#: Of the logs' lines.
LINE_BYTES = 10
#: s without anything new after which a measurement ends.
PATIENCE = 60.0
#: Events that the publisher may be ahead of the slowest subscriber.
WINDOW = 10000
PAYLOAD = bytes(100)
#: Events through mosquitto: of 10^6 that its client is given at once, subscribers did not get all.
MOSQUITTO = 20_000
#: s between kills, from when all nodes are there; until a killed node starts again; how long there are kills.
KILL_INTERVAL, ABSENCE, KILLING = (5.0, 15.0), 1.0, 600.0
#: Events/s of a long life.
RATE = 100.0
MESH = MftMesh(
    heartbeat_interval=0.2, heartbeat_max=0.5, settle_time=0.1, forward_jitter=0.005, forget_after=30.0
)
SPAWN = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class Setting:
    """What all nodes of a measurement are told."""

    folder: Path
    port: int
    events: int
    loss: float
    rate: float
    """Of events, 1/s; inf: as fast as subscribers take them."""

    def log(self, id: int) -> Path:
        """Numbers of events that the node has published or got; its lines outlive the process."""
        return self.folder / f"events-{id}.log"

    def ready(self, id: int) -> Path:
        """Is there when the node runs."""
        return self.folder / f"ready-{id}"

    def numbers(self, id: int) -> list[int]:
        return [int(line) for line in self.log(id).read_text().split()] if self.log(id).is_file() else []

    def count(self, id: int) -> int:
        return self.log(id).stat().st_size // LINE_BYTES if self.log(id).is_file() else 0


def serve(id: int, setting: Setting) -> None:
    """A node's process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asyncio.run(_serve(id, setting))


async def _serve(id: int, setting: Setting) -> None:
    port = UdpMulticast("239.255.77.78", setting.port, rate=1e9)
    roles = "publisher" if id == PUBLISHER else "broker subscriber" if id in SUBSCRIBERS else "broker"
    async with Node(id, roles, MESH, port, setting.folder / f"node-{id}.store") as node:
        node.limit_reach({id - 1, id + 1} & {*range(NODES)})
        node.lose(setting.loss)
        setting.ready(id).touch()
        with setting.log(id).open("a", buffering=1) as log:
            if id == PUBLISHER:
                await _publish(node, setting, log)
            elif id in SUBSCRIBERS:
                await _take(node, setting, log)
        await asyncio.Event().wait()


async def _publish(node: Node, setting: Setting, log: TextIO) -> None:
    while not all(setting.log(one).is_file() for one in SUBSCRIBERS):
        await asyncio.sleep(0.01)
    done = setting.count(PUBLISHER)
    start = time.monotonic() - done / setting.rate
    for n in range(done, setting.events):
        await asyncio.sleep(start + n / setting.rate - time.monotonic())
        while n - min(map(setting.count, SUBSCRIBERS)) >= WINDOW:
            await asyncio.sleep(0.001)
        event = await node.publish({"n": n}, PAYLOAD)
        log.write(f"{event.sequence:{LINE_BYTES - 1}}\n")


async def _take(node: Node, setting: Setting, log: TextIO) -> None:
    """The event that was in hand when the process died comes again: applications know their last one."""
    last = (setting.numbers(node.id) or [-1])[-1]
    await node.subscribe("n >= 0")
    async for event in node.events():
        if event.id.sequence != last:
            log.write(f"{event.id.sequence:{LINE_BYTES - 1}}\n")


class Nodes:
    """Their processes, what these take, and who is killed."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.cpu: dict[int, float] = {}
        self.peaks: list[tuple[float, float]] = []  # s, and MiB of the largest node then
        self._begin = time.monotonic()
        self.kills = 0
        self._running = {id: self._start(id) for id in range(NODES)}

    def _start(self, id: int) -> BaseProcess:
        process = SPAWN.Process(target=serve, args=(id, self.setting), daemon=True)
        process.start()
        return process

    def look(self) -> None:
        costs = [cost_of_process(one.pid) for one in self._running.values() if one.pid and one.is_alive()]
        self.cpu |= {pid: seconds for pid, seconds, _ in costs}
        if costs:
            self.peaks.append((time.monotonic() - self._begin, max(mib for *_, mib in costs)))

    def kill_one(self) -> None:
        id = random.choice(sorted(self._running))
        self.look()
        self.setting.ready(id).unlink()
        self._running[id].kill()
        self._running[id].join()
        time.sleep(ABSENCE)
        self._running[id] = self._start(id)
        self.kills += 1

    def are_there(self) -> bool:
        return all(self.setting.ready(id).is_file() for id in self._running)

    def by_minute(self) -> list[int]:
        """MiB of the largest node in each minute."""
        largest: dict[int, float] = {}
        for at, mib in self.peaks:
            largest[int(at // 60)] = max(largest.get(int(at // 60), 0.0), mib)
        return [round(mib) for _, mib in sorted(largest.items())]

    def end(self) -> None:
        for one in self._running.values():
            one.kill()
            one.join()


def run(events: int, loss: float, kills: bool, rate: float = math.inf) -> dict[str, Any]:
    """Files of a run that lost something stay: they tell what, and where it was last."""
    folder = Path(tempfile.mkdtemp(prefix="mftpubsub-live-"))
    setting = Setting(folder, free_port(), events, loss, rate)
    nodes = Nodes(setting)
    try:
        wall = _wait(nodes, kills)
    finally:
        nodes.end()
    published = setting.numbers(PUBLISHER)
    got = [setting.numbers(one) for one in SUBSCRIBERS]
    cpu = sum(nodes.cpu.values()) / NODES
    row = {
        "nodes": "mft-mesh",
        "lost on purpose": f"{loss:.0%}",
        "kills": nodes.kills,
        "events": len(published),
        "not delivered": sum(len(set(published) - set(one)) for one in got),
        "delivered twice": sum(len(one) - len(set(one)) for one in got),
        "events/s": len(published) / wall,
        "CPU us/event and node": 1e6 * cpu / len(published),
        "cores/node": cpu / wall,
        "MiB by minute": nodes.by_minute(),
        "MiB of the largest store": max(file.stat().st_size for file in folder.glob("*.store")) / 2**20,
    }
    if row["not delivered"] or row["delivered twice"] or len(published) < events:
        print(f"files are kept in {folder}")
    else:
        shutil.rmtree(folder)
    return row


def _wait(nodes: Nodes, kills: bool) -> float:
    """Seconds from the first event until every subscriber has all, or gets nothing more."""
    setting = nodes.setting
    while not setting.count(PUBLISHER):
        time.sleep(0.01)
    start = changed = time.monotonic()
    next_kill = start + random.uniform(*KILL_INTERVAL)
    counts = [0]
    while min(counts) < setting.events and time.monotonic() < changed + PATIENCE:
        time.sleep(0.2)
        nodes.look()
        if not nodes.are_there():
            next_kill = time.monotonic() + random.uniform(*KILL_INTERVAL)
        elif kills and next_kill < time.monotonic() < start + KILLING:
            nodes.kill_one()
        now = [setting.count(one) for one in SUBSCRIBERS]
        if now != counts:
            counts, changed = now, time.monotonic()
    return changed - start


def run_mosquitto(events: int) -> dict[str, Any]:
    """Brokers bridged in a line; at least once (QoS 1), as much in flight as MQTT's numbers allow."""
    with tempfile.TemporaryDirectory() as folder:
        ports = [free_port() for _ in range(NODES)]
        brokers = []
        for id, port in enumerate(ports):
            text = f"listener {port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\nuser root\n"
            if id:
                text += f"connection c{id}\naddress 127.0.0.1:{ports[id - 1]}\ntopic # both 1\n"
            config = Path(folder, f"{id}.conf")
            config.write_text(text)
            brokers.append(subprocess.Popen(["mosquitto", "-c", config], stderr=subprocess.DEVNULL))
        time.sleep(3)  # bridges
        asks = ["-h", "127.0.0.1", "-t", "t", "-q", "1"]
        subscribers = [
            subprocess.Popen(
                ["mosquitto_sub", *asks, "-p", str(ports[one]), "-C", str(events)], stdout=subprocess.DEVNULL
            )
            for one in SUBSCRIBERS
        ]
        time.sleep(1)  # their words travel
        start = time.monotonic()
        lines = (PAYLOAD.replace(b"\0", b"x") + b"\n") * events
        subprocess.run(["mosquitto_pub", *asks, "-p", str(ports[PUBLISHER]), "-l"], input=lines, check=True)
        for one in subscribers:
            one.wait()
        wall = time.monotonic() - start
        costs = [cost_of_process(one.pid) for one in brokers]
        for broker in brokers:
            broker.kill()
            broker.wait()
        return {
            "nodes": "mosquitto",
            "lost on purpose": "0%",
            "kills": 0,
            "events": events,
            "not delivered": 0,
            "delivered twice": None,
            "events/s": events / wall,
            "CPU us/event and node": 1e6 * sum(seconds for _, seconds, _ in costs) / NODES / events,
            "cores/node": sum(seconds for _, seconds, _ in costs) / NODES / wall,
            "MiB by minute": [round(max(mib for *_, mib in costs))],
            "MiB of the largest store": None,
        }


def cost_of_process(pid: int) -> tuple[int, float, float]:
    """Its number, CPU time (s), resident size (MiB)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    seconds = (int(fields[11]) + int(fields[12])) / TICKS_PER_S
    return pid, seconds, int(fields[21]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def main() -> None:
    parser = arguments(__doc__, 1, "10^6 events with losses and kills")
    parser.add_argument("--minutes", type=float, help="of a long life; written to measured/live_minutes.json")
    parser.add_argument("--kills", action="store_true", help="kill nodes in it")
    given = parser.parse_args()
    if given.minutes:
        events = round(given.minutes * 60 * RATE)
        publish("live_minutes", [run(events, 0.3, given.kills, RATE)])
        return
    events = 1_000_000 if given.full else 20_000
    rows = [] if given.full else [run(events, 0.0, False), run(events, 0.3, False)]
    rows.append(run(events, 0.3, True))
    if shutil.which("mosquitto"):
        rows.append(run_mosquitto(MOSQUITTO))
    publish("live", rows, given.full)


if __name__ == "__main__":
    main()
