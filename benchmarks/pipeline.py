"""The Spark pipeline (`mftpubsub ingest`), pandas and DuckDB on the same traces: time per line and memory."""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from common import HERE, Cost, cost_of, publish

import mftpubsub
from mftpubsub.runs.run import run_to_directory
from mftpubsub.trace import trace_format
from mftpubsub.trace.layout import RUN_KEYS, run_folder
from mftpubsub.trace.sql import query

#: The one run that all studies here are made of.
ORIGINAL = HERE.parent / "build" / "benchmark-run"
THESIS = HERE.parent / "configs" / "thesis.yaml"


def make_study(folder: Path, lines: int) -> int:
    """Fills DIR/runs with links to the trace of one thesis-size run. Returns the number of lines."""
    case = mftpubsub.load(THESIS).case(protocol="mft-pubsub", config="C32", speed=8, seed=1)
    original = ORIGINAL / run_folder(case)
    if not original.exists():
        run_to_directory(case, ORIGINAL)
    metadata = json.loads((original / "run.json").read_text(encoding="utf-8"))
    with gzip.open(original / "trace.gz", "rb") as file:
        each = sum(1 for _ in file) - 1
    copies = max(1, round(lines / each))
    for seed in range(1, copies + 1):
        run = folder / "runs" / run_folder(case.replace(seed=seed))
        run.mkdir(parents=True)
        os.link(original / "trace.gz", run / "trace.gz")
        (run / "run.json").write_text(json.dumps(metadata | {"seed": seed}), encoding="utf-8")
    return each * copies


def with_duckdb(folder: Path, cores: int) -> None:
    """Traces to Parquet and to the tables, by the pipeline's own SQL."""
    import duckdb

    types = ", ".join(f"'{column.name}': '{column.type.upper()}'" for column in trace_format.columns())
    names = ", ".join(column.name for column in trace_format.columns())
    keys = ", ".join(f"CAST({key.split('_')[0]} AS {type_}) AS {key}" for key, type_ in RUN_KEYS.items())
    parts = ", ".join(key.split("_")[0] for key in RUN_KEYS)
    with duckdb.connect() as connection:
        connection.execute(f"SET threads = {cores}; SET preserve_insertion_order = false")
        connection.execute(
            f"""COPY (SELECT {names}, {parts} FROM read_csv('{folder}/runs/*/*/*/*/trace.gz', delim = ' ',
                quote = '', escape = '', nullstr = '-', skip = 1, header = false, auto_detect = false,
                hive_partitioning = true, hive_types_autocast = false, columns = {{{types}}}))
                TO '{folder}/duckdb' (FORMAT parquet, PARTITION_BY ({parts}))"""
        )
        connection.execute(
            f"""CREATE VIEW trace AS SELECT {names}, {keys} FROM
                read_parquet('{folder}/duckdb/*/*/*/*/*.parquet', hive_partitioning = true,
                hive_types_autocast = false)"""
        )
        for table in ("metrics", "frames_by_kind", "losses"):
            connection.execute(query(table)).df().to_csv(folder / f"duckdb-{table}.csv")


def with_pandas(folder: Path) -> None:
    """Traces to Parquet, frames by kind and the delivered pairs' delays, a run at a time."""
    import pandas as pd

    columns = [column.name for column in trace_format.columns()]
    tables = []
    for trace in sorted((folder / "runs").rglob("trace.gz")):
        frame = pd.read_csv(trace, sep=" ", names=columns, na_values="-", skiprows=1, quoting=3)
        frame.to_parquet(folder / f"pandas-{trace.parent.name}.parquet")
        frames = frame[frame.layer == "radio"].groupby("kind").size()
        pair = ["publisher", "sequence", "subscriber"]
        published = frame[frame.kind == "PUBLISH"].set_index(pair[:2]).time_s
        delivered = frame[frame.kind == "DELIVER"].groupby(pair).time_s.min().reset_index()
        delays = (
            delivered.time_s - published.reindex(pd.MultiIndex.from_frame(delivered[pair[:2]])).to_numpy()
        )
        delivered_share = len(delivered) / len(frame[frame.kind == "SEND"])
        tables.append(
            frames.to_dict() | {"rate": delivered_share} | delays.quantile([0.5, 0.95, 0.99]).to_dict()
        )
    pd.DataFrame(tables).to_csv(folder / "pandas.csv")


def measure(engine: str, folder: Path, cores: int) -> Cost:
    if engine == "spark":
        program = Path(sys.executable).with_name("mftpubsub")
        return cost_of([program, "ingest", str(folder), "--master", f"local[{cores}]"])
    return cost_of(
        [sys.executable, __file__, "--engine", engine, "--folder", str(folder), "--cores", str(cores)]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=float, nargs="+", default=[1e6, 1e7, 1e8])
    parser.add_argument("--cores", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--engine", choices=("duckdb", "pandas"), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.engine == "duckdb":
        with_duckdb(arguments.folder, arguments.cores)
    elif arguments.engine == "pandas":
        with_pandas(arguments.folder)
    else:
        compare([int(lines) for lines in arguments.lines], arguments.cores)


def compare(sizes: list[int], cores: int) -> None:
    rows: list[dict[str, Any]] = []
    smallest: dict[str, tuple[int, Cost]] = {}
    for size in sizes:
        for engine in ("spark", "duckdb", "pandas"):
            with tempfile.TemporaryDirectory(dir=HERE.parent / "build") as scratch:
                lines = make_study(Path(scratch), size)
                cost = measure(engine, Path(scratch), cores)
            first_lines, first = smallest.setdefault(engine, (lines, cost))
            more = lines - first_lines
            rows.append(
                {
                    "engine": engine,
                    "lines": lines,
                    "CPU s": cost.cpu_s,
                    "wall s": cost.wall_s,
                    "lines/s (wall)": lines / cost.wall_s,
                    "CPU us/line": 1e6 * cost.cpu_s / lines,
                    "CPU us/line, start-up apart": 1e6 * (cost.cpu_s - first.cpu_s) / more if more else None,
                    "peak MiB": cost.peak_mib,
                }
            )
            print(json.dumps(rows[-1]), file=sys.stderr)
    publish("pipeline", rows)


if __name__ == "__main__":
    main()
