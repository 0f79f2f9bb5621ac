"""A run's result, and what is drawn and shown of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from mftpubsub.files import as_path
from mftpubsub.runs import result
from mftpubsub.runs import run as running
from mftpubsub.runs.result import title
from mftpubsub.runs.simulation import Progress
from mftpubsub.scenario.left_out import tell_left_out
from mftpubsub.scenario.observers import Observer
from mftpubsub.scenario.scenario import Scenario

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from mftpubsub.views.plots import Timeline
    from mftpubsub.views.viewer.page import View


@dataclass(frozen=True, repr=False)
class Result(result.Result):
    """What a run gave: its trace, and what is computed from it and drawn of it."""

    @overload
    def plot_network(self, time_s: float, ax: Axes | None = None) -> Axes: ...
    @overload
    def plot_network(self, time_s: Iterable[float], ax: Iterable[Axes] | None = None) -> list[Axes]: ...

    def plot_network(self, time_s: float | Iterable[float], ax: Any = None) -> Axes | list[Axes]:
        """Draws the network at `time_s`, in s: positions, radio links, tree, roles and leaders.

        Several instants give a row of pictures and a list of Axes. `snapshot` says what it costs.
        """
        from mftpubsub.views.plots import draw_networks

        if isinstance(time_s, Iterable) and not isinstance(time_s, str):
            return draw_networks(self.snapshots(list(time_s)), None if ax is None else list(ax))
        return draw_networks([self.snapshot(time_s)], None if ax is None else [ax])[0]

    def view(self, step_s: float | None = None) -> View:
        """The run as a page to watch and ask (docs/how-to/view.md): in a notebook it shows itself.

        The run is simulated anew, and looked at every `step_s` s (default: 0.5). Where that cannot be
        (`rerun_obstacle`), the page shows what the trace tells.
        """
        from mftpubsub.views.viewer import page

        return page.View([page.of_result(self, step_s)], f"mftpubsub: {title(self.scenario)}")

    def export(
        self,
        *outs: str | Path,
        begin_s: float = 0.0,
        end_s: float | None = None,
        fps: int = 10,
        pace: float = 1.0,
    ) -> None:
        """Writes the run for other tools (docs/how-to/export.md), from `begin_s` to `end_s`.

        The names say what: .pcapng (Wireshark), .xml (NetAnim), .json or .json.gz (Perfetto), .gif, .mp4;
        moving pictures have `fps` pictures a second, in which `pace` simulated s go by. The run is simulated
        anew. Raises QueryError if that cannot be, or for a part that the run has not.
        """
        from mftpubsub.views.exports import export
        from mftpubsub.views.exports.recording import Excerpt, record_result

        paths = [as_path(out, "export", "run.pcapng") for out in outs]
        wanted = export.wanted(paths, Excerpt(begin_s, end_s, fps, pace))
        export.write(record_result(self, wanted), paths)

    def timeline(self, subscriber: int) -> Timeline:
        """What a subscriber wanted, when it got it, and the migrations that delayed it.

        Raises QueryError for a node that is no subscriber.
        """
        from mftpubsub.views.plots import Timeline

        return Timeline.of(self.trace, subscriber, self.scenario.duration)


def shown(data: result.Result) -> Result:
    """The same result, with its views."""
    return Result(**{field.name: getattr(data, field.name) for field in fields(data)})


def run(
    scenario: Scenario,
    trace: str | Path | None = None,
    progress: Progress | None = None,
    observers: Iterable[Observer] = (),
) -> Result:
    """Runs a scenario to its end.

    `trace` names the trace file to write (gzip); by default it is temporary and goes with the result.
    It appears under its name only when it is complete. `observers`, and those of the scenario, are shown the
    network as it runs (Every, At) and change nothing. Runs of several threads come one after the other:
    `sweep` uses all processors. Raises RunError if the run or an observer fails, or the trace cannot be
    written.
    """
    if isinstance(scenario, Scenario):
        tell_left_out([scenario])
    return shown(running.run(scenario, trace, progress, observers))


def open_run(folder: str | Path, *, import_policies: bool = False) -> Result:
    """The result of a finished run of a sweep, by its folder (`.../runs/protocol=P/config=C/speed=V/seed=N`).

    Policies of your own are made anew, by what their `__init__` was given, if their modules are loaded; with
    `import_policies` those that run.json names are imported, which runs their code: only for a folder that
    you trust. Without its policies a run cannot be simulated anew (`rerun_obstacle`). Raises QueryError if
    it holds no complete run, or none that this version knows.
    """
    return shown(running.open_run(folder, import_policies=import_policies))
