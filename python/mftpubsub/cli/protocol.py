"""`mftpubsub protocol`: protocols of one's own, begun and checked."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from string import Template
from typing import Annotated

import typer

from mftpubsub.errors import ConfigurationError

app = typer.Typer(
    help="Begin a protocol of your own, or check one.",
    no_args_is_help=True,
    add_completion=False,
)

_TEMPLATE = Path(__file__).with_name("new_protocol.txt")


@app.command()
def check(
    name: Annotated[
        str, typer.Argument(metavar="MODULE:CLASS", help="As in scenario files; here, or on PYTHONPATH")
    ],
) -> None:
    """Tell whether a protocol does the same in every process, and if not, what differs first.

    It runs a minute of the thesis's C4, with two seeds, each in two processes whose hashes differ. Exit code
    1: traces differ, or a run fails.
    """
    from mftpubsub.protocols.naming import parse
    from mftpubsub.runs.check_protocol import Difference, check_seeds

    sys.path.insert(0, str(Path.cwd()))
    try:
        found = parse(name)
    except ValueError as error:
        raise ConfigurationError(str(error)) from None
    for seed, answer in check_seeds(found):
        if isinstance(answer, Difference):
            print(answer)
            print("What a protocol draws, it draws from self.random; what it iterates over, it sorts.")
            raise typer.Exit(1)
        print(f"seed {seed}: the same trace in two processes, SHA-256 {answer}")


@app.command()
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Such as my-flood: my_flood.py is written")],
) -> None:
    """Write a protocol to begin with, NAME.py, and its test beside it. What is there is kept."""
    words = re.findall(r"[a-z][a-z0-9]*", name)
    if "-".join(words) != name:
        raise typer.BadParameter(
            f"{name!r} is not small letters and digits with - between", param_hint="NAME"
        )
    module = "_".join(words)
    names = {"name": name, "module": module, "kind": "".join(word.capitalize() for word in words)}
    parts = Template(_TEMPLATE.read_text(encoding="utf-8")).substitute(names).split("=== ")[1:]
    files = {Path(head.strip()): text for head, _, text in (part.partition("\n") for part in parts)}
    if there := [str(path) for path in files if path.exists()]:
        raise ConfigurationError(f"{', '.join(there)}: already there; nothing is written")
    for path, text in files.items():
        path.write_text(text.strip() + "\n", encoding="utf-8")
        print(path)
