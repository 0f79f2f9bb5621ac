"""Movement files, read before ns-3 does: it would end the process, or guess, where we can tell the line."""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from mftpubsub.scenario.part import MAX_HEIGHT
from mftpubsub.scenario.positions import Waypoint

NUMBER = r"([-+]?\d+\.?\d*(?:[eE][-+]?\d+)?)"
PLACE = re.compile(rf"\$node_\((\d+)\) set ([XYZ])_ {NUMBER}")
AT = rf"\$ns_ at {NUMBER} "
LATER_PLACE = re.compile(rf'{AT}"\$node_\((\d+)\) set ([XYZ])_ {NUMBER}"')
GO = re.compile(rf'{AT}"\$node_\((\d+)\) setdest {NUMBER} {NUMBER} {NUMBER}"')
#: What setdest writes besides: distances in hops, which nobody needs here.
IGNORED = re.compile(r"(#.*|\$god_ .*|\$ns_ at \S+ \"\$god_ .*\")?")


def sha256(path: str | Path, wanted: str | None = None) -> str:
    """SHA-256 of a file, hex. Raises ValueError if it is no file or not the one that is `wanted`."""
    if not Path(path).is_file():
        raise ValueError(f"no file {path}")
    digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    if wanted not in (None, digest):
        raise ValueError(f"{path} has changed: its SHA-256 is {digest}, not {wanted}")
    return digest


def is_bonnmotion(path: str) -> bool:
    """Whether the file is in BonnMotion's own format."""
    return path.endswith((".movements", ".movements.gz"))


def check(path: str, area: tuple[float, float], count: int) -> None:
    """Raises ValueError unless the file moves nodes 0 to `count` - 1 within `area` (m x m)."""
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
    opener = gzip.open if path.endswith(".gz") else open
    paths = []
    with opener(path, "rt", encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            where = f"{path}:{number}"
            try:
                values = [float(word) for word in line.split()]
            except ValueError as error:
                raise ValueError(f"{where}: {error}") from None
            if not values or len(values) % 3:
                raise ValueError(f"{where}: {len(values)} numbers, which is no list of `t x y`")
            way: list[Waypoint] = list(zip(values[::3], values[1::3], values[2::3], strict=True))
            paths.append(way)
    check_times(paths, path)
    return paths


def check_times(paths: Sequence[Sequence[Waypoint]], where: str) -> None:
    """Raises ValueError unless each path begins at time 0 and goes on in time."""
    for node, path in enumerate(paths):
        if path[0][0] != 0:
            raise ValueError(f"{where}: nobody knows where node {node} is from 0 s to {path[0][0]:g} s")
        for (earlier, *_), (later, *_) in pairwise(path):
            if later <= earlier:
                raise ValueError(
                    f"{where}: node {node} has a waypoint at {later:g} s after one at {earlier:g} s"
                )


@lru_cache
def _read_ns2(path: str, _: int) -> dict[int, list[tuple[float, float]]]:
    """Where each node is at first and goes to, m. Raises ValueError that names the line."""
    text = Path(path).read_text(encoding="utf-8")
    points: dict[int, list[tuple[float, float]]] = {}
    places: dict[int, dict[str, float]] = {}
    for number, line in _lines(text):
        if go := GO.fullmatch(line):
            time, node, x, y, speed = (float(word) for word in go.groups())
            if time < 0 or speed < 0:
                raise ValueError(f"{path}:{number}: a negative {'time' if time < 0 else 'speed'}")
            points.setdefault(int(node), []).append((x, y))
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
    for node in sorted(points.keys() | places.keys()):
        if lacking := {"X", "Y"} - places.get(node, {}).keys():
            raise ValueError(f"{path}: node {node} has no position at first (set {min(lacking)}_)")
        points.setdefault(node, []).insert(0, (places[node]["X"], places[node]["Y"]))
    return points


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their numbers, spaces made single."""
    for number, line in enumerate(text.splitlines(), 1):
        yield number, " ".join(line.split())
