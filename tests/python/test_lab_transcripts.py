"""Every golden transcript, and what the runner says of files that make no sense."""

from __future__ import annotations

from pathlib import Path

import pytest

from mftpubsub.cli.main import app
from mftpubsub.lab import LabError
from mftpubsub.lab.transcript import run_transcript

GOLDEN = Path(__file__).parents[1] / "golden"
TRANSCRIPTS = sorted(GOLDEN.rglob("*.txt"))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_golden_transcript_comes_out_message_for_message(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_transcript(path) == 0, capsys.readouterr().out


@pytest.mark.parametrize(
    ("expected", "says"),
    [
        ("", "2 commands ran; the file expects nothing of them (--rewrite writes what they print)"),
        ("----\nok\n", "2 commands ran; it says of 1 what they print, and so they did"),
    ],
)
def test_a_transcript_tells_what_it_was_compared_with(
    expected: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "two.txt"
    file.write_text(f"lab mft-pubsub root=b1 b1-b2\n\nsettle\n{expected}", encoding="utf-8")
    assert run_transcript(file) == 0
    assert capsys.readouterr().out == f"{file}: {says}\n"


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("lab mft-pubsub root=b1 b1-b2\n\nfly b1\n", 3, "no command 'fly'; there are"),
        ("lab mft-pubsub root=b1 b1-b2\n\nconnect b1 b9\n", 3, "no broker 'b9'"),
        ("# a triangle\nlab mft-pubsub root=b1 b1-b2 b2-b3 b3-b1\n", 2, "would close a cycle"),
        ("lab mft-pubsub root=b1 b1-b2 b2-b3\n\nconnect b3 b1\n", 3, "would close a cycle"),
        ("lab mft-pubsub root=b1 b1-b2\n\nsubscribe s1 at b1 where a = = 1\n", 3, "bad filter"),
        ("lab magic root=b1 b1-b2\n", 1, "no protocol 'magic'"),
        ("settle\n", 1, "no laboratory yet"),
        (
            "lab mft-pubsub root=b1 b1-b2\n\nmigrate b2\n",
            3,
            "migrate b2: it goes 'migrate B to B'",
        ),
        (
            "lab mft-pubsub root=b1 b1-b2\n\nlab mft-pubsub fly=1 b1-b2\n",
            3,
            "no option 'fly'; there are root=B, ",
        ),
        ("lab mft-mesh P B S\n\nsubscribe 0 where a = 1\n", 3, "device 0 is P, not S"),
        ("lab mft-mesh P B S\n\npublish 7 a\n", 3, "no device '7'; there are 0 to 2"),
        ("lab mft-mesh P X S\n", 1, "'X' is no link N-N and no device: B, S, P, or BS"),
        ("lab tdu A-B\n\nbreak r1\n", 3, "break r1: it goes 'break R D-D'"),
        ("lab tdu A-B\n\nbreak r1 A-\n", 3, "'A-' is no link: one goes B-B"),
        ("lab durable b1-b1\n", 1, "b1-b1 has one end: a link is between two brokers"),
        ("lab pro-active b1-b2 neighbours=b2-b2\n", 1, "b2-b2 has one end"),
        ("lab pro-active b1-b2\n\nedge b1-b1\n", 3, "b1-b1 has one end"),
        ("lab durable b1-b2\n\ntable b1\n", 3, "no command 'table'; there are lab, subscribe"),
    ],
)
def test_nonsense_is_named_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, line: int, reason: str
) -> None:
    path = tmp_path / "bad.txt"
    path.write_text(text)

    assert run_transcript(path) == 2

    message = capsys.readouterr().err
    assert message.startswith(f"{path}:{line}: ")
    assert reason in message


def test_the_command_tells_a_file_that_is_not_there_as_others_do(tmp_path: Path) -> None:
    with pytest.raises(LabError, match=r"none\.txt: No such file or directory"):
        app(["lab", str(tmp_path / "none.txt")], standalone_mode=False)


def test_a_file_that_is_not_there_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_transcript(tmp_path / "none.txt") == 2
    assert capsys.readouterr().err == f"{tmp_path}/none.txt: No such file or directory\n"


def test_mismatch_is_shown_as_a_diff(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "wrong.txt"
    path.write_text("lab mft-pubsub root=b1 b1-b2\n\ntable b1\n----\ns1 via b2: a = 1\n")

    assert run_transcript(path) == 1

    output = capsys.readouterr().out
    assert "-s1 via b2: a = 1" in output
    assert "+empty" in output


def test_rewrite_makes_a_file_that_passes(tmp_path: Path) -> None:
    path = tmp_path / "new.txt"
    path.write_text(
        "# by hand\nlab mft-pubsub root=b1 b1-b2\nsubscribe s1 at b2 where x > 1\nsettle\ntable b1\n"
    )

    assert run_transcript(path, rewrite=True) == 0
    assert run_transcript(path) == 0
    assert path.read_text().startswith("# by hand\n")
    assert "b2 -> b1 SUB f=x > 1 s=s1 t=1 h=1" in path.read_text()
