"""Nodes that run on this machine (cpp/live)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from mftpubsub.errors import ConfigurationError, RunError
from mftpubsub.simulator.library import core, what

_HEADER = "live/runner.h"
T = TypeVar("T")


class Runner:
    """A C++ live::Runner, its exceptions as ours: ConfigurationError for what cannot be, else RunError."""

    def __init__(self, settings: str, hooks: int) -> None:
        """`settings`: JSON of live::Settings. `hooks`: address of StationHooks, 0 for one in C++."""
        self._runner = _told(lambda: core(_HEADER).live.Runner(settings, hooks))

    @property
    def descriptor(self) -> int:
        """Readable when there is something to do."""
        return int(self._runner.GetDescriptor())

    def run(self) -> None:
        _told(self._runner.Run)

    def publish(self, event: bytes) -> int:
        """Publishes the attributes and the payload of an encoded event; gives its sequence number."""
        return int(_told(lambda: self._runner.Publish(event.hex())))

    def subscribe(self, where: str) -> None:
        _told(lambda: self._runner.Subscribe(where))

    def unsubscribe(self, where: str) -> None:
        _told(lambda: self._runner.Unsubscribe(where))

    def filters(self) -> list[str]:
        return [str(text) for text in self._runner.GetFilters()]

    def left_out(self) -> list[str]:
        """Filters of the store that have no room in a frame: they are no longer in it."""
        return [str(text) for text in self._runner.GetLeftOut()]

    def take(self) -> bytes | None:
        """The next event, encoded; the one before is done with."""
        return bytes.fromhex(str(_told(self._runner.Take))) or None

    def stop(self, is_done: bool) -> None:
        """`is_done`: whether the event that was taken last is."""
        _told(lambda: self._runner.Stop(is_done))

    def counters(self) -> str:
        """JSON."""
        return str(self._runner.GetCounters())

    def set_reach(self, nodes: Iterable[int]) -> None:
        import cppyy

        self._runner.SetReach(cppyy.gbl.std.vector["uint16_t"](list(nodes)))

    def set_loss(self, share: float) -> None:
        self._runner.SetLoss(share)

    def close(self) -> None:
        """Closes sockets and files, now rather than when Python forgets it."""
        self._runner.__destruct__()
        del self._runner


def _told(act: Callable[[], T]) -> T:
    import cppyy

    std = cppyy.gbl.std
    try:
        return act()
    except (std.invalid_argument, std.logic_error) as error:
        raise ConfigurationError(what(error)) from None
    except std.exception as error:
        raise RunError(what(error)) from None
