"""What the README shows runs as it stands there. (`make docs` runs what the pages of the site show.)"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest

import mftpubsub
from mftpubsub import lab
from mftpubsub.lab import Found
from mftpubsub.lab.commands import references
from mftpubsub.studies import figures
from mftpubsub.views import plots

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_python_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mpl.use("Agg")
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    (tmp_path / "configs").symlink_to(ROOT / "configs")
    monkeypatch.chdir(tmp_path)
    exec(compile("\n".join(blocks), "README.md", "exec"), {"__name__": "__main__"})


@pytest.mark.programs
@pytest.mark.parametrize(
    "notebook", sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem
)
def test_a_notebook_runs_from_above_to_below(notebook: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mpl.use("Agg")
    monkeypatch.chdir(notebook.parent)  # as Jupyter does
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    names: dict[str, Any] = {"__name__": "__main__"}
    for place, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [], "clear the outputs before you commit"
            exec(compile("".join(cell["source"]), f"{notebook.name}:{place}", "exec"), names)


def test_the_page_of_own_protocols_searches_those_that_ship_to_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = (ROOT / "docs" / "how-to" / "own-protocol.md").read_text(encoding="utf-8")
    code = page.partition("### Protocols that ship")[2].partition("```py\n")[2].partition("```")[0]
    found = []

    def search(*given: Any, **asked: Any) -> Found:
        found.append(lab.search(*given, limit=3000, **asked))
        return found[-1]

    monkeypatch.setattr(mftpubsub, "search", search)
    exec(compile(code, "own-protocol.md", "exec"), {"mftpubsub": mftpubsub})
    assert [(one.complete, one.violation) for one in found] == [(True, None)] * 2


@pytest.mark.slow
def test_pages_are_what_the_code_and_their_templates_give(monkeypatch: pytest.MonkeyPatch) -> None:
    """`python docs/pages.py` (or `make docs`) writes them anew."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    pages = importlib.import_module("pages").pages()
    assert len(pages) > 5
    for page, text in pages.items():
        assert page.read_text(encoding="utf-8") == text, page.name


def test_the_reference_is_of_what_users_get_by_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the version of Python."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    named = importlib.import_module("api").named
    assert named("mftpubsub.sweep") is mftpubsub.sweep
    assert named("mftpubsub.Scenario.replace") is mftpubsub.Scenario.replace
    assert named("mftpubsub.views.plots.Timeline") is plots.Timeline
    for wrong in ("mftpubsub.sweeping", "mftpubsub.views.plots.Time", "mftpubsub.Scenario.sweep"):
        with pytest.raises(LookupError, match=wrong):
            named(wrong)


def test_every_page_can_be_read_where_no_builder_runs() -> None:
    """Nothing is left to be filled in, and pictures and pages that it leads to are in the repository."""
    if not (ROOT / ".git").exists():
        pytest.skip("no clone: whether all pictures are in the repository is not checked")
    tracked = subprocess.run(
        ["git", "ls-files", "docs", "results", "python", "configs", "benchmarks"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    pages = [Path(name) for name in tracked if name.startswith("docs/") and name.endswith(".md")]
    for page in pages:
        if "templates" in page.parts:
            continue
        text = (ROOT / page).read_text(encoding="utf-8")
        assert "<!-- include" not in text, page
        assert "eval-rst" not in text, page
        for target in re.findall(
            r"\]\((?!\w+:|#)([^)#\s]+)", re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
        ):
            found = os.path.relpath((ROOT / page.parent / target).resolve(), ROOT)
            assert found in tracked or any(name.startswith(f"{found}/") for name in tracked), (page, target)


def test_every_public_name_is_in_the_reference() -> None:
    pages = (ROOT / "docs" / "reference").glob("*.md")
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    missing = [
        name
        for name in mftpubsub.__all__
        if not re.search(rf"^### `?{name}\b|\bmftpubsub\.{name}\b", text, re.M)
    ]
    assert missing == ["__version__"]


def test_every_metric_is_in_the_table_and_in_its_range() -> None:
    """Of a short run: names as `result.metrics` has them, and values where the table says."""
    page = (ROOT / "docs" / "reference" / "metrics.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| `(\w+)` \|[^|]*\|[^|]*\|([^|]*)\|$",
        page.partition("What a study has beside these")[0],
        re.MULTILINE,
    )
    case = mftpubsub.load(ROOT / "configs" / "thesis.yaml").case(
        protocol="mft-pubsub", config="C8", speed=8, seed=1
    )
    metrics = mftpubsub.run(case.replace(duration=30, publisher={"stop": 25})).metrics
    assert sorted(name for name, _ in rows) == sorted(metrics)
    for name, text in rows:
        low, _, high = text.strip().removeprefix("≥ ").partition(" to ")
        value = metrics[name]
        if low and value is not None:
            assert float(low) <= value <= float(high or "inf"), name


def test_a_publisher_that_subscribes_gets_its_own_events() -> None:
    """As docs/reference/scenarios.md says."""
    both = mftpubsub.Group(1, [mftpubsub.Broker(), mftpubsub.Publisher(), mftpubsub.Subscriber()])
    alone = mftpubsub.Scenario(area=(10, 10), nodes=[both], mobility=mftpubsub.Static(), duration=30)
    metrics = mftpubsub.run(alone).metrics
    assert metrics["delivered_pairs"] == metrics["sent_pairs"] == metrics["published"] > 0


def test_no_command_of_transcripts_lacks_an_explanation() -> None:
    for family in references():
        rows = [*family.setup, *family.commands]
        assert [row.usage for row in rows if not row.about] == []
        assert len({row.usage for row in rows}) == len(rows)


@pytest.mark.parametrize("kind", [one for one in vars(mftpubsub).values() if isinstance(one, type)])
def test_every_method_says_what_it_does(kind: type) -> None:
    told = vars(mftpubsub.Observer)  # of observers there
    own = {
        name: thing
        for name, thing in vars(kind).items()
        if callable(thing) and not name.startswith("_") and name not in told
    }
    assert [name for name, thing in own.items() if not inspect.getdoc(getattr(kind, name))] == []


def test_a_module_is_found_by_the_name_that_it_had() -> None:
    assert importlib.import_module("mftpubsub.runs.plots") is plots
    assert importlib.import_module("mftpubsub.evaluation.figures") is figures
    with pytest.raises(ModuleNotFoundError, match="nothing"):
        importlib.import_module("mftpubsub.evaluation.nothing")


def test_the_index_of_decisions_lists_each_of_them() -> None:
    folder = ROOT / "docs" / "decisions"
    index = (folder / "index.md").read_text(encoding="utf-8")
    listed = re.findall(r"^- \[(.+)\]\((.+\.md)#", index, re.MULTILINE)
    there = [
        (heading, path.name)
        for path in folder.glob("*.md")
        if path.name != "index.md"
        for heading in re.findall(r"^## (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert sorted(listed) == sorted(there)
