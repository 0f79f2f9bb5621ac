"""Many runs from a script: over any parameter, as a table, compared pair by pair; results read once."""

from __future__ import annotations

import json
import math
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from made_up import study as made_up_study

import mftpubsub
from mftpubsub import Broker, Group, RandomWaypoint, Scenario, Study, Wifi, policies
from mftpubsub.scenario.axes import once_each, places, vary
from mftpubsub.trace.layout import run_folder

QUICK = Path(__file__).parents[2] / "configs" / "quick.yaml"
SMALL = Scenario(
    area=(45, 45),
    duration=10,
    nodes=[Group(3, [Broker()]), Group(2, ["subscriber"]), Group(1, ["publisher"])],
    mobility=RandomWaypoint(3),
)


class Own(policies.ParentPolicy):
    def __init__(self, least: float = 0.0) -> None:
        self.least = least


@pytest.mark.slow
def test_a_sweep_is_a_row_for_each_combination_and_goes_on_where_it_stopped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    over: dict[str, Any] = {"overlay.leader_timeout": [2.0, 3.0], "seed": [1, 2]}
    table = mftpubsub.sweep(SMALL, tmp_path, over=over, workers=2)
    assert [*table["overlay.leader_timeout"]] == [2, 2, 3, 3]
    assert [*table["seed"]] == [1, 2, 1, 2]
    assert table["failure"].isna().all()
    alone = mftpubsub.run(SMALL.replace(overlay={"leader_timeout": 2.0}, seed=2)).metrics
    assert table.iloc[1]["delivered_pairs"] == alone["delivered_pairs"]
    assert table.iloc[1]["delay_mean_s"] == alone["delay_mean_s"]
    capsys.readouterr()
    more = mftpubsub.sweep(SMALL, tmp_path, over=over | {"seed": [1, 2, 3]}, workers=2)
    assert "6 runs, of which 4 are there already" in capsys.readouterr().err
    assert len(more) == 6
    merged = more.merge(table, on=["overlay.leader_timeout", "seed"])
    assert [*merged["events_x"]] == [*merged["events_y"]]


def test_a_run_whose_folder_no_file_system_could_name_is_refused_before_anything_runs() -> None:
    longest = SMALL.replace(config="ü" * 124)  # of 2 B each, behind `config=`
    assert once_each([({}, longest)]) == [({}, longest)]
    with pytest.raises(
        mftpubsub.ConfigurationError, match=r"ü duration 10.* has at most 255 B: name the values"
    ):
        mftpubsub.sweep(longest, over={"duration": [10, 20]})


def test_numbers_of_numpy_on_an_axis_are_numbers() -> None:
    over = {"overlay.leader_timeout": np.arange(2, 4), "seed": np.arange(1, 3)}
    found = [*vary(SMALL, over)]
    assert [type(value) for at, _ in found for value in at.values()] == [int] * 8
    plain = [*vary(SMALL, {"overlay.leader_timeout": [2, 3], "seed": [1, 2]})]
    assert [(at, case.fingerprint()) for at, case in found] == [
        (at, case.fingerprint()) for at, case in plain
    ]


def test_none_on_an_axis_is_a_value_and_not_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mftpubsub.sweeps.table.run_cases", lambda *_: {})
    table = mftpubsub.sweep(SMALL, over={"transport.acks": [None, "own"], "transport.retries": [1, 2]})
    assert [*table["transport.acks"]] == ["None", "None", "own", "own"]
    assert [*table["transport.retries"]] == [1, 2, 1, 2]


def test_without_a_folder_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table = mftpubsub.sweep([SMALL, SMALL.replace(seed=2), SMALL], workers=2)
    assert [*table["seed"]] == [1, 2]
    assert not [*tmp_path.iterdir()]


def test_a_run_that_fails_has_its_reason_in_its_row(tmp_path: Path) -> None:
    table = mftpubsub.sweep(SMALL, over={"seed": [1, 2]}, time_limit=1e-3)
    assert [*table["failure"]] == ["it took longer than the time limit of 0.001 s"] * 2
    assert [*table["seed"]] == [1, 2]


@pytest.mark.parametrize(
    ("what", "over", "said"),
    [
        (
            SMALL,
            {"overlay.leader_timout": [2.0]},
            "overlay.leader_timout=2.0: scenario: overlay.leader_timout",
        ),
        (SMALL, {"durration": [2.0]}, "durration: unknown key; did you mean 'duration'?"),
        (SMALL, {"duration": [-1.0]}, "duration=-1.0: scenario: duration: input should be greater"),
        (SMALL, {"seed": []}, "there is nothing to run"),
        (SMALL, {"radio": {}}, "radio: no values, so there is nothing to run"),
        (SMALL, {"seed": {"first": 1}}, "seed: tables call its values as they are: give a list of them"),
        (SMALL, {"radio": {2: "cc2420"}}, "radio: the name of a value must be a text (given: 2)"),
        (SMALL, {"radio": {"a/b": "cc2420"}}, "radio: 'a/b' cannot be part of a folder's name"),
        (SMALL, {"radio": {"far": {"model": "wify"}}}, "radio=far: scenario: radio: no radio 'wify'"),
        (
            [SMALL, SMALL.replace(duration=11.0)],
            {},
            "two different scenarios are called mft-pubsub custom 3 m/s",
        ),
        (["a.yaml"], {}, "'a.yaml' is no Scenario"),
    ],
)
def test_what_cannot_be_swept_is_told_before_anything_runs(
    tmp_path: Path, what: Any, over: dict[str, Any], said: str
) -> None:
    with pytest.raises(mftpubsub.ConfigurationError) as error:
        mftpubsub.sweep(what, tmp_path / "out", over=over)
    assert said in str(error.value)
    assert not (tmp_path / "out").exists()


def test_values_have_the_names_that_they_are_given() -> None:
    """Tables and folders call them so; the scenario has the values."""
    axes = {
        "radio": {"802.11b": Wifi(standard="802.11b"), "CC2420": "cc2420"},
        "overlay.leader_timeout": [2.0],
    }
    named, cases = zip(*vary(SMALL, axes), strict=True)
    assert [*named] == places(axes) == [dict(case.axes) for case in cases]
    assert [at["radio"] for at in named] == ["802.11b", "CC2420"]
    assert [case.radio.model for case in cases] == ["wifi", "cc2420"]
    assert "config=custom radio 802.11b leader_timeout 2.0" in str(run_folder(cases[0]))


@pytest.mark.parametrize(
    ("axes", "said"),
    [
        (
            "{overlay.leader_timeout: 3}",
            "leader_timeout: needs a list of values, or values by name (given: 3)",
        ),
        ("{radio: {}}", "axes.radio: needs at least one value"),
        ("{radio: {5: cc2420}}", "axes.radio: the name of a value must be a text (given: 5)"),
    ],
)
def test_a_wrong_axis_of_a_study_is_told(axes: str, said: str) -> None:
    with pytest.raises(mftpubsub.ConfigurationError) as error:
        Study.from_yaml(f"{QUICK.read_text()}\naxes: {axes}\n")
    assert said in str(error.value)


def test_parts_are_checked_against_the_radios_of_an_axis() -> None:
    """No run has the study's own radio where an axis varies it."""
    quick = QUICK.read_text().replace("[mft-pubsub, aodv]", "[mft-pubsub]")
    study = quick + "\ntransport: {acks: link}\naxes: {radio: [%s]}\n"
    able = Study.from_yaml(study % "lr-wpan, wifi")
    assert [case.radio.model for case in able.cases()[:2]] == ["lr-wpan", "wifi"]
    assert Study.from_yaml(able.to_yaml()) == able
    for radios in ("cc2420, wifi", "wifi, cc2420"):
        with pytest.raises(mftpubsub.ConfigurationError, match="acks: radio cc2420 acknowledges nothing"):
            Study.from_yaml(study % radios)


@pytest.mark.parametrize(
    ("radio", "values", "powers"),
    [
        ("cc2420", "{weak: {model: lr-wpan, tx_power: -20}, default: {model: lr-wpan}}", [-20, 0]),
        ("{model: wifi, tx_power: 5}", "[{model: wifi, rts_threshold: 9}, wifi, {retries: 3}]", [16, 16, 5]),
        ("{model: wifi, standard: 802.11g}", "[{tx_power: 0}, {tx_power: -5}]", [0, -5]),
        (
            "cc2420",
            "[{model: wifi, standard: 802.11g, rate: ErpOfdmRate24Mbps}, {model: wifi, standard: 802.11a}]",
            [16, 16],
        ),
    ],
)
def test_radios_of_an_axis_have_nothing_of_each_other(radio: str, values: str, powers: list[int]) -> None:
    """One that names a model is whole. Another is the file's own with that change."""
    quick = QUICK.read_text().replace("[mft-pubsub, aodv]", "[mft-pubsub]")
    study = Study.from_yaml(
        quick.replace("radio: {tx_power: 0}", f"radio: {radio}") + f"\naxes: {{radio: {values}}}"
    )
    cases = study.cases()[: len(powers)]
    assert [case.radio.tx_power for case in cases] == powers  # type: ignore[attr-defined]
    assert {case.radio.model for case in cases} == {"wifi" if "wifi" in radio + values else "lr-wpan"}
    again = Study.from_yaml(study.to_yaml())
    assert [case.fingerprint() for case in again.cases()] == [case.fingerprint() for case in study.cases()]


def test_a_radio_of_a_sweep_that_names_its_model_has_nothing_of_the_scenario() -> None:
    over = {"radio": {"own": {"retries": 3}, "default": {"model": "wifi"}}}
    cases = [case for _, case in vary(SMALL.replace(radio=Wifi(tx_power=5)), over)]
    assert [case.radio for case in cases] == [Wifi(tx_power=5, retries=3), Wifi()]


def test_a_study_keeps_the_names_of_its_values() -> None:
    study = Study.from_yaml(f"{QUICK.read_text()}\naxes: {{radio: {{near: cc2420, far: {{model: wifi}}}}}}\n")
    again = Study.from_yaml(study.to_yaml())
    assert {case.axes["radio"] for case in again.cases()} == {"near", "far"}
    assert [case.fingerprint() for case in again.cases()] == [case.fingerprint() for case in study.cases()]


def test_axes_name_the_runs_and_reach_any_key() -> None:
    axes: dict[str, list[Any]] = {
        "parent_policy": ["first-heard", policies.Hysteresis(margin=3.0), Own(2.0), Own(4.0)],
        "channel": [{"sigma": 0.0, "bidirectional_sigma": 0.0}],
        "channel.cell": [4.0],
        "protocol": ["mft-pubsub", "phoenix"],
    }
    varied = [*vary(SMALL, axes)]
    assert {case.config for _, case in varied} == {"custom"}
    assert len({run_folder(case) for _, case in varied}) == 8
    keys, case = varied[-1]
    assert keys["parent_policy"] == "Own least 4.0"
    assert keys["protocol"] == case.protocol == "phoenix"
    assert isinstance(case.channel, mftpubsub.Channel)
    assert (case.channel.sigma, case.channel.bidirectional_sigma, case.channel.cell) == (0, 0, 4)
    assert [dict(case.axes) for _, case in varied] == places(axes)
    assert "config=custom parent_policy Own least 4.0 channel sigma 0.0" in str(run_folder(case))


def test_keys_of_a_part_are_of_the_part_that_an_axis_gives() -> None:
    """Whichever axis is first: runs called after a radio are of that radio."""
    axes: dict[str, Any] = {"radio": {"fast": Wifi(), "slow": "cc2420"}, "radio.startup_spread": [0.0, 2.0]}
    for over in (axes, dict(reversed(axes.items()))):
        for at, case in vary(SMALL, over):
            assert case.radio.model == {"fast": "wifi", "slow": "cc2420"}[at["radio"]]
            assert case.radio.startup_spread == at["radio.startup_spread"]
    (_, case), *_ = vary(
        SMALL,
        {
            "channel": [mftpubsub.Channel(sigma=1.0)],
            "channel.cell": [4.0],
            "channel.bidirectional_sigma": [0.0],
        },
    )
    assert isinstance(case.channel, mftpubsub.Channel)
    assert (case.channel.sigma, case.channel.bidirectional_sigma, case.channel.cell) == (1, 0, 4)
    with pytest.raises(mftpubsub.ConfigurationError, match=r"mobility.speed=1.0: .*unknown key"):
        [*vary(SMALL, {"mobility": [mftpubsub.Static()], "mobility.speed": [1.0]})]


def test_a_study_has_each_run_once_where_an_axis_says_the_speed() -> None:
    quick = QUICK.read_text().replace("speeds: [2, 8]", "speeds: [2, 8, 8.0]")
    for axes, speeds in (("mobility: [static]", [0]), ("mobility.speed: [1, 4]", [1, 4])):
        study = Study.from_yaml(f"{quick}\naxes: {{{axes}}}\n")
        runs = [(case.protocol, case.config, case.speed, case.seed) for case in study.cases()]
        assert sorted(runs) == [*product(["aodv", "mft-pubsub"], ["C16", "C2", "C8"], speeds, [1, 2, 3])]


def test_what_names_a_run_anyway_is_not_added_to_its_configuration() -> None:
    (_, case), *_ = vary(SMALL, {"config": ["near"], "speed": [1.0], "seed": [7], "protocol": ["phoenix"]})
    assert (case.config, case.speed, case.seed, case.protocol) == ("near", 1, 7, "phoenix")
    (_, case), *_ = vary(SMALL, {"config": ["near"], "duration": [8.0]})
    assert (case.config, case.axes) == ("near", {"duration": 8.0})
    assert run_folder(case).parts[1] == "config=near duration 8.0"


def test_a_scenario_that_is_changed_is_no_more_where_it_was_on_an_axis() -> None:
    (_, case), *_ = vary(SMALL, {"overlay.leader_timeout": [2.5], "duration": [8.0], "mobility.speed": [1.0]})
    assert case.axes == {"overlay.leader_timeout": 2.5, "duration": 8.0, "mobility.speed": 1.0}
    assert case.replace(seed=7).axes == case.axes
    assert case.replace(overlay={"leader_timeout": 4.0}).axes.keys() == {"duration", "mobility.speed"}
    assert case.replace(speed=4.0).axes.keys() == {"overlay.leader_timeout", "duration"}


STUDY = """
protocols: [mft-pubsub]
speeds: [2]
seeds: 2
duration: 10
publisher: {stop: 5}
axes:
  overlay.leader_timeout: [2, 3]
  queue_policy: [unbounded, {bounded: {capacity: 2}}]
configurations:
  C2: {area: [35, 35], nodes: [{count: 2, roles: [publisher]}, {count: 2, roles: [broker, subscriber]}]}
"""


SMALL_STUDY = """
protocols: [mft-pubsub]
speeds: [2]
seeds: [{seed}]
duration: {duration}
configurations:
  C2: {{area: [35, 35], nodes: [{{roles: [publisher]}}, {{roles: [broker, subscriber]}}]}}
"""


@pytest.mark.slow
def test_a_study_file_may_have_axes_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(STUDY)
    study = mftpubsub.load(tmp_path / "study.yaml")
    assert len(study.cases()) == 8
    assert {run_folder(case).parts[1] for case in study.cases()} == {
        f"config=C2 leader_timeout {timeout} queue_policy {policy}"
        for timeout in (2, 3)
        for policy in ("unbounded", "bounded capacity 2")
    }
    assert {(case.overlay.leader_timeout, case.queue_policy.name) for case in study.cases()} == {
        (timeout, policy) for timeout in (2, 3) for policy in ("unbounded", "bounded")
    }
    assert mftpubsub.Study.from_yaml(study.to_yaml()) == study
    table = mftpubsub.sweep(study, tmp_path)
    assert len(table) == 8
    assert set(table["config"]) == {case.config for case in study.cases()}
    wrong = STUDY.replace("overlay.leader_timeout", "overlay.leader_timout")
    (tmp_path / "wrong.yaml").write_text(wrong)
    with pytest.raises(mftpubsub.ConfigurationError, match=r"wrong\.yaml: .*leader_timout: unknown key"):
        mftpubsub.load(tmp_path / "wrong.yaml")


def test_a_sweep_of_a_study_is_not_mixed_with_runs_of_another(tmp_path: Path) -> None:
    study = SMALL_STUDY.format(seed=1, duration=10)
    mftpubsub.sweep(mftpubsub.Study.from_yaml(study), tmp_path)
    other = mftpubsub.Study.from_yaml(SMALL_STUDY.format(seed=2, duration=11))
    with pytest.raises(mftpubsub.MftPubsubError, match=r"duration was 10\.0, is 11\.0"):
        mftpubsub.sweep(other, tmp_path)


def made_up() -> pd.DataFrame:
    """Ten seeds of great spread, between two ways of which the difference is small and steady."""
    rows: list[dict[str, Any]] = [
        {"way": way, "speed_mps": speed, "seed": seed, "rate": seed**2 + shift + speed + 0.1 * (seed % 3)}
        for way, shift in (("old", 0.0), ("new", 2.0))
        for speed in (2.0, 8.0)
        for seed in range(1, 11)
    ]
    rows[20]["rate"] += 0.5  # so that differences have a spread
    return pd.DataFrame(rows)


def test_pairs_are_compared_as_the_paired_t_test_does() -> None:
    from scipy.stats import ttest_rel

    table = made_up()
    row = mftpubsub.compare(table, by="way", metric="rate", pair=["seed", "speed_mps"]).iloc[0]
    old, new = (table[table["way"] == way]["rate"].to_numpy() for way in ("old", "new"))
    test = ttest_rel(new, old)
    low, high = test.confidence_interval(0.95)
    assert (row["way"], row["to"], row["n"]) == ("new", "old", 20)
    assert row["difference"] == pytest.approx((new - old).mean())
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((low, high))
    assert row["p"] == pytest.approx(test.pvalue)
    by_seed = mftpubsub.compare(table, by="way", metric="rate").iloc[0]
    assert by_seed["n"] == 10  # the speeds of a seed averaged
    turned = mftpubsub.compare(table, by="way", metric="rate", to="new").iloc[0]
    assert turned["difference"] == pytest.approx(-by_seed["difference"])


def test_a_comparison_is_what_pencil_and_paper_give() -> None:
    """Seed 3 has no pair; of the two runs of seed 1 the mean counts."""
    rows = [("old", 1, 10), ("old", 1, 20), ("old", 2, 30), ("new", 1, 16), ("new", 2, 34), ("new", 3, 99)]
    row = mftpubsub.compare(
        pd.DataFrame(rows, columns=["way", "seed", "rate"]), by="way", metric="rate"
    ).iloc[0]
    assert (row["rate"], row["rate_to"]) == ((16 + 34) / 2, (15 + 30) / 2)
    assert (row["difference"], row["n"]) == ((1 + 4) / 2, 2)
    assert row["ci_high"] - row["difference"] == pytest.approx(12.706205 * 1.5)  # sd 3 / sqrt 2, two pairs


@pytest.mark.parametrize(("shift", "p"), [(0.0, 1.0), (0.5, 0.0)])
def test_a_difference_without_any_spread_is_certain(shift: float, p: float) -> None:
    rows = [(way, seed, seed + by) for way, by in (("old", 0.0), ("new", shift)) for seed in (1, 2, 3)]
    row = mftpubsub.compare(
        pd.DataFrame(rows, columns=["way", "seed", "rate"]), by="way", metric="rate"
    ).iloc[0]
    assert (row["difference"], row["ci_low"], row["ci_high"], row["p"]) == (shift, shift, shift, p)


def test_differences_that_are_how_a_computer_rounds_are_none() -> None:
    rows = [(way, seed, rate) for way, rate in (("old", 0.3), ("new", 0.1 + 0.2)) for seed in range(5)]
    table = pd.DataFrame(rows, columns=["way", "seed", "rate"])
    row = mftpubsub.compare(table, by="way", metric="rate").iloc[0]
    assert (row["difference"], row["p"]) == (0, 1)


def test_a_seed_that_one_side_lacks_does_not_count() -> None:
    table = made_up()
    table.loc[(table["way"] == "new") & (table["seed"] > 7), "rate"] = math.nan
    assert mftpubsub.compare(table, by="way", metric="rate").iloc[0]["n"] == 7


def test_pairs_that_lack_a_case_are_left_out_and_told(capsys: pytest.CaptureFixture[str]) -> None:
    """Speeds differ more than ways: a seed without one of them would compare speeds."""
    whole = made_up()
    table = whole[(whole["way"] != "new") | (whole["speed_mps"] != 8) | (whole["seed"] != 3)]
    row = mftpubsub.compare(table, by="way", metric="rate").iloc[0]
    expected = mftpubsub.compare(whole[whole["seed"] != 3], by="way", metric="rate").iloc[0]
    assert row.to_dict() == expected.to_dict()
    assert capsys.readouterr().err == (
        "compare: 3 of 39 runs of way 'old' and 'new' are left out, since not every seed has their case with "
        "both; rows of one speed_mps at a time lack fewer\n"
    )
    slow = mftpubsub.compare(table[table["speed_mps"] == 2], by="way", metric="rate").iloc[0]
    assert slow["n"] == 10
    few = whole[(whole["way"] != "new") | (whole["speed_mps"] != 8) | (whole["seed"] > 7)]
    found = mftpubsub.compare(few, by="way", metric="rate").iloc[0]
    assert found["n"] == 3, "seeds of all cases count, be they few"


def test_pairs_with_as_many_other_cases_are_not_mixed(capsys: pytest.CaptureFixture[str]) -> None:
    """Each seed lacks one of three speeds: the means of seeds 1 and 2 are over others than that of seed 3."""
    rows = [
        (way, speed, seed, 10.0**speed * factor)
        for way, factor in (("old", 1.0), ("new", 2.0))
        for seed, speeds in ((1, (2, 4)), (3, (4, 6)), (2, (2, 4)))
        for speed in speeds
    ]
    table = pd.DataFrame(rows, columns=["way", "speed_mps", "seed", "rate"])
    row = mftpubsub.compare(table, by="way", metric="rate").iloc[0]
    assert (row["n"], row["difference"]) == (2, (10.0**2 + 10.0**4) / 2)
    assert "4 of 12 runs of way 'old' and 'new' are left out" in capsys.readouterr().err


def test_a_seed_with_an_undefined_value_counts_by_its_other_cases(capsys: pytest.CaptureFixture[str]) -> None:
    """As where nothing arrived there has been no delay."""
    table = made_up()
    table.loc[(table["way"] == "new") & (table["speed_mps"] == 2) & (table["seed"] > 1), "rate"] = math.nan
    row = mftpubsub.compare(table, by="way", metric="rate").iloc[0]
    slow = (table["speed_mps"] == 2) & (table["seed"] > 1)
    assert row["n"] == 10
    assert row["rate_to"] == pytest.approx(
        table[(table["way"] == "old") & ~slow].groupby("seed")["rate"].mean().mean()
    )
    assert capsys.readouterr().err == ""


def test_a_key_that_goes_with_what_is_compared_parts_no_pairs(capsys: pytest.CaptureFixture[str]) -> None:
    """As the speeds of two movements, which each have their own."""
    table = made_up()
    table = table[(table["way"] == "new") == (table["speed_mps"] == 2)]
    assert mftpubsub.compare(table, by="way", metric="rate").iloc[0]["n"] == 10
    assert capsys.readouterr().err == ""


def test_protocols_of_different_networks_are_not_compared() -> None:
    table = made_up().rename(columns={"way": "protocol"})
    table.insert(1, "config", table["protocol"].map({"old": "C2", "new": "C32"}))
    with pytest.raises(mftpubsub.QueryError, match="protocol 'old' and 'new' have no config in common"):
        mftpubsub.compare(table, by="protocol", metric="rate")


def test_a_failed_run_counts_like_a_missing_one(capsys: pytest.CaptureFixture[str]) -> None:
    table = made_up().assign(failure=None)
    table.loc[25, "rate"], table.loc[25, "failure"] = math.nan, "killed"
    found = mftpubsub.compare(table, by="way", metric="rate")
    assert "compare: 1 of 40 runs are left out, since they failed" in capsys.readouterr().err
    pd.testing.assert_frame_equal(found, mftpubsub.compare(table.drop(25), by="way", metric="rate"))


def test_what_is_nowhere_on_an_axis_of_numbers_is_not_compared_on_it() -> None:
    table = made_up()
    rows = pd.concat([table, table[table["speed_mps"] == 2].assign(speed_mps=math.nan)])
    found = mftpubsub.compare(rows, by="speed_mps", metric="rate", pair=["way", "seed"])
    assert [*found["speed_mps"]] == [8]
    assert found.iloc[0]["n"] == 20


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"by": "wy", "metric": "rate"}, "no column 'wy'; did you mean 'way'?"),
        ({"by": "way", "metric": "rte"}, "no column 'rte'; did you mean 'rate'?"),
        ({"by": "way", "metric": "rate", "pair": "sed"}, "no column 'sed'; did you mean 'seed'?"),
        ({"by": "way", "metric": "rate", "to": "third"}, "no way 'third'; there are old, new"),
    ],
)
def test_what_a_table_cannot_compare_is_told(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(mftpubsub.QueryError) as error:
        mftpubsub.compare(made_up(), **asked)
    assert said in str(error.value)


def test_ways_without_a_pair_in_common_are_told() -> None:
    table = made_up()
    table.loc[table["way"] == "new", "seed"] += 100
    with pytest.raises(mftpubsub.QueryError, match="way 'new' and 'old' have no seed in common"):
        mftpubsub.compare(table, by="way", metric="rate")


def test_values_that_are_infinite_or_nowhere_defined_are_told() -> None:
    """Of two that were infinite the difference was 1, and certain."""
    table = made_up()
    new = table["way"] == "new"
    infinite = table.assign(rate=table["rate"].mask(table["seed"] == 3, math.inf))
    with pytest.raises(mftpubsub.QueryError, match="rate is infinite in 4 of 40 rows"):
        mftpubsub.compare(infinite, by="way", metric="rate")
    undefined = table.assign(rate=table["rate"].mask(new))
    with pytest.raises(mftpubsub.QueryError, match="no seed has a rate of both way 'old' and 'new'"):
        mftpubsub.compare(undefined, by="way", metric="rate")


@pytest.mark.parametrize(
    ("values", "to"), [((True, False), "false"), (("True", "False"), False), ((2.0, 3.0), "3")]
)
def test_a_value_to_compare_to_is_known_by_its_text(values: tuple[Any, Any], to: Any) -> None:
    """A study's tables have texts of booleans, a sweep's have booleans."""
    table = made_up().replace({"way": dict(zip(("old", "new"), values, strict=True))})
    found = mftpubsub.compare(table, by="way", metric="rate", to=to).iloc[0]
    assert (found["way"], found["to"]) == values


def test_one_pair_has_a_difference_and_no_interval() -> None:
    table = made_up()
    row = mftpubsub.compare(table[table["seed"] == 1], by="way", metric="rate").iloc[0]
    assert not math.isnan(row["difference"])
    assert math.isnan(row["ci_low"])
    assert math.isnan(row["p"])


@pytest.mark.slow
def test_a_study_s_results_are_read_once_and_asked_as_often_as_one_likes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_up_study(tmp_path)
    results = mftpubsub.open_study(tmp_path)
    reads: list[Path] = []
    real = pd.read_parquet

    def reading(path: Path) -> pd.DataFrame:
        reads.append(Path(path))
        return real(path)

    monkeypatch.setattr(pd, "read_parquet", reading)
    page = results.report()
    assert page == tmp_path / "report.html"
    assert page.exists()
    table = results.table("delivery_rate", by=["protocol"], across="config", only={"speed_mps": [8.0]})
    assert "| MFT-PubSub |" in table.markdown()
    assert table._repr_html_().startswith("<table><tr><th>protocol</th>")
    assert (
        len(results.runs)
        == results.runs[["protocol", "config", "speed_mps", "seed"]].drop_duplicates().shape[0]
    )
    assert len(reads) == len(set(reads)) <= 7
    assert repr(results).startswith(f"StudyResults({tmp_path}: ")


def test_a_folder_without_tables_is_told(tmp_path: Path) -> None:
    with pytest.raises(mftpubsub.MftPubsubError, match=r"runs\.parquet is missing; `mftpubsub ingest"):
        mftpubsub.open_study(tmp_path)


def test_axes_of_a_run_are_told_in_its_run_json(tmp_path: Path) -> None:
    mftpubsub.sweep(SMALL, tmp_path, over={"overlay.leader_timeout": [2.5]})
    told = json.loads(next(tmp_path.glob("runs/*/*/*/*/run.json")).read_text())
    assert told["scenario"]["overlay"]["leader_timeout"] == 2.5
    assert told["config"] == "custom"
    assert told["axes"] == {"overlay.leader_timeout": 2.5}
    folder = next(tmp_path.glob("runs/*/config=custom leader_timeout 2.5/*/*/run.json")).parent
    assert mftpubsub.open_run(folder).scenario.axes == {"overlay.leader_timeout": 2.5}
