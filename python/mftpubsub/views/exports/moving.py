"""A run as a moving picture: the network as `plot_network` draws it, and the frames on the air."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from subprocess import CalledProcessError
from typing import TYPE_CHECKING, Any

from mftpubsub.errors import InstallationError, RunError
from mftpubsub.runs.result import title
from mftpubsub.runs.simulation import Progress
from mftpubsub.simulator.snapshot import Snapshot
from mftpubsub.style import INKS, STYLE
from mftpubsub.views.exports.recording import Frame, Recording
from mftpubsub.views.plots import GREY, LINES, LOOKS, MAX_LABELS, ORANGE, RED, SKY, draw_network, named

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SIZE_INCHES = (6.0, 6.6)
_DPI = 100

#: How frames are drawn, by what they are for.
_FRAMES: dict[str, dict[str, Any]] = {
    "event": {"color": INKS[7], "linewidth": 2.2},
    "control": {"color": ORANGE, "linewidth": 1.8, "linestyle": (0, (4, 1))},
    "heartbeat": {"color": SKY, "linewidth": 1.2, "linestyle": (0, (1, 1))},
    "acknowledgement": {"color": GREY, "linewidth": 1.2},
}
#: By kind; the others are control.
_PURPOSES = {
    "PUB": "event",
    "REP": "event",
    "DATA": "event",
    "HEARTBEAT": "heartbeat",
    "HELLO": "heartbeat",
    "ACK": "acknowledgement",
    "ASK": "acknowledgement",
}


def check_ffmpeg() -> None:
    """Raises InstallationError if films cannot be written."""
    from matplotlib.animation import FFMpegWriter

    if not FFMpegWriter.isAvailable():
        raise InstallationError(
            "films (.mp4) are written by ffmpeg, which is missing (Debian: apt-get install ffmpeg); "
            "a .gif needs nothing more"
        )


def write_gif(recording: Recording, out: Path, progress: Progress) -> None:
    """Writes a GIF that begins again at its end; each picture ends at the nearest 1/100 s, a GIF's unit."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    def images() -> Iterator[Image.Image]:
        for figure in _pictures(recording, progress):
            canvas: Any = FigureCanvasAgg(figure)
            canvas.draw()
            picture = Image.frombytes("RGBA", canvas.get_width_height(), bytes(canvas.buffer_rgba()))
            yield picture.convert("RGB")

    all_images = images()
    ends = [round(100 * place / recording.excerpt.fps) for place in range(len(recording.snapshots) + 1)]
    durations_ms = [10 * (end - begin) for begin, end in pairwise(ends)]
    first = next(all_images)
    first.save(out, format="GIF", save_all=True, append_images=all_images, duration=durations_ms, loop=0)


def write_mp4(recording: Recording, out: Path, progress: Progress) -> None:
    """Writes a film by ffmpeg. Raises RunError if that fails."""
    from matplotlib.animation import FFMpegWriter

    writer = FFMpegWriter(fps=recording.excerpt.fps, extra_args=["-f", "mp4"])
    pictures = _pictures(recording, progress)
    figure = next(pictures)
    try:
        with writer.saving(figure, str(out), _DPI):
            writer.grab_frame()
            for _ in pictures:
                writer.grab_frame()
    except (BrokenPipeError, CalledProcessError) as error:
        raise RunError(f"ffmpeg could not write the film: {error}") from error


def _pictures(recording: Recording, progress: Progress) -> Iterator[Figure]:
    """The same figure again and again, drawn for each instant."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    frames = list(recording.frames())
    starts = [frame.time_s for frame in frames]
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=_SIZE_INCHES, dpi=_DPI)
        ax = figure.add_subplot()
        _add_legend(figure, recording)
        shown = 0
        for place, snapshot in enumerate(recording.snapshots):
            until = bisect_right(starts, snapshot.time_s)
            ax.clear()
            _draw(ax, snapshot, frames[shown:until])
            if place == 0:  # as the first picture stands, so do all
                figure.draw_without_rendering()
                figure.set_layout_engine("none")
            shown = until
            progress(snapshot.time_s)
            yield figure


def _draw(ax: Axes, snapshot: Snapshot, frames: Sequence[Frame]) -> None:
    """The network at an instant, and the frames that went on the air since the one before."""
    draw_network(ax, snapshot)
    ax.set_title(f"{snapshot.time_s:8.2f} s", family="monospace")
    if len(snapshot.nodes) <= MAX_LABELS:
        for node in snapshot.nodes:
            ax.annotate(
                named(node), (node.x, node.y), (4, 4), textcoords="offset points", fontsize=6, zorder=7
            )
    for purpose, look in _FRAMES.items():
        _draw_frames(ax, snapshot, [frame for frame in frames if _purpose(frame) == purpose], look)


def _purpose(frame: Frame) -> str:
    return _PURPOSES.get(frame.kind, "control")


def _draw_frames(ax: Axes, snapshot: Snapshot, frames: Sequence[Frame], look: dict[str, Any]) -> None:
    """A frame for one is a line to it; one for everybody a ring, with a thin line to each who got it."""
    from matplotlib.collections import LineCollection

    places = [(node.x, node.y) for node in snapshot.nodes]
    one = [(places[frame.node], places[frame.peer]) for frame in frames if frame.peer >= 0]
    everybody = [frame for frame in frames if frame.peer < 0]
    reached = [(places[frame.node], places[node]) for frame in everybody for node in frame.received]
    lost = [places[frame.peer] for frame in frames if frame.peer >= 0 and frame.peer not in frame.received]
    ax.add_collection(LineCollection(one, zorder=3.5, **look))
    ax.add_collection(LineCollection(reached, zorder=1.5, **look | {"linewidth": 0.6, "alpha": 0.5}))
    senders = [places[frame.node] for frame in everybody]
    _scatter(ax, senders, s=320, facecolors="none", edgecolors=look["color"], linewidths=look["linewidth"])
    _scatter(ax, lost, marker="x", color=RED, s=60, linewidths=1.8)


def _scatter(ax: Axes, places: Sequence[tuple[float, float]], **look: Any) -> None:
    if places:
        xs, ys = zip(*places, strict=True)
        ax.scatter(xs, ys, zorder=6, **look)


def _add_legend(figure: Figure, recording: Recording) -> None:
    """Of all that the film may show, so that it stays as it is."""
    from matplotlib.lines import Line2D

    roles = {node.roles for snapshot in recording.snapshots[:1] for node in snapshot.nodes}
    nodes = [
        Line2D([], [], linestyle="none", marker=marker, color=colour, label=", ".join(some) or "router")
        for some, (marker, colour) in LOOKS.items()
        if some in roles
    ]
    lines = [
        Line2D([], [], label=label, **look)
        for label, look in [*LINES.items(), *((f"frame: {name}", look) for name, look in _FRAMES.items())]
        if label not in LINES or _has_tree(recording)
    ]
    leader = Line2D(
        [],
        [],
        linestyle="none",
        marker="o",
        markersize=11,
        markerfacecolor="none",
        color="black",
        label="leader",
    )
    lost = Line2D([], [], linestyle="none", marker="x", color=RED, label="frame: lost")
    handles = [*nodes, *([leader] if _has_tree(recording) else []), *lines, lost]
    figure.suptitle(title(recording.result.scenario), fontsize=9)
    figure.legend(handles=handles, loc="outside lower center", ncols=4, fontsize=7)


def _has_tree(recording: Recording) -> bool:
    return any(node.parent is not None for snapshot in recording.snapshots for node in snapshot.nodes)
