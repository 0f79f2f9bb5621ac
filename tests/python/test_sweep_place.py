"""Where sweeps put runs: a folder of this machine, with one kind of study."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from itertools import permutations
from pathlib import Path

import pytest
from test_handoff_study import STUDY as HANDOFFS
from typer.testing import CliRunner

import mftpubsub
from mftpubsub.cli.main import app
from mftpubsub.errors import MftPubsubError
from mftpubsub.sources.cugola.study import OverlayStudy, sweep_study
from mftpubsub.sources.gaddah import study as gaddah
from mftpubsub.sweeps import run_study

CONFIGS = Path(__file__).parents[2] / "configs"
#: By kind of study what a run is called, and a sweep that has yet to run everything.
SWEEPS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "the radio": (
        "protocol=aodv/config=C8/speed=2/seed=1/run.json",
        lambda out: run_study(mftpubsub.load(CONFIGS / "quick.yaml"), out),
    ),
    "reconfiguration": (
        "series=depth/seed=1.parquet",
        lambda out: sweep_study(OverlayStudy.from_yaml(CONFIGS / "cugola.yaml"), out),
    ),
    "hand-offs": ("0123456789abcdef.json", lambda out: gaddah.sweep(HANDOFFS, out)),
}


@pytest.fixture(autouse=True)
def _nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a folder is taken by mistake no test takes hours."""
    for name in ("sweeps.sweep", "sources.cugola.study", "sources.gaddah.study"):
        monkeypatch.setattr(import_module(f"mftpubsub.{name}"), "run_here", lambda *_: (_ for _ in ()))


@pytest.mark.parametrize(("kind", "there"), [*permutations(SWEEPS, 2)])
def test_a_folder_with_runs_of_another_kind_of_study_is_refused(
    kind: str, there: str, tmp_path: Path
) -> None:
    """Its tables and its kept file would be the newer study's, and reports of the older one be refused."""
    run = tmp_path / "runs" / SWEEPS[there][0]
    run.parent.mkdir(parents=True)
    run.touch()
    with pytest.raises(
        MftPubsubError, match=f"is a run of a study of {there}, and this study is of {kind}: choose another"
    ):
        SWEEPS[kind][1](tmp_path)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [run]


@pytest.mark.parametrize(
    "command",
    [
        ["handoff", "sweep", str(CONFIGS / "gaddah.yaml"), "--out"],
        ["cugola", str(CONFIGS / "cugola.yaml"), "--out"],
        ["study", "run", str(CONFIGS / "quick.yaml"), "--out"],
        ["live", "merge", "node-0.trace", "--out"],
        ["live", "try", "site.yaml", "--out"],
        ["ingest-ns3", "--run", "protocol=p,config=c,speed=0,seed=1"],
    ],
    ids=lambda command: "-".join(command[:2]),
)
def test_commands_that_want_a_folder_of_this_machine_refuse_a_url(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They made a folder `s3:` below the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "site.yaml").write_text("network: garden\n")
    done = CliRunner().invoke(app, [*command, "s3://bucket/study"])
    assert "'s3:/bucket/study' is no path of this machine" in str(done.exception)
    assert not (tmp_path / "s3:").exists()
