"""The commands `mftpubsub handoff ...`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from mftpubsub.notes import ended_by_interrupt, resumable

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


@app.command()
def run(
    scheme: Annotated[str, typer.Option(help="durable, reactive, pro-active, jedi, ...")],
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
    from mftpubsub.handoff.scenario import HandoffScenario
    from mftpubsub.handoff.view import of_run
    from mftpubsub.handoff.world import run as run_world
    from mftpubsub.runs.viewer import page
    from mftpubsub.scenario.part import checked

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


@app.command()
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
    from mftpubsub.handoff import study

    with resumable():
        failures = study.sweep(study.load(config_file), out, workers, seeds)
    raise typer.Exit(1 if failures else 0)


@app.command()
def tables(
    folder: Folder, master: Annotated[str, typer.Option(help="Where Spark runs: local[*], ...")] = "local[*]"
) -> None:
    """Aggregate the runs with Spark: DIR/tables/cells.csv."""
    from mftpubsub.handoff import study

    study.aggregate(folder, master)


@app.command()
def report(folder: Folder) -> None:
    """Check the source's claims, draw its figures: DIR/report.md, DIR/figures."""
    from mftpubsub.handoff import report as writing

    writing.make(folder)
