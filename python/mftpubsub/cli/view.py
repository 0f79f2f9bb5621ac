"""The command `mftpubsub view`."""

from __future__ import annotations

import webbrowser
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mftpubsub.errors import QueryError, no_such
from mftpubsub.notes import console

if TYPE_CHECKING:
    from mftpubsub.runs.simulation import Progress

#: Side by side there is room for so many.
_MOST_RUNS = 6

Show = Callable[["Progress"], list[bytes]]


def view(
    what: Annotated[
        list[Path],
        typer.Argument(
            metavar="WHAT...", help="Folders of runs, traces, scenario files, worlds, transcripts"
        ),
    ],
    out: Annotated[Path, typer.Option(help="The page to write")] = Path("view.html"),
    open_: Annotated[bool, typer.Option("--open", help="Show it in the browser")] = False,
    protocol: Annotated[
        list[str] | None, typer.Option(help="Of a scenario file (repeatable: side by side)")
    ] = None,
    config: Annotated[str | None, typer.Option(help="Of a study: a configuration, such as C8")] = None,
    speed: Annotated[float | None, typer.Option(help="Of a scenario file: m/s")] = None,
    seed: Annotated[int | None, typer.Option(help="Of a scenario file")] = None,
    step: Annotated[
        float | None, typer.Option(min=0.01, help="Seconds between looks at positions, tree and queues [0.5]")
    ] = None,
) -> None:
    """Write one page that replays runs in a browser, without a server or a network.

    WHAT is a run of a sweep (its folder), a trace, or a scenario file of which the options choose a run; a
    transcript of a laboratory (.txt), or a world of `mftpubsub reconfigure` (.json, with --protocol). A run
    is simulated anew, to tell what its trace leaves out; of a trace alone the page shows what that tells.
    """
    from mftpubsub.runs.viewer import page

    _check_folder(out)
    chosen = {"config": config, "speed": speed, "seed": seed}
    shows = [show for path in what for show in _shows(path, protocol or [None], chosen, step)]
    _check_room(len(shows))
    with _progress() as progress:
        blocks = [block for show in shows for block in show(progress)]
    _check_room(len(blocks))  # a transcript may have several
    page.write(out, blocks, f"mftpubsub: {', '.join(path.stem for path in what)}")
    print(f"{out} ({out.stat().st_size / 1e6:.1f} MB)")
    if open_:
        webbrowser.open(out.absolute().as_uri())


def export(
    what: Annotated[Path, typer.Argument(metavar="WHAT", help="Folder of a run, or a scenario file")],
    out: Annotated[Path, typer.Option(help="The file to write; FILE.gz is compressed")] = Path("run.json.gz"),
    protocol: Annotated[str | None, typer.Option(help="Of a scenario file")] = None,
    config: Annotated[str | None, typer.Option(help="Of a study: a configuration, such as C8")] = None,
    speed: Annotated[float | None, typer.Option(help="Of a scenario file: m/s")] = None,
    seed: Annotated[int | None, typer.Option(help="Of a scenario file")] = None,
) -> None:
    """Write a run as trace events for Perfetto (ui.perfetto.dev) and Chrome, a track for each node."""
    from mftpubsub.runs.run import open_run, run
    from mftpubsub.runs.viewer import perfetto
    from mftpubsub.scenario.study import choose

    _check_folder(out)
    chosen = {"protocol": protocol, "config": config, "speed": speed, "seed": seed}
    with _progress() as progress:
        if what.is_dir():
            _check_unchosen(what, chosen.values())
            result = open_run(what)
        else:
            result = run(choose(what, **chosen), progress=progress)
        perfetto.write(result, out, progress)
    print(f"{out} ({out.stat().st_size / 1e6:.1f} MB)")


def _check_folder(out: Path) -> None:
    if not out.absolute().parent.is_dir():
        raise typer.BadParameter(f"there is no folder {out.parent}", param_hint="--out")


def _check_unchosen(run: Path, chosen: Iterable[object]) -> None:
    if any(value is not None for value in chosen):
        raise QueryError(f"{run} is one run: --protocol, --config, --speed and --seed are for scenario files")


def _shows(
    path: Path, protocols: list[str] | list[None], chosen: Mapping[str, object], step: float | None
) -> Iterator[Show]:
    """How the blocks of what a user names are made. Raises MftPubsubError before anything is run."""
    from mftpubsub.runs.run import open_run
    from mftpubsub.runs.viewer import page
    from mftpubsub.runs.viewer.laboratory import of_transcript
    from mftpubsub.scenario.study import choose
    from mftpubsub.trace.layout import METADATA, TRACE

    if path.suffix in (".yaml", ".yml"):
        for protocol in protocols:
            scenario = choose(path, protocol=protocol, **chosen)
            yield partial(_one, page.of_scenario, scenario, step)
        return
    _check_unchosen(path, chosen.values() if path.suffix == ".json" else [*protocols, *chosen.values()])
    if path.is_dir() or (path.name == TRACE and (path.parent / METADATA).exists()):
        result = open_run(path if path.is_dir() else path.parent)
        yield partial(_one, page.of_result, result, step)
    elif path.suffix == ".json":
        yield from _worlds(path, protocols)
    elif path.suffix == ".txt":
        yield lambda _: of_transcript(path)
    elif path.is_file():
        yield lambda _: [page.of_trace(path)]
    else:
        raise QueryError(
            f"there is no {path}; it may be a run's folder, a trace, a scenario file, a world, a transcript"
        )


def _worlds(path: Path, protocols: list[str] | list[None]) -> Iterator[Show]:
    """A world of wires, for each protocol. Raises QueryError for one that there is not."""
    from mftpubsub.lab.protocols import SHORT, short_name
    from mftpubsub.reconfiguration.view import of_world
    from mftpubsub.reconfiguration.world import read_world

    world = read_world(path)
    for protocol in protocols:
        short = short_name(protocol or "")
        if short is None:
            raise QueryError(f"{path}: --protocol: {no_such('protocol', protocol or '', SHORT)}")
        yield partial(_without_progress, of_world, world, short)


def _check_room(runs: int) -> None:
    if runs > _MOST_RUNS:
        raise typer.BadParameter(f"{runs} runs; at most {_MOST_RUNS} stand side by side")


def _without_progress(make: Callable[..., bytes], *arguments: object) -> list[bytes]:
    return [make(*arguments[:-1])]


def _one(make: Callable[..., bytes], *arguments: object) -> list[bytes]:
    return [make(*arguments)]


@contextmanager
def _progress() -> Iterator[Progress]:
    """A bar for all runs together would need their durations: it shows the simulated time."""
    with console().status("") as status:
        yield lambda seconds: status.update(f"{seconds:.0f} s of simulated time")
