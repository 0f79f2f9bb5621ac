"""The command `mftpubsub view`."""

from __future__ import annotations

import shlex
import webbrowser
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mftpubsub.cli import completion
from mftpubsub.cli.options import At, place_at
from mftpubsub.errors import ConfigurationError, QueryError, no_such
from mftpubsub.files import need_replaceable
from mftpubsub.notes import console, tell

if TYPE_CHECKING:
    from mftpubsub.runs.result import Result
    from mftpubsub.runs.simulation import Progress
    from mftpubsub.scenario.observers import Observer
    from mftpubsub.scenario.scenario import Scenario

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
        list[str] | None,
        typer.Option(
            help="Of a scenario file (repeatable: side by side)", autocompletion=completion.protocols
        ),
    ] = None,
    config: Annotated[
        str | None,
        typer.Option(
            help="Of a study: a configuration, such as C8", autocompletion=completion.configurations
        ),
    ] = None,
    speed: Annotated[float | None, typer.Option(help="Of a scenario file: m/s")] = None,
    seed: Annotated[int | None, typer.Option(help="Of a scenario file")] = None,
    at: At = None,
    step: Annotated[
        float | None, typer.Option(min=0.01, help="Seconds between looks at positions, tree and queues [0.5]")
    ] = None,
) -> None:
    """Write one page that replays runs in a browser, without a server or a network.

    WHAT is a run of a sweep (its folder), a trace, or a scenario file of which the options choose a run; a
    transcript of a laboratory (.txt), or a world of `mftpubsub reconfigure` (.json, with --protocol). A run
    is simulated anew, to tell what its trace leaves out; of a trace alone the page shows what that tells.
    """
    from mftpubsub.views.viewer import page

    check_out(out)
    chosen = {"config": config, "speed": speed, "seed": seed, "at": place_at(at)}
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
    out: Annotated[
        list[Path] | None,
        typer.Option(
            help="File to write (repeatable): .pcapng (Wireshark), .xml (NetAnim), .json or .json.gz "
            "(Perfetto), .gif, .mp4 [default: run.json.gz]"
        ),
    ] = None,
    protocol: Annotated[str | None, typer.Option(help="Of a scenario file")] = None,
    config: Annotated[str | None, typer.Option(help="Of a study: a configuration, such as C8")] = None,
    speed: Annotated[float | None, typer.Option(help="Of a scenario file: m/s")] = None,
    seed: Annotated[int | None, typer.Option(help="Of a scenario file")] = None,
    at: At = None,
    begin: Annotated[float, typer.Option("--from", help="First instant, s")] = 0.0,
    end: Annotated[float | None, typer.Option("--to", help="Last instant, s [default: the end]")] = None,
    fps: Annotated[int, typer.Option(min=1, max=50, help="Of .gif and .mp4: pictures a second")] = 10,
    pace: Annotated[
        float, typer.Option(min=0.001, help="Of .gif and .mp4: simulated seconds a second")
    ] = 1.0,
) -> None:
    """Write a run, or a part of it, for other tools: Wireshark, NetAnim, Perfetto, or as a moving picture.

    The run is simulated anew, to tell what its trace leaves out.
    """
    from mftpubsub.runs.run import open_run
    from mftpubsub.scenario.study import choose
    from mftpubsub.trace.file import is_trace
    from mftpubsub.views.exports import export
    from mftpubsub.views.exports.recording import Excerpt, record_result, record_scenario

    outs = out or [Path("run.json.gz")]
    for path in outs:
        check_out(path)
    wanted = export.wanted(outs, Excerpt(begin, end, fps, pace))
    chosen = {"protocol": protocol, "config": config, "speed": speed, "seed": seed, "at": place_at(at)}
    with _progress() as progress:
        if folder := _folder_of(what):
            _check_unchosen(what, chosen.values())
            recording = record_result(open_run(folder), wanted, progress)
        elif is_trace(what):
            raise QueryError(
                f"{what} is a trace alone, which does not tell where nodes were: "
                "give the folder of a run, or the scenario file"
            )
        else:
            recording = record_scenario(choose(what, **chosen), wanted, progress)
    with _progress("written") as progress:
        export.write(recording, outs, progress)
    for path in outs:
        print(f"{path} ({path.stat().st_size / 1e6:.1f} MB)")
    _tell_dissector(outs)


def _tell_dissector(outs: Iterable[Path]) -> None:
    """Says how Wireshark is to read captures, if there are any."""
    from mftpubsub.views.exports.pcapng import DISSECTOR

    for path in outs:
        if path.suffix == ".pcapng":
            of_its_own = path.with_suffix(".lua")  # of a protocol of one's own
            scripts = [DISSECTOR, *([of_its_own] if of_its_own.exists() else [])]
            options = " ".join(f"-X lua_script:{shlex.quote(str(script))}" for script in scripts)
            tell(f"wireshark {options} {shlex.quote(str(path))}")


def check_out(out: Path, option: str = "--out") -> None:
    """Refuses a file that cannot be there."""
    if not out.absolute().parent.is_dir():
        raise typer.BadParameter(f"there is no folder {out.parent}", param_hint=option)
    try:
        need_replaceable(out)
    except ConfigurationError as error:
        raise typer.BadParameter(str(error), param_hint=option) from error


def check_capture(out: Path) -> None:
    """Refuses a file that is no capture by its name, or cannot be there."""
    check_out(out, "--pcap")
    if out.suffix != ".pcapng":
        raise typer.BadParameter(f"{out}: the name must end in .pcapng", param_hint="--pcap")


def capture(
    scenario: Scenario,
    out: Path,
    trace: Path | None,
    progress: Progress | None,
    observers: Iterable[Observer],
) -> Result:
    """Runs a scenario and writes its frames for Wireshark. `trace` names the file to keep the trace in."""
    from mftpubsub.views.exports import export
    from mftpubsub.views.exports.recording import Excerpt, record_scenario

    recording = record_scenario(scenario, export.wanted([out], Excerpt()), progress, trace, observers)
    export.write(recording, [out])
    _tell_dissector([out])
    return recording.result


def _check_unchosen(run: Path, chosen: Iterable[object]) -> None:
    if any(value is not None for value in chosen):
        raise QueryError(
            f"{run} is one run: --protocol, --config, --speed, --seed and --at are for scenario files"
        )


def _shows(
    path: Path, protocols: list[str] | list[None], chosen: Mapping[str, object], step: float | None
) -> Iterator[Show]:
    """How the blocks of what a user names are made. Raises MftPubsubError before anything is run."""
    from mftpubsub.runs.run import open_run
    from mftpubsub.scenario.study import choose
    from mftpubsub.trace.file import is_trace
    from mftpubsub.trace.layout import is_foreign, read_metadata
    from mftpubsub.views.viewer import page
    from mftpubsub.views.viewer.laboratory import of_transcript

    if path.suffix in (".yaml", ".yml"):
        for protocol in protocols:
            scenario = choose(path, protocol=protocol, **chosen)
            yield partial(_one, page.of_scenario, scenario, step)
        return
    folder = _folder_of(path)
    is_world = path.suffix == ".json" and not folder
    _check_unchosen(path, chosen.values() if is_world else [*protocols, *chosen.values()])
    if folder:
        if is_foreign(read_metadata(folder)):
            yield partial(_without_progress, page.of_foreign, folder)
            return
        result = open_run(folder)
        yield partial(_one, page.of_result, result, step)
    elif path.suffix == ".txt" and not is_trace(path):
        yield lambda _: of_transcript(path)
    elif is_world:
        yield from _worlds(path, protocols)
    elif path.is_file():
        yield lambda _: [page.of_trace(path)]
    else:
        raise QueryError(
            f"there is no {path}; it may be a run's folder, a trace, a scenario file, a world, a transcript"
        )


def _folder_of(path: Path) -> Path | None:
    """The folder of a run, if that or a file in it is named."""
    from mftpubsub.trace.layout import METADATA, TRACE

    if path.is_dir():
        return path
    files = [path.parent / name for name in (TRACE, METADATA)]
    return path.parent if path in files and all(file.exists() for file in files) else None


def _worlds(path: Path, protocols: list[str] | list[None]) -> Iterator[Show]:
    """A world of wires, for each protocol. Raises QueryError for one that there is not."""
    from mftpubsub.protocols.catalogue import SHORT, short_name
    from mftpubsub.worlds.reconfiguration.view import of_world
    from mftpubsub.worlds.reconfiguration.world import read_world

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
def _progress(done: str = "simulated") -> Iterator[Progress]:
    """A bar for all runs together would need their durations: it shows the simulated time."""
    with console().status("") as status:
        yield lambda seconds: status.update(f"{seconds:.0f} s {done}")
