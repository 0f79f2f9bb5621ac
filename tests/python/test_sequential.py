"""Seeds until an interval is narrow, and what an interval is worth that was looked at more than once."""

from __future__ import annotations

from collections.abc import Iterable
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from mftpubsub import ConfigurationError
from mftpubsub.cli.main import app
from mftpubsub.scenario.study import Study
from mftpubsub.statistics import CONFIDENCE, half_width
from mftpubsub.sweeps import sequential
from mftpubsub.sweeps.sequential import Aim, confidence_at, counts, run_until

STUDY = """
protocols: [mft-pubsub, flooding]
configurations:
  C: {area: [60, 60], nodes: [{count: 5, roles: [broker, subscriber]}, {count: 1, roles: [publisher]}]}
speeds: [2]
seeds: 2
duration: 40
publisher: {stop: 30}
"""


def test_looks_double() -> None:
    assert [*counts(3, 20)] == [3, 6, 12, 20]
    assert [*counts(5, 5)] == [5]


def test_errors_of_all_looks_sum_to_no_more_than_one_interval_s() -> None:
    assert sum(1 - confidence_at(look) for look in range(1, 10_000)) < 1 - CONFIDENCE


def stopped(corrected: bool, draws: np.ndarray, aim: float) -> bool:
    """Whether the interval at which one stops holds the true mean, 0."""
    for look, n in enumerate(counts(3, len(draws)), 1):
        own = draws[:n]
        confidence = confidence_at(look) if corrected else CONFIDENCE
        width = half_width(float(own.std(ddof=1)), n, confidence)
        if width <= aim or n == len(draws):
            return bool(abs(own.mean()) <= width)
    raise AssertionError


def test_intervals_hold_as_often_as_they_should_only_when_corrected() -> None:
    random = np.random.default_rng(1)
    worlds = random.normal(size=(1000, 96))
    share = {each: np.mean([stopped(each, world, 0.6) for world in worlds]) for each in (True, False)}
    assert share[True] >= CONFIDENCE
    assert share[False] < 0.93


@pytest.mark.slow
def test_a_study_gets_the_seeds_that_it_needs(tmp_path: Path) -> None:
    study = Study.from_yaml(STUDY)
    table = run_until(study, tmp_path, ["delivery_rate_strict<=0.2"], most_seeds=8, workers=1)
    assert set(table.protocol) == {"mft-pubsub", "flooding"}
    rows: Iterable[Any] = table.itertuples()
    for row in rows:
        runs = list(tmp_path.glob(f"runs/*={row.protocol}/*/*/*/run.json"))
        assert len(runs) == row.n
        assert row.half_width <= 0.2 or row.n == 8
        assert row.is_narrow == (row.half_width <= 0.2)
    written = pd.read_csv(tmp_path / "sequential.csv")
    assert written.half_width.to_numpy() == pytest.approx(table.half_width.to_numpy())


@pytest.mark.slow
def test_a_case_ends_when_all_its_intervals_are_narrow(tmp_path: Path) -> None:
    study = Study.from_yaml(STUDY).model_copy(update={"protocols": ["flooding"]})
    easy, never = "delay_mean_s<=100", "frames_per_node<=1e-9"
    for until in ([easy, never], [never, easy]):
        table = run_until(study, tmp_path, until, most_seeds=4, workers=1)
        assert list(table.n) == [4, 4]
        assert sorted(table.is_narrow) == [False, True]


def test_each_look_asks_for_more_and_seeds_are_no_one_s_twice(tmp_path: Path) -> None:
    study = Study.from_yaml(STUDY).model_copy(update={"protocols": ["flooding"], "seeds": [1, 4]})
    table = run_until(study, tmp_path, ["frames_per_node<=1e-9"], most_seeds=4, workers=1)
    assert list(table.confidence) == [confidence_at(2)]
    seeds = {int(path.parent.name.removeprefix("seed=")) for path in tmp_path.glob("runs/*/*/*/*/run.json")}
    assert seeds == {1, 4, 5, 6}


def test_nothing_is_run_again(tmp_path: Path) -> None:
    study = Study.from_yaml(STUDY).model_copy(update={"protocols": ["flooding"]})
    run_until(study, tmp_path, ["delay_mean_s<=100"], workers=1)
    made = {path: path.stat().st_mtime_ns for path in tmp_path.glob("runs/*/*/*/*/run.json")}
    assert len(made) == 4  # two seeds are no narrow interval
    run_until(study, tmp_path, ["delay_mean_s<=100"], workers=1)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.glob("runs/*/*/*/*/run.json")} == made


def interval(*values: float) -> dict[str, Any]:
    return sequential._interval(pd.Series(values), Aim("delay_mean_s", 0.1), 0.975)


def test_seeds_that_agree_are_no_narrow_interval() -> None:
    assert not interval(0.3, 0.3, 0.1 + 0.2)["is_narrow"]
    assert np.isnan(interval(0.3, 0.3, 0.1 + 0.2)["half_width"])
    assert interval(0.3, 0.3, 0.301)["is_narrow"]


def test_an_interval_of_two_values_is_not_narrow() -> None:
    assert not interval(0.3, 0.301, nan)["is_narrow"]
    assert interval(0.3, 0.301, nan)["n"] == 2


def test_runs_that_leave_the_metric_undefined_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def made_up(runs: list[Any], _: object) -> pd.DataFrame:
        rows = [{"config": "C", "seed": run.seed, "delay_mean_s": nan, "failure": None} for run in runs]
        return pd.DataFrame(rows)

    monkeypatch.setattr(sequential, "run_table", made_up)
    study = Study.from_yaml(STUDY).model_copy(update={"protocols": ["flooding"]})
    table = run_until(study, tmp_path, ["delay_mean_s<=1"], most_seeds=4)
    assert [*table["n"]] == [0]
    assert "delay_mean_s is undefined in 4 of 4 runs" in capsys.readouterr().err


def test_intervals_of_other_metrics_and_cases_stay(tmp_path: Path) -> None:
    def written(mean: float, metric: str = "hops_mean", **at: object) -> None:
        case = {"protocol": "aodv", "config": "NA", "speed_mps": 0.1, **at, "metric": metric}
        found = {"mean": mean, "half_width": nan, "n": 2, "confidence": 0.975, "is_narrow": False}
        sequential._write([case | found], tmp_path)

    written(1)
    written(2, "frames")
    written(3, protocol="flooding")
    written(4, jitter=0.3)
    written(5)
    written(6, jitter=0.3)
    assert sorted(pd.read_csv(tmp_path / "sequential.csv")["mean"]) == [2, 3, 5, 6]


@pytest.mark.parametrize("axis", [{}, {"ttl": 3}, {"adaptive": True}, {"radio": "007"}], ids=str)
def test_an_interval_stands_once_where_names_look_like_numbers(
    tmp_path: Path, axis: dict[str, object]
) -> None:
    for mean, config in enumerate(["1e1", "08", "8", "8", "1e1"]):
        case = {"protocol": "aodv", "config": config, "speed_mps": 2.0, **axis, "metric": "hops_mean"}
        found = {"mean": mean, "half_width": nan, "n": 2, "confidence": 0.975, "is_narrow": False}
        sequential._write([case | found], tmp_path)
    table = pd.read_csv(tmp_path / "sequential.csv", dtype=str)
    assert [*zip(table["config"], table["mean"], strict=True)] == [("08", "1"), ("8", "3"), ("1e1", "4")]
    assert {*table.get("radio", [])} <= {"007"}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("delivery", "'delivery' is not METRIC<=NUMBER"),
        ("delivery_rate_strickt<=0.1", "did you mean 'delivery_rate_strict'"),
        ("delivery_rate_strict<=0", "'0' is no width above 0"),
        ("delivery_rate_strict<=nan", "'nan' is no width above 0"),
    ],
)
def test_a_wrong_aim_is_refused(text: str, wrong: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        Aim.of(text)
    assert wrong in str(refused.value)


def test_one_seed_is_refused_before_anything_runs(tmp_path: Path) -> None:
    file = tmp_path / "study.yaml"
    file.write_text(STUDY.replace("seeds: 2", "seeds: 1"))
    command = ["sweep", str(file), "--out", str(tmp_path / "out"), "--until", "delay_mean_s<=1"]
    said = CliRunner().invoke(app, command)
    assert said.exit_code != 0
    assert "give it two or more" in str(said.exception)
    assert not (tmp_path / "out" / "runs").exists()
