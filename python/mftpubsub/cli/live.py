"""The commands `mftpubsub live`: nodes that run on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

live = typer.Typer(no_args_is_help=True, help="Run nodes on this machine: what is simulated, used.")

SiteFile = Annotated[Path, typer.Argument(metavar="SITE", help="Site file (docs/how-to/live.md)")]


@live.command()
def run(
    site_file: SiteFile,
    node: Annotated[int, typer.Option(min=0, max=65534, help="Which of its nodes this machine is")],
    trial: Annotated[Path | None, typer.Option(hidden=True)] = None,
) -> None:
    """Run a node until it is stopped by SIGTERM or Ctrl-C; its events are lines of JSON, or go to MQTT."""
    from mftpubsub.live import running
    from mftpubsub.live.site import load

    running.run(load(site_file), node, trial)


@live.command(name="try")
def try_(
    site_file: SiteFile,
    out: Annotated[Path | None, typer.Option(help="Folder for what it gives [default: SITE.try]")] = None,
    duration: Annotated[float | None, typer.Option(min=1.0, help="s, instead of the scenario's")] = None,
    namespaces: Annotated[
        bool, typer.Option("--namespaces", help="Each node in a network namespace of its own (root)")
    ] = False,
) -> None:
    """Run all nodes on this machine, and compare them with the simulation of the same scenario.

    Datagrams stay on this machine: on its loopback, or in namespaces made for the trial.
    """
    from mftpubsub.files import as_path
    from mftpubsub.live.site import load
    from mftpubsub.live.trial import attempt

    out = as_path(out or site_file.with_suffix(".try"), "--out", "site.try")
    shown = attempt(load(site_file), out, duration, apart=namespaces)
    _tell_notes(shown.run)
    print(shown)
    print(f"\nthe run: {shown.run}")


@live.command()
def merge(
    traces: Annotated[list[Path], typer.Argument(metavar="TRACE...", help="node-*.trace of the nodes")],
    out: Annotated[Path, typer.Option(help="Folder of a study: the run goes to DIR/runs")] = Path("live"),
    run: Annotated[
        str, typer.Option(help="protocol=P,config=C,speed=V,seed=N: what the run is called")
    ] = "protocol=mft-mesh,config=live,speed=0,seed=1",
) -> None:
    """Make one run of the traces of nodes, for `mftpubsub ingest`, figures and the viewer."""
    from mftpubsub.cli.options import values_by_key
    from mftpubsub.files import as_path
    from mftpubsub.live.merge import merge as merged
    from mftpubsub.pipeline.ns3.take import check_keys

    out = as_path(out, "--out", "live")
    folder = merged(traces, out, check_keys(values_by_key(run.split(","), "--run")))
    _tell_notes(folder)
    print(folder)


def _tell_notes(run: Path) -> None:
    from mftpubsub.notes import tell
    from mftpubsub.trace.layout import read_metadata

    for note in read_metadata(run)["notes"]:
        tell(note)
