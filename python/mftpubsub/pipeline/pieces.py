"""Which runs become a part together, and into which ranges a large one is cut."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import pyarrow as pa
from pyarrow import compute

from mftpubsub.folders import Folder
from mftpubsub.pipeline.integrity import RUNS
from mftpubsub.pipeline.manifest import Manifest
from mftpubsub.pipeline.parts import Piece
from mftpubsub.trace.blocks import is_in_blocks
from mftpubsub.trace.layout import TRACE

#: B of a trace from which on it has parts of its own, and B of it that become one.
LARGE, RANGE = 2**23, 2**24
#: B of small traces that become one part: at most, and at least if there are so many of a kind.
_MOST, _LEAST = 2**25, 2**18
#: B: a trace counts for so much more, since to open it takes time.
EACH = 2**13


def kept(held: Manifest, gone: Sequence[str]) -> list[Piece]:
    """Parts that hold a run that goes or changes are written anew, without it."""
    if not gone:
        return []
    column = held.runs.column("parts").combine_chunks()
    of_run, names = compute.list_parent_indices(column), column.flatten()
    goes = compute.is_in(held.runs.column("name"), pa.array(gone, pa.string())).take(of_run)
    touched = compute.unique(names.filter(goes.combine_chunks()))
    stays = compute.and_(compute.is_in(names, touched), compute.invert(goes)).combine_chunks()
    there: dict[str, list[str]] = {}
    for part, name in zip(
        names.filter(stays).to_pylist(),
        held.runs.column("name").take(of_run.filter(stays)).to_pylist(),
        strict=True,
    ):
        there.setdefault(part, []).append(name)
    return [
        Piece(_partition(there[part][0]), kept=((part, (*there[part],)),))
        for part in sorted(there)
        if part in held.parts
    ]


def new(folder: Folder, names: Sequence[str], sizes: Iterable[int], cores: int) -> Iterator[Piece]:
    """Small runs of a protocol and configuration together, large ones in ranges; `sizes`: of traces, B."""
    small: list[tuple[str, int]] = []
    large: list[tuple[str, int]] = []
    for name, size in zip(names, map(int, sizes), strict=True):
        (small if size < LARGE else large).append((name, size))
    even = math.ceil(sum(size + EACH for _, size in small) / (4 * cores))
    share = min(_MOST, max(_LEAST, even))
    for partition, group in groupby(small, lambda run: _partition(run[0])):
        waiting: list[str] = []
        room = share
        for name, size in group:
            waiting.append(name)
            room -= size + EACH
            if room <= 0:
                yield Piece(partition, (*waiting,))
                waiting, room = [], share
        if waiting:
            yield Piece(partition, (*waiting,))
    for name, size in large:
        yield from _of_large(folder, name, size)


def _of_large(folder: Folder, name: str, size: int) -> Iterator[Piece]:
    partition = _partition(name)
    yield Piece(partition, split=name, is_digest=True)
    for begin, end in ranges(folder, name, size):
        yield Piece(partition, split=name, begin=begin, end=end)


def ranges(folder: Folder, name: str, size: int) -> list[tuple[int, int | None]]:
    """The ranges of a run's trace of `size` B that tasks may read; one without end if it is in one piece."""
    try:
        with folder.opened(f"{RUNS}/{name}/{TRACE}") as file:
            can_be_split = size > RANGE and is_in_blocks(file)
    except OSError:
        can_be_split = False  # who reads it tells
    if not can_be_split:
        return [(0, None)]
    return [(begin, min(begin + RANGE, size)) for begin in range(0, size, RANGE)]


def _partition(name: str) -> str:
    return "/".join(name.split("/")[:2])
