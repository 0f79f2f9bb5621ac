"""How tests are dealt out where they run in several processes (`make test`)."""

from __future__ import annotations

import functools
from pathlib import Path

from xdist.scheduler import LoadFileScheduling


class ByFile(LoadFileScheduling):  # type: ignore[misc]
    """Those of a file stay together, and those that share what is dear: a session of Spark, a swept study."""

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.partition("::")[0]
        return shares(self.config.rootpath / path) or path


@functools.cache
def thorough() -> tuple[str, ...]:
    """What ids of tests begin with that are left to `make thorough`."""
    lines = Path(__file__).with_name("thorough.txt").read_text().splitlines()
    return tuple(line for line in lines if not line.startswith("#"))


@functools.cache
def shares(path: Path) -> str | None:
    """What a file shares with others; those that share both are with the swept study, which takes longer."""
    text = path.read_text()
    dear = {"a study": "undisturbed: Done", "Spark": "spark: SparkSession"}
    return next((name for name, fixture in dear.items() if fixture in text), None)
