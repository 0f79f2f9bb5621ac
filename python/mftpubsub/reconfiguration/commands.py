"""The commands of the reconfiguration family: `mftpubsub reconfigure` and `mftpubsub cugola`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from mftpubsub.errors import ConfigurationError, no_such
from mftpubsub.notes import resumable
from mftpubsub.protocols.catalogue import SHORT, short_name
from mftpubsub.reconfiguration.groups import REPAIRING


def reconfigure(
    file: Annotated[Path, typer.Argument(metavar="WORLD.json", help="Tree, subscriptions, reconfigurations")],
    protocol: Annotated[
        list[str] | None, typer.Option(help="Only this one (repeatable): strawman, tdu, ndu, ila, rp, ...")
    ] = None,
    sub_bits: Annotated[
        float, typer.Option(min=0, help="Size of a SUB in bits; links have 10 Mbit/s")
    ] = 1000,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object")] = False,
) -> None:
    """Run the reconfigurations of a given world under protocols that repair tables (Cugola et al.)."""
    from mftpubsub.reconfiguration.world import read_world, run_world

    asked = [_known(name) for name in protocol or ()]
    world = read_world(file)
    chosen = asked or list(REPAIRING)
    overlap = world.overlap()
    if overlap is not None and "rp" in chosen:
        problem = f"{file}: reconfigurations.{overlap}.break_at: another reconfiguration has not ended yet"
        if asked:
            raise ConfigurationError(f"{problem}, which {SHORT['rp']} cannot have: choose other protocols")
        print(f"{problem}: {SHORT['rp']} is left out", file=sys.stderr)
        chosen.remove("rp")
    results = {name: run_world(world, name, sub_bits) for name in dict.fromkeys(chosen)}
    for name, result in results.items():
        for fault in result.pop("faults"):
            print(f"{file}: {SHORT[name]}: {fault}", file=sys.stderr)
    if as_json:
        print(json.dumps(results))
    else:
        print(_table(results))


def _known(name: str) -> str:
    short = short_name(name)
    if short is None:
        raise typer.BadParameter(
            no_such("protocol", name, [*SHORT, *SHORT.values()]), param_hint="--protocol"
        )
    return short


def _table(results: dict[str, dict[str, Any]]) -> str:
    lines = []
    for name, result in results.items():
        messages = ", ".join(f"{kind} {count}" for kind, count in result["messages"].items())
        involved = " ".join(map(str, result["involved"]))
        lines.append(
            f"{SHORT[name]}: cost {result['normalised_cost']:g}\n  {messages}\n  involved: {involved}"
        )
    return "\n".join(lines)


def cugola(
    file: Annotated[Path, typer.Argument(metavar="STUDY", help="Such as configs/cugola.yaml")],
    out: Annotated[Path, typer.Option(help="Folder for the runs; what is there already is kept")],
    workers: Annotated[
        int | None, typer.Option(min=1, help="Parallel processes; default: one a core")
    ] = None,
    master: Annotated[str, typer.Option(help="Where Spark runs")] = "local[*]",
) -> None:
    """Run a study of the reconfiguration family: what is missing, then tables, figures, claims and report."""
    from mftpubsub.reconfiguration.report import make_report
    from mftpubsub.reconfiguration.study import OverlayStudy, sweep_study

    with resumable():
        failures = sweep_study(OverlayStudy.from_yaml(file), out, workers)
    if failures:
        raise typer.Exit(1)
    make_report(out, file, master)
