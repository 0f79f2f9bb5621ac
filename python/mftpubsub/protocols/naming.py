"""Protocols by the names that scenarios give them: those that ship, and those of users."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic_core import core_schema

from mftpubsub.errors import ConfigurationError, no_such
from mftpubsub.own.loading import load
from mftpubsub.own.naming import NO_IMPORTS, is_record, make, of_record
from mftpubsub.own.objects import Recorded, parameters, path_of
from mftpubsub.protocols.catalogue import PROTOCOLS, Protocol, in_setting
from mftpubsub.protocols.cpp import CppProtocol
from mftpubsub.protocols.device import ASKED, Device, check_attributes
from mftpubsub.protocols.own_protocol import OwnProtocol

#: What can be part of a folder's name.
_NAME = r"[a-z][\w.+-]*"


def parse(value: Any, may_import: bool = True, folder: Path = Path()) -> str | OwnProtocol:
    """The protocol that a scenario names: one that ships, an object, `module:Class`, perhaps with parameters.

    A mapping with the key `cpp` names a C++ file, from `folder` on. Of a record, as run.json has it, the
    object is made anew. Raises ValueError that says what would be right.
    """
    if isinstance(value, OwnProtocol):
        return _checked(value)
    if is_record(value):
        return of_record(OwnProtocol, value, may_import)
    if isinstance(value, Mapping) and "cpp" in value:
        return _checked(_of_cpp(value, folder))
    name: Any = value
    given: Any = None
    if isinstance(value, Mapping) and len(value) == 1:
        ((name, given),) = value.items()
    if isinstance(name, str) and ":" in name and isinstance(given, Mapping | None):
        return _checked(make(OwnProtocol, load(name), name, given or {}))
    if isinstance(value, type) and issubclass(value, OwnProtocol):
        raise ValueError(f"a protocol is an object: write {value.__name__}(), not {value.__name__}")
    if not isinstance(value, str) or value not in in_setting("radio"):
        raise ValueError(no_such("protocol", value, in_setting("radio")))
    return value


def _of_cpp(told: Mapping[str, Any], folder: Path) -> CppProtocol:
    given = {"options": {}} | dict(told)
    if given.keys() != {"cpp", "name", "options"} or not isinstance(given["options"], Mapping):
        raise ValueError("a protocol in C++ is {cpp: FILE, name: NAME, options: {NAME: VALUE}}")
    try:
        return CppProtocol(str(folder / given["cpp"]), str(given["name"]), given["options"])
    except ConfigurationError as error:
        raise ValueError(str(error)) from None


def _checked(protocol: OwnProtocol) -> OwnProtocol:
    if not isinstance(protocol, Recorded):
        protocol.check_class()
        if isinstance(protocol, Device):
            check_attributes(protocol, ASKED)
        parameters(protocol)
        if not isinstance(protocol.name, str):
            raise ValueError(f"{type(protocol).__name__}.name is {protocol.name!r}: it must be a text")
        if protocol.name in PROTOCOLS:
            raise ValueError(
                f"{type(protocol).__name__}.name is {protocol.name!r}, as that of a protocol that ships"
            )
        if not re.fullmatch(_NAME, protocol.name):
            raise ValueError(
                f"{type(protocol).__name__}.name is {protocol.name!r}: it begins with a small letter, then"
                " come letters, digits and any of _ . + -"
            )
    return protocol


def row_of(protocol: str | OwnProtocol) -> Protocol:
    """The row of a protocol, as the catalogue has it of those that ship. KeyError: an unknown name."""
    if isinstance(protocol, str):
        return PROTOCOLS[protocol]
    return Protocol(
        name=str(protocol),
        family="own",
        label=str(protocol),
        source=path_of(type(protocol)),
        about=(type(protocol).__doc__ or "").strip().partition("\n")[0],
        asks=protocol.policies,
        settings=("radio",),
        uses=protocol.parts,
        roles=protocol.roles,
        broadcasts=protocol.broadcasts,
        matches_at_subscribers=True,
    )


def varied(protocol: str | OwnProtocol, parameters: Mapping[str, Any]) -> str | OwnProtocol:
    """The protocol with some other parameters, of those that it has.

    Raises ConfigurationError that says what its class does not take.
    """
    if isinstance(protocol, str | Recorded):
        return protocol
    known = protocol.parameter_names()
    if not (changes := {name: value for name, value in parameters.items() if name in known}):
        return protocol
    try:
        return _checked(protocol.varied(changes))
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"{protocol}: {error}") from None
    except Exception as error:  # of a user's __init__
        raise ConfigurationError(f"{protocol}: {type(error).__name__}: {error}") from error


def has_parameter(protocol: str | OwnProtocol, name: str) -> bool:
    """Whether an axis `protocol.NAME` varies it."""
    return not isinstance(protocol, str | Recorded) and name in protocol.parameter_names()


def check_names(protocols: Iterable[str | OwnProtocol]) -> None:
    """Raises ValueError if two protocols that differ have one name: their runs would lie in one folder."""
    known: dict[str, Any] = {}
    for protocol in protocols:
        identity = protocol if isinstance(protocol, str) else protocol.identity()
        if known.setdefault(str(protocol), identity) != identity:
            raise ValueError(
                f"two protocols are called {protocol}, and differ: give one another `name`, as self.name = "
                f"'{protocol}-fast' in its __init__"
            )


class _Parsed:
    """How pydantic reads and writes a protocol."""

    def __get_pydantic_core_schema__(self, source: Any, handler: object) -> core_schema.CoreSchema:
        return core_schema.with_info_plain_validator_function(
            lambda value, info: parse(value, info.context is not NO_IMPORTS, _folder(info.context)),
            serialization=core_schema.plain_serializer_function_ser_schema(
                _plain, info_arg=True, when_used="json"
            ),
        )


def _folder(context: Any) -> Path:
    """From which paths start: that of the scenario file that is read."""
    return Path((context or {}).get("folder", ""))


def _plain(protocol: str | OwnProtocol, info: Any) -> Any:
    """The one context of serializations is for fingerprints."""
    if isinstance(protocol, str):
        return protocol
    return (protocol.identity if info.context else protocol.record)()


#: The type of a field for a protocol.
ProtocolField = Annotated[str | OwnProtocol, _Parsed()]
