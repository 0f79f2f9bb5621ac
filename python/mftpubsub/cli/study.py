"""`mftpubsub study`: the same four steps for every study, of whatever source its runs are.

A study is on the radio (configurations, protocols), of overlays that reconfigure (series), or of hand-offs
between fixed brokers (groups). The file says which; the folder keeps it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from mftpubsub.errors import ConfigurationError, MftPubsubError
from mftpubsub.files import as_typed
from mftpubsub.notes import resumable
from mftpubsub.scenario import yaml_files

Kind = Literal["radio", "reconfiguration", "handoff"]
#: The key of a study's file that tells its kind, in this order.
_TOLD_BY: dict[str, Kind] = {"series": "reconfiguration", "groups": "handoff", "configurations": "radio"}
#: The table that only studies of a kind have.
_TABLE_OF: dict[str, Kind] = {
    "messages.parquet": "reconfiguration",
    "cells.parquet": "handoff",
    "runs.parquet": "radio",
}

Config = Annotated[Path, typer.Argument(metavar="CONFIG", help="Study, such as configs/quick.yaml")]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="Folder that `study run --out` wrote")]
Master = Annotated[str, typer.Option(help="Where Spark runs: local[*], local[2], spark://host:port")]

study_app = typer.Typer(
    help="Run a study, aggregate it, draw its figures, write its report: the same for all kinds of studies.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def kind_of(file: Path) -> Kind:
    """What a study's file is about. Raises ConfigurationError if no key tells."""
    try:
        content = yaml_files.parse(file.read_text(encoding="utf-8"), str(file))
    except OSError as error:
        raise ConfigurationError(f"{file}: {error.strerror}") from error
    if isinstance(content.get("base"), str):
        return kind_of(file.parent / content["base"])
    for key, kind in _TOLD_BY.items():
        if key in content:
            return kind
    raise ConfigurationError(f"{file}: no study: it needs one of the keys {', '.join(_TOLD_BY)}")


def _kept(folder: Path) -> Path | None:
    """The file that a folder's runs are of."""
    from mftpubsub.studies.kept import files

    return next(iter(files(folder)), None)


def _kind_of_results(folder: Path) -> Kind:
    if file := _kept(folder):
        return kind_of(file)
    for name, kind in _TABLE_OF.items():
        if (folder / "tables" / name).exists():
            return kind
    raise MftPubsubError(f"{folder} holds no study: `mftpubsub study run CONFIG --out {as_typed(folder)}`")


def _file_of(folder: Path) -> Path:
    """Of overlays, whose tables depend on what their series vary."""
    if file := _kept(folder):
        return file
    raise MftPubsubError(
        f"{folder}/studies has no study: `mftpubsub study run CONFIG --out {as_typed(folder)}`"
    )


@study_app.command()
def run(
    config: Config,
    out: Annotated[Path, typer.Option(help="Folder for the runs; what is there already is kept")],
    workers: Annotated[
        int | None, typer.Option(min=1, help="Parallel processes; default: one a core")
    ] = None,
) -> None:
    """Run every case of a study that is not there yet, in parallel."""
    from mftpubsub.studies.kept import keep

    kind = kind_of(config)
    with resumable():
        if kind == "radio":
            from mftpubsub.scenario.study import load
            from mftpubsub.sweeps.sweep import keep_study, run_study

            on_radio = load(config)
            failures = run_study(on_radio, out, workers=workers)
            keep_study(on_radio, config, out, ())
        elif kind == "reconfiguration":
            from mftpubsub.sources.cugola.study import OverlayStudy, sweep_study

            failures = sweep_study(OverlayStudy.from_yaml(config), out, workers)
        else:
            from mftpubsub.sources.gaddah import study as handoffs

            failures = handoffs.sweep(handoffs.load(config), out, workers, None)
    if kind != "radio":
        name = config.stem if kind == "handoff" else None
        keep(config, out, f"mftpubsub study run {as_typed(config)} --out {as_typed(out)}", name)
    raise typer.Exit(1 if failures else 0)


@study_app.command()
def tables(folder: Folder, master: Master = "local[*]") -> None:
    """Aggregate the runs into DIR/tables, with Spark."""
    kind = _kind_of_results(folder)
    with resumable():
        if kind == "radio":
            from mftpubsub import pipeline

            if pipeline.run(folder, master):
                raise typer.Exit(1)
        elif kind == "reconfiguration":
            from mftpubsub.sources.cugola.report import aggregate

            aggregate(folder, _file_of(folder), master)
        else:
            from mftpubsub.sources.gaddah.study import aggregate as aggregate_cells

            aggregate_cells(folder, master)


@study_app.command()
def figures(folder: Folder) -> None:
    """Draw what the study's source draws into DIR/figures."""
    kind = _kind_of_results(folder)
    if kind == "radio":
        from mftpubsub.sources.thesis.source import THESIS
        from mftpubsub.studies import figures as drawing
        from mftpubsub.studies.results import StudyResults

        drawn = drawing.make(StudyResults(folder), THESIS)
    elif kind == "reconfiguration":
        from mftpubsub.sources.cugola import own as of_overlays
        from mftpubsub.sources.cugola.figures import draw_figures
        from mftpubsub.sources.cugola.source import CUGOLA
        from mftpubsub.sources.cugola.study import OverlayStudy
        from mftpubsub.sources.cugola.tables import Tables

        tables, study = Tables(folder), OverlayStudy.from_yaml(_file_of(folder))
        if CUGOLA.concern(tables.runs):
            drawn = draw_figures(folder, tables)
        else:
            drawn = [*of_overlays.draw(folder, study, tables).values()]
    else:
        from mftpubsub.sources.gaddah import figures as of_handoffs
        from mftpubsub.sources.gaddah import own
        from mftpubsub.sources.gaddah.source import GADDAH
        from mftpubsub.sources.gaddah.study import cells

        table = cells(folder)
        if GADDAH.concern(table):
            drawn = of_handoffs.make(table, folder / "figures")
        else:
            drawn = [*own.draw(folder, table).values()]
    if not drawn:
        raise MftPubsubError(f"{folder} has no runs that a figure of its source is drawn of: see its report")
    print(folder / "figures")


@study_app.command()
def report(folder: Folder) -> None:
    """Write DIR/report.md and the pages behind it: the answer, verdicts, every case, methods, provenance."""
    kind = _kind_of_results(folder)
    if kind == "radio":
        from mftpubsub.sources.thesis.source import THESIS
        from mftpubsub.studies import report as writing
        from mftpubsub.studies.results import StudyResults

        writing.make(StudyResults(folder), THESIS)
    elif kind == "reconfiguration":
        from mftpubsub.sources.cugola.report import write_report

        write_report(folder, _file_of(folder))
    else:
        from mftpubsub.sources.gaddah import report as of_handoffs

        of_handoffs.make(folder)
    print(folder / "report.md")
