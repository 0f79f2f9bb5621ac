"""How tests are dealt out where they run in several processes (`make test`)."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadFileScheduling

TESTS = Path(__file__).parent


class ByFile(LoadFileScheduling):  # type: ignore[misc]
    """Those of a file stay together, and so do all that share a session of Spark, which is dear to start."""

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.partition("::")[0]
        return "spark" if _shares_spark(path) else path


@functools.cache
def _shares_spark(path: str) -> bool:
    return "spark: SparkSession" in (TESTS.parent / path).read_text()


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFile:
    return ByFile(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Has what takes longest begin first."""
    items.sort(key=lambda item: not _shares_spark(item.nodeid.partition("::")[0]))
