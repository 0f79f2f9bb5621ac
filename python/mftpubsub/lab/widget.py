"""A laboratory to play with in a notebook: an anywidget, whose picture python/viewer/src/lab.ts draws."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import anywidget
import traitlets

from mftpubsub.errors import MftPubsubError
from mftpubsub.lab.laboratory import Lab
from mftpubsub.simulator.laboratory import LabError

#: Of the log.
_LINES = 12


class LabWidget(anywidget.AnyWidget):
    """Shows a laboratory, and does to it what is clicked.

    `told` is what it shows. What is done to the laboratory elsewhere is shown after `refresh`.
    """

    _esm = files("mftpubsub.lab").joinpath("widget.js").read_text(encoding="utf-8")
    told = traitlets.Dict().tag(sync=True)

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        super().__init__(told=_tell(lab))
        self.on_msg(lambda _, command, __: self.obey(command))

    def refresh(self) -> None:
        """Shows the laboratory as it is now."""
        self.told = _tell(self._lab)

    def obey(self, command: dict[str, Any]) -> None:
        """Does what was clicked: "step", "settle", "step link" or "link". What cannot be done is told."""
        error = ""
        try:
            self._do(command)
        except (LabError, MftPubsubError, RuntimeError) as problem:
            error = str(problem)
        self.told = _tell(self._lab, error)

    def _do(self, command: dict[str, Any]) -> None:
        match command:
            case {"do": "step"}:
                self._lab.step()
            case {"do": "settle"}:
                self._lab.settle()
            case {"do": "step link", "one": one, "other": other}:
                self._lab.step((one, other))
            case {"do": "link", "one": one, "other": other}:
                self._link(one, other)

    def _link(self, one: str, other: str) -> None:
        """A client moves to a broker; brokers that are linked part, others are linked."""
        clients = self._lab.clients
        if one in clients or other in clients:
            client, broker = (one, other) if one in clients else (other, one)
            self._lab.move(client, broker)
        elif {one, other} in [{name, self._lab.parent(name)} for name in self._lab.brokers]:
            self._lab.disconnect(one, other)
        else:
            self._lab.connect(one, other)


def _tell(lab: Lab, error: str = "") -> dict[str, Any]:
    """What lab.ts shows."""
    return {
        "brokers": [_broker(lab, name) for name in lab.brokers],
        "clients": [
            {
                "name": name,
                "broker": broker,
                "role": "S" if name in lab.subscribers else "P",
                "got": lab.delivered(name) if name in lab.subscribers else [],
            }
            for name, broker in lab.clients.items()
        ],
        "pending": [list(link) for link in lab.pending()],
        "log": [str(record) for record in lab.log[-_LINES:]],
        "error": error,
    }


def _broker(lab: Lab, name: str) -> dict[str, Any]:
    try:
        parent, knows = lab.parent(name), lab.describe(name)
    except LabError:  # it has crashed
        return {"name": name, "parent": None, "isUp": False, "knows": ["down"]}
    return {"name": name, "parent": parent, "isUp": True, "knows": knows or ["nothing"]}
