"""`mftpubsub study`: the same four steps for studies of every kind."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from mftpubsub.cli.main import app

pytestmark = pytest.mark.usefixtures("one_kind_of_picture")

STUDIES = {
    "radio": """
protocols: [mft-pubsub, flooding]
speeds: [2]
seeds: 2
duration: 30
configurations: {C2: {area: [35, 35], nodes: [{count: 2, roles: [publisher]},
  {count: 2, roles: [subscriber]}, {count: 2, roles: [broker]}]}}
""",
    "reconfiguration": """
seeds: 2
base: {publish_rate: 1, dispatchers: {count: 12}}
series: {rate: {protocols: [strawman, tdu], vary: reconfiguration.rate, values: [1.0, 5.0]}}
""",
    "handoff": """
groups: {small: {schemes: [durable, reactive], mobility: [random], subscribers: [5], buffer_events: [16],
  rates: [1.0], seeds: 2}}
""",
}

#: Of a protocol in the report.
NAMES = {"radio": "flooding", "reconfiguration": "strawman", "handoff": "durable"}


def call(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["study", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.spark
@pytest.mark.parametrize("kind", STUDIES)
def test_four_steps_make_a_report_of_a_study(kind: str, tmp_path: Path) -> None:
    config, out = tmp_path / "mine.yaml", tmp_path / "out"
    config.write_text(STUDIES[kind])

    call("run", config, "--out", out, "--workers", 1)
    call("tables", out, "--master", "local[1]")
    drawn = CliRunner().invoke(app, ["study", "figures", str(out)])
    if kind == "handoff":
        assert "has no runs that a figure of its source is drawn of" in str(drawn.exception)
    else:
        assert drawn.exit_code == 0, drawn.output
        assert [*out.glob("figures/*.png")]
    assert str(out / "report.md") in call("report", out).split()

    text = (out / "report.md").read_text()
    assert f"| {NAMES[kind]} |" in text


def test_a_file_that_is_no_study_is_told(tmp_path: Path) -> None:
    config = tmp_path / "scenario.yaml"
    config.write_text("area: [10, 10]\nnodes: []\n")
    result = CliRunner().invoke(app, ["study", "run", str(config), "--out", str(tmp_path / "out")])
    assert result.exit_code != 0
    assert "no study: it needs one of the keys series, groups, configurations" in str(result.exception)


def test_a_folder_without_a_study_is_told(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["study", "report", str(tmp_path)])
    assert "holds no study: `mftpubsub study run CONFIG --out " in str(result.exception)
