"""The metrics, as metrics.yaml has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from math import inf
from string import Template
from typing import Any

from mftpubsub.shipped import read_table


@dataclass(frozen=True)
class Metric:
    """One row. `values` are the least and the largest that it can be; None if it is no number."""

    name: str
    meaning: str
    unit: str = ""
    values: tuple[float, float] | None = None
    heading: str = ""
    """What it is called in print; without one by its name."""
    printed: str = ""
    """Its unit in print."""
    factor: float = 1.0
    """By what values are multiplied for print."""

    @property
    def called(self) -> str:
        """What it is called in print."""
        return self.heading or self.name

    @property
    def title(self) -> str:
        """The same with its unit."""
        return ", ".join(filter(None, (self.called, self.printed)))

    @property
    def possible(self) -> tuple[float, float]:
        """The least and the largest that it can be, as it is printed."""
        low, high = self.values or (-inf, inf)
        return low * self.factor, high * self.factor


def query(name: str) -> str:
    """Text of a query file: metrics, frames_by_kind, losses, delays or measured."""
    return files("mftpubsub.metrics").joinpath(f"{name}.sql").read_text(encoding="utf-8")


def measure(connection: Any, keys: Iterable[str]) -> None:
    """Makes the view `trace` of what counts, of the relation `everything`: runs told apart by `keys`."""
    warm = "SELECT 1 FROM everything WHERE layer = 'run' AND kind = 'WARM' LIMIT 1"
    what = "SELECT * FROM everything"
    if connection.execute(warm).fetchone():
        what = Template(query("measured")).substitute(keys=", ".join(keys))
    connection.execute(f"CREATE TEMP VIEW trace AS {what}")


def _read() -> dict[str, list[Metric]]:
    content = read_table("mftpubsub.metrics", "metrics.yaml")
    return {of: [_metric(row) for row in rows] for of, rows in content.items()}


def _metric(row: Mapping[str, Any]) -> Metric:
    values = row.get("range")
    rest = {key: value for key, value in row.items() if key != "range"}
    return Metric(**rest, values=(float(values[0]), float(values[1])) if values else None)


_TABLES = _read()
#: Those of a run, and those that only a study has beside them.
OF_RUNS, OF_STUDIES = _TABLES["run"], _TABLES["study"]
METRICS: Mapping[str, Metric] = {metric.name: metric for metric in (*OF_RUNS, *OF_STUDIES)}
