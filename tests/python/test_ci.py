"""What `.ci/run` does so that no test is skipped, and how tests are dealt out among processes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from dealing import ByFile, thorough

ROOT = Path(__file__).parents[2]
#: Commands that `.ci/tools` uses beside those that it looks for.
USED = ("bash", "dirname", "mktemp", "rm", "tail", "cat", "env")
TOOLS = ("tshark", "ffmpeg", "chromium", "chromedriver", "node", "npm", "mosquitto_sub", "clang++")


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A folder of commands that note how they are called, and of no others."""
    commands = tmp_path / "bin"
    commands.mkdir()
    for name in USED:
        (commands / name).symlink_to(str(shutil.which(name)))
    for name in (*TOOLS, "apt-get", "sleep"):
        command(commands, name)
    command(commands, "id", "echo 0")
    (tmp_path / "python" / "viewer").mkdir(parents=True)
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "tools", tmp_path / ".ci" / "tools")
    return tmp_path


def command(commands: Path, name: str, does: str = "") -> None:
    path = commands / name
    path.write_text(f'#!{shutil.which("bash")}\necho "{name} $*" >>{commands.parent / "called"}\n{does}\n')
    path.chmod(0o755)


def run_tools(machine: Path) -> tuple[int, str, list[str]]:
    """How it ended, what it told, and what it called."""
    done = subprocess.run(
        [machine / ".ci" / "tools"],
        env={"PATH": str(machine / "bin")},
        capture_output=True,
        text=True,
        check=False,
    )
    called = machine / "called"
    calls = called.read_text().splitlines() if called.exists() else []
    return done.returncode, done.stdout + done.stderr, [call for call in calls if not call.startswith("id")]


NPM = "npm ci --no-audit --no-fund"
APT = "apt-get install --yes --no-install-recommends"


def test_tools_that_are_there_are_not_installed(machine: Path) -> None:
    assert run_tools(machine) == (0, "", [NPM])


def test_tools_that_are_missing_are_installed_and_no_others(machine: Path) -> None:
    for name in ("tshark", "chromedriver", "node"):
        (machine / "bin" / name).unlink()
    assert run_tools(machine) == (0, "", ["apt-get update", f"{APT} tshark chromium-driver nodejs", NPM])


def test_who_is_not_root_is_told_what_to_install(machine: Path) -> None:
    (machine / "bin" / "ffmpeg").unlink()
    command(machine / "bin", "id", "echo 1000")
    assert run_tools(machine) == (1, f"tools: tests need more than is here; as root: {APT} ffmpeg\n", [])


def test_where_there_is_no_debian_the_packages_are_told(machine: Path) -> None:
    (machine / "bin" / "ffmpeg").unlink()
    (machine / "bin" / "apt-get").unlink()
    code, told, called = run_tools(machine)
    assert (code, called) == (1, [])
    assert told.startswith("tools: no apt-get here: install Debian's packages ffmpeg")


@pytest.mark.parametrize("failures", [2, 3])
def test_a_registry_is_asked_three_times(machine: Path, failures: int) -> None:
    fails = f"read n <{machine / 'left'}; echo $((n - 1)) >{machine / 'left'}; echo no route; exit $((n > 0))"
    (machine / "left").write_text(f"{failures}\n")
    command(machine / "bin", "npm", fails)
    code, told, called = run_tools(machine)
    assert code == (failures == 3)
    assert told == (f"tools: failed three times: {NPM}\nno route\n" if code else "")
    assert [call for call in called if call == NPM] == [NPM] * 3


#: Files of tests, of which all but the last are skipped.
SUITES = {
    "whole": "import pytest; pytest.importorskip('no_such_module')",
    "marked": "import pytest\n@pytest.mark.skipif(True, reason='no tshark')\ndef test_it(): pass",
    "inside": "import pytest\ndef test_it(): pytest.skip('no node')",
    "nowhere": "import pytest\n@pytest.mark.xfail\ndef test_it(): assert False",
}


@pytest.mark.slow
@pytest.mark.parametrize("is_allowed", [True, False])
def test_a_skip_is_a_failure_where_all_tools_are(tmp_path: Path, is_allowed: bool) -> None:
    for name, text in SUITES.items():
        (tmp_path / f"test_{name}.py").write_text(text)
    for name in ("conftest.py", "dealing.py", "thorough.txt"):
        shutil.copy(Path(__file__).with_name(name), tmp_path)
    told_of = {"MFTPUBSUB_NO_SKIPS", "CI"}  # in CI pytest says a reason twice
    environment = {name: value for name, value in os.environ.items() if name not in told_of}
    if not is_allowed:
        environment["MFTPUBSUB_NO_SKIPS"] = "1"
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-rsfE",
            "-p",
            "no:cacheprovider",
            "--continue-on-collection-errors",
            ".",
        ],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    counts = "3 skipped, 1 xfailed" if is_allowed else "1 failed, 1 xfailed, 2 errors"
    assert counts in done.stdout
    assert done.stdout.count("run .ci/tools") == (0 if is_allowed else 3)


def test_files_that_share_spark_or_a_swept_study_run_in_one_process(pytestconfig: pytest.Config) -> None:
    deal = ByFile.__new__(ByFile)
    deal.config = pytestconfig
    source, pipeline, resume, cluster, run = (
        deal._split_scope(f"tests/python/test_{name}.py::test_it")
        for name in ("source", "pipeline", "resume", "cluster", "run")
    )
    assert source == pipeline
    assert resume == cluster
    assert len({source, resume, run}) == 3


@pytest.mark.slow
def test_each_line_of_what_is_left_to_make_thorough_names_a_test() -> None:
    files = {line.partition("::")[0] for line in thorough()}
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "--collect-only",
            "-m",
            "thorough",
            *files,
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    marked = [line for line in done.stdout.splitlines() if "::" in line]
    assert marked
    assert all(line.startswith(thorough()) for line in marked)
    assert [line for line in thorough() if not any(one.startswith(line) for one in marked)] == []
