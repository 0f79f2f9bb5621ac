"""Writes the pages that take something from the code; they are in the repository, to be read there.

Each page of templates/ becomes a page of the same name, in which `<!-- include: PART ... -->` is that part.
Other pages have blocks: what stands between `<!-- made: PART ... -->` and `<!-- end -->` is that part.

    python docs/pages.py
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from math import isinf
from pathlib import Path
from typing import cast

import typer
from api import reference
from pydantic import BaseModel
from pydantic_core import PydanticUndefined
from typer.cli import get_docs_for_click
from typer.main import get_command

import mftpubsub
from mftpubsub.cli import main
from mftpubsub.lab.commands import references
from mftpubsub.metrics.table import OF_RUNS, OF_STUDIES, Metric, query
from mftpubsub.pipeline.ns3 import tables as ns3_tables
from mftpubsub.protocols.catalogue import FAMILIES
from mftpubsub.runs import run_tables

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
TEMPLATES = DOCS / "templates"


def pages() -> dict[Path, str]:
    """What each page is to be."""
    templates = sorted(TEMPLATES.rglob("*.md"))
    filled = {DOCS / path.relative_to(TEMPLATES): _filled(path) for path in templates}
    others = {path for path in [ROOT / "README.md", *DOCS.rglob("*.md")] if TEMPLATES not in path.parents}
    renewed = {path: _renewed(path.read_text(encoding="utf-8")) for path in sorted(others - filled.keys())}
    return filled | {path: text for path, text in renewed.items() if _BLOCK.search(text)}


#: What introduces a block, its part, what the part is given, and the block.
_BLOCK = re.compile(r"(<!-- made: (\S+) ?(.*?) -->\n).*?(?=<!-- end -->)", re.DOTALL)


def _renewed(text: str) -> str:
    return _BLOCK.sub(lambda found: f"{found[1]}{PARTS[found[2]](found[3])}\n", text)


def _filled(template: Path) -> str:
    text = template.read_text(encoding="utf-8")
    filled = re.sub(r"<!-- include: (\S+) ?(.*?) -->", lambda found: PARTS[found[1]](found[2]), text)
    name = template.relative_to(DOCS)
    return (
        f"<!-- made from {name} by docs/pages.py -->\n\n" + re.sub(r"\n{3,}", "\n\n", filled).strip() + "\n"
    )


def _transcripts(pattern: str) -> str:
    """Each transcript of tests/golden below its name; its first comment says what it shows."""
    sections = []
    for path in sorted((ROOT / "tests" / "golden").glob(pattern)):
        head, _, body = path.read_text(encoding="utf-8").partition("\n\n")
        said = " ".join(line.lstrip("# ") for line in head.splitlines())
        sections.append(f"### `{path.stem}`\n\n{said}\n\n```text\n{body.strip()}\n```\n")
    return "\n".join(sections)


def _parts(module: str) -> str:
    """The public parts of scenarios and sites that a module defines: what each is, and its keys."""
    found = vars(importlib.import_module(f"mftpubsub.{module}"))
    shown = {*mftpubsub.__all__, "UdpMulticast", "Site", "SiteNode"}
    classes = [found[name] for name in found if name in shown and isinstance(found[name], type)]
    own = [part for part in classes if part.__module__ == f"mftpubsub.{module}"]
    return "\n\n".join(_model(part) for part in own if issubclass(part, BaseModel))


def _model(model: type[BaseModel]) -> str:
    lines = [f"### {model.__name__}", "", *_prose(model)]
    if model.model_fields:
        lines += ["| key | default | meaning |", "|---|---|---|"]
    for key, field in model.model_fields.items():
        has_short = not isinstance(field.default, BaseModel) and field.default is not PydanticUndefined
        default = f"`{field.default!r}`" if has_short else ""
        lines.append(f"| `{key}` | {_cell(default)} | {_cell(field.description or '')} |")
    return "\n".join(lines)


def _prose(model: type[BaseModel]) -> Iterator[str]:
    """The paragraphs of a part's docstring, without examples and what follows on its keys."""
    for paragraph in re.split(r"\n{2,}", inspect.getdoc(model) or ""):
        first = paragraph.partition("\n")[0]
        if first.partition(":")[0] in model.model_fields:
            return
        if not paragraph.startswith(" "):
            yield from (paragraph, "")


def _families(_: str) -> str:
    """A row for each family of protocols."""
    lines = ["| family | what its protocols have in common | protocols |", "|---|---|---|"]
    for family in FAMILIES:
        names = ", ".join(f"`{row.name}`" for row in family.protocols)
        lines.append(f"| {family.name} | {family.about} | {names} |")
    return "\n".join(lines)


def _metrics(of: str) -> str:
    """A row for each metric of runs, or of studies."""
    lines = ["| name | unit | meaning | range |", "|---|---|---|---|"]
    for metric in {"runs": OF_RUNS, "studies": OF_STUDIES}[of]:
        unit = f" {metric.unit} " if metric.unit else " "
        lines.append(f"| `{metric.name}` |{unit}| {_cell(metric.meaning)} |{_range(metric)}|")
    return "\n".join(lines)


def _range(metric: Metric) -> str:
    if metric.values is None:
        return " "
    low, high = metric.values
    return f" ≥ {low:g} " if isinf(high) else f" {low:g} to {high:g} "


def _protocols(families: str) -> str:
    """A row for each protocol of some families."""
    rows = [row for family in FAMILIES if family.name in families.split() for row in family.protocols]
    has_short = all(row.short for row in rows)
    lines = [
        f"| name |{' short |' if has_short else ''} source | what it is |",
        f"|---|{'---|' if has_short else ''}---|---|",
    ]
    for row in rows:
        short = f" {row.short} |" if has_short else ""
        lines.append(f"| `{row.name}` |{short} {row.source} | {_cell(row.about)} |")
    return "\n".join(lines)


def _commands(name: str) -> str:
    """The protocols of a laboratory's family, and a row for each option and command."""
    family = next(one for one in references() if one.name == name)
    rows = [
        f"`PROTOCOL` is {', '.join(f'`{protocol}`' for protocol in family.protocols)}.",
        "",
        "| option | what it is |",
        "|---|---|",
        *(f"| `{row.usage}` | {_cell(row.about)} |" for row in family.setup),
        "",
        "| command | what it does |",
        "|---|---|",
        *(f"| `{row.usage}` | {_cell(row.about)} |" for row in family.commands),
    ]
    return "\n".join(rows)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _command_line(_: str) -> str:
    command = get_command(main.app)
    context = command.make_context("mftpubsub", [], resilient_parsing=True)
    text = get_docs_for_click(obj=command, ctx=cast(typer.Context, context), name="mftpubsub").partition(
        "\n"
    )[2]
    return text.replace("[*]", "[\\*]")


PARTS: dict[str, Callable[[str], str]] = {
    "api": reference,
    "command-line": _command_line,
    "commands": _commands,
    "families": _families,
    "metrics": _metrics,
    "ns3_tables": lambda _: ns3_tables.markdown(),
    "parts": _parts,
    "protocols": _protocols,
    "sql": lambda name: f"```sql\n{query(name)}```",
    "tables": lambda _: run_tables.markdown(),
    "transcripts": _transcripts,
}


if __name__ == "__main__":
    for page, text in pages().items():
        # Whoever reads a page meanwhile finds it whole, if it is as it should be.
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")
