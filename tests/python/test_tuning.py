"""The search for settings, with tiny networks and budgets (benchmarks/tuning)."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import mftpubsub
from mftpubsub.scenario.study import Study

pytest.importorskip("optuna")
FOLDER = Path(__file__).parents[2] / "benchmarks" / "tuning"
STUDY = """
protocols: [mft-pubsub]
speeds: [8]
seeds: 1
duration: 30
publisher: {rate: 1, stop: 25, event: {topic: a}}
subscriber: {where: topic = 'a'}
configurations:
  small:
    area: [40, 40]
    nodes: [{count: 1, roles: [publisher]}, {count: 2, roles: [subscriber]}, {count: 2, roles: [broker]}]
  large:
    area: [60, 60]
    nodes: [{count: 1, roles: [publisher]}, {count: 4, roles: [subscriber]}, {count: 4, roles: [broker]}]
"""


@pytest.fixture(scope="module")
def tune() -> Any:
    spec = importlib.util.spec_from_file_location("tune", FOLDER / "tune.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["tune"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def study() -> Study:
    return Study.from_yaml(STUDY)


def search(tune: Any, study: Study, folder: Path, budget: int, protocol: str = "mft-pubsub") -> Any:
    runs = tune.Runs(folder / protocol / "runs.jsonl", 1)
    return tune.Search(protocol, tune.spaces()[protocol], study, runs, budget)


def test_every_choice_is_one_that_scenarios_take(tune: Any, study: Study) -> None:
    for protocol, space in tune.spaces().items():
        usual = study.case(protocol=protocol, config="small", speed=8, seed=1)
        first = tune.as_it_comes(space)
        assert tune.set_up(usual, space, first).fingerprint() == usual.fingerprint()
        for dimension, options in space.items():
            for option in list(options)[1:]:
                changed = tune.set_up(usual, space, first | {dimension: option})
                assert changed.fingerprint() != usual.fingerprint(), (protocol, dimension, option)


def test_the_spaces_are_of_the_protocols_that_are_compared(tune: Any) -> None:
    compared = {"mft-pubsub", "mft-pubsub-r", "cascading", "phoenix", "aodv", "olsr", "dsdv"}
    assert {*tune.spaces()} == compared | {"mft-pubsub-2", "mft-mesh"}


def test_tuning_and_held_out_seeds_are_apart(tune: Any) -> None:
    assert [*tune.TUNING_SEEDS] == [*range(101, 111)]
    assert [*tune.HELD_OUT_SEEDS] == [*range(111, 121)]


@pytest.mark.slow
def test_a_search_keeps_to_its_budget_and_to_all_sizes(tune: Any, study: Study, tmp_path: Path) -> None:
    found = search(tune, study, tmp_path, 9).best()
    assert found["runs"] == 8  # two sizes a seed
    assert {*found["choices"]} == {*tune.spaces()["mft-pubsub"]}
    assert found["seeds"] >= 1


@pytest.mark.slow
def test_a_search_goes_on_where_it_was_interrupted(
    tune: Any, study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = search(tune, study, tmp_path / "whole", 8).best()
    search(tune, study, tmp_path / "parts", 4).best()
    stored = tmp_path / "parts" / "mft-pubsub" / "runs.jsonl"
    with stored.open("a") as file:
        file.write('{"scenario": "cut o')
    counted: list[mftpubsub.Scenario] = []

    def counting(scenario: mftpubsub.Scenario) -> Any:
        counted.append(scenario)
        return measured(scenario, tune)

    monkeypatch.setattr(tune, "measure", counting)
    again = search(tune, study, tmp_path / "parts", 8).best()
    assert again["choices"] == whole["choices"]
    assert len(counted) == 4
    assert len(list(filter(None, map(tune._read, stored.read_text().splitlines())))) == 8  # none was spoilt


@pytest.mark.slow
def test_runs_of_another_search_in_the_file_are_not_of_the_budget(
    tune: Any, study: Study, tmp_path: Path
) -> None:
    search(tune, study, tmp_path, 4).best()
    shorter = search(tune, study.model_copy(update={"duration": 29.0}), tmp_path, 4).best()
    assert shorter["runs"] == 4


def test_stored_runs_of_other_code_are_made_again(
    tune: Any, study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[mftpubsub.Scenario] = []

    def noted(scenario: mftpubsub.Scenario) -> dict[str, float]:
        made.append(scenario)
        return {"seed": scenario.seed}

    monkeypatch.setattr(tune, "measure", noted)
    case = study.case(protocol="mft-pubsub", config="small", speed=8, seed=1)
    counts = []
    for code in ("ours", "ours", "other", "other"):
        monkeypatch.setattr(tune, "code_version", lambda code=code: code)
        assert tune.Runs(tmp_path / "runs.jsonl", 1).of([case]) == [{"seed": 1}]
        counts.append(len(made))
    assert counts == [1, 1, 2, 2]


def test_seeds_of_a_trial_differ_in_speed_and_runs_can_be_shorter(
    tune: Any, study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[mftpubsub.Scenario] = []

    def noted(scenario: mftpubsub.Scenario) -> dict[str, float]:
        seen.append(scenario)
        return {"delivery_rate_strict": 0.5, "delay_mean_s": 1.0, "frames_per_node": 1.0}

    monkeypatch.setattr(tune, "measure", noted)
    runs = tune.Runs(tmp_path / "runs.jsonl", 1)
    space = tune.spaces()["mft-pubsub"]
    tune.Search("mft-pubsub", space, study, runs, 10, tune.TUNING_SEEDS[:5], duration=12.0).best()
    assert [(case.seed, case.speed) for case in seen[::2]] == [
        (101, 8),
        (102, 4),
        (103, 10),
        (104, 6),
        (105, 2),
    ]
    assert {(case.duration, case.publisher.stop) for case in seen} == {(12.0, 10.0)}


def test_what_is_found_is_no_worse_than_the_protocol_as_it_comes(
    tune: Any, study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def made_up(scenario: mftpubsub.Scenario) -> dict[str, float]:
        usual = scenario.retry_policy == mftpubsub.Scenario.model_fields["retry_policy"].get_default(
            call_default_factory=True
        )
        rate = 0.9 if usual else 0.95 - 0.1 * (scenario.seed - 101)  # good on the first seed alone
        return {"delivery_rate_strict": rate, "delay_mean_s": 1.0, "frames_per_node": 1.0}

    monkeypatch.setattr(tune, "measure", made_up)
    found = search(tune, study, tmp_path, 120).best()
    assert found["choices"]["retries"] == "as it comes"
    assert found["rate"] == pytest.approx(found["rate_as_it_comes"])


def measured(scenario: mftpubsub.Scenario, tune: Any) -> dict[str, float]:
    metrics = mftpubsub.run(scenario).metrics
    return {name: metrics[name] for name in tune.MEASURED}


def test_what_is_best_is_found(
    tune: Any, study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def made_up(scenario: mftpubsub.Scenario) -> dict[str, float]:
        rate = 0.9 if scenario.failure_policy.name == "keep-link" else 0.1
        return {"delivery_rate_strict": rate, "delay_mean_s": 1.0, "frames_per_node": 1.0}

    monkeypatch.setattr(tune, "measure", made_up)
    found = search(tune, study, tmp_path, 120).best()
    assert found["choices"]["failure"] == "link kept"


@pytest.mark.slow
def test_held_out_rows_are_of_each_size_and_seed(tune: Any, study: Study, tmp_path: Path) -> None:
    tuned = search(tune, study, tmp_path, 4)
    usual = tune.as_it_comes(tuned.space)
    rows = tune.held_out(tuned, {"as it comes": usual, "tuned": usual | {"failure": "link kept"}}, [111, 112])
    assert len(rows) == 8
    assert {*rows["seed"]} == {111, 112}
    assert {*rows["config"]} == {"small", "large"}


def test_the_published_tables_are_those_of_what_was_measured(tune: Any) -> None:
    found = json.loads(tune.MEASURED_FILE.read_text(encoding="utf-8"))
    text = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    assert tune.tables(found) in text
    assert len({row["runs"] for row in found if row["settings"] < row["of"]}) == 1  # the same budget
    assert max(row["runs"] for row in found) == found[0]["runs"]  # a space that was tried whole takes less
    seeds = {row["protocol"]: {each["seeds"] for each in row["held_out"]} for row in found}
    assert {protocol for protocol, counts in seeds.items() if counts == {3}} == {"dsdv", "olsr"}
    assert "The rows of DSDV and OLSR are of three held-out seeds" in text
    assert {count for counts in seeds.values() for count in counts} == {3, 6}


@pytest.mark.slow
def test_what_was_found_is_collected_by_size(tune: Any, study: Study, tmp_path: Path) -> None:
    tuned = search(tune, study, tmp_path, 4)
    folder = tmp_path / "mft-pubsub"
    (folder / "best.json").write_text(json.dumps(tuned.best()))
    usual = tune.as_it_comes(tuned.space)
    tune.held_out(tuned, {"as it comes": usual}, [111, 112]).to_csv(folder / "held-out.csv", index=False)
    (row,) = tune.collected(tmp_path, tune.spaces())
    assert [(each["settings"], each["config"], each["seeds"]) for each in row["held_out"]] == [
        ("as it comes", "large", 2),
        ("as it comes", "small", 2),
    ]
    lines = tune.tables([row]).splitlines()
    assert lines[2].startswith("| `mft-pubsub` | 1 of 8100 |")
    assert lines[4] == "| protocol | settings | large | small |"
