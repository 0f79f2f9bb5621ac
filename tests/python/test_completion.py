"""What a shell offers: asked as shells ask."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mftpubsub.cli.main import app
from mftpubsub.protocols.catalogue import PROTOCOLS
from mftpubsub.scenario.study import load

ROOT = Path(__file__).parents[2]
QUICK = os.fspath(ROOT / "configs/quick.yaml")
THESIS = os.fspath(ROOT / "results/thesis")


def offered(*words: str) -> list[str]:
    """What bash is told after `words`, of which the last is not yet whole."""
    line = " ".join(["mftpubsub", *words])
    environment = {
        "_MFTPUBSUB_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words)),
        "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1",
    }
    said = CliRunner().invoke(app, [], env=environment, prog_name="mftpubsub")
    return said.stdout.split()


def test_protocols_of_the_study_are_offered() -> None:
    study = load(QUICK)
    assert offered("run", QUICK, "--protocol", "a") == [
        name for name in map(str, study.protocols) if name[0] == "a"
    ]


def test_all_protocols_are_offered_where_no_study_is_named() -> None:
    assert set(offered("run", "nope.yaml", "--protocol", "mft-")) == {
        name for name in PROTOCOLS if name.startswith("mft-")
    }


def test_configurations_are_offered() -> None:
    assert offered("run", QUICK, "--config", "C") == [*load(QUICK).configurations]


def test_metrics_are_offered() -> None:
    assert "delivery_rate_strict" in offered("table", THESIS, "--metric", "delivery")


@pytest.mark.parametrize(
    ("typed", "some"),
    [("sp", "speed_mps="), ("config=C", "config=C16"), ("config=C8,C1", "config=C8,C16")],
)
def test_keys_and_their_values_are_offered(typed: str, some: str) -> None:
    assert some in offered("table", THESIS, "--only", typed)


def test_keys_are_offered() -> None:
    assert offered("table", THESIS, "--across", "sp") == ["speed_mps"]


@pytest.mark.parametrize(
    ("typed", "some"),
    [
        (("handoff", "run", "--scheme", "re"), {"reactive", "rebeca"}),
        (("reconfigure", "world.json", "--protocol", "s"), {"strawman"}),
        (("reconfigure", "world.json", "--protocol", "r"), {"rp", "reconfiguration-path"}),
        (("sweep", QUICK, "--until", "delivery_rate_s"), {"delivery_rate_strict"}),
    ],
)
def test_names_are_offered_wherever_an_option_takes_one(typed: tuple[str, ...], some: set[str]) -> None:
    assert {*offered(*typed)} == some
