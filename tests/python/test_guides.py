"""The guides for contributors name files that are there, as many as they say, and one version."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import mftpubsub

ROOT = Path(__file__).parents[2]
GUIDES = sorted((ROOT / "docs" / "contributing").glob("add-a-*.md"))
STEP = re.compile(r"^\d+\. ", re.MULTILINE)
FILE = re.compile(r"`((?:cpp|python|tests|docs|cmake|configs)/[\w./-]+)`")


@pytest.mark.parametrize("guide", [*GUIDES, ROOT / "CONTRIBUTING.md"], ids=lambda path: path.stem)
def test_files_of_a_guide_are_there(guide: Path) -> None:
    named = FILE.findall(guide.read_text(encoding="utf-8"))
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


def lists_of(guide: Path) -> dict[str, str]:
    """The parts of a page that have steps, by their places: the page's name, with a heading's anchor."""
    parts = re.split(r"^## (.*)\n", guide.read_text(encoding="utf-8"), flags=re.MULTILINE)
    anchors = ["", *("#" + re.sub(r"\W+", "-", heading.lower()) for heading in parts[1::2])]
    texts = zip(anchors, parts[::2], strict=True)
    return {guide.name + anchor: text for anchor, text in texts if STEP.search(text)}


def test_every_list_of_the_guides_has_as_many_steps_as_the_table_says_and_an_example() -> None:
    table = (ROOT / "docs" / "contributing" / "index.md").read_text(encoding="utf-8")
    said = {place: int(files) for files, place in re.findall(r"\| (\d+) \| \[.*\]\((.*)\)", table)}
    lists = {place: text for guide in GUIDES for place, text in lists_of(guide).items()}
    assert said == {place: len(STEP.findall(text)) for place, text in lists.items()}
    assert [place for place, text in lists.items() if "**Example.**" not in text] == []


def test_one_version_is_told() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version: {mftpubsub.__version__}" in citation.replace('"', "")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## (\S+)(?: - (\S+))?$", changelog, re.MULTILINE)
    assert versions[:2] == [("Unreleased", ""), (mftpubsub.__version__, versions[1][1])]
    assert f"date-released: {versions[1][1]}" in citation
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project.get("version", mftpubsub.__version__) == mftpubsub.__version__
