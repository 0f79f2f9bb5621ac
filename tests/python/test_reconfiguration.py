"""The reconfiguration family: given worlds, scenarios, studies and their tables."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

import mftpubsub
from mftpubsub.cli.main import app
from mftpubsub.errors import ConfigurationError, DiskFullError, MftPubsubError
from mftpubsub.labels import rounded
from mftpubsub.protocols.catalogue import ROUTING, SHORT
from mftpubsub.reconfiguration import (
    Dispatchers,
    OverlayScenario,
    OverlayStudy,
    Patterns,
    Reconfiguration,
    read_world,
    run,
    run_world,
    sweep_study,
)
from mftpubsub.sources.cugola.claims import CLAIMS
from mftpubsub.sources.cugola.report import make_report
from mftpubsub.sources.cugola.tables import Tables, make_tables
from mftpubsub.studies import numbers
from mftpubsub.sweeps.processes import Outcome
from mftpubsub.worlds.reconfiguration.groups import REPAIRING
from mftpubsub.worlds.reconfiguration.world import Link, Substitution, World

ROOT = Path(__file__).parents[2]
WORLDS = sorted((ROOT / "tests" / "worlds").glob("*.json"))
SMALL = WORLDS[2]


@pytest.mark.parametrize("sub_bits", [0, 100, 1000])
@pytest.mark.parametrize("path", WORLDS, ids=lambda path: path.stem)
def test_given_worlds_need_exactly_these_messages(path: Path, sub_bits: int) -> None:
    world = read_world(path)
    for protocol, expected in world.expected.items():
        result = run_world(world, protocol, sub_bits)
        assert result["faults"] == []
        for key in ("messages", "normalised_cost", "involved"):
            assert result[key] == expected[key], (protocol, key)


def test_the_command_prints_what_the_files_expect() -> None:
    done = CliRunner().invoke(app, ["reconfigure", str(SMALL), "--json"])
    assert done.exit_code == 0
    printed = json.loads(done.stdout)
    assert list(printed) == list(REPAIRING)
    expected = json.loads(SMALL.read_text())["expected"]
    assert printed == {
        name: {key: value for key, value in row.items() if key != "independent_of_link_speed"}
        for name, row in expected.items()
    }


def test_the_command_takes_either_name_of_a_protocol() -> None:
    done = CliRunner().invoke(
        app, ["reconfigure", str(SMALL), "--protocol", "tdu", "--protocol", SHORT["rp"], "--json"]
    )
    assert list(json.loads(done.stdout)) == ["tdu", "rp"]


def test_the_command_tells_wrong_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    result = {"messages": {}, "normalised_cost": 0, "involved": [], "faults": ["3 lacks a route"]}
    monkeypatch.setattr("mftpubsub.worlds.reconfiguration.world.run_world", lambda *_: dict(result))
    done = CliRunner().invoke(app, ["reconfigure", str(SMALL), "--protocol", "tdu", "--json"])
    assert done.stderr == f"{SMALL}: {SHORT['tdu']}: 3 lacks a route\n"
    assert json.loads(done.stdout) == {"tdu": result}


def _changed(key: str, value: object) -> dict[str, Any]:
    world: dict[str, Any] = json.loads(SMALL.read_text())
    *parts, last = key.split(".")
    place: Any = world
    for part in parts:
        place = place[int(part)] if isinstance(place, list) else place[part]
    if isinstance(place, list):
        place[int(last)] = value
    else:
        place[last] = value
    return world


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("edges.3", [11, 99], "edges.3: no dispatcher 99"),
        ("edges.18", [11, 13], "edges.18: the link 11-13 would close a cycle"),
        ("dispatchers", 21, "edges: a tree of 21 dispatchers has 20 edges"),
        ("subscriptions.99", [1], "subscriptions.99: no such dispatcher"),
        ("subscriptions.01", [1], "subscriptions.01: no such dispatcher"),
        ("subscriptions.1", [3, 3], "subscriptions.1: a pattern is there twice"),
        ("subscriptions.1", [-3], "subscriptions.1.0: "),
        ("t_rep", "long", "t_rep: "),
        ("t_u", -1, "t_u: "),
        ("reconfigurations.2.old", [6, 17], "reconfigurations.2.old: there is no link 6-17 at 3.66667 s"),
        (
            "reconfigurations.2.new",
            [7, 17],
            "reconfigurations.2.new: 7-17 does not connect the parts of 6-13",
        ),
        ("reconfigurations.2.new", [6, 13], "reconfigurations.2.new: a link cannot replace itself"),
        ("reconfigurations.2.tail", [7, 13], "reconfigurations.2.tail: the way is [7, 17, 13]"),
        ("reconfigurations.2.id", 1, "reconfigurations.2.id: 1 is there twice"),
        ("reconfigurations.2.brake_at", 1, "reconfigurations.2.brake_at: unknown key"),
    ],
)
def test_a_wrong_world_is_told_by_file_and_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], key: str, value: object, told: str
) -> None:
    path = tmp_path / "world.json"
    path.write_text(json.dumps(_changed(key, value)))

    with pytest.raises(ConfigurationError) as error:
        read_world(path)

    assert str(error.value).startswith(f"{path}: {told}")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("repair", "breaks"),
    [
        (0.0, {0.1: ((1, 2), (0, 2))}),  # each link is replaced as it breaks
        (0.0, {0.1: ((1, 2), (0, 2)), 0.3: ((0, 2), (1, 2))}),
        (0.2, {0.1: ((1, 2), (0, 2)), 0.3: ((0, 2), (1, 2))}),  # the new link breaks as it comes
    ],
)
def test_a_link_that_breaks_as_another_comes_is_no_overlap(
    repair: float, breaks: dict[float, tuple[Link, Link]]
) -> None:
    world = World(
        dispatchers=4,
        edges=[(0, 1), (1, 2), (2, 3)],
        subscriptions={"0": [1], "3": [2]},
        t_rep=repair,
        t_u=0.15,
        t_s=0.15,
        reconfigurations=[
            Substitution(id=index, break_at=at, old=old, new=new)
            for index, (at, (old, new)) in enumerate(breaks.items(), 1)
        ],
    )

    assert world.overlap() is None
    assert run_world(world, "rp")["faults"] == []


def test_what_is_no_world_is_told(tmp_path: Path) -> None:
    path = tmp_path / "world.json"
    for text, told in (
        ("{", f"{path}:1: no JSON"),
        ("[]", "a world is a JSON object"),
        (f"{'[' * 10**5}{']' * 10**5}", f"{path}: lists and objects are nested too deeply"),
        ('{"subscriptions": {"0": [1], "0": [2]}}', f"{path}: the key '0' is there twice"),
    ):
        path.write_text(text)
        with pytest.raises(ConfigurationError, match=told):
            read_world(path)
    with pytest.raises(ConfigurationError, match=r"missing\.json: No such file"):
        read_world(tmp_path / "missing.json")


@pytest.mark.parametrize("bits", [-1.0, 1e300, float("inf"), float("nan")])
def test_a_size_whose_time_no_clock_can_hold_is_refused(bits: float) -> None:
    with pytest.raises(ConfigurationError, match=r"sub_bits: 0 to 1e\+09 bits \(given: "):
        run_world(read_world(SMALL), "strawman", bits)
    with pytest.raises(ConfigurationError, match="sub_bits: "):
        OverlayScenario(protocol="strawman", sub_bits=bits)


def test_overlapping_reconfigurations_are_not_for_reconfiguration_path(tmp_path: Path) -> None:
    path = tmp_path / "world.json"
    path.write_text(json.dumps(_changed("t_rep", 0.334)))  # each begins before the one before is repaired
    world = json.loads(path.read_text())
    world["reconfigurations"] = world["reconfigurations"][:2]
    for item in world["reconfigurations"]:
        item.pop("head"), item.pop("tail")
    world["reconfigurations"][1]["old"] = [9, 19]
    world["reconfigurations"][1]["new"] = [9, 3]
    path.write_text(json.dumps(world))

    done = CliRunner().invoke(app, ["reconfigure", str(path), "--json"])
    assert list(json.loads(done.stdout)) == ["strawman", "tdu", "ndu", "ila"]
    assert "reconfigurations.1.break_at" in done.stderr

    refused = CliRunner().invoke(app, ["reconfigure", str(path), "--protocol", "rp"])
    assert isinstance(refused.exception, ConfigurationError)


def test_a_run_has_the_metrics_of_its_records() -> None:
    scenario = OverlayScenario(protocol="ila", dispatchers=Dispatchers(40, degree=3), publish_rate=2.0)
    result = run(scenario)
    records = result.records.groupby("record")["value"].sum()

    assert result.metrics["reconfigurations"] == 12
    assert result.metrics["cost"] == pytest.approx(records["cost"] / 12)
    assert result.metrics["involved"] == pytest.approx(records["involved"] / 12 / 40)
    misrouted = records["event_hops"] - records["good_event_hops"]
    assert result.metrics["overhead"] == pytest.approx((records["cost"] + misrouted) / 12)
    assert result.metrics["faults"] == 0
    assert run(scenario).metrics == result.metrics
    assert run(scenario.replace({"seed": 2})).metrics != result.metrics


def test_every_protocol_of_a_seed_has_the_same_events() -> None:
    scenario = OverlayScenario(protocol="strawman", publish_rate=1.0, dispatchers=Dispatchers(30))
    expected = set()
    for protocol in SHORT:
        records = run(scenario.replace({"protocol": SHORT[protocol]})).records
        expected.add(tuple(records.loc[records["record"] == "expected", "value"]))
    assert len(expected) == 1


def test_rec_count_by_their_place_on_the_path_whatever_they_carry() -> None:
    """REC of the head path and the new link are the same few whether anybody subscribes or not."""
    scenario = OverlayScenario(protocol="rp", dispatchers=Dispatchers(60), publish_rate=0.0)
    counts = set()
    for subscribers in (0.0, 0.2, 1.0):
        records = run(scenario.replace({"subscribers": subscribers})).records
        rec = records[records["of"] == "REC"].set_index("record")["value"]
        assert 0 < rec["telling_hops"] < rec["hops"]
        counts.add((rec["hops"], rec["telling_hops"]))
    assert len(counts) == 1


def _moved_world(tmp_path: Path, **changes: object) -> World:
    """T's figure 4.1: seven brokers, a subscriber at each, and b3 moves from b1 to b2."""
    world = {
        "dispatchers": 7,
        "edges": [[0, 1], [0, 2], [1, 3], [1, 4], [2, 5], [2, 6]],
        "subscriptions": {str(node): [node] for node in range(7)},
        "t_rep": 0.1,
        "t_u": 0.15,
        "t_s": 0.15,
        "reconfigurations": [{"id": 1, "break_at": 3, "old": [0, 2], "new": [1, 2]}],
        **changes,
    }
    path = tmp_path / "world.json"
    path.write_text(json.dumps(world))
    return read_world(path)


@pytest.mark.parametrize("protocol", ROUTING)
def test_a_link_that_keeps_an_end_is_one_migration_of_that_end(tmp_path: Path, protocol: str) -> None:
    """T 4.4's two messages: seven entries from b3 to b2, and three on to b1."""
    world = _moved_world(tmp_path)
    result = run_world(world, protocol)
    assert result == {"messages": {"BMIG": 2}, "normalised_cost": 10, "involved": [3], "faults": []}
    # numbered the other way round, the end that both links have is the lower one: the same happens
    turned = [[6 - one, 6 - other] for one, other in world.edges]
    other = _moved_world(
        tmp_path,
        edges=turned,
        reconfigurations=[{"id": 1, "break_at": 3, "old": [6, 4], "new": [5, 4]}],
    )
    assert run_world(other, protocol) == result


def test_without_an_end_in_common_the_tail_turns_round(tmp_path: Path) -> None:
    """b6 takes b3 along: it moves to b2, and b3 to b6. Two migrations, and b3's entries go on to b2."""
    world = _moved_world(tmp_path, reconfigurations=[{"id": 1, "break_at": 3, "old": [0, 2], "new": [1, 5]}])
    for protocol in ROUTING:
        result = run_world(world, protocol)
        assert result["faults"] == []
        assert result["messages"]["BMIG"] > 2


def test_the_repaired_protocol_keeps_routes_and_events_where_the_published_one_does_not() -> None:
    """Losses are those of events on a link as it breaks, which neither protocol is told of."""
    wrong = dict.fromkeys(ROUTING, 0.0)
    for protocol in ROUTING:
        for policy in ("shared", "uniform", "cycle"):
            for seed in (1, 2):
                scenario = OverlayScenario(
                    protocol=SHORT[protocol],
                    seed=seed,
                    dispatchers=Dispatchers(40),
                    reconfiguration=Reconfiguration(policy=policy),
                )
                metrics = run(scenario).metrics
                wrong[protocol] += metrics["faults"]
                assert metrics["delivery"] > (0.999 if protocol == "mft-r" else 0.8)
    assert wrong["mft-r"] == 0
    assert wrong["mft"] > 0


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Dispatchers(2), "count: "),
        (lambda: Patterns(5), "per_subscriber: a subscriber cannot want 7 of 5"),
        (lambda: Reconfiguration(policy="nearest"), "policy: "),  # type: ignore[arg-type]
        (lambda: OverlayScenario(protocol="strawmen"), "no protocol 'strawmen'; did you mean 'strawman'"),
        (
            lambda: OverlayScenario(protocol="rp", reconfiguration=Reconfiguration(rate=10)),
            "reconfiguration.rate: reconfiguration-path cannot have reconfigurations that overlap",
        ),
        (
            lambda: OverlayScenario(protocol="rp", reconfiguration=Reconfiguration(rate=49, repair=1 / 49)),
            "reconfiguration.rate: reconfiguration-path cannot have reconfigurations that overlap",
        ),
        (
            lambda: OverlayScenario(protocol="rp").replace({"patterns.number": 3}),
            "patterns.number: no such key",
        ),
    ],
)
def test_a_scenario_that_makes_no_sense_is_told(make: Callable[[], object], told: str) -> None:
    with pytest.raises(ConfigurationError) as error:
        make()
    assert told in str(error.value)


STUDY = """
seeds: 3
base: {publish_rate: 1, dispatchers.count: 20}
series:
  rate:
    vary: reconfiguration.rate
    values: [1, 3]
    protocols: [tdu]
    flat: [strawman]
    over_time: true
"""


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> tuple[OverlayStudy, Path]:
    folder = tmp_path_factory.mktemp("study")
    (folder / "study.yaml").write_text(STUDY)
    study = OverlayStudy.from_yaml(folder / "study.yaml")
    out = folder / "out[1]{a,b}*"  # a pattern to those who do not take it literally
    assert sweep_study(study, out, workers=2) == []
    return study, out


def test_a_second_start_runs_only_what_is_missing(
    swept: tuple[OverlayStudy, Path], capfd: pytest.CaptureFixture[str]
) -> None:
    study, out = swept
    files = sorted(out.glob("runs/series=rate/*.parquet"))
    assert [file.name for file in files] == ["seed=1.parquet", "seed=2.parquet", "seed=3.parquet"]
    before = files[0].stat().st_mtime_ns
    files[1].unlink()

    assert sweep_study(study, out, workers=1) == []

    assert "3 series and seeds, 1 to run" in capfd.readouterr().err
    assert files[1].exists()
    assert files[0].stat().st_mtime_ns == before


def test_a_full_disk_stops_it_in_one_line(
    swept: tuple[OverlayStudy, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = []

    def on_a_full_disk(tasks: Sequence[Any], *_: object) -> Iterator[Outcome]:
        for number in range(len(tasks)):
            started.append(number)
            yield Outcome(number, os.strerror(errno.ENOSPC), 1.0, is_disk_full=True)

    monkeypatch.setattr("mftpubsub.sources.cugola.study.run_here", on_a_full_disk)
    with pytest.raises(DiskFullError, match="No space left on device; make room, and the same command"):
        sweep_study(swept[0], tmp_path)
    assert started == [0]


def test_runs_of_other_settings_are_not_mixed(swept: tuple[OverlayStudy, Path]) -> None:
    study, out = swept
    other = study.model_copy(update={"base": {"publish_rate": 2}})
    with pytest.raises(MftPubsubError, match="other code or with other settings"):
        sweep_study(other, out)


def test_runs_of_a_series_that_the_study_has_not_are_not_mixed(swept: tuple[OverlayStudy, Path]) -> None:
    study, out = swept
    renamed = study.model_copy(update={"series": {"rates": study.series["rate"]}})
    with pytest.raises(MftPubsubError, match=r"for a series that the study has not \(rate\)"):
        sweep_study(renamed, out, workers=1)


@pytest.mark.spark
def test_tables_of_a_study_are_the_metrics_of_its_runs(swept: tuple[OverlayStudy, Path]) -> None:
    study, out = swept
    make_tables(out, ["rate"], "local[1]")
    tables = Tables(out)

    for x, protocol, scenario in study.scenarios("rate", 2):
        metrics = run(scenario).metrics
        for metric in ("cost", "misrouted", "overhead", "goodput", "involved", "total_traffic"):
            assert tables.values("rate", protocol, metric, x)[2] == pytest.approx(metrics[metric]), metric
    straw, timed = (tables.values("rate", name, "cost", 1.0) for name in ("strawman", "tdu"))
    assert tables.improvement("rate", "tdu", x=1.0).mean == pytest.approx(
        100 * (1 - timed.mean() / straw.mean())
    )
    assert tables.bins["delivered"].sum() <= tables.bins["expected"].sum()


@pytest.mark.spark
def test_a_study_of_ones_own_has_a_report_of_its_cases(
    swept: tuple[OverlayStudy, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    _, out = swept
    make_report(out, out.parent / "study.yaml", "local[1]")

    text = (out / "report.md").read_text()
    straw = Tables(out).mean("rate", "strawman", "cost", 1.0)
    mean, half = rounded(straw.mean, straw.half, spread=straw.half)
    assert f"| 1 | strawman | {mean} ± {half} (3) |" in text
    assert "| reconfiguration.rate | protocol | cost |" in text
    assert "(figures/rate.png)" in text
    picture = (out / "figures" / "rate.svg").read_text()
    shown = ("reconfiguration.rate", "Cost of a reconfiguration", "Dispatchers involved", ">Strawman<")
    assert all(words in picture for words in shown)
    assert "legend" not in picture  # lines are named at their ends
    assert "(provenance.md)" in text
    told = (out / "provenance.md").read_text()
    assert "## Commands\n\n- `mftpubsub cugola " in told
    assert "## Runs\n\n" in told
    assert text.count("| deferred-unsub-timed |") == 2
    assert "statements" not in text
    assert "the study has no runs" in capsys.readouterr().err


@pytest.mark.spark
def test_a_series_varies_names_too_in_the_order_of_its_file(tmp_path: Path) -> None:
    file, out = tmp_path / "study.yaml", tmp_path / "out"
    file.write_text(
        "seeds: 2\nbase: {dispatchers.count: 12, publish_rate: 1}\nseries:\n"
        "  which: {vary: reconfiguration.policy, values: [uniform, shared, nearby], protocols: [tdu],\n"
        "    flat: [strawman]}\n"
        "  rate: {vary: reconfiguration.rate, values: [5.0, 1.0], protocols: [tdu]}\n"
    )
    study = OverlayStudy.from_yaml(file)
    assert sweep_study(study, out, 1) == []
    make_report(out, file, "local[1]")

    text = (out / "report.md").read_text()
    rows = [line.split(" | ")[:2] for line in text.splitlines() if "deferred" in line]
    told = ["| uniform", "| shared", "| nearby", "| 1", "| 5"]
    assert rows == [[value, "deferred-unsub-timed"] for value in told]
    own = Tables(out).values("which", "tdu", "cost", 1.0)
    alone = OverlayScenario(protocol="deferred-unsub-timed", seed=2).replace(
        {"dispatchers.count": 12, "publish_rate": 1, "reconfiguration.policy": "shared"}
    )
    assert own[2] == pytest.approx(mftpubsub.reconfiguration.run(alone).metrics["cost"])
    table = pd.read_parquet(out / "tables" / "metrics.parquet")
    assert [*table.columns[:3]] == ["series", "x", "value"]
    assert [*dict.fromkeys(table[table["series"] == "which"]["value"])] == ["uniform", "shared", "nearby"]
    picture = (out / "figures" / "which.svg").read_text()
    places = [picture.index(f">{name}<") for name in ("uniform", "shared", "nearby")]
    assert places == sorted(places)
    with pytest.raises(MftPubsubError, match="with other settings"):
        sweep_study(OverlayStudy.from_yaml(_turned(file)), out, 1)


def _turned(file: Path) -> Path:
    """The same with two names in another order, so that `x` stands for others."""
    file.write_text(file.read_text().replace("uniform, shared", "shared, uniform"))
    return file


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("series: {a: {protocols: [tdu], set: {pattern.count: 3}}}", "series.a: pattern.count: no such key"),
        ("series: {a: {protocols: [tud]}}", "series.a: no protocol 'tud'"),
        (
            "series: {a: {protocols: [tdu], set: {dispatchers.tre: 3}}}",
            "series.a: dispatchers.tre: no such key of an overlay scenario; did you mean 'dispatchers.tree'?",
        ),
        ("series: {a: {protocols: [tdu], vary: publish_rate}}", "series.a: `vary` and `values`"),
        (
            "series: {a: {protocols: [tdu], vary: reconfiguration.policy, values: [shared, near]}}",
            "series.a: reconfiguration.policy: input should be 'shared', 'uniform', 'nearby' or 'cycle'",
        ),
        ("series: {a: {protocols: [tdu], vary: protocol, values: [ila]}}", "series.a.vary: a series says"),
        (
            "series: {a: {protocols: [tdu], set: {seed: 3}}}",
            "series.a.set.seed: a series says this by `seeds`",
        ),
        ("series: {a: {protocols: [tdu], vary: core, values: [1, 0.5, 1]}}", "series.a.values: 1 stands"),
        ("series: {a: {protocols: [tdu], vary: core, values: [0, 0.5, 0]}}", "series.a.values: 0 stands"),
        ("series: {a: {}}", "series.a.protocols: must name one at least"),
        ("series: {a: {protocols: []}}", "series.a.protocols: must name one at least"),
        ("series: {a/b: {protocols: [tdu]}}", "series.a/b: 'a/b' cannot be part of a folder's name"),
    ],
)
def test_a_wrong_study_is_told_before_anything_runs(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "study.yaml"
    path.write_text(text)
    with pytest.raises(ConfigurationError) as error:
        OverlayStudy.from_yaml(path)
    assert str(error.value).startswith(f"{path}: {said}")
    with pytest.raises(ConfigurationError) as error:
        OverlayStudy.from_yaml(tmp_path / "nope.yaml")
    assert str(error.value) == f"{tmp_path}/nope.yaml: No such file or directory"
    path.write_text("base: {publish_rate: 1}\n" + text)
    with pytest.raises(ConfigurationError, match=r"a study of reconfigurations, which `mftpubsub study run`"):
        mftpubsub.load(path)


def test_the_base_of_a_study_says_no_seed(tmp_path: Path) -> None:
    path = tmp_path / "study.yaml"
    path.write_text("base: {seed: 2}\nseries: {a: {protocols: [tdu]}}")
    with pytest.raises(ConfigurationError, match=r"base\.seed: a study says this by `seeds`"):
        OverlayStudy.from_yaml(path)


def test_a_study_without_series_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "study.yaml"
    path.write_text("series: {}")
    with pytest.raises(ConfigurationError, match=r"series: dictionary should have at least 1 item \(given"):
        OverlayStudy.from_yaml(path)


def test_one_seed_has_no_interval_and_none_goes_beyond_what_is_possible() -> None:
    assert numbers.told(0.5, float("nan"), 1, (0.0, 1.0)) == "0.5 (1)"
    assert numbers.told(0.96, 0.1, 3, (0.0, 1.0)) == "0.96 [0.86, 1.00] (3)"
    assert numbers.told(float("nan"), float("nan"), 0, (0.0, 1.0)) == "-"


def test_the_study_of_the_paper_can_be_run_and_its_statements_have_names() -> None:
    study = OverlayStudy.from_yaml(ROOT / "configs" / "cugola.yaml")
    assert {"default", "scale", "events", "burst"} <= study.series.keys()
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS)
