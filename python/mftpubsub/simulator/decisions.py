"""What policies are shown, from and to C++, and the policies that ship."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import cache
from typing import Any, NamedTuple

from mftpubsub.simulator.library import core
from mftpubsub.simulator.shown import Me

NONE = -1
"""Instead of an id or of a byte."""

Parameters = tuple[tuple[str, float], ...]
"""Of a policy that ships, as C++ takes them."""

_NO_NODE = 0xFFFF
_ROLES = ((1, "broker"), (2, "subscriber"), (4, "publisher"))
_ROLE_NAMES = [tuple(name for bit, name in _ROLES if roles & bit) for roles in range(8)]


def _cpp_policies() -> Any:
    """The C++ namespace with policies and what they are shown."""
    return core("policies/policies.h")


@cache
def shared(decides: str, name: str, parameters: Parameters) -> Any:
    """A policy that ships, by what it decides and the name and parameters by which C++ makes it."""
    return getattr(_cpp_policies().MakePolicy(decides, name, dict(parameters)), decides)


def forget_shared() -> None:
    """Some policies keep state: another run has others."""
    shared.cache_clear()


# Views, and the C++ structs behind them.


class _Member(NamedTuple):
    """A field of a view and the member of its struct; None: both are the same."""

    name: str
    cpp: str
    from_cpp: Callable[[Any], Any] | None = None
    to_cpp: Callable[[Any], Any] | None = None


def _node(id: int) -> int | None:
    return None if id == _NO_NODE else id


def _id(node: int | None) -> int:
    return _NO_NODE if node is None else node


#: Fields that C++ has in another way, or by a name that does not follow from ours.
_OTHER = {
    member.name: member
    for member in (
        _Member("time_s", "timeNanoseconds", lambda ns: ns / 1e9, lambda s: round(s * 1e9)),
        _Member(
            "roles",
            "roles",
            _ROLE_NAMES.__getitem__,
            lambda names: sum(bit for bit, name in _ROLES if name in names),
        ),
        _Member("leader", "leader", _node, _id),
        _Member("parent", "parent", _node, _id),
        _Member("queued", "queuedEvents"),
        _Member(
            "advertised",
            "advertised",
            lambda byte: None if byte == NONE else byte,
            lambda byte: NONE if byte is None else byte,
        ),
    )
}
_UNITS = {"s": "Seconds", "mps": "MetresPerSecond"}


def _cpp_name(name: str) -> str:
    first, *words = name.split("_")
    return first + "".join(_UNITS.get(word, word.capitalize()) for word in words)


@cache
def _members(view: type) -> tuple[_Member, ...]:
    names = [field.name for field in fields(view)]
    return tuple(_OTHER.get(name) or _Member(name, _cpp_name(name)) for name in names)


@cache
def _struct(view: type) -> Any:
    """The C++ struct that a class shows."""
    return getattr(_cpp_policies(), "NodeView" if view is Me else view.__name__)


def nothing() -> Any:
    """A null pointer."""
    import cppyy

    return cppyy.nullptr


def to_cpp(view: Any) -> Any:
    """The C++ struct of a view."""
    kind: type = type(view)
    struct = _struct(kind)()
    for name, cpp, _, convert in _members(kind):
        value = getattr(view, name)
        setattr(struct, cpp, convert(value) if convert else value)
    return struct


def from_cpp(view: type, struct: Any) -> Any:
    """The view of a C++ struct."""
    seen: Any = object.__new__(view)
    for name, cpp, convert, _ in _members(view):
        value = getattr(struct, cpp)
        setattr(seen, name, convert(value) if convert else value)
    return seen


@cache
def vector_of(kind: str) -> Any:
    """std::vector of a struct of ours."""
    import cppyy

    return cppyy.gbl.std.vector[getattr(_cpp_policies(), kind)]


def to_vector(view: type, views: Iterable[Any]) -> Any:
    """The std::vector of views of a class."""
    vector = vector_of(_struct(view).__name__)()
    for each in views:
        vector.push_back(to_cpp(each))
    return vector


@cache
def _size_of(view: type) -> int:
    import cppyy

    return int(cppyy.sizeof(_struct(view)))


def view_at(view: type, address: int) -> Any:
    """The view of the struct at an address."""
    import cppyy

    return from_cpp(view, cppyy.bind_object(address, _struct(view)))


def views_at(view: type, address: int, count: int) -> list[Any]:
    """The views of the structs of a C++ array."""
    size = _size_of(view)
    return [view_at(view, address + index * size) for index in range(count)]
