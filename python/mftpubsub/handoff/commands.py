"""The commands `mftpubsub handoff ...`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

app = typer.Typer(
    help="Subscribers that move between fixed brokers: the schemes and models of Gaddah and Kunz.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.command()
def analytic(as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object")] = False) -> None:
    """Print what the analytical model gives for every quantity that the source prints."""
    from mftpubsub.handoff.analytic import printed_quantities

    quantities = printed_quantities()
    if as_json:
        print(json.dumps(quantities, indent=1))
        return
    print(f"{'quantity':14} {'printed':>10} {'value':>10}  exact")
    for name, row in quantities.items():
        print(f"{name:14} {row['printed']:>10} {row['value']:>10}  {row.get('fraction', row['exact'])}")
