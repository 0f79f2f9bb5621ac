"""Modules that users knew by other names are found by those too."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

#: New names by old ones; what is below a module moved with it.
MOVED = {
    "mftpubsub.evaluation": "mftpubsub.studies",
    "mftpubsub.runs.plots": "mftpubsub.views.plots",
    "mftpubsub.runs.exports": "mftpubsub.views.exports",
    "mftpubsub.runs.viewer": "mftpubsub.views.viewer",
}


class Moved(MetaPathFinder, Loader):
    """Gives the module itself, not a copy of it."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(fullname, self, is_package=True) if _new_name(fullname) else None

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = import_module(_new_name(module.__name__) or "")


def _new_name(name: str) -> str | None:
    for old, new in MOVED.items():
        if name == old or name.startswith(f"{old}."):
            return new + name.removeprefix(old)
    return None


sys.meta_path.insert(0, Moved())
