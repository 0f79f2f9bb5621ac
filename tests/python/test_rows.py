"""Tables of many runs: some rows at a time in memory, and the same whatever is."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
import pytest
from test_pipeline import COUNTED, SHORT, SILENT

from mftpubsub.pipeline import answers, rows, tables
from mftpubsub.pipeline.rows import Rows
from mftpubsub.pipeline.stored import store
from mftpubsub.pipeline.workers import Processes

if TYPE_CHECKING:
    from conftest import WriteRun


def made(folder: Path) -> dict[str, bytes]:
    tables.make(Processes(1), folder)
    return {path.name: path.read_bytes() for path in folder.glob("tables/*")}


@pytest.fixture
def study(write_run: WriteRun, tmp_path: Path) -> Path:
    """Runs on an axis and beside it; some of the latter are where others are on the axis."""
    scenario = {"area": [35, 35], "nodes": [{"roles": ["broker"]}], "duration": 3, "speed": 2}
    for number, (protocol, speed, seed) in enumerate(product(("aodv", "phoenix"), (10, 2.5), (2, 10, 1))):
        lines = (COUNTED, SHORT, SILENT)[number % 3]
        for value in (20, 3):
            place = f"C8 duration {value}"
            folder = write_run(lines, protocol, place, speed, seed, axes={"duration": value})
            told = (folder / "run.json").read_text()
            (folder / "run.json").write_text(told.replace(f'"{place}"', '"C8"'))
        write_run(SHORT, protocol, "C8", speed, seed, scenario=scenario)
        write_run(SHORT, protocol, "C2", speed, seed, scenario=scenario, unknown=["delay_mean_s"])
    store(Processes(1), tmp_path)
    return tmp_path


@pytest.mark.slow
def test_tables_are_the_same_however_few_rows_are_in_memory(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = made(study)
    many: list[pd.DataFrame] = []
    frames = Rows.frames

    def noted(self: Rows, arranged: Any) -> Any:
        for frame in frames(self, arranged):
            many.append(frame)
            yield frame

    monkeypatch.setattr(Rows, "frames", noted)
    monkeypatch.setattr(rows, "SOME", 1)
    monkeypatch.setattr(answers, "shares", lambda held, _: [(part,) for part in sorted(held.parts)])
    apart = made(study)
    assert len(many) > 30
    assert max(frame["seed"].nunique() for frame in many) == 3
    for name, content in together.items():
        if name.endswith(".csv"):
            assert apart[name] == content
        else:
            before, now = (pd.read_parquet(pa.BufferReader(found)) for found in (content, apart[name]))
            pd.testing.assert_frame_equal(now, before)


def test_a_table_without_rows_has_its_columns(write_run: WriteRun, tmp_path: Path) -> None:
    write_run(SILENT)
    store(Processes(1), tmp_path)
    assert made(tmp_path)["losses.csv"] == b"protocol,config,speed_mps,seed,cause,pairs\n"
    assert pd.read_parquet(tmp_path / "tables/losses.parquet").empty


def test_a_run_s_rows_keep_their_order(tmp_path: Path) -> None:
    columns: dict[str, list[Any]] = {
        "protocol": ["b", "a", "b"],
        "config": ["C"] * 3,
        "speed_mps": [2.0] * 3,
        "seed": [1] * 3,
    }
    found = Rows(tmp_path, pa.Table.to_pandas)
    found.add(pa.table(columns | {"kind": ["z", "y", "x"]}))
    found.add(pa.table({name: values[:1] for name, values in columns.items()} | {"kind": ["w"]}))
    (frame,) = found.frames(lambda runs: runs.iloc[[1, 2, 0]])
    assert [*frame["kind"]] == ["z", "x", "w", "y"]
    assert [*frame.columns] == [*columns, "kind"]


def test_a_disk_that_is_full_is_told_by_the_spill(tmp_path: Path) -> None:
    (tmp_path / "0").symlink_to("/dev/full")
    columns = {"protocol": ["a"], "config": ["C"], "speed_mps": [2.0], "seed": [1], "value": [1.0]}
    with pytest.raises(OSError, match="No space left on device"):
        Rows(tmp_path, pa.Table.to_pandas).add(pa.table(columns))
