"""What the simulator runs: scenarios, worlds of wires, hand-offs."""

from __future__ import annotations

import json
from typing import Any

from mftpubsub.errors import ConfigurationError
from mftpubsub.simulator.library import core, what


def load() -> None:
    """Loads the library: else the first to need it does."""
    core()


def source_hash() -> str:
    """SHA-256 (hex) of the simulator's sources."""
    return str(core().GetSourceHash())


def run(request: str, hooks: int) -> dict[str, Any]:
    """The RunCost of a RunRequest (JSON), run with the RunHooks at an address. Raises what C++ throws."""
    cost: dict[str, Any] = json.loads(str(core().Run(request, hooks)))
    return cost


def run_overlay(function: str, request: dict[str, Any]) -> dict[str, Any]:
    """A WorldReport, by a function of worlds/reconfiguration-request.h. Raises ConfigurationError."""
    ask = getattr(core("worlds/reconfiguration-request.h"), function)
    try:
        report: dict[str, Any] = json.loads(str(ask(json.dumps(request))))
    except Exception as error:
        raise ConfigurationError(what(error).rpartition("invalid_argument: ")[2]) from None
    return report


def handoff_world() -> Any:
    """The C++ namespace with RunHandoff and what it takes."""
    return core("worlds/handoff-world.h")


def run_handoff(scenario: Any) -> Any:
    """A HandoffResult. Raises ConfigurationError for an option that the scheme has not."""
    try:
        return handoff_world().RunHandoff(scenario)
    except Exception as error:
        raise ConfigurationError(what(error).rpartition("invalid_argument: ")[2]) from None


def link_level() -> Any:
    """The C++ namespace with Castalia's experiments."""
    return core("castalia/experiments.h")
