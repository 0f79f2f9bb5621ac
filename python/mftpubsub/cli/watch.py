"""What `mftpubsub run` shows while it runs."""

from __future__ import annotations

import webbrowser
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from mftpubsub.notes import bar, console, tell
from mftpubsub.scenario.observers import Live
from mftpubsub.scenario.scenario import Scenario
from mftpubsub.simulator.snapshot import Snapshot

if TYPE_CHECKING:
    from rich.console import RenderableType

    from mftpubsub.runs.simulation import Progress

#: Between looks, s on the clock on the wall: in a terminal and in the browser; where lines are printed.
_REFRESH_S = 1.0
_LINE_S = 10.0
#: So long is waited for the browser, s.
_BROWSER_S = 10.0


class Watching(NamedTuple):
    """What a run is to be told."""

    progress: Progress | None
    observers: list[Live]


@contextmanager
def watching(scenario: Scenario, in_terminal: bool, in_browser: bool) -> Iterator[Watching]:
    """Shows a run as it goes: in the terminal, else as a bar; in the browser if wanted."""
    with ExitStack() as stack:
        observers: list[Live] = []
        if in_browser:
            observers.append(Live(stack.enter_context(_page(scenario)), _REFRESH_S))
        if in_terminal:
            interval = _REFRESH_S if console().is_terminal else _LINE_S
            observers.append(Live(stack.enter_context(_screen(scenario)), interval))
            yield Watching(None, observers)
        else:
            yield Watching(stack.enter_context(bar(str(scenario), scenario.duration)), observers)


@contextmanager
def _page(scenario: Scenario) -> Iterator[Callable[[Snapshot], None]]:
    from mftpubsub.views.viewer.live import LivePage

    with LivePage(scenario) as page:
        tell(f"{page.address} shows the run; it begins when that is open, or in {_BROWSER_S:g} s")
        webbrowser.open(page.address)
        page.wait_for_page(_BROWSER_S)
        yield page.show


@contextmanager
def _screen(scenario: Scenario) -> Iterator[Callable[[Snapshot], None]]:
    from rich.live import Live as Display

    start = monotonic()
    shown = console()
    if not shown.is_terminal:
        yield lambda snapshot: tell("; ".join(facts(snapshot, scenario, monotonic() - start).values()))
        return
    with Display(console=shown, auto_refresh=False) as display:

        def show(snapshot: Snapshot) -> None:
            told = facts(snapshot, scenario, monotonic() - start)
            display.update(_table(scenario, snapshot, told), refresh=True)

        yield show


def _table(scenario: Scenario, snapshot: Snapshot, told: Mapping[str, str]) -> RenderableType:
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_row(str(scenario), ProgressBar(scenario.duration, snapshot.time_s, width=40))
    for name, text in told.items():
        table.add_row(name, text)
    return table


def facts(snapshot: Snapshot, scenario: Scenario, elapsed_s: float) -> dict[str, str]:
    """How a run stands `elapsed_s` s of wall-clock time after its start, in words."""
    counters = snapshot.counters
    rate = snapshot.time_s / max(1e-3, elapsed_s)
    told = {
        "time": f"{snapshot.time_s:.0f} s of {scenario.duration:g} s, {rate:.3g} s a second",
        "delivery": f"{counters.delivered} of {counters.wanted} delivered"
        + _share(counters.delivered, counters.wanted),
        "missing": _counted(counters.undelivered, "nothing missing"),
        "air": f"{counters.air_time_s / max(1e-3, snapshot.time_s):.2f} nodes sending at a time: "
        + _counted(counters.frames, "no frames"),
    }
    if snapshot.leaders:
        told["tree"] = f"leaders {_ids(snapshot.leaders)}; {counters.migrations} migrations"
    sizes = sorted(map(len, snapshot.parts), reverse=True)
    told["network"] = f"{len(sizes)} parts of {_ids(sizes)} nodes" if len(sizes) > 1 else "all in reach"
    if held := sum(node.queued for node in snapshot.nodes):
        most = max(snapshot.nodes, key=lambda node: node.queued)
        told["brokers"] = f"{held} events held, {most.queued} of them at {most.id}"
    return told


def _share(part: int, whole: int) -> str:
    return f" ({part / whole:.1%})" if whole else ""


def _counted(counts: Mapping[str, int], none: str) -> str:
    largest = sorted(counts.items(), key=lambda item: -item[1])
    return ", ".join(f"{name} {count}" for name, count in largest) or none


def _ids(numbers: list[int]) -> str:
    return " ".join(map(str, numbers))
