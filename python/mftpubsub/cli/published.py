"""The commands `mftpubsub verify` and `join`: of published tables, whose runs are elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mftpubsub.cli import completion
from mftpubsub.cli.options import chosen

Only = Annotated[
    list[str] | None,
    typer.Option(help="KEY=VALUE[,VALUE...]; repeatable", autocompletion=completion.keys_and_values),
]


def verify(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a study that has tables")],
    runs: Annotated[int, typer.Option(min=1, help="Runs of each protocol that are made again")] = 3,
    seed: Annotated[int, typer.Option(help="Draws which")] = 1,
    only: Only = None,
) -> None:
    """Make some runs of a published study again, and compare every metric. Exit code 1 if one differs."""
    from mftpubsub.studies import published
    from mftpubsub.studies.results import StudyResults

    table = published.verify(StudyResults(folder), runs, seed, chosen(only))
    print(table.markdown())
    if any(differs for *_, differs in table.rows):
        raise typer.Exit(1)


def join(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a study that has tables")],
    other: Annotated[Path, typer.Argument(metavar="NEW", help="Folder of runs to put there")],
    only: Only = None,
) -> None:
    """Put the runs of NEW into the tables of DIR. This code made them, or `verify` confirmed them."""
    from mftpubsub.studies import joins
    from mftpubsub.studies.results import StudyResults

    joins.join(StudyResults(folder), StudyResults(other), chosen(only))
    print(folder / "tables")
