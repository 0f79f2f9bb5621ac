"""Protocols that repair the tables of a dispatching tree whose links change (Cugola et al., here C)."""

from mftpubsub.sources.cugola.study import OverlayStudy, Series, sweep_study
from mftpubsub.worlds.reconfiguration.run import OverlayResult, run
from mftpubsub.worlds.reconfiguration.scenario import (
    Dispatchers,
    OverlayScenario,
    Patterns,
    Reconfiguration,
    Timers,
)
from mftpubsub.worlds.reconfiguration.world import World, read_world, run_world

__all__ = [
    "Dispatchers",
    "OverlayResult",
    "OverlayScenario",
    "OverlayStudy",
    "Patterns",
    "Reconfiguration",
    "Series",
    "Timers",
    "World",
    "read_world",
    "run",
    "run_world",
    "sweep_study",
]
