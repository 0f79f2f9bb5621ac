"""The guide for a protocol, followed in a folder of its own: what it names is all that it takes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from mftpubsub.simulator.library import package_file

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "contributing" / "add-a-protocol.md"
#: A path that a step names in its first words.
STEP = re.compile(r"^\d+\. .*?`((?:cpp|python|tests)/[\w./-]+)`", re.MULTILINE)
MAKER, CATALOGUE = "cpp/protocols/tree/make-broker.cc", "python/mftpubsub/protocols/protocols.yaml"

#: Runs as the package that the first argument is the folder of.
AS_PACKAGE = """import sys
sys.meta_path = [finder for finder in sys.meta_path if "Redirecting" not in type(finder).__name__]
sys.path.insert(0, sys.argv.pop(1))
"""
COMMAND = AS_PACKAGE + "from mftpubsub.cli.main import main\nmain()"
CATALOGUE_TEST = AS_PACKAGE + "import pytest\nsys.exit(pytest.main(sys.argv[1:]))"
RUN = (
    AS_PACKAGE
    + """import mftpubsub
roles = ["publisher", "subscriber", "broker"]
nodes = [{"count": 2, "roles": roles}]
settings = {"nodes": nodes, "area": (10, 10), "duration": 40, "mobility": {"model": "static"}}
scenario = mftpubsub.Scenario(protocol="copycat", **settings)
print(mftpubsub.run(scenario).metrics["delivery_rate"])
"""
)


@dataclass
class Copy:
    """The files that were added or changed, in a folder beside the sources."""

    folder: Path
    touched: list[str] = field(default_factory=list)

    def write(self, name: str, text: str) -> Path:
        self.touched.append(name)
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def compile(self, *sources: Path) -> Path:
        """A library with what was added, which stands before ours."""
        made = self.folder / "libcopycat.so"
        command = ["c++", "-std=c++20", "-shared", "-fPIC", f"-I{self.folder / 'cpp'}", f"-I{ROOT / 'cpp'}"]
        ours = package_file("libmftpubsub.so").resolve()
        linked: list[str | Path] = [ours, f"-Wl,-rpath,{ours.parent}", "-Wl,--allow-shlib-undefined"]
        subprocess.run([*command, *sources, *linked, "-o", made], check=True)
        return made

    def package(self) -> Path:
        """The package with the catalogue as it is in the folder, else as ours."""
        package = self.folder / "package" / "mftpubsub"
        (package / "protocols").mkdir(parents=True, exist_ok=True)
        ours = ROOT / "python" / "mftpubsub"
        for path in (*ours.iterdir(), *(ours / "protocols").iterdir()):
            if path.name not in ("protocols", "include", "libmftpubsub.so"):
                link(package / path.relative_to(ours), path)
        for name in ("libmftpubsub.so", "include"):
            link(package / name, package_file(name))
        changed = self.folder / CATALOGUE
        link(package / "protocols" / changed.name, changed if changed.exists() else ROOT / CATALOGUE)
        return package.parent


def link(path: Path, target: Path) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to(target)


def renamed(text: str) -> str:
    """Flooding by another name."""
    for old, new in (("flooding", "copycat"), ("Flooding", "Copycat"), ("FLOODING", "COPYCAT")):
        text = text.replace(old, new)
    return text


def with_twin(text: str, first: str, last: str = "") -> str:
    """A text in which the lines from `first` to `last` stand a second time, renamed."""
    begin = text.index(first)
    end = text.index("\n", text.index(last, begin)) + 1
    return text[:end] + renamed(text[begin:end]) + text[end:]


def run(library: Path, program: str, package: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"LD_PRELOAD": str(library)}
    command = [sys.executable, "-c", program, str(package), *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


@pytest.mark.programs
def test_a_protocol_takes_the_files_that_its_guide_names(tmp_path: Path) -> None:
    copy = Copy(tmp_path)
    tree = "cpp/protocols/tree"
    header, source = (
        copy.write(f"{tree}/copycat.{end}", renamed((ROOT / tree / f"flooding.{end}").read_text()))
        for end in ("h", "cc")
    )
    maker = with_twin((ROOT / MAKER).read_text(), '#include "protocols/tree/flooding.h"')
    made = copy.write(MAKER, with_twin(maker, '        {"flooding"', "}},"))
    library = copy.compile(source, made)
    catalogue = str(ROOT / "tests/python/test_catalogue.py")

    told = run(library, CATALOGUE_TEST, copy.package(), "-q", "-p", "no:cacheprovider", catalogue)
    assert told.returncode == 1, told
    assert "copycat" in told.stdout  # a protocol without its row is noticed

    rows = (ROOT / CATALOGUE).read_text()
    row = re.search(r"  - name: flooding\n(?:    .*\n)+", rows)
    assert row
    own = re.sub(r"    look: .*\n", "", renamed(row[0]))
    copy.write(CATALOGUE, rows.replace(row[0], row[0] + own))
    transcript = copy.write(
        "tests/golden/copycat.txt", renamed((ROOT / "tests/golden/flooding.txt").read_text())
    )
    package = copy.package()
    told = run(library, CATALOGUE_TEST, package, "-q", "-p", "no:cacheprovider", catalogue)
    assert told.returncode == 0, told.stdout
    told = run(library, COMMAND, package, "lab", "--rewrite", str(transcript))
    assert told.returncode == 0, told
    assert transcript.read_text().endswith("b3 -> s3 PUB e=p1#1\n\ndelivered s3\n----\np1#1\n")
    told = run(library, RUN, package)
    assert float(told.stdout) > 0, told

    steps = STEP.findall(GUIDE.read_text().partition("**Example.**")[0])
    assert {header.relative_to(tmp_path).parent, source.relative_to(tmp_path).parent} == {Path(steps[0])}
    assert sorted([MAKER, CATALOGUE, "tests/golden"]) == sorted(steps[1:])
    assert {name for name in copy.touched if not name.startswith(f"{tree}/copycat.")} == {
        MAKER,
        CATALOGUE,
        "tests/golden/copycat.txt",
    }
