"""From the tables of ns-3's traces to the records of a run of ours."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pyarrow as pa

from mftpubsub.errors import TraceError
from mftpubsub.pipeline.ns3.nodes import Node
from mftpubsub.pipeline.ns3.tables import TABLES
from mftpubsub.trace import trace_format
from mftpubsub.trace.file import TraceFile

_LINES = 2**16
#: What the database keeps in memory; the rest is in files.
_MEMORY = "1GB"
#: s: from then on six digits of a time are 1 ms or more.
_COARSE = 100
#: Addresses that an error names.
_NAMED = 5


#: How datagrams are told to be one event: by what their payload says, by their time, or never.
EVENT_BY = ("payload", "time", "datagram")
#: s: what a publisher sends within this time may be one event for several.
_AT_ONCE = 0.001


def write_trace(
    tables: Path, trace: Path, nodes: list[Node], ports: list[int], event_by: str = EVENT_BY[0]
) -> list[str]:
    """Makes the trace of a run of the tables in the folder `tables` (`ns3_ip/*.parquet`, ...).

    `nodes` is what the user says of them, `ports` the UDP ports of the application, by default all but those
    of routing and configuration. Datagrams of a publisher to several are one event by `event_by`. Returns
    what was left out, and where FlowMonitor counted otherwise. Raises TraceError for an address that two
    nodes own, for datagrams to one that nobody owns, and for ports to which nothing was sent.
    """
    with _connected(tables, nodes, ports) as connection:
        to_datagrams, to_records = _scripts()
        connection.execute(to_datagrams)
        _check_owners(connection)
        _check_datagrams(connection, tables)
        _check_ports(connection, ports)
        connection.register("event_of", _events(connection, event_by))
        connection.execute(to_records)
        _write(connection, trace)
        return [*_left_out(connection), *_rounded(connection), *_differences(connection)]


@contextmanager
def _connected(tables: Path, nodes: list[Node], ports: list[int]) -> Iterator[Any]:
    import duckdb

    with (
        tempfile.TemporaryDirectory(prefix="mftpubsub-") as spill,
        duckdb.connect(config={"temp_directory": spill, "memory_limit": _MEMORY}) as connection,
    ):
        connection.execute("SET preserve_insertion_order = true")
        for name, table in TABLES.items():
            parts = sorted(str(path) for path in (tables / name).glob("*.parquet"))
            if parts:
                connection.read_parquet(
                    parts, file_row_number=True, filename=True, hive_partitioning=False
                ).create_view(name)
            else:
                schema = (
                    table.schema()
                    .append(pa.field("filename", pa.string()))
                    .append(pa.field("file_row_number", pa.int64()))
                )
                connection.register(name, schema.empty_table())
        given = [
            {"node": node.id, "roles": node.roles, "address": address}
            for node in nodes
            for address in node.addresses or (None,)
        ]
        schema = pa.schema([("node", pa.int32()), ("roles", pa.string()), ("address", pa.string())])
        connection.register("given", pa.Table.from_pylist(given, schema))
        connection.register("asked", pa.table({"port": pa.array(ports, pa.int32())}))
        yield connection


@cache
def _scripts() -> tuple[str, str]:
    """What makes the table of datagrams, and what makes records of it and of `event_of`."""
    text = files("mftpubsub.pipeline.ns3").joinpath("records.sql").read_text(encoding="utf-8")
    before, _, after = text.partition("-- ----")
    return before, after.partition("\n")[2]


def _events(connection: Any, event_by: str) -> pa.Table:
    """Which event each datagram is: `number` of the datagram, `sequence` of the event at its publisher.

    One event are datagrams of one node to different addresses and one port that carry the same id of ours;
    or that begin within 1 ms and, by payload, have the same number of SeqTsHeader. So are the datagrams that
    go to one group from several addresses of a node.
    """
    rows = connection.execute("""
        SELECT number, publisher, dst_port, published_s, told_publisher, own_sequence,
            CASE WHEN is_group(dst) THEN dst END AS to_group,
            CASE WHEN is_group(dst) THEN src ELSE dst END AS way
        FROM datagrams ORDER BY publisher, published_s, number
    """).fetchall()
    open_events: dict[tuple[Any, ...], _Event] = {}
    counts: dict[int, int] = {}
    numbers, sequences = [], []
    for number, publisher, port, published_s, told_publisher, told, to_group, way in rows:
        says = (told_publisher, told) if event_by == "payload" else (None, None)
        key = (publisher, port, to_group, *says)
        is_one = event_by == "time" or told is not None or to_group
        event = open_events.get(key)
        time_s = -math.inf if says[0] is not None else published_s
        if event_by == "datagram" or not is_one or event is None or not event.takes(way, time_s):
            counts[publisher] = counts.get(publisher, 0) + 1
            event = open_events[key] = _Event(counts[publisher], published_s, set())
        event.ways.add(way)
        numbers.append(number)
        sequences.append(event.sequence)
    return pa.table({"number": pa.array(numbers, pa.int64()), "sequence": pa.array(sequences, pa.int64())})


@dataclass
class _Event:
    sequence: int
    begin_s: float
    ways: set[str]

    def takes(self, way: str, time_s: float) -> bool:
        """Whether a datagram that went that way at that time is of this event, too."""
        return time_s - self.begin_s <= _AT_ONCE + 1e-9 and way not in self.ways


def _left_out(connection: Any) -> Iterator[str]:
    """What the text or the captures have of the application, and no event is made of."""
    tcp, nameless, fragments, strangers, passing, early = connection.execute("""
        SELECT
            (SELECT count(*) FROM sightings WHERE op = 't' AND ip_protocol = 6),
            (SELECT count(*) FROM sightings WHERE op = 't' AND app IN ('DATA', 'ECHO') AND ip_id IS NULL),
            (SELECT count(*) FROM sightings WHERE op = 't' AND ip_protocol = 44),
            (SELECT count(*) FROM wanted WHERE subscriber IS NULL),
            (SELECT count(*) FROM (
                SELECT 1 FROM datagram_lines
                GROUP BY src, dst, src_port, dst_port, ip_id HAVING max(generation) = 0
            )),
            (SELECT count(*) FROM (
                SELECT 1 FROM datagram_lines
                GROUP BY src, dst, src_port, dst_port, ip_id
                HAVING max(generation) > 0 AND bool_or(op = 'r' AND generation = 0)
            ))
    """).fetchone()
    if tcp:
        yield f"{tcp} TCP segments were sent: a stream has no events, so that they are in the tables only"
    if nameless:
        yield (
            f"{nameless} IPv6 datagrams were sent that nothing tells apart (SeqTsHeader would): they are in "
            "the tables only"
        )
    if fragments:
        yield f"{fragments} IPv6 fragments were sent: what is fragmented is in the tables only"
    if connection.execute("FROM of_flows LIMIT 1").fetchall():
        yield (
            "FlowMonitor tells counts and sums: each flow's datagrams are spread evenly over its time, and "
            "arrive after its mean delay; nodes are numbered by their addresses unless --nodes names them"
        )
    if passing:
        yield f"{passing} datagrams were seen on their way, but not where they were sent: they are left out"
    if early:
        yield f"{early} datagrams were received before they were sent: what came before that is left out"
    if strangers:
        yield f"{strangers} datagrams went to addresses that no node is seen to own: they are left out"


def _rounded(connection: Any) -> Iterator[str]:
    """How coarse a text's times are at its end, if that is 1 ms or more."""
    end_s, finer = connection.execute("""
        SELECT max(time_s), count(*) FILTER (
            WHERE time_s >= 1 AND time_s <> round(time_s, CAST(5 - floor(log10(time_s)) AS INTEGER))
        )
        FROM (SELECT time_s FROM ns3_ip UNION ALL SELECT time_s FROM ns3_phy)
    """).fetchone()
    if end_s and end_s >= _COARSE and not finer:
        step_ms = 10 ** (math.floor(math.log10(end_s)) - 2)
        yield (
            f"times of the text have six digits, at its end steps of {step_ms:g} ms: delays are no finer; "
            "captures are, and a stream of precision(9)"
        )


def _check_owners(connection: Any) -> None:
    rows = connection.execute(
        "SELECT address, list(node ORDER BY node) FROM owners GROUP BY ALL HAVING count(*) > 1 ORDER BY ALL"
    ).fetchall()
    if rows:
        address, owners = rows[0]
        raise TraceError(
            f"{address} is the address of nodes {' and '.join(map(str, owners))}: an address names one node; "
            "are these two networks? --nodes tells who owns what"
        )


def _check_datagrams(connection: Any, tables: Path) -> None:
    unowned = connection.execute(
        "SELECT DISTINCT dst FROM wanted WHERE subscriber IS NULL ORDER BY dst"
    ).fetchall()
    if unowned and (tables / "ns3_ip").is_dir():
        named = ", ".join(address for (address,) in unowned[:_NAMED])
        raise TraceError(
            f"nobody is seen to own {named}, to which the application sends: "
            "--nodes tells who does (columns id, address)"
        )


def _check_ports(connection: Any, ports: list[int]) -> None:
    """Of datagrams that were seen, else of FlowMonitor's flows."""

    def there(rows: str) -> bool:
        return bool(connection.execute(f"FROM {rows} LIMIT 1").fetchall())

    seen, sent = "sightings", "datagrams"
    if not there(seen):
        seen, sent = "ns3_flows", "ns3_flows WHERE ip_protocol = 17 AND dst_port IN (FROM asked)"
    if ports and there(seen) and not there(sent):
        found = connection.execute(
            f"SELECT DISTINCT dst_port FROM {seen} WHERE ip_protocol = 17 AND dst_port > 0 ORDER BY ALL"
        ).fetchall()
        named = ", ".join(str(port) for (port,) in found) or "none"
        raise TraceError(
            f"no datagram was sent to port {', '.join(map(str, ports))}; UDP ports in the trace: {named}"
        )


def _write(connection: Any, trace: Path) -> None:
    names = [column.name for column in trace_format.columns()]
    fields = ", ".join(f"coalesce(CAST({name} AS VARCHAR), '-')" for name in names)
    order = "time_s, rank, node, publisher, sequence, kind, peer, bytes"
    query = f"SELECT concat_ws(' ', {fields}) AS line FROM records ORDER BY {order}"
    with TraceFile(trace) as file:
        file.write(f"{trace_format.header()}\n".encode())
        for batch in connection.sql(query).to_arrow_reader(_LINES):
            file.write("".join(f"{line}\n" for line in batch.column("line").to_pylist()).encode("ascii"))
        file.complete()


def _differences(connection: Any) -> Iterator[str]:
    """Where FlowMonitor counted otherwise, if it was there."""
    rows = connection.execute("""
        WITH ours AS (
            SELECT src, dst, src_port, dst_port, count(*) AS sent, count(arrivals.copy) AS delivered
            FROM pairs
            LEFT JOIN arrivals ON arrivals.publisher = pairs.publisher AND arrivals.sequence = pairs.sequence
                AND arrivals.subscriber = pairs.subscriber AND arrivals.copy = 1
            WHERE NOT is_group(dst)
            GROUP BY ALL
        )
        SELECT src, dst, dst_port, sent, delivered, tx_packets, rx_packets
        FROM ours JOIN ns3_flows USING (src, dst, src_port, dst_port)
        WHERE ns3_flows.ip_protocol = 17 AND (sent <> tx_packets OR delivered <> rx_packets)
        ORDER BY ALL
    """).fetchall()
    for src, dst, port, sent, delivered, tx, rx in rows[:_NAMED]:
        yield (
            f"{src} to {dst}:{port}: {sent} sent and {delivered} delivered by the IP trace, "
            f"{tx} and {rx} by FlowMonitor"
        )
    if len(rows) > _NAMED:
        yield f"and {len(rows) - _NAMED} more flows that differ"
