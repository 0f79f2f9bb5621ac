"""Tables of a study: means over seeds, and what a wrong question is answered."""

from __future__ import annotations

from math import nan
from pathlib import Path
from typing import Literal

import pandas as pd
import pytest
from made_up import study

from mftpubsub.cli.options import chosen
from mftpubsub.errors import MftPubsubError
from mftpubsub.files import as_typed
from mftpubsub.labels import in_order, label, rounded
from mftpubsub.pipeline.tables import summary
from mftpubsub.statistics import ends, moments
from mftpubsub.studies import numbers, own_figure
from mftpubsub.studies.numbers import Query
from mftpubsub.studies.results import StudyResults
from mftpubsub.trace.layout import keys_of

#: Two seeds at two speeds: seed 1 has 10 and 20, seed 2 has 14 and 28.
RUNS = pd.DataFrame(
    {
        "protocol": "aodv",
        "config": "C2",
        "speed_mps": [2.0, 8.0, 2.0, 8.0],
        "seed": [1, 1, 2, 2],
        "frames_per_node": [10.0, 20.0, 14.0, 28.0],
        "delivery_rate": [0.5, 0.75, None, 0.25],
        "machine": "here",
    }
)


@pytest.mark.slow
def test_a_seed_counts_once_however_many_of_its_runs_are_in_a_mean() -> None:
    found = moments(RUNS, "frames_per_node", ["protocol"]).loc["aodv"]
    assert (found["mean"], found["n"]) == (pytest.approx((15 + 21) / 2), 2)
    assert found["ci95"] == pytest.approx(12.706205 * 3)  # sd 3 sqrt 2, two seeds


def test_rows_columns_and_restrictions_are_those_that_were_asked_for() -> None:
    asked = Query(("delivery_rate",), ("protocol",), "speed_mps", {"speed_mps": ("8",)})
    table = numbers.tabulate(RUNS, asked, "DIR")
    assert table.heading == ["protocol", "8 m/s"]
    assert table.rows == [["AODV", "50 [0, 100] (2)"]]
    assert table.protocols == ["aodv"]
    assert table.command == (
        "mftpubsub table DIR --metric delivery_rate --by protocol --across speed_mps --only speed_mps=8"
    )


@pytest.mark.parametrize(
    ("given", "frames"), [("2.0", [14.0]), ("20.0000001", [10.0]), ("20.0000002", [20.0]), ("1e6", [28.0])]
)
def test_values_that_differ_in_any_digit_are_told_apart(given: str, frames: list[float]) -> None:
    runs = RUNS.assign(speed_mps=[20.0000001, 20.0000002, 2.0, 1e6])
    assert [*numbers.selected(runs, {"speed_mps": (given,)})["frames_per_node"]] == frames


def test_rows_have_all_digits_of_their_keys() -> None:
    """As `--only` takes them, and so that two values do not look alike."""
    runs = RUNS.assign(speed_mps=[0.1 + 0.2, 0.3, 2.0, 8.0], seed=[1, 1234567, 1234568, 2])
    table = numbers.tabulate(runs, Query(("frames_per_node",), ("speed_mps", "seed")), "DIR")
    assert [row[:2] for row in table.rows] == [
        ["0.3", "1234567"],
        ["0.30000000000000004", "1"],
        ["2", "1234568"],
        ["8", "2"],
    ]


@pytest.mark.parametrize(
    ("given", "frames"),
    [
        ("topic in ('a', 'b', 'c')", [20.0]),
        ("x,topic in ('a', 'b', 'c')", [20.0, 28.0]),
        ("topic in ('a', 'b'),x", [10.0, 28.0]),
    ],
)
def test_values_with_commas_are_found_as_they_are_typed(given: str, frames: list[float]) -> None:
    runs = RUNS.assign(config=["topic in ('a', 'b')", "topic in ('a', 'b', 'c')", "other", "x"])
    asked = chosen([f"config={given}"])
    assert [*numbers.selected(runs, asked)["frames_per_node"]] == frames
    whole = numbers.selected(runs, {"config": ("topic in ('a', 'b', 'c')", "x")})
    assert [*whole["frames_per_node"]] == [20.0, 28.0]


@pytest.mark.parametrize("given", ["true", "True", "TRUE"])
def test_booleans_on_an_axis_are_found_as_yaml_spells_them(given: str) -> None:
    runs = RUNS.assign(config=["False", "True", "None", "True"])
    assert [*numbers.selected(runs, chosen([f"config={given}"]))["frames_per_node"]] == [20.0, 28.0]


def test_a_key_across_is_not_among_the_rows_and_words_are_quoted() -> None:
    asked = Query(("delivery_rate",), across="speed_mps", only={"config": ("C 2",)})
    table = numbers.tabulate(RUNS.assign(config="C 2"), asked, as_typed(Path("my results")))
    assert table.heading == ["protocol", "configuration", "2 m/s", "8 m/s"]
    assert table.command.startswith("mftpubsub table 'my results' --metric")
    assert table.command.endswith("--across speed_mps --only 'config=C 2'")


def test_an_undefined_metric_does_not_count() -> None:
    table = numbers.tabulate(RUNS, Query(("delivery_rate",), ("speed_mps",)), "DIR")
    assert table.rows[0] == ["2", "50 (1)"]


@pytest.mark.parametrize("stat", ["mean", "sum", "max"])
def test_a_metric_that_no_run_defines_is_a_dash(stat: numbers.Statistic) -> None:
    runs = RUNS.assign(delivery_rate=RUNS["delivery_rate"].where(RUNS["speed_mps"] == 2))
    table = numbers.tabulate(
        runs, Query(("frames_per_node", "delivery_rate"), ("speed_mps",), stat=stat), "DIR"
    )
    assert [row[0] for row in table.rows] == ["2", "8"]
    assert [row[2] == "-" for row in table.rows] == [False, True]


def test_a_combination_that_was_not_run_has_no_row() -> None:
    runs = pd.concat([RUNS, RUNS.assign(protocol="mft-pubsub", config="C4")])
    table = numbers.tabulate(runs, Query(("frames_per_node",), ("protocol", "config"), stat="max"), "DIR")
    assert table.rows == [["MFT-PubSub", "C4", "28"], ["AODV", "C2", "28"]]


def test_sums_and_maxima_are_over_runs() -> None:
    stats: list[tuple[Literal["sum", "max"], str]] = [("sum", "72"), ("max", "28")]
    for stat, said in stats:
        table = numbers.tabulate(RUNS, Query(("frames_per_node",), (), stat=stat), "DIR")
        assert table.rows == [[said]]
        assert table.command.endswith(f"--by '' --stat {stat}")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (Query(("hue",)), "no metric 'hue'; there are delivery_rate, frames_per_node"),
        (Query(("frames_per_nod",)), "no metric 'frames_per_nod'; did you mean 'frames_per_node'"),
        (Query(("machine",)), "no metric 'machine'; there are delivery_rate, frames_per_node"),
        (Query(("delivery_rate",), ("size",)), "no key 'size'; there are protocol, config"),
        (Query(("delivery_rate",), only={"speed_mps": ("7",)}), "no speed_mps '7'; there are 2, 8"),
        (Query(("delivery_rate", "frames_per_node"), across="seed"), "--across goes with one --metric"),
    ],
)
def test_a_question_without_an_answer_is_refused_with_what_there_is(asked: Query, said: str) -> None:
    with pytest.raises(MftPubsubError, match=said):
        numbers.tabulate(RUNS, asked, "DIR")


def test_for_other_programs_the_numbers_are_unrounded_under_the_metrics_names() -> None:
    asked = Query(("delivery_rate", "frames_per_node"), ("protocol", "speed_mps"), only={"speed_mps": ("8",)})
    found = numbers.tidy(RUNS, asked)
    assert [*found] == ["protocol", "speed_mps", "metric", "mean", "ci95", "sd", "n"]
    assert found["metric"].tolist() == ["delivery_rate", "frames_per_node"]
    assert found["mean"].tolist() == [0.5, 24]
    across = numbers.tidy(RUNS, Query(("frames_per_node",), (), "speed_mps", stat="sum"))
    assert across.to_dict("list") == {"speed_mps": [2, 8], "metric": ["frames_per_node"] * 2, "sum": [24, 48]}


@pytest.mark.parametrize(
    ("by", "said"),
    [
        ((), "1 of 1 means are over seeds that do not have the same cases: 1 runs are missing"),
        (
            ("protocol",),
            "1 of 1 means are over seeds that do not have the same cases: AODV: 1 runs are missing",
        ),
        (("speed_mps",), ""),
        (("speed_mps", "seed"), ""),
        (None, ""),
    ],
)
def test_means_over_seeds_of_unequal_cases_are_told(
    by: tuple[str, ...] | None, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Seed 2 has no run at 8 m/s."""
    for make in (
        lambda asked: numbers.tabulate(RUNS[:3], asked, "DIR"),
        lambda asked: numbers.tidy(RUNS[:3], asked),
    ):
        make(Query(("frames_per_node",), by))
        told = capsys.readouterr().err
        assert said in told
        assert bool(told) == bool(said)


def test_means_that_leave_out_undefined_runs_or_other_cases_are_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = pd.concat([RUNS, RUNS.assign(protocol="mft-pubsub")], ignore_index=True)
    rows.loc[3, "frames_per_node"] = nan
    query = Query(("frames_per_node",), ("protocol",))
    numbers.tabulate(rows, query, "DIR")
    assert "frames_per_node: 1 of 2 means are over seeds that do not have" in capsys.readouterr().err
    rows.loc[1, "frames_per_node"] = nan
    numbers.tabulate(rows, query, "DIR")
    assert capsys.readouterr().err == (
        "frames_per_node: not every mean is over all of 2, 8 m/s; --only leaves cases out\n"
    )


def test_sums_over_unequal_numbers_of_runs_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    """The larger one may only have more runs."""
    query = Query(("frames_per_node", "delivery_rate"), ("speed_mps",), stat="sum")
    numbers.tabulate(RUNS, query, "DIR")
    assert capsys.readouterr().err == (
        "delivery_rate: sums are over 1 to 2 runs each; means can be compared\n"
    )


def test_of_whole_cases_and_of_sums_nothing_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    numbers.tabulate(RUNS, Query(("frames_per_node",), ("protocol",)), "DIR")
    numbers.tabulate(RUNS[:3], Query(("frames_per_node",), ("protocol",), stat="sum"), "DIR")
    assert capsys.readouterr().err == ""


def test_causes_of_loss_are_shares_of_what_was_sent(tmp_path: Path) -> None:
    folder = study(tmp_path)
    row = StudyResults(folder).runs.iloc[0]
    lost = {name: row[name] for name in row.index if name.startswith("lost_")}
    assert lost
    assert sum(lost.values()) + row["delivery_rate_strict"] == pytest.approx(1)


def test_what_follows_from_a_run_is_as_by_hand(tmp_path: Path) -> None:
    """MFT-PubSub's two runs have migrations and AODV's has none."""
    runs = RUNS[:3].assign(
        protocol=["mft-pubsub", "aodv", "mft-pubsub"],
        nodes=4,
        frames=[80, 40, 100],
        published=[20, 0, 10],
        sent_pairs=50,
        matched_pairs=[40, 50, 30],
        delivered_pairs=[30, 45, 25],
        migrations=[8, 0, 5],
        frames_per_node_control=[6.0, 3.0, 10.0],
    )
    keys = runs[["protocol", "config", "speed_mps", "seed"]]
    kinds = pd.concat(
        [
            keys.assign(kind=kind, frames=8, bytes=size)
            for kind, size in (("BMIG", 40), ("MIG", 24), ("PUB", 999))
        ]
    )
    (tmp_path / "tables").mkdir()
    runs.to_parquet(tmp_path / "tables" / "runs.parquet")
    kinds.to_parquet(tmp_path / "tables" / "frames_by_kind.parquet")
    keys.assign(cause="RADIO", pairs=5)[:1].to_parquet(tmp_path / "tables" / "losses.parquet")

    found = StudyResults(tmp_path).runs
    assert [*found["matched_share"]] == [0.8, 1.0, 0.6]
    assert [*found["frames_per_event"].fillna(-1)] == [4, -1, 10]
    assert [*found["control_per_migration"].fillna(-1)] == [6 * 4 / 8, -1, 10 * 4 / 5]
    assert [*found["control_bytes_per_migration"].fillna(-1)] == [64 / 8, -1, 64 / 5]
    assert [*found["frames_per_node_PUB"]] == [2, 2, 2]
    assert [*found["lost_RADIO"]] == [0.1, 0, 0]
    assert [*found["lost_QUEUED"]] == [0, 0, 0]


def beside_an_axis(folder: Path, one: float | str = 1.0, other: float | str = 2.0) -> StudyResults:
    """Runs at two values of an axis, and beside them a script's two, of which the second has no frames."""
    runs = pd.DataFrame(
        {
            "protocol": ["aodv", "aodv", "script", "script"],
            "config": "C2",
            "speed_mps": 2.0,
            "publisher.rate": [one, other, None, None],
            "seed": [1, 1, 1, 2],
            "nodes": 4,
            "frames": [40, 40, 40, None],
            "published": 10,
            "sent_pairs": 50,
            "matched_pairs": 50,
            "migrations": [None, None, 2, None],
            "frames_per_node_control": 10.0,
        }
    )
    keys = runs[[*keys_of(runs)]]
    (folder / "tables").mkdir()
    found = {
        "runs": runs,
        "metrics": summary(runs),
        "frames_by_kind": keys[:3].assign(kind="RREQ", frames=8, bytes=40),
        "losses": keys.assign(cause="NO_ADDRESS", pairs=5),
    }
    for name, table in found.items():
        table.to_parquet(folder / "tables" / f"{name}.parquet")
    return StudyResults(folder)


@pytest.mark.parametrize(("one", "other"), [(1.0, 2.0), ("few", "many")])
def test_what_is_nowhere_on_an_axis_has_means_and_rows(
    tmp_path: Path, one: float | str, other: float | str
) -> None:
    results = beside_an_axis(tmp_path, one, other)
    means = results.means[results.means["metric"] == "sent_pairs"]
    places = means["publisher.rate"]
    assert [*places[:2], *places.isna()] == [one, other, False, False, True]
    assert means["n"].tolist() == [1, 1, 2]
    assert in_order("publisher.rate", places[::-1]) == [one, other, nan]
    assert results.table("sent_pairs", by="publisher.rate").rows == [
        [label(one), "50 (1)"],
        [label(other), "50 (1)"],
        ["nan", "50 ± 0 (2)"],
    ]
    assert results.table("sent_pairs", by="protocol", across="publisher.rate", stat="sum").rows == [
        ["AODV", "50", "50", "-"],
        ["script", "-", "-", "100"],
    ]


def test_what_is_nowhere_on_an_axis_of_numbers_has_its_losses_and_frames(tmp_path: Path) -> None:
    """The second run of the script has no frames that anybody knows of: not zero of each kind."""
    runs = beside_an_axis(tmp_path).runs
    assert runs["lost_NO_ADDRESS"].tolist() == [0.1] * 4
    assert runs["frames_per_node_RREQ"].fillna(-1).tolist() == [2, 2, 2, -1]
    assert runs["control_bytes_per_migration"].fillna(-1).tolist() == [-1, -1, 20, -1]


@pytest.mark.parametrize("values", [[1, 2], ["few", "many"]])
def test_a_figure_over_an_axis_has_no_point_of_what_is_nowhere_on_it(
    tmp_path: Path, values: list[float | str]
) -> None:
    runs = beside_an_axis(tmp_path, *values).runs
    for x, by in (("publisher.rate", "protocol"), ("protocol", "publisher.rate")):
        drawn = own_figure.figure(runs, own_figure.Wish("sent_pairs", x, by))
        shown = drawn.rows[["protocol", "publisher.rate"]].to_numpy().tolist()
        assert shown == [["aodv", value] for value in values]


def test_without_tables_the_remedy_is_named(tmp_path: Path) -> None:
    with pytest.raises(MftPubsubError, match="mftpubsub ingest"):
        _ = StudyResults(tmp_path).runs


def test_tables_of_an_ingest_that_did_not_end_are_refused(tmp_path: Path) -> None:
    study(tmp_path)
    (tmp_path / "parquet").mkdir()
    with pytest.raises(MftPubsubError, match=f"an ingest did not end.*`mftpubsub ingest {tmp_path}`"):
        _ = StudyResults(tmp_path).runs
    (tmp_path / "parquet" / "_tables.json").touch()
    assert len(StudyResults(tmp_path).runs)


def test_a_damaged_table_is_named_with_the_remedy(tmp_path: Path) -> None:
    folder = study(tmp_path)
    (folder / "tables" / "runs.parquet").write_bytes(b"PAR1")
    with pytest.raises(
        MftPubsubError, match=r"^\S*runs.parquet cannot be read .*`mftpubsub ingest \S*` makes it"
    ):
        _ = StudyResults(folder).runs


def test_a_kept_study_that_is_no_yaml_is_named(tmp_path: Path) -> None:
    folder = study(tmp_path)
    (folder / "studies").mkdir(exist_ok=True)
    (folder / "studies" / "broken.yaml").write_text("axes: [")
    with pytest.raises(MftPubsubError, match=rf"^{folder}/studies/broken.yaml: no YAML"):
        _ = StudyResults(folder).runs


def test_intervals_end_where_values_do_but_not_before_the_mean() -> None:
    assert ends(50.0, 10.0, (0.0, 100.0)) == (40.0, 60.0)
    assert ends(95.0, 10.0, (0.0, 100.0)) == (85.0, 100.0)
    assert ends(5.0, 10.0, (0.0, 100.0)) == (0.0, 15.0)
    assert ends(100.1, 0.01, (0.0, 100.0)) == (100.1 - 0.01, 100.1)  # no metric of ours


def test_what_is_no_more_than_the_noise_of_floating_point_is_nothing() -> None:
    assert rounded(0.004852, 2.8e-15, spread=2.8e-15) == ["0.004852", "0"]
    assert rounded(0.004852, 0.0003, spread=0.0003) == ["0.00485", "0.00030"]
