"""What varies in many runs besides protocol, configuration, speed and seed: axes over any key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any

from mftpubsub.errors import ConfigurationError
from mftpubsub.own.objects import parameters
from mftpubsub.policies import Policy
from mftpubsub.scenario.common import ignored_fields
from mftpubsub.scenario.scenario import Scenario

#: What names a run anyway.
_OWN_NAME = ("protocol", "config", "speed", "seed")


def own_axes(values: Mapping[str, Any]) -> dict[str, Any]:
    """Of values by key those that are columns of their own in tables, as they stand there."""
    return {key: label(value) for key, value in values.items() if key not in _OWN_NAME}


def vary(base: Scenario, axes: Mapping[str, Iterable[Any]]) -> Iterator[tuple[dict[str, Any], Scenario]]:
    """For each combination of the axes' values: these by key, for tables, and the scenario with them.

    A key is that of a field, as in `parent_policy`, or of a part's field, as in `overlay.leader_timeout`; a
    value is what `Scenario.replace` takes. The scenario says where it lies (`axes`), by which folders and
    tables tell the runs apart; what its protocol takes no notice of it leaves out. Raises ConfigurationError
    for a combination that cannot be run.
    """
    for values in _combinations(axes):
        try:
            yield {key: label(value) for key, value in values.items()}, _with(base, values)
        except ConfigurationError as error:
            chosen = ", ".join(f"{key}={label(value)}" for key, value in values.items())
            raise ConfigurationError(f"{chosen}: {error}") from None


def places(axes: Mapping[str, Iterable[Any]]) -> list[dict[str, Any]]:
    """Each combination, as it stands in tables."""
    return [own_axes(values) for values in _combinations(axes)]


def label(value: Any) -> Any:
    """A value for a table: numbers and texts as they are, of others a text."""
    if isinstance(value, Policy):
        own = parameters(value)
        value = (
            value.to_plain() if value.name else {type(value).__name__: own} if own else type(value).__name__
        )
    if isinstance(value, Mapping):
        return " ".join(f"{key} {label(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return " ".join(str(label(item)) for item in value)
    return value if isinstance(value, bool | int | float | str) or value is None else str(value)


def _combinations(axes: Mapping[str, Iterable[Any]]) -> Iterator[dict[str, Any]]:
    for values in product(*axes.values()):
        yield dict(zip(axes, values, strict=True))


def _with(base: Scenario, values: Mapping[str, Any]) -> Scenario:
    changes: dict[str, Any] = {}
    for key, value in values.items():
        field, *parts = key.split(".")
        for part in reversed(parts):
            value = {part: value}
        both = isinstance(value, Mapping) and isinstance(changes.get(field), Mapping)
        changes[field] = {**changes[field], **value} if both else value
    ignored = ignored_fields(changes.get("protocol", base.protocol))
    varied = base.replace(**{field: value for field, value in changes.items() if field not in ignored})
    return varied.placed({**varied.axes, **own_axes(values)})
