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
CATALOGUE = "python/mftpubsub/protocols/protocols.yaml"


@dataclass(frozen=True)
class Twin:
    """A protocol that ships, and the name by which it is added once more."""

    old: str
    name: str
    room: str
    maker: str
    #: The first and last lines of each part of the maker that there is one of for each protocol.
    parts: tuple[tuple[str, str], ...]
    transcript: str
    shown: str
    """What the transcript has, once it is written."""

    @property
    def pair(self) -> list[str]:
        return [f"{self.room}/{self.name}.{end}" for end in ("h", "cc")]

    @property
    def golden(self) -> str:
        return self.renamed(self.transcript)

    def renamed(self, text: str) -> str:
        """With the twin's name where the other's was, also within names of types."""
        text = re.sub(rf"\b{self.old}\b", self.name, text)
        text = text.replace(self.old.capitalize(), self.name.capitalize())
        return text.replace(self.old.upper(), self.name.upper())

    def added(self, text: str, first: str, last: str) -> str:
        """A text in which the lines from `first` to `last` stand a second time, renamed."""
        begin = text.index(first)
        end = text.index("\n", text.index(last, begin)) + 1
        return text[:end] + self.renamed(text[begin:end]) + text[end:]


TREE = Twin(
    "flooding",
    "copycat",
    "cpp/protocols/tree",
    "cpp/protocols/tree/make-broker.cc",
    (('#include "protocols/tree/flooding.h"', ""), ('        {"flooding"', "}},")),
    "tests/golden/flooding.txt",
    "b3 -> s3 PUB e=p1#1\n\ndelivered s3\n----\np1#1\n",
)
MESH = Twin(
    "epidemic",
    "parrot",
    "cpp/protocols/mesh",
    "cpp/protocols/mesh/make-station.cc",
    (
        ('#include "protocols/mesh/epidemic.h"', ""),
        ("std::unique_ptr<Station>\nMakeEpidemic", "}"),
        ('        {"epidemic"', ""),
    ),
    "tests/golden/mesh/epidemic-event.txt",
    "3 -> DATA 0:0   heard by 2 4\n  3.827         4 delivers 0:0\n",
)

#: Runs as the package that the first argument is the folder of.
AS_PACKAGE = """import sys
sys.meta_path = [finder for finder in sys.meta_path if "Redirecting" not in type(finder).__name__]
sys.path.insert(0, sys.argv.pop(1))
"""
REWRITE = (
    AS_PACKAGE
    + """from mftpubsub.cli.main import app
for file in sys.argv[1:]:
    app(["lab", "--rewrite", file], standalone_mode=False)
"""
)
CATALOGUE_TEST = AS_PACKAGE + "import pytest\nsys.exit(pytest.main(sys.argv[1:]))"
RUN = (
    AS_PACKAGE
    + """import mftpubsub
roles = ["publisher", "subscriber", "broker"]
nodes = [{"count": 2, "roles": roles}]
settings = {"nodes": nodes, "area": (10, 10), "duration": 40, "mobility": {"model": "static"}}
for name in ("copycat", "parrot"):
    print(mftpubsub.run(mftpubsub.Scenario(protocol=name, **settings)).metrics["delivery_rate"])
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


def run(library: Path, program: str, package: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"LD_PRELOAD": str(library)}
    command = [sys.executable, "-c", program, str(package), *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def add_machine(copy: Copy, twin: Twin) -> list[Path]:
    """The pair of files and the changed maker; the sources among them."""
    header, source = twin.pair
    copy.write(header, twin.renamed((ROOT / twin.room / f"{twin.old}.h").read_text()))
    made = copy.write(source, twin.renamed((ROOT / twin.room / f"{twin.old}.cc").read_text()))
    maker = (ROOT / twin.maker).read_text()
    for first, last in twin.parts:
        maker = twin.added(maker, first, last)
    return [made, copy.write(twin.maker, maker)]


def steps_of(guide: str) -> list[list[str]]:
    """The paths of each of its lists."""
    return [STEP.findall(part) for part in guide.split("**Example.**") if STEP.search(part)]


@pytest.mark.programs
def test_a_protocol_takes_the_files_that_its_guide_names(tmp_path: Path) -> None:
    copy, twins = Copy(tmp_path), (TREE, MESH)
    library = copy.compile(*(source for twin in twins for source in add_machine(copy, twin)))
    catalogue = str(ROOT / "tests/python/test_catalogue.py")

    told = run(library, CATALOGUE_TEST, copy.package(), "-q", "-p", "no:cacheprovider", catalogue)
    assert told.returncode == 1, told
    assert all(twin.name in told.stdout for twin in twins)  # a protocol without its row is noticed

    rows = (ROOT / CATALOGUE).read_text()
    for twin in twins:
        row = re.search(rf"  - name: {twin.old}\n(?:    .*\n)+", rows)
        assert row
        rows = rows.replace(row[0], row[0] + re.sub(r"    (look|uses): .*\n", "", twin.renamed(row[0])))
    copy.write(CATALOGUE, rows)
    transcripts = [
        copy.write(twin.golden, twin.renamed((ROOT / twin.transcript).read_text())) for twin in twins
    ]
    package = copy.package()
    told = run(library, CATALOGUE_TEST, package, "-q", "-p", "no:cacheprovider", catalogue)
    assert told.returncode == 0, told.stdout
    told = run(library, REWRITE, package, *map(str, transcripts))
    assert told.returncode == 0, told
    for twin, transcript in zip(twins, transcripts, strict=True):
        assert twin.shown in transcript.read_text()
    told = run(library, RUN, package)
    assert [float(rate) > 0 for rate in told.stdout.split()] == [True, True], told

    for twin, steps in zip(twins, steps_of(GUIDE.read_text()), strict=True):
        folder = str(Path(twin.transcript).parent)
        assert sorted(steps) == sorted([twin.room, twin.maker, CATALOGUE, folder])
    named = {file for twin in twins for file in (*twin.pair, twin.maker, CATALOGUE, twin.golden)}
    assert {*copy.touched} == named
