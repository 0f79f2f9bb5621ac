"""From the tables of ns-3's traces to the records of a run of ours."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
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
#: Addresses that an error names.
_NAMED = 5


def write_trace(tables: Path, trace: Path, nodes: list[Node], ports: list[int]) -> list[str]:
    """Makes the trace of a run of the tables in the folder `tables` (`ns3_ip/*.parquet`, ...).

    `nodes` is what the user says of them, `ports` the UDP ports of the application, by default all but those
    of routing and configuration. Returns where FlowMonitor counted otherwise. Raises TraceError for an
    address that two nodes own, for datagrams to one that nobody owns, for fragments, and for ports to which
    nothing was sent.
    """
    with _connected(tables, nodes, ports) as connection:
        connection.execute(_script())
        _check_owners(connection)
        _check_datagrams(connection, tables, ports)
        _write(connection, trace)
        return [*_differences(connection)]


@contextmanager
def _connected(tables: Path, nodes: list[Node], ports: list[int]) -> Iterator[Any]:
    import duckdb

    with tempfile.TemporaryDirectory(prefix="mftpubsub-") as spill, duckdb.connect() as connection:
        connection.execute("SET temp_directory = ?", [spill])
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
def _script() -> str:
    return files("mftpubsub.pipeline.ns3").joinpath("records.sql").read_text(encoding="utf-8")


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


def _check_datagrams(connection: Any, tables: Path, ports: list[int]) -> None:
    if not (tables / "ns3_ip").is_dir():
        return
    unowned = connection.execute(
        "SELECT DISTINCT dst FROM datagrams WHERE subscriber IS NULL ORDER BY dst"
    ).fetchall()
    if unowned:
        named = ", ".join(address for (address,) in unowned[:_NAMED])
        raise TraceError(
            f"nobody is seen to own {named}, to which the application sends: "
            "--nodes tells who does (columns id, address)"
        )
    later = "FROM ns3_ip SEMI JOIN datagrams USING (src, dst) WHERE ip_protocol = 17 AND fragment_offset > 0"
    if connection.execute(f"{later} LIMIT 1").fetchall():
        raise TraceError(
            "datagrams of the application are fragmented: the text does not tell when one is whole"
        )
    if ports and not connection.execute("FROM datagrams LIMIT 1").fetchall():
        seen = connection.execute(
            "SELECT DISTINCT dst_port FROM ns3_ip WHERE ip_protocol = 17 AND dst_port > 0 ORDER BY ALL"
        ).fetchall()
        named = ", ".join(str(port) for (port,) in seen) or "none"
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
            FROM datagrams
            LEFT JOIN arrivals ON arrivals.publisher = datagrams.publisher
                AND arrivals.sequence = datagrams.sequence AND arrivals.copy = 1
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
