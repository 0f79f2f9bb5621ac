"""Devices of the laboratory for stations, as values: a step makes another one and changes nothing.

A step is a function of the device, its input and its draws. So searches remember what came out, and call the
station's code only for what is new.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from typing import Any, TypeVar

from mftpubsub.own.objects import attributes, is_ours
from mftpubsub.protocols import Event, EventId, Filter, Station, given
from mftpubsub.protocols.device import Device, check_attributes, frame_of
from mftpubsub.protocols.station import Position
from mftpubsub.simulator.laboratory import LabError

T = TypeVar("T")
D = TypeVar("D", bound=Device)

#: Of a message, as on the radio with transport.max_frame 1024 B.
MAX_BYTES = 1004
#: Outcomes of one draw that are followed.
MOST_OUTCOMES = 4
_ALMOST_ONE = 1 - 2**-53

_VALUES = (type(None), bool, int, float, str, bytes, EventId, Filter, Enum)
#: Values that equal none of another class: looked up by class, as most of what stations keep is of these.
_PLAIN = frozenset((type(None), int, str, bytes, EventId, Filter))
_UNCHANGING = frozenset((*_VALUES, Event, tuple, frozenset))


class Draws:
    """The `random` of a station here. `uniform` and `expovariate`, which draw times, answer the same always.

    Each other draw is a choice that is given, or the first outcome: `made` says how many each had.
    """

    def __init__(self, chosen: Sequence[int] = ()) -> None:
        self._chosen = chosen
        self.made: list[int] = []

    def uniform(self, a: float, b: float) -> float:
        """The lower end."""
        return a

    def expovariate(self, lambd: float = 1.0) -> float:
        """The mean."""
        return 1 / lambd

    def random(self) -> float:
        """0 or nearly 1."""
        return (0.0, _ALMOST_ONE)[self._choose(2)]

    def randrange(self, *ends: int) -> int:
        values = range(*ends)
        return values[self._choose(len(values))]

    def randint(self, a: int, b: int) -> int:
        return self.randrange(a, b + 1)

    def choice(self, of: Sequence[T]) -> T:
        return of[self._choose(len(of))]

    def shuffle(self, values: list[Any]) -> None:
        for end in range(len(values) - 1, 0, -1):
            other = self._choose(end + 1)
            values[end], values[other] = values[other], values[end]

    def sample(self, of: Sequence[T], k: int) -> list[T]:
        left = list(of)
        return [left.pop(self._choose(len(left))) for _ in range(k)]

    def __getattr__(self, name: str) -> Any:
        raise LabError(f"{_caller()}: random.{name}: laboratories draw by uniform, random, choice, randrange")

    def _choose(self, outcomes: int) -> int:
        if outcomes > MOST_OUTCOMES:
            raise LabError(f"{_caller()}: a draw of {outcomes} outcomes; a search follows {MOST_OUTCOMES}")
        if outcomes < 2:
            return 0
        self.made.append(outcomes)
        place = len(self.made) - 1
        return min(self._chosen[place] if place < len(self._chosen) else 0, outcomes - 1)


def _caller() -> str:
    """Where the user's code is that draws."""
    frame = sys._getframe(1)
    while frame.f_back and frame.f_globals["__name__"] == __name__:
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


@dataclass(frozen=True)
class Input:
    """What a device is told: a method of its station, with arguments."""

    method: str
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Sent:
    """A message that a step has sent."""

    message: Any
    kind: int
    body: bytes
    to: int | None


@dataclass(frozen=True)
class Delivered:
    """A copy of an event that a subscriber's filter matches."""

    event: EventId
    wire: bytes
    """What it says, as it goes over the air."""
    sender: int
    hops: int
    is_new: bool


@dataclass(frozen=True)
class Noted:
    text: str


Effect = Sent | Delivered | Noted


@dataclass(slots=True)
class Cell:
    """A device between two steps; nothing in it changes any more."""

    station: Station
    is_up: bool = False
    may_speak: bool = False
    """Whether `next_message` has not said no since something happened."""
    timers: tuple[tuple[Hashable, int], ...] = ()
    """In the order in which they were set, with the ns that are left."""
    clock: int = 0
    """What has passed on the device, ns."""
    delivered: frozenset[tuple[EventId, bytes]] = frozenset()
    """Events with what they said."""
    filters: tuple[Filter, ...] = ()
    position: Position | None = None
    stable: dict[str, Any] = field(default_factory=dict)

    def key(self, is_timed: bool, tells_clock: bool) -> Hashable:
        """Equal for devices that behave alike; if time matters, with when timers are due, and what it is."""
        timers: Hashable = frozenset(freeze_timer(timer) for timer, _ in self.timers)
        if is_timed:
            in_order = sorted(self.timers, key=lambda each: each[1])
            timers = tuple((freeze_timer(timer), left) for timer, left in in_order)
        state = freeze_station(self.station) if self.is_up else None
        clock = self.clock if tells_clock else 0
        stable = freeze(self.stable)
        what = (timers, clock, self.delivered, self.filters, self.position, stable)
        return (state, self.is_up, self.may_speak, *what)


class LabSeat:
    """Where a station sits during one step: it collects effects."""

    load = 1.0

    def __init__(self, id: int, roles: tuple[str, ...], cell: Cell, draws: Draws, nodes: int) -> None:
        self._protocol: Any = type(cell.station)
        self._nodes = nodes
        self.id = id
        self.roles = roles
        self.random: Any = draws
        self.filters = list(cell.filters)
        self.max_bytes = MAX_BYTES
        self.position = cell.position
        self.stable = copied(cell.stable)
        self.clock = cell.clock
        self.has_read_clock = False
        self.effects: list[Effect] = []
        self.timers = dict(cell.timers)
        self.delivered = set(cell.delivered)

    @property
    def now(self) -> float:
        self.has_read_clock = True
        return self.clock / 1e9

    def broadcast(self, message: Any, to: int | None) -> None:
        kind, body = frame_of(message, self._protocol, self.max_bytes)
        given.addressee(message, to, self._nodes)
        sent = self._protocol.messages[kind].decode(body)  # what the sender changes later is its own
        self.effects.append(Sent(sent, kind, body, to))

    def deliver(self, event: Event, sender: int, hops: int) -> None:
        given.sender(sender, self._nodes)
        if "subscriber" in self.roles and any(where.matches(event) for where in self.filters):
            got = (event.id, event.wire)
            self.effects.append(Delivered(*got, sender, hops, got not in self.delivered))
            self.delivered.add(got)

    def matched(self, event: EventId, subscriber: int) -> None:
        """Only for metrics, as are the two that follow."""

    def held(self, event: EventId, subscriber: int) -> None: ...

    def gave_up(self, event: EventId, subscriber: int) -> None: ...

    def set_timer(self, timer: Hashable, after: float) -> None:
        self.timers.pop(timer, None)
        self.timers[timer] = round(after * 1e9)

    def cancel_timer(self, timer: Hashable) -> None:
        self.timers.pop(timer, None)

    def note(self, text: str) -> None:
        self.effects.append(Noted(text))


@dataclass(frozen=True)
class Outcome:
    """What a step has made."""

    cell: Cell
    effects: tuple[Effect, ...]
    draws: tuple[int, ...]
    """How many outcomes each draw had that decides."""
    has_read_clock: bool
    """Whether it depends on what `now` says."""


def step(
    id: int,
    roles: tuple[str, ...],
    cell: Cell,
    told: Input,
    chosen: Sequence[int] = (),
    *,
    nodes: int,
    clock_goes: bool = True,
) -> Outcome:
    """One of `nodes` devices after an input; while it waits its clock goes, or stands. Raises LabError."""
    station = copied_station(cell.station)
    draws = Draws(chosen)
    seat = LabSeat(id, roles, cell, draws, nodes)
    station._seat = seat
    if told.method == "expire":
        passed = seat.timers.pop(told.arguments[0])
        seat.timers = {timer: max(left - passed, 0) for timer, left in seat.timers.items()}
        seat.clock += passed if clock_goes else 0
    answer = _tell(station, seat, told)
    if told.method == "start":
        for where in seat.filters:
            _tell(station, seat, Input("subscribed", (where,)))
    del station._seat
    may_speak = type(station).has_own("next_message") and (
        told.method != "next_message" or answer is not None
    )
    made = Cell(
        station,
        True,
        may_speak,
        tuple(seat.timers.items()),
        seat.clock,
        frozenset(seat.delivered),
        tuple(seat.filters),
        seat.position,
        seat.stable,
    )
    return Outcome(made, tuple(seat.effects), tuple(draws.made), seat.has_read_clock)


def _tell(station: Station, seat: LabSeat, told: Input) -> Any:
    """Calls the station's method. What it raises becomes a LabError with class, method and device."""
    try:
        return _told(station, seat, told)
    except LabError:
        raise
    except Exception as error:
        name = f"{type(station).__name__}.{told.method}"
        raise LabError(f"{name} at node {seat.id}: {type(error).__name__}: {error}") from error


def _told(station: Station, seat: LabSeat, told: Input) -> Any:
    match told.method:
        case "start":
            given.storage(seat.stable)
        case "subscribed":
            if told.arguments[0] not in seat.filters:
                seat.filters.append(told.arguments[0])
        case "unsubscribed":
            seat.filters.remove(told.arguments[0])
    answer = getattr(station, told.method)(*told.arguments)
    if told.method == "start":
        check_attributes(station)
    if told.method == "next_message" and answer is not None:
        seat.broadcast(*given.outgoing(answer))
    return answer


def copied_station(station: D) -> D:
    """Another object with the same values."""
    made: D = object.__new__(type(station))
    vars(made).update(vars(station))
    for name, value in attributes(station).items():
        object.__setattr__(made, name, copied(value))
    return made


def copied(value: T) -> T:
    """The same with containers of its own; what they hold in the end are values."""
    kind: Any = type(value)
    if isinstance(value, dict):
        same: Any = value.copy()
        for key, item in value.items():
            if type(item) not in _UNCHANGING:
                same[key] = copied(item)
        return same  # type: ignore[no-any-return]
    if isinstance(value, list | deque):
        same = value.copy()
        for place, item in enumerate(value):
            if type(item) not in _UNCHANGING:
                same[place] = copied(item)
        return same  # type: ignore[no-any-return]
    if isinstance(value, set):
        return kind(value)  # type: ignore[no-any-return]
    if is_dataclass(value) and not isinstance(value, type) and not kind.__dataclass_params__.frozen:
        made = object.__new__(kind)
        for each in fields(value):
            object.__setattr__(made, each.name, copied(getattr(value, each.name)))
        return made  # type: ignore[no-any-return]
    return value


def freeze_station(station: Device) -> Hashable:
    """A value that is equal for stations in the same state. Raises LabError that names what has none."""
    frozen = []
    for name, value in attributes(station).items():
        try:
            frozen.append((name, freeze(value)))
        except TypeError as error:
            raise LabError(f"{type(station).__name__}.{name}: {error}") from None
        except RecursionError:
            raise LabError(f"{type(station).__name__}.{name}: it contains itself: it has no value") from None
    return tuple(sorted(frozen, key=lambda each: each[0]))


def freeze(value: Any) -> Hashable:
    """A hashable value that is equal for contents of equal classes, in the same order where one may go by it.

    Sets have no order. Raises TypeError for what has no value, RecursionError for what contains itself.
    """
    kind = type(value)
    if kind in _PLAIN:
        return value  # type: ignore[no-any-return]
    if isinstance(value, float):
        return (kind, value.hex())  # which tells -0.0 from 0.0, and is one for all that are no number
    if isinstance(value, _VALUES):
        return (kind, value)
    if isinstance(value, Event):  # two are equal by their ids, whatever they say
        return (Event, value.wire)
    if isinstance(value, list | tuple | deque):
        return (kind, *[item if type(item) in _PLAIN else freeze(item) for item in value])
    if isinstance(value, set | frozenset):
        return (kind, frozenset([item if type(item) in _PLAIN else freeze(item) for item in value]))
    if isinstance(value, Mapping):
        return (kind, *[(freeze(key), freeze(item)) for key, item in value.items()])
    if is_dataclass(value) and not isinstance(value, type):
        return (kind, *(freeze(getattr(value, each.name)) for each in fields(value)))
    raise TypeError(
        f"{value!r} cannot be compared with what it was before: keep numbers, texts, messages, dataclasses "
        "and containers of them"
    )


def freeze_timer(timer: Hashable) -> Hashable:
    """The same of a timer, or the timer itself where it has no value: it can be compared at least."""
    try:
        return freeze(timer)
    except TypeError:
        return timer


def shared_values(station: Device) -> dict[str, Hashable]:
    """What devices share: containers of the station's class and of its module, by their names."""
    places: list[tuple[str, Mapping[str, Any]]] = [
        (kind.__name__, vars(kind)) for kind in type(station).__mro__ if not is_ours(kind)
    ]
    places.append(("", vars(sys.modules[type(station).__module__])))
    found: dict[str, Hashable] = {}
    for place, names in places:
        for name, value in list(names.items()):
            if isinstance(value, dict | list | set | deque) and not name.startswith("__"):
                with suppress(TypeError, RecursionError):
                    found[f"{place}.{name}".lstrip(".")] = freeze(value)
    return found


@contextmanager
def unchanged(where: str, station: Device, arguments: Sequence[Any] = ()) -> Iterator[None]:
    """Raises LabError if a step changes in place what it begins with: other states have it too."""
    before = _parts(station, arguments)
    yield
    for name, value in _parts(station, arguments).items():
        if before.get(name, value) != value:
            raise LabError(
                f"{where}: {name} was changed in place, where no copy is made of it: put a new value there"
            )


def _parts(station: Device, arguments: Sequence[Any]) -> dict[str, Hashable]:
    """What a step is given, by names of its parts."""
    kind = type(station).__name__
    given = {f"{kind}.{name}": value for name, value in attributes(station).items()}
    given |= {f"the {type(each).__name__} that it was given": each for each in arguments}
    found: dict[str, Hashable] = {}
    for name, value in given.items():
        with suppress(TypeError, RecursionError):
            found[name] = freeze(value)
    return found


def repeat(protocol: Device, where: str, work_out: Callable[[], T], is_same: Callable[[T], bool]) -> None:
    """Works a step out again. Raises LabError for what is kept where no copy is made of it."""
    before = shared_values(protocol)
    again = work_out()
    changed = [name for name, value in shared_values(protocol).items() if before.get(name) != value]
    if changed or not is_same(again):
        what = changed[0] if changed else "a value"
        shares = f"{what} was changed in place, which all devices share: make it in start, "
        shares += "as an attribute of self"
        draws = (
            "what it does when repeated is something else. Draw from self.random, and ask self.now what time "
            f"it is. If it does so, {shares}"
        )
        raise LabError(f"{where}: {shares if changed else draws}")


def text_of(value: Any) -> str:
    """How messages, timers and their fields are written in transcripts."""
    if isinstance(value, Event):
        return str(value.id)
    if isinstance(value, EventId | Filter):
        return str(value)
    if isinstance(value, list | tuple | set | frozenset):
        return f"[{' '.join(text_of(item) for item in _in_order(value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{text_of(key)}: {text_of(item)}' for key, item in value.items())}}}"
    if is_dataclass(value) and not isinstance(value, type):
        inner = ", ".join(text_of(getattr(value, each.name)) for each in fields(value))
        return f"{type(value).__name__}({inner})"
    return str(value)


def _in_order(values: Iterable[Any]) -> list[Any]:
    return sorted(values, key=text_of) if isinstance(values, set | frozenset) else list(values)
