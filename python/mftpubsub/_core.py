"""The one place where Python meets C++: loads the simulator's library through cppyy."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from mftpubsub.errors import InstallationError

HEADERS = (
    "scenario/scenario.h",
    "castalia/experiments.h",
    "lab/lab.h",
    "lab/handoff-lab.h",
    "scenario/handoff-world.h",
)
#: What makes the library's scenario of one in Python, and runs it; policies/ too.
TRANSLATION = (
    "faults.py",
    "mobility.py",
    "model.py",
    "movement_files.py",
    "nodes.py",
    "parameters.py",
    "roles.py",
    "scenario.py",
    "simulation.py",
    "translate.py",
)


def _package_file(name: str) -> Path:
    """A file that the build has installed: in an editable install it lies beside another `__path__`."""
    import mftpubsub

    for folder in mftpubsub.__path__:
        path = Path(folder) / name
        if path.exists():
            return path
    raise InstallationError(f"{name} is missing from the mftpubsub package: install it with `pip install .`")


@cache
def core() -> Any:
    """The C++ namespace `mftpubsub`, library loaded.

    Raises InstallationError if the library is missing or cannot be loaded.
    """
    import cppyy

    library = _package_file("libmftpubsub.so")
    include = _package_file("include")
    try:
        cppyy.load_library(str(library))
    except RuntimeError as error:
        raise InstallationError(f"cannot load {library.name}: {error}; try `mftpubsub doctor`") from error
    cppyy.add_include_path(str(include))
    for header in HEADERS:
        cppyy.include(header)
    return cppyy.gbl.mftpubsub


@cache
def code_version() -> str:
    """SHA-256 (hex) of what makes a trace of a scenario: the simulator's sources, and what hands it over."""
    package = files("mftpubsub")
    policies = sorted(package.joinpath("policies").iterdir(), key=lambda file: file.name)
    sources = [
        *(package / name for name in TRANSLATION),
        *(file for file in policies if file.name.endswith(".py")),
    ]
    translation = b"".join(file.read_bytes() for file in sources)
    return hashlib.sha256(str(core().GetSourceHash()).encode() + translation).hexdigest()
