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

from common import HERE, Cost, arguments, cost_of, median, publish, spread

import mftpubsub
from mftpubsub.metrics.table import query
from mftpubsub.runs.run import run_to_directory
from mftpubsub.trace import trace_format
from mftpubsub.trace.layout import RUN_KEYS, run_folder

#: The one run that all studies here are made of.
ORIGINAL = HERE.parent / "build" / "benchmark-run"
THESIS = HERE.parent / "configs" / "thesis.yaml"
#: Lines; with --full those of FULL_LINES too, which are read once.
LINES, FULL_LINES = (10**6, 10**7), (3 * 10**7, 10**8)


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
    parser = arguments(__doc__, 3, full="3 * 10^7 and 10^8 lines too, once")
    parser.add_argument("--cores", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--engine", choices=("duckdb", "pandas"), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    told = parser.parse_args()
    if told.engine == "duckdb":
        with_duckdb(told.folder, told.cores)
    elif told.engine == "pandas":
        with_pandas(told.folder)
    else:
        sizes = dict.fromkeys(LINES, told.repetitions) | dict.fromkeys(FULL_LINES if told.full else (), 1)
        publish("pipeline", compare(sizes, told.cores), told.full)


def compare(sizes: dict[int, int], cores: int) -> list[dict[str, Any]]:
    """A row for each size, which is read so often, and engine."""
    rows: list[dict[str, Any]] = []
    smallest: dict[str, tuple[int, float]] = {}
    for size, repetitions in sizes.items():
        for engine in ("spark", "duckdb", "pandas"):
            costs = []
            for _ in range(repetitions):
                with tempfile.TemporaryDirectory(dir=HERE.parent / "build") as scratch:
                    lines = make_study(Path(scratch), size)
                    costs.append(measure(engine, Path(scratch), cores))
            rows.append(row(engine, lines, costs, smallest))
            print(json.dumps(rows[-1]), file=sys.stderr)
    return rows


def row(engine: str, lines: int, costs: list[Cost], smallest: dict[str, tuple[int, float]]) -> dict[str, Any]:
    """`smallest` keeps, by engine, lines and CPU s of the first size, of which most is start-up."""
    cpu_s = median([cost.cpu_s for cost in costs])
    first_lines, first_s = smallest.setdefault(engine, (lines, cpu_s))
    more = lines - first_lines
    return {
        "engine": engine,
        "lines": lines,
        "runs": len(costs),
        "CPU s": spread([cost.cpu_s for cost in costs]),
        "wall s": spread([cost.wall_s for cost in costs]),
        "lines/s (wall)": lines / median([cost.wall_s for cost in costs]),
        "CPU us/line": 1e6 * cpu_s / lines,
        "CPU us/line, start-up apart": 1e6 * (cpu_s - first_s) / more if more else None,
        "peak MiB": max(cost.peak_mib for cost in costs),
    }


if __name__ == "__main__":
    main()
