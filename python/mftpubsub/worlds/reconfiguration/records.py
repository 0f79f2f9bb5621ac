"""What a run leaves: a table of records, and its metrics by the SQL that Spark runs over all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from mftpubsub.metrics.database import small_database
from mftpubsub.worlds.reconfiguration.scenario import BIN

if TYPE_CHECKING:
    import pandas as pd

#: What names a run: a series of a study, the value of what varies (0 if nothing does), protocol and seed.
RUN_KEYS = {"series": "string", "x": "double", "protocol": "string", "seed": "bigint"}
#: A record: its kind, of what (a kind of message, the index of a reconfiguration, a time in s), a number.
FIELDS = {"record": "string", "of": "string", "value": "double"}

#: The query files of this package.
QUERIES = ("runs", "messages", "bins")


@cache
def query(name: str) -> str:
    """Text of the query file `name`, one of QUERIES."""
    return files("mftpubsub.worlds.reconfiguration").joinpath(f"{name}.sql").read_text(encoding="utf-8")


def to_records(result: Mapping[str, Any], dispatchers: int) -> pd.DataFrame:
    """The records of one run, of what C++ gave of it; columns as FIELDS."""
    import pandas as pd

    return pd.DataFrame(_records(result, dispatchers), columns=[*FIELDS])


def _records(result: Mapping[str, Any], dispatchers: int) -> Iterator[tuple[str, str, float]]:
    yield "dispatchers", "", dispatchers
    for kind, (hops, telling, cost) in result["messages"].items():
        yield "hops", kind, hops
        yield "telling_hops", kind, telling
        yield "cost", kind, cost
    for index, count in enumerate(result["involved"]):
        yield "involved", str(index), count
    yield "event_hops", "", result["eventHops"]
    yield "good_event_hops", "", result["goodEventHops"]
    yield "faults", "", len(result["faults"])
    for name in ("expected", "delivered", "traffic"):
        for index, value in enumerate(result[name]):
            yield name, f"{index * BIN:.9g}", value


def metrics_of(records: pd.DataFrame) -> dict[str, float]:
    """The metrics of one run (runs.sql)."""
    trace = records.assign(series="", x=0.0, protocol="", seed=1)
    with small_database() as connection:
        connection.register("records", trace)
        row = connection.execute(query("runs")).df().iloc[0]
    return {str(name): float(value) for name, value in row.items() if name not in RUN_KEYS}
