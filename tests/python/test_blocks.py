"""Gzip in blocks: any reader of gzip reads it, and a task may begin to read anywhere."""

from __future__ import annotations

import gzip
import io
import subprocess
from pathlib import Path

import pytest
from isal import igzip

from mftpubsub.trace import blocks
from mftpubsub.trace.blocks import MARK, Cutter, NoBlockError, is_in_blocks, packed
from mftpubsub.trace.file import TraceFile
from mftpubsub.trace.sql import read_trace
from mftpubsub.trace.trace_format import header

LINE = b"t 0.25 1 radio HEARTBEAT - 20 - - - -\n"


@pytest.fixture
def text(monkeypatch: pytest.MonkeyPatch) -> bytes:
    """Ten blocks of lines of different lengths."""
    monkeypatch.setattr(blocks, "BLOCK", 1000)
    return b"".join(b"%d %d\n" % (number, number**5) for number in range(700))


def in_blocks(text: bytes, step: int = 333) -> bytes:
    cutter = Cutter()
    parts = [cutter.add(text[place : place + step]) for place in range(0, len(text), step)]
    return b"".join([*parts, cutter.end()])


def starts(content: bytes) -> list[int]:
    return [place for place in range(len(content)) if content.startswith(MARK, place)]


def texts(content: bytes, begin: int, end: int) -> list[bytes]:
    return [*blocks.blocks(io.BytesIO(content), begin, end)]


def test_every_reader_of_gzip_reads_it(text: bytes, tmp_path: Path) -> None:
    content = in_blocks(text)
    (tmp_path / "trace.gz").write_bytes(content)
    assert len(starts(content)) > 10
    assert gzip.decompress(content) == igzip.decompress(content) == text
    done = subprocess.run(["gunzip", "--stdout", tmp_path / "trace.gz"], capture_output=True, check=True)
    assert done.stdout == text


def test_blocks_do_not_depend_on_how_the_text_comes(text: bytes) -> None:
    assert {in_blocks(text, step) for step in (1, 10, 999, 1000, 5000, 10**6)} == {in_blocks(text)}


def test_blocks_have_whole_lines(text: bytes) -> None:
    found = texts(in_blocks(text), 0, 10**6)
    assert all(block.endswith(b"\n") for block in found)
    assert all(1000 <= len(block) < 1100 for block in found[:-1])
    (long,) = texts(in_blocks(b"x" * 5000), 0, 10**6)
    assert long == b"x" * 5000


@pytest.mark.parametrize("window", [17, 64, 2**20])
def test_parts_of_a_file_have_each_block_once(
    text: bytes, monkeypatch: pytest.MonkeyPatch, window: int
) -> None:
    monkeypatch.setattr(blocks, "_WINDOW", window)
    content = in_blocks(text)
    cuts = {place + by for place in starts(content) for by in (-1, 0, 1, 7, len(MARK))}
    for cut in sorted(cut for cut in cuts if 0 <= cut <= len(content)):
        assert b"".join(texts(content, 0, cut) + texts(content, cut, len(content))) == text


def test_a_part_without_a_beginning_is_empty(text: bytes) -> None:
    content = in_blocks(text)
    second = starts(content)[1]
    assert texts(content, 1, second) == []
    assert texts(content, len(content), len(content) + 10) == []


def test_a_block_that_is_damaged_is_told(text: bytes) -> None:
    content = in_blocks(text)
    _, second, third, *_ = starts(content)
    for place, byte in ((second, 0x1E), (second + 30, 0xFF), (third - 8, 0), (third - 1, 0xFF)):
        damaged = content[:place] + bytes([content[place] ^ (byte or 1)]) + content[place + 1 :]
        with pytest.raises(NoBlockError, match=f"at byte {second}"):
            texts(damaged, 0, third)
    with pytest.raises(NoBlockError, match=f"the block at byte {second} is cut"):
        texts(content[: third - 3], 0, third)
    with pytest.raises(NoBlockError, match=f"no block begins at byte {second}"):
        texts(content[: second + 5], 0, third)


def test_what_another_program_compressed_is_not_in_blocks() -> None:
    assert is_in_blocks(io.BytesIO(packed(LINE)))
    assert not is_in_blocks(io.BytesIO(gzip.compress(LINE)))
    assert not is_in_blocks(io.BytesIO(b""))


def test_a_trace_is_written_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 1000)
    with TraceFile(tmp_path / "trace.gz") as file:
        file.write(header().encode() + b"\n")
        for _ in range(100):
            file.write(LINE)
        file.complete()
    content = (tmp_path / "trace.gz").read_bytes()
    assert len(starts(content)) == 4
    assert len(read_trace(tmp_path / "trace.gz")) == 100
