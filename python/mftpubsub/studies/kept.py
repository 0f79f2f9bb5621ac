"""What the studies say that a folder of results keeps: their files, as they were run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any

from mftpubsub.files import write_text
from mftpubsub.scenario.axes import named_values
from mftpubsub.scenario.reading import read_yaml
from mftpubsub.scenario.yaml_files import dump, parse


def files(folder: Path) -> list[Path]:
    """Where they are; first that of the folder's name."""
    name = folder.resolve().name
    return sorted(folder.glob("studies/*.yaml"), key=lambda path: (path.stem != name, path.stem))


def studies(folder: Path) -> list[Mapping[str, Any]]:
    """The files that the results in a folder come from, as they were run; first that of its name.

    Raises ConfigurationError for one that is no YAML.
    """
    return [read_yaml(path)[0] for path in files(folder)]


def orders(folder: Path) -> dict[str, list[str]]:
    """By key of the tables what its values are called there, in the order of the files."""
    found: dict[str, dict[str, None]] = {}
    for study in studies(folder):
        for key, names in _named(study):
            found.setdefault(key, {}).update(dict.fromkeys(map(str, names)))
    return {key: [*names] for key, names in found.items()}


def swept(folder: Path) -> list[str]:
    """The commands that made the runs, as the kept files say."""
    texts = (path.read_text(encoding="utf-8") for path in sorted(folder.glob("studies/*.yaml")))
    return [line for text in texts for line in _commands(text)]


def keep(config: Path, out: Path, command: str, name: str | None = None) -> None:
    """Keeps a study of wired worlds as `out`/studies/NAME.yaml, below the commands that have run it.

    NAME is that of `out`, where one file tells all runs; of hand-offs a folder may have runs of several.
    """
    target = out / "studies" / f"{name or out.resolve().name}.yaml"
    text = config.read_text(encoding="utf-8")
    if isinstance(parse(text, str(config)).get("base"), str):
        text = dump(read_yaml(config)[0])  # in another folder its base is not found
    before = _commands(target.read_text(encoding="utf-8")) if target.exists() else []
    lines = [f"# {line}" for line in dict.fromkeys([*before, command]) if f"# {line}" not in text]
    write_text(target, "\n".join([*lines, text]))


def _commands(text: str) -> list[str]:
    found = takewhile(lambda line: line.startswith("# mftpubsub "), text.splitlines())
    return [line.removeprefix("# ") for line in found]


def _named(study: Mapping[str, Any]) -> Iterator[tuple[str, Iterable[Any]]]:
    groups = study.get("groups") or {}
    yield "group", groups
    for key, plural in (("scheme", "schemes"), ("mobility", "mobility")):
        for group in groups.values():
            yield key, group[plural] if isinstance(group.get(plural), list) else ()
    yield "config", study.get("configurations") or ()
    for axis, values in (study.get("axes") or {}).items():
        yield axis, (name for name, _ in named_values(values))
