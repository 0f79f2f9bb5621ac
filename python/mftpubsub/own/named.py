"""What the code of users' classes names in its module: functions there, and what these name."""

from __future__ import annotations

import dis
from collections.abc import Iterator
from contextlib import suppress
from functools import cache, cached_property, partial, partialmethod
from types import CodeType, FunctionType
from typing import Any

#: Where methods of other kinds, such as properties, have their functions.
FUNCTIONS = ("__wrapped__", "fget", "fset", "fdel", "func")
_KINDS = (property, cached_property, staticmethod, classmethod, partial, partialmethod)


def named(kind: type) -> dict[str, Any]:
    """The globals that methods of a class name, and that functions of its module among these name."""
    found: dict[str, Any] = {}
    met: dict[int, Any] = {}  # objects, by their ids
    pending = [*vars(kind).values()]
    while pending:
        value = pending.pop()
        if id(value) in met:
            continue
        met[id(value)] = value
        if not isinstance(value, FunctionType):
            pending += _wrapped(value)
            continue
        if value.__module__ == kind.__module__:
            names, known = _globals_of(value.__code__), value.__globals__
            found |= (here := {name: known[name] for name in names if name in known})
            pending += here.values()
        pending += closed_over(value)
    return found


def _wrapped(value: Any) -> Iterator[Any]:
    """What a property, or a function of another kind, calls. Other objects may answer to any name."""
    if isinstance(value, _KINDS) or "__wrapped__" in getattr(value, "__dict__", {}):
        yield from (getattr(value, name) for name in FUNCTIONS if callable(getattr(value, name, None)))


def closed_over(function: FunctionType) -> Iterator[Any]:
    """The variables around an inner function, as of a decorator."""
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # it is empty yet
            yield cell.cell_contents


@cache
def _globals_of(code: CodeType) -> tuple[str, ...]:
    """The globals that code, with the functions within it, reads and binds.

    Attributes are none: a class comes to other processes with its globals only.
    """
    own = [each.argval for each in dis.get_instructions(code) if each.opname.endswith("_GLOBAL")]
    inner = [name for one in code.co_consts if isinstance(one, CodeType) for name in _globals_of(one)]
    return tuple(dict.fromkeys([*own, *inner]))
