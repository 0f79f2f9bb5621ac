"""Worlds that are given: a tree, subscriptions and reconfigurations, each written down (a JSON file)."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from mftpubsub.errors import ConfigurationError
from mftpubsub.protocols.catalogue import SHORT
from mftpubsub.scenario.part import Model, Seconds, checked
from mftpubsub.simulator.worlds import run_overlay
from mftpubsub.worlds.reconfiguration.scenario import MOST_BITS, to_run

Dispatcher = Annotated[int, Field(strict=True, ge=0, le=9_999)]
Pattern = Annotated[int, Field(strict=True, ge=0, le=9_999)]
Link = tuple[Dispatcher, Dispatcher]


class Substitution(Model):
    """One link that breaks, and the one that comes `t_rep` later."""

    id: Annotated[int, Field(strict=True, ge=0, le=10**6)]
    break_at: Seconds = Field(description="s")
    old: Link
    new: Link
    head: list[Dispatcher] | None = Field(
        default=None, description="the way from the lower end of the old link to the new one"
    )
    tail: list[Dispatcher] | None = Field(default=None, description="the way from there to the other end")


class World(Model):
    """What happens, the same for every protocol. `expected` is for whoever compares, and is not read."""

    name: str = ""
    dispatchers: Annotated[int, Field(strict=True, ge=2, le=10_000)]
    edges: list[Link]
    subscriptions: dict[str, list[Pattern]] = Field(description="patterns by dispatcher")
    t_rep: Seconds = Field(description="s; from a break to its replacement")
    t_u: Seconds = Field(description="s")
    t_s: Seconds = Field(description="s")
    reconfigurations: list[Substitution]
    expected: Any = None

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        tree = _Links(self.dispatchers)
        for index, link in enumerate(self.edges):
            tree.add(link, f"edges.{index}")
        if len(self.edges) != self.dispatchers - 1:
            raise ValueError(
                f"edges: a tree of {self.dispatchers} dispatchers has {self.dispatchers - 1} edges"
            )
        for name, patterns in self.subscriptions.items():
            if not name.isdecimal() or name != str(int(name)) or int(name) >= self.dispatchers:
                raise ValueError(f"subscriptions.{name}: no such dispatcher")
            if len(set(patterns)) < len(patterns):
                raise ValueError(f"subscriptions.{name}: a pattern is there twice")
        self._play(tree)
        return self

    def changes(self) -> Iterator[tuple[float, bool, int]]:
        """Time (s), whether a link breaks or is replaced, index: in order.

        Of those of one nanosecond, which is what ns-3 counts in, that comes first whose break was first.
        """
        repair = _nanoseconds(self.t_rep)
        changes = []
        for index, item in enumerate(self.reconfigurations):
            broken = _nanoseconds(item.break_at)
            changes += [(broken, broken, index, False), (broken + repair, broken, index, True)]
        for at, _, index, is_replacement in sorted(changes):
            yield at / 1e9, not is_replacement, index

    def overlap(self) -> int | None:
        """The index of a reconfiguration that begins before another one has ended, if there is one."""
        missing = 0
        for _, breaks, index in self.changes():
            missing += 1 if breaks else -1
            if missing > 1:
                return index
        return None

    def to_request(self, protocol: str, sub_bits: float) -> dict[str, Any]:
        """What C++ takes (GivenRequest in worlds/reconfiguration-request.cc), for a protocol.

        Raises ConfigurationError for a size that no SUB can have.
        """
        if not 0 <= sub_bits <= MOST_BITS:
            raise ConfigurationError(f"sub_bits: 0 to {MOST_BITS:g} bits (given: {sub_bits:g})")
        changes = []
        for at, breaks, index in self.changes():
            item = self.reconfigurations[index]
            link = item.old if breaks else item.new
            changes.append({"seconds": at, "id": item.id, "breaks": breaks, "link": link})
        return {
            "dispatchers": self.dispatchers,
            "links": self.edges,
            "wanted": [[int(name), row] for name, row in self.subscriptions.items()],
            "changes": changes,
            "run": to_run(protocol, sub_bits, self.t_u, self.t_s),
        }

    def _play(self, tree: _Links) -> None:
        """Raises ValueError for what cannot happen when it should."""
        ids = [item.id for item in self.reconfigurations]
        for at, breaks, index in self.changes():
            item, key = self.reconfigurations[index], f"reconfigurations.{index}"
            if ids.index(item.id) != index:
                raise ValueError(f"{key}.id: {item.id} is there twice")
            if sorted(item.old) == sorted(item.new):
                raise ValueError(f"{key}.new: a link cannot replace itself")
            if breaks:
                tree.remove(item.old, f"{key}.old", at)
                continue
            low, high = min(item.old), max(item.old)
            way = tree.way(low, high, item.new, f"{key}.new", at)
            for name, given, found in (("head", item.head, way[0]), ("tail", item.tail, way[1])):
                if given is not None and given != found:
                    raise ValueError(f"{key}.{name}: the way is {found} (given: {given})")
            tree.add(item.new, f"{key}.new")


def _nanoseconds(seconds: float) -> int:
    return round(seconds * 1e9)


class _Links:
    """The links that are up."""

    def __init__(self, dispatchers: int) -> None:
        self._neighbours: list[set[int]] = [set() for _ in range(dispatchers)]

    def add(self, link: Link, key: str) -> None:
        one, other = link
        if max(link) >= len(self._neighbours):
            raise ValueError(f"{key}: no dispatcher {max(link)}; the highest is {len(self._neighbours) - 1}")
        if self._path(one, other):
            raise ValueError(f"{key}: the link {one}-{other} would close a cycle")
        self._neighbours[one].add(other)
        self._neighbours[other].add(one)

    def remove(self, link: Link, key: str, at: float) -> None:
        one, other = link
        if max(link) >= len(self._neighbours) or other not in self._neighbours[one]:
            raise ValueError(f"{key}: there is no link {one}-{other} at {at:g} s")
        self._neighbours[one].remove(other)
        self._neighbours[other].remove(one)

    def way(self, low: int, high: int, new: Link, key: str, at: float) -> tuple[list[int], list[int]]:
        """From one end of a lost link to the new link, and from there to its other end."""
        for one, other in (new, new[::-1]):
            if max(new) < len(self._neighbours):
                head, tail = self._path(low, one), self._path(other, high)
                if head and tail:
                    return head, tail
        raise ValueError(f"{key}: {new[0]}-{new[1]} does not connect the parts of {low}-{high} at {at:g} s")

    def _path(self, start: int, end: int) -> list[int]:
        """The way from one dispatcher to another, both included; empty if there is none."""
        before = {end: end}
        queue = deque([end])
        while queue and start not in before:
            node = queue.popleft()
            for neighbour in self._neighbours[node] - before.keys():
                before[neighbour] = node
                queue.append(neighbour)
        path = [start] if start in before else []
        while path and path[-1] != end:
            path.append(before[path[-1]])
        return path


def read_world(path: Path) -> World:
    """Reads a world. Raises ConfigurationError, which names file and key."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=_each_once)
    except OSError as error:
        raise ConfigurationError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path}: not a text file: {error}") from None
    except json.JSONDecodeError as error:
        raise ConfigurationError(f"{path}:{error.lineno}: no JSON: {error.msg}") from None
    except KeyError as error:
        raise ConfigurationError(f"{path}: the key {error} is there twice") from None
    except RecursionError:
        raise ConfigurationError(f"{path}: lists and objects are nested too deeply") from None
    if not isinstance(content, dict):
        raise ConfigurationError(f"{path}: a world is a JSON object with name, dispatchers, edges, ...")
    return checked(World, content, str(path))


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON. Raises KeyError for a key that it has twice: its first value would go unnoticed."""
    content: dict[str, Any] = {}
    for key, value in pairs:
        if key in content:
            raise KeyError(key)
        content[key] = value
    return content


def run_world(world: World, protocol: str, sub_bits: float = 1000.0) -> dict[str, Any]:
    """What a protocol (by its short name) needs: `messages` by kind, `normalised_cost`, `involved`.

    `sub_bits` is the size of a SUB, of which the times on links of 10 Mbit/s follow; `involved` counts
    dispatchers by reconfiguration; `faults` tells what in the tables is not as built from scratch at the end.
    """
    result = run_overlay("RunGivenWorld", world.to_request(SHORT[protocol], sub_bits))
    order = [index for _, breaks, index in world.changes() if breaks]
    involved = dict(zip(order, result["involved"], strict=True))
    return {
        "messages": {kind: int(hops) for kind, (hops, _, _) in result["messages"].items()},
        "normalised_cost": round(sum((cost for _, _, cost in result["messages"].values()), 0.0), 6),
        "involved": [involved[index] for index in range(len(order))],
        "faults": result["faults"],
    }
