"""Classes by their names."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def load(path: str) -> type[Any]:
    """The class called `module:Class`; raises ValueError if there is none."""
    module, _, name = path.partition(":")
    try:
        found: Any = import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"cannot load {path}: {error}; is its folder on PYTHONPATH?") from None
    if not isinstance(found, type):
        raise ValueError(f"{path} is no class")
    return found
