"""Subscriptions that change while a run goes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainSerializer,
    PlainValidator,
    TypeAdapter,
    model_validator,
)

from mftpubsub.scenario.part import Model, Number, Seconds, as_list, plain
from mftpubsub.simulator import checks


def check_filters(where: list[str]) -> list[str]:
    """Raises ValueError for a text that is no filter."""
    for text in where:
        if wrong := checks.filter_problem(text):
            raise ValueError(f"{text!r} is no filter: {wrong}")
    return where


if TYPE_CHECKING:
    Filters = str | Sequence[str]
else:
    Filters = Annotated[list[str], BeforeValidator(as_list), AfterValidator(check_filters)]


class Change(Model):
    """What a subscriber wants from a time on: it unsubscribes from all else. `Change(100, "temp > 30")`."""

    at: Seconds = Field(kw_only=False, description="s")
    where: Filters = Field(kw_only=False, description="a filter or a list of them; none: nothing")


class Resubscribe(Model):
    """At random times a subscriber gives up one of its filters and takes another.

    The times are a Poisson process; the filter to go is drawn evenly from those that it has, the one to come
    from those of `among` that it has not.
    """

    rate: Annotated[Number, Field(gt=0, le=1000)] = Field(description="changes per second of each subscriber")
    among: Filters = Field(min_length=1, description="a filter or a list of them, of which it takes others")
    start: Seconds = Field(default=0.0, description="s; no change before")
    stop: Seconds | None = Field(default=None, description="s; no change from here on; default: the end")

    @model_validator(mode="after")
    def _starts_before_it_stops(self) -> Self:
        if self.stop is not None and self.start >= self.stop:
            raise ValueError(f"start ({self.start:g} s) must come before stop ({self.stop:g} s)")
        return self

    def changes(self, where: Sequence[str], *, seed: str, duration: float) -> Iterator[Change]:
        """Of a subscriber that has `where` at first, in a run of `duration` s, by time."""
        random = Random(seed)
        held, stop = list(where), duration if self.stop is None else self.stop
        now = self.start + random.expovariate(self.rate)
        while now < stop:
            others = [text for text in dict.fromkeys(self.among) if text not in held]
            held[random.randrange(len(held))] = random.choice(others)
            yield Change(at=now, where=list(held))
            now += random.expovariate(self.rate)


_LIST: TypeAdapter[list[Change]] = TypeAdapter(list[Change])


def _changes(value: Any) -> list[Change] | Resubscribe:
    if isinstance(value, Resubscribe):
        return value
    if isinstance(value, Mapping) and "at" not in value:
        return Resubscribe.model_validate(value)
    listed = _LIST.validate_python(as_list(value))
    times = [change.at for change in listed]
    if sorted(set(times)) != times:
        raise ValueError("changes must have ascending times")
    return listed


if TYPE_CHECKING:
    Changes = Sequence[Change] | Resubscribe
else:
    Changes = Annotated[Any, PlainValidator(_changes), PlainSerializer(plain)]


def states(where: Sequence[str], changes: Sequence[Change] | Resubscribe) -> list[list[str]]:
    """What a subscriber may want at a time: each list of filters, or the one that takes most bytes."""
    if isinstance(changes, Resubscribe):
        longest = sorted({*where, *changes.among}, key=lambda text: len(text.encode()), reverse=True)
        return [list(where), longest[: len(where)]]
    return [list(where), *(list(change.where) for change in changes)]


def check_changes(where: str, changes: Sequence[Change] | Resubscribe, duration: float) -> None:
    """Raises ValueError for a change that comes after the end of a run of `duration` s."""
    if isinstance(changes, Resubscribe):
        name, last = "start", changes.start
    else:
        name, last = "at", max((change.at for change in changes), default=0.0)
    if last >= duration:
        raise ValueError(
            f"{where}.changes: {name} ({last:g} s) must be before the end, duration ({duration:g} s)"
        )
