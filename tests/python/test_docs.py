"""What the README shows runs as it stands there. (`make docs` runs what the pages of the site show.)"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

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
