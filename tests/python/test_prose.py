"""Numbers in prose: what a page says of published results is what their tables say.

`prose.yaml` ties each number to a cell: a sentence or row of a page with `{}` where numbers are, and what of
a table each of them is, in order. A section that names a folder of `results/` must have no other number, but
for those that a page gives itself (`given`: settings, definitions, names), so that none stands there untied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from mftpubsub.cli.main import app
from mftpubsub.sources.cugola import report as overlay_report
from mftpubsub.sources.cugola import tables as overlay_tables
from mftpubsub.sources.cugola.source import CUGOLA
from mftpubsub.sources.gaddah import claims as handoff_claims
from mftpubsub.sources.gaddah import report as handoff_report
from mftpubsub.sources.gaddah import study
from mftpubsub.sources.gaddah.source import GADDAH
from mftpubsub.sources.thesis.source import THESIS
from mftpubsub.statistics import half_width
from mftpubsub.studies import claims
from mftpubsub.studies.evidence import NO_RUNS
from mftpubsub.studies.numbers import WIDEST
from mftpubsub.studies.report import pages
from mftpubsub.studies.results import StudyResults

ROOT = Path(__file__).parents[2]
PAGES: dict[str, dict[str, Any]] = yaml.safe_load((ROOT / "tests/python/prose.yaml").read_text("utf-8"))
#: Pages that may speak of results; those that are generated are tested by what generates them.
ALL = [
    *(ROOT / name for name in ("README.md", "results/interest/README.md", "results/radios/README.md")),
    *(path for path in sorted((ROOT / "docs").rglob("*.md")) if "reference" not in path.parts),
]
NUMBER = r"\d[\d ]*\d(?:\.\d+)?|\d+(?:\.\d+)?"
STATS = {
    "mean": lambda column: column.mean(),
    "max": lambda column: column.max(),
    "min": lambda column: column.min(),
    "sum": lambda column: column.sum(),
    "n": lambda column: column.count(),
    "half": lambda column: half_width(column.std(), column.count()),
    "above0": lambda column: (column > 0).sum(),
}


@cache
def table(of: str) -> pd.DataFrame:
    """A study's runs, a table, or the first table of a page."""
    path = ROOT / of
    if path.parent.name == "tables":
        read = pd.read_csv if path.suffix == ".csv" else pd.read_parquet
        return read(path).rename(columns={"metric": "quantity"})  # `metric` is the column of numbers
    if path.suffix == ".md":
        lines = [line for line in path.read_text("utf-8").splitlines() if line.startswith("|")]
        first, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
        return pd.DataFrame(rows, columns=first).astype({"value": float})
    return pd.read_parquet(path) if path.suffix == ".parquet" else StudyResults(path).runs


@cache
def texts(of: str, key: str) -> pd.Series[str]:
    """What a table's column says, number or not."""
    column = table(of)[key]
    return column.map("{:g}".format) if column.dtype.kind in "if" else column.astype(str)


def value_of(of: str, asked: str | Mapping[str, Any], where: Mapping[str, Any]) -> float:
    """`metric stat key=value ... times=100`, or the same as a mapping, of rows with these keys and `where`.

    With `over` it is divided by the same of another protocol, with `per` by what `per` says of table `in`.
    """
    options = {**asked} if isinstance(asked, Mapping) else _parsed(asked)
    if whole := options.pop("per", None):
        places = {key: value for key, value in options.items() if key in ("protocol", "config", "speed_mps")}
        also = {key: value for key, value in where.items() if key in ("protocol", "config", "speed_mps")}
        table_of_whole = options.pop("in")
        return value_of(of, options, where) / value_of(table_of_whole, whole, {**also, **places})
    metric, stat, times = options.pop("metric", "value"), options.pop("stat"), float(options.pop("times", 1))
    if other := options.pop("over", None):
        both = (
            {"metric": metric, "stat": stat, **options, "protocol": p} for p in (options["protocol"], other)
        )
        one, whole = (value_of(of, each, where) for each in both)
        return one / whole
    rows = table(of)
    for key, wanted in {**where, **options}.items():
        values = [str(one) for one in (wanted if isinstance(wanted, list) else [wanted])]
        rows = rows[texts(of, key)[rows.index].isin(values)]
    assert len(rows), f"{of} has no row for {asked} where {dict(where)}"
    return times * float(STATS[stat](rows[metric]))


def _parsed(asked: str) -> dict[str, Any]:
    metric, stat, *rest = asked.split()
    return {"metric": metric, "stat": stat, **dict(part.split("=") for part in rest)}


def sayings(entry: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """What a page says, with `{}` where its numbers are, for each of `for`; and the keys that it is about."""
    for shown in product(*entry.get("for", {}).values()):
        names = dict(zip(entry.get("for", {}), shown, strict=True))
        says = entry["says"]
        for key, name in names.items():
            says = says.replace(f"{{{key}}}", name)
        yield says, {key: entry["for"][key][name] for key, name in names.items()}


def numbers_of(entry: Mapping[str, Any], keys: Mapping[str, Any]) -> list[float]:
    """Those that stand for the `{}` of what is said about `keys`, of each of `by`."""
    by = entry.get("by", {})
    return [
        value_of(
            entry["of"],
            asked,
            {**entry.get("where", {}), **keys, **dict(zip(by, places, strict=True))},
        )
        for places in product(*by.values())
        for asked in entry["values"]
    ]


def pattern(says: str) -> re.Pattern[str]:
    """Of a text with `{}` for numbers, whose lines may be broken anywhere."""
    parts = (r"\s+".join(map(re.escape, part.split(" "))) for part in says.split("{}"))
    return re.compile(rf"({NUMBER})".join(parts))


def told(number: float, like: str) -> str:
    """A number with as many digits as the page has."""
    decimals = len(like.partition(".")[2])
    return f"{number:.{decimals}f}"


ENTRIES = [(page, entry) for page, content in PAGES.items() for entry in content.get("ties", ())]


@pytest.mark.slow
@pytest.mark.parametrize(("page", "entry"), ENTRIES, ids=[f"{p}: {e['says'][:40]}" for p, e in ENTRIES])
def test_a_number_is_that_of_its_table(page: str, entry: Mapping[str, Any]) -> None:
    text = (ROOT / page).read_text("utf-8")
    for says, keys in sayings(entry):
        found = pattern(says).findall(text)
        assert len(found) == 1, f"{page} says this {len(found)} times, not once: {says}"
        given = [found[0]] if isinstance(found[0], str) else [*found[0]]
        assert [one.replace(" ", "") for one in given] == [
            told(number, one) for number, one in zip(numbers_of(entry, keys), given, strict=True)
        ], says


def sections(text: str) -> list[str]:
    """Parts of a page, each from a heading, or a paragraph that begins in bold, to the next."""
    without_code = re.sub(r"^(```|~~~).*?^\1", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.split(r"^(?=#|\*\*)", without_code, flags=re.MULTILINE)


def untied(text: str, page: Mapping[str, Any]) -> list[str]:
    """The numbers of a section that nothing accounts for, each with what stands around it."""
    for entry in page.get("ties", ()):
        for says, _ in sayings(entry):
            text = pattern(says).sub(" ", text)
    for given in page.get("given", ()):
        text = re.sub(given, " ", text)
    text = re.sub(r"`[^`]*`|\]\([^)]*\)", " ", text)  # commands, names, links
    return [
        text[max(0, one.start() - 40) : one.end() + 20]
        for one in re.finditer(rf"(?<![\w.-])(?:{NUMBER})(?!\w)", text)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("path", ALL, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_where_results_are_named_no_number_is_untied(path: Path) -> None:
    page = PAGES.get(path.relative_to(ROOT).as_posix(), {})
    about = [one for one in sections(path.read_text("utf-8")) if re.search(r"results/(\w+)", one)]
    assert [one for section in about for one in untied(section, page)] == []


def test_nothing_is_given_that_no_page_says() -> None:
    for page, content in PAGES.items():
        text = (ROOT / page).read_text("utf-8")
        assert [given for given in content.get("given", ()) if not re.search(given, text)] == [], page


def commands() -> Iterator[tuple[Path, str, str]]:
    """Of every page the commands that stand before the table that they print."""
    for path in ALL:
        for found in re.finditer(
            r"^`(mftpubsub table [^`]+)`:\n\n((?:\|.*\n)+)", path.read_text("utf-8"), re.M
        ):
            yield path, found[1], found[2]


@pytest.mark.parametrize(("path", "command", "rows"), [*commands()])
def test_a_table_is_what_its_command_prints(
    path: Path, command: str, rows: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from shlex import split

    from typer.testing import CliRunner

    monkeypatch.chdir(ROOT)
    printed = CliRunner().invoke(app, split(command)[1:]).stdout
    assert [line for line in printed.splitlines() if line.startswith("|")] == rows.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["thesis", "responsive"])
def test_published_verdicts_are_those_of_the_published_runs(name: str) -> None:
    folder = ROOT / "results" / name
    verdicts = claims.judge(StudyResults(folder).runs, THESIS)
    made = claims.to_table(verdicts)
    published = pd.read_parquet(folder / "tables" / "claims.parquet")
    pd.testing.assert_frame_equal(made, published, check_dtype=False)
    report, behind = ((folder / page).read_text("utf-8") for page in ("report.md", "claims.md"))
    for verdict in verdicts:
        assert f"| {pages.short(verdict.claim.says)} |" in report
        assert f"## {verdict.claim.id}\n\n{verdict.claim.says} (" in behind
        assert f"**{verdict.text}** against" in behind


def was_run(verdict: claims.Verdict) -> bool:
    """Whether there are runs of what a statement speaks of."""
    return any(finding.outcome != NO_RUNS for finding in verdict.findings)


@pytest.mark.slow
def test_the_matrix_of_radios_is_that_of_their_runs() -> None:
    page = (ROOT / "results/radios/README.md").read_text("utf-8")
    judged = claims.at_each(StudyResults(ROOT / "results/radios").runs, THESIS)
    assert f"| statement | {' | '.join(judged)} |" in page
    for of_one in zip(*judged.values(), strict=True):
        marks = " | ".join(pages.SYMBOLS[each.verdict] if was_run(each) else " " for each in of_one)
        assert f"| {of_one[0].claim.says} | {marks} |" in page


@pytest.mark.slow
def test_the_published_report_of_cugola_is_that_of_its_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    folder = Path("results/cugola")
    tables = overlay_tables.Tables(folder)
    verdicts = claims.hold_against(tables, CUGOLA)
    published = pd.read_parquet(folder / "tables" / "claims.parquet")
    pd.testing.assert_frame_equal(claims.to_table(verdicts), published, check_dtype=False)
    made = overlay_report.of_evaluation(folder, Path("configs/cugola.yaml"), tables, verdicts)
    for name, text in pages.texts(made).items():
        assert text == (folder / name).read_text("utf-8")


def test_the_published_report_of_gaddah_is_that_of_its_tables() -> None:
    folder = ROOT / "results" / "gaddah"
    cells = study.cells(folder)
    verdicts = claims.hold_against(handoff_claims.Cells(cells), GADDAH)
    made = pages.texts(handoff_report.of_cells(folder, cells, verdicts))
    for name, text in made.items():
        assert text == (folder / name).read_text("utf-8")


@pytest.mark.parametrize("name", ["thesis", "responsive", "mesh", "interest", "cugola", "gaddah"])
def test_published_reports_are_short_and_have_no_wide_cells(name: str) -> None:
    folder = ROOT / "results" / name
    texts = {path.name: path.read_text("utf-8") for path in folder.glob("*.md") if path.name != "README.md"}
    assert {*pages.NAMES} <= {*texts}
    assert texts["report.md"].count("\n") <= 200
    rows = [line for text in texts.values() for line in text.splitlines() if line.startswith("| ")]
    assert max(len(cell) for row in rows for cell in row.split(" | ")) <= WIDEST


@pytest.mark.parametrize(
    ("text", "says", "numbers"),
    [("it takes 1 927 s\nof all", "takes {} s of all", ["1 927"]), ("a 1.5, 2", "a {}, {}", [("1.5", "2")])],
)
def test_a_text_is_found_however_its_lines_are_broken(text: str, says: str, numbers: list[Any]) -> None:
    assert pattern(says).findall(text) == numbers


def test_a_number_that_nothing_accounts_for_is_found() -> None:
    page = {"given": [r"\d+ seeds"]}
    assert untied("of 3 seeds `--x 4` and [5](6) it is 7.5 % in C8", page)[0].endswith("it is 7.5 % in C8")
    assert len(untied("of 3 seeds `--x 4` in C8", page)) == 0
    assert told(413.5, "414") == "414"
    assert told(0.4999, "0.50") == "0.50"
