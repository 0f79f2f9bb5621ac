"""The repository as a module of an ns-3 tree: its lists, headers and examples; and as a package of CMake.

A whole tree takes half an hour: .ci/ns3-tree builds and tests one by hand.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mftpubsub.cli.main import app
from mftpubsub.simulator.library import package_file
from mftpubsub.studies.results import StudyResults
from mftpubsub.trace.sql import read_trace

ROOT = Path(__file__).parents[2]
CPP = ROOT / "cpp"
EXAMPLES = ("mesh", "aodv-comparison", "own-protocol")

#: Instead of ns-3's tree: says what the module asks of it, in JSON, and makes a target.
TREE = """
cmake_minimum_required(VERSION 3.13)
project(NS3 LANGUAGES CXX)
set(NS3_VER 3.44)
set(ENABLE_EXAMPLES ON)
set(CMAKE_INSTALL_INCLUDEDIR include)
set(libmftpubsub mftpubsub)
foreach(name core network mobility internet aodv olsr dsdv wifi lr-wpan spectrum propagation energy csma)
    set(lib${name} ${name})
endforeach()
function(say)
    foreach(word ${ARGN})
        file(APPEND "${PROJECT_BINARY_DIR}/said.txt" "${word}\\n")
    endforeach()
endfunction()
function(build_lib)
    say(build_lib ${ARGN})
    set(lists SOURCE_FILES HEADER_FILES PRIVATE_HEADER_FILES LIBRARIES_TO_LINK TEST_SOURCES)
    cmake_parse_arguments(LIB "" "LIBNAME" "${lists}" ${ARGN})
    add_library(${LIB_LIBNAME} SHARED ${LIB_SOURCE_FILES})
endfunction()
function(build_lib_example)
    say(build_lib_example "${BLIB_LIBNAME}" ${ARGN})
endfunction()
file(REMOVE "${PROJECT_BINARY_DIR}/said.txt")
add_subdirectory(contrib/mftpubsub)
"""
WORDS = (
    "LIBNAME",
    "SOURCE_FILES",
    "HEADER_FILES",
    "PRIVATE_HEADER_FILES",
    "LIBRARIES_TO_LINK",
    "TEST_SOURCES",
    "NAME",
)


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, list[str]]]:
    """What build_lib and build_lib_example are called with, by keyword; the first is the module."""
    tree = tmp_path_factory.mktemp("tree")
    (tree / "CMakeLists.txt").write_text(TREE)
    (tree / "contrib").mkdir()
    (tree / "contrib" / "mftpubsub").symlink_to(ROOT)
    configure: list[str | Path] = [
        "cmake",
        "-S",
        tree,
        "-B",
        tree / "out",
        f"-DPython3_EXECUTABLE={sys.executable}",
    ]
    done = subprocess.run(configure, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr
    calls: list[dict[str, list[str]]] = []
    for word in (tree / "out" / "said.txt").read_text().split():
        if word.startswith("build_lib"):
            calls.append({"call": [word]})
            keyword = "call"
        elif word in WORDS:
            keyword = word
            calls[-1][keyword] = []
        else:
            calls[-1][keyword].append(word)
    return calls


def names(paths: list[str]) -> set[str]:
    return {Path(path).name for path in paths}


@pytest.mark.slow
def test_the_module_has_every_source(asked: list[dict[str, list[str]]]) -> None:
    there = {path.name for path in CPP.rglob("*.cc") if path.parent.name not in ("examples", "daemon")}
    assert names(asked[0]["SOURCE_FILES"]) == there | {"source-hash.cc"}
    assert asked[0]["LIBNAME"] == ["mftpubsub"]


def test_the_module_has_every_suite(asked: list[dict[str, list[str]]]) -> None:
    """Each suite is called as its file, so that `./test.py -s 'mftpubsub-*'` finds all."""
    tests = {path.name for path in (ROOT / "tests" / "cpp").glob("*-test.cc")}
    found = names(asked[0]["TEST_SOURCES"])
    assert tests <= found
    assert all(name.startswith("search-") for name in found - tests)
    for name in tests:
        text = (ROOT / "tests" / "cpp" / name).read_text()
        assert f'"mftpubsub-{name.removesuffix("-test.cc")}"' in text, name


def test_the_module_needs_what_the_wheel_is_linked_with(asked: list[dict[str, list[str]]]) -> None:
    """By the text of the very file, in which ns-3 looks for dependencies."""
    text = (ROOT / "CMakeLists.txt").read_text()
    module = set(re.findall(r"\$\{lib([\w-]+)\}", text))
    wheel = set(re.findall(r"ns3::([\w-]+)", (CPP / "CMakeLists.txt").read_text()))
    assert module == wheel == set(asked[0]["LIBRARIES_TO_LINK"])


def test_each_example_is_the_modules(asked: list[dict[str, list[str]]]) -> None:
    examples = asked[1:]
    assert {call["NAME"][0] for call in examples} == {f"mftpubsub-{name}" for name in EXAMPLES}
    assert {path.stem for path in (CPP / "examples").glob("*.cc")} == {call["NAME"][0] for call in examples}
    assert {call["call"][1] for call in examples} == {"mftpubsub"}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "which tree?"),
        (["9.9"], "9.9 is no tree of ns-3's"),
        (["{tree}"], "another copy of this repository"),
    ],
)
def test_the_build_in_a_tree_says_what_it_lacks(tmp_path: Path, words: list[str], why: str) -> None:
    tree = tmp_path / "ns-3.44"
    (tree / "contrib" / "mftpubsub").mkdir(parents=True)
    (tree / "VERSION").write_text("3.44\n")
    (tree / "ns3").write_text("#!/bin/sh\nexit 1\n")
    (tree / "ns3").chmod(0o755)
    command: list[str | Path] = [ROOT / ".ci" / "ns3-tree", *(word.format(tree=tree) for word in words)]
    environment = {**os.environ, "NS3_TREES": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert why in done.stderr


def test_the_build_in_a_tree_finds_it_by_its_version(tmp_path: Path) -> None:
    """And links the repository into it, and asks for all of it."""
    tree = tmp_path / "anywhere"
    (tree / "contrib").mkdir(parents=True)
    (tree / "VERSION").write_text("3.44\n")
    for name in ("ns3", "test.py"):
        (tree / name).write_text(f'#!/bin/sh\necho {name} "$@" >> said.txt\n')
        (tree / name).chmod(0o755)
    environment = {**os.environ, "NS3_TREES": str(tmp_path), "JOBS": "1"}
    subprocess.run([ROOT / ".ci" / "ns3-tree", "3.44"], env=environment, check=True, capture_output=True)
    assert (tree / "contrib" / "mftpubsub").resolve() == ROOT.resolve()
    said = (tree / "said.txt").read_text()
    asked_for = ("configure", "--enable-modules=mftpubsub", "build -j1", "--suite=mftpubsub-*")
    assert all(word in said for word in (*asked_for, *(f"mftpubsub-{name}" for name in EXAMPLES)))


def test_models_of_movement_can_be_copied() -> None:
    """As ns-3 asks from 3.46 on; the wheel's 3.44 would not notice."""
    headers = [path.read_text() for path in CPP.rglob("*.h")]
    models = [text for text in headers if re.search(r"public ns3::\w*MobilityModel", text)]
    assert len(models) >= 2
    assert all("ns3::Ptr<ns3::MobilityModel> Copy() const;" in text for text in models)


def test_every_host_and_model_can_be_logged() -> None:
    """Whoever registers itself as an ns-3 type on the way of a frame has a component of NS_LOG."""
    logged = {path.stem for path in CPP.rglob("*.cc") if "NS_LOG_COMPONENT_DEFINE" in path.read_text()}
    hosts = {path.stem for path in (CPP / "hosts").glob("*-node.cc")}
    movements = {path.stem for path in (CPP / "wsn").glob("*-mobility-model.cc")}
    ports = {"any-port", "lr-wpan-port", "wifi-port"}  # the CC2420's is a device that is logged
    assert len(movements) == 2
    assert (
        hosts
        | movements
        | ports
        | {"radio-host", "acked-net-device", "wsn-net-device", "csma-mac", "radio", "wireless-channel"}
        <= logged
    )


def ns3_include() -> Path:
    spec = importlib.util.find_spec("ns3")
    assert spec
    assert spec.submodule_search_locations
    return Path(next(iter(spec.submodule_search_locations))) / "include"


@pytest.mark.programs
def test_headers_stand_alone(asked: list[dict[str, list[str]]], tmp_path: Path) -> None:
    """Those of ns3/mftpubsub-module.h without our folders, as ns-3's Python bindings read them."""
    for keyword, folders in (("HEADER_FILES", []), ("PRIVATE_HEADER_FILES", [f"-I{CPP}"])):
        for header in asked[0][keyword]:
            source = tmp_path / "alone.cc"
            source.write_text(f'#include "{ROOT / header}"\n')
            command = ["g++", "-std=c++20", "-fsyntax-only", "-Wall", "-Werror", *folders]
            done = subprocess.run(
                [*command, "-isystem", ns3_include(), source], capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, f"{header}: {done.stderr[:2000]}"


PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(script LANGUAGES CXX)
find_package(mftpubsub REQUIRED)
add_executable(script {source} devices.cc)
target_link_libraries(script PRIVATE mftpubsub::mftpubsub)
"""
#: What a script needs of ns-3 that runs on the devices of the guide.
DEVICES = """
#include "ns3/csma-net-device.h"
#include "ns3/lr-wpan-net-device.h"
#include "ns3/wifi-net-device.h"
const ns3::TypeId DEVICES[] = {ns3::CsmaNetDevice::GetTypeId(),
                               ns3::lrwpan::LrWpanNetDevice::GetTypeId(),
                               ns3::WifiNetDevice::GetTypeId()};
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example of the mesh and what devices need, built against the installed package alone."""
    folder = tmp_path_factory.mktemp("script")
    (folder / "CMakeLists.txt").write_text(PROJECT.format(source=CPP / "examples" / "mftpubsub-mesh.cc"))
    (folder / "devices.cc").write_text(DEVICES)
    told = CliRunner().invoke(app, ["cmake-dir"]).stdout.strip()
    assert Path(told) == package_file("cmake")
    build = folder / "out"
    commands: list[list[str | Path]] = [
        ["cmake", "-S", folder, "-B", build, f"-Dmftpubsub_DIR={told}"],
        ["cmake", "--build", build],
    ]
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return build / "script"


@pytest.mark.programs
def test_a_script_is_built_with_the_installed_package(script: Path, tmp_path: Path) -> None:
    environment = {name: text for name, text in os.environ.items() if name != "LD_LIBRARY_PATH"}
    done = subprocess.run(
        [script, "--seconds=30"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    *deliveries, last = done.stdout.splitlines()
    assert re.fullmatch(r"mft-mesh: (\d+) deliveries, mean delay \+\S+ms", last)
    assert len(deliveries) == int(last.split()[1]) > 0


@pytest.mark.programs
def test_a_script_s_trace_is_a_run_of_a_study(script: Path, tmp_path: Path) -> None:
    trace = tmp_path / "run.trace"
    done = subprocess.run(
        [script, "--seconds=30", f"--trace={trace}"], capture_output=True, text=True, check=True
    )
    delivered = int(done.stdout.splitlines()[-1].split()[1])
    assert len(read_trace(trace).query("layer == 'app' and kind == 'DELIVER'")) == delivered
    keys = "protocol=mft-mesh,config=yard,speed=2,seed=1"
    study = tmp_path / "study"
    command = ["ingest-ns3", str(study), "--run", keys, "--trace", str(trace)]
    assert CliRunner().invoke(app, command).exit_code == 0
    told = json.loads(next(study.rglob("run.json")).read_text())
    assert told["unknown"] == ["reachable_pairs", "reachable", "delivered_of_reachable"]
    assert CliRunner().invoke(app, ["ingest", str(study)]).exit_code == 0
    (run,) = StudyResults(study).runs.to_dict("records")
    assert run["delivered_pairs"] == delivered
    assert 0 < run["delivery_rate_strict"] <= 1


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda text: text[: len(text) // 2], "line|END"),
        (lambda text: text.replace("# mftpubsub-trace", "# some-trace"), "line 1: .* instead of"),
        (lambda text: text.replace(" PUBLISH ", " PUBLISH many ", 1), "line 2"),
        (
            lambda text: text.replace("app PUBLISH", "app PUBLISH - 10 0 0 - -\n+ 0.5 0 app PUBLISH"),
            "line 3.* earlier",
        ),
        (lambda _: "", "line 1"),
    ],
)
def test_a_trace_that_is_none_leaves_nothing(tmp_path: Path, change: object, why: str) -> None:
    header = "# mftpubsub-trace 1 op time_s node layer kind peer bytes publisher sequence subscriber hops\n"
    text = header + "+ 1.000000000 0 app PUBLISH - 10 0 0 - -\n- 2.000000000 - run END - - - - - -\n"
    trace = tmp_path / "run.trace"
    trace.write_text(change(text))  # type: ignore[operator]
    keys = "protocol=p,config=c,speed=0,seed=1"
    done = CliRunner().invoke(
        app, ["ingest-ns3", str(tmp_path / "out"), "--run", keys, "--trace", str(trace)]
    )
    assert done.exit_code != 0
    assert re.search(rf"run\.trace.*({why})", str(done.exception), re.DOTALL)
    assert [*(tmp_path / "out").rglob("run.json")] == []
