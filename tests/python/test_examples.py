"""Every script of python/examples does what it says, to the last digit: a run is a function of its scenario.

What they print is in tests/examples; a script whose output has to change is told by the diff, and
`python python/examples/NAME.py > tests/examples/NAME.txt` (with MPLBACKEND=Agg) takes it over.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.programs

ROOT = Path(__file__).parents[2]
#: test_interop.py runs that of ns-3's bindings, which take 10 s to load.
EXAMPLES = sorted({*(ROOT / "python/examples").glob("*.py")} - {ROOT / "python/examples/ns3_bindings.py"})
PICTURES = {"custom_parent_policy", "partition_and_merge"}


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda script: script.stem)
def test_an_example_prints_what_it_should(script: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, script],
        cwd=tmp_path,
        env=os.environ | {"MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    golden = ROOT / "tests" / "examples" / f"{script.stem}.txt"
    assert done.stdout == golden.read_text(encoding="utf-8")
    drawn = {picture.stem for picture in tmp_path.glob("out/*.png")}
    assert drawn == PICTURES & {script.stem}
