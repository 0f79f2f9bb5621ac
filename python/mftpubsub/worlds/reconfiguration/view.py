"""A world of dispatchers under one protocol, as a block for the viewer."""

from __future__ import annotations

from mftpubsub.protocols.catalogue import SHORT
from mftpubsub.simulator.worlds import run_overlay
from mftpubsub.views.viewer.columns import Columns
from mftpubsub.views.viewer.records import Clock
from mftpubsub.views.viewer.wires import (
    Message,
    State,
    add_film,
    add_messages,
    told,
    told_of_time,
    tree_places,
)
from mftpubsub.worlds.reconfiguration.world import World

#: Of a link: 10 Mbit/s.
_SECONDS_PER_BYTE = 8 / 10e6


def of_world(world: World, protocol: str, sub_bits: float = 1000.0) -> bytes:
    """Runs a world under a protocol (by its short name) and gives its block.

    Dispatchers stand as the first tree has them; its links come and go. Raises ConfigurationError if the
    protocol cannot have the world, QueryError if there are too many messages for a page.
    """
    request = world.to_request(SHORT[protocol], sub_bits)
    request["run"]["isLogged"] = True
    report = run_overlay("RunGivenWorld", request)
    last_s = max([0.0, *(at for at, *_ in world.changes()), *(one["seconds"] for one in report["log"])])
    duration_s = last_s + 0.001
    clock = Clock.for_duration(duration_s)
    columns = Columns()
    messages = [
        Message(clock.tick(one["seconds"]), one["from"], one["kind"], (one["to"],), round(one["bytes"]))
        for one in report["log"]
    ]
    kinds = add_messages(columns, messages, world.dispatchers)
    times, links = [0], [set(world.edges)]
    for at, breaks, index in world.changes():
        item = world.reconfigurations[index]
        now = links[-1] - {item.old, item.old[::-1]} if breaks else links[-1] | {item.new}
        times.append(clock.tick(at))
        links.append(now)
    add_film(columns, times, tree_places(world.dispatchers, world.edges), links)
    states = [State(row["seconds"], row["node"], row["name"], row["text"]) for row in report["rowLog"]]
    names = [str(node) for node in range(world.dispatchers)]
    roles = ["BS" if world.subscriptions.get(name) else "B" for name in names]
    return columns.block(
        told(f"{SHORT[protocol]} {world.name}".strip(), names, roles, kinds)
        | {"secondsPerByte": _SECONDS_PER_BYTE}
        | told_of_time(clock, duration_s, states, ["which messages were lost with their link"])
    )
