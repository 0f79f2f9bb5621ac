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
#: An include is outside the namespace of a version; a pragma is of headers that stand in the text already.
_OUTSIDE = re.compile(r"^[ \t]*#[ \t]*(?:include\b|pragma[ \t]+once\b).*$", re.MULTILINE)
#: What decides whether a line is included, and with which macros; it may go on in the next line.
_DIRECTIVE = re.compile(
    r"^[ \t]*#[ \t]*(?:include|if|ifdef|ifndef|elif|else|endif|define|undef)\b(?:.*\\\n)*.*$", re.MULTILINE
)
_COMMENT = re.compile(r"/\*[\s\S]*?\*/")
#: A file that opens our namespaces opens these within that of its version: they find what ours have.
_OURS = (
    "namespace mftpubsub { using namespace ::mftpubsub; "
    "namespace mesh { using namespace ::mftpubsub::mesh; } }"
)
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
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
    # Another version of the code may follow: its classes and macros have the same names.
    forgotten = [f"#undef {macro}" for macro in dict.fromkeys(_MACRO.findall(text))]
    body = [f"namespace own_{version} {{", _OURS, f'#line 1 "{file}"', _OUTSIDE.sub("", text), "}"]
    code = [*_DIRECTIVE.findall(_COMMENT.sub(" ", text)), *forgotten, *body, *forgotten]
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
