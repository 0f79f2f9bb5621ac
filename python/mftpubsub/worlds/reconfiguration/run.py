"""One run of an overlay scenario."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from mftpubsub.worlds.reconfiguration.records import metrics_of, to_records
from mftpubsub.worlds.reconfiguration.scenario import OverlayScenario, simulate

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class OverlayResult:
    """What a run gave: `records` (columns record, of, value), and `metrics` of them (runs.sql)."""

    scenario: OverlayScenario
    records: pd.DataFrame

    @cached_property
    def metrics(self) -> dict[str, float]:
        return metrics_of(self.records)


def run(scenario: OverlayScenario) -> OverlayResult:
    """Runs a scenario. Raises ConfigurationError if it cannot be run."""
    return OverlayResult(scenario, to_records(simulate(scenario), scenario.dispatchers.count))
