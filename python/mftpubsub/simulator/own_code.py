"""Protocols of users in C++: compiled when they are loaded, and kept for as long as the process lives."""

from __future__ import annotations

import ctypes
import hashlib
import subprocess
from functools import cache

from mftpubsub.errors import ConfigurationError
from mftpubsub.simulator.library import core, package_file, what

_HEADER = "protocols/own/simple-station.h"


@cache
def compiled(text: str, name: str, file: str) -> str:
    """Compiles what `file` says and registers; gives the name by which the simulator knows the protocol.

    Raises ConfigurationError with what the compiler says, or if nothing registers `name`.
    """
    own = core(_HEADER)
    import cppyy

    version = hashlib.sha256(f"{name} {file} {text}".encode()).hexdigest()[:12]
    lines = text.splitlines()
    includes = [line for line in lines if line.lstrip().startswith("#include")]
    rest = ["" if line.lstrip().startswith("#include") else line for line in lines]
    # Another version of the code may follow: its classes have the same names.
    code = [*includes, f"namespace own_{version} {{", f'#line 1 "{file}"', *rest, "}"]
    try:
        cppyy.cppdef("\n".join(code))
    except SyntaxError as error:
        said = str(error).partition("\n")[2].strip() or str(error)
        raise ConfigurationError(f"{file} does not compile:\n{said}") from None
    return _renamed(own, name, version, file)


def build(source: str, library: str) -> None:
    """Makes a library of a C++ file by g++, optimized and with names for debuggers.

    Raises ConfigurationError with what the compiler says.
    """
    include = package_file("include")
    command = ["g++", "-std=c++20", "-O3", "-g", "-fPIC", "-shared", f"-I{include}", source, "-o", library]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except FileNotFoundError:
        raise ConfigurationError("g++ is not there: install it, or give the file itself as cpp") from None
    except subprocess.CalledProcessError as error:
        raise ConfigurationError(f"{source} does not compile:\n{error.stderr.strip()}") from None


@cache
def loaded(file: str, name: str) -> str:
    """The same of a library that `mftpubsub protocol build` has made."""
    own = core(_HEADER)
    try:
        ctypes.CDLL(file, ctypes.RTLD_GLOBAL)
    except OSError as error:
        raise ConfigurationError(
            f"{file} cannot be loaded: {error}; make it by `mftpubsub protocol build`"
        ) from None
    return _renamed(own, name, hashlib.sha256(file.encode()).hexdigest()[:12], file)


def _renamed(own: object, name: str, version: str, file: str) -> str:
    known = f"{name}@{version}"
    try:
        own.mesh.RenameProtocol(name, known)  # type: ignore[attr-defined]
    except Exception as error:
        said = what(error).rpartition("invalid_argument: ")[2]
        raise ConfigurationError(f'{file}: {said}: it lacks Register<Class>("{name}")') from None
    return known
