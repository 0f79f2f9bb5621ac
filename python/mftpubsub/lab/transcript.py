"""Transcripts: files of laboratory commands and of the messages that follow from them.

    # Comments and empty lines are kept.
    lab mft-pubsub root=b1 b1-b2 b1-b3

    subscribe s3 at b3 where topic = 'f3'

    settle
    ----
    s3 -> b3 SUB f=topic = 'f3' s=s3 t=1 h=0
    ...

What a comment above `lab` declares in brackets, "(batches of 3)", is the same as an option, `ack-batch=3`:
`DECLARED` has all such phrases.

A command may be followed by `----` and the lines that it prints, up to an empty line; without
`----` nothing is expected of it. `HELP` lists the commands; those after `lab strawman ...`, or another
protocol that repairs tables, are in reconfiguration/lab.py.
"""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from mftpubsub.errors import no_such
from mftpubsub.files import write_text
from mftpubsub.lab.handoff import HandoffRunner
from mftpubsub.lab.laboratory import Lab, Route
from mftpubsub.lab.overlay import OverlayLab
from mftpubsub.protocols.catalogue import ROUTING, short_name
from mftpubsub.simulator.laboratory import LabError, handoff_schemes

HELP = """\
lab PROTOCOL root=B [leaders=B,B,...] [seed=N] [replay=false] [literal-children=true] B-B B-B ...
subscribe S [at B] where CONDITION      unsubscribe S where CONDITION
publish P [at B] [NAME=VALUE ...]       values: 12, 1.5, true, 'text'
connect B B      disconnect B B         migrate B to B      move S to B
crash B          restart B
drop X Y         deny X Y               lose B B
slip S to B      restart B silently
step [FROM TO]   settle [quietly]       quietly: only the number of steps
table B          queue B                delivered S         pending      violations"""

#: Phrases of comments that declare an option of the `lab` command below them.
DECLARED = {"ack-batch": re.compile(r"\(batches of (\d+)\)")}

SEPARATOR = "----"
NOTHING = "ok"
ENDLESS = 1000
"""Steps after which `settle` gives up, and prints only that."""

_UNQUIET = "endless: "
_NAME = r"[\w.]+"
_VALUE = re.compile(r"(?P<name>\w+)=(?P<value>'(?:[^']|'')*'|\S+)\s*")


@dataclass
class _Block:
    """A command with what is expected of it (None: nothing is), or a line that is no command."""

    line: int
    text: str
    is_command: bool
    expected: list[str] | None = None


class _Runner:
    def __init__(self) -> None:
        self._lab: Lab | None = None
        self._other: OverlayLab | HandoffRunner | None = None
        self._commands: list[tuple[re.Pattern[str], Callable[..., list[str] | None]]] = [
            (re.compile(pattern), command)
            for pattern, command in (
                (r"lab (?P<protocol>\S+) (?P<rest>.+)", self._build),
                (
                    rf"subscribe (?P<name>{_NAME})(?: at (?P<at>{_NAME}))? where (?P<where>.+)",
                    lambda name, at, where: self.lab.subscribe(name, at, where=where),
                ),
                (
                    rf"unsubscribe (?P<name>{_NAME}) where (?P<where>.+)",
                    lambda name, where: self.lab.unsubscribe(name, where=where),
                ),
                (
                    rf"publish (?P<name>{_NAME})(?: at (?P<at>{_NAME}))?(?: (?P<values>.+))?",
                    self._publish,
                ),
                (
                    rf"connect (?P<one>{_NAME}) (?P<other>{_NAME})",
                    lambda one, other: self.lab.connect(one, other),
                ),
                (
                    rf"disconnect (?P<one>{_NAME}) (?P<other>{_NAME})",
                    lambda one, other: self.lab.disconnect(one, other),
                ),
                (
                    rf"migrate (?P<name>{_NAME}) to (?P<to>{_NAME})",
                    lambda name, to: self.lab.migrate(name, to),
                ),
                (
                    rf"move (?P<name>{_NAME}) to (?P<to>{_NAME})",
                    lambda name, to: self.lab.move(name, to),
                ),
                (
                    rf"slip (?P<name>{_NAME}) to (?P<to>{_NAME})",
                    lambda name, to: self.lab.slip(name, to),
                ),
                (
                    rf"drop (?P<source>{_NAME}) (?P<destination>{_NAME})",
                    lambda source, destination: self.lab.drop(source, destination),
                ),
                (
                    rf"deny (?P<source>{_NAME}) (?P<destination>{_NAME})",
                    lambda source, destination: self.lab.deny(source, destination),
                ),
                (
                    rf"lose (?P<broker>{_NAME}) (?P<neighbour>{_NAME})",
                    lambda broker, neighbour: self.lab.lose(broker, neighbour),
                ),
                (
                    rf"restart (?P<name>{_NAME}) silently",
                    lambda name: self.lab.restart_silently(name),
                ),
                (rf"crash (?P<name>{_NAME})", lambda name: self.lab.crash(name)),
                (rf"restart (?P<name>{_NAME})", lambda name: self.lab.restart(name)),
                (rf"step(?: (?P<source>{_NAME}) (?P<destination>{_NAME}))?", self._step),
                (r"settle(?P<quietly> quietly)?", self._settle),
                (rf"table (?P<name>{_NAME})", self._table),
                (rf"queue (?P<name>{_NAME})", self._queue),
                (
                    rf"delivered (?P<name>{_NAME})",
                    lambda name: [" ".join(self.lab.delivered(name)) or "nothing"],
                ),
                (
                    r"pending",
                    lambda: [f"{one} -> {other}" for one, other in self.lab.pending()] or ["nothing"],
                ),
                (r"violations", lambda: self.lab.violations() or ["none"]),
            )
        ]

    @property
    def lab(self) -> Lab:
        if self._lab is None:
            raise LabError("there is no laboratory yet: begin with 'lab PROTOCOL root=B B-B ...'")
        return self._lab

    def tree_lab(self) -> Lab | None:
        """The laboratory that is at work, if it is one of brokers that form a tree."""
        return None if self._other else self._lab

    def parents(self) -> dict[str, str]:
        """Whom brokers have as their parents."""
        lab = self.tree_lab()
        found = {name: lab.parent(name) for name in _up(lab)} if lab else {}
        return {name: parent for name, parent in found.items() if parent}

    def tables(self) -> dict[str, str]:
        """What each broker that is up knows and holds, in the words of transcripts."""
        if self._other:
            return self._other.tables()
        if (lab := self._lab) is None:
            return {}
        return {
            name: "\n".join([*describe_table(lab, name), *describe_queues(lab, name)]) for name in _up(lab)
        }

    def run(self, text: str) -> list[str]:
        """Runs one command and returns what it prints."""
        if found := re.fullmatch(r"lab (\S+)(.*)", text):
            self._other = _overlay_of(text)
            if self._other is None and found[1] in handoff_schemes():
                self._other = HandoffRunner(found[1], found[2])
            if self._other:
                return [NOTHING]
        elif self._other:
            return self._other.run(text) or [NOTHING]
        for pattern, command in self._commands:
            if found := pattern.fullmatch(text):
                before = len(self._lab.log) if self._lab else 0
                result = command(**found.groupdict())
                lines = [str(record) for record in self.lab.log[before:]]
                if result is not None:
                    lines += result
                if result and (text == "settle quietly" or result[0].startswith(_UNQUIET)):
                    lines = result
                return lines or [NOTHING]
        word = text.split()[0]
        usage = next((line for line in _usages() if line.split()[0] == word), None)
        if usage is None:
            raise LabError(no_such("command", word, _words()))
        raise LabError(f"cannot read '{text}': it goes '{usage}'")

    def _build(self, protocol: str, rest: str) -> None:
        links, options = [], {}
        for word in rest.split():
            name, is_option, value = word.partition("=")
            if is_option:
                options[name] = value
            elif word.count("-") == 1:
                one, other = word.split("-")
                links.append((one, other))
            else:
                raise LabError(f"'{word}' is no link (B-B) and no option (NAME=VALUE)")
        unknown = options.keys() - {"root", "leaders", "seed", "replay", "literal-children"}
        if unknown:
            raise LabError(f"unknown option '{min(unknown)}'")
        if "root" not in options:
            raise LabError("say who the first leader is: root=B")
        seed = options.get("seed")
        if seed is not None and not seed.isdecimal():
            raise LabError(f"seed={seed} is no number")
        self._lab = Lab(
            protocol,
            links,
            options["root"],
            leaders=[name for name in options.get("leaders", "").split(",") if name],
            seed=None if seed is None else int(seed),
            replay=_boolean("replay", options.get("replay", "true")),
            literal_children=_boolean("literal-children", options.get("literal-children", "false")),
        )

    def _publish(self, name: str, at: str | None, values: str | None) -> list[str]:
        attributes = {}
        position, values = 0, values or ""
        while position < len(values):
            found = _VALUE.match(values, position)
            if found is None:
                raise LabError(f"'{values[position:]}' is no NAME=VALUE")
            attributes[found["name"]] = _literal(found["value"])
            position = found.end()
        return [self.lab.publish(name, at, **attributes)]

    def _step(self, source: str | None, destination: str | None) -> None:
        if source is None or destination is None:
            if not self.lab.step():
                raise LabError("nothing is pending")
        else:
            self.lab.step((source, destination))

    def _settle(self, quietly: str | None) -> list[str] | None:
        try:
            steps = self.lab.settle(ENDLESS)
        except RuntimeError as error:
            return [f"{_UNQUIET}{error}"]
        return [f"{steps} steps"] if quietly else None

    def _table(self, name: str) -> list[str]:
        return describe_table(self.lab, name) or ["empty"]

    def _queue(self, name: str) -> list[str]:
        return describe_queues(self.lab, name) or ["empty"]


def _overlay_of(text: str) -> OverlayLab | None:
    """The laboratory that a `lab` command asks for, if it is one of the reconfiguration family."""
    protocol, _, links = text.removeprefix("lab ").partition(" ")
    return None if short_name(protocol) in (None, *ROUTING) else OverlayLab(protocol, links)


def _usages() -> list[str]:
    return [usage.strip() for line in HELP.splitlines() for usage in re.split(r"\s{3,}", line)]


def _words() -> list[str]:
    words = dict.fromkeys(usage.split()[0] for usage in _usages())
    return [word for word in words if word.isalpha()]


def _boolean(name: str, text: str) -> bool:
    if text not in ("true", "false"):
        raise LabError(f"{name}={text} is neither true nor false")
    return text == "true"


def _literal(text: str) -> bool | int | float | str:
    if text.startswith("'"):
        return text[1:-1].replace("''", "'")
    if text in ("true", "false"):
        return text == "true"
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            pass
    raise LabError(f"{text} is no value: 12, 1.5, true or 'text'")


def describe_table(lab: Lab, broker: str) -> list[str]:
    """A broker's routing table, a line for each subscriber."""
    return [_describe(subscriber, route) for subscriber, route in lab.table(broker).items()]


def describe_queues(lab: Lab, broker: str) -> list[str]:
    """What a broker holds, a line for each subscriber."""
    return [f"{subscriber}: {' '.join(events)}" for subscriber, events in lab.queue(broker).items()]


def _up(lab: Lab) -> list[str]:
    """Brokers that have not crashed."""
    names = []
    for name in lab.brokers:
        with suppress(LabError):
            lab.table(name)
            names.append(name)
    return names


def _describe(subscriber: str, route: Route) -> str:
    filters = ", ".join(sorted(route.filters)) or "(tombstone)"
    freshness = f" t={route.timestamp} h={route.hops}" if route.timestamp else ""
    return f"{subscriber} via {route.next_hop or 'nobody'}{freshness}: {filters}"


def _with_declared(command: str, comment: str) -> str:
    """A `lab` command with the options that the comment above it declares, unless it has them itself."""
    if command.startswith("lab "):
        for option, phrase in DECLARED.items():
            if (found := phrase.search(comment)) and f" {option}=" not in command:
                command += f" {option}={found[1]}"
    return command


def _parse(text: str) -> list[_Block]:
    blocks: list[_Block] = []
    lines = text.splitlines()
    index = 0
    while index < len(lines):
        line = lines[index]
        block = _Block(index + 1, line, bool(line.strip()) and not line.lstrip().startswith("#"))
        blocks.append(block)
        index += 1
        if block.is_command and index < len(lines) and lines[index].strip() == SEPARATOR:
            index += 1
            block.expected = []
            while index < len(lines) and lines[index].strip():
                block.expected.append(lines[index].rstrip())
                index += 1
    return blocks


def _render(blocks: list[_Block], printed: dict[int, list[str]]) -> str:
    lines: list[str] = []
    for block in blocks:
        lines.append(block.text.rstrip())
        if block.line in printed:
            lines += [SEPARATOR, *printed[block.line]]
    return "\n".join(lines) + "\n"


def run_transcript(path: Path, rewrite: bool = False) -> int:
    """Runs a transcript, and writes what its commands printed into it if `rewrite`.

    Returns the exit code: 0, 1 with a diff on stdout if something else came out than the file
    expects, 2 with `FILE:LINE: reason` on stderr if a command makes no sense.
    """
    try:
        blocks = _parse(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        print(f"{path}: {error}", file=sys.stderr)
        return 2
    runner = _Runner()
    printed: dict[int, list[str]] = {}
    comment = ""
    for block in blocks:
        if not block.is_command:
            comment += block.text
        else:
            try:
                printed[block.line] = runner.run(_with_declared(block.text.strip(), comment))
            except LabError as error:
                print(f"{path}:{block.line}: {error}", file=sys.stderr)
                return 2
            comment = ""
    if rewrite:
        _separate(blocks)
        write_text(path, _render(blocks, printed))
        return 0
    wanted = {block.line: block.expected for block in blocks if block.expected is not None}
    got = {line: printed[line] for line in wanted}
    diff = difflib.unified_diff(
        _render(blocks, wanted).splitlines(),
        _render(blocks, got).splitlines(),
        f"{path} (expected)",
        f"{path} (got)",
        lineterm="",
    )
    lines = list(diff)
    print("\n".join(lines) if lines else f"{path}: {len(wanted)} of {len(printed)} commands as expected")
    return 1 if lines else 0


class Shown(Protocol):
    """A laboratory as it is now."""

    def parents(self) -> dict[str, str]:
        """Whom brokers have as their parents."""

    def tables(self) -> dict[str, str]:
        """What each broker that is up knows and holds."""


def play(path: Path) -> Iterator[tuple[str, list[str], Shown]]:
    """Runs a transcript one thing after the other: a command, or one message that `settle` delivers.

    Yields the command's text (empty for a message), what it printed, and the laboratory as it is then.
    Raises LabError that names file and line.
    """
    try:
        blocks = _parse(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise LabError(f"{path}: {error}") from error
    runner = _Runner()
    comment = ""
    for block in blocks:
        if not block.is_command:
            comment += block.text
            continue
        text = block.text.strip()
        try:
            if text.startswith("settle") and (lab := runner.tree_lab()):
                yield text, [], runner
                for _ in range(ENDLESS):
                    before = len(lab.log)
                    if not lab.step():
                        break
                    yield "", [str(record) for record in lab.log[before:]], runner
            else:
                printed = runner.run(_with_declared(text, comment))
                yield text, [line for line in printed if line != NOTHING], runner
        except LabError as error:
            raise LabError(f"{path}:{block.line}: {error}") from error
        comment = ""


def _separate(blocks: list[_Block]) -> None:
    """Puts an empty line after each command: it is what ends the lines that a command prints."""
    index = 0
    while index + 1 < len(blocks):
        if blocks[index].is_command and blocks[index + 1].text.strip():
            blocks.insert(index + 1, _Block(-1, "", is_command=False))
        index += 1
