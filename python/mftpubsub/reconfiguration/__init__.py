"""Protocols that repair the tables of a dispatching tree whose links change (Cugola et al., here C)."""

from mftpubsub.lab.overlay import OverlayLab
from mftpubsub.reconfiguration.run import OverlayResult, run
from mftpubsub.reconfiguration.scenario import Dispatchers, OverlayScenario, Patterns, Reconfiguration, Timers
from mftpubsub.reconfiguration.study import OverlayStudy, Series, sweep_study
from mftpubsub.reconfiguration.world import World, read_world, run_world

__all__ = [
    "Dispatchers",
    "OverlayLab",
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
