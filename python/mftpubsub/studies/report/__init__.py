"""DIR/report.md and DIR/report.html: the verdicts, the figures with their numbers, and what made them."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from mftpubsub.files import write_text
from mftpubsub.studies import made
from mftpubsub.studies.report import charts
from mftpubsub.studies.report.document import Document, build
from mftpubsub.studies.results import StudyResults
from mftpubsub.studies.source import Source

TEMPLATES = "templates"


def make(results: StudyResults, source: Source) -> Path:
    """Writes both reports unless they are of these tables and pictures.

    Returns report.html, which needs no other file. Raises MftPubsubError if there are no tables.
    """
    folder = results.folder
    paths = [folder / "report.md", folder / "report.html"]
    sources = [
        *(path for path in folder.glob("tables/*.parquet") if path.stem != "claims"),  # made here
        *folder.glob("costs.parquet"),
        *(folder / "figures").glob("*.png"),
        *(folder / "studies").glob("*.yaml"),
        *folder.glob("ingest-report.json"),
    ]
    of = made.digest(*sources)
    if made.are_made(folder, paths, of):
        return paths[-1]
    document = build(results, source)
    for path in paths:
        write_text(path, _render(document, f"{path.name}.j2"))
    made.record(folder, paths, of)
    return paths[-1]


def _render(document: Document, template: str) -> str:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("mftpubsub.studies.report"),
        autoescape=template.endswith(".html.j2"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    folder = files("mftpubsub.studies.report").joinpath(TEMPLATES)
    parts = {name: folder.joinpath(f"report.{name}").read_text(encoding="utf-8") for name in ("css", "js")}
    return environment.get_template(template).render(document=document, hatches=charts.hatches(), **parts)
