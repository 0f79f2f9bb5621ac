"""What our Python says, as far as a run depends on it: a hash of it tells code apart, and not its wording.

Names and places of modules, comments, docstrings, descriptions of fields and formatting do not count.
"""

from __future__ import annotations

import ast
import hashlib
import re
from importlib.resources import files
from importlib.resources.abc import Traversable
from json.encoder import encode_basestring_ascii as quoted
from typing import Any

#: What makes the library's scenario of one in Python, and runs it: rooms, and files of another.
TRANSLATION = (
    "simulator",
    "own",
    "policies",
    "protocols",
    "scenario",
    "runs/to_cpp.py",
    "runs/simulation.py",
)
#: Of these rooms, what no run depends on.
APART = ("sources.py", "laboratory.py", "catalogue.py")
#: Headers of C++ have names, too.
_HEADER = re.compile(r"[\w/-]+\.h")


def translation() -> str:
    """What all modules say that hand a scenario to the simulator."""
    package = files("mftpubsub")
    modules = [file for name in TRANSLATION for file in _modules(package.joinpath(*name.split("/")))]
    meanings = [meaning(file.read_text(encoding="utf-8")) for file in modules if file.name not in APART]
    return "".join(sorted(hashlib.sha256(each.encode()).hexdigest() for each in meanings))


def meaning(source: str) -> str:
    """What a module says to Python, in every version of it; what it imports of ours is left out."""
    return _said(ast.parse(source))


def _modules(place: Traversable) -> list[Traversable]:
    """A module, or the modules of a room."""
    return [place] if place.is_file() else [file for file in place.iterdir() if file.name.endswith(".py")]


def _said(node: Any) -> str:
    """As JSON, written here: every process that runs something waits for it."""
    if isinstance(node, ast.AST):
        # Versions of Python differ in which fields there are, but not in those that hold something.
        said = [(name, _of_field(getattr(node, name, None))) for name in node._fields]
        fields = ", ".join(f'"{name}": {text}' for name, text in said if text)
        return f'["{type(node).__name__}", {{{fields}}}]'
    return quoted("" if isinstance(node, str) and _HEADER.fullmatch(node) else repr(node))


def _of_field(value: Any) -> str:
    if isinstance(value, list):
        parts = [_said(each) for each in value if not _says_nothing(each)]
        return f"[{', '.join(parts)}]" if parts else ""
    return "" if value is None else _said(value)


def _says_nothing(node: Any) -> bool:
    match node:
        case ast.Expr(value=ast.Constant(value=str())) | ast.keyword(arg="description"):
            return True
        case ast.ImportFrom(module=module):
            return (module or "").partition(".")[0] == "mftpubsub"
        case ast.Import(names=names):
            return all(name.name.partition(".")[0] == "mftpubsub" for name in names)
    return False
