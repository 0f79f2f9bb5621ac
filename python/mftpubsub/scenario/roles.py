"""What a node does: broker, subscriber, publisher; and what events are made of."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    AfterValidator,
    AliasChoices,
    BeforeValidator,
    Field,
    PlainSerializer,
    PlainValidator,
    SerializationInfo,
    TypeAdapter,
    ValidationInfo,
    model_serializer,
    model_validator,
)

from mftpubsub.errors import suggest
from mftpubsub.scenario.arrivals import Arrivals, Periodic, Recorded
from mftpubsub.scenario.part import FINGERPRINT, Model, Number, Seconds, Whole, as_list
from mftpubsub.scenario.subscriptions import Change, Changes, Filters, Resubscribe, states
from mftpubsub.simulator import checks
from mftpubsub.simulator.checks import text_problem

INT64 = range(-(2**63), 2**63)


class Uniform(Model):
    """A number drawn evenly from [low, high) for each event. In YAML: `{uniform: [0, 40]}`."""

    low: Number = Field(kw_only=False)
    high: Number = Field(kw_only=False)

    @model_validator(mode="after")
    def _is_a_range(self) -> Self:
        _check_range(self.low, self.high)
        if not math.isfinite(self.high - self.low):
            raise ValueError(f"from low ({self.low:g}) to high ({self.high:g}) is more than a float can tell")
        return self

    @model_serializer
    def to_plain(self) -> Any:
        return {"uniform": [self.low, self.high]}


class Integer(Model):
    """A whole number drawn evenly from low to high, both included. In YAML: `{integer: [1, 6]}`."""

    low: Annotated[Whole, Field(ge=-(2**31), lt=2**31)] = Field(kw_only=False)
    high: Annotated[Whole, Field(ge=-(2**31), lt=2**31)] = Field(kw_only=False)

    @model_validator(mode="after")
    def _is_a_range(self) -> Self:
        _check_range(self.low, self.high)
        return self

    @model_serializer
    def to_plain(self) -> Any:
        return {"integer": [self.low, self.high]}


def _check_range(low: float, high: float) -> None:
    if low >= high:
        raise ValueError(f"low ({low:g}) must be below high ({high:g})")


Constant = bool | int | float | str


def _constant(value: Any) -> Constant:
    value = value.item() if hasattr(value, "item") else value  # numpy's numbers
    if not isinstance(value, bool | int | float | str):
        raise ValueError(
            f"an attribute is a number, a text, true or false, or drawn as in Uniform(0, 40), not {value!r}"
        )
    if isinstance(value, int) and value not in INT64:
        raise ValueError(f"{value} does not fit into 64 bits")
    if isinstance(value, float) and not abs(value) < float("inf"):
        raise ValueError(f"{value} is not a finite number")
    if isinstance(value, str) and (problem := text_problem(value)):
        raise ValueError(f"{value[:40]!a} is no text: {problem}")
    return value


def type_of(value: Constant) -> str:
    """Of an attribute's value what filters tell apart: number, text or boolean."""
    return "boolean" if isinstance(value, bool) else "text" if isinstance(value, str) else "number"


if TYPE_CHECKING:
    Values = Sequence[Constant]
else:
    Values = list[Annotated[Constant, PlainValidator(_constant)]]


class Choice(Model):
    """One of some values, drawn evenly for each event. In YAML: `{choice: [red, green]}`."""

    values: Values = Field(kw_only=False, min_length=1)

    @model_serializer
    def to_plain(self) -> Any:
        return {"choice": self.values}


Drawn = Uniform | Integer | Choice
DISTRIBUTIONS: dict[str, tuple[type[Drawn], tuple[str, ...]]] = {
    "uniform": (Uniform, ("low", "high")),
    "integer": (Integer, ("low", "high")),
    "choice": (Choice, ()),
}


def types_of(value: Constant | Drawn) -> set[str]:
    """The types that an attribute may have, of what an event says of it."""
    if isinstance(value, Choice):
        return {type_of(one) for one in value.values}
    return {"number"} if isinstance(value, Drawn) else {type_of(value)}


def _attribute(value: Any) -> Constant | Drawn:
    if isinstance(value, Drawn):
        return value
    if not isinstance(value, Mapping):
        return _constant(value)
    if len(value) != 1 or (name := next(iter(value))) not in DISTRIBUTIONS:
        raise ValueError(f"no distribution {dict(value)!r}; {suggest(next(iter(value), ''), DISTRIBUTIONS)}")
    model, names = DISTRIBUTIONS[name]
    numbers = value[name]
    if names and not (isinstance(numbers, list | tuple) and len(numbers) == len(names)):
        raise ValueError(f"{name} needs [low, high], not {numbers!r}")
    fields = dict(zip(names, numbers, strict=True)) if names else {"values": numbers}
    return model.model_validate(fields)


@cache
def _name_problem(name: str) -> str:
    """Why no filter could name the attribute `name`; empty if one can."""
    return checks.filter_problem(f"{name} = 1") if name else "it is empty"


def _attribute_name(name: str) -> str:
    if not name.isidentifier() or _name_problem(name):
        raise ValueError(f"{name!r} is no name of an attribute: no filter could say it")
    return name


def _has_attributes(event: dict[str, Any]) -> dict[str, Any]:
    if not event:
        raise ValueError(
            "an event without attributes, which no filter can ask for: give it one, as in {'temp': 20}"
        )
    return event


#: An event: its attributes by name; drawn ones are drawn for each event anew.
Event = dict[str, Constant | Drawn]

#: J 6: an event has one of two topics.
TOPICS: list[Event] = [{"topic": "f1"}, {"topic": "f2"}]

#: B: AODV's event id.
LEAST_PAYLOAD = 6
Bytes = Annotated[int, Field(strict=True, ge=LEAST_PAYLOAD, le=60_000)]


def _payload(value: Any) -> int | Drawn:
    """A number of bytes, or what it is drawn from."""
    drawn = _attribute(value)
    if isinstance(drawn, Uniform):
        raise ValueError("a payload is a whole number: Integer(low, high), not Uniform")
    if isinstance(drawn, Choice) and not all(isinstance(size, int) for size in drawn.values):
        raise ValueError(f"a payload is a whole number of B: Choice([60, 900]), not {drawn.values}")
    for size in _sizes(drawn):
        _BYTES.validate_python(size)
    return drawn  # type: ignore[return-value]


_BYTES: TypeAdapter[int] = TypeAdapter(Bytes)


def _sizes(payload: Any) -> list[int]:
    """The least and the most, or all that there are, B."""
    if isinstance(payload, Choice):
        return [int(value) for value in payload.values]
    return [payload.low, payload.high] if isinstance(payload, Integer) else [payload]


if TYPE_CHECKING:
    Events = Mapping[str, Constant | Model] | Sequence[Mapping[str, Constant | Model]]
    Payload = int | Integer | Choice
else:
    Payload = Annotated[Any, PlainValidator(_payload)]
    _Name = Annotated[str, AfterValidator(_attribute_name)]
    _Event = Annotated[
        dict[_Name, Annotated[Any, PlainValidator(_attribute)]],
        Field(max_length=255),
        AfterValidator(_has_attributes),
    ]
    Events = Annotated[list[_Event], BeforeValidator(as_list)]


class Broker(Model):
    """Routes events."""

    role: ClassVar[str] = "broker"


class Subscriber(Model):
    """Wants events."""

    role: ClassVar[str] = "subscriber"

    where: Filters = Field(
        default=["topic = 'f1'", "topic = 'f2'"],
        min_length=1,
        kw_only=False,
        description="a filter or a list of them: SQL-92 style conditions over the attributes of an event "
        "such as \"temp > 20 AND room LIKE 'lab%'\" (J 6: two)",
    )

    changes: Changes = Field(
        default=[],
        description="how that changes: Change(at, where), a list of them, or Resubscribe(rate=..., "
        "among=[...])",
    )

    @property
    def filters(self) -> list[str]:
        """The filters that it has at first, as a list."""
        return list(self.where)

    @property
    def states(self) -> list[list[str]]:
        """The filters that it may have at a time: those at first, then others."""
        return states(self.filters, self.changes)

    @property
    def ever(self) -> list[str]:
        """All filters that it may have at some time, each once."""
        drawn = self.changes.among if isinstance(self.changes, Resubscribe) else ()
        return [*dict.fromkeys([*(text for state in self.states for text in state), *drawn])]

    def asked_for(self) -> dict[str, list[str]]:
        """The attributes that each of its filters asks for."""
        return {text: checks.filter_attributes(text) for text in self.ever}

    @model_validator(mode="after")
    def _has_others_to_take(self) -> Self:
        if isinstance(self.changes, Resubscribe) and len({*self.changes.among}) <= len(self.filters):
            raise ValueError(
                f"changes.among: {len({*self.changes.among})} filters for one that has {len(self.filters)} "
                "at a time (where): give it more to choose from"
            )
        return self

    def changes_in(self, duration: float, seed: str) -> list[Change]:
        """The changes in a run of `duration` s, by time."""
        if isinstance(self.changes, Resubscribe):
            return list(self.changes.changes(self.filters, seed=seed, duration=duration))
        return list(self.changes)


class Publisher(Model):
    """Publishes events."""

    role: ClassVar[str] = "publisher"

    rate: Annotated[Number, Field(ge=1e-6, le=1e6)] = Field(
        default=1.0, description="events per second, on average"
    )
    arrivals: Arrivals = Field(
        default=Periodic(),
        description="when events come: Periodic(), Poisson(), OnOff(...), Diurnal(...), Recorded(...)",
    )
    start: Seconds = Field(default=0.0, description="s; no event before; periodic: the first within a period")
    stop: Seconds | None = Field(
        default=None,
        description="s; no event from here on; by default the last 200 s are without events as in T 4.5.2, "
        "in runs of less than 700 s the last two sevenths; of recorded events all until the end of the run",
    )
    payload: Payload = Field(
        default=100,
        description="B (J 6); at least 6, AODV's event id; may be drawn: Integer(50, 500), Choice([60, 900])",
    )
    event: Events = Field(
        default=TOPICS,
        min_length=1,
        validation_alias=AliasChoices("event", "events"),
        description="attributes of an event, or a list of such, one of which is drawn for each event (J 6: "
        "two); a value may be drawn too, as in {'temp': Uniform(0, 40)}",
    )

    @property
    def events(self) -> list[Event]:
        """The events that it may publish, as a list."""
        if isinstance(self.arrivals, Recorded):
            return [dict(event.attributes) for event in self.arrivals.events]
        return [event for event in self.event if isinstance(event, dict)]

    @property
    def largest_payload(self) -> int:
        """The most that an event of it carries, B."""
        if isinstance(self.arrivals, Recorded):
            return max(event.bytes for event in self.arrivals.events)
        return max(_sizes(self.payload))

    @model_validator(mode="after")
    def _says_once_what_is_published(self) -> Self:
        if isinstance(self.arrivals, Recorded):
            for name in ("rate", "payload", "event"):
                if getattr(self, name) != type(self).model_fields[name].default:
                    raise ValueError(f"{name}: the file of recorded events says it; leave it out")
            for name in {name for event in self.events for name in event}:
                _attribute_name(name)
        return self

    @model_validator(mode="after")
    def _starts_before_it_stops(self) -> Self:
        if self.stop is not None and self.start >= self.stop:
            raise ValueError(f"start ({self.start:g} s) must come before stop ({self.stop:g} s)")
        return self

    def stops_at(self, duration: float) -> float:
        """When it stops in a run of `duration` s; s."""
        if self.stop is None and isinstance(self.arrivals, Recorded):
            return duration
        return max(duration - 200.0, duration * 5 / 7) if self.stop is None else self.stop


#: The name of a role stands for the scenario's `publisher` and `subscriber`.
RoleName = Literal["broker", "subscriber", "publisher"]
ROLES: dict[str, type[Broker | Subscriber | Publisher]] = {
    model.role: model for model in (Broker, Subscriber, Publisher)
}


def role_name(role: Any) -> str:
    """broker, subscriber or publisher."""
    return role if isinstance(role, str) else str(role.role)


def _role(value: Any, info: ValidationInfo) -> Any:
    if isinstance(value, tuple(ROLES.values())):
        return value
    if isinstance(value, type) and value in ROLES.values():
        raise ValueError(f"a role is an object: write {value.__name__}(), not {value.__name__}")
    name = next(iter(value), "") if isinstance(value, Mapping) else value
    if name not in ROLES or (isinstance(value, Mapping) and len(value) != 1):
        raise ValueError(f"no role {value!r}; {suggest(name, ROLES)}")
    if not isinstance(value, Mapping):
        return Broker() if name == Broker.role else name
    return ROLES[name].model_validate({} if value[name] is None else value[name], context=info.context)


def role_to_plain(role: Any) -> Any:
    """A role as scenario files have it."""
    if isinstance(role, str):
        return role
    return role.role if isinstance(role, Broker) else {role.role: role.to_plain()}


def _serialized(role: Any, info: SerializationInfo) -> Any:
    """As in scenario files; for a fingerprint by what determines a run."""
    if info.context is FINGERPRINT and isinstance(role, Model):
        return {role_name(role): role.model_dump(mode="json", context=FINGERPRINT)}
    return role_to_plain(role)


if TYPE_CHECKING:
    Role = Broker | Subscriber | Publisher | RoleName
    Roles = Role | Sequence[Role]
else:
    Role = Annotated[Any, PlainValidator(_role), PlainSerializer(_serialized)]
    Roles = Annotated[list[Role], BeforeValidator(as_list)]


def check_traffic(where: str, publisher: Publisher, duration: float, count: int) -> None:
    """Raises ValueError unless `publisher`, of which a group has `count`, publishes within `duration` s."""
    stop = publisher.stops_at(duration)
    if stop > duration:
        raise ValueError(f"{where}.stop ({stop:g} s) is after the end of the run, duration ({duration:g} s)")
    if publisher.start >= stop:
        raise ValueError(f"{where}.start ({publisher.start:g} s) must come before its stop ({stop:g} s)")
    if not count or not isinstance(publisher.arrivals, Recorded):
        return
    events, file = publisher.arrivals.events, publisher.arrivals.path
    told = {event.publisher for event in events}
    if max(told) >= count and (idle := {*range(count)} - told):
        raise ValueError(
            f"{where}.arrivals: {file} has events of publisher {max(told)} and none of {min(idle)}: "
            f"`publisher` counts the {count} nodes of the group, from 0"
        )
    if not any(publisher.start <= event.time < stop for event in events if event.publisher < count):
        raise ValueError(f"{where}.arrivals: {file} has no event from {publisher.start:g} s to {stop:g} s")
