"""Transcripts: files of laboratory commands and of the messages that follow from them.

    # Comments and empty lines are kept.
    lab mft-pubsub root=b1 b1-b2 b1-b3

    subscribe s3 at b3 where topic = 'f3'

    settle
    ----
    s3 -> b3 SUB f=topic = 'f3' s=s3 t=1 h=0
    ...

A command may be followed by `----` and the lines that it prints, up to an empty line; without
`----` nothing is expected of it. The laboratory has the commands: `references()` lists them.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mftpubsub.files import write_text
from mftpubsub.lab.commands import Transcript
from mftpubsub.lab.lines import Line
from mftpubsub.simulator.laboratory import LabError

SEPARATOR = "----"
NOTHING = "ok"

#: Messages of `settle` after which no more are shown: they circulate for ever.
_ENDLESS = 1000


@dataclass
class _Block:
    """A command with what is expected of it (None: nothing is), or a line that is no command."""

    line: int
    text: str
    is_command: bool
    expected: list[str] | None = None


def _parse(text: str) -> list[_Block]:
    blocks: list[_Block] = []
    lines = text.splitlines()
    index = 0
    while index < len(lines):
        line = lines[index]
        block = _Block(index + 1, line, bool(line.strip()) and not line.lstrip().startswith("#"))
        blocks.append(block)
        index += 1
        if block.is_command and index < len(lines) and lines[index].strip() == SEPARATOR:
            index += 1
            block.expected = []
            while index < len(lines) and lines[index].strip():
                block.expected.append(lines[index].rstrip())
                index += 1
    return blocks


def _render(blocks: list[_Block], printed: dict[int, list[str]]) -> str:
    lines: list[str] = []
    for block in blocks:
        lines.append(block.text.rstrip())
        if block.line in printed:
            lines += [SEPARATOR, *printed[block.line]]
    return "\n".join(lines) + "\n"


def run_transcript(path: Path, rewrite: bool = False) -> int:
    """Runs a transcript, and writes what its commands printed into it if `rewrite`.

    Returns the exit code: 0, 1 with a diff on stdout if something else came out than the file
    expects, 2 with `FILE:LINE: COMMAND: reason` on stderr if a command makes no sense.
    """
    transcript = Transcript()
    printed: dict[int, list[str]] = {}
    try:
        blocks = read(path)
        for block in blocks:
            if block.is_command:
                with _named(path, block):
                    printed[block.line] = transcript.run(block.text.strip()) or [NOTHING]
    except LabError as error:
        print(error, file=sys.stderr)
        return 2
    if rewrite:
        _separate(blocks)
        write_text(path, _render(blocks, printed))
        return 0
    return _compare(path, blocks, printed)


def _compare(path: Path, blocks: list[_Block], printed: dict[int, list[str]]) -> int:
    """Says how what was printed differs from what is expected. Returns the exit code."""
    wanted = {block.line: block.expected for block in blocks if block.expected is not None}
    got = {line: printed[line] for line in wanted}
    diff = difflib.unified_diff(
        _render(blocks, wanted).splitlines(),
        _render(blocks, got).splitlines(),
        f"{path} (expected)",
        f"{path} (got)",
        lineterm="",
    )
    lines = list(diff)
    print("\n".join(lines) if lines else f"{path}: {_what_was_expected(len(printed), len(wanted))}")
    return 1 if lines else 0


def _what_was_expected(commands: int, wanted: int) -> str:
    """Of a file whose commands print what it expects."""
    if not wanted:
        return f"{commands} commands ran; the file expects nothing of them (--rewrite writes what they print)"
    return f"{commands} commands ran; it says of {wanted} what they print, and so they did"


def play(path: Path) -> Iterator[tuple[str, list[Line], Transcript]]:
    """Runs a transcript one thing after the other: a command, or one message that `settle` delivers.

    Yields the command's text (empty for a message), what it printed, and the laboratory as it is then.
    Raises LabError that names file, line and command.
    """
    transcript = Transcript()
    for block in read(path):
        if not block.is_command:
            continue
        text = block.text.strip()
        with _named(path, block):
            if not text.startswith("settle"):
                yield text, transcript.lines(text), transcript
                continue
            yield text, [], transcript
            for _ in range(_ENDLESS):
                lines = transcript.step()
                if lines is None:
                    break
                yield "", lines, transcript


@contextmanager
def _named(path: Path, block: _Block) -> Iterator[None]:
    """Adds to a LabError where it is."""
    try:
        yield
    except LabError as error:
        raise LabError(f"{path}:{block.line}: {block.text.strip()}: {error}") from error


def read(path: Path) -> list[_Block]:
    """What a transcript says. Raises LabError for a file that cannot be read."""
    try:
        return _parse(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise LabError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise LabError(f"{path}: {error}") from error


def _separate(blocks: list[_Block]) -> None:
    """Puts an empty line after each command: it is what ends the lines that a command prints."""
    index = 0
    while index + 1 < len(blocks):
        if blocks[index].is_command and blocks[index + 1].text.strip():
            blocks.insert(index + 1, _Block(-1, "", is_command=False))
        index += 1
