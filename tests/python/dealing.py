"""How tests are dealt out where they run in several processes (`make test`)."""

from __future__ import annotations

import functools
from pathlib import Path

from xdist.scheduler import LoadFileScheduling


class ByFile(LoadFileScheduling):  # type: ignore[misc]
    """Those of a file stay together, and so do all that share a session of Spark, which is dear to start."""

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.partition("::")[0]
        return "spark" if shares_spark(self.config.rootpath / path) else path


@functools.cache
def shares_spark(path: Path) -> bool:
    return "spark: SparkSession" in path.read_text()
