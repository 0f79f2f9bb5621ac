"""Transcripts of stations of one's own: the commands of AirLab.

lab mymodule:Flood jitter=0.1 roles=PB,B,BS 0-1 1-2

publish 0 temp=21.5

settle
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from mftpubsub.lab.air import AirLab, Pending
from mftpubsub.lab.air_given import position_of
from mftpubsub.lab.cells import text_of
from mftpubsub.lab.lines import Figure, Line, Picture
from mftpubsub.lab.links import RSSI_DBM, is_link
from mftpubsub.lab.values import value_of, words_of
from mftpubsub.own.objects import attributes
from mftpubsub.protocols import Station
from mftpubsub.simulator.laboratory import LabError

_LETTERS = {"publisher": "P", "broker": "B", "subscriber": "S"}

USAGES = {
    "publish N NAME=VALUE ...": "the application of a publisher publishes an event",
    "subscribe N where FILTER": "a subscriber wants this too, and not everything any more",
    "unsubscribe N where FILTER": "a subscriber takes a filter back",
    "step": "lets the first thing happen that is pending",
    "step M N": "N hears the oldest message of M that is on its way to it",
    "lose M N": "N does not hear it",
    "expire N TIMER": "a timer of N goes off, named as `pending` prints it",
    "speak N": "the channel is free at N, which may say what it has not queued",
    "crash N": "N forgets all but its stable storage",
    "restart N": "N starts again",
    "cut M-N": "M and N do not hear each other any more",
    "join M-N": "M and N hear each other; M-N@RSSI says how well, dBm, as in `lab`",
    "move N X Y": "N is there from now on, m; X Y Z has its height, too",
    "clocks MODE": "`now` goes on by what any device waits for (together, as first), by what each waits for "
    "itself (apart), or not (stand)",
    "settle": "lets all that is pending happen",
    "pending": "prints what may happen next",
    "owed": "prints who wants which event and has not got it",
}
"""The commands, each with what it does; after `draws=` a step has the outcomes of what it draws."""


class AirTranscript:
    """A laboratory for stations, by commands."""

    def __init__(self, protocol: Station, words: list[str]) -> None:
        """`words` are those of the command `lab`. Raises LabError for what makes no sense."""
        links = [word for word in words if is_link(word)]
        given = dict(_pair(word, "lab", " nor a link, as in 0-1") for word in words if word not in links)
        roles = given.pop("roles", None)
        if roles is None:
            raise LabError("lab: it lacks roles, as in roles=PB,B,BS")
        positions = given.pop("positions", None)
        if given:
            raise LabError(f"lab: {type(protocol).__name__} has no parameter {next(iter(given))}")
        self._lab = AirLab(
            protocol, roles.split(","), " ".join(links), positions and positions.replace(";", " ")
        )
        self._commands: dict[str, Callable[[str], None]] = {
            "publish": self._publish,
            "subscribe": lambda rest: self._lab.subscribe(*_where(rest)),
            "unsubscribe": lambda rest: self._lab.unsubscribe(*_where(rest)),
            "step": self._step,
            "lose": lambda rest: _nothing(self._lab.lose(self._reception(rest))),
            "expire": self._expire,
            "speak": self._speak,
            "crash": lambda rest: self._lab.crash(_node(rest)),
            "restart": lambda rest: self._lab.restart(_node(rest)),
            "cut": lambda rest: self._lab.cut(*_nodes(rest, "-")),
            "join": self._join,
            "move": self._move,
            "clocks": lambda rest: self._lab.set_clocks(rest),  # type: ignore[arg-type]
            "settle": lambda rest: _nothing(self._lab.settle()),
            "pending": lambda rest: self._print(map(str, self._lab.pending())),
            "owed": lambda rest: self._print(f"{node} {id}" for id, node in self._lab.owed()),
        }

    def lines(self, command: str) -> list[Line]:
        """What a command prints. Raises LabError."""
        word, _, rest = command.partition(" ")
        act = self._commands.get(word)
        if act is None:
            raise LabError(f"no command {word!r}; there are {', '.join(self._commands)}")
        before = len(self._lab.log)
        act(rest.strip())
        return list(self._lab.log[before:])

    def step(self) -> list[Line] | None:
        """Lets the next thing happen, and returns what that prints; None if there is none."""
        return self.lines("step") if self._lab.pending() else None

    def picture(self) -> Picture:
        """The network as it is now."""
        channel, _ = self._lab.parts("together")
        figures = []
        for node, (roles, cell) in enumerate(zip(channel.roles, self._lab.cells(), strict=True)):
            inner = {
                name: value for name, value in attributes(cell.station).items() if not name.startswith("_")
            }
            knows = "\n".join(f"{name} = {text_of(value)}" for name, value in inner.items())
            letters = "".join(letter for role, letter in _LETTERS.items() if role in roles)
            figures.append(Figure(str(node), letters, cell.is_up, "", knows if cell.is_up else ""))
        links = [(str(one), str(other)) for one, other in channel.links if one < other]
        return Picture(figures, links)

    def _print(self, texts: Iterable[str]) -> None:
        for text in texts:
            self._lab.log.add(text)

    def _publish(self, rest: str) -> None:
        node, _, said = rest.partition(" ")
        pairs = (_pair(word, "publish") for word in words_of(said))
        self._lab.publish(_node(node), **{name: value_of(text) for name, text in pairs})

    def _join(self, rest: str) -> None:
        pair, _, rssi = rest.partition("@")
        self._lab.join(*_nodes(pair, "-"), value_of(rssi) if rssi else RSSI_DBM)

    def _move(self, rest: str) -> None:
        node, *position = rest.split() or [""]
        self._lab.move(_node(node), *position_of(position, "move"))

    def _step(self, rest: str) -> None:
        said, draws = draws_of(rest)
        self._lab.step(self._reception(said) if said else 0, draws=draws)

    def _expire(self, rest: str) -> None:
        said, draws = draws_of(rest)
        node, _, timer = said.partition(" ")
        named = f"Expires({_node(node)}, {timer.strip()})"
        self._lab.step(self._pending(named), draws=draws)

    def _speak(self, rest: str) -> None:
        said, draws = draws_of(rest)
        self._lab.step(self._pending(f"Free({_node(said)})"), draws=draws)

    def _reception(self, rest: str) -> Pending:
        sender, node = _nodes(rest, None)
        return self._pending(f"Heard({sender} -> {node}, ")

    def _pending(self, begins: str) -> Pending:
        following = self._lab.pending()
        for each in following:
            if str(each).startswith(begins):
                return each
        raise LabError(
            f"{begins.rstrip(', ')} is not pending; {', '.join(map(str, following)) or 'nothing'} is"
        )


def _nothing(_: object) -> None:
    """A command prints what the log has got."""


def _pair(word: str, command: str, otherwise: str = "") -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not equals:
        raise LabError(f"{command}: {word!r} is {'neither ' * bool(otherwise) or 'no '}NAME=VALUE{otherwise}")
    return name, value


def _node(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise LabError(f"{text!r} is no number of a device") from None


def _nodes(text: str, between: str | None) -> tuple[int, int]:
    words = text.split(between)
    if len(words) != 2:
        raise LabError(f"{text!r} is no pair of devices")
    return _node(words[0]), _node(words[1])


def _where(rest: str) -> tuple[int, str]:
    node, _, said = rest.partition(" where ")
    if not said:
        raise LabError("it lacks a filter, as in: subscribe 2 where temp > 20")
    return _node(node), said.strip()


def draws_of(rest: str) -> tuple[str, tuple[int, ...]]:
    """A command's words, and the outcomes of draws behind them."""
    said, _, draws = rest.partition("draws=")
    return said.strip(), tuple(_node(each) for each in draws.split(",") if each)
