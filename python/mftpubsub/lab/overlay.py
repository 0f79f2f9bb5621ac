"""The laboratory of the reconfiguration family: commands in words, as transcripts have them."""

from __future__ import annotations

from typing import Any

from mftpubsub.protocols.catalogue import SHORT, short_name
from mftpubsub.simulator.laboratory import call, overlay_lab

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
        self._lab: Any = overlay_lab(SHORT[short_name(protocol) or ""], links)

    def run(self, command: str) -> list[str]:
        """Runs one command of `HELP`, and returns the lines that it prints. Raises LabError."""
        return [str(line) for line in call(self._lab.Run, command)]

    def tables(self) -> dict[str, str]:
        """What each dispatcher knows, a line."""
        found = (line.partition("[") for line in self.run("tables"))
        return {name: rows.removesuffix("]") for name, _, rows in found}
