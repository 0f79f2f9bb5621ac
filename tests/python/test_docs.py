"""What the README shows runs as it stands there. (`make docs` runs what the pages of the site show.)"""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib as mpl
import pytest

ROOT = Path(__file__).parents[2]


def test_the_python_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mpl.use("Agg")
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    (tmp_path / "configs").symlink_to(ROOT / "configs")
    monkeypatch.chdir(tmp_path)
    exec(compile("\n".join(blocks), "README.md", "exec"), {"__name__": "__main__"})
