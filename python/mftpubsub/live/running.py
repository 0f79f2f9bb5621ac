"""A node of a site, as a process."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mftpubsub.errors import RunError
from mftpubsub.live import plan as plans
from mftpubsub.live.node import Node
from mftpubsub.live.plan import Plan
from mftpubsub.live.port import UdpMulticast
from mftpubsub.live.site import Site
from mftpubsub.protocols.content import Event


@dataclass(frozen=True)
class Trial:
    """What a trial asks of one of its nodes."""

    plan: Plan
    begin: float
    """UNIX time, s."""
    resumes: bool = False
    """Whether it has begun without this process."""

    @property
    def end(self) -> float:
        return self.begin + self.plan.duration


def run(site: Site, id: int, trial: Path | None = None) -> None:
    """Runs a node until SIGTERM or SIGINT, or, as a part of the trial in a folder, to its end.

    Without MQTT it prints each event for its subscriber as a line of JSON.
    """
    asyncio.run(_run(site, id, trial))


async def _run(site: Site, id: int, home: Path | None) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with site.node(id, home, _port(home) if home else None) as node:
        for where in site.filters(id):
            await node.subscribe(where)
        node.lose(site.loss)
        if site.reach is not None:
            node.limit_reach(site.reach.get(id, ()))
        if home:
            await _take_part(node, site, home, stop)
        else:
            await _serve(node, site, stop)


async def _take_part(node: Node, site: Site, home: Path, stop: asyncio.Event) -> None:
    plan = Plan.read(home / "plan.json")
    resumes = (home / "begin").exists()
    begin = await _begin(home, node.id)
    trial = Trial(plan, begin, resumes)
    doing = [_take(node), _publish(node, trial), _hear(node, site, trial), _until(trial.end, stop)]
    await _first_of(stop.wait(), [asyncio.ensure_future(each) for each in doing])
    told = node.counters | {"cpu_s": time.process_time()}
    (home / f"node-{node.id}.counters.json").write_text(json.dumps(told), encoding="utf-8")


async def _serve(node: Node, site: Site, stop: asyncio.Event) -> None:
    doing = [_read(node, site)]
    if site.trial:
        plan = await asyncio.to_thread(plans.make, site.trial)
        doing.append(_publish(node, Trial(plan, time.time() + 1.0)))
    await _first_of(stop.wait(), [asyncio.ensure_future(each) for each in doing])


def ready(home: Path, id: int) -> Path:
    """The file by which a node of a trial says that it runs."""
    return home / f"node-{id}.ready"


def _port(home: Path) -> UdpMulticast:
    return UdpMulticast.model_validate_json((home / "port.json").read_text(encoding="utf-8"))


async def _begin(home: Path, id: int) -> float:
    """When the trial begins: it says so when all are ready. Raises RunError if it is gone."""
    ready(home, id).touch()
    begin, parent = home / "begin", os.getppid()
    while not begin.exists():
        if os.getppid() != parent:
            raise RunError("the trial has ended before it began")
        await asyncio.sleep(0.02)
    return float(begin.read_text(encoding="utf-8"))


async def _first_of(end: Awaitable[Any], tasks: list[asyncio.Task[None]]) -> None:
    """Waits for the end, or for a task that fails."""
    ending = asyncio.ensure_future(end)
    waiting: set[asyncio.Future[Any]] = {ending, *tasks}
    try:
        while not ending.done():
            done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for one in done:
                one.result()
    finally:
        for task in (ending, *tasks):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


async def _take(node: Node) -> None:
    """Takes what there is for the subscriber, and is done with it."""
    async for _ in node.events():
        pass


async def _read(node: Node, site: Site) -> None:
    """Gives what there is for the subscriber to clients of MQTT, or to people."""
    own = site.nodes.get(node.id)
    if own and own.mqtt:
        from mftpubsub.live.mqtt import serve

        await serve(node, own.mqtt, site.home / f"node-{node.id}.mqtt")
        return
    async for event in node.events():
        print(to_line(event), flush=True)


def to_line(event: Event) -> str:
    """An event as JSON; payloads that are no UTF-8 in hexadecimal digits."""
    told: dict[str, Any] = {"id": str(event.id), "attributes": dict(event.attributes)}
    try:
        told["payload"] = event.payload.decode()
    except UnicodeDecodeError:
        told["payload_hex"] = event.payload.hex()
    return json.dumps(told)


async def _publish(node: Node, trial: Trial) -> None:
    own = trial.plan.publications.get(node.id, [])
    past = time.time() - trial.begin if trial.resumes else -1.0  # what was missed is not made up for
    for one in (each for each in own if each.at > past):
        await _sleep_until(trial.begin + one.at)
        await node.publish(one.attributes, bytes(one.payload))


async def _hear(node: Node, site: Site, trial: Trial) -> None:
    """Follows the movement of the scenario, unless the site says whom it hears."""
    if site.reach is not None:
        return
    for at, pairs in trial.plan.links:
        await _sleep_until(trial.begin + at)
        node.limit_reach(plans.hears(pairs, node.id))


async def _until(end: float, stop: asyncio.Event) -> None:
    await _sleep_until(end)
    stop.set()


async def _sleep_until(instant: float) -> None:
    await asyncio.sleep(max(0.0, instant - time.time()))
