"""What users write against the package passes type checkers, which see it as it is installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

pytestmark = pytest.mark.programs

ROOT = Path(__file__).parents[2]
PYRIGHT = ROOT / "python" / "viewer" / "node_modules" / ".bin" / "pyright"
#: Pages whose code is complete, block after block.
PAGES = ("README.md", "docs/how-to/break-and-move.md", "docs/reference/scenarios.md")
#: They do without types: a cluster's own session, ns-3's bindings, a notebook's display, a folder beside it.
UNTYPED = ("spark_aggregation", "ns3_bindings", "notebook", "find_a_fault")
#: What other packages import, and users' code here does not, takes seconds.
MYPY = """
[mypy]
check_untyped_defs = true
disable_error_code = import-untyped

[mypy-sqlalchemy.*,IPython.*,prompt_toolkit.*,markdown_it.*]
follow_imports = skip
"""


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the code, and an environment in which the package lies as a wheel installs it."""
    folder = tmp_path_factory.mktemp("outside")
    for page in PAGES:
        blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
        assert blocks
        (folder / f"{Path(page).stem.replace('-', '_').lower()}_page.py").write_text("\n".join(blocks))
    for example in (ROOT / "python" / "examples").glob("*.py"):
        if example.stem not in UNTYPED:
            shutil.copy(example, folder)
    venv.create(folder / "venv", with_pip=False, symlinks=True)
    site = next((folder / "venv").glob("lib/python*/site-packages"))
    (site / "mftpubsub").symlink_to(ROOT / "python" / "mftpubsub")
    (site / "others.pth").write_text(sysconfig.get_path("purelib"))
    return folder


def check(command: list[str | Path], folder: Path) -> None:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL"))}
    done = subprocess.run(command, cwd=folder, env=clean, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def mypy(outside: Path) -> list[str | Path]:
    """The command of both tests: by the same options and cache, packages are analysed once."""
    environment, cache = outside / "venv" / "bin" / "python", outside / "cache"
    (config := outside / "mypy.ini").write_text(MYPY)
    return [
        sys.executable,
        "-m",
        "mypy",
        "--python-executable",
        environment,
        "--cache-dir",
        cache,
        "--config-file",
        config,
    ]


def test_mypy_passes_what_users_write(outside: Path, mypy: list[str | Path]) -> None:
    check([*mypy, *(path.name for path in outside.glob("*.py"))], outside)


def test_mypy_knows_the_package_s_types(outside: Path, mypy: list[str | Path]) -> None:
    wrong = outside / "wrong"
    wrong.mkdir(exist_ok=True)
    (wrong / "wrong.py").write_text("import mftpubsub\n\nmftpubsub.Publisher(rate='often')\n")
    said = subprocess.run([*mypy, "wrong.py"], cwd=wrong, capture_output=True, text=True)
    assert 'Argument "rate" to "Publisher" has incompatible type "str"; expected "float"' in said.stdout


@pytest.mark.skipif(not PYRIGHT.exists(), reason="pyright is not there: npm ci in python/viewer")
def test_pyright_passes_what_users_write(outside: Path) -> None:
    files = [path.name for path in outside.glob("*.py")]
    check([PYRIGHT, "--pythonpath", outside / "venv" / "bin" / "python", *files], outside)
