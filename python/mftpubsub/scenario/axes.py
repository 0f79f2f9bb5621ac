"""What varies in many runs besides protocol, configuration, speed and seed: axes over any key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from mftpubsub.errors import ConfigurationError
from mftpubsub.metrics.table import METRICS
from mftpubsub.own.objects import parameters
from mftpubsub.policies import Policy
from mftpubsub.protocols.naming import has_parameter, parse, varied
from mftpubsub.protocols.own_protocol import OwnProtocol
from mftpubsub.scenario.common import Common, check_name, ignored_fields
from mftpubsub.scenario.nodes import Group, why_unused
from mftpubsub.scenario.part import checked, native
from mftpubsub.scenario.scenario import Scenario
from mftpubsub.trace.layout import run_folder, run_name

#: Of keys that are parameters of protocols of one's own.
_OF_PROTOCOL = "protocol."
#: Of an axis: a list of values, or values by what tables call them.
Values = Iterable[Any] | Mapping[str, Any]
#: B of the name of a folder, on the file systems of Linux.
LONGEST_NAME = 255
#: How tables call a text, a list or a mapping that has nothing, which a blank cell would hide.
EMPTY = "empty"
#: What names a run anyway.
OWN_NAME = ("protocol", "config", "speed", "seed")


def vary(base: Scenario, axes: Mapping[str, Values]) -> Iterator[tuple[dict[str, Any], Scenario]]:
    """For each combination of the axes' values: these by key, for tables, and the scenario with them.

    A key is that of a field, as in `parent_policy`, of a part's field, as in `overlay.leader_timeout`, or of
    a parameter of a protocol of one's own, as in `protocol.jitter`, which others take no notice of. A value
    is what `Scenario.replace` takes, but a radio that names its model is a whole one, with that model's
    defaults. The scenario says where it lies (`axes`), by which folders and tables tell the runs apart; what
    its protocol takes no notice of it leaves out. Raises ConfigurationError for a combination that cannot be
    run.
    """
    for chosen in _combinations(axes):
        names = {key: name for key, (name, _) in chosen.items()}
        try:
            made = _with(base, {key: value for key, (_, value) in chosen.items()})
            yield names, made.placed({**made.axes, **_own(names)})
        except ConfigurationError as error:
            told = ", ".join(f"{key}={name}" for key, name in names.items())
            raise ConfigurationError(f"{told}: {error}") from None


def once_each(varied: Iterable[tuple[dict[str, Any], Scenario]]) -> list[tuple[dict[str, Any], Scenario]]:
    """What `vary` gives, each run once.

    Raises ConfigurationError for two different ones of the same name, for a name that is too long, and for a
    number that tables cannot hold.
    """
    unique: dict[Path, tuple[dict[str, Any], Scenario]] = {}
    for at, case in varied:
        for key, name in at.items():
            if isinstance(name, int | float) and not -(2**63) <= name < 2**63:
                raise ConfigurationError(
                    f"{key}: tables have no room for the number {name}: name the values, {{NAME: VALUE, ...}}"
                )
        folder = run_folder(case)
        if long := [part for part in folder.parts if len(part.encode()) > LONGEST_NAME]:
            raise ConfigurationError(
                f"{long[0]!r}: the name of a folder has at most {LONGEST_NAME} B: name the values of an "
                "axis, {NAME: VALUE, ...}, or give a shorter name"
            )
        _, first = unique.setdefault(folder, (at, case))
        if first is not case and first.fingerprint() != case.fingerprint():
            raise ConfigurationError(
                f"two different scenarios are called {run_name(case)}: give them different names, as in "
                "scenario.replace(config=...), or name the values of an axis: {NAME: VALUE, ...}"
            )
    return [*unique.values()]


def places(axes: Mapping[str, Values]) -> list[dict[str, Any]]:
    """Each combination, as it stands in tables."""
    return [_own({key: name for key, (name, _) in chosen.items()}) for chosen in _combinations(axes)]


def _own(names: Mapping[str, Any]) -> dict[str, Any]:
    """Of places by key those that are columns of their own in tables."""
    return {key: name for key, name in names.items() if key not in OWN_NAME}


def label(value: Any) -> Any:
    """A value for a table: numbers and texts as they are, of others a text. What is empty is "empty"."""
    value = native(value)
    if isinstance(value, Policy):
        own = parameters(value)
        value = (
            value.to_plain() if value.name else {type(value).__name__: own} if own else type(value).__name__
        )
    if isinstance(value, Mapping):
        value = " ".join(f"{key} {label(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        value = " ".join(str(label(item)) for item in value)
    if isinstance(value, str) and not value:
        return EMPTY
    if isinstance(value, float):
        return value + 0.0  # -0.0 is 0.0
    return value if isinstance(value, bool | int | str) or value is None else str(value)


def named_values(values: Values) -> list[tuple[Any, Any]]:
    """What tables call each value of an axis, and the value."""
    return [*values.items()] if isinstance(values, Mapping) else [(label(value), value) for value in values]


def _combinations(axes: Mapping[str, Values]) -> Iterator[dict[str, tuple[Any, Any]]]:
    """By key what tables call a value, and the value."""
    for chosen in product(*map(named_values, axes.values())):
        yield dict(zip(axes, chosen, strict=True))


def _with(base: Scenario, values: Mapping[str, Any]) -> Scenario:
    """The base with the values of axes. What is said of a part's fields is of the part that an axis gives."""
    own = {key.removeprefix(_OF_PROTOCOL): values[key] for key in values if key.startswith(_OF_PROTOCOL)}
    whole: dict[str, Any] = {}
    parts: dict[str, Any] = {}
    for key, value in values.items():
        if key.startswith(_OF_PROTOCOL):
            continue
        field, *names = key.split(".")
        for name in reversed(names):
            value = {name: value}
        if names:
            parts[field] = _merged(parts.get(field, {}), value)
        else:
            whole[field] = _whole_radio(value) if field == "radio" else value
    if own:
        whole["protocol"] = varied(parse(whole.get("protocol", base.protocol)), own)
    ignored = ignored_fields(whole.get("protocol", base.protocol))
    if "nodes" not in whole:  # other networks of the study may go by it
        ignored |= {field for field in {**parts, **whole} if why_unused(field, base.nodes)}
    for changes in ({**parts, **whole}, {field: parts[field] for field in parts if field in whole}):
        if heeded := {field: value for field, value in changes.items() if field not in ignored}:
            base = base.replace(**heeded)
    return base


def names_model(radio: Any) -> bool:
    """Whether a value of an axis is a whole radio, and no change of one."""
    return not isinstance(radio, Mapping) or "model" in radio


def _whole_radio(value: Any) -> Any:
    """A whole radio as an object, which takes the place of the scenario's own; a mapping changes it."""
    return checked(Common, {"radio": value}, "scenario").radio if names_model(value) else value


def _merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """What both say, at any depth; in doubt the other."""
    both = {
        key: _merged(one[key], other[key])
        for key in one
        if isinstance(one[key], Mapping) and isinstance(other.get(key), Mapping)
    }
    return {**one, **other, **both}


def check_axes(
    axes: Mapping[str, Values],
    protocols: Sequence[str | OwnProtocol],
    nodes: Sequence[Group],
    between: str = " and ",
) -> None:
    """Raises ValueError for an axis that tables have no room for, or of which no run of these protocols, with
    these nodes, takes notice."""
    named = between.join(dict.fromkeys(map(str, protocols)))
    for key, values in axes.items():
        if isinstance(values, Mapping):
            _check_value_names(key, values)
        if key in METRICS and key not in OWN_NAME:
            raise ValueError(
                f"{key}: tables have a metric of that name: give each network a name of its own, as in "
                "`configurations` of a study or scenario.replace(config=...)"
            )
        field, dot, name = key.partition(".")
        if field == "protocol" and dot:
            if not any(has_parameter(protocol, name) for protocol in protocols):
                raise ValueError(f"{key}: {named} has no parameter {name!r}: leave it out")
        elif all(field in ignored_fields(protocol) for protocol in protocols):
            raise ValueError(f"{key}: {named} do not depend on it: leave it out")
        elif "nodes" not in axes and (why := why_unused(field, nodes)):
            raise ValueError(f"{key}: {why}")


def _check_value_names(key: str, values: Mapping[Any, Any]) -> None:
    if key in OWN_NAME:
        raise ValueError(f"{key}: tables call its values as they are: give a list of them")
    part = Scenario.model_fields.get(key)
    fields = getattr(part.annotation, "model_fields", {}) if part else {}
    for name in values:
        if name in fields:
            raise ValueError(f"{key}: needs a list of values; those of {name} are an axis {key}.{name}")
        if not isinstance(name, str):
            raise ValueError(f"{key}: the name of a value must be a text (given: {name!r})")
        try:
            check_name(name)
        except ValueError as error:
            raise ValueError(f"{key}: {error}") from None
