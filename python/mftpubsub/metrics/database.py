"""A database for what is small: one a process, for to start one takes as long as a short run's metrics."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any


@contextmanager
def small_database() -> Iterator[Any]:
    """A connection that computes in the caller's thread. What it creates is to be TEMP, and ends with it."""
    with _of_process(os.getpid()).cursor() as connection:
        yield connection


@cache
def _of_process(_number: int) -> Any:
    """A fork makes one of its own: its parent's may have been at work."""
    import duckdb

    return duckdb.connect(config={"threads": 1})
