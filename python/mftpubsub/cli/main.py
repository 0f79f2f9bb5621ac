"""The command `mftpubsub`. Exit codes: 0 ok, 1 a run failed or is damaged, 2 bad usage or bad input,
130 interrupted."""

from __future__ import annotations

import errno
import io
import json
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from mftpubsub.cli import completion, experiment, protocol
from mftpubsub.cli.lab import lab
from mftpubsub.cli.live import live
from mftpubsub.cli.ns3 import ingest_ns3
from mftpubsub.cli.options import At, chosen, place_at, values_by_key
from mftpubsub.cli.published import join, verify
from mftpubsub.cli.study import study_app
from mftpubsub.cli.view import capture, check_capture, check_out, export, view
from mftpubsub.cli.worlds import cugola, handoff, reconfigure
from mftpubsub.errors import InstallationError, MftPubsubError, RunError
from mftpubsub.files import as_typed
from mftpubsub.notes import be_quiet, resumable, tell
from mftpubsub.studies import numbers
from mftpubsub.studies.numbers import Statistic
from mftpubsub.studies.results import StudyResults

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.add_typer(experiment.app, name="experiment")
app.add_typer(handoff, name="handoff")
app.add_typer(live, name="live")
app.add_typer(protocol.app, name="protocol")
app.add_typer(study_app, name="study")
for command in (lab, view, export, reconfigure, cugola, ingest_ns3, verify, join):
    app.command()(command)

ConfigFile = Annotated[
    Path, typer.Argument(metavar="CONFIG", help="Scenario file, such as configs/thesis.yaml")
]
FolderOrUrl = Annotated[str, typer.Argument(metavar="DIR", help="Folder or URL that `sweep --out` wrote")]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="Folder that `sweep --out` wrote")]
Only = Annotated[
    list[str] | None,
    typer.Option(help="KEY=VALUE[,VALUE...]; repeatable", autocompletion=completion.keys_and_values),
]
Master = Annotated[
    str | None,
    typer.Option(help="Work on Spark: local[2], spark://host:port [default: processes of this machine]"),
]


def _be_quiet(wanted: bool) -> None:
    if wanted:
        be_quiet()


Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", callback=_be_quiet, help="Show no progress: results and errors only")
]


def _print_version(wanted: bool) -> None:
    if wanted:
        import mftpubsub

        print(f"mftpubsub {mftpubsub.__version__}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Fully mobile publish/subscribe on ns-3: run scenarios, aggregate their traces, draw the figures."""


@app.command("cmake-dir")
def cmake_dir() -> None:
    """Print where CMake finds the package: cmake -Dmftpubsub_DIR="$(mftpubsub cmake-dir)"."""
    from mftpubsub.simulator.library import package_file

    print(package_file("cmake"))


@app.command()
def run(
    config_file: ConfigFile,
    protocol: Annotated[
        str | None, typer.Option(help="mft-pubsub, aodv, ...", autocompletion=completion.protocols)
    ] = None,
    config: Annotated[
        str | None,
        typer.Option(
            help="Name of a configuration in the file, such as C8", autocompletion=completion.configurations
        ),
    ] = None,
    speed: Annotated[float | None, typer.Option(help="Speed of the nodes in m/s")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of mobility, shadowing and traffic")] = None,
    at: At = None,
    trace: Annotated[Path | None, typer.Option(help="Keep the trace in this file (gzip)")] = None,
    pcap: Annotated[Path | None, typer.Option(help="Write the frames to this file (.pcapng)")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the metrics as one JSON object")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Show in the terminal how the run stands")] = False,
    in_browser: Annotated[bool, typer.Option("--view", help="Show the network in the browser")] = False,
    quiet: Quiet = False,
) -> None:
    """Run one scenario and print its metrics.

    CONFIG is a study, of which --protocol, --config and --speed choose a run, and --at its place on an axis,
    or a single scenario, in which they change what they name.
    """
    from mftpubsub.cli.watch import watching
    from mftpubsub.labels import leading, why_strict
    from mftpubsub.runs.run import run as simulate
    from mftpubsub.scenario.left_out import tell_left_out
    from mftpubsub.scenario.study import choose

    scenario = choose(config_file, at=place_at(at), protocol=protocol, config=config, speed=speed, seed=seed)
    if trace is not None:
        check_out(trace, "--trace")
    if pcap is not None:
        check_capture(pcap)
    tell_left_out([scenario])
    with watching(scenario, watch, in_browser) as told:
        if pcap is None:
            result = simulate(scenario, trace, told.progress, told.observers)
        else:
            result = capture(scenario, pcap, trace, told.progress, told.observers)
    if as_json:
        print(json.dumps(result.metrics))
    else:
        protocols = [str(result.scenario.protocol)]
        if reason := why_strict(protocols):
            print(reason)
        for name in leading(result.metrics, protocols):
            value = result.metrics[name]
            print(f"{name:24} {value:.6g}" if isinstance(value, float) else f"{name:24} {value}")


Until = Annotated[
    list[str] | None,
    typer.Option(
        help="METRIC<=HALF: more seeds until half the interval is at most HALF; repeatable",
        autocompletion=completion.metrics,
    ),
]


@app.command()
def sweep(
    config_file: ConfigFile,
    out: Annotated[str, typer.Option(help="Folder or URL for the runs; what is there already is kept")],
    workers: Annotated[
        int | None, typer.Option(min=1, help="Parallel processes; default: one a core")
    ] = None,
    protocol: Annotated[
        list[str] | None,
        typer.Option(help="Only this protocol (repeatable)", autocompletion=completion.protocols),
    ] = None,
    master: Annotated[
        str | None, typer.Option(help="Run on Spark: spark://host:port, local[N], local-cluster[...]")
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option(help="Wall time after which a run fails, s; default: none")
    ] = None,
    reuse: Annotated[
        list[Path] | None,
        typer.Option(help="Folder of another sweep, whose runs that are the same are taken over; repeatable"),
    ] = None,
    until: Until = None,
    most_seeds: Annotated[
        int | None, typer.Option(min=2, help="With --until: seeds after which a case is given up [64]")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Run every case of a scenario file that is not there yet, in parallel."""
    from mftpubsub.scenario.study import load
    from mftpubsub.sweeps.sequential import MOST_SEEDS, run_until
    from mftpubsub.sweeps.sweep import keep_study, run_study

    if workers and master:
        raise typer.BadParameter(
            "is for processes of this machine; --master says how many", param_hint="--workers"
        )
    if most_seeds and not until:
        raise typer.BadParameter("says when --until gives up", param_hint="--most-seeds")
    study = load(config_file)
    options: dict[str, Any] = {
        "workers": workers,
        "master": master,
        "time_limit": time_limit,
        "reuse": reuse or (),
    }
    failures: list[str] = []
    with resumable():
        if until:
            intervals = run_until(
                study, out, until, most_seeds=most_seeds or MOST_SEEDS, protocols=protocol, **options
            )
            print(intervals.to_string(index=False))
        else:
            failures = run_study(study, out, protocols=protocol, **options)
    keep_study(study, config_file, out, protocol or (), until or (), most_seeds)
    raise typer.Exit(1 if failures else 0)


@app.command()
def ingest(
    folder: FolderOrUrl,
    master: Master = None,
    delta: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Append the tables of runs to tables of Delta Lake below URL, too"),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Turn the traces into Parquet and compute the tables."""
    from mftpubsub import pipeline
    from mftpubsub.folders import folder_at
    from mftpubsub.pipeline.integrity import is_imported

    with resumable():
        set_aside = pipeline.run(folder, master)
        if delta is not None:
            pipeline.append(folder, delta)
    imported = sum(is_imported(folder_at(folder), name) for name in set_aside)
    if count := len(set_aside) - imported:
        print(f"{count} runs are set aside; `mftpubsub sweep` makes them again", file=sys.stderr)
    if imported:
        print(f"{imported} imported runs are set aside; remove them and import them again", file=sys.stderr)
    raise typer.Exit(1 if set_aside else 0)


def _check_figure(
    kind: str, own: dict[str, object], of_means: dict[str, object], of_delays: str | None
) -> None:
    """Raises BadParameter for what says nothing of a figure of this kind."""
    if kind == "cdf" and (given := [name for name, value in of_means.items() if value]):
        raise typer.BadParameter("is for means: a cdf is of delays", param_hint=given[0])
    if kind == "means" and of_delays:
        raise typer.BadParameter("is for --kind cdf", param_hint="--of")
    given = [name for name, value in (of_means | own).items() if value]
    if kind == "means" and not of_means["--metric"] and given:
        raise typer.BadParameter(
            "says what a figure of one's own is like: name its --metric", param_hint=given[0]
        )


@app.command()
def figures(
    folder: Folder,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            help="Draw this one instead (repeatable); '' lists all", autocompletion=completion.metrics
        ),
    ] = None,
    x: Annotated[
        str | None,
        typer.Option("--x", help="Key along the axis [default: config]", autocompletion=completion.keys),
    ] = None,
    by: Annotated[
        str | None, typer.Option(help="Key of the lines [default: protocol]", autocompletion=completion.keys)
    ] = None,
    kind: Annotated[
        Literal["means", "cdf"], typer.Option(help="Means of a metric, or how much arrived within which time")
    ] = "means",
    of: Annotated[
        str | None, typer.Option(help="Of a cdf: pairs, events or subscribers [default: pairs]")
    ] = None,
    only: Only = None,
    log: Annotated[bool, typer.Option("--log", help="Logarithmic")] = False,
    title: Annotated[bool, typer.Option(help="Say above what is shown")] = True,
    label: Annotated[list[str] | None, typer.Option(help="NAME=TEXT: what to call it; repeatable")] = None,
    style: Annotated[
        list[str] | None, typer.Option(help="paper, or a matplotlib style or its file; repeatable")
    ] = None,
    out: Annotated[
        list[Path] | None,
        typer.Option(help="File, .png, .svg or .pdf (repeatable) [default: all in DIR/figures]"),
    ] = None,
) -> None:
    """Draw the thesis's figures from the tables into DIR/figures, or a metric of one's own choice."""
    from mftpubsub.sources.thesis.source import THESIS
    from mftpubsub.studies import distribution, own_figure
    from mftpubsub.studies import figures as drawing

    own: dict[str, object] = {"--by": by, "--only": only, "--no-title": not title}
    own |= {"--label": label, "--style": style, "--out": out}
    _check_figure(kind, own, {"--x": x, "--log": log, "--metric": metric}, of)
    results = StudyResults(folder)
    labels = values_by_key(label or [], "--label")
    lines = by or "protocol"
    if kind == "cdf":
        asked = distribution.Wish(of or "pairs", lines, chosen(only), title, labels, style or [])
        paths = [*distribution.write(results, asked, out or drawing.files(folder, asked.name))]
    else:
        paths = [] if metric else drawing.make(results, THESIS)
    if out and len(metric or []) > 1:
        raise typer.BadParameter("takes one --metric: the last would overwrite others", param_hint="--out")
    for name in metric or []:
        wish = own_figure.Wish(name, x or "config", lines, chosen(only), log, title, labels, style or [])
        paths += own_figure.write(results.runs, wish, out or drawing.files(folder, wish.name))
    print(*paths, sep="\n")


@app.command()
def report(folder: Folder) -> None:
    """Write DIR/report.md and DIR/report.html: verdicts, figures with their numbers, provenance."""
    from mftpubsub.sources.thesis.source import THESIS
    from mftpubsub.studies import report as writing

    page = writing.make(StudyResults(folder), THESIS)
    print(page.with_suffix(".md"), page, sep="\n")


@app.command()
def table(
    folder: Folder,
    metric: Annotated[
        list[str],
        typer.Option(help="Metric to show (repeatable); '' lists all", autocompletion=completion.metrics),
    ],
    by: Annotated[str | None, typer.Option(help="Keys of the rows [default: all but the seed]")] = None,
    across: Annotated[
        str | None,
        typer.Option(help="Key of the columns, with one metric", autocompletion=completion.keys),
    ] = None,
    only: Only = None,
    stat: Annotated[Statistic, typer.Option(help="Over the seeds' means, or over all runs")] = "mean",
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV: a row for each metric and case")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the same as JSON objects")] = False,
) -> None:
    """Print a table of a study's metrics, such as those of its report."""
    if as_csv and as_json:
        raise typer.BadParameter("it is either this or --json", param_hint="--csv")
    keys = None if by is None else tuple(key for key in by.split(",") if key)
    asked = numbers.Query(tuple(metric), keys, across, chosen(only), stat)
    runs = StudyResults(folder).runs
    if as_csv:
        numbers.tidy(runs, asked).to_csv(sys.stdout, index=False)
    elif as_json:
        print(numbers.tidy(runs, asked).to_json(orient="records", double_precision=15))
    else:
        print(numbers.tabulate(runs, asked, as_typed(folder)).markdown())


@app.command()
def quantiles(
    folder: Folder,
    of: Annotated[str, typer.Option(help="Pairs, events or subscribers")] = "pairs",
    by: Annotated[str, typer.Option(help="Key of the rows", autocompletion=completion.keys)] = "protocol",
    only: Only = None,
    at: Annotated[list[float] | None, typer.Option(help="Shares [default: 0.5, 0.9, 0.95, 0.99]")] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV: a row for each share and value")] = False,
) -> None:
    """Print how long it took until shares of all had arrived, with 95 % intervals over the seeds."""
    from mftpubsub.studies import distribution

    wish = distribution.Wish(of, by, chosen(only))
    shares = tuple(at) if at else distribution.QUANTILES
    if as_csv:
        distribution.quantiles(StudyResults(folder), wish, shares).to_csv(sys.stdout, index=False)
    else:
        print(distribution.table(StudyResults(folder), wish, shares).markdown())


@app.command()
def claims(folder: Folder) -> None:
    """Check what the sources say against a study; print the verdicts, write DIR/tables/claims."""
    from mftpubsub.sources.thesis.source import THESIS
    from mftpubsub.studies import claims as judging

    results = StudyResults(folder)
    judged = judging.make(results, THESIS)
    if limits := judging.where(results.runs, THESIS):
        tell(limits)
    if sys.stdout.isatty():
        _show(judging.brief(judged))
        return
    tables = judging.tables(judged, f"mftpubsub claims {as_typed(folder)}")
    print("\n\n".join(table.markdown() for table in tables))


def _show(table: numbers.Table) -> None:
    """In a terminal, as wide as it is."""
    from rich.console import Console
    from rich.table import Table

    shown = Table(*table.heading)
    for row in table.rows:
        shown.add_row(*row)
    Console().print(shown)


@app.command()
def sensitivity(
    folder: Folder,
    variants: Annotated[Path, typer.Argument(help="Folder of studies, each with one thing changed")],
) -> None:
    """Compare variants with the same cases of DIR; print and write DIR/tables/sensitivity_*."""
    from mftpubsub.sources.thesis.source import THESIS
    from mftpubsub.studies import sensitivity as comparing

    comparing.make(StudyResults(folder), variants, THESIS)
    for printed in comparing.tables(StudyResults(folder)):
        print(printed.markdown(), end="\n\n")


@app.command()
def readings(
    folder: Folder,
    readings: Annotated[Path, typer.Argument(help="Folder with a study for each reading")],
) -> None:
    """Write READINGS/report.md: which statements hold under which reading of what the sources leave open."""
    from mftpubsub.sources.thesis import readings as comparing

    print(comparing.make(StudyResults(folder), readings))


@app.command()
def provenance(folder: Folder) -> None:
    """Print what made a study and what it took: commands, commit, versions, seeds, machine, times."""
    from mftpubsub.studies import provenance as origins

    results = StudyResults(folder)
    origins.check(results)
    print(*(f"- `{command}`" for command in origins.commands(folder)), sep="\n", end="\n\n")
    print(*(table.markdown() for table in origins.tables(results)), sep="\n\n")


@app.command()
def doctor() -> None:
    """Say what this machine has and what it lacks."""
    from mftpubsub.cli.doctor import examine

    raise typer.Exit(examine())


#: Of folders that are another's, or of a file system that is only read.
NOT_ALLOWED = (errno.EACCES, errno.EPERM, errno.EROFS)
#: Of a disk or a pipe that takes no more.
TAKES_NO_MORE = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EPIPE)


def main() -> None:
    """Entry point: errors made for the user are one message, not a stack trace."""
    try:
        try:
            app()
        finally:
            print(end="", flush=True)  # here its error can be told, at the end of Python not
    except (RunError, InstallationError) as error:
        print(f"mftpubsub: {error}", file=sys.stderr)
        sys.exit(1)
    except MftPubsubError as error:
        print(f"mftpubsub: {error}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        if error.errno in TAKES_NO_MORE:
            told = f"{error.filename or 'standard output'}: {error.strerror}: nothing more was written"
            print(f"mftpubsub: {told}", file=sys.stderr)
            sys.stdout = io.StringIO()  # Python would flush the other one again
            sys.exit(1)
        if error.errno not in NOT_ALLOWED:
            raise
        print(f"mftpubsub: {error.filename}: {error.strerror}: choose a place of your own", file=sys.stderr)
        sys.exit(2)
    finally:
        _stop_spark()


def _stop_spark() -> None:
    """Gives a cluster's executors back; of a Java that just ends, Spark would complain in pages."""
    if "pyspark" in sys.modules:
        from pyspark.sql import SparkSession

        if spark := SparkSession.getActiveSession():
            spark.stop()
