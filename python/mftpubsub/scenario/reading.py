"""Scenarios and studies as YAML files, which may be based on others."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mftpubsub.errors import ConfigurationError
from mftpubsub.files import as_path
from mftpubsub.scenario import yaml_files
from mftpubsub.scenario.arrivals import Recorded
from mftpubsub.scenario.common import Common, unused_parts
from mftpubsub.scenario.mobility import MovementFile
from mftpubsub.scenario.part import (
    Model,
    as_list,
    merged,
    plain,
)


def to_yaml(model: Model) -> str:
    """`model` as a scenario file."""
    return yaml_files.dump(plain(model))


def read_yaml(source: str | Path) -> tuple[dict[str, Any], str, Path]:
    """A YAML mapping, what to call it, and the folder that paths in it start from.

    `source` is a path, or a text of several lines. Keys, and keys of parts, that it does not give come from
    the file that its key `base` names, if any. Raises ConfigurationError if there is none.
    """
    if isinstance(source, str) and "\n" in source:
        return _with_base(yaml_files.parse(source, "YAML"), "YAML", Path(), ()), "YAML", Path()
    path = as_path(source, "a scenario file", "configs/thesis.yaml")
    return _read(path), str(source), path.parent


def refuse_study(content: Mapping[str, Any], where: str) -> None:
    """Raises ConfigurationError for keys of a study where those of a scenario are to be."""
    if "area" not in content and "configurations" in content:
        raise ConfigurationError(
            f"{where}: a study, which `mftpubsub.load` reads; `case(protocol=..., config=..., speed=..., "
            "seed=...)` of what it gives is one scenario"
        )


def _read(path: Path, derived: tuple[Path, ...] = ()) -> dict[str, Any]:
    """The keys of a scenario file; `derived` are the files whose `base` led to this one."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        by = f"{derived[-1]}: base: " if derived else ""
        raise ConfigurationError(f"{by}{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path}: not a text file: {error}") from error
    if path.resolve() in derived:
        raise ConfigurationError(f"{derived[-1]}: base: {path} leads back to this file")
    content = yaml_files.parse(text, str(path))
    return _with_base(content, str(path), path.parent, (*derived, path.resolve()))


def _with_base(
    content: dict[str, Any], where: str, folder: Path, derived: tuple[Path, ...]
) -> dict[str, Any]:
    if "series" in content:
        return content  # whose `base` is no file
    base = content.pop("base", None)
    if base is None:
        return content
    if not isinstance(base, str):
        raise ConfigurationError(f"{where}: base: must be the name of a scenario file (given: {base!r})")
    file = folder / base
    inherited = _at_home(_read(file, derived), file.parent)
    if "protocols" in content:
        inherited.pop("about", None)  # it asks of other protocols
    found = merged(Common, inherited, content)
    unused = _unused_of(found) - {*content}
    return {name: value for name, value in found.items() if name not in unused}


#: Models of parts that name a file.
_WITH_FILE = tuple(model.model_fields["model"].default for model in (MovementFile, Recorded))


def _at_home(content: Any, folder: Path) -> Any:
    """`content` of a file in `folder` with the paths in it as another file can say them."""
    if isinstance(content, list):
        return [_at_home(item, folder) for item in content]
    if not isinstance(content, Mapping):
        return content
    found = {name: _at_home(value, folder) for name, value in content.items()}
    if found.get("model") in _WITH_FILE and isinstance(path := found.get("path"), str):
        found["path"] = str((folder / path).absolute())
    return found


def _unused_of(content: Mapping[str, Any]) -> set[str]:
    """Parts on which no run of a scenario file depends, as far as the names of its protocols tell."""
    protocols = content.get("protocols", content.get("protocol"))
    names = as_list(protocols) if protocols else []
    parts = [set(unused_parts(name)) for name in names if isinstance(name, str)]
    return set.intersection(*parts) if parts else set()
