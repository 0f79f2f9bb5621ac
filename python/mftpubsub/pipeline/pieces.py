"""Which runs become a part together, and into which ranges a large one is cut."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

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


def kept(held: Manifest, gone: Iterable[str]) -> list[Piece]:
    """Parts that hold a run that goes or changes are written anew, without it."""
    there: dict[str, list[str]] = {}
    gone = {*gone}
    touched = set()
    for name, names in zip(held.column("name"), held.column("parts"), strict=True):
        for part in names:
            if name in gone:
                touched.add(part)
            else:
                there.setdefault(part, []).append(name)
    return [
        Piece(_partition(there[part][0]), kept=((part, (*there[part],)),))
        for part in sorted(touched)
        if part in there and part in held.parts
    ]


def new(folder: Folder, names: Sequence[str], sizes: Mapping[str, int], cores: int) -> Iterator[Piece]:
    """Small runs of a protocol and configuration together, large ones in ranges; `sizes`: of traces, B."""
    small = [name for name in names if sizes[name] < LARGE]
    even = math.ceil(sum(sizes[name] + EACH for name in small) / (4 * cores))
    share = min(_MOST, max(_LEAST, even))
    for partition, group in groupby(small, _partition):
        waiting: list[str] = []
        room = share
        for name in group:
            waiting.append(name)
            room -= sizes[name] + EACH
            if room <= 0:
                yield Piece(partition, (*waiting,))
                waiting, room = [], share
        if waiting:
            yield Piece(partition, (*waiting,))
    for name in names:
        if sizes[name] >= LARGE:
            yield from _of_large(folder, name, sizes[name])


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
