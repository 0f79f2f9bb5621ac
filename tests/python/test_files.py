"""Tables and texts as files: what they hold, their size, and what is said of folders that are only read."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mftpubsub import files
from mftpubsub.errors import ConfigurationError
from mftpubsub.trace.file import TraceFile


def test_a_parquet_table_holds_all_and_takes_less_than_pandas_s(tmp_path: Path) -> None:
    draw = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "protocol": draw.choice(["aodv", "mft-pubsub"], 2000),
            "seed": pd.array(np.arange(2000), dtype="Int64"),
            "delay": pd.array(draw.random(2000), dtype="Float64"),
            "rate": draw.integers(0, 97, 2000) / 97,
            "failed": draw.random(2000) < 0.5,
        }
    )
    frame.loc[7, ["seed", "delay"]] = pd.NA
    files.write_parquet(frame, tmp_path / "ours.parquet")
    frame.to_parquet(tmp_path / "theirs.parquet", index=False)
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "ours.parquet"), frame, check_exact=True)
    sizes = [(tmp_path / name).stat().st_size for name in ("ours.parquet", "theirs.parquet")]
    assert sizes[0] < 0.75 * sizes[1]


def test_an_error_names_the_file_that_users_know(tmp_path: Path) -> None:
    def refused(name: str | None) -> str:
        with (
            pytest.raises(OSError, match="no") as error,
            files.written(tmp_path / "claims.csv") as unfinished,
        ):
            raise OSError(errno.EACCES, "no", str(unfinished) if name == "" else name)
        return str(error.value.filename)

    assert refused("") == refused(None) == str(tmp_path / "claims.csv")  # None: of a full disk
    assert refused("another") == "another"


def test_nothing_takes_the_place_of_what_is_no_regular_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, tmp_path, Path()):
        with pytest.raises(ConfigurationError, match="is no regular file"):
            files.write_text(path, "text")
        with pytest.raises(ConfigurationError, match="is no regular file"):
            TraceFile(path)
    assert [*tmp_path.iterdir()] == [pipe]
    assert pipe.is_fifo()


def test_links_and_devices_in_dev_are_not_replaced() -> None:
    for name in ("null", "stdout", "new"):
        with pytest.raises(ConfigurationError, match="is no regular file"):
            files.need_replaceable(Path("/dev", name))


def test_links_to_files_are_replaced(tmp_path: Path) -> None:
    whole, link = tmp_path / "whole", tmp_path / "link"
    whole.write_text("whole")
    link.symlink_to(whole)
    files.write_text(link, "new")
    assert (link.read_text(), whole.read_text(), link.is_symlink()) == ("new", "whole", False)


def test_a_folder_that_is_only_read_is_told_before_anything_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.need_writable(tmp_path)
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(PermissionError, match="denied") as error:
        files.need_writable(tmp_path)
    assert error.value.filename == str(tmp_path)
