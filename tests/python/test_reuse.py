"""Runs that studies have in common: what they depend on, and taking them over."""

from __future__ import annotations

import errno
import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import mftpubsub
from mftpubsub.cli.main import app
from mftpubsub.errors import ConfigurationError, MftPubsubError
from mftpubsub.protocols.catalogue import PARTS
from mftpubsub.scenario.common import known_protocols, unused_parts
from mftpubsub.sweeps.sweep import run_study
from mftpubsub.trace.layout import TRACE

CONFIGS = Path(__file__).parents[2] / "configs"
#: Of each part something else than its default, which a run of a minute shows if it depends on it.
OTHERWISE: dict[str, dict[str, Any]] = {
    "overlay": {"heartbeat_interval": 3.0, "leader_timeout": 9.0, "rebroadcast_jitter": 0.5},
    "transport": {"retries": 2, "window": 1, "max_frame": 200},
    "aodv": {"attributes": {"HelloInterval": "3s"}, "arp": True},
    "olsr": {"attributes": {"HelloInterval": "5s"}, "arp": True},
    "dsdv": {"attributes": {"PeriodicUpdateInterval": "5s"}, "arp": True},
    "mft_pubsub": {"literal_children": True},
    "mft_pubsub_2": {"heartbeat_interval": 5.0, "max_frame": 400},
    "mft_mesh": {"heartbeat_max": 20.0, "forward_jitter": 0.2, "copies": 3, "few": 1, "scoping": False},
    "mpl": {"data_redundancy": 5, "data_interval": 1.0},
    "handoff": {"ping_interval": 3.0, "queue": 4},
    "epidemic": {"summary_interval": 7.0},
    "cascading": {"replay": False},
}
STUDY = """
protocols: [mft-pubsub, aodv]
speeds: [2]
seeds: 2
duration: 10
publisher: {{stop: 5}}
overlay: {{heartbeat_interval: {interval}, leader_timeout: {timeout}}}
configurations:
  C2:
    area: [35, 35]
    nodes: [{{count: 2, roles: [publisher]}}, {{count: 2, roles: [broker, subscriber]}}]
"""


def refuses_small_frames(scenario: mftpubsub.Scenario) -> bool:
    """Whether the protocol has events that it cannot split."""
    try:
        scenario.replace(transport={"max_frame": 100})
    except mftpubsub.ConfigurationError as error:
        return "does not depend on it" not in str(error)
    return False


def otherwise(scenario: mftpubsub.Scenario, part: str) -> mftpubsub.Scenario:
    """The scenario with another part, which would be refused where the protocol does not use it."""
    return scenario.model_copy(update={part: getattr(scenario, part).model_copy(update=OTHERWISE[part])})


def trace(scenario: mftpubsub.Scenario, path: Path) -> bytes:
    mftpubsub.run(scenario, path)
    return gzip.decompress(path.read_bytes())


@pytest.mark.slow
@pytest.mark.parametrize("protocol", known_protocols())
def test_a_run_depends_on_its_protocols_parts_alone(protocol: str, tmp_path: Path) -> None:
    is_fixed = "handoff" not in unused_parts(protocol)
    study = mftpubsub.load(CONFIGS / ("fixed-brokers.yaml" if is_fixed else "thesis.yaml"))
    case = study.case(
        protocol=protocol, config=list(study.configurations)[-1 if is_fixed else 2], speed=8, seed=1
    )
    scenario = case.replace(duration=25.0, publisher={"start": 5.0, "stop": 20.0})
    usual = trace(scenario, tmp_path / TRACE)

    unused = [part for part in OTHERWISE if trace(otherwise(scenario, part), tmp_path / TRACE) == usual]
    if refuses_small_frames(scenario) and "transport" in unused:
        unused.remove("transport")

    assert sorted(OTHERWISE) == sorted(PARTS)
    assert sorted(unused) == sorted(unused_parts(protocol))


def study_of(folder: Path, interval: float) -> mftpubsub.Study:
    folder.mkdir(exist_ok=True)
    path = folder / "study.yaml"
    path.write_text(STUDY.format(interval=interval, timeout=3 * interval))
    return mftpubsub.load(path)


def files(out: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path.relative_to(out)): (path.stat().st_mtime_ns, path.read_bytes())
        for path in sorted(out.glob("runs/*/*/*/*/*"))
    }


@pytest.mark.slow
def test_a_study_takes_over_the_runs_that_do_not_depend_on_what_differs(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    run_study(study_of(one, 1.0), one, workers=1)
    study = study_of(other, 2.0)

    result = CliRunner().invoke(
        app, ["sweep", str(other / "study.yaml"), "--out", str(other), "--reuse", str(one), "--workers", "1"]
    )

    assert result.exit_code == 0
    assert "2 runs are those of" in result.stderr
    had, has = files(one), files(other)
    assert had.keys() == has.keys()
    assert {name for name in has if has[name] == had[name]} == {name for name in has if "=aodv/" in name}
    for name, (_, content) in has.items():
        if name.endswith("run.json"):
            told = json.loads(content)
            case = study.case(protocol=told["protocol"], config="C2", speed=2.0, seed=told["seed"])
            assert told["fingerprint"] == case.fingerprint()


def test_runs_are_copied_where_they_cannot_be_linked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EXDEV, "another file system")

    one, other = tmp_path / "one", tmp_path / "other"
    run_study(study_of(one, 1.0), one, workers=1)
    monkeypatch.setattr(os, "link", refuse)

    run_study(study_of(other, 1.0), other, workers=1, reuse=[one])

    assert files(other) == files(one)


def test_a_study_may_join_others_that_differ_in_what_its_own_protocols_never_use(tmp_path: Path) -> None:
    other = study_of(tmp_path, 2.0)
    run_study(other, tmp_path, protocols=["mft-pubsub"], workers=1)
    usual = study_of(tmp_path, 1.0)
    alone = usual.model_copy(update={"protocols": ["aodv"]})

    assert run_study(alone, tmp_path, workers=1) == []
    for protocols in (usual.protocols, ["mft-pubsub-r"], ["mft-pubsub-r", "aodv"]):
        joining = usual.model_copy(update={"protocols": protocols})
        with pytest.raises(MftPubsubError, match=r"heartbeat_interval was 2.0, is 1.0.* not mixed"):
            run_study(joining, tmp_path, workers=1)
    faster = alone.model_copy(update={"radio": alone.radio.model_copy(update={"tx_power": -5.0})})
    with pytest.raises(MftPubsubError, match=r"tx_power was 0, is -5.0"):
        run_study(faster, tmp_path, workers=1)


def test_runs_of_other_code_and_damaged_ones_are_not_taken_over(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    run_study(study_of(one, 1.0), one, workers=1)
    aodv = sorted(one.glob("runs/protocol=aodv/*/*/*/"))
    told = json.loads((aodv[0] / "run.json").read_text())
    (aodv[0] / "run.json").write_text(json.dumps(told | {"code": "other"}))
    with (aodv[1] / TRACE).open("ab") as file:
        file.write(b"more")

    run_study(study_of(other, 1.0), other, workers=1, reuse=[one])

    assert json.loads((other / aodv[0].relative_to(one) / "run.json").read_text())["code"] != "other"
    had, has = files(one), files(other)
    assert all(
        (has[name] == had[name]) == ("=aodv/" not in name) for name in has if name.endswith("run.json")
    )


def test_a_run_that_is_there_is_not_taken_from_elsewhere(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for out in (one, other):
        run_study(study_of(out, 1.0), out, workers=1)
    before = {path: path.stat().st_ino for path in other.glob("runs/*/*/*/*/*")}
    run_study(study_of(other, 1.0), other, workers=1, reuse=[one])
    assert {path: path.stat().st_ino for path in other.glob("runs/*/*/*/*/*")} == before


def test_a_folder_to_reuse_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigurationError, match=r"reuse: .*nowhere/runs is missing: name the --out of another"
    ):
        run_study(study_of(tmp_path / "one", 1.0), tmp_path / "one", reuse=[tmp_path / "nowhere"])
