"""Runs: reproducible, complete or absent, and equal conditions for every protocol."""

from __future__ import annotations

import copy
import gzip
import json
import pickle
import re
import resource
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import mftpubsub
from mftpubsub import policies
from mftpubsub.runs.run import describe, git_commit, run_to_directory
from mftpubsub.scenario.roles import Role
from mftpubsub.simulator.library import code_version

CONFIG = Path(__file__).parents[2] / "configs" / "thesis.yaml"
PROTOCOLS = ["mft-pubsub", "aodv"]


def scenario(protocol: str, **changes: object) -> mftpubsub.Scenario:
    """C8 at 8 m/s, cut short."""
    case = mftpubsub.load(CONFIG).case(protocol=protocol, config="C8", speed=8, seed=1)
    return case.replace(duration=30.0, publisher=case.publisher.model_copy(update={"stop": 20.0}), **changes)


def records(result: mftpubsub.Result, layer: str, *kinds: str) -> pd.DataFrame:
    trace = result.to_pandas()
    return trace[(trace.layer == layer) & trace.kind.isin(kinds)].reset_index(drop=True)


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_same_scenario_gives_the_same_trace_here_and_in_another_process(
    protocol: str, tmp_path: Path
) -> None:
    case = scenario(protocol)
    here = [mftpubsub.run(case, tmp_path / name).trace.read_bytes() for name in ("a.gz", "b.gz")]
    (tmp_path / "case.json").write_text(case.model_dump_json())
    code = (
        "import sys, mftpubsub; from pathlib import Path;"
        "case = mftpubsub.Scenario.model_validate_json(Path(sys.argv[1]).read_text());"
        "mftpubsub.run(case, sys.argv[2])"
    )
    subprocess.run([sys.executable, "-c", code, tmp_path / "case.json", tmp_path / "c.gz"], check=True)
    assert here[0] == here[1] == (tmp_path / "c.gz").read_bytes()


class Asked(policies.ParentPolicy):
    """In whose method Python may go on with another thread."""

    def choose(self, me: policies.Me, current: Any, candidates: Any) -> Any:
        time.sleep(0)
        return self.default(me, current, candidates)


def test_runs_of_several_threads_are_what_they_are_alone() -> None:
    cases = [scenario("mft-pubsub", parent_policy=Asked()).replace(seed=seed) for seed in (1, 2, 3)]
    with ThreadPoolExecutor(3) as pool:
        together = [*pool.map(mftpubsub.run, cases)]
    for case, result in zip(cases, together, strict=True):
        assert result.trace.read_bytes() == mftpubsub.run(case).trace.read_bytes()


def test_a_fork_does_not_wait_for_a_thread_that_it_has_not() -> None:
    case, answers = scenario("mft-pubsub"), get_context("fork").SimpleQueue()

    def run_in_fork(_: object) -> None:
        child = get_context("fork").Process(target=lambda: answers.put(try_run(case)))
        with ThreadPoolExecutor(1) as pool:
            pool.submit(child.start).result()
        child.join(60)
        child.kill()

    mftpubsub.run(case, observers=[mftpubsub.At([10], run_in_fork)])
    assert not answers.empty()
    assert "one simulator" in answers.get()


def try_run(case: mftpubsub.Scenario) -> str:
    try:
        return str(mftpubsub.run(case))
    except mftpubsub.RunError as error:
        return str(error)


@pytest.mark.slow
def test_a_process_that_aborts_says_what_was_said_and_no_more(tmp_path: Path) -> None:
    (tmp_path / "case.json").write_text(scenario("mft-mesh").model_dump_json())
    code = (
        "import os, sys, mftpubsub; from pathlib import Path;"
        "case = mftpubsub.Scenario.model_validate_json(Path(sys.argv[1]).read_text());"
        "fail = lambda snapshot: os.write(2, b'as ns-3 does') and os.abort();"
        "mftpubsub.run(case, observers=[mftpubsub.At([1.0], fail)])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "case.json"], capture_output=True, text=True
    )
    assert ended.returncode == -signal.SIGABRT
    assert (ended.stdout, ended.stderr) == ("", "as ns-3 does")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_another_seed_gives_another_trace(protocol: str) -> None:
    first, second = (mftpubsub.run(scenario(protocol, seed=seed)) for seed in (1, 2))
    assert not records(first, "app", "PUBLISH").equals(records(second, "app", "PUBLISH"))


def test_every_protocol_gets_the_same_traffic_and_the_same_movement() -> None:
    results = [mftpubsub.run(scenario(protocol)) for protocol in PROTOCOLS]
    for kinds in (("app", "PUBLISH", "SEND"), ("bound", "REACHABLE")):  # the bound follows from movement
        first, second = (records(result, *kinds) for result in results)
        assert len(first) > 0
        pd.testing.assert_frame_equal(first, second)


def test_a_run_folder_is_complete(tmp_path: Path) -> None:
    case = scenario("mft-pubsub")
    folder = run_to_directory(case, tmp_path)
    assert folder == tmp_path / "protocol=mft-pubsub" / "config=C8" / "speed=8" / "seed=1"
    metadata = json.loads((folder / "run.json").read_text())
    assert metadata["fingerprint"] == case.fingerprint()
    assert metadata["code"] == code_version()
    assert metadata["trace_bytes"] == (folder / "trace.gz").stat().st_size
    with gzip.open(folder / "trace.gz", "rt") as trace:
        lines = trace.read().splitlines()
    assert lines[0].startswith("# mftpubsub-trace 1 op time_s node")
    assert lines[-1] == "- 30.000000000 - run END - - - - - -"
    assert [path.name for path in tmp_path.iterdir()] == ["protocol=mft-pubsub"]
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert run_to_directory(case, tmp_path) == folder  # as an executor that had been given up
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before


def test_a_run_json_says_what_the_run_took(tmp_path: Path) -> None:
    result = mftpubsub.run(scenario("mft-pubsub"), tmp_path / "trace.gz")
    told = describe(result)
    cost = result.cost
    assert (told["wall_s"], told["cpu_s"], told["events"]) == (cost.wall_s, cost.cpu_s, cost.events)
    assert cost.wall_s != cost.cpu_s


@pytest.mark.parametrize("key", ["fingerprint", "code"])
def test_a_run_of_other_code_is_not_simulated_anew(tmp_path: Path, key: str) -> None:
    folder = run_to_directory(scenario("mft-pubsub"), tmp_path)
    assert mftpubsub.open_run(folder).rerun_obstacle == ""
    told = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(told | {key: "0" * 64}))
    result = mftpubsub.open_run(folder)
    assert result.rerun_obstacle == "it was run by other code"
    with pytest.raises(mftpubsub.QueryError, match="it was run by other code"):
        result.snapshot(1.0)


class StopHereError(Exception):
    """Raised by an observer."""


def test_a_run_that_is_stopped_leaves_nothing_and_the_next_one_is_undisturbed(tmp_path: Path) -> None:
    case = scenario("mft-pubsub")
    whole = mftpubsub.run(case, tmp_path / "whole.gz").trace.read_bytes()

    def stop(seconds: float) -> None:
        if seconds > 10:
            raise StopHereError

    with pytest.raises(StopHereError):
        mftpubsub.run(case, tmp_path / "stopped.gz", stop)
    assert [path.name for path in tmp_path.iterdir()] == ["whole.gz"]
    assert mftpubsub.run(case, tmp_path / "again.gz").trace.read_bytes() == whole


@pytest.mark.parametrize("is_at_the_end", [False, True])
def test_a_full_disk_is_told_with_the_file_and_leaves_nothing(tmp_path: Path, is_at_the_end: bool) -> None:
    case = scenario("mft-pubsub")
    size = mftpubsub.run(case).trace.stat().st_size
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size - 1 if is_at_the_end else 1000, limits[1]))
    try:
        with pytest.raises(mftpubsub.RunError, match=f"^{tmp_path}/a.gz cannot be written: File too large$"):
            mftpubsub.run(case, tmp_path / "a.gz")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert not list(tmp_path.iterdir())


def test_a_trace_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(mftpubsub.RunError, match=r"no/a\.gz cannot be written: No such file or directory"):
        mftpubsub.run(scenario("mft-pubsub"), tmp_path / "no" / "a.gz")


def test_a_result_is_whole_where_it_was_handed_to(tmp_path: Path) -> None:
    case = scenario("mft-pubsub")
    for trace in (None, tmp_path / "kept.gz"):
        here = mftpubsub.run(case, trace)
        content, packed, frames = here.trace.read_bytes(), pickle.dumps(here), here.metrics["frames"]
        copied = copy.deepcopy(here)
        del here
        there = pickle.loads(packed)
        assert there.metrics["frames"] == copied.to_pandas("frames").shape[0] == frames
        assert there.trace.read_bytes() == copied.trace.read_bytes() == content
        assert (there.trace == copied.trace) is (trace is not None)


def test_a_trace_may_have_any_name(tmp_path: Path) -> None:
    assert mftpubsub.run(scenario("mft-pubsub"), tmp_path / "a.trace").metrics["published"] > 0


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_metrics_of_a_run_hang_together(protocol: str) -> None:
    metrics = mftpubsub.run(scenario(protocol)).metrics
    assert metrics["published"] == 40
    assert metrics["sent_pairs"] == 40 * 8
    assert metrics["delivered_pairs"] <= metrics["matched_pairs"] <= metrics["sent_pairs"]
    assert metrics["delivered_pairs"] <= metrics["reachable_pairs"] <= metrics["sent_pairs"]
    assert metrics["delivered_pairs"] > 0
    lost = metrics["lost_by_cause"]
    assert metrics["delivered_pairs"] + sum(lost.values()) == metrics["sent_pairs"]
    assert (
        lost.get("UNSENT", 0) + lost.get("UNMATCHED", 0) == metrics["sent_pairs"] - metrics["matched_pairs"]
    )
    assert sum(metrics["frames_by_kind"].values()) == pytest.approx(metrics["frames_per_node"] * 18)


def test_all_roles_may_live_on_one_device() -> None:
    """T 4.5.1: any node may be broker, subscriber and publisher at once."""
    roles = ["broker", "subscriber", "publisher"]
    network = {"area": [20, 20], "nodes": [{"count": 3, "roles": roles, "at": [[1, 1], [9, 1], [1, 9]]}]}
    changes = {"mobility": {"model": "static"}, "speed": 0.0, "channel": {"shadowing": "pair", "sigma": 0}}
    for protocol in PROTOCOLS:
        metrics = mftpubsub.run(scenario(protocol).replace(**network, **changes)).metrics
        assert metrics["sent_pairs"] == 3 * 20 * 3
        assert metrics["delivered_pairs"] >= 0.95 * metrics["sent_pairs"]


def test_an_event_before_its_publisher_is_up_is_unsent() -> None:
    result = mftpubsub.run(scenario("aodv").replace(publisher=mftpubsub.Publisher(rate=1000, stop=0.1)))
    assert 0 < result.metrics["lost_by_cause"]["UNSENT"] < result.metrics["sent_pairs"]


def brokers(*roles: list[Role], **changes: Any) -> mftpubsub.Scenario:
    """Nodes that stand 20 m apart in a row and all hear their neighbours."""
    places = [(10.0 + 20 * i, 10.0) for i in range(len(roles))]
    return mftpubsub.Scenario(
        area=(100, 20),
        duration=40,
        nodes=[mftpubsub.Group(1, list(r), placement=[p]) for r, p in zip(roles, places, strict=True)],
        mobility=mftpubsub.Static(),
        channel=mftpubsub.Channel(shadowing="pair", sigma=0, bidirectional_sigma=0),
        **changes,
    )


def test_flooding_gives_subscribers_only_what_they_want() -> None:
    broker, few = mftpubsub.Broker(), mftpubsub.Publisher(event={"temp": 1})
    case = brokers(
        [broker, few],
        [broker, mftpubsub.Subscriber("temp > 0")],
        [mftpubsub.Subscriber("temp > 100")],
        protocol="flooding",
    )
    metrics = mftpubsub.run(case).metrics
    assert metrics["sent_pairs"] == metrics["delivered_pairs"] > 20


@pytest.mark.parametrize("protocol", ["cascading", "mft-pubsub", "mft-pubsub-r"])
def test_brokers_that_subscribe_may_be_neighbours(protocol: str) -> None:
    case = mftpubsub.Scenario(
        area=(45, 45),
        duration=60,
        speed=4,
        protocol=protocol,
        nodes=[
            mftpubsub.Group(3, [mftpubsub.Broker(), mftpubsub.Subscriber()]),
            mftpubsub.Group(1, [mftpubsub.Broker(), mftpubsub.Publisher()]),
        ],
    )
    assert mftpubsub.run(case).metrics["delivery_rate_strict"] > 0.9


def test_the_commit_of_a_project_that_only_has_the_package_installed_is_not_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / ".venv" / "run.py"
    installed.parent.mkdir()
    installed.touch()
    user = ["-c", "user.name=x", "-c", "user.email=x@y"]
    for command in (["init"], [*user, "commit", "--allow-empty", "--message=x"]):
        subprocess.run(["git", "-C", tmp_path, *command], check=True, capture_output=True)
    monkeypatch.setitem(git_commit.__globals__, "__file__", str(installed))
    assert git_commit() is None
    table = tmp_path / "results" / "best" / "table.csv"
    table.parent.mkdir(parents=True)
    table.write_text("as it was", encoding="utf-8")
    subprocess.run(["git", "-C", tmp_path, "add", installed, table], check=True)
    subprocess.run(["git", "-C", tmp_path, *user, "commit", "--message=y"], check=True, capture_output=True)
    commit = git_commit()
    assert re.fullmatch("[0-9a-f]{40}", str(commit))
    table.write_text("published anew", encoding="utf-8")
    assert git_commit() == commit
    installed.write_text("changed", encoding="utf-8")
    assert git_commit() == f"{commit}-dirty"
