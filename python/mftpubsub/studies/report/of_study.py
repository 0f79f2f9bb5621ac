"""The pages of a study: what its document says, laid out for those who read Markdown."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from mftpubsub.labels import label
from mftpubsub.notes import tell
from mftpubsub.studies import claims, figures
from mftpubsub.studies.claims import Verdict
from mftpubsub.studies.report import overview, pages
from mftpubsub.studies.report.document import Document, Section
from mftpubsub.studies.report.pages import Pages
from mftpubsub.studies.results import StudyResults
from mftpubsub.studies.source import Source
from mftpubsub.trace.layout import axes_of

#: Sections of the document by the page that has them; cases.md has the rest.
_METHODS = ("networks", "numbers", "sensitivity")
_PROVENANCE = ("commands", "costs", "provenance", "missing")
_ELSEWHERE = (*_METHODS, *_PROVENANCE, "overview", "claims", "rivals")
CAPTION = "Delivery, delay and messages sent, by protocol"


def build(
    results: StudyResults, source: Source, document: Document, judged: Mapping[str, list[Verdict]]
) -> Pages:
    """The pages of a study whose document was built, with its verdicts by rival, if it has any."""
    question, added = overview.abouts(results.folder)
    _, table = overview.outcome(results.runs, results.name)
    by_name = {label(rival): verdicts for rival, verdicts in judged.items()}
    against = claims.against(results.runs)
    answer = [
        f"{against.capitalize()} {name}, of {len(of)} statements, {pages.tally(of)}."
        for name, of in by_name.items()
    ]
    drawn = _drawn(results, source, document)
    lacking = overview.lacking(results)
    return Pages(
        document.title,
        question,
        [*(answer if axes_of(results.runs) else answer[:1]), *overview.answer(results.runs), *lacking],
        f"figures/{figures.PANELS}.png" if figures.PANELS in drawn else "",
        CAPTION,
        table,
        by_name,
        _cited(results, source) if judged else "",
        _of((section for section in document.sections if section.anchor not in _ELSEWHERE), drawn),
        {
            "What was run": "\n\n".join([*added, *overview.runs(results.runs), *lacking]),
            **_of((section for section in document.sections if section.anchor in _METHODS), drawn),
            **({"Verdicts": pages.VERDICTS} if judged else {}),
        },
        _of((section for section in document.sections if section.anchor in _PROVENANCE), drawn),
        against=against,
    )


def _cited(results: StudyResults, source: Source) -> str:
    """What the letters stand for, and what limits the verdicts."""
    limits = (tell(results.runs, source) for tell in (claims.unequal, claims.where))
    return " ".join(filter(None, (source.cited, *limits)))


def _drawn(results: StudyResults, source: Source, document: Document) -> set[str]:
    """The pictures of the pages that are there, without their suffix; tells how many are not."""
    pictures = {picture.file for section in document.sections for picture in section.pictures}
    if figures.overview(source.plan(results.means)):
        pictures.add(figures.PANELS)
    drawn = {name for name in pictures if figures.files(results.folder, name)[0].exists()}
    if lacking := len(pictures - drawn):
        tell(
            f"report: {lacking} figures are not drawn, and the pages leave them out: "
            f"`mftpubsub figures {results.name}` draws them"
        )
    return drawn


def _of(sections: Iterable[Section], drawn: Container[str]) -> dict[str, str]:
    return {section.title: "\n\n".join(_blocks(section, drawn)) for section in sections}


def _blocks(section: Section, drawn: Container[str]) -> Iterable[str]:
    yield from section.texts
    shown = (picture for picture in section.pictures if picture.file in drawn)
    yield from (f"![{picture.title}](figures/{picture.file}.png)" for picture in shown)
    yield from (pages.with_command(table) for table in section.tables)
    if section.lines:
        yield "\n".join(f"- {line}" for line in section.lines)
