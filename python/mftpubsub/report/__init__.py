"""DIR/report.md and DIR/report.html: the verdicts, the figures with their numbers, and what made them."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from mftpubsub import figures
from mftpubsub.report.document import Document, build

TEMPLATES = "templates"


def make(folder: Path) -> None:
    """Writes both reports if anything that they are made of is newer than they are.

    report.html needs no other file. Raises MftPubsubError if there are no tables.
    """
    paths = [folder / "report.md", folder / "report.html"]
    sources = [
        *(folder / "tables").glob("*.parquet"),
        *folder.glob("costs.parquet"),
        *(folder / "figures").glob("*.png"),
        *(folder / "studies").glob("*.yaml"),
        *(path for path in (folder / "ingest-report.json", folder / "reasons.yaml") if path.exists()),
    ]
    if all(figures.is_newer(path, *sources) for path in paths):
        return
    document = build(folder)
    for path in paths:
        partial = path.with_name(f".{path.name}.partial")
        partial.write_text(_render(document, f"{path.name}.j2"), encoding="utf-8")
        partial.replace(path)


def _render(document: Document, template: str) -> str:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("mftpubsub.report"),
        autoescape=template.endswith(".html.j2"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    folder = files("mftpubsub.report").joinpath(TEMPLATES)
    parts = {name: folder.joinpath(f"report.{name}").read_text(encoding="utf-8") for name in ("css", "js")}
    return environment.get_template(template).render(document=document, **parts)
