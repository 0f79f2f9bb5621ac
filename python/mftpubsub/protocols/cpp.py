"""Protocols of users in C++, without building anything: a file that is compiled when a run needs it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mftpubsub.errors import ConfigurationError, no_such
from mftpubsub.protocols.own_protocol import OwnProtocol
from mftpubsub.simulator import own_code


class CppProtocol(OwnProtocol):
    """A protocol that a C++ file registers (`cpp` makes one)."""

    def __init__(
        self, file: str, name: str, options: Mapping[str, Any] | None = None, text: str | None = None
    ) -> None:
        """`text` is what the file says; by default it is read."""
        self.file = file
        self.name = name
        self.options = {key: str(value) for key, value in (options or {}).items()}
        self.text = _read(file) if text is None else text
        for option in self.options:
            if not _says(file, self.text, option):
                raise ConfigurationError(
                    f"{file}: it asks for {no_such('option', option, _asked(self.text))}"
                )

    def load(self) -> str:
        """Compiles it, once a process; gives its name in the simulator. Raises ConfigurationError."""
        if Path(self.file).suffix == ".so":
            if _digest(self.file) != self.text:
                raise ConfigurationError(f"{self.file} is another library than the one that was named")
            return own_code.loaded(str(Path(self.file).resolve()), self.name)
        return own_code.compiled(self.text, self.name, self.file)

    def parameter_names(self) -> list[str]:
        return [*dict.fromkeys([*self.options, *_asked(self.text)])]

    def varied(self, changes: Mapping[str, Any]) -> CppProtocol:
        return CppProtocol(self.file, self.name, {**self.options, **changes}, self.text)

    def to_plain(self) -> Any:
        return {"cpp": self.file, "name": self.name} | ({"options": self.options} if self.options else {})


def cpp(file: str | Path, *, name: str, options: Mapping[str, Any] | None = None) -> CppProtocol:
    """The protocol that a C++ file, or a library built of one, registers by `name`.

        flood = cpp("flood.cc", name="flood-cc", options={"jitter": 0.05})
        mftpubsub.run(scenario.replace(protocol=flood))

    The file derives a class from `mesh::SimpleStation` or `mesh::Station` and calls
    `mesh::Register<Class>(NAME)`. It is compiled when a run needs it, once a process. `options` reach it as
    texts, `GetParameter`. Raises ConfigurationError if there is no such file, or for an option that the file
    does not name; a run raises it for one that does not compile.
    """
    return CppProtocol(str(file), name, options)


def _read(file: str) -> str:
    """What a source file says; of a library a digest."""
    if Path(file).suffix == ".so":
        return _digest(file)
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"{file}: {getattr(error, 'strerror', None) or error}: no C++ file of a protocol"
        ) from None


def _asked(text: str) -> list[str]:
    """The options that a file asks for, outside comments."""
    return re.findall(r'GetParameter\(\s*"([^"]+)"', re.sub(r"//.*|/\*[\s\S]*?\*/", "", text))


def _says(file: str, text: str, option: str) -> bool:
    """Whether a file names an option, or may do so in a header of its own or as a library."""
    headers = re.findall(r'^#include "(.*)"$', text, re.MULTILINE)
    has_own = any((Path(file).parent / header).is_file() for header in headers)
    return has_own or Path(file).suffix == ".so" or f'"{option}"' in text


def _digest(file: str) -> str:
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError as error:
        raise ConfigurationError(f"{file}: {error.strerror}: no library of a protocol") from None
