"""What the README shows runs as it stands there. (`make docs` runs what the pages of the site show.)"""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest

import mftpubsub

ROOT = Path(__file__).parents[2]


def test_the_python_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mpl.use("Agg")
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    (tmp_path / "configs").symlink_to(ROOT / "configs")
    monkeypatch.chdir(tmp_path)
    exec(compile("\n".join(blocks), "README.md", "exec"), {"__name__": "__main__"})


@pytest.mark.parametrize(
    "notebook", sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem
)
def test_a_notebook_runs_from_above_to_below(notebook: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mpl.use("Agg")
    monkeypatch.chdir(ROOT)
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    names: dict[str, Any] = {"__name__": "__main__"}
    for place, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [], "clear the outputs before you commit"
            exec(compile("".join(cell["source"]), f"{notebook.name}:{place}", "exec"), names)


def test_every_public_name_is_in_the_reference() -> None:
    """In what the pages say, and in what they include."""
    specification = importlib.util.spec_from_file_location("conf", ROOT / "docs" / "conf.py")
    assert specification
    assert specification.loader
    conf = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(conf)
    pages = []
    for path in (ROOT / "docs" / "reference").glob("*.md"):
        source = [path.read_text(encoding="utf-8")]
        conf._read(None, "", source)
        pages += source
        for module in re.findall(r"automodule:: (\S+)", source[0]):
            pages += [f"{module}.{name}" for name in vars(importlib.import_module(module))]
    text = "\n".join(pages)
    missing = [name for name in mftpubsub.__all__ if not re.search(rf"(mftpubsub\.|### |\.){name}\b", text)]
    assert missing == ["__version__"]


def test_every_metric_is_in_the_table_and_in_its_range() -> None:
    """Of a short run: names as `result.metrics` has them, and values where the table says."""
    rows = re.findall(
        r"^\| `(\w+)` \|[^|]*\|[^|]*\|([^|]*)\|$",
        (ROOT / "docs" / "reference" / "metrics.md").read_text(encoding="utf-8"),
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
    alone = mftpubsub.Scenario(area=(10, 10), nodes=[both], mobility="static", duration=30)
    metrics = mftpubsub.run(alone).metrics
    assert metrics["delivered_pairs"] == metrics["sent_pairs"] == metrics["published"] > 0
