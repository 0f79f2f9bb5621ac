"""Traces to Parquet, without Spark: what is written, and what is refused and leaves nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest
from conftest import END

from mftpubsub.pipeline import integrity, records
from mftpubsub.trace import trace_format

if TYPE_CHECKING:
    from conftest import WriteRun

NAME = "protocol=mft-pubsub/config=C2/speed=2/seed=1"
FIELDS = "r 1.5 2 app DELIVER 3 4 5 6 7 8"


def take(folder: Path) -> str | None:
    """What is wrong with the run NAME, once it has been taken; a run is stored if and only if nothing is."""
    problem = records.take(folder / "runs", folder / "parquet", NAME)
    stored = [path.name for path in (folder / "parquet").rglob("*") if path.is_file()]
    assert stored == ([] if problem else [records.RECORDS])
    return problem.reason if problem else None


def rows(folder: Path) -> list[dict[str, object]]:
    found: list[dict[str, object]] = (
        pq.ParquetFile(folder / "parquet" / NAME / records.RECORDS).read().to_pylist()
    )
    return found


def test_each_field_comes_into_its_column_with_its_type(write_run: WriteRun, tmp_path: Path) -> None:
    write_run(f"{FIELDS}\n{END}")
    assert take(tmp_path) is None
    names = [column.name for column in trace_format.columns()]
    delivered, end = rows(tmp_path)
    assert delivered == dict(zip(names, ["r", 1.5, 2, "app", "DELIVER", 3, 4, 5, 6, 7, 8], strict=True))
    assert end == dict.fromkeys(names) | {"op": "-", "time_s": 20.0, "layer": "run", "kind": "END"}
    assert isinstance(end["time_s"], float)


def test_a_word_that_is_missing_is_null_and_one_without_letters_is_not(
    write_run: WriteRun, tmp_path: Path
) -> None:
    write_run(f"{FIELDS.replace('DELIVER', '-')}\n{FIELDS.replace('DELIVER', '')}\n{END}")
    assert take(tmp_path) is None
    assert [row["kind"] for row in rows(tmp_path)] == [None, "", "END"]


def test_a_run_whose_files_are_damaged_is_not_stored(write_run: WriteRun, tmp_path: Path) -> None:
    write_run(f"{FIELDS}\n{END}", trace_sha256="0" * 64)
    assert "SHA-256" in str(take(tmp_path))


def test_the_header_and_empty_lines_are_no_records(write_run: WriteRun, tmp_path: Path) -> None:
    write_run(f"{FIELDS}\n\n\n{FIELDS}\n{END}\n")
    assert take(tmp_path) is None
    assert len(rows(tmp_path)) == 3


@pytest.mark.parametrize("sign", ['"', "'", "\\", "#"])
def test_no_sign_but_a_space_separates_or_quotes(write_run: WriteRun, tmp_path: Path, sign: str) -> None:
    kind = f"{sign}a{sign}"
    write_run(f"{FIELDS.replace('DELIVER', kind)}\n{FIELDS}\n{END}")
    assert take(tmp_path) is None
    assert [row["kind"] for row in rows(tmp_path)] == [kind, "DELIVER", "END"]


@pytest.mark.parametrize("block", [128, 2**24])
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("r 1.5 2 app DELIVER 3 4 5 6 7", "10 fields instead of 11"),
        (f"{FIELDS} -", "12 fields instead of 11"),
        (FIELDS.replace("1.5", "1.5s"), "time_s is no double"),
        (FIELDS.replace("1.5", ""), "time_s is no double"),
        (FIELDS.replace("6", "6.5"), "sequence is no int"),
        (FIELDS.replace("6", "+6"), "sequence is no int"),
        (FIELDS.replace("6", "2147483648"), "sequence is out of range"),
        (FIELDS.replace("6", "-2147483649"), "sequence is out of range"),
    ],
)
def test_the_first_line_that_is_no_record_is_told(
    write_run: WriteRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int, line: str, said: str
) -> None:
    monkeypatch.setattr(records, "_BLOCK", block)
    write_run(f"{FIELDS}\n\n{END}\n{line}\n{END}\n{line}")
    assert take(tmp_path) == f"unreadable: line 5, {line!r}: {said}"


@pytest.mark.parametrize("number", ["2147483647", "-2147483648"])
def test_the_largest_and_the_smallest_number_are_in_range(
    write_run: WriteRun, tmp_path: Path, number: str
) -> None:
    write_run(f"{FIELDS.replace('6', number)}\n{END}")
    assert take(tmp_path) is None
    assert rows(tmp_path)[0]["sequence"] == int(number)
    write_run(f"{FIELDS.replace('6', number)}\nno record\n{END}")
    assert integrity.complaint(tmp_path / "runs" / NAME / "trace.gz") == (
        "line 3, 'no record': 2 fields instead of 11"
    )


ENERGY = "- 20 3 energy 42000000 - - - - - -"
DEPTH = "- 20 3 depth 1500 - - - - - -"
AFTER = "it comes after the END record"


@pytest.mark.parametrize("block", [128, 2**24])
@pytest.mark.parametrize(
    ("line", "said"),
    [
        (FIELDS.replace("1.5", "nan"), "time_s is no double"),
        (FIELDS.replace("1.5", "NaN"), "time_s is no double"),
        (FIELDS.replace("1.5", "inf"), "time_s is no double"),
        (FIELDS.replace("1.5", "-inf"), "time_s is no double"),
        (FIELDS.replace("1.5", "-"), "time_s is missing"),
        (FIELDS.replace("1.5", "1e999"), "time_s is out of range"),
        (FIELDS.replace("1.5", "1e10"), "time_s is out of range"),
        (FIELDS.replace("1.5", "-0.001"), "time_s is out of range"),
        (FIELDS.replace("1.5", "20.001"), "it is later than the end of the run, 20 s"),
        (ENERGY.replace("42000000", "much"), "kind is no whole number, as energy has, or it is too large"),
        (ENERGY.replace("42000000", "-1"), "kind is no whole number, as energy has, or it is too large"),
        (ENERGY.replace("42000000", "1.5"), "kind is no whole number, as energy has, or it is too large"),
        (ENERGY.replace("42000000", "-"), "kind is no whole number, as energy has, or it is too large"),
        (ENERGY.replace("42000000", "1" * 16), "kind is no whole number, as energy has, or it is too large"),
        (DEPTH.replace("1500", "x"), "kind is no whole number, as depth has, or it is too large"),
        (DEPTH.replace("1500", "1" * 10), "kind is no whole number, as depth has, or it is too large"),
        (DEPTH.replace("depth", "branch").replace("1500", ""), "kind is no whole number, as branch has, or"),
    ],
)
def test_a_record_that_says_nothing_is_told(
    write_run: WriteRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int, line: str, said: str
) -> None:
    monkeypatch.setattr(records, "_BLOCK", block)
    write_run("\n".join([FIELDS, "", line, *[FIELDS] * 9, END]))
    assert str(take(tmp_path)).startswith(f"damaged: line 4, {line!r}: {said}")


def test_records_of_the_largest_amounts_are_sound(write_run: WriteRun, tmp_path: Path) -> None:
    lines = [ENERGY.replace("42000000", "9" * 15), DEPTH.replace("1500", "9" * 9), DEPTH.replace("1500", "0")]
    write_run("\n".join([*lines, FIELDS.replace("1.5", "20"), FIELDS.replace("1.5", "0"), END]))
    assert take(tmp_path) is None
    assert len(rows(tmp_path)) == 6


@pytest.mark.parametrize("block", [128, 2**24])
@pytest.mark.parametrize("after", [FIELDS, END, f"{FIELDS}\n{END}", FIELDS.replace("1.5", "30")])
def test_nothing_comes_after_the_end(
    write_run: WriteRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int, after: str
) -> None:
    monkeypatch.setattr(records, "_BLOCK", block)
    write_run("\n".join([*[FIELDS] * 7, END, "", after]))
    first = after.splitlines()[0]
    assert take(tmp_path) == f"damaged: line 11, {first!r}: {AFTER}"


@pytest.mark.parametrize("lines", ["", FIELDS])
def test_a_run_has_an_end(write_run: WriteRun, tmp_path: Path, lines: str) -> None:
    write_run(lines)
    assert take(tmp_path) == "incomplete: 0 END records instead of one"


def test_an_end_of_something_else_is_none(write_run: WriteRun, tmp_path: Path) -> None:
    write_run("\n".join([END.replace("run", "fault"), END.replace("END", "BEGIN"), END]))
    assert take(tmp_path) is None


def test_a_task_that_is_done_again_writes_the_same_file_again(write_run: WriteRun, tmp_path: Path) -> None:
    write_run(f"{FIELDS}\n{END}")
    assert take(tmp_path) is None
    first = (tmp_path / "parquet" / NAME / records.RECORDS).read_bytes()
    assert take(tmp_path) is None
    assert (tmp_path / "parquet" / NAME / records.RECORDS).read_bytes() == first


def test_queries_see_the_records_of_the_runs_named_with_their_keys(
    write_run: WriteRun, tmp_path: Path
) -> None:
    """Also below a folder that is called as a part of a run's name is."""
    stored = tmp_path / "seed=7" / "[a]"
    for config, seed in (("2020-1-1", 1), ("1", 2), ("null", 3), ("a +b", 10)):
        trace = write_run(f"{FIELDS}\n" * seed + END, config=config, seed=seed)
        assert records.take(tmp_path / "runs", stored, str(trace.relative_to(tmp_path / "runs"))) is None
    names = [str(path.parent.relative_to(stored)) for path in stored.rglob(records.RECORDS)]
    count = "SELECT protocol, config, speed_mps, seed, count(*) AS n FROM trace GROUP BY ALL ORDER BY seed"
    rows, last = records.answer(stored, [count, "SELECT max(time_s) AS last FROM trace"], names)
    assert [tuple(row.values()) for row in rows.to_pylist()] == [
        ("mft-pubsub", config, 2.0, seed, seed + 1)
        for config, seed in (("2020-1-1", 1), ("1", 2), ("null", 3), ("a +b", 10))
    ]
    assert last.to_pylist() == [{"last": 20.0}]
    (of_one,) = records.answer(stored, [count], [name for name in names if name.endswith("=1")])
    assert of_one["config"].to_pylist() == ["2020-1-1"]


def test_what_cannot_be_written_is_no_fault_of_the_run(
    write_run: WriteRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    write_run(f"{FIELDS}\n{END}")
    monkeypatch.setattr("pyarrow.parquet.ParquetWriter.write_batch", full)
    with pytest.raises(OSError, match="No space left"):
        take(tmp_path)
    assert not [path for path in (tmp_path / "parquet").rglob("*") if path.is_file()]
