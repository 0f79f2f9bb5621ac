"""Commands of hand-off transcripts: brokers that stay, subscribers that move between them.

The files are as `mftpubsub.lab.transcript` has them; their first command names a hand-off scheme.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from mftpubsub.lab.laboratory import SETTLE_LIMIT
from mftpubsub.simulator.laboratory import LabError, call, handoff_lab, handoff_options

HELP = """\
lab SCHEME B-B B-B ... [neighbours=B-B,B-B,...] [ack-batch=N] [queue-bytes=N] [completion-mark=false]
                       [literal-edge-refresh=true] [merge-duplicates=true]
                       [home=true] [filters-in-reconnect=true]
                       [root=B] [publishers=B,B,...] [implicit-move-out=true]
subscribe S at B [as S] [where CONDITION]   as: both are clients of one user
unsubscribe S
publish E [at B]                        E names the event
disconnect S     connect S B            timeout S at B        edge B-B
moveout S [drop]                        S announces that it leaves, and does
ping S B MILLISECONDS    balance        EMMA: what the controller is told; it sends each S where it should be
hold B->B        release B->B           step        settle
states S         violations"""

_NAME = r"[\w.]+"
_SWITCHES = (
    "completion-mark",
    "literal-edge-refresh",
    "merge-duplicates",
    "home",
    "filters-in-reconnect",
    "implicit-move-out",
)


class HandoffRunner:
    """A laboratory of hand-offs, run by commands.

    Args:
        scheme: one of `handoff_schemes()`.
        rest: what follows in the `lab` command: links and options.

    Raises LabError for what makes no sense.
    """

    def __init__(self, scheme: str, rest: str) -> None:
        options = handoff_options()
        options.scheme = scheme
        for word in rest.split():
            name, is_option, value = word.partition("=")
            if is_option:
                _set(options, name, value)
            else:
                options.links.push_back(_pair(word))
        if not options.links.size():
            raise LabError("say which brokers there are: B-B B-B ...")
        self._lab = handoff_lab(options)
        self._subscribers: list[str] = []
        self._commands: list[tuple[re.Pattern[str], Callable[..., list[str] | None]]] = [
            (re.compile(pattern), command)
            for pattern, command in (
                (
                    rf"subscribe (?P<name>{_NAME}) at (?P<at>{_NAME})(?: as (?P<user>{_NAME}))?"
                    r"(?: where (?P<where>.+))?",
                    self._subscribe,
                ),
                (rf"unsubscribe (?P<name>{_NAME})", lambda name: self._do("Unsubscribe", name)),
                (
                    rf"publish (?P<name>{_NAME})(?: at (?P<at>{_NAME}))?",
                    lambda name, at: self._do("Publish", name, at or ""),
                ),
                (
                    rf"connect (?P<name>{_NAME}) (?:to )?(?P<to>{_NAME})",
                    lambda name, to: self._do("Connect", name, to),
                ),
                (rf"disconnect (?P<name>{_NAME})", lambda name: self._do("Disconnect", name)),
                (
                    rf"moveout (?P<name>{_NAME})(?P<drop> drop)?",
                    lambda name, drop: self._do("MoveOut", name, not drop),
                ),
                (
                    rf"timeout (?P<name>{_NAME}) (?:at )?(?P<at>{_NAME})",
                    lambda name, at: self._do("TimeOut", name, at),
                ),
                (
                    rf"ping (?P<name>{_NAME}) (?P<at>{_NAME}) (?P<ms>\d+(?:\.\d+)?)",
                    lambda name, at, ms: self._do("Ping", name, at, float(ms)),
                ),
                (r"balance", lambda: self._do("Balance")),
                (r"edge (?P<edge>\S+)", lambda edge: self._do("AddEdge", *_pair(edge))),
                (r"hold (?P<links>.+)", lambda links: self._links("Hold", links)),
                (r"release (?P<links>.+)", lambda links: self._links("Release", links)),
                (r"step", self._step),
                (r"settle", lambda: self._do("Settle", SETTLE_LIMIT)),
                (
                    rf"states (?P<name>{_NAME})",
                    lambda name: [str(line) for line in call(self._lab.GetStates, name)],
                ),
                (r"violations", lambda: [str(line) for line in self._lab.FindViolations()] or ["none"]),
            )
        ]

    def run(self, text: str) -> list[str]:
        """Runs one command and returns what it prints."""
        for pattern, command in self._commands:
            if found := pattern.fullmatch(text):
                printed = command(**found.groupdict())
                return [str(line) for line in self._lab.TakeLog()] + (printed or [])
        known = [line.strip() for line in HELP.splitlines()]
        raise LabError(f"cannot read '{text}'; commands are: {'; '.join(known)}")

    def tables(self) -> dict[str, str]:
        """What each broker knows and holds of subscribers that it has a copy of, a line for each of them."""
        lines: dict[str, list[str]] = {}
        for subscriber in self._subscribers:
            for state in map(str, call(self._lab.GetStates, subscriber)):
                broker, _, copy = state.partition(" ")
                lines.setdefault(broker, []).append(f"{subscriber}: {copy}")
        return {broker: "\n".join(copies) for broker, copies in lines.items()}

    def _subscribe(self, name: str, at: str, user: str | None, where: str | None) -> None:
        self._do("Subscribe", name, at, where or "", user or "")
        self._subscribers.append(name)

    def _do(self, method: str, *arguments: object) -> None:
        call(getattr(self._lab, method), *arguments)

    def _links(self, method: str, text: str) -> None:
        for link in text.replace(",", " ").split():
            self._do(method, *_pair(link, "->"))

    def _step(self) -> None:
        if not self._lab.Step():
            raise LabError("nothing is pending")


def _set(options: Any, name: str, value: str) -> None:
    if name == "neighbours":
        for edge in value.split(","):
            options.neighbours.push_back(_pair(edge))
    elif name == "root":
        options.root = value
    elif name == "publishers":
        for broker in value.split(","):
            options.publishers.push_back(broker)
    elif name in ("ack-batch", "queue-bytes"):
        if not value.isdecimal() or int(value) == 0:
            raise LabError(f"{name}={value} is no positive number")
        setattr(options, _camel(name), int(value))
    elif name in _SWITCHES:
        if value not in ("true", "false"):
            raise LabError(f"{name}={value} is neither true nor false")
        setattr(options, _camel(name), value == "true")
    else:
        raise LabError(f"unknown option '{name}'")


def _camel(name: str) -> str:
    first, *rest = name.split("-")
    return first + "".join(word.capitalize() for word in rest)


def _pair(text: str, arrow: str = "-") -> tuple[str, str]:
    one, found, other = text.partition(arrow)
    if not found or not re.fullmatch(_NAME, one) or not re.fullmatch(_NAME, other):
        raise LabError(f"'{text}' is no B{arrow}B")
    return one, other
