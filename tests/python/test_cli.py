"""The command line as a whole: names misspelt, and silence if it is wanted."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from mftpubsub import notes
from mftpubsub.cli.main import app
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
    assert "a single scenario, which `mftpubsub run` runs; to sweep it, put its `area`" in str(told.exception)


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
