"""What a command tells on standard error of how it goes, and what it does about Ctrl-C.

`--quiet` silences it, but never errors.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.console import Console

Item = TypeVar("Item")

#: Between two lines of how far it is, where no terminal shows a bar: s.
LOG_INTERVAL = 60

_quiet = False


def be_quiet() -> None:
    """From now on, for this process."""
    global _quiet
    _quiet = True


def is_quiet() -> bool:
    """Whether notes are not wanted."""
    return _quiet


def tell(note: str) -> None:
    """A line about how it goes."""
    if not _quiet:
        print(note, file=sys.stderr)


def console() -> Console:
    """Where progress is shown."""
    from rich.console import Console

    return Console(stderr=True, quiet=_quiet)


def each(items: Sequence[Item], what: str) -> Iterator[Item]:
    """`items`, one after the other, while a bar shows how many of them are done: for what takes minutes."""
    from rich.progress import track

    yield from track(items, description=what, console=console(), transient=True)


@contextmanager
def bar(what: str, total: float) -> Iterator[Callable[[float], None]]:
    """A bar; what is yielded is told how much of `total` is done. Where no terminal is: a line a minute."""
    from rich.progress import Progress

    with Progress(console=console(), transient=True) as shown:
        task = shown.add_task(what, total=total)
        told = time.monotonic()

        def update(done: float) -> None:
            nonlocal told
            shown.update(task, completed=done)
            if not shown.console.is_terminal and time.monotonic() > told + LOG_INTERVAL:
                told = time.monotonic()
                tell(f"{what}: {done:.0f} of {total:.0f}")

        yield update


@contextmanager
def resumable() -> Iterator[None]:
    """What is interrupted here can go on: it says so, and exits with 130."""
    try:
        yield
    except KeyboardInterrupt:
        print("mftpubsub: interrupted; the same command goes on where this one stopped", file=sys.stderr)
        raise SystemExit(130) from None


@contextmanager
def ended_by_interrupt() -> Iterator[None]:
    """Ctrl-C ends the process here: for one long call of C++, in which Python hears of none."""
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def deaf() -> Iterator[None]:
    """Processes that start here never hear of Ctrl-C, which is for the one that the user has started.

    Python handles signals in the main thread only: nothing changes in another one.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def undivided() -> Iterator[None]:
    """What is done here is done as a whole: a Ctrl-C that comes amid it is heard after it."""
    if threading.current_thread() is not threading.main_thread():
        yield  # Python interrupts the main thread only
        return
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)
