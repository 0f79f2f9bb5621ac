"""The commands of wired worlds: `mftpubsub reconfigure`, `mftpubsub cugola`, `mftpubsub handoff ...`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from mftpubsub.cli import completion
from mftpubsub.errors import ConfigurationError, no_such
from mftpubsub.files import as_typed
from mftpubsub.notes import ended_by_interrupt, resumable
from mftpubsub.protocols.catalogue import SHORT, short_name
from mftpubsub.worlds.reconfiguration.groups import REPAIRING


def reconfigure(
    file: Annotated[Path, typer.Argument(metavar="WORLD.json", help="Tree, subscriptions, reconfigurations")],
    protocol: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this one (repeatable): strawman, tdu, ndu, ila, rp, ...",
            autocompletion=completion.on_wires,
        ),
    ] = None,
    sub_bits: Annotated[
        float, typer.Option(min=0, help="Size of a SUB in bits; links have 10 Mbit/s")
    ] = 1000,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object")] = False,
) -> None:
    """Run the reconfigurations of a given world under protocols that repair tables (Cugola et al.)."""
    from mftpubsub.worlds.reconfiguration.world import read_world, run_world

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
        for fault in result["faults"]:
            print(f"{file}: {SHORT[name]}: {fault}", file=sys.stderr)
        if not result["faults"]:
            del result["faults"]
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
    from mftpubsub.sources.cugola.report import make_report
    from mftpubsub.sources.cugola.study import OverlayStudy, sweep_study
    from mftpubsub.studies.kept import keep

    with resumable():
        failures = sweep_study(OverlayStudy.from_yaml(file), out, workers)
        keep(file, out, f"mftpubsub cugola {as_typed(file)} --out {as_typed(out)}")
    if failures:
        raise typer.Exit(1)
    make_report(out, file, master)


#: The commands `mftpubsub handoff ...`.
handoff = typer.Typer(
    help="Subscribers that move between fixed brokers: the schemes and models of Gaddah and Kunz.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@handoff.command()
def analytic(as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object")] = False) -> None:
    """Print what the analytical model gives for every quantity that the source prints."""
    from mftpubsub.sources.gaddah.analytic import printed_quantities

    quantities = printed_quantities()
    if as_json:
        print(json.dumps(quantities, indent=1))
        return
    print(f"{'quantity':14} {'printed':>10} {'value':>10}  exact")
    for name, row in quantities.items():
        print(f"{name:14} {row['printed']:>10} {row['value']:>10}  {row.get('fraction', row['exact'])}")


@handoff.command()
def run(
    scheme: Annotated[
        str,
        typer.Option(help="durable, reactive, pro-active, jedi, ...", autocompletion=completion.schemes),
    ],
    mobility: Annotated[str, typer.Option(help="random or neighbouring")] = "random",
    subscribers: Annotated[int, typer.Option(help="Subscribers, K")] = 200,
    rate: Annotated[float, typer.Option(help="Publications, events/s")] = 20,
    buffer_events: Annotated[int, typer.Option(help="Events that one buffer holds")] = 256,
    seed: Annotated[int, typer.Option(help="Seed of movement and interests")] = 1,
    window: Annotated[float, typer.Option(help="Seconds that are measured")] = 3600,
    warm_up: Annotated[float, typer.Option(help="Seconds before them")] = 1800,
    drain: Annotated[float, typer.Option(help="Seconds after them")] = 600,
    as_json: Annotated[bool, typer.Option("--json", help="Print the metrics as one JSON object")] = False,
    view: Annotated[
        Path | None, typer.Option(help="Instead write a page that replays all of it (of a short run)")
    ] = None,
) -> None:
    """Run one cell of the source's evaluation and print its metrics."""
    from mftpubsub.scenario.part import checked
    from mftpubsub.views.viewer import page
    from mftpubsub.worlds.handoff.scenario import HandoffScenario
    from mftpubsub.worlds.handoff.view import of_run
    from mftpubsub.worlds.handoff.world import run as run_world

    given = {
        "scheme": scheme,
        "mobility": mobility,
        "subscribers": subscribers,
        "rate": rate,
        "buffer_events": buffer_events,
        "seed": seed,
        "window": window,
        "warm_up": warm_up,
        "drain": drain,
    }
    scenario = checked(HandoffScenario, given, "mftpubsub handoff run")
    if view is not None:
        with ended_by_interrupt():
            block = of_run(scenario)
        page.write(view, [block], f"mftpubsub: {scheme}")
        print(view)
        return
    with ended_by_interrupt():
        metrics = run_world(scenario)
    if as_json:
        print(json.dumps(metrics))
    else:
        for name, value in metrics.items():
            print(f"{name:32} {value:.6g}" if isinstance(value, float) else f"{name:32} {value}")


Folder = Annotated[Path, typer.Argument(metavar="DIR", help="Folder that `handoff sweep --out` wrote")]


@handoff.command()
def sweep(
    config_file: Annotated[Path, typer.Argument(metavar="CONFIG", help="Such as configs/gaddah.yaml")],
    out: Annotated[
        Path, typer.Option(help="Folder for the runs; those that these sources have made are kept")
    ],
    workers: Annotated[
        int | None, typer.Option(min=1, help="Parallel processes; default: one a core")
    ] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="Only the first N seeds of each cell")] = None,
) -> None:
    """Run every cell of a study that these sources have not run yet, in parallel."""
    from mftpubsub.sources.gaddah import study
    from mftpubsub.studies.kept import keep

    with resumable():
        failures = study.sweep(study.load(config_file), out, workers, seeds)
        some = f" --seeds {seeds}" if seeds else ""
        command = f"mftpubsub handoff sweep {as_typed(config_file)} --out {as_typed(out)}{some}"
        keep(config_file, out, command, config_file.stem)
    raise typer.Exit(1 if failures else 0)


@handoff.command()
def tables(
    folder: Folder, master: Annotated[str, typer.Option(help="Where Spark runs: local[*], ...")] = "local[*]"
) -> None:
    """Aggregate the runs with Spark: DIR/tables/cells.parquet."""
    from mftpubsub.sources.gaddah import study

    study.aggregate(folder, master)
    print(folder / "tables" / study.CELLS)


@handoff.command()
def report(folder: Folder) -> None:
    """Check the source's claims, draw its figures: DIR/report.md, DIR/figures."""
    from mftpubsub.sources.gaddah import report as writing

    writing.make(folder)
    print(folder / "report.md")
