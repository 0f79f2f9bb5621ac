"""How tests are dealt out where they run in several processes (`make test`)."""

from __future__ import annotations

import functools
from pathlib import Path

from xdist.scheduler import LoadFileScheduling

ROOT = Path(__file__).parents[2]


class ByFile(LoadFileScheduling):  # type: ignore[misc]
    """Those of a file stay together, and so do all that share a session of Spark, which is dear to start."""

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.partition("::")[0]
        return "spark" if shares_spark(path) else path


@functools.cache
def shares_spark(path: str) -> bool:
    return "spark: SparkSession" in (ROOT / path).read_text()
