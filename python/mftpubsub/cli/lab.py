"""`mftpubsub lab`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from mftpubsub.lab.transcript import read, run_transcript


def lab(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A transcript, as in tests/golden")],
    rewrite: Annotated[bool, typer.Option(help="Write what comes out into FILE")] = False,
) -> None:
    """Run a transcript: laboratory commands and the messages expected of them."""
    sys.path.insert(0, str(file.parent.resolve()))  # for stations of one's own
    read(file)  # what cannot be read is told as of other commands, what makes no sense by its line
    raise typer.Exit(run_transcript(file, rewrite))
