"""Delays over a study: how much arrived within which time."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import duckdb
import made_up
import pandas as pd
import pytest
from typer.testing import CliRunner

import mftpubsub
from mftpubsub import MftPubsubError, QueryError
from mftpubsub.cli.main import app
from mftpubsub.metrics.table import query
from mftpubsub.studies import lines
from mftpubsub.studies.distribution import BINS, Wish, distribution, draw, quantiles, table
from mftpubsub.studies.results import StudyResults

KEYS: dict[str, Any] = {"protocol": "mft-pubsub", "config": "C", "speed_mps": 2.0, "seed": 1}
COLUMNS = ["time_s", "layer", "kind", "publisher", "sequence", "subscriber"]


def delays(trace: pd.DataFrame) -> pd.DataFrame:
    with duckdb.connect() as connection:
        connection.register("trace", trace.assign(**KEYS))
        found: pd.DataFrame = connection.sql(query("delays")).df()
        return found


def by_hand() -> pd.DataFrame:
    """Event 0 reaches subscriber 1 after 0.1 s and never subscriber 2; event 1 both, after 1 s and 10 s."""
    rows: list[tuple[object, ...]] = [
        (5.0, "app", "PUBLISH", 7, 0, None),
        (6.0, "app", "PUBLISH", 7, 1, None),
    ]
    rows += [(5.0 + event, "app", "SEND", 7, event, who) for event in (0, 1) for who in (1, 2)]
    rows += [(5.1, "app", "DELIVER", 7, 0, 1), (7.0, "app", "DELIVER", 7, 1, 1)]
    rows += [(16.0, "app", "DELIVER", 7, 1, 2), (17.0, "app", "DELIVER", 7, 1, 9)]  # 9 subscribed later
    return pd.DataFrame(rows, columns=COLUMNS)


def test_delays_are_counted_in_their_bins() -> None:
    found = delays(by_hand())
    counted = {
        unit: dict(zip(rows.bin.fillna(-1).astype(int), rows.units, strict=True))
        for unit, rows in found.groupby("unit")
    }
    tenth, one, ten = -BINS, 0, BINS
    assert counted["PAIR"] == {tenth: 1, one: 1, ten: 1, -1: 1}
    assert counted["EVENT"] == {ten: 1, -1: 1}
    mean = 0.55  # of subscriber 1, s; of subscriber 2 it is 10
    assert set(counted["SUBSCRIBER"].values()) == {1}
    assert [10 ** ((place - 1) / BINS) < mean <= 10 ** (place / BINS) for place in counted["SUBSCRIBER"]] == [
        True,
        False,
    ]


@pytest.mark.slow
def test_a_run_s_distribution_ends_at_its_strict_rate_and_has_its_median() -> None:
    case = mftpubsub.load(Path(__file__).parents[2] / "configs/quick.yaml").case(
        protocol="mft-pubsub", config="C16", speed=8, seed=1
    )
    result = mftpubsub.run(case.replace(duration=100.0, publisher={"stop": 80.0}))
    counts = delays(result.to_pandas())
    pairs = counts[counts.unit == "PAIR"]
    arrived = pairs.dropna(subset=["bin"])
    assert pairs.units.sum() == result.metrics["sent_pairs"]
    assert arrived.units.sum() / pairs.units.sum() == pytest.approx(result.metrics["delivery_rate_strict"])
    half = arrived[arrived.units.cumsum() >= arrived.units.sum() / 2].bin.iloc[0]
    assert 10 ** ((half - 1) / BINS) <= result.metrics["delay_median_s"] <= 10 ** (half / BINS)


@pytest.fixture
def results(tmp_path: Path) -> StudyResults:
    """Two seeds: of four pairs two and three arrive, within 0.1 s and 1 s."""
    made_up.study(tmp_path, protocols=("aodv",), configs=("C8",), speeds=(2.0,), seeds=2)
    rows = [(1, -BINS, 1), (1, 0, 1), (1, None, 2), (2, -BINS, 2), (2, 0, 1), (2, None, 1)]
    table = pd.DataFrame(rows, columns=["seed", "bin", "units"])
    table = table.assign(protocol="aodv", config="C8", speed_mps=2.0, unit="PAIR")
    table.to_parquet(tmp_path / "tables" / "delays.parquet")
    return StudyResults(tmp_path)


@pytest.mark.slow
def test_shares_are_of_all_and_means_over_seeds(results: StudyResults) -> None:
    found = distribution(results, Wish()).set_index("delay_s")
    assert list(found.index) == pytest.approx([0.1, 1.0])
    assert list(found.share) == pytest.approx([(1 + 2) / 8, (2 + 3) / 8])
    assert set(found.n) == {2}
    assert found.ci95.iloc[0] == pytest.approx(12.706 * 0.25 / 2, rel=1e-3)


def test_quantiles_are_of_all_with_intervals_over_seeds(results: StudyResults) -> None:
    """Half of seed 1's pairs are there within 1 s, of seed 2's within 0.1 s; 3 of 4 only of seed 2's."""
    found = quantiles(results, Wish(), (0.25, 0.5, 0.75)).set_index("share")
    assert found.delay_s[0.25] == pytest.approx(0.1)
    assert found.ci_low[0.25] == found.ci_high[0.25] == pytest.approx(0.1)
    assert found.delay_s[0.5] == pytest.approx(10**-0.5)
    half = 12.706 * 0.5**0.5 / 2**0.5  # of logarithms 0 and -1: sd and root of n
    assert found.ci_high[0.5] == pytest.approx(10 ** (half - 0.5), rel=1e-3)
    assert found.ci_low[0.5] == pytest.approx(10 ** (-half - 0.5), rel=1e-3)
    assert math.isnan(found.delay_s[0.75])
    assert list(found.reached) == [2, 2, 1]
    assert list(found.n) == [2, 2, 2]
    with pytest.raises(QueryError, match="quantile: 95 is not between 0 and 1"):
        quantiles(results, Wish(), (95,))


def test_a_quantile_is_of_all_seeds_or_of_none(results: StudyResults) -> None:
    """Two of three seeds come to a half, at other times: their mean would be too short."""
    made_up.study(results.folder, protocols=("aodv",), configs=("C8",), speeds=(2.0,), seeds=3)
    rows = [(1, 0, 3), (2, -BINS, 3), (3, 0, 1), (1, None, 1), (2, None, 1), (3, None, 3)]
    table = pd.DataFrame(rows, columns=["seed", "bin", "units"])
    table = table.assign(protocol="aodv", config="C8", speed_mps=2.0, unit="PAIR")
    table.to_parquet(results.folder / "tables" / "delays.parquet")
    found = quantiles(StudyResults(results.folder), Wish(), (0.25, 0.5)).set_index("share")
    assert list(found.reached) == [3, 2]
    assert found.delay_s[0.25] == pytest.approx(10 ** (-1 / 3))
    assert math.isnan(found.delay_s[0.5])


def test_the_command_prints_quantiles(results: StudyResults) -> None:
    said = CliRunner().invoke(app, ["quantiles", str(results.folder), "--at", "0.25", "--at", "0.75"])
    assert said.exit_code == 0, said.output
    assert "| AODV | 0.1 [0.1, 0.1] | not in 1 of 2 seeds |" in said.stdout
    assert "| protocol | 25 %, s | 75 %, s |" in said.stdout
    csv = CliRunner().invoke(app, ["quantiles", str(results.folder), "--csv"]).stdout.splitlines()
    assert csv[0] == "protocol,share,delay_s,ci_low,ci_high,reached,n"
    assert len(csv) == 5
    frame = mftpubsub.open_study(results.folder).quantiles(shares=[0.25])
    assert frame.delay_s.tolist() == pytest.approx([0.1])


def keep_delays(folder: Path, rows: list[tuple[object, ...]], **keys: str) -> StudyResults:
    """Rows of seed, bin, units and the further keys."""
    columns = ["seed", "bin", "units", "protocol", "config"]
    table = pd.DataFrame(rows, columns=columns[: len(rows[0])]).astype({"bin": float})
    table.assign(speed_mps=2.0, unit="PAIR", **keys).to_parquet(folder / "tables" / "delays.parquet")
    return StudyResults(folder)


def test_who_has_runs_but_no_delays_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made_up.study(tmp_path, protocols=("mft-pubsub", "aodv"), configs=("C8",), speeds=(2.0,), seeds=2)
    results = keep_delays(tmp_path, [(1, 0, 1), (2, 0, 1)], protocol="mft-pubsub", config="C8")
    assert [*quantiles(results, Wish(), (0.5,)).protocol] == ["mft-pubsub"]
    assert (
        "2 runs of AODV have no delays, since nobody wanted an event or none are kept: left out"
        in capsys.readouterr().err
    )
    few = keep_delays(tmp_path, [(1, 0, 1)], protocol="mft-pubsub", config="C8")
    quantiles(few, Wish(only={"protocol": ("mft-pubsub",)}), (0.5,))
    assert "1 runs of MFT-PubSub have no delays" in capsys.readouterr().err
    with pytest.raises(QueryError, match="these runs of AODV have no delays"):
        quantiles(results, Wish(only={"protocol": ("aodv",)}))
    with pytest.raises(MftPubsubError, match="no protocol 'aodw'"):
        quantiles(results, Wish(only={"protocol": ("aodw",)}))


def test_quantiles_are_of_the_same_networks_and_tell_seeds_that_lack_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made_up.study(tmp_path, protocols=("mft-pubsub", "aodv"), configs=("C2", "C8"), speeds=(2.0,), seeds=2)
    rows: list[tuple[object, ...]] = [
        (seed, 0, 1, protocol, config)
        for seed in (1, 2)
        for protocol in ("mft-pubsub", "aodv")
        for config in ("C2", "C8")
    ]
    with pytest.raises(QueryError, match=r"config: not every point has all of C2, C8; choose by --only"):
        quantiles(keep_delays(tmp_path, [row for row in rows if row[3:] != ("aodv", "C8")]), Wish())
    quantiles(keep_delays(tmp_path, [row for row in rows if row[0] == 1 or row[4] == "C8"]), Wish())
    assert "2 of 2 means are over seeds that do not have the same cases" in capsys.readouterr().err


def test_where_nothing_arrived_that_is_said_and_drawn(results: StudyResults) -> None:
    nothing = keep_delays(results.folder, [(1, None, 4), (2, None, 4)], protocol="aodv", config="C8")
    (row,) = table(nothing, Wish(), (0.5,)).rows
    assert row == ["AODV", "not in 2 of 2 seeds"]
    (line,) = draw(nothing, Wish()).axes[0].get_lines()
    assert line.get_ydata() == pytest.approx([0, 0])


def test_a_distribution_is_drawn(results: StudyResults) -> None:
    axes = draw(results, Wish()).axes[0]
    assert axes.get_xscale() == "log"
    assert axes.get_lines()[0].get_ydata() == pytest.approx([37.5, 62.5])
    assert axes.get_legend_handles_labels()[1] == ["aodv"]
    assert (
        draw(results, Wish(of="pairs", labels={"aodv": "AODV"})).axes[0].get_lines()[0].get_label() == "AODV"
    )


@pytest.mark.slow
def test_the_command_writes_files(results: StudyResults) -> None:
    said = CliRunner().invoke(app, ["figures", str(results.folder), "--kind", "cdf"])
    assert said.exit_code == 0, said.output
    written = {Path(line).name for line in said.stdout.split()}
    assert written == {f"delay_of_pairs_by_protocol.{kind}" for kind in ("png", "svg", "pdf")}
    assert all((results.folder / "figures" / name).stat().st_size for name in written)


def test_what_is_not_there_is_refused(results: StudyResults) -> None:
    with pytest.raises(QueryError, match="no unit 'pears'; did you mean 'pairs'"):
        distribution(results, Wish(of="pears"))
    with pytest.raises(QueryError, match="no key 'protocl'; did you mean 'protocol'"):
        distribution(results, Wish(by="protocl"))
    with pytest.raises(QueryError, match="the figure shows no value 'config': of protocol there are "):
        draw(results, Wish(labels={"config": "Network"}))
    refused = CliRunner().invoke(app, ["figures", str(results.folder), "--kind", "cdf", "--metric", "nodes"])
    assert refused.exit_code == 2


def test_at_most_five_of_many_stand_out(tmp_path: Path) -> None:
    protocols = ("mft-pubsub", "mft-pubsub-r", "aodv", "aodv-tuned", "mft-mesh", "flooding", "phoenix")
    made_up.study(tmp_path, protocols=protocols, configs=("C8",), speeds=(2.0,), seeds=2)
    rows = [(name, seed, 0, 1) for name in protocols for seed in (1, 2)]
    table = pd.DataFrame(rows, columns=["protocol", "seed", "bin", "units"])
    table.assign(config="C8", speed_mps=2.0, unit="PAIR").to_parquet(tmp_path / "tables" / "delays.parquet")
    shown = draw(StudyResults(tmp_path), Wish()).axes[0].get_lines()
    assert {line.get_label() for line in shown if line.get_color() == lines.FAINT} == {"flooding", "phoenix"}


def test_a_published_study_says_that_its_runs_are_not_there(results: StudyResults) -> None:
    (results.folder / "tables" / "delays.parquet").unlink()
    with pytest.raises(
        MftPubsubError, match=r"delays\.parquet is missing; it is made of the study's runs, which"
    ):
        quantiles(StudyResults(results.folder), Wish())
