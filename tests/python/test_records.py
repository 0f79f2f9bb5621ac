"""Traces to Parquet, without Spark: what is written, and what is refused and leaves nothing."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest
from conftest import END

from mftpubsub.folders import folder_at
from mftpubsub.pipeline import integrity, parts, pieces, records
from mftpubsub.pipeline.answers import answer
from mftpubsub.pipeline.parts import Piece
from mftpubsub.trace import blocks, trace_format

if TYPE_CHECKING:
    from conftest import WriteRun

PARTITION = "protocol=mft-pubsub/config=C2"
NAME = f"{PARTITION}/speed=2/seed=1"
FIELDS = "r 1.5 2 app DELIVER 3 4 5 6 7 8"


def take(folder: Path) -> str | None:
    """What is wrong with the run NAME, once it has been taken; a run is stored if and only if nothing is."""
    made = parts.make(folder_at(folder), Piece(PARTITION, (NAME,)))
    stored = [path for path in (folder / "parquet").rglob("*") if path.is_file()]
    assert [*made.parts] == [path.relative_to(folder).as_posix() for path in stored]
    assert len(stored) == len(made.runs) == 1 - len(made.problems)
    return made.problems[NAME].reason if made.problems else None


def part_of(folder: Path) -> Path:
    (path,) = (folder / "parquet").rglob("part-*.parquet")
    return path


def rows(folder: Path) -> list[dict[str, object]]:
    found: list[dict[str, object]] = pq.ParquetFile(part_of(folder)).read().to_pylist()
    for row in found:
        assert (row.pop("speed_mps"), row.pop("seed")) == (2.0, 1)
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
        ("r 1.5 2 app DELIVER 3 4 - 6 7 8", "publisher is missing"),
        ("+ 1.5 2 app PUBLISH - 100 5 - - -", "sequence is missing"),
        ("+ 1.5 2 app SEND - - 5 6 - -", "subscriber is missing"),
        ("r 1.5 2 bound REACHABLE - - 5 6 - -", "subscriber is missing"),
        ("+ 1.5 2 broker MATCH - - - 6 7 -", "publisher is missing"),
        ("+ 1.5 2 app SUBSCRIBE - - - - - -", "subscriber is missing"),
    ],
)
def test_a_record_that_says_nothing_is_told(
    write_run: WriteRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int, line: str, said: str
) -> None:
    monkeypatch.setattr(records, "_BLOCK", block)
    write_run("\n".join([FIELDS, "", line, *[FIELDS] * 9, END]))
    assert str(take(tmp_path)).startswith(f"damaged: line 4, {line!r}: {said}")


def test_records_name_an_event_and_a_subscriber_where_they_have_one(
    write_run: WriteRun, tmp_path: Path
) -> None:
    published, subscribed = "+ 1.5 2 app PUBLISH - 100 5 6 - -", "+ 1.5 2 app SUBSCRIBE - - - - 7 -"
    of_ones_own = "t 1.5 2 radio DELIVER 3 40 - - - -"
    write_run("\n".join([published, subscribed, of_ones_own, END]))
    assert take(tmp_path) is None
    assert len(rows(tmp_path)) == 4


def test_records_of_the_largest_amounts_are_sound(write_run: WriteRun, tmp_path: Path) -> None:
    lines = [ENERGY.replace("42000000", "9" * 15), DEPTH.replace("1500", "9" * 9), DEPTH.replace("1500", "0")]
    write_run("\n".join([FIELDS.replace("1.5", "0"), *lines, FIELDS.replace("1.5", "20"), END]))
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
    first = part_of(tmp_path).read_bytes()
    assert take(tmp_path) is None
    assert part_of(tmp_path).read_bytes() == first


def test_queries_see_the_records_of_the_runs_named_with_their_keys(
    write_run: WriteRun, tmp_path: Path
) -> None:
    """Also below a folder that is called as a part of a run's name is."""
    study = tmp_path / "seed=7" / "[a]"
    study.mkdir(parents=True)
    for config, seed in (("2020-1-1", 1), ("1", 2), ("null", 3), ("a +b", 10)):
        write_run(f"{FIELDS}\n" * seed + END, config=config, seed=seed)
    (tmp_path / "runs").rename(study / "runs")
    folder = folder_at(study)
    names = [*integrity.survey(folder).runs]
    made = [parts.make(folder, Piece(name.rpartition("/speed")[0], (name,))) for name in names]
    (first,), *_ = found = [(*one.parts,) for one in made]
    count = "SELECT protocol, config, speed_mps, seed, count(*) AS n FROM trace GROUP BY ALL ORDER BY seed"
    everything = tuple(part for one in found for part in one)
    table, last = answer(folder, [count, "SELECT max(time_s) AS last FROM trace"], everything)
    assert [tuple(row.values()) for row in table.to_pylist()] == [
        ("mft-pubsub", config, 2.0, seed, seed + 1)
        for config, seed in (("2020-1-1", 1), ("1", 2), ("null", 3), ("a +b", 10))
    ]
    assert last.to_pylist() == [{"last": 20.0}]
    (of_one,) = answer(folder, [count], (first,))
    assert of_one["config"].to_pylist() == [names[0].split("/")[1].removeprefix("config=")]


def test_runs_of_one_kind_are_one_part_with_statistics(write_run: WriteRun, tmp_path: Path) -> None:
    names = []
    for seed in (1, 2, 3):
        folder = write_run(f"{FIELDS}\n{END}", seed=seed)
        names.append(folder.relative_to(tmp_path / "runs").as_posix())
    (folder / "trace.gz").write_bytes(b"damaged")
    made = parts.make(folder_at(tmp_path), Piece(PARTITION, (*names,)))
    assert made.runs.column("name").to_pylist() == names[:2]
    assert [*made.problems] == names[2:]
    group = pq.ParquetFile(part_of(tmp_path)).metadata.row_group(0)
    seed = group.column(group.num_columns - 1)
    assert (seed.path_in_schema, seed.statistics.min, seed.statistics.max) == ("seed", 1, 2)
    assert group.num_rows == 4


@pytest.fixture
def large(write_run: WriteRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run of 20 blocks, as large ones are, and what is stored of it when it is read as a whole."""
    monkeypatch.setattr(blocks, "BLOCK", 500)
    lines = [FIELDS.replace("1.5", f"{number // 12}.5") for number in range(19 * 12)]
    folder = write_run(f"{FIELDS}\n{END}")
    write_trace(folder, [trace_format.header(), *lines, END])
    return folder


def write_trace(folder: Path, lines: list[str]) -> None:
    cutter = blocks.Cutter()
    text = "".join(f"{line}\n" for line in lines).encode()
    content = cutter.add(text) + cutter.end()
    (folder / "trace.gz").write_bytes(content)
    told = json.loads((folder / "run.json").read_text())
    told |= {"trace_bytes": len(content), "trace_sha256": hashlib.sha256(content).hexdigest()}
    (folder / "run.json").write_text(json.dumps(told))


def take_in_ranges(folder: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> parts.Made:
    monkeypatch.setattr(pieces, "LARGE", 1)
    monkeypatch.setattr(pieces, "RANGE", size)
    at = folder_at(folder)
    todo = [*pieces.new(at, [NAME], integrity.survey(at).sizes, 1)]
    assert len(todo) > 3 or size > 1000
    return parts.joined(at, [parts.make(at, piece) for piece in todo])


@pytest.mark.parametrize("size", [50, 301, 10**6])
def test_a_large_run_is_read_in_ranges(
    large: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    assert take(tmp_path) is None
    whole = rows(tmp_path)
    part_of(tmp_path).unlink()
    made = take_in_ranges(tmp_path, monkeypatch, size)
    assert not made.problems
    assert made.runs.column("rows").to_pylist() == [len(whole)]
    found = [row for part in made.parts for row in pq.ParquetFile(tmp_path / part).read().to_pylist()]
    assert [{name: row[name] for name in whole[0]} for row in found] == whole


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda lines: lines[:-1], "incomplete: 0 END records instead of one"),
        (lambda lines: [*lines, FIELDS], f"damaged: line 231, '{FIELDS}': it comes after the END record"),
        (lambda lines: [*lines[:100], END, *lines[101:]], "damaged: line 102, "),
        (lambda lines: [*lines[:100], "none", *lines[100:]], "unreadable: line 101, 'none': 1 fields"),
        (lambda lines: [*lines[:100], FIELDS.replace("1.5", "21"), *lines[100:]], "damaged: line 101, "),
        (lambda lines: [*lines[:100], FIELDS, *lines[100:]], f"damaged: line 101, '{FIELDS}': it is earlier"),
        (lambda lines: [*lines[:100], "é", *lines[100:]], "unreadable: it holds bytes that are not ASCII"),
        (lambda lines: ["# another", *lines[1:]], "first line is '# another'"),
    ],
)
def test_what_is_wrong_with_a_large_run_is_told_as_of_a_small_one(
    large: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Any, said: str
) -> None:
    lines = gzip.decompress((large / "trace.gz").read_bytes()).decode().splitlines()
    write_trace(large, change(lines))
    alone = take(tmp_path)
    assert str(alone).startswith(said)
    made = take_in_ranges(tmp_path, monkeypatch, 301)
    assert made.problems[NAME].reason == alone
    assert not made.parts
    assert not len(made.runs)


def test_times_that_go_back_between_two_ranges_are_told(
    write_run: WriteRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 1)
    earlier = FIELDS.replace("1.5", "1.25")
    write_trace(write_run(END), [trace_format.header(), FIELDS, FIELDS, earlier, END])
    made = take_in_ranges(tmp_path, monkeypatch, 1)
    said = f"damaged: line 4, '{earlier}': it is earlier than the record before it, 1.5 s"
    assert made.problems[NAME].reason == said
    assert not made.parts


def test_a_large_run_has_the_sha_256_of_its_run_json(
    large: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = large / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"trace_sha256": "0" * 64}))
    made = take_in_ranges(tmp_path, monkeypatch, 301)
    assert "SHA-256" in made.problems[NAME].reason


def test_a_large_trace_that_is_not_in_blocks_is_one_range(
    write_run: WriteRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_run(f"{FIELDS}\n" * 100 + END)
    made = take_in_ranges(tmp_path, monkeypatch, 10**6)
    assert (len(made.parts), made.runs.column("rows").to_pylist()) == (1, [101])
    monkeypatch.setattr(pieces, "RANGE", 10)
    assert pieces.ranges(folder_at(tmp_path), NAME, 1000) == [(0, None)]


def test_what_cannot_be_written_is_no_fault_of_the_run(
    write_run: WriteRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    write_run(f"{FIELDS}\n{END}")
    monkeypatch.setattr("pyarrow.parquet.ParquetWriter.write_table", full)
    with pytest.raises(OSError, match="No space left"):
        take(tmp_path)
    assert not [path for path in (tmp_path / "parquet").rglob("*") if path.is_file()]
