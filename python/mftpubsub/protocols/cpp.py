"""Protocols of users in C++, without building anything: a file that is compiled when a run needs it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from os.path import relpath
from pathlib import Path
from typing import Any

from mftpubsub.errors import ConfigurationError, no_such
from mftpubsub.own.objects import parameters
from mftpubsub.protocols.own_protocol import OwnProtocol
from mftpubsub.simulator import own_code
from mftpubsub.simulator.library import package_file

#: What headers begin with that are to be included once.
_ONCE = re.compile(r"(?:\s|//.*|/\*[\s\S]*?\*/)*#[ \t]*(?:pragma[ \t]+once|ifndef|if[ \t]*!)")
#: A line that includes a quoted header, and the header; or a comment, in which no line does.
_INCLUDE = re.compile(r'/\*[\s\S]*?\*/|^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)".*$', re.MULTILINE)


class CppProtocol(OwnProtocol):
    """A protocol that a C++ file registers (`cpp` makes one)."""

    def __init__(
        self, file: str, name: str, options: Mapping[str, Any] | None = None, text: str | None = None
    ) -> None:
        """`text` is what the file and its own headers say; by default they are read."""
        self.file = file
        self.name = name
        self.options = {key: str(value) for key, value in (options or {}).items()}
        self.text = _read(file) if text is None else text
        for option in self.options:
            if not _says(file, self.text, option):
                raise ConfigurationError(
                    f"{file}: it asks for {no_such('option', option, _asked(self.text))}"
                )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CppProtocol) and self.identity() == other.identity()

    __hash__ = None  # type: ignore[assignment]

    def load(self) -> str:
        """Compiles it, once a process; gives its name in the simulator. Raises ConfigurationError."""
        if Path(self.file).suffix == ".so":
            if _digest(self.file) != self.text:
                raise ConfigurationError(f"{self.file} is another library than the one that was named")
            return own_code.loaded(str(Path(self.file).resolve()), self.name, self.text)
        return own_code.compiled(self.text, self.name, self.file)

    def parameter_names(self) -> list[str]:
        return [*dict.fromkeys([*self.options, *_asked(self.text)])]

    def varied(self, changes: Mapping[str, Any]) -> CppProtocol:
        return CppProtocol(self.file, self.name, {**self.options, **changes}, self.text)

    def identity(self) -> Any:
        """Without where the file lies: it is what it says."""
        told = super().identity()
        del told["parameters"]["file"]
        return told

    def record(self) -> Any:
        return self.identity() | {"parameters": parameters(self)}

    def to_plain(self) -> Any:
        return {"cpp": self.file, "name": self.name} | ({"options": self.options} if self.options else {})


def cpp(file: str | Path, *, name: str, options: Mapping[str, Any] | None = None) -> CppProtocol:
    """The protocol that a C++ file, or a library built of one, registers by `name`.

        flood = cpp("flood.cc", name="flood-cc", options={"jitter": 0.05})
        mftpubsub.run(scenario.replace(protocol=flood))

    The file derives a class from `mesh::SimpleStation` or `mesh::Station` and calls
    `mesh::Register<Class>(NAME)`. It is compiled when a run needs it, once a process. `options` reach it as
    texts, `GetParameter`. A quoted header that lies beside the file is a part of it.

    Raises ConfigurationError if there is no such file, or for an option that the file does not name; a run
    raises it for one that does not compile, and for a library that has changed since the process loaded it.
    """
    return CppProtocol(str(file), name, options)


def _read(file: str) -> str:
    """What a source file says with its own headers; of a library a digest."""
    return _digest(file) if Path(file).suffix == ".so" else _whole(Path(file), Path(file).parent, set(), ())


def _whole(file: Path, folder: Path, met: set[Path], around: tuple[Path, ...]) -> str:
    """What a file says, with the headers beside it in place of their include lines.

    Compilers are told where lines stand, from `folder` on: it may lie anywhere. Headers that are `met` are
    included once; `around` are the files that include this one.
    """

    def own(include: re.Match[str]) -> str:
        if include[1] is None:
            return include[0]
        header = file.parent / include[1]
        if not header.is_file() or (package_file("include") / include[1]).is_file():
            return include[0]
        if header.resolve() in (*met, *around, file.resolve()):
            return ""
        following = text.count("\n", 0, include.end()) + 2
        inner = _whole(header, folder, met, (*around, file.resolve()))
        place, back = relpath(header, folder), relpath(file, folder)
        return f'#line 1 "{place}"\n{inner}\n#line {following} "{back}"'

    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"{file}: {getattr(error, 'strerror', None) or error}: no C++ file of a protocol"
        ) from None
    if _ONCE.match(text):
        met.add(file.resolve())
    return _INCLUDE.sub(own, text)


def _asked(text: str) -> list[str]:
    """The options that a file asks for, outside comments."""
    return re.findall(r'GetParameter\(\s*"([^"]+)"', re.sub(r"//.*|/\*[\s\S]*?\*/", "", text))


def _says(file: str, text: str, option: str) -> bool:
    """Whether a file names an option, or may do so as a library."""
    return Path(file).suffix == ".so" or f'"{option}"' in text


def _digest(file: str) -> str:
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError as error:
        raise ConfigurationError(f"{file}: {error.strerror}: no library of a protocol") from None
