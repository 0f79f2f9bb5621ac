"""What varies in many runs besides protocol, configuration, speed and seed: axes over any key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from mftpubsub.errors import ConfigurationError
from mftpubsub.metrics.table import METRICS
from mftpubsub.own.objects import parameters
from mftpubsub.policies import Policy
from mftpubsub.protocols.naming import has_parameter, parse, varied
from mftpubsub.protocols.own_protocol import OwnProtocol
from mftpubsub.scenario.common import ignored_fields
from mftpubsub.scenario.scenario import Scenario

#: Of keys that are parameters of protocols of one's own.
_OF_PROTOCOL = "protocol."
#: What names a run anyway.
_OWN_NAME = ("protocol", "config", "speed", "seed")


def own_axes(values: Mapping[str, Any]) -> dict[str, Any]:
    """Of values by key those that are columns of their own in tables, as they stand there."""
    return {key: label(value) for key, value in values.items() if key not in _OWN_NAME}


def vary(base: Scenario, axes: Mapping[str, Iterable[Any]]) -> Iterator[tuple[dict[str, Any], Scenario]]:
    """For each combination of the axes' values: these by key, for tables, and the scenario with them.

    A key is that of a field, as in `parent_policy`, of a part's field, as in `overlay.leader_timeout`, or of
    a parameter of a protocol of one's own, as in `protocol.jitter`, which others take no notice of. A value
    is what `Scenario.replace` takes. The scenario says where it lies (`axes`), by which folders and tables
    tell the runs apart; what its protocol takes no notice of it leaves out. Raises ConfigurationError for a
    combination that cannot be run.
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
    own = {key.removeprefix(_OF_PROTOCOL): values[key] for key in values if key.startswith(_OF_PROTOCOL)}
    for key, value in values.items():
        if key.startswith(_OF_PROTOCOL):
            continue
        field, *parts = key.split(".")
        for part in reversed(parts):
            value = {part: value}
        both = isinstance(value, Mapping) and isinstance(changes.get(field), Mapping)
        changes[field] = {**changes[field], **value} if both else value
    if own:
        changes["protocol"] = varied(parse(changes.get("protocol", base.protocol)), own)
    ignored = ignored_fields(changes.get("protocol", base.protocol))
    made = base.replace(**{field: value for field, value in changes.items() if field not in ignored})
    return made.placed({**made.axes, **own_axes(values)})


def check_axes(axes: Iterable[str], protocols: Sequence[str | OwnProtocol], between: str = " and ") -> None:
    """Raises ValueError for an axis that tables have no room for, or of which no run of these protocols takes
    notice."""
    named = between.join(dict.fromkeys(map(str, protocols)))
    for key in axes:
        if key in METRICS and key not in _OWN_NAME:
            raise ValueError(
                f"{key}: tables have a metric of that name: give each network a name of its own, as in "
                "`configurations` of a study or scenario.replace(config=...)"
            )
        field, _, name = key.partition(".")
        if field == "protocol" and name:
            if not any(has_parameter(protocol, name) for protocol in protocols):
                raise ValueError(f"{key}: {named} has no parameter {name}: leave it out")
        elif all(field in ignored_fields(protocol) for protocol in protocols):
            raise ValueError(f"{key}: {named} do not depend on it: leave it out")
