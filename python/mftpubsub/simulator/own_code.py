"""Protocols of users in C++: compiled when they are loaded, and kept for as long as the process lives."""

from __future__ import annotations

import ctypes
import hashlib
import re
import subprocess
from functools import cache

from mftpubsub.errors import ConfigurationError
from mftpubsub.simulator.library import core, package_file, what

_HEADER = "protocols/own/simple-station.h"
_INCLUDE = re.compile(r"\s*#\s*include\b")
#: Of headers that stand in the text, where they do so once.
_ONCE = re.compile(r"\s*#\s*pragma\s+once\b")
#: Names by which headers tell that they have been included.
_GUARD = re.compile(r"^[ \t]*#[ \t]*ifndef[ \t]+(\w+)\s+#[ \t]*define[ \t]+\1[ \t]*$", re.MULTILINE)
#: The digests of the libraries that this process has loaded, by file.
_LIBRARIES: dict[str, str] = {}


@cache
def compiled(text: str, name: str, file: str) -> str:
    """Compiles what `file` says and registers; gives the name by which the simulator knows the protocol.

    Raises ConfigurationError with what the compiler says, or if nothing registers `name`.
    """
    own = core(_HEADER)
    import cppyy

    version = hashlib.sha256(f"{name} {file} {text}".encode()).hexdigest()[:12]
    lines = text.splitlines()
    includes = [line for line in lines if _INCLUDE.match(line)]
    rest = ["" if _INCLUDE.match(line) or _ONCE.match(line) else line for line in lines]
    # Another version of the code may follow: its classes and guards have the same names.
    guards = [f"#undef {guard}" for guard in _GUARD.findall(text)]
    code = [*includes, *guards, f"namespace own_{version} {{", f'#line 1 "{file}"', *rest, "}"]
    try:
        cppyy.cppdef("\n".join(code))
    except SyntaxError as error:
        said = str(error).partition("\n")[2].strip() or str(error)
        raise ConfigurationError(f"{file} does not compile:\n{said}{_hint(text)}") from None
    return _renamed(own, name, version, file)


def _hint(text: str) -> str:
    """Why a file with this text may not compile, though it looks right."""
    if not re.search(r"^[ \t]*namespace[ \t]+mftpubsub\b", text, re.MULTILINE):
        return ""
    return (
        "\nThe file opens the namespace mftpubsub: leave its classes outside, and say `using namespace "
        "mftpubsub; using namespace mftpubsub::mesh;`"
    )


def build(source: str, library: str) -> None:
    """Makes a library of a C++ file by g++, optimized and with names for debuggers.

    Raises ConfigurationError with what the compiler says.
    """
    include = package_file("include")
    # Two libraries share no static variables, whatever their classes are called.
    options = ["-std=c++20", "-O3", "-g", "-fPIC", "-shared", "-fno-gnu-unique", f"-I{include}"]
    command = ["g++", *options, source, "-o", library]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except FileNotFoundError:
        raise ConfigurationError("g++ is not there: install it, or give the file itself as cpp") from None
    except subprocess.CalledProcessError as error:
        raise ConfigurationError(f"{source} does not compile:\n{error.stderr.strip()}") from None


@cache
def loaded(file: str, name: str, digest: str) -> str:
    """The same of a library that `mftpubsub protocol build` has made.

    Raises ConfigurationError if this process has loaded it with another digest: it cannot load it anew.
    """
    if _LIBRARIES.get(file, digest) != digest:
        raise ConfigurationError(
            f"{file} was made anew after this process had loaded it: start another process, or a notebook's "
            "kernel, or give the .cc file instead"
        )
    own = core(_HEADER)
    try:
        ctypes.CDLL(file)  # its names are its own: another library may have a class of the same name
    except OSError as error:
        raise ConfigurationError(
            f"{file} cannot be loaded: {error}; make it by `mftpubsub protocol build`"
        ) from None
    _LIBRARIES[file] = digest
    return _renamed(own, name, hashlib.sha256(file.encode()).hexdigest()[:12], file)


def _renamed(own: object, name: str, version: str, file: str) -> str:
    known = f"{name}@{version}"
    try:
        own.mesh.RenameProtocol(name, known)  # type: ignore[attr-defined]
    except Exception as error:
        said = what(error).rpartition("invalid_argument: ")[2]
        raise ConfigurationError(f'{file}: {said}: it lacks Register<Class>("{name}")') from None
    return known
