"""What gets installed, and what is installed elsewhere: the lock, a new user's environment, our wheel."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Iterable
from importlib.metadata import requires, version
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import mftpubsub

ROOT = Path(__file__).parents[2]
LOCK = ROOT / "requirements"
PYPROJECT = (ROOT / "pyproject.toml").read_text()

FILES = ["tools.txt", "run.txt", "all.txt", "build.txt", "pip.txt"]

Lock = dict[str, Requirement]


def read_lock(name: str) -> tuple[Lock, dict[str, list[str]]]:
    """By package: what is locked, and the hashes."""
    locked: Lock = {}
    hashes: dict[str, list[str]] = {}
    for line in (LOCK / name).read_text().replace("\\\n", "").splitlines():
        if not line.startswith("#"):
            text, *options = line.split(" --hash=sha256:")
            requirement = Requirement(text.strip())
            package = canonicalize_name(requirement.name)
            locked[package] = requirement
            hashes[package] = [option.strip() for option in options]
    return locked, hashes


def unmet(wanted: Iterable[str], locked: Lock) -> list[str]:
    """Which requirements no locked version meets."""
    found = []
    for requirement in map(Requirement, wanted):
        pinned = locked.get(canonicalize_name(requirement.name))
        versions = [clause.version for clause in pinned.specifier] if pinned else []
        if len(versions) != 1 or not requirement.specifier.contains(versions[0], prereleases=True):
            found.append(f"{requirement}: locked is {pinned}")
    return found


def wanted(pyproject: str) -> dict[str, list[str]]:
    """The requirements that each file of the lock is made from."""
    told: dict[str, Any] = tomllib.loads(pyproject)
    extras, groups = told["project"]["optional-dependencies"], told["dependency-groups"]
    assert extras.keys() == {"notebook", "tuning", "lakehouse", "hdfs", "mqtt", "dev"}
    assert groups.keys() == {"build", "sources", "installer"}
    optional = [text for extra in extras.values() for text in extra]
    everything = [*told["project"]["dependencies"], *optional, *groups["build"]]
    building = [*groups["build"], *told["build-system"]["requires"]]
    return {
        "tools.txt": building,
        "run.txt": [*told["project"]["dependencies"], *building],
        "all.txt": everything + told["build-system"]["requires"],
        "build.txt": [text for text in groups["sources"] if "==" not in text],
        "pip.txt": groups["installer"],
    }


@pytest.mark.parametrize("name", FILES)
def test_the_lock_fits_pyproject(name: str) -> None:
    assert unmet(wanted(PYPROJECT)[name], read_lock(name)[0]) == [], "run `make lock`"


@pytest.mark.parametrize("table", ["dependencies", "dev", "requires"])
@pytest.mark.parametrize("addition", ["pandas>=99", "ruff<0.6", "ninja==1.0", "no-such-package"])
def test_a_lock_that_does_not_fit_is_found(table: str, addition: str) -> None:
    changed = re.sub(rf"^{table} = \[", rf'\g<0>"{addition}",', PYPROJECT, flags=re.MULTILINE)
    told = unmet(wanted(changed)["all.txt"], read_lock("all.txt")[0])
    assert [text.split(":")[0] for text in told] == [addition]


@pytest.mark.parametrize("name", ["tools.txt", "run.txt", "all.txt"])
def test_what_locked_packages_need_is_locked_too(name: str) -> None:
    """C++ is compiled without the bindings of ns-3, which are compiled beside it."""
    locked, _ = read_lock(name)
    bindings = {"cppyy"} if name == "tools.txt" else set()
    for package, requirement in locked.items():
        if requirement.marker is None or requirement.marker.evaluate():
            needed = [text for text in requires(package) or () if _is_needed(Requirement(text))]
            needed = [text for text in needed if Requirement(text).name not in bindings]
            assert unmet(needed, locked) == [], package


def _is_needed(requirement: Requirement) -> bool:
    return requirement.marker is None or requirement.marker.evaluate({"extra": ""})


@pytest.mark.parametrize("name", FILES)
def test_all_that_is_locked_has_hashes_and_nothing_names_a_host(name: str) -> None:
    for package, hashes in read_lock(name)[1].items():
        assert hashes, package
        assert all(re.fullmatch("[0-9a-f]{64}", text) for text in hashes), package
    assert re.search(r"://|^ *--(?!hash)", (LOCK / name).read_text(), re.MULTILINE) is None


@pytest.mark.parametrize(("part", "whole"), [("tools.txt", "run.txt"), ("run.txt", "all.txt")])
def test_what_is_installed_first_is_not_installed_again(part: str, whole: str) -> None:
    (first, first_hashes), (then, then_hashes) = read_lock(part), read_lock(whole)
    assert first.items() < then.items(), "run `make lock`"
    assert first_hashes.items() < then_hashes.items()


def test_sources_are_built_with_locked_files_only() -> None:
    """Where they fix versions themselves, those and the ones that we run with are allowed, by hash."""
    everything, (built_with, allowed) = read_lock("all.txt")[1], read_lock("build.txt")
    fixed = {package for package, requirement in built_with.items() if not requirement.specifier}
    assert fixed == {"cppyy-backend", "cppyy-cling"}
    for package in fixed:
        assert set(everything[package]) < set(allowed[package])


@pytest.mark.slow
def test_a_failed_installation_leaves_no_stamp(tmp_path: Path) -> None:
    environment = tmp_path / "venv"
    command = ["make", f"VENV={environment}", f"PYTHON={sys.executable}", "setup"]
    offline = {**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": ""}
    done = subprocess.run(command, cwd=ROOT, env=offline, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert (environment / "bin" / "pip").exists()
    assert not {"tools", "packages", "installed", "ready"} & {path.name for path in environment.iterdir()}


def test_a_missing_python_is_told(tmp_path: Path) -> None:
    command = ["make", f"VENV={tmp_path / 'venv'}", "PYTHON=python3.1", "setup"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "make PYTHON=/path/to/python3.12" in done.stdout


def test_a_new_user_has_the_machines_registry_and_nothing_else(tmp_path: Path) -> None:
    registry = {"PIP_CERT": "/ca.pem", "PIP_INDEX_URL": "file:///index", "SSL_CERT_FILE": "/ca.pem"}
    own = {
        "PIP_FIND_LINKS": "/wheels",
        "CCACHE_DIR": "/ccache",
        "PYTHONPATH": "/mine",
        "XDG_CACHE_HOME": "/c",
    }
    command: list[str | Path] = [ROOT / ".ci" / "as-new-user", tmp_path, sys.executable, "-c"]
    command.append("import json, os; print(json.dumps(dict(os.environ)))")
    done = subprocess.run(
        command, env={**os.environ, **registry, **own}, capture_output=True, text=True, check=True
    )
    seen = json.loads(done.stdout)
    assert seen["HOME"] == str(tmp_path)
    assert registry.items() <= seen.items()
    assert not own.keys() & seen.keys()


def test_what_make_figures_writes_is_not_tracked() -> None:
    def git(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True, check=False)

    if git("rev-parse", "--show-toplevel").stdout.strip() != str(ROOT):
        pytest.skip("the sources are not in a git tree of their own")
    assert git("ls-files", "results/quick").stdout == ""
    for name in ("quick", "longer-timeout"):
        assert git("check-ignore", f"results/{name}/report.md").returncode == 0


def test_the_version_is_the_same_everywhere() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert mftpubsub.__version__ == version("mftpubsub") == citation["version"]
    assert citation["cff-version"] == "1.2.0"
    assert [reference["year"] for reference in citation["references"]] == [2021]


SCENARIO = """
area: [40, 40]
duration: 20
mobility: {speed: 2}
nodes:
  - {count: 4, roles: [broker, subscriber]}
  - {count: 1, roles: [publisher]}
"""


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with our wheel and what it depends on, none of it from the sources."""
    folder = tmp_path_factory.mktemp("elsewhere")
    build = ["pip", "wheel", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run([sys.executable, "-m", *build, "--wheel-dir", folder, ROOT], check=True)
    environment = folder / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    here, there = (Path(_site_packages(prefix)) for prefix in (sys.prefix, str(environment)))
    ours = re.compile(r"mftpubsub|.*\.pth|pip|__pycache__")
    for installed in here.iterdir():
        if not ours.match(installed.name):
            (there / installed.name).symlink_to(installed)
    (environment / "include" / "site").symlink_to(Path(sys.prefix) / "include" / "site")  # cppyy's headers
    (wheel,) = folder.glob("mftpubsub-*.whl")
    install: list[str | Path] = [
        "--python",
        environment / "bin" / "python",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        wheel,
    ]
    subprocess.run([sys.executable, "-m", "pip", *install], check=True)
    shutil.copy(ROOT / "tests" / "golden" / "mft-pubsub-simple-migration.txt", folder / "migration.txt")
    (folder / "scenario.yaml").write_text(SCENARIO)
    return folder


def _site_packages(prefix: str) -> str:
    return sysconfig.get_path("platlib", vars={"base": prefix, "platbase": prefix})


def call(elsewhere: Path, *command: str, settings: dict[str, str] | None = None) -> str:
    """What a command of that environment prints, there and with no other settings than these."""
    done = subprocess.run(
        [elsewhere / "venv" / "bin" / command[0], *command[1:]],
        cwd=elsewhere,
        env={"PATH": os.environ["PATH"], "HOME": str(elsewhere)} | (settings or {}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.programs
def test_the_wheel_is_used_and_not_the_sources(elsewhere: Path) -> None:
    files = call(
        elsewhere,
        "python",
        "-c",
        "import mftpubsub.simulator.library as c; print(c.__file__, c.core().__name__)",
    )
    assert files.startswith(str(elsewhere))
    (library,) = elsewhere.glob("venv/lib/*/site-packages/mftpubsub/libmftpubsub.so")
    assert str(ROOT).encode() not in library.read_bytes()


@pytest.mark.programs
def test_the_wheel_tells_its_version(elsewhere: Path) -> None:
    told = f"mftpubsub {mftpubsub.__version__}\n"
    assert call(elsewhere, "mftpubsub", "--version") == told
    assert call(elsewhere, "python", "-m", "mftpubsub", "--version") == told
    assert call(elsewhere, "python", "-c", "import mftpubsub as m; print('mftpubsub', m.__version__)") == told


@pytest.mark.programs
def test_the_wheel_runs_a_scenario_as_the_sources_do(elsewhere: Path) -> None:
    there = json.loads(call(elsewhere, "mftpubsub", "run", "scenario.yaml", "--json"))
    here = mftpubsub.run(mftpubsub.Scenario.from_yaml(elsewhere / "scenario.yaml")).metrics
    assert there["delivered_pairs"] > 0
    cost = {"wall_s", "cpu_s"}
    assert {name: there[name] for name in there.keys() - cost} == {
        name: here[name] for name in here.keys() - cost
    }


@pytest.mark.programs
def test_the_wheel_has_the_laboratory_and_completion(elsewhere: Path) -> None:
    assert call(elsewhere, "mftpubsub", "lab", "migration.txt")
    # A completion script asks the command itself; --show-completion would look for the shell above the tests.
    asked = {"_MFTPUBSUB_COMPLETE": "complete_bash", "COMP_WORDS": "mftpubsub swe", "COMP_CWORD": "1"}
    assert call(elsewhere, "mftpubsub", settings=asked).split() == ["sweep"]
