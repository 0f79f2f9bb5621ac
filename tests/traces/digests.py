"""Digests of short traces: one changes when a run changes, and only then.

    make digests                                # renews digests.txt, and says which changed
    python tests/traces/digests.py NAME         # prints the trace of one scenario, to compare two commits

`scenarios.yaml` has the runs. A digest is the SHA-256 of a trace's lines. Of a world on wires, which has no
trace, the lines are its messages in order and then its results, as JSON.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import mftpubsub
from mftpubsub.protocols.catalogue import PROTOCOLS, SHORT
from mftpubsub.scenario import yaml_files
from mftpubsub.scenario.common import known_protocols
from mftpubsub.scenario.part import Model, merged
from mftpubsub.simulator.worlds import run_overlay
from mftpubsub.worlds.handoff import world as handoff
from mftpubsub.worlds.handoff.scenario import HandoffScenario
from mftpubsub.worlds.reconfiguration.scenario import OverlayScenario
from mftpubsub.worlds.reconfiguration.world import read_world

HERE = Path(__file__).parent
DIGESTS = HERE / "digests.txt"
GIVEN_WORLD = HERE.parent / "worlds" / "n20-1.json"

Row = tuple[str, dict[str, Any]]


class Digest(NamedTuple):
    lines: int
    sha256: str


@cache
def scenarios() -> dict[str, Row]:
    """By name: of which part of the file a run is, and what makes its scenario."""
    path = HERE / "scenarios.yaml"
    content = yaml_files.parse(path.read_text(encoding="utf-8"), path.name)
    models: dict[str, type[Model]] = {
        "networks": mftpubsub.Scenario,
        "wires": OverlayScenario,
        "handoffs": HandoffScenario,
    }
    usual = [name for name in known_protocols() if not PROTOCOLS[name].fixed_brokers]
    content["networks"]["cases"] = {name: {"protocol": name} for name in usual} | content["networks"]["cases"]
    rows: dict[str, Row] = {
        name: (part, merged(model, content[part]["base"], changes))
        for part, model in models.items()
        for name, changes in content[part]["cases"].items()
    }
    given = {f"given-{name}": ("given", {"protocol": name}) for name in content["wires"]["given"]}
    return rows | given


def trace(name: str) -> Iterator[bytes]:
    """Runs a scenario, and gives the lines of what happened."""
    part, content = scenarios()[name]
    yield from _RUN[part](content)


def digest(name: str) -> Digest:
    """Of the trace of a scenario."""
    hashed, lines = hashlib.sha256(), 0
    for line in trace(name):
        hashed.update(line)
        lines += 1
    return Digest(lines, hashed.hexdigest())


def remembered() -> dict[str, Digest]:
    """What digests.txt has, by name."""
    rows = (line.split() for line in DIGESTS.read_text(encoding="utf-8").splitlines())
    return {name: Digest(int(lines), sha256) for name, lines, sha256 in rows}


def changes(before: Mapping[str, Digest], after: Mapping[str, Digest]) -> list[str]:
    """What is new, gone, or other than before, a line each."""
    told = [f"{name}: gone" for name in before if name not in after]
    for name, now in after.items():
        if name not in before:
            told.append(f"{name}: new, {now.lines} lines")
        elif now != before[name]:
            told.append(f"{name}: {now.lines} lines, {before[name].lines} before")
    return sorted(told)


def renew() -> None:
    """Computes all digests anew, writes them, and says which changed."""
    before = remembered() if DIGESTS.exists() else {}
    after = {name: digest(name) for name in scenarios()}
    DIGESTS.write_text(
        "".join(f"{name} {now.lines} {now.sha256}\n" for name, now in after.items()), encoding="utf-8"
    )
    told = changes(before, after)
    print("\n".join([*told, f"{len(told)} of {len(after)} digests changed"]))


def _network(content: dict[str, Any]) -> Iterator[bytes]:
    scenario = mftpubsub.Scenario.model_validate(content, context={"folder": HERE})
    result = mftpubsub.run(scenario)
    with gzip.open(result.trace) as file:
        yield from file


def _drawn_world(content: dict[str, Any]) -> Iterator[bytes]:
    return _world("RunDrawnWorld", OverlayScenario.model_validate(content).to_request())


def _given_world(content: dict[str, Any]) -> Iterator[bytes]:
    world = read_world(GIVEN_WORLD)
    return _world("RunGivenWorld", world.to_request(SHORT[content["protocol"]], sub_bits=1000.0))


def _world(function: str, request: dict[str, Any]) -> Iterator[bytes]:
    request["run"]["isLogged"] = True
    report = run_overlay(function, request)
    report.pop("rowLog")  # tables in words: no run depends on them
    yield from _as_json([*report.pop("log"), report])


def _handoff(content: dict[str, Any]) -> Iterator[bytes]:
    scenario = HandoffScenario.model_validate(content)
    log = handoff.logged(scenario)
    yield from _as_json([*log.sent, *log.moves, handoff.run(scenario)])


def _as_json(rows: list[Any]) -> Iterator[bytes]:
    for row in rows:
        yield json.dumps(row, sort_keys=True).encode() + b"\n"


_RUN = {"networks": _network, "wires": _drawn_world, "given": _given_world, "handoffs": _handoff}


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.stdout.buffer.writelines(trace(sys.argv[1]))
    else:
        renew()
