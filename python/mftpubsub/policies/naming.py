"""Policies by the names that scenarios give them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic_core import core_schema

from mftpubsub.errors import no_such
from mftpubsub.own.loading import load
from mftpubsub.own.naming import NO_IMPORTS, is_record, make, of_record
from mftpubsub.own.objects import Recorded, is_ours, parameters
from mftpubsub.policies.kinds import Policy

P = TypeVar("P", bound=Policy)


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
            value.check_class()
            parameters(value)
        return value
    if is_record(value):
        return of_record(base, value, may_import)
    name: Any = value
    given: Any = None
    if isinstance(value, Mapping) and len(value) == 1:
        ((name, given),) = value.items()
    if not isinstance(name, str) or not isinstance(given, Mapping | None):
        if isinstance(value, type) and issubclass(value, base):
            raise ValueError(f"a policy is an object: write {value.__name__}(), not {value.__name__}")
        known = ", ".join(shipped(base))
        raise ValueError(f"no {base.what}: {value!r}; give a {base.__name__} or one of {known}")
    kind = load(name) if ":" in name else shipped(base).get(name)
    if kind is None:
        raise ValueError(no_such(base.what, name, shipped(base)))
    return make(base, kind, name, given or {})


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
