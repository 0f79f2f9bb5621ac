"""How tests are dealt out where they run in several processes (`make test`)."""

from __future__ import annotations

import functools
from pathlib import Path

from xdist.scheduler import LoadFileScheduling


class ByFile(LoadFileScheduling):  # type: ignore[misc]
    """Those of a file stay together, and those that share what is dear: a session of Spark, a swept study."""

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.partition("::")[0]
        return "shared" if shares(self.config.rootpath / path) else path


@functools.cache
def shares(path: Path) -> bool:
    text = path.read_text()
    return "spark: SparkSession" in text or "undisturbed: Done" in text
