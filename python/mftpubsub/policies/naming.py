"""Policies by the names that scenarios give them."""

from __future__ import annotations

import inspect
from ast import literal_eval
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, Any, TypeVar, cast

from pydantic_core import core_schema

from mftpubsub.errors import ConfigurationError, no_such
from mftpubsub.policies.kinds import Policy, Recorded, attributes, is_ours
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

    Of a record, as run.json has it, the policy is made anew. Where its module must not be imported and the
    policy cannot be made, it is a `Recorded` one. Raises ValueError that says what would be right.
    """
    if isinstance(value, base):
        if not isinstance(value, Recorded):
            _refuse_misspelt(base, type(value))
            parameters_of(value)
        return value
    if isinstance(value, Mapping) and {"class", "parameters"} <= value.keys():
        return _of_record(base, value, may_import)
    name: Any = value
    parameters: Any = None
    if isinstance(value, Mapping) and len(value) == 1:
        ((name, parameters),) = value.items()
    if not isinstance(name, str) or not isinstance(parameters, Mapping | None):
        if isinstance(value, type) and issubclass(value, base):
            raise ValueError(f"a policy is an object: write {value.__name__}(), not {value.__name__}")
        known = ", ".join(shipped(base))
        raise ValueError(f"no {base.kind.what}: {value!r}; give a {base.__name__} or one of {known}")
    kind = load(name) if ":" in name else shipped(base).get(name)
    if kind is None:
        raise ValueError(no_such(base.kind.what, name, shipped(base)))
    return _make(base, kind, name, parameters or {})


def _make(base: type[P], kind: type[Any], name: str, given: Mapping[str, Any]) -> P:
    """A policy of the class `kind`, called `name`, by what its __init__ is given."""
    if not issubclass(kind, base):
        raise ValueError(f"{name} is no {base.__name__}")
    _refuse_misspelt(base, kind)
    bound = inspect.signature(kind).bind_partial()
    try:
        if given.keys() <= bound.signature.parameters.keys():
            bound.arguments = dict(given)
            policy: P = kind(*bound.args, **bound.kwargs)
        else:
            policy = kind(**given)
    except ConfigurationError as error:
        raise ValueError(str(error)) from None
    except TypeError as error:
        takes = ", ".join(bound.signature.parameters) or "no parameters"
        raise ValueError(f"{name}: {error}; it takes {takes}") from None
    parameters_of(policy)
    return policy


def _of_record(base: type[P], told: Mapping[str, Any], may_import: bool) -> P:
    name = told["class"]
    recorded: Any = type(Recorded.__name__, (Recorded, base), {"__module__": Recorded.__module__})
    try:
        kind = load(name, may_import)
    except NotImportedError:
        remedy = "is not imported: open_run(FOLDER, import_policies=True) does, and runs its code"
        return cast(P, recorded(told, remedy))
    except ValueError as error:
        if may_import:
            raise
        return cast(P, recorded(told, f"is not there: {error}"))
    if not issubclass(kind, base) and not name.startswith("__main__:"):  # there other code may run by now
        raise ValueError(f"{name} is no {base.__name__}")
    try:
        return _made_anew(base, kind, told)
    except Exception as error:  # whatever the user's code raises
        if may_import:
            raise ValueError(f"{error}") from error
        return cast(P, recorded(told, f"cannot be made anew: {error}"))


def _made_anew(base: type[P], kind: type[Any], told: Mapping[str, Any]) -> P:
    """The policy that was recorded: made by what its __init__ was given, with the attributes it had."""
    was = told["parameters"]
    given = told.get("arguments", was)
    policy = _make(base, kind, told["class"], {name: _value(name, text) for name, text in given.items()})
    now = parameters_of(policy)
    for name in [name for name in was if now.get(name) != was[name]]:
        vars(policy)[name] = _value(name, was[name])
    for name in attributes(policy).keys() - was.keys():
        del vars(policy)[name]
    return policy


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
    left = [name for name in base.kind.methods if getattr(kind, name) is getattr(base, name)]
    for name in dir(kind):
        if not hasattr(base, name) and (meant := get_close_matches(name, left, 1, 0.75)):
            raise ValueError(f"{kind.__name__} has no method {meant[0]} but {name}; did you mean {meant[0]}?")


class _Parsed:
    """How pydantic reads and writes a field of policies of a kind."""

    def __get_pydantic_core_schema__(self, base: Any, handler: object) -> core_schema.CoreSchema:
        return core_schema.with_info_plain_validator_function(
            lambda value, info: parse(base, value, info.context is not NO_IMPORTS),
            serialization=core_schema.plain_serializer_function_ser_schema(
                # The one context of serializations is for fingerprints.
                lambda policy, info: (policy.identity if info.context else policy.record)(),
                info_arg=True,
                when_used="json",
            ),
        )


#: The type of a field for policies of a kind.
Named = Annotated[P, _Parsed()]
