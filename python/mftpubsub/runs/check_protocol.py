"""Whether a protocol of one's own is a function of its seed: what differs between processes must not show."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory

from mftpubsub.errors import RunError
from mftpubsub.protocols.own_protocol import OwnProtocol
from mftpubsub.scenario.mobility import RandomWaypoint
from mftpubsub.scenario.nodes import Group
from mftpubsub.scenario.roles import Broker, Publisher, Subscriber
from mftpubsub.scenario.scenario import Scenario

SEEDS = (1, 2)
#: Of Python's hashes of texts: the order of sets depends on them.
HASH_SEEDS = ("1", "2")


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
    for seed in SEEDS:
        yield seed, _compare(scenario_of_check(protocol, seed))


def _compare(scenario: Scenario) -> str | Difference:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "scenario.yaml"
        file.write_text(scenario.to_yaml(), encoding="utf-8")
        with ThreadPoolExecutor() as threads:
            first, second = threads.map(partial(_trace, file), HASH_SEEDS)
    if first == second:
        return sha256(first).hexdigest()
    pairs = zip_longest(first.decode().splitlines(), second.decode().splitlines(), fillvalue="")
    line, lines = next((line, pair) for line, pair in enumerate(pairs, 1) if pair[0] != pair[1])
    return Difference(scenario.seed, line, *lines)


def _trace(scenario: Path, hash_seed: str) -> bytes:
    out = scenario.with_name(f"{hash_seed}.trace.gz")
    paths = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(
        [sys.executable, "-m", "mftpubsub", "run", scenario, "--trace", out, "--quiet"],
        env=os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RunError(done.stderr.strip().removeprefix("mftpubsub: "))
    return gzip.decompress(out.read_bytes())
