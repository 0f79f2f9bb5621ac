"""Whether a protocol of one's own is a function of its seed: what differs between processes must not show."""

from __future__ import annotations

import datetime
import gzip
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

from mftpubsub.errors import MftPubsubError, RunError, ending
from mftpubsub.notes import be_quiet
from mftpubsub.protocols.own_protocol import OwnProtocol
from mftpubsub.runs.run import run
from mftpubsub.scenario.mobility import RandomWaypoint
from mftpubsub.scenario.nodes import Group
from mftpubsub.scenario.roles import Broker, Publisher, Subscriber
from mftpubsub.scenario.scenario import Scenario

SEEDS = (1, 2)
#: Of Python's hashes of texts: the order of sets depends on them.
HASH_SEEDS = ("1", "2")
#: s: another year and weekday, and an odd number of hours, minutes and seconds.
_AHEAD = 466 * 86400 + 3661.0


@dataclass(frozen=True)
class Difference:
    """Where two traces of one scenario first differ."""

    seed: int
    line: int
    """Of the trace, from 1."""
    first: str
    second: str
    """The lines; empty where a trace has ended."""

    def __str__(self) -> str:
        lines = zip(HASH_SEEDS, (self.first, self.second), strict=True)
        told = (f"  PYTHONHASHSEED={seed}: {line or '(the trace has ended)'}" for seed, line in lines)
        return "\n".join((f"seed {self.seed}: line {self.line} of the trace differs", *told))


def scenario_of_check(protocol: str | OwnProtocol, seed: int) -> Scenario:
    """A minute of the thesis's C4 at 8 m/s."""
    return Scenario(
        area=(45, 45),
        nodes=[
            Group(count=2, roles=[Publisher(stop=50.0)]),
            Group(count=4, roles=[Subscriber()]),
            Group(count=4, roles=[Broker()]),
        ],
        mobility=RandomWaypoint(speed=8.0),
        duration=60,
        protocol=protocol,
        seed=seed,
    )


def check_seeds(protocol: str | OwnProtocol) -> Iterator[tuple[int, str | Difference]]:
    """Each seed with the SHA-256 of its trace, or where the traces of two processes differ.

    Raises RunError with what a process says that fails. The protocol is one that files can name.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        text = scenario_of_check(protocol, SEEDS[0]).to_yaml()
        (folder / "scenario.yaml").write_text(text, encoding="utf-8")
        with ThreadPoolExecutor() as threads:
            for _ in threads.map(partial(_begin, folder), HASH_SEEDS):
                pass
        for seed in SEEDS:
            first, second = (gzip.decompress(_trace(folder, each, seed).read_bytes()) for each in HASH_SEEDS)
            yield seed, sha256(first).hexdigest() if first == second else _difference(seed, first, second)


def _difference(seed: int, first: bytes, second: bytes) -> Difference:
    pairs = zip_longest(first.decode().splitlines(), second.decode().splitlines(), fillvalue="")
    line, lines = next((line, pair) for line, pair in enumerate(pairs, 1) if pair[0] != pair[1])
    return Difference(seed, line, *lines)


def _trace(folder: Path, hash_seed: str, seed: int) -> Path:
    return folder / f"{hash_seed}-{seed}.trace.gz"


def _begin(folder: Path, hash_seed: str) -> None:
    """Makes the traces in a process of its own."""
    paths = os.pathsep.join(path for path in sys.path if path)
    code = f"from {__name__} import make_traces; make_traces({str(folder)!r}, {hash_seed!r})"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RunError(done.stderr.strip() or f"the process died: {ending(done.returncode)}")


class _Ahead(datetime.datetime):
    """It reads the module `time`, as `today` does anyway."""

    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> Self:
        return cls.fromtimestamp(time.time(), tz)

    @classmethod
    def utcnow(cls) -> Self:
        return cls.now(datetime.UTC).replace(tzinfo=None)


def _set_clocks_ahead() -> None:
    """What the module `time` says of now, and `datetime` with it."""
    clocks: dict[str, Callable[..., Any]] = {}
    for name in ("time", "monotonic", "perf_counter"):
        clocks[name] = partial(_later, vars(time)[name], _AHEAD)
        clocks[f"{name}_ns"] = partial(_later, vars(time)[f"{name}_ns"], int(_AHEAD * 1e9))
    for name in ("localtime", "gmtime", "ctime"):
        clocks[name] = partial(_of_seconds, vars(time)[name])
    asctime, strftime = time.asctime, time.strftime
    clocks["asctime"] = lambda *of: asctime(*of or (time.localtime(),))
    clocks["strftime"] = lambda form, *of: strftime(form, *of or (time.localtime(),))
    vars(time).update(clocks)
    vars(datetime)["datetime"] = _Ahead


def _later(clock: Callable[[], Any], by: float) -> Any:
    return clock() + by


def _of_seconds(convert: Callable[[float], Any], seconds: float | None = None) -> Any:
    return convert(time.time() if seconds is None else seconds)


def make_traces(folder: str, hash_seed: str) -> None:
    """What one of the two processes does: the clock of the second one is ahead."""
    be_quiet()
    if hash_seed != HASH_SEEDS[0]:
        _set_clocks_ahead()
    try:
        scenario = Scenario.from_yaml(Path(folder) / "scenario.yaml")
        for seed in SEEDS:
            run(scenario.replace(seed=seed), _trace(Path(folder), hash_seed, seed))
    except MftPubsubError as error:
        sys.exit(str(error))
