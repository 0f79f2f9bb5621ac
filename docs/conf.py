"""Sphinx's configuration; what pages take from the code where they say `<!-- include: NAME -->`; and the
pictures of the pages whose Python is run when they are read."""

from __future__ import annotations

import contextlib
import importlib
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl
import matplotlib.pyplot as plt
from pydantic import BaseModel
from pydantic_core import PydanticUndefined
from typer.cli import get_docs_for_click
from typer.main import get_command

import mftpubsub
from mftpubsub.cli import main
from mftpubsub.runs import run_tables
from mftpubsub.trace import sql

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).parents[1]

mpl.use("Agg")
project = "mftpubsub"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
html_theme = "furo"
html_title = "mftpubsub"
exclude_patterns = ["pictures"]
default_role = "code"  # docstrings have names in single backticks
myst_heading_anchors = 3
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True


#: Pages whose Python is run; the n-th figure that a page draws is pictures/PAGE-n.png.
RUN = (
    "tutorial",
    "how-to/break-and-move",
    "how-to/look-into-a-run",
    "how-to/laboratory",
    "how-to/study",
    "reference/scenarios",
)


def setup(app: Sphinx) -> None:
    app.connect("source-read", _read)
    app.connect("autodoc-process-docstring", _mark_code)


def _read(app: Sphinx, page: str, source: list[str]) -> None:
    if page in RUN:
        _run(page, source[0])
    source[0] = re.sub(r"<!-- include: (\S+) ?(.*?) -->", lambda m: PARTS[m[1]](m[2]), source[0])


def _run(page: str, text: str) -> None:
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE))
    with contextlib.chdir(ROOT), contextlib.redirect_stdout(io.StringIO()):
        exec(compile(code, page, "exec"), {"__name__": "__main__"})
    pictures = ROOT / "docs" / "pictures"
    pictures.mkdir(exist_ok=True)
    for number in plt.get_fignums():
        plt.figure(number).savefig(pictures / f"{Path(page).name}-{number}.png", dpi=110)
    plt.close("all")


def _mark_code(app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]) -> None:
    """An indented paragraph of a docstring is code."""
    for index in reversed(range(1, len(lines))):
        is_block = lines[index].startswith("    ") and not lines[index - 1].strip()
        if is_block and not lines[index - 2 : index - 1][0].startswith((" ", "-")):
            lines[index:index] = ["::", ""]


def _transcripts(pattern: str) -> str:
    """Each transcript of tests/golden below its name; its first comment says what it shows."""
    sections = []
    for path in sorted((ROOT / "tests" / "golden").glob(pattern)):
        head, _, body = path.read_text(encoding="utf-8").partition("\n\n")
        said = " ".join(line.lstrip("# ") for line in head.splitlines())
        sections.append(f"### `{path.stem}`\n\n{said}\n\n```text\n{body.strip()}\n```\n")
    return "\n".join(sections)


def _parts(module: str) -> str:
    """The public parts of scenarios that a module of mftpubsub defines: what each is, and its keys."""
    found = vars(importlib.import_module(f"mftpubsub.{module}"))
    classes = [found[name] for name in found if name in mftpubsub.__all__ and isinstance(found[name], type)]
    own = [part for part in classes if part.__module__ == f"mftpubsub.{module}"]
    return "\n\n".join(_model(part) for part in own if issubclass(part, BaseModel))


def _model(model: type[BaseModel]) -> str:
    about = (model.__doc__ or "").partition("\n\n")[0]
    lines = [f"### {model.__name__}", "", about.splitlines()[0], ""]
    if model.model_fields:
        lines += ["| key | default | meaning |", "|---|---|---|"]
    for key, field in model.model_fields.items():
        has_short = not isinstance(field.default, BaseModel) and field.default is not PydanticUndefined
        default = f"`{field.default!r}`" if has_short else ""
        lines.append(f"| `{key}` | {_cell(default)} | {_cell(field.description or '')} |")
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _command_line(_: str) -> str:
    command = get_command(main.app)
    context = command.make_context("mftpubsub", [], resilient_parsing=True)
    text = get_docs_for_click(obj=command, ctx=context, name="mftpubsub").partition("\n")[2]
    return text.replace("[*]", "[\\*]")


PARTS: dict[str, Callable[[str], str]] = {
    "command-line": _command_line,
    "parts": _parts,
    "sql": lambda name: f"```sql\n{sql.query(name)}```",
    "tables": lambda _: run_tables.markdown(),
    "transcripts": _transcripts,
}
