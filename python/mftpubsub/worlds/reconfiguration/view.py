"""A world of dispatchers under one protocol, as a block for the viewer."""

from __future__ import annotations

from mftpubsub.protocols.catalogue import SHORT
from mftpubsub.simulator.worlds import run_overlay
from mftpubsub.views.viewer.columns import Columns
from mftpubsub.views.viewer.wires import (
    TICK_S,
    Message,
    State,
    add_film,
    add_messages,
    ticks,
    told,
    told_of_states,
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
    columns = Columns()
    messages = [
        Message(ticks(one["seconds"]), one["from"], one["kind"], (one["to"],), round(one["bytes"]))
        for one in report["log"]
    ]
    kinds = add_messages(columns, messages, world.dispatchers)
    times, links = [0], [set(world.edges)]
    for at, breaks, index in world.changes():
        item = world.reconfigurations[index]
        now = links[-1] - {item.old, item.old[::-1]} if breaks else links[-1] | {item.new}
        times.append(ticks(at))
        links.append(now)
    add_film(columns, times, tree_places(world.dispatchers, world.edges), links)
    states = [State(row["seconds"], row["node"], row["name"], row["text"]) for row in report["rowLog"]]
    names = [str(node) for node in range(world.dispatchers)]
    roles = ["BS" if world.subscriptions.get(name) else "B" for name in names]
    return columns.block(
        told(f"{SHORT[protocol]} {world.name}".strip(), names, roles, kinds)
        | {
            "unit": "s",
            "tick": TICK_S,
            "duration": max([times[-1], *(message.tick for message in messages[-1:])]) * TICK_S + 0.001,
            "secondsPerByte": _SECONDS_PER_BYTE,
        }
        | told_of_states(states, ["which messages were lost with their link"])
    )
