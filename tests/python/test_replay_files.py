"""What is wrong in the files of `experiment replay`: told with file, column and what would be right."""

from __future__ import annotations

from pathlib import Path

import pytest

from mftpubsub.castalia import experiments
from mftpubsub.errors import ConfigurationError

FILES = {
    "loss": "tx_cell,rx_cell,pathloss_db\n0,1,60\n1,0,60\n",
    "place": "time_s,node,x,y\n0,0,1,1\n0,1,8,1\n1,0,2,1\n",
    "tx": "on_air_start_s,node\n0.5,0\n",
}


def replay(folder: Path, files: dict[str, str], field: float | None = None) -> int:
    """The number of receptions."""
    paths = {name: folder / f"{name}.csv" for name in files}
    for name, text in files.items():
        paths[name].write_text(text, encoding="utf-8")
    return len(experiments.replay(paths["loss"], paths["place"], paths["tx"], field))


def test_files_that_are_right_are_replayed(tmp_path: Path) -> None:
    assert replay(tmp_path, FILES) == 1


@pytest.mark.parametrize(
    ("file", "was", "now", "said"),
    [
        ("place", "0,1,8,1", "0,2,8,1", r"place.csv: column node: node 1 has no position at 0 s, the first"),
        ("place", "0,1,8,1\n", "0.5,1,8,1\n", r"node 1 has no position at 0 s, the first time; each node fr"),
        ("place", "0,1,8,1", "0,1.5,8,1", r"place.csv, line 3: column node: 1.5; expected whole numbers fro"),
        (
            "place",
            "0,1,8,1",
            "0,-1,8,1",
            r"place.csv, line 3: column node: -1; expected whole numbers from 0",
        ),
        ("place", "0,1,8,1", "0,1,11,1", r"line 3: column x: 11; expected 0 to 10, the side of the field in"),
        ("place", "1,0,2,1", "1,0,2,-3", r"line 4: column y: -3; expected 0 to 10, the side of the field in"),
        ("place", "0,0,1,1\n0,1", "-1,0,1,1\n-1,1", r"line 2: column time_s: -1; expected no number below 0"),
        ("tx", "0.5,0", "-0.5,0", r"tx.csv, line 2: column on_air_start_s: -0.5; expected no number below 0"),
        (
            "tx",
            "0.5,0",
            "0.5,7",
            r"tx.csv: column node: node 7 has no position; positions are of nodes 0 to 1",
        ),
        ("tx", "0.5,0", "0.5,-1", r"tx.csv, line 2: column node: -1; expected whole numbers from 0 on"),
        ("loss", "0,1,60", "0.5,1,60", r"loss.csv, line 2: column tx_cell: 0.5; expected whole numbers from"),
        (
            "loss",
            "0,1,60\n1,0,60\n",
            "",
            r"loss.csv: no row below the heading; expected values of tx_cell, rx",
        ),
    ],
)
def test_what_is_wrong_in_a_file_is_told(tmp_path: Path, file: str, was: str, now: str, said: str) -> None:
    assert was in FILES[file]
    with pytest.raises(ConfigurationError, match=said):
        replay(tmp_path, {**FILES, file: FILES[file].replace(was, now)}, field=10)


def test_positions_below_0_are_refused_where_the_field_is_what_the_cells_need(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="column x: -8; expected no number below 0"):
        replay(tmp_path, {**FILES, "place": FILES["place"].replace("0,1,8,1", "0,1,-8,1")})
