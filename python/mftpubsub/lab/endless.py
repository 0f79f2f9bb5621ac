"""Messages that go round for ever: where nothing is decided, a state that comes again comes for ever."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from mftpubsub.simulator.laboratory import LabError

ENDLESS = "endless: messages go round for ever"
"""What a search says of them."""

#: Steps of which none is looked at, as a state's value is costly.
_UNSEEN = 64


class EndlessError(LabError):
    """Messages go round for ever."""

    def __init__(self) -> None:
        super().__init__("settle: messages go round for ever")


class Rounds:
    """Steps in a row; of their states one is kept, a later one each time that their number doubles."""

    def __init__(self) -> None:
        self._steps = self._parts = 0
        self._kept: tuple[Hashable, ...] = ()

    def are_closed(self, parts: int, state: Callable[[], tuple[Hashable, ...]]) -> bool:
        """Whether the state is the kept one, so far as steps have gone by it since then.

        The step that comes next goes by so many first `parts`: what waits behind those may grow.
        """
        self._steps += 1
        self._parts = max(self._parts, parts)
        if self._steps < _UNSEEN:
            return False
        now = state()
        if now[: self._parts] == self._kept[: self._parts]:
            return True
        if self._steps.bit_count() == 1:
            self._kept, self._parts = now, parts
        return False
