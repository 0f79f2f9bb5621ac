"""The report of a study: report.md with the pages behind it, and all of it in one page, report.html."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from mftpubsub.files import write_text
from mftpubsub.studies import claims, made
from mftpubsub.studies.report import charts, of_study, pages
from mftpubsub.studies.report.document import Document, build
from mftpubsub.studies.report.pages import Pages
from mftpubsub.studies.results import StudyResults
from mftpubsub.studies.source import Source

TEMPLATES = "templates"


def make(results: StudyResults, source: Source) -> Path:
    """Writes the pages and report.html unless they are of these tables and pictures.

    Returns report.html, which needs no other file. Raises MftPubsubError if there are no tables.
    """
    folder = results.folder
    page = folder / "report.html"
    sources = [
        *(path for path in folder.glob("tables/*.parquet") if path.stem != "claims"),  # made here
        *folder.glob("costs.parquet"),
        *(folder / "figures").glob("*.png"),
        *(folder / "studies").glob("*.yaml"),
        *folder.glob("ingest-report.json"),
    ]
    of = made.digest(*sources)
    written = [page, *(folder / name for name in pages.NAMES)]
    if made.are_made(folder, written, of):
        return page
    judged = claims.make(results, source) if source.concern(results.runs) else {}
    document = build(results, source, judged)
    found = of_study.build(results, source, document, judged)
    pages.write(folder, found)
    write_text(page, _render(document, found))
    made.record(folder, written, of)
    return page


def _render(document: Document, found: Pages) -> str:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("mftpubsub.studies.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    folder = files("mftpubsub.studies.report").joinpath(TEMPLATES)
    parts = {name: folder.joinpath(f"report.{name}").read_text(encoding="utf-8") for name in ("css", "js")}
    return environment.get_template("report.html.j2").render(
        document=document, pages=found, hatches=charts.hatches(), **parts
    )
