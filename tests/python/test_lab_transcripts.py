"""Every golden transcript, and what the runner says of files that make no sense."""

from __future__ import annotations

from pathlib import Path

import pytest

from mftpubsub.lab.transcript import run_transcript

GOLDEN = Path(__file__).parents[1] / "golden"
#: Those of the broadcast laboratory are C++'s to run (tests/cpp/mesh-transcript-test.cc).
TRANSCRIPTS = sorted(path for path in GOLDEN.rglob("*.txt") if path.parent.name != "mesh")


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_golden_transcript_comes_out_message_for_message(path, capsys):
    assert run_transcript(path) == 0, capsys.readouterr().out


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
        ("lab mft-pubsub root=b1 b1-b2\n\nmigrate b2\n", 3, "migrate B to B"),
    ],
)
def test_nonsense_is_named_with_its_line(tmp_path, capsys, text, line, reason):
    path = tmp_path / "bad.txt"
    path.write_text(text)

    assert run_transcript(path) == 2

    message = capsys.readouterr().err
    assert message.startswith(f"{path}:{line}: ")
    assert reason in message


def test_mismatch_is_shown_as_a_diff(tmp_path, capsys):
    path = tmp_path / "wrong.txt"
    path.write_text("lab mft-pubsub root=b1 b1-b2\n\ntable b1\n----\ns1 via b2: a = 1\n")

    assert run_transcript(path) == 1

    output = capsys.readouterr().out
    assert "-s1 via b2: a = 1" in output
    assert "+empty" in output


def test_rewrite_makes_a_file_that_passes(tmp_path):
    path = tmp_path / "new.txt"
    path.write_text(
        "# by hand\nlab mft-pubsub root=b1 b1-b2\nsubscribe s1 at b2 where x > 1\nsettle\ntable b1\n"
    )

    assert run_transcript(path, rewrite=True) == 0
    assert run_transcript(path) == 0
    assert path.read_text().startswith("# by hand\n")
    assert "b2 -> b1 SUB f=x > 1 s=s1 t=1 h=1" in path.read_text()
