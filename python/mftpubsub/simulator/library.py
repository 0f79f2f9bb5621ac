"""Loads the simulator's library through cppyy."""

from __future__ import annotations

import hashlib
import signal
import sys
import threading
from contextlib import redirect_stdout
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mftpubsub.errors import InstallationError
from mftpubsub.simulator.sources import translation

#: All that a run needs, in types for which cppyy compiles next to nothing. Headers with more take it 0.2 s,
#: and a struct of theirs up to 0.5 s when it is first made: who needs one names it (`core(header)`).
SIMULATOR = "run/simulator.h"

#: cppyy handles these by a debugger's stack trace, which takes half a minute and hides what ns-3 said.
_CRASHES = (signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSEGV)


def package_file(name: str) -> Path:
    """A file that the build has installed: in an editable install it lies beside another `__path__`."""
    spec = find_spec("mftpubsub")
    for folder in (spec.submodule_search_locations if spec else None) or ():
        path = Path(folder) / name
        if path.exists():
            return path
    raise InstallationError(f"{name} is missing from the mftpubsub package: install it with `pip install .`")


@cache
def core(header: str = SIMULATOR) -> Any:
    """The C++ namespace `mftpubsub`, with what `header`, a path below cpp/, declares; library loaded.

    Raises InstallationError if the library is missing or cannot be loaded.
    """
    _load()
    import cppyy

    cppyy.include(header)
    return cppyy.gbl.mftpubsub


@cache
def _load() -> None:
    # In a fresh environment cppyy builds a precompiled header for the standard library, and says so.
    with redirect_stdout(sys.stderr):
        import cppyy
    if threading.current_thread() is threading.main_thread():  # no other may
        for crash in _CRASHES:
            signal.signal(crash, signal.SIG_DFL)

    library = package_file("libmftpubsub.so")
    include = package_file("include")
    try:
        cppyy.load_library(str(library))
    except RuntimeError as error:
        raise InstallationError(f"cannot load {library.name}: {error}; try `mftpubsub doctor`") from error
    cppyy.add_include_path(str(include))


@cache
def code_version() -> str:
    """SHA-256 (hex) of what makes a trace of a scenario: the simulator's sources, and what hands it over."""
    return hashlib.sha256((str(core().GetSourceHash()) + translation()).encode()).hexdigest()


def standard_error(name: str) -> type[Exception]:
    """An exception of C++'s standard library."""
    import cppyy

    found: type[Exception] = getattr(cppyy.gbl.std, name)
    return found


def what(error: Exception) -> str:
    """The C++ exception's own words."""
    told = getattr(error, "what", None)
    return str(told()) if callable(told) else str(error)
