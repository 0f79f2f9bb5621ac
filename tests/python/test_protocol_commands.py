"""`mftpubsub protocol`: what is begun works, and what depends on a process is found."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mftpubsub import Broker, Group, Publisher, Subscriber
from mftpubsub.cli import protocol
from mftpubsub.cli.main import app, main
from mftpubsub.protocols.naming import parse
from mftpubsub.runs import check_protocol

pytestmark = pytest.mark.programs

EXAMPLES = Path(__file__).parents[2] / "python" / "examples" / "protocols"
NODES = [Group(1, [Publisher(rate=4.0, stop=3.0)]), Group(4, [Broker(), Subscriber()])]
FLOOD = (EXAMPLES / "flooding.py").read_text(encoding="utf-8")


def called(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The command in a folder, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "mftpubsub", "protocol", *words],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        capture_output=True,
        text=True,
    )


Called = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Called:
    """The same in this process, whose start takes longer than most of what is asked."""

    def call(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
        monkeypatch.chdir(folder)
        monkeypatch.setattr("sys.argv", ["mftpubsub", "protocol", *words])
        monkeypatch.setattr("sys.path", [path for path in sys.path if path])  # "" is this folder
        with pytest.raises(SystemExit) as ended:
            main()
        told = capsys.readouterr()
        return subprocess.CompletedProcess(words, int(ended.value.code or 0), told.out, told.err)

    return call


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four seconds of a smaller network, for what each frame shows."""
    usual = check_protocol.scenario_of_check
    monkeypatch.setattr(
        check_protocol, "scenario_of_check", lambda *of: usual(*of).replace(duration=4.0, nodes=NODES)
    )


def test_each_seed_is_checked_in_two_processes(here: Called, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "_SCHEDULES", protocol._SCHEDULES // 10)
    done = here(EXAMPLES, "check", "flooding:Flood")
    assert done.returncode == 0, done.stderr + done.stdout
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == [
        "seed 1",
        "seed 2",
        "200 random schedules of four devices",
    ]


@pytest.mark.usefixtures("short")
def test_what_depends_on_hashes_is_found_with_the_line(tmp_path: Path, here: Called) -> None:
    late = "self.set_timer(Forward(event, hops), hash('x') % 1000 / 20000)"
    usual = "self.set_timer(Forward(event, hops), self.random.uniform(0, self.jitter))"
    assert usual in FLOOD
    (tmp_path / "hashing.py").write_text(FLOOD.replace(usual, late), encoding="utf-8")
    done = here(tmp_path, "check", "hashing:Flood")
    assert done.returncode == 1
    told = done.stdout.splitlines()
    assert told[0].startswith("seed 1: line ")
    assert told[1].startswith("  PYTHONHASHSEED=1: ")
    assert told[2].startswith("  PYTHONHASHSEED=2: ")
    assert told[1][19:] != told[2][19:]


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize(
    ("name", "late"),
    [
        ("drawing", "random.random() / 20"),
        ("looking", "0.01 + time.time_ns() // 3_600_000_000_000 % 24 / 1000"),
        ("counting", "0.01 + time.monotonic() // 3600 % 24 / 1000"),
        ("reading", "0.01 + time.localtime().tm_hour / 1000"),
        ("printing", "0.01 + int(time.strftime('%H')) / 1000"),
        ("dating", "0.01 + datetime.now(UTC).hour / 1000"),
    ],
)
def test_what_depends_on_other_draws_or_on_the_clock_is_found(
    name: str, late: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though both processes begin in the same hour, or in its last minute."""
    code = FLOOD.replace("self.random.uniform(0, self.jitter)", late)
    code = code.replace("\n\n\n", "\nimport random\nimport time\nfrom datetime import UTC, datetime\n\n\n", 1)
    (tmp_path / f"{name}.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    answers = [answer for _, answer in check_protocol.check_seeds(parse(f"{name}:Flood"))]
    assert all(isinstance(answer, check_protocol.Difference) for answer in answers)


def test_what_devices_share_is_found(tmp_path: Path) -> None:
    shared = FLOOD.replace("self.seen = set()", "pass").replace("self.seen", "Flood.by_all")
    assert shared.count("by_all") == 2
    shared += "\n\nFlood.by_all = set()\n"
    (tmp_path / "sharing.py").write_text(shared, encoding="utf-8")
    done = called(tmp_path, "check", "sharing:Flood")
    assert done.returncode == 1
    assert "which all devices share" in done.stderr


def test_a_library_hides_no_module_of_the_same_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python looks for flood.so before flood.py."""
    made: list[tuple[str, str]] = []
    monkeypatch.setattr("mftpubsub.simulator.own_code.build", lambda *names: made.append(names))
    (tmp_path / "flood.cc").touch()
    done = CliRunner().invoke(app, ["protocol", "build", str(tmp_path / "flood.cc")])
    assert made == [(str(tmp_path / "flood.cc"), str(tmp_path / "libflood.so"))]
    assert done.output.replace("\n", "") == str(tmp_path / "libflood.so")


def test_a_protocol_that_raises_is_told(tmp_path: Path, here: Called) -> None:
    (tmp_path / "failing.py").write_text(FLOOD.replace("self.seen.add", "self.sen.add"), encoding="utf-8")
    done = here(tmp_path, "check", "failing:Flood")
    assert done.returncode == 1
    assert done.stderr.startswith("mftpubsub: Flood.publish at node ")
    assert "AttributeError" in done.stderr


def test_a_name_that_is_none_is_refused(tmp_path: Path, here: Called) -> None:
    for name in ("nowhere:Flood", "aodvv"):
        done = here(tmp_path, "check", name)
        assert done.returncode == 2, name
        assert done.stderr.startswith("mftpubsub: "), name


@pytest.mark.parametrize(
    ("jitter", "code", "told"),
    [
        ("Draw()", 0, "seed 1: the same trace in two processes"),
        ("std::random_device{}() / 4294967296.0", 1, "What a protocol draws, Draw() gives"),
        ("(std::raise(SIGKILL), 0.0)", 1, "mftpubsub: the process died: SIGKILL"),
    ],
)
def test_a_protocol_in_c_plus_plus_is_checked_by_its_file_and_name(
    jitter: str, code: int, told: str, tmp_path: Path, short: None, here: Called
) -> None:
    text = (EXAMPLES / "flood.cc").read_text(encoding="utf-8").replace("Draw()", jitter)
    (tmp_path / "flood.cc").write_text(f"#include <csignal>\n#include <random>\n{text}", encoding="utf-8")
    done = here(tmp_path, "check", "flood.cc:flood-cc")
    assert done.returncode == code, done.stderr + done.stdout
    assert told in done.stdout + done.stderr


def test_a_c_plus_plus_file_needs_a_name(tmp_path: Path, here: Called) -> None:
    done = here(tmp_path, "check", "flood.cc")
    assert done.returncode == 2
    assert "as in flood.cc:NAME" in done.stderr


def test_what_is_begun_passes_its_test(tmp_path: Path, here: Called) -> None:
    done = here(tmp_path, "new", "my-flood")
    assert done.stdout.split() == ["my_flood.py", "test_my_flood.py", "my_flood.txt"]
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q"], cwd=tmp_path, capture_output=True, text=True
    )
    assert tested.returncode == 0, tested.stdout
    played = subprocess.run(
        [sys.executable, "-P", "-m", "mftpubsub", "lab", "my_flood.txt"], cwd=tmp_path, capture_output=True
    )
    assert played.returncode == 0, played.stdout


def test_what_is_there_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("test_my_flood.py").write_text("mine", encoding="utf-8")
    refused = CliRunner().invoke(app, ["protocol", "new", "my-flood"])
    assert "test_my_flood.py: already there" in str(refused.exception)
    assert [path.name for path in tmp_path.iterdir()] == ["test_my_flood.py"]


@pytest.mark.parametrize("name", ["My Flood", "../flood", "1st", "flood-"])
def test_a_name_that_cannot_be_a_module_s_is_refused(name: str) -> None:
    refused = CliRunner().invoke(app, ["protocol", "new", name])
    assert refused.exit_code == 2
    assert "small letters and digits" in refused.output


def test_a_name_of_a_protocol_that_ships_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    refused = CliRunner().invoke(app, ["protocol", "new", "flooding"])
    assert refused.exit_code == 2
    assert "flooding is a protocol that ships" in refused.output
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("name", ["json", "class", "pandas"])
def test_a_name_that_another_module_has_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refused = CliRunner().invoke(app, ["protocol", "new", name])
    assert refused.exit_code == 2
    assert f"{name}.py would not be what" in refused.output
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("name", "more"), [("data", []), ("static", []), ("route", ["--brokers"]), ("none", []), ("broker", [])]
)
def test_a_name_whose_class_the_files_need_for_something_else_is_refused(
    name: str, more: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refused = CliRunner().invoke(app, ["protocol", "new", name, *more])
    assert refused.exit_code == 2
    assert f"{name}: its class would be {name.capitalize()}" in refused.output
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("name", ["route", "every"])
def test_words_of_prose_and_names_of_the_other_files_are_free(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(app, ["protocol", "new", name]).exit_code == 0
