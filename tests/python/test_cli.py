"""The command line as a whole: names misspelt, and silence if it is wanted."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from made_up import study
from typer.testing import CliRunner

from mftpubsub import notes
from mftpubsub.cli.main import app, main
from mftpubsub.errors import MftPubsubError

CONFIGS = Path(__file__).parents[2] / "configs"
QUICK = f"{CONFIGS}/quick.yaml"

MISSPELT = {
    "swep x": "Did you mean 'sweep'?",
    "handoff anlytic": "Did you mean 'analytic'?",
    "doctor --hlp": "--help",
    f"run {QUICK} --protcol aodv": "--protocol",
    f"run {QUICK} --protocol aodb --config C2 --speed 2": "no protocol 'aodb'; did you mean 'aodv'?",
    f"run {QUICK} --protocol aodv --config CC8 --speed 2": "no configuration 'CC8'; did you mean 'C8'?",
    "handoff run --scheme durabel": "no scheme 'durabel'; did you mean 'durable'?",
    "reconfigure x.json --protocol strawmen": "no protocol 'strawmen'; did you mean 'strawman'?",
}


@pytest.mark.slow
@pytest.mark.parametrize("command", MISSPELT)
def test_a_misspelt_name_is_refused_with_the_one_that_was_meant(command: str) -> None:
    told = CliRunner().invoke(app, command.split(), env={"COLUMNS": "200"})
    assert told.exit_code
    said = str(told.exception) if isinstance(told.exception, MftPubsubError) else told.output
    assert MISSPELT[command] in said


def test_what_lacks_to_choose_a_run_is_listed() -> None:
    told = CliRunner().invoke(app, ["run", QUICK, "--config", "C8"])
    assert "choose a run by --protocol (mft-pubsub, aodv), --speed (2, 8)" in str(told.exception)


def test_of_a_single_scenario_it_is_said_how_it_is_swept(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text("area: [60, 60]\nnodes: [{count: 2, roles: [broker]}]\n")
    told = CliRunner().invoke(app, ["sweep", str(tmp_path / "one.yaml"), "--out", str(tmp_path / "out")])
    assert "`mftpubsub run` runs and `Scenario.from_yaml` reads; to sweep it, put its `area`" in str(
        told.exception
    )


def test_quiet_leaves_results_and_errors(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notes, "_quiet", False)
    notes.tell("half of it")
    assert capsys.readouterr() == ("", "half of it\n")
    told = CliRunner().invoke(app, ["--quiet", "handoff", "analytic", "--json"])
    assert told.output.startswith("{")
    notes.tell("all of it")
    notes.console().print("a bar")
    assert capsys.readouterr() == ("", "")


def test_a_single_scenario_has_no_other_network(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text(
        "area: [60, 60]\nnodes: [{count: 2, roles: [broker]}]\nmobility: {model: static}\n"
    )
    told = CliRunner().invoke(app, ["run", str(tmp_path / "one.yaml"), "--config", "C8"])
    assert "a single scenario, 'custom': --config chooses a network of a study" in str(told.exception)


def test_what_made_nothing_is_not_told(tmp_path: Path) -> None:
    told = CliRunner().invoke(app, ["provenance", str(tmp_path / "nope")])
    assert told.exit_code
    assert "nope has neither studies nor tables" in str(told.exception)


@pytest.mark.slow
@pytest.mark.parametrize("step", ["figures", "report", "claims"])
@pytest.mark.parametrize("code", [errno.EACCES, errno.EROFS])
def test_a_folder_that_is_only_read_is_told_in_one_line(
    step: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a user other than root sees it, to whom alone the tables belong."""
    folder = study(tmp_path / "study", configs=("C2",), speeds=(2.0, 8.0), seeds=3)

    def refused(path: Path, **_: object) -> None:
        raise OSError(code, "no", str(path))

    monkeypatch.setattr(Path, "mkdir", refused)
    monkeypatch.setattr("sys.argv", ["mftpubsub", step, str(folder)])
    with pytest.raises(SystemExit) as exit_:
        main()
    assert exit_.value.code == 2
    told = capsys.readouterr().err
    assert told.startswith(f"mftpubsub: {folder}/")
    assert told.endswith("no: choose a place of your own\n")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_an_output_that_takes_no_more_is_told_in_one_line(unbuffered: str) -> None:
    program = Path(sys.executable).with_name("mftpubsub")
    environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [program, "cmake-dir"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            check=False,
        )
    said = "mftpubsub: standard output: No space left on device: nothing more was written\n"
    assert (done.returncode, done.stderr) == (1, said)


def test_what_else_goes_wrong_is_no_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "mftpubsub.cli.main.app", lambda: (_ for _ in ()).throw(OSError(errno.ENXIO, "broken"))
    )
    with pytest.raises(OSError, match="broken"):
        main()


@pytest.mark.parametrize(
    "command",
    [
        "verify DIR --only KEY=1 --only KEY=2",
        "figures DIR --metric frames --label KEY=1 --label KEY=2",
        "run DIR --at KEY=1 --at KEY=2",
        "ingest-ns3 DIR --run KEY=1,KEY=2",
        "live merge DIR --out DIR --run KEY=1,KEY=2",
    ],
)
def test_a_key_that_is_given_twice_is_refused(command: str) -> None:
    """The last one counted."""
    said = CliRunner().invoke(app, command.split())
    assert said.exit_code == 2
    assert "KEY is given twice, '1' and '2'" in " ".join(said.output.replace("│", " ").split())
