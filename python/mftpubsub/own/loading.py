"""Classes by their names."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any


class NotImportedError(Exception):
    """The module of a class is not loaded, and was not to be."""


def load(path: str, may_import: bool = True) -> type[Any]:
    """The class called `module:Class`; raises ValueError if there is none.

    Raises NotImportedError if its module had to be imported, which runs its code, and `may_import` is false.
    """
    module, _, name = path.partition(":")
    if not may_import and module not in sys.modules:
        raise NotImportedError
    try:
        found: Any = import_module(module)
    except (ImportError, ValueError) as error:
        raise ValueError(f"cannot load {path}: {error}; is its folder on PYTHONPATH?") from None
    except Exception as error:  # of the module's own code
        raise ValueError(f"cannot load {path}: {type(error).__name__}: {error}") from error
    known = found
    try:
        for part in name.split("."):
            found = getattr(found, part)
    except AttributeError as error:
        said = ", ".join(sorted(_classes(known))) or "none"
        raise ValueError(f"cannot load {path}: {error}; its classes are {said}") from None
    if not isinstance(found, type):
        raise ValueError(f"{path} is no class")
    return found


def _classes(module: Any) -> list[str]:
    """Names of the classes that a module defines itself."""
    own = (kind for kind in vars(module).values() if isinstance(kind, type))
    return [kind.__name__ for kind in own if kind.__module__ == module.__name__]
