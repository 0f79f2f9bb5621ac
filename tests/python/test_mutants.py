"""The mutants of C++ that `make mutants` draws: what is broken, and what is left alone."""

import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "mutants"))

from operators import apply, mutants  # noqa: E402

from mutants import page  # noqa: E402


def _after(line: str) -> set[str]:
    return {mutant.after for mutant in mutants("a.cc", f"{{\n{line}\n}}")}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("    return a < b;", "return a <= b;"),
        ("    return a == b && !c;", "return a == b || !c;"),
        ("    return a == b && !c;", "return a == b && c;"),
        ("    at = std::min(from, to);", "at = std::max(from, to);"),
        ("    Send(from, to);", "Send(to, from);"),
        ("    m_links.erase(to);", ";"),
        ("    m_window += 1;", "m_window -= 1;"),
        ("    m_window += 1;", "m_window += (1 + 1);"),
        ("    if (IsConnected(to))", "if (!(IsConnected(to)))"),
        ("    return false;", "return true;"),
        ("    ++m_next;", "--m_next;"),
        ("    ++m_next;", ";"),
    ],
)
def test_a_line_is_broken(line: str, expected: str) -> None:
    assert expected in _after(line)


@pytest.mark.parametrize(
    "line",
    [
        '    throw DecodeError("a < b && c");',  # a text is not code
        "    // a < b, or true",
        "    std::vector<std::pair<int, int>> pairs;",
        "    const auto [first, last] = Range();",
        "#include <a>",
        "    void operator()(T&& value);",
    ],
)
def test_what_decides_nothing_is_left_alone(line: str) -> None:
    assert _after(line) == set()


def test_a_part_of_a_statement_is_not_dropped() -> None:
    source = "{\n    const auto a =\n        Find(b);\n}"
    assert ";" not in {mutant.after for mutant in mutants("a.cc", source)}


def test_a_mutant_changes_one_line_and_nothing_else() -> None:
    source = "{\n    /* a\n < b */\n    if (a < b)\n    {\n        Stop();\n    }\n}"
    for mutant in mutants("a.cc", source):
        lines = apply(source, mutant).split("\n")
        changed = [
            number
            for number, (old, new) in enumerate(zip(source.split("\n"), lines, strict=True), 1)
            if old != new
        ]
        assert changed == [mutant.line]


def test_every_file_that_is_broken_has_suites_that_are_there() -> None:
    table = yaml.safe_load((ROOT / "tests/mutants/suites.yaml").read_text())
    suites = {path.name.removesuffix("-test.cc") for path in (ROOT / "tests/cpp").glob("*-test.cc")}
    assert {suite for covering in table.values() for suite in covering} <= suites | {"traces"}
    assert all(list(ROOT.glob(f"{prefix}*")) for prefix in table)


def test_every_explained_survivor_is_a_mutant_of_today() -> None:
    for reason in yaml.safe_load((ROOT / "tests/mutants/explained.yaml").read_text()):
        found = mutants(reason["file"], (ROOT / reason["file"]).read_text())
        assert (reason["before"], reason["after"]) in {(mutant.before, mutant.after) for mutant in found}, (
            reason
        )


def test_the_page_is_made_of_what_was_measured() -> None:
    measured, reasons = (
        yaml.safe_load((ROOT / "tests/mutants" / name).read_text("utf-8"))
        for name in ("measured.yaml", "explained.yaml")
    )
    text = (ROOT / "docs/contributing/mutants.md").read_text("utf-8")
    assert text == page(measured, reasons)
    assert "not explained" not in text
