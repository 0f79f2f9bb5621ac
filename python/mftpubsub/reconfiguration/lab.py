"""The laboratory of the reconfiguration family: commands in words, as transcripts have them."""

from __future__ import annotations

from typing import Any

from mftpubsub._core import core
from mftpubsub.lab import LabError
from mftpubsub.reconfiguration.names import SHORT, short_name
from mftpubsub.simulation import what

HELP = """\
lab PROTOCOL [tu=SECONDS] [ts=SECONDS] D-D D-D ...
subscribe P ... at D     unsubscribe P ... at D     publish P ... at D
break R D-D              replace R D-D              advance SECONDS
settle [quietly]         table D                    tables
delivered D              costs                      violations"""


class OverlayLab:
    """Dispatchers over perfect links, with timers that expire only in `advance`.

    lab = OverlayLab("tdu", "A-S A-C A-B B-D")
    lab.run("subscribe g at S")
    lab.run("break r1 A-B")
    """

    def __init__(self, protocol: str, links: str) -> None:
        """`links`: D-D by blanks, and `tu=` and `ts=` in s, 0.15 by default. Raises LabError."""
        self._lab: Any = _call(_cpp().ReconfigurationLab, SHORT[short_name(protocol) or ""], links)

    def run(self, command: str) -> list[str]:
        """Runs one command of `HELP`, and returns the lines that it prints. Raises LabError."""
        return [str(line) for line in _call(self._lab.Run, command)]


def _cpp() -> Any:
    """The C++ namespace with the laboratory."""
    core("lab/lab.h")  # has LabError
    return core("lab/reconfiguration-lab.h")


def _call(function: Any, *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except _cpp().LabError as error:
        raise LabError(what(error).rpartition("invalid_argument: ")[2]) from None
