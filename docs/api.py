"""What docstrings say, as Markdown: for pages that are read where no builder runs."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Iterator, Sequence
from functools import cached_property
from types import ModuleType
from typing import Any, NamedTuple

from sphinx.pycode import ModuleAnalyzer
from sphinx.util.inspect import stringify_signature

PACKAGE = "mftpubsub"
#: What all policies derive from.
_ROOTS = ("Policy", "BuiltIn")


def reference(text: str) -> str:
    """Sections for `NAME [MEMBER ...] [-MEMBER ...]`: of a function, a class, or a module's public names.

    Members say which ones, in this order; those with a minus are left out; a class with `()` behind it is
    not made by users. Raises LookupError if there is no such thing.
    """
    name, *members = text.split()
    path = name.removesuffix("()")
    thing = named(path)
    without = {member[1:] for member in members if member.startswith("-")}
    chosen = [member for member in members if not member.startswith("-")]
    if not isinstance(thing, ModuleType):
        return "\n".join(_section(path, thing, chosen, _Page(set(), without), is_made=path == name))
    names = chosen or [one for one in _public(thing) if one not in without]
    page = _Page(set(names), without)
    lines = [line for one in names for line in _section(one, getattr(thing, one), [], page, is_made=True)]
    return "\n".join([_markdown(inspect.getdoc(thing) or ""), "", *lines])


def named(path: str) -> Any:
    """What `path` is for users.

    Raises LookupError if there is no such thing. (pydoc.locate depends on the version of Python here.)
    """
    first, *rest = path.split(".")
    thing: Any = importlib.import_module(first)
    for part in rest:
        if not hasattr(thing, part):
            try:
                importlib.import_module(f"{thing.__name__}.{part}")
            except ImportError:
                raise LookupError(path) from None
        thing = getattr(thing, part)
    return thing


class _Page(NamedTuple):
    """What of a module has sections, and what has none anywhere."""

    names: set[str]
    without: set[str]


def _public(module: ModuleType) -> list[str]:
    """In the order of `__all__`, else as they are defined."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    own = [
        (inspect.getsourcelines(thing)[1], name)
        for name, thing in vars(module).items()
        if not name.startswith("_") and getattr(thing, "__module__", "") == module.__name__
    ]
    return [name for _, name in sorted(own)]


def _section(name: str, thing: Any, members: Sequence[str], page: _Page, is_made: bool) -> Iterator[str]:
    if inspect.isclass(thing):
        yield from _class(name, thing, members, page, is_made)
    elif inspect.isroutine(thing):
        yield from _function("###", thing, name)
    elif about := _documented("", name):
        yield from (f"### `{name}`", "", _markdown(about), "")


def _function(heading: str, function: Any, name: str) -> Iterator[str]:
    signature = stringify_signature(inspect.signature(function), unqualified_typehints=True)
    shown = re.sub(r"^\((?:self|cls)(, )?", "(", signature)
    yield from (f"{heading} `{name.rpartition('.')[2]}`", "", f"```py\n{name}{shown}\n```", "")
    yield from (_markdown(inspect.getdoc(function) or ""), "")


def _class(name: str, kind: type, members: Sequence[str], page: _Page, is_made: bool) -> Iterator[str]:
    yield from (f"### `{kind.__name__}`", "")
    if is_made and not issubclass(kind, Exception) and kind.__init__ is not object.__init__:
        signature = inspect.signature(kind).replace(return_annotation=inspect.Signature.empty)
        yield from (f"```py\n{name}{stringify_signature(signature, unqualified_typehints=True)}\n```", "")
    yield from (_markdown(inspect.getdoc(kind) or ""), "")
    if issubclass(kind, Exception):
        yield from (f"Is a {' and a '.join(f'`{base.__name__}`' for base in kind.__bases__)}.", "")
    inherited = _inherited(kind, page)
    own = [name for name in _members(kind) if name not in page.without]
    unlisted = [name for name, base in inherited.items() if base is None and name not in own]
    chosen = members or [*own, *unlisted]
    yield from _attributes(kind, chosen)
    for member in chosen:
        method = inspect.getattr_static(kind, member, None)
        method = getattr(method, "__func__", method)
        if inspect.isfunction(method) and inspect.getdoc(getattr(kind, member)):
            yield from _function("####", getattr(kind, member), f"{kind.__name__}.{member}")
    for base in dict.fromkeys(filter(None, inherited.values())):
        names = ", ".join(f"`{name}`" for name, its in inherited.items() if its == base and name not in own)
        if names:
            yield from (f"As [`{base}`](#{base.lower()}): {names}.", "")


def _inherited(kind: type, page: _Page) -> dict[str, str | None]:
    """Methods of bases in this package, each with the base that has a section, if there is one.

    What all policies have stands at their root.
    """
    bases = [base for base in kind.__mro__[1:] if base.__module__.startswith(f"{PACKAGE}.")]
    roots = [base for base in bases if base.__name__ in _ROOTS]
    found: dict[str, str | None] = {}
    for base in bases:
        for name, thing in vars(base).items():
            is_shown = not name.startswith("_") and name not in page.without and inspect.isfunction(thing)
            if is_shown and not any(hasattr(root, name) for root in roots):
                listed = (one.__name__ for one in bases if one.__name__ in page.names and hasattr(one, name))
                found.setdefault(name, next(listed, None))
    return found


def _members(kind: type) -> list[str]:
    """Its own public ones, as they are written, after those of the data that it shows."""
    found: dict[str, None] = {}
    for layer in _layers(kind):
        order = ModuleAnalyzer.for_module(layer.__module__)
        order.analyze()
        own = {*vars(layer), *vars(layer).get("__annotations__", {})}
        places = {name: order.tagorder.get(f"{layer.__qualname__}.{name}", 0) for name in own}
        found |= dict.fromkeys(sorted((name for name in own if name[0] != "_"), key=places.__getitem__))
    return list(found)


def _layers(kind: type) -> list[type]:
    """A class, and before it the classes of its name that it shows (mftpubsub.face)."""
    return [layer for layer in reversed(kind.__mro__) if layer.__name__ == kind.__name__]


def _attributes(kind: type, names: Sequence[str]) -> Iterator[str]:
    """Fields and properties, a line each."""
    types = {
        name: (layer.__module__, str(typed))
        for layer in _layers(kind)
        for name, typed in vars(layer).get("__annotations__", {}).items()
    }
    lines = []
    for name in names:
        thing = inspect.getattr_static(kind, name, None)
        if isinstance(thing, property | cached_property):
            about, typed = inspect.getdoc(thing) or "", _returned(thing)
        elif name in types and not callable(thing):
            module, typed = types[name]
            about = _documented(kind.__qualname__, name, module)
        else:
            continue
        lines.append(f"- `{name}: {typed}`" + (f": {' '.join(about.split())}" if about else ""))
    yield from [*lines, ""] if lines else []


def _returned(thing: property | cached_property[Any]) -> str:
    """The type of a property, as it is written."""
    getter = thing.fget if isinstance(thing, property) else thing.func
    return str(getter.__annotations__.get("return", "")) if getter else ""


def _documented(owner: str, name: str, module: str = "") -> str:
    """The string below an attribute, of a class or of whichever module defines it."""
    modules = [module] if module else [found for found in sorted(sys.modules) if found.startswith(PACKAGE)]
    for found in modules:
        try:
            docs = ModuleAnalyzer.for_module(found).find_attr_docs()
        except Exception:  # a module without source
            continue
        if lines := docs.get((owner, name)):
            return "\n".join(lines).strip()
    return ""


_ARGUMENTS = re.compile(r"^Args:\n((?: {4}.*(?:\n|$)|\n(?= {4}))+)", re.MULTILINE)


def _markdown(text: str) -> str:
    """A docstring, its list of arguments as a list."""

    def as_list(found: re.Match[str]) -> str:
        items = re.sub(r"^ {4}(\w+): ", r"- `\1`: ", found[1], flags=re.MULTILINE)
        return re.sub(r"^ {8}", "  ", items, flags=re.MULTILINE)

    return _ARGUMENTS.sub(as_list, text).strip()
