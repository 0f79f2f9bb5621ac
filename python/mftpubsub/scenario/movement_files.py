"""Movement files, read before ns-3 does: it would end the process, or guess, where we can tell the line."""

from __future__ import annotations

import gzip
import hashlib
import re
import zlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from math import dist
from pathlib import Path
from typing import NamedTuple

from mftpubsub.errors import ConfigurationError
from mftpubsub.scenario.numerals import number_of
from mftpubsub.scenario.part import MAX_HEIGHT
from mftpubsub.scenario.positions import Waypoint

#: s; ns-3's clock counts nanoseconds, up to some 9e9 s.
NEAREST, LATEST, LONGEST_LEG = 2e-9, 1e7, 1e9
FASTEST = 1e4  # m/s

NUMBER = r"([-+]?\d+\.?\d*(?:[eE][-+]?\d+)?)"
PLACE = re.compile(rf"\$node_\((\d+)\) set ([XYZ])_ {NUMBER}", re.ASCII)
AT = rf"\$ns_ at {NUMBER} "
LATER_PLACE = re.compile(rf'{AT}"\$node_\((\d+)\) set ([XYZ])_ {NUMBER}"', re.ASCII)
GO = re.compile(rf'{AT}"\$node_\((\d+)\) setdest {NUMBER} {NUMBER} {NUMBER}"', re.ASCII)
#: What setdest writes besides: distances in hops, which nobody needs here.
IGNORED = re.compile(r"(#.*|\$god_ .*|\$ns_ at \S+ \"\$god_ .*\")?")


def sha256(path: str | Path, wanted: str | None = None) -> str:
    """SHA-256 of a file, hex. Raises ConfigurationError if it is no file or not the one that is `wanted`."""
    _need(path)
    digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    if wanted not in (None, digest):
        raise ConfigurationError(f"{path} has changed: its SHA-256 is {digest}, not {wanted}")
    return digest


def _need(path: str | Path) -> None:
    if not Path(path).is_file():
        raise ConfigurationError(f"no file {path}")


def is_bonnmotion(path: str) -> bool:
    """Whether the file is in BonnMotion's own format."""
    return path.endswith((".movements", ".movements.gz"))


def check(path: str, area: tuple[float, float], count: int) -> None:
    """Raises ValueError unless the file moves nodes 0 to `count` - 1 within `area` (m x m)."""
    _need(path)
    if is_bonnmotion(path):
        nodes = {node: [(x, y) for _, x, y, *_ in way] for node, way in enumerate(read_bonnmotion(path))}
    else:
        nodes = _read_ns2(path, Path(path).stat().st_mtime_ns)
    if missing := [node for node in range(count) if node not in nodes]:
        raise ValueError(f"{path}: node {missing[0]} has no position; {count} nodes move by this file")
    if extra := sorted(node for node in nodes if node >= count):
        raise ValueError(
            f"{path}: it moves node {extra[0]}, but only {count} nodes move by it, 0 to {count - 1}"
        )
    for node, points in nodes.items():
        for x, y in points:
            if not (0 <= x <= area[0] and 0 <= y <= area[1]):
                raise ValueError(
                    f"{path}: node {node} goes to ({x:g}, {y:g}), outside the area, "
                    f"{area[0]:g} m x {area[1]:g} m"
                )


def read_bonnmotion(path: str) -> list[list[Waypoint]]:
    """The waypoints (s, m, m) of each node. Raises ValueError that names the line."""
    paths = []
    for number, line in enumerate(_text(path).splitlines(), 1):
        where = f"{path}:{number}"
        values = [float(number_of(word, where)) for word in line.split()]
        if not values or len(values) % 3:
            raise ValueError(f"{where}: {len(values)} numbers, which is no list of `t x y`")
        way: list[Waypoint] = list(zip(values[::3], values[1::3], values[2::3], strict=True))
        check_times(way, number - 1, where)
        paths.append(way)
    return paths


def _text(path: str) -> str:
    """What is in a file, perhaps compressed. Raises ValueError that names it."""
    content = Path(path).read_bytes()
    try:
        return (gzip.decompress(content) if path.endswith(".gz") else content).decode()
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"{path}: no file of gzip, or not all of it: {error}") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: no file of text in UTF-8: {error}") from None


def check_times(way: Sequence[Waypoint], node: int, where: str) -> None:
    """Raises ValueError unless the waypoints of `node` begin at time 0 and go on in time."""
    if way[0][0] != 0:
        raise ValueError(f"{where}: nobody knows where node {node} is from 0 s to {way[0][0]:g} s")
    for (earlier, *_), (later, *_) in pairwise(way):
        if not later <= LATEST:
            raise ValueError(
                f"{where}: node {node} has a waypoint at {later:g} s; times are up to {LATEST:g} s"
            )
        if later - earlier < NEAREST:
            raise ValueError(
                f"{where}: node {node} has a waypoint at {later:.12g} s after one at {earlier:.12g} s; "
                f"the next is {NEAREST:g} s later at least"
            )


class _Go(NamedTuple):
    """A line of ns-2's that sends a node somewhere."""

    line: int
    time: float
    to: tuple[float, float]
    speed: float


@lru_cache
def _read_ns2(path: str, _: int) -> dict[int, list[tuple[float, float]]]:
    """Where each node is at first and goes to, m. Raises ValueError that names the line."""
    goes: dict[int, list[_Go]] = {}
    places: dict[int, dict[str, float]] = {}
    for number, line in _lines(_text(path)):
        if go := GO.fullmatch(line):
            time, node, x, y, speed = (float(word) for word in go.groups())
            _check_go(time, speed, f"{path}:{number}")
            goes.setdefault(int(node), []).append(_Go(number, time, (x, y), speed))
        elif place := PLACE.fullmatch(line):
            if place[2] == "Z" and not 0 <= float(place[3]) <= MAX_HEIGHT:
                raise ValueError(f"{path}:{number}: heights are 0 to {MAX_HEIGHT:g} m, not {place[3]}")
            places.setdefault(int(place[1]), {})[place[2]] = float(place[3])
        elif later := LATER_PLACE.fullmatch(line):
            raise ValueError(f"{path}:{number}: node {later[2]} jumps; nodes go by setdest")
        elif not IGNORED.fullmatch(line):
            raise ValueError(
                f"{path}:{number}: neither `$node_(0) set X_ 1.5` nor "
                f'`$ns_ at 2.0 "$node_(0) setdest 3.0 4.0 1.5"`: {line!r}'
            )
    points: dict[int, list[tuple[float, float]]] = {}
    for node in sorted(goes.keys() | places.keys()):
        if lacking := {"X", "Y"} - places.get(node, {}).keys():
            raise ValueError(f"{path}: node {node} has no position at first (set {min(lacking)}_)")
        way = goes.get(node, [])
        points[node] = [(places[node]["X"], places[node]["Y"]), *(go.to for go in way)]
        _check_way(path, node, way, points[node])
    return points


def _check_go(time: float, speed: float, where: str) -> None:
    if time < 0 or speed < 0:
        raise ValueError(f"{where}: a negative {'time' if time < 0 else 'speed'}")
    if time > LATEST:
        raise ValueError(f"{where}: times are up to {LATEST:g} s, not {time:g}")
    if speed > FASTEST:
        raise ValueError(f"{where}: speeds are up to {FASTEST:g} m/s, not {speed:g}")


def _check_way(path: str, node: int, way: list[_Go], points: list[tuple[float, float]]) -> None:
    """Raises ValueError unless `node` goes on in time, and arrives: ns-3 takes its lines in their order."""
    for before, go in pairwise(way):
        if go.time < before.time:
            raise ValueError(
                f"{path}:{go.line}: node {node} goes at {go.time:g} s, and at {before.time:g} s in line "
                f"{before.line}: sort the lines by time"
            )
    corners = ([min(values), max(values)] for values in zip(*points, strict=True))
    most = dist(*zip(*corners, strict=True))
    for go in way:
        if go.speed and most / go.speed > LONGEST_LEG:
            raise ValueError(
                f"{path}:{go.line}: node {node} may take {most / go.speed:g} s at {go.speed:g} m/s, and "
                f"{LONGEST_LEG:g} s are possible: choose a higher speed, or 0"
            )


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their numbers, spaces made single."""
    for number, line in enumerate(text.splitlines(), 1):
        yield number, " ".join(line.split())
