"""The guides for contributors name files that are there, as many as they say, and one version."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import mftpubsub

ROOT = Path(__file__).parents[2]
GUIDES = sorted((ROOT / "docs" / "contributing").glob("add-a-*.md"))
FILE = re.compile(r"`((?:cpp|python|tests|docs|cmake|configs)/[\w./-]+)`")


@pytest.mark.parametrize("guide", [*GUIDES, ROOT / "CONTRIBUTING.md"], ids=lambda path: path.stem)
def test_files_of_a_guide_are_there(guide: Path) -> None:
    named = FILE.findall(guide.read_text(encoding="utf-8"))
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.stem)
def test_a_guide_has_as_many_steps_as_its_table_says_and_an_example(guide: Path) -> None:
    table = (ROOT / "docs" / "contributing" / "index.md").read_text(encoding="utf-8")
    said = re.search(rf"\| (\d+) \| \[.*\]\({guide.name}\)", table)
    assert said
    text = guide.read_text(encoding="utf-8")
    first_list = re.findall(r"^\d+\. ", text.partition("**Example.**")[0], re.MULTILINE)
    assert len(first_list) == int(said[1])
    assert "**Example.**" in text


def test_one_version_is_told() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version: {mftpubsub.__version__}" in citation.replace('"', "")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## (\S+)(?: - (\S+))?$", changelog, re.MULTILINE)
    assert versions[:2] == [("Unreleased", ""), (mftpubsub.__version__, versions[1][1])]
    assert f"date-released: {versions[1][1]}" in citation
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project.get("version", mftpubsub.__version__) == mftpubsub.__version__
