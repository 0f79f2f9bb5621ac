"""Policies by the names that scenarios give them."""

from __future__ import annotations

import inspect
from ast import literal_eval
from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

from pydantic import PlainSerializer, PlainValidator

from mftpubsub.errors import ConfigurationError, no_such
from mftpubsub.policies.kinds import (
    Chooser,
    ClientPolicy,
    FailurePolicy,
    LeaderPolicy,
    MigrationPolicy,
    ParentPolicy,
    Policy,
    QueuePolicy,
    Recorded,
    RepairPolicy,
    RetryPolicy,
    is_ours,
)
from mftpubsub.policies.kinds import parameters as parameters_of
from mftpubsub.policies.loading import NotImportedError, load

P = TypeVar("P", bound=Policy)

#: Context of a validation that must not run code of modules that a file names.
NO_IMPORTS = {"for": "reading what others wrote"}


def shipped(base: type[P]) -> dict[str, type[P]]:
    """The policies of a kind that ship, by their names in scenario files."""
    found = {}
    pending: list[type[P]] = [base]
    while pending:
        kind = pending.pop()
        pending += kind.__subclasses__()
        if is_ours(kind) and "name" in vars(kind) and kind.name is not None:
            found[kind.name] = kind
    return dict(sorted(found.items()))


def parse(base: type[P], value: Any, may_import: bool = True) -> P:
    """The policy that a scenario names: an instance, a name, `module:Class`, or either with parameters.

    A description, as run.json has it, of a class whose module is neither loaded nor to be imported gives a
    `Recorded` one. Raises ValueError that says what would be right.
    """
    if isinstance(value, base):
        if not isinstance(value, Recorded):
            _refuse_misspelt(base, type(value))
            parameters_of(value)
        return value
    if isinstance(value, Mapping) and {"class", "parameters"} <= value.keys():
        try:
            load(value["class"], may_import)
        except NotImportedError:
            return cast(P, _recorded(base)(value))
        value = {value["class"]: {k: _value(k, text) for k, text in value["parameters"].items()}}
    name: Any = value
    parameters: Any = None
    if isinstance(value, Mapping) and len(value) == 1:
        ((name, parameters),) = value.items()
    if not isinstance(name, str) or not isinstance(parameters, Mapping | None):
        if isinstance(value, type) and issubclass(value, base):
            raise ValueError(f"a policy is an object: write {value.__name__}(), not {value.__name__}")
        known = ", ".join(shipped(base))
        raise ValueError(f"no {base.what}: {value!r}; give a {base.__name__} or one of {known}")
    kind = load(name) if ":" in name else shipped(base).get(name)
    if kind is None:
        raise ValueError(no_such(base.what, name, shipped(base)))
    if not issubclass(kind, base):
        raise ValueError(f"{name} is no {base.__name__}")
    _refuse_misspelt(base, kind)
    try:
        policy: P = kind(**(parameters or {}))
    except ConfigurationError as error:
        raise ValueError(str(error)) from None
    except TypeError as error:
        takes = ", ".join(inspect.signature(kind).parameters) or "no parameters"
        raise ValueError(f"{name}: {error}; it takes {takes}") from None
    parameters_of(policy)
    return policy


def _recorded(base: type[Policy]) -> Any:
    return type(Recorded.__name__, (Recorded, base), {"__module__": Recorded.__module__})


def _value(name: str, text: str) -> Any:
    """The parameter that `identity` tells as `text`."""
    try:
        return literal_eval(text)
    except (ValueError, SyntaxError):
        raise ValueError(f"{name}: {text} cannot be made from its description") from None


def _refuse_misspelt(base: type[Policy], kind: type[Policy]) -> None:
    """Raises ValueError if a method is almost called as a decision that the class does not take."""
    if is_ours(kind):  # every case of a study asks
        return
    own = vars(Chooser if issubclass(base, Chooser) else base).items()
    decisions = [name for name, thing in own if inspect.isfunction(thing) and name != "default"]
    left = [name for name in decisions if getattr(kind, name) is getattr(base, name)]
    for name in dir(kind):
        if not hasattr(base, name) and (meant := get_close_matches(name, left, 1, 0.75)):
            raise ValueError(f"{kind.__name__} has no method {meant[0]} but {name}; did you mean {meant[0]}?")


def _field(base: type[P]) -> Any:
    return Annotated[
        Any,
        PlainValidator(lambda value, info: parse(base, value, info.context is not NO_IMPORTS)),
        PlainSerializer(lambda policy: policy.identity(), when_used="json"),
    ]


if not TYPE_CHECKING:
    ParentField = _field(ParentPolicy)
    ClientField = _field(ClientPolicy)
    MigrationField = _field(MigrationPolicy)
    LeaderField = _field(LeaderPolicy)
    QueueField = _field(QueuePolicy)
    RetryField = _field(RetryPolicy)
    FailureField = _field(FailurePolicy)
    RepairField = _field(RepairPolicy)
else:
    ParentField = ParentPolicy
    ClientField = ClientPolicy
    MigrationField = MigrationPolicy
    LeaderField = LeaderPolicy
    QueueField = QueuePolicy
    RetryField = RetryPolicy
    FailureField = FailurePolicy
    RepairField = RepairPolicy
