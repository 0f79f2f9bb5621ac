"""Filters of the simulator, asked one by one."""

from __future__ import annotations

from typing import Any

from mftpubsub.simulator.checks import filter_problem
from mftpubsub.simulator.library import core


def parse(text: str) -> Any:
    """A C++ filter. Raises ValueError that says what was expected, and where."""
    if problem := filter_problem(text):
        raise ValueError(f"{text!r} is no filter: {problem}")
    return core("content/content-codec.h").Filter.Parse(text)


def matches(filter: Any, wire: bytes) -> bool:
    """Whether a filter of `parse` matches the event that goes over the air as `wire`."""
    return bool(core("content/content-codec.h").MatchesWire(filter, wire))
