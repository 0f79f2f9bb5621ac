"""The pages of a report, the same for every source: the answer first, what it rests on behind it.

report.md has the question, the answer, a picture, a table and a matrix of verdicts; each of its symbols leads
to claims.md. Then come cases.md, methods.md and provenance.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from mftpubsub.files import write_text
from mftpubsub.labels import number
from mftpubsub.studies.claims import KINDS, Verdict
from mftpubsub.studies.evidence import NO_VARIANCE, UNTESTED, Finding
from mftpubsub.studies.numbers import WIDEST, Table

#: Of the verdicts, in the order of KINDS.
SYMBOLS = dict(zip(KINDS, ("●", "◐", "○", "◌", "✕"), strict=True))
#: Of the pages that every report has.
NAMES = ("report.md", "cases.md", "methods.md", "provenance.md")

VERDICTS = (
    "Effects are paired seed by seed where the tables keep seeds. A part holds if its 95 % confidence "
    "interval lies wholly in the claimed region, is opposite if wholly beyond the point of no effect, does "
    "not hold if wholly outside the region, else it is open. A statement is confirmed if all of its parts "
    "hold, and opposite if all are, with a p value of all parts below 0.05 after correction for the number "
    "of statements (Holm). Of two or more parts it is partly confirmed if the p value of the surest one that "
    "holds is below 0.05 after correction for their number. Else it is not confirmed if a part does not "
    "hold, and cannot be decided if none fails. What is exact needs no test. What is the same in every run "
    "has none: it does not hold outside the claimed region, and else tells nothing. A part whose seeds all "
    "get worse by as much improves no verdict."
)


@dataclass(frozen=True)
class Pages:
    """What the pages say. `judged` has the verdicts by what they are against, the usual first.

    Sections are Markdown by their heading.
    """

    title: str
    question: str
    answer: Sequence[str]
    picture: str
    """File below the folder, and what it shows."""
    caption: str
    table: Table
    judged: Mapping[str, Sequence[Verdict]] = field(default_factory=dict)
    cited: str = ""
    cases: Mapping[str, str] = field(default_factory=dict)
    methods: Mapping[str, str] = field(default_factory=dict)
    provenance: Mapping[str, str] = field(default_factory=dict)
    judging: str = VERDICTS
    """What the verdicts rest on."""
    against: str = "against"
    """What stands before the names of `judged` in a sentence."""


def write(folder: Path, pages: Pages) -> None:
    """Writes the pages into a folder; takes those away that a report of other things left there."""
    (folder / "claims.md").unlink(missing_ok=True)
    for name, text in texts(pages).items():
        write_text(folder / name, text)


def write_own(
    folder: Path, title: str, intro: str, sections: Mapping[str, str], provenance: Mapping[str, str]
) -> None:
    """Writes the pages of a study of one's own, which no source speaks of: report.md and provenance.md.

    Takes those away that a report of other things left there.
    """
    for name in ("claims.md", "cases.md", "methods.md"):
        (folder / name).unlink(missing_ok=True)
    report = _page(title, {**sections, "Further": "[Provenance](provenance.md)."})
    write_text(folder / "report.md", report.replace(f"# {title}", f"# {title}\n\n{intro}", 1) + "\n")
    write_text(folder / "provenance.md", _page(f"{title}: provenance", provenance) + "\n")


def picture(caption: str, file: Path) -> str:
    """A picture in DIR/figures, whose name may have spaces."""
    return f"![{caption}](figures/{quote(file.name)})\n\n"


def commands(lines: Sequence[str]) -> str:
    """A list of commands."""
    return "\n".join(f"- `{line}`" for line in lines)


def texts(pages: Pages) -> dict[str, str]:
    """The pages by the names of their files; without statements there is no claims.md."""
    made = {"report.md": "\n\n".join(_report(pages))}
    if pages.judged:
        made["claims.md"] = "\n\n".join(_claims(pages))
    for name in ("cases", "methods", "provenance"):
        made[f"{name}.md"] = _page(f"{pages.title}: {name}", getattr(pages, name))
    return {name: f"{text.rstrip()}\n" for name, text in made.items()}


def _page(title: str, sections: Mapping[str, str]) -> str:
    return "\n\n".join([f"# {title}", *(f"## {name}\n\n{text}" for name, text in sections.items())])


def _report(pages: Pages) -> Iterator[str]:
    yield f"# {pages.title}"
    yield from filter(None, (pages.question, " ".join(pages.answer)))
    if pages.picture:
        yield f"![{pages.caption}]({pages.picture})"
    yield with_command(pages.table)
    others = ["[methods](methods.md)", "[every case](cases.md)", "[provenance](provenance.md)"]
    if pages.judged:
        yield f"## Verdicts\n\n{legend()}{f' {pages.cited}' if pages.cited else ''}"
        yield matrix(pages.judged).markdown()
        others.insert(0, "[each statement with its parts](claims.md)")
    yield f"Further: {', '.join(others)}."


def with_command(table: Table) -> str:
    """A table and, below it, the command that prints it, if one does. What has wide cells is a list."""
    is_wide = any(len(cell) > WIDEST for row in table.rows for cell in row)
    shown = _listed(table) if is_wide else table.markdown()
    return "\n\n".join(filter(None, (shown, table.command and f"`{table.command}`")))


def _listed(table: Table) -> str:
    """A row an item, named by its first cell."""
    return "\n".join(f"- {row[0]}: {'; '.join(row[1:])}".replace("<br>", "; ") for row in table.rows)


def legend() -> str:
    """What the symbols of the matrix say."""
    return f"{', '.join(f'{symbol} {kind}' for kind, symbol in SYMBOLS.items())}; each leads to its parts."


def matrix(judged: Mapping[str, Sequence[Verdict]]) -> Table:
    """A row a statement; a column for each that it is judged against, and for the strict delivery rate."""
    has_strict = any(verdict.strict for verdicts in judged.values() for verdict in verdicts)
    rows = []
    for of_one in zip(*judged.values(), strict=True):
        claim, strict = of_one[0].claim, of_one[0].strict
        cells = [_symbol(verdict) for verdict in of_one]
        if has_strict:
            cells.append(_symbol(strict) if strict else "")
        rows.append([short(claim.says), claim.source, *cells])
    heading = ["statement", "source", *(judged if len(judged) > 1 else ["verdict"])]
    return Table([*heading, *(["strict rate"] if has_strict else [])], rows)


def _symbol(verdict: Verdict) -> str:
    return f"[{SYMBOLS[verdict.verdict]}](claims.md#{anchor(verdict)})"


def anchor(verdict: Verdict) -> str:
    """Of the section of a statement, as Markdown's readers name it."""
    return verdict.claim.id.lower()


def _claims(pages: Pages) -> Iterator[str]:
    yield f"# {pages.title}: statements"
    yield f"{pages.cited} {pages.judging}".strip()
    first = next(iter(pages.judged))
    for place, verdict in enumerate(pages.judged[first]):
        yield f"## {verdict.claim.id}"
        yield f"{verdict.claim.says} ({verdict.claim.source})"
        against = f" {pages.against} {first}" if len(pages.judged) > 1 else ""
        yield f"**{verdict.text}**{against}. {verdict.reason}".rstrip()
        if verdict.findings:
            yield parts(verdict.findings).markdown()
        others = {name: verdicts[place] for name, verdicts in pages.judged.items() if name != first}
        told = [
            f"{pages.against} {name}: {other.text}"
            for name, other in others.items()
            if _differ(other, verdict)
        ]
        if told:
            yield f"{'; '.join(told)}."
        if verdict.strict:
            yield f"By the strict rate: **{verdict.strict.text}**."
            yield parts(verdict.strict.findings).markdown()


def _differ(one: Verdict, other: Verdict) -> bool:
    return [finding.text for finding in one.findings] != [finding.text for finding in other.findings]


def parts(findings: Sequence[Finding]) -> Table:
    """Each part: what is claimed, the effect, its interval, the number of seeds, the outcome."""
    rows = [_part(finding) for finding in findings]
    return Table(["part", "claimed", "effect", "95 % interval", "seeds", "outcome"], rows)


def _part(finding: Finding) -> list[str]:
    about = [finding.part.name, f"{finding.part.claimed()} {finding.part.unit}".rstrip()]
    if finding.is_exact:
        return [*about, number(finding.effect), "exact", "-", finding.outcome]
    seeds = str(finding.n)
    if finding.outcome in UNTESTED or finding.is_constant:
        effect = number(finding.effect) if finding.effect == finding.effect else "-"
        interval = "-" if finding.outcome in UNTESTED else NO_VARIANCE
        return [*about, effect, interval, seeds, finding.outcome]
    measured = finding.measured.removesuffix(f" ({seeds})").removesuffix(f" {finding.part.unit}")
    effect, _, ends = measured.partition(" [")
    return [*about, effect, f"[{ends}", seeds, finding.outcome]


def short(text: str) -> str:
    """What fits into a cell."""
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 1].rstrip()}…"


def tally(verdicts: Sequence[Verdict]) -> str:
    """`3 confirmed, 1 opposite`."""
    counts = {kind: sum(verdict.verdict == kind for verdict in verdicts) for kind in KINDS}
    return ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
