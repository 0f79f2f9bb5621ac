"""The hand-off study: which runs are kept, and what its tables make of them."""

from __future__ import annotations

import json
import re
import shutil
import signal
from collections.abc import Iterator
from functools import partial
from itertools import product
from math import inf, nan
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd
import pytest
import yaml
from pyspark.sql import SparkSession
from typer.testing import CliRunner

from mftpubsub.cli.main import app
from mftpubsub.errors import ConfigurationError, MftPubsubError
from mftpubsub.simulator.worlds import source_hash
from mftpubsub.sources.gaddah import claims, figures, own, reasons, report, study
from mftpubsub.sources.gaddah.printed import MOBILITIES, SCHEMES, SUBSCRIBERS
from mftpubsub.sources.gaddah.source import GADDAH
from mftpubsub.studies import kept
from mftpubsub.studies.claims import hold_against
from mftpubsub.studies.evidence import NotRunError
from mftpubsub.worlds.handoff.scenario import Costs, HandoffScenario

STUDY = study.HandoffStudy.model_validate(
    {
        "groups": {
            "schemes": {
                "schemes": ["durable", "reactive"],
                "mobility": ["random"],
                "subscribers": [4],
                "buffer_events": [16],
                "rates": [0.5],
                "seeds": 3,
            },
            "reactive-home": {
                "schemes": ["reactive"],
                "home": True,
                "mobility": ["random"],
                "subscribers": [4],
                "buffer_events": [16],
                "rates": [0.5],
                "seeds": 3,
            },
        }
    }
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its name is a pattern to those who do not take it literally."""
    made = tmp_path_factory.mktemp("study") / "o[1]{a,b}*"
    study.sweep(STUDY, made, workers=1)
    return made


def runs(folder: Path) -> dict[Path, dict[str, Any]]:
    return {path: json.loads(path.read_text()) for path in sorted((folder / "runs").glob("*.json"))}


@pytest.mark.slow
def test_every_cell_has_its_seeds(folder: Path) -> None:
    cells = [(run["group"], run["scheme"], run["home"], run["seed"]) for run in runs(folder).values()]

    assert len(cells) == len(set(cells)) == 9


@pytest.mark.slow
def test_a_run_is_kept_while_its_sources_are_these(folder: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in runs(folder)}

    study.sweep(STUDY, folder, workers=1)

    assert {path: path.stat().st_mtime_ns for path in runs(folder)} == before


def test_a_cell_that_a_group_lists_twice_is_run_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[study.Case] = []

    def runs_here(cases: list[study.Case], *_: Any) -> Iterator[Any]:
        asked.extend(cases)
        yield from ()

    monkeypatch.setattr(study, "run_here", runs_here)
    twice = STUDY.groups["schemes"].model_copy(update={"subscribers": [4, 4], "rates": [0.5, 0.5]})
    study.sweep(study.HandoffStudy(groups={"schemes": twice}), tmp_path, seeds=2)
    assert [(case.scenario.scheme, case.scenario.seed) for case in asked] == [
        ("durable", 1),
        ("reactive", 1),
        ("durable", 2),
        ("reactive", 2),
    ]


@pytest.mark.slow
def test_a_run_that_fails_is_told_and_costs_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    groups = {"groups": {**STUDY.model_dump()["groups"]}}
    groups["groups"]["reactive-home"]["schemes"] = ["durable"]  # no such option: a file would be refused

    failures = study.sweep(study.HandoffStudy.model_validate(groups), tmp_path, workers=2, seeds=1)

    assert len(failures) == 1
    assert failures[0].startswith("reactive-home durable: ConfigurationError")
    assert failures[0] in capsys.readouterr().err
    assert {run["group"] for run in runs(tmp_path).values()} == {"schemes"}


def changed(group: str, **values: Any) -> study.HandoffStudy:
    """The study with another group."""
    groups = {**STUDY.model_dump()["groups"]}
    groups[group] = {**groups[group], **values}
    return study.HandoffStudy.model_validate({"groups": groups})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"rates": [0.6]}, "rate was 0.5, is 0.6"),
        ({"home": True, "schemes": ["reactive"]}, "home was False, is True"),
        ({"filters_in_reconnect": True, "schemes": ["reactive"]}, "filters_in_reconnect was False, is True"),
        ({"transfer_time": 0.06}, "transfer_time was 0.03, is 0.06"),
        ({"mean_connected": 15.0}, "mean_connected was 60.0, is 15.0"),
        ({"mobility": ["neighbouring"]}, "mobility was random, is neighbouring"),
        ({"subscribers": [5]}, "subscribers was 4, is 5"),
        ({"buffer_events": [8]}, "buffer_events was 16, is 8"),
    ],
)
def test_runs_of_a_group_that_is_another_now_are_refused_before_anything_runs(
    folder: Path, values: dict[str, Any], told: str
) -> None:
    before = runs(folder)

    with pytest.raises(MftPubsubError, match=rf"other settings \(.*{told}.*delete .*runs to start anew"):
        study.sweep(changed("schemes", **values), folder, workers=1)

    assert runs(folder) == before


@pytest.mark.slow
@pytest.mark.parametrize("values", [{"seeds": 2}, {"rates": [0.5, 0.6], "seeds": 3}])
def test_a_group_may_have_other_seeds_and_more_cells(
    folder: Path, values: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study, "run_here", lambda cases, *_: (_ for _ in ()))

    assert study.sweep(changed("schemes", **values), folder, workers=1) == []


@pytest.mark.slow
def test_runs_of_a_group_that_the_study_has_not_stay_beside_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study, "run_here", lambda cases, *_: (_ for _ in ()))
    groups = {"another": STUDY.model_dump()["groups"]["schemes"] | {"rates": [7.0]}}

    assert study.sweep(study.HandoffStudy.model_validate({"groups": groups}), folder, workers=1) == []


@pytest.mark.slow
@pytest.mark.parametrize("command", ["handoff sweep", "study run"])
def test_a_folder_keeps_each_file_whose_runs_it_has(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study, "run_here", lambda *_: (_ for _ in ()))
    out, group = tmp_path / "out", STUDY.model_dump()["groups"]["schemes"]
    for name, seeds in (("b", 2), ("a", 3), ("a", 4)):
        config = tmp_path / f"{name}.yaml"
        config.write_text(yaml.safe_dump({"groups": {name: group | {"seeds": seeds}}}))
        said = CliRunner().invoke(app, [*command.split(), str(config), "--out", str(out)])
        assert said.exit_code == 0, said.output

    files = kept.files(out)
    assert [file.name for file in files] == ["a.yaml", "b.yaml"]
    (out / "tables").mkdir()
    (out / "tables" / study.SOURCES).write_text("source,runs\nx,4\n")
    cells = len(group["schemes"])
    assert study.missing(out, files) == f"{cells * (2 + 4) - 4} of {cells * (2 + 4)} runs."


def test_commands_of_hand_offs_say_what_they_wrote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "aggregate", lambda *_: None)
    monkeypatch.setattr(report, "make", lambda *_: None)
    for command, name in (("tables", "tables/cells.parquet"), ("report", "report.md")):
        said = CliRunner().invoke(app, ["handoff", command, str(tmp_path)])
        assert said.stdout.split() == [str(tmp_path / name)]


def test_runs_of_other_sources_are_refused(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "old")
    path, run = next(iter(runs(tmp_path / "old").items()))
    path.write_text(json.dumps(run | {"source": "other"}))

    with pytest.raises(MftPubsubError, match=r"by other code \(other; this is"):
        study.sweep(STUDY, tmp_path / "old", workers=1)


def test_closed_loops_of_other_costs_are_refused(tmp_path: Path) -> None:
    """They depend on what the costs were fitted to."""
    closed = {"closed": STUDY.model_dump()["groups"]["schemes"] | {"rates": "closed"}}
    its = study.HandoffStudy.model_validate({"groups": closed})
    (tmp_path / "runs").mkdir()
    case = next(its.groups["closed"].scenarios(Costs(event=1)))
    row = {"group": "closed", "source": source_hash(), **case.model_dump(mode="json")}
    (tmp_path / "runs" / "a.json").write_text(json.dumps(row))

    for costs in (None, Costs(event=1)):
        scenarios = {"closed": [*its.groups["closed"].scenarios(costs)]}
        study._refuse_mixing(its, scenarios, tmp_path / "runs")
    scenarios = {"closed": [*its.groups["closed"].scenarios(Costs(event=2))]}
    with pytest.raises(MftPubsubError, match=r"costs.event was 1.0, is 2.0"):
        study._refuse_mixing(its, scenarios, tmp_path / "runs")


def test_costs_are_those_that_explain_the_printed_rates_by_the_first_seed(tmp_path: Path) -> None:
    """Of the cells of the tables alone, with buffers of 128 events."""
    costs = Costs(event=3, delivered=0.5, stored=0.25, control=0.125, transferred=2)
    random = Random(1)
    (tmp_path / "runs").mkdir()

    def keep(explained: bool = True, **keys: Any) -> None:
        work = {metric: random.uniform(1, 9) for metric in study.WORK.values()}
        ms = costs.event + sum(getattr(costs, cost) * work[metric] for cost, metric in study.WORK.items())
        cell: dict[str, Any] = {"group": "tables", "buffer_events": 128, "seed": 1, "source": ""}
        row = cell | work | keys | {"rate": 1000 / ms if explained else 1.0}
        name = len([*(tmp_path / "runs").iterdir()])
        (tmp_path / "runs" / f"{name}.json").write_text(json.dumps(row))

    for scheme, mobility, k in product(SCHEMES, MOBILITIES, SUBSCRIBERS):
        where: dict[str, Any] = {"scheme": scheme, "mobility": mobility, "subscribers": k}
        keep(**where)
        for other in (
            {"seed": 2},
            {"buffer_events": 256},
            {"group": "closed"},
            {"subscribers": 7},
            {"scheme": "jedi"},
        ):
            keep(explained=False, **where | other)
    fitted = study.fit_costs(tmp_path / "runs").model_dump()
    assert fitted == pytest.approx(costs.model_dump(), rel=1e-6)


@pytest.mark.parametrize("key", ["home", "window", "seed", "source", "interest"])
@pytest.mark.slow
def test_a_cell_of_runs_that_differ_has_no_mean(folder: Path, tmp_path: Path, key: str) -> None:
    """As after runs were copied together."""
    shutil.copytree(folder / "runs", tmp_path / "runs")
    run = next(iter(runs(folder).values()))
    (tmp_path / "runs" / "0.json").write_text(json.dumps(run | {key: 12345}))

    if key == "seed":
        study._check_cells(tmp_path / "runs")
        return
    with pytest.raises(MftPubsubError, match=rf"otherwise than others of its cell \({key} was"):
        study.aggregate(tmp_path)


def test_what_is_no_run_is_told(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "a.json").write_text("[]")

    with pytest.raises(MftPubsubError, match=r"a\.json is no run"):
        study.aggregate(tmp_path)


def test_of_a_group_with_two_rates_each_is_a_cell_and_a_claim_takes_neither() -> None:
    table = pd.DataFrame(
        [("tables", "durable", "random", 200, 128, rate, "loss_percent", rate) for rate in (20.0, 60.0)],
        columns=["group", "scheme", "mobility", "subscribers", "buffer_events", "rate", "metric", "mean"],
    ).assign(half_width=1.0, seeds=3)
    assert claims.Cells(table[table.rate == 20]).get("loss_percent", "durable") == 20
    with pytest.raises(NotRunError, match="2 rates or stays"):
        claims.Cells(table).get("loss_percent", "durable")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"schemes": ["durabel"]}, "schemes: no scheme 'durabel'; did you mean 'durable'?"),
        ({"rates": "implied", "schemes": ["jedi"]}, "of others G implies no rates"),
        ({"rates": "implied", "schemes": "all"}, "rates: G implies rates of durable, reactive, pro-active"),
        ({"subscribers": [0]}, "subscribers: input should be greater than or equal to 1 (given: 0)"),
        ({"rates": [20.0, -1.0]}, "rate: input should be greater than or equal to 0.000001 (given: -1.0)"),
        ({"seeds": 0}, "seeds: at least 1 (given: 0)"),
        ({"schemes": 5}, "groups.mine.schemes: input should be a valid list, or 'all' (given: 5)"),
        (
            {"rates": "fast"},
            "rates: input should be 'implied' or 'closed', or a valid list (given: 'fast')",
        ),
        ({"rates": ["x"]}, "groups.mine.rates.0: input should be a valid number"),
        ({"seeds": {"a": 1}}, "groups.mine.seeds.a: input should be a valid integer"),
        ({"mean_connected": []}, "mine.mean_connected: list should have at least 1 item, or a valid number"),
        ({"home": True}, "groups.mine.home: an option of the reactive scheme alone"),
        ({"filters_in_reconnect": True}, "groups.mine.filters_in_reconnect: an option of the reactive"),
        ({"set": {"windw": 9}}, "windw: unknown key; did you mean 'window'?"),
        ({"set": {"costs": {"event": 1}}}, "groups.mine.set.costs: a group says this by a key of its own"),
        ({"set": {"rate": 9}}, "groups.mine.set.rate: a group says this by a key of its own"),
        (
            {"set": {"window": -1.0}},
            "window: input should be greater than or equal to 0.000001, in s (given: -1.0)",
        ),
        ({"seeds": {5: 0}}, "seeds: at least 1 (given: 0)"),
        ({"seeds": {6: 2}}, "seeds: how many for 5 subscribers?"),
    ],
)
def test_cells_that_cannot_run_are_refused_with_their_file(
    change: dict[str, Any], said: str, tmp_path: Path
) -> None:
    group = {"schemes": ["durable"], "mobility": ["random"], "subscribers": [5]}
    group |= {"buffer_events": [16], "rates": [20.0], "seeds": 2} | change
    (tmp_path / "own.yaml").write_text(yaml.safe_dump({"groups": {"mine": group}}))
    with pytest.raises(ConfigurationError) as error:
        study.load(tmp_path / "own.yaml")
    assert str(error.value).startswith(f"{tmp_path}/own.yaml: groups.mine")
    assert said in str(error.value)


def test_a_group_has_a_name_for_its_picture(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(
        yaml.safe_dump({"groups": {"a/b": STUDY.model_dump()["groups"]["schemes"]}})
    )
    with pytest.raises(ConfigurationError, match=r"groups\.a/b: 'a/b' cannot be part of a folder's name"):
        study.load(tmp_path / "own.yaml")


def test_costs_are_of_closed_loops_alone() -> None:
    """A run at a given rate is the same before costs are known and after."""
    for group in STUDY.groups.values():
        assert [*group.scenarios(Costs(event=1))] == [*group.scenarios(None)]


@pytest.mark.parametrize("change", [{"seed": 2}, {"home": True}, {"event_bytes": 100}, {"interest": 0.5}])
def test_another_scenario_is_another_run(change: dict[str, Any]) -> None:
    scenario = HandoffScenario(scheme="reactive", rate=1)
    digest = study.Case("tables", scenario).fingerprint()

    assert study.Case("tables", scenario.model_copy(update=change)).fingerprint() != digest
    assert study.Case("figure5", scenario).fingerprint() != digest


def test_a_run_is_named_by_defaults_too() -> None:
    """So that a default that changes with the sources does not pass for what it was."""
    changes: list[dict[str, Any]] = [{}, {"transfer_time": 0.03}]
    one, other = (
        study.Case("tables", HandoffScenario(scheme="reactive", rate=1, **given)).fingerprint()
        for given in changes
    )

    assert one == other


def test_cells_are_means_with_t_intervals(folder: Path, spark: SparkSession) -> None:
    from scipy.stats import t

    study.aggregate(folder)
    cells = study.cells(folder)
    values = [
        run["throughput"]
        for run in runs(folder).values()
        if run["group"] == "schemes" and run["scheme"] == "durable"
    ]
    cell = cells[(cells.scheme == "durable") & (cells.metric == "throughput")].iloc[0]
    assert {*cells.rate} == {0.5}
    assert not any(str(name).startswith("costs") for name in cells.metric)

    assert cell["seeds"] == 3
    assert cell["mean"] == pytest.approx(sum(values) / 3, rel=1e-5)
    assert cell["half_width"] == pytest.approx(
        t.ppf(0.975, 2) * pd.Series(values).std() / 3**0.5, rel=1e-4, abs=1e-9
    )
    assert pd.read_csv(folder / "tables" / "sources.csv").runs.sum() == 9

    of_brokers = cells[(cells.scheme == "durable") & cells.metric.str.startswith("throughput_by_broker.")]
    durable = [run for run in runs(folder).values() if run["scheme"] == "durable"]
    for number in range(1, 7):
        its = [run["throughput_by_broker"][number - 1] for run in durable]
        mean = of_brokers.set_index("metric")["mean"][f"throughput_by_broker.{number}"]
        assert mean == pytest.approx(sum(its) / 3, rel=1e-5)


def test_the_table_of_every_scheme_names_variants(folder: Path, spark: SparkSession) -> None:
    study.aggregate(folder)
    table = report._schemes(study.cells(folder), "random")

    assert [row[0] for row in table.rows] == ["durable", "reactive", "reactive, home"]
    assert table.rows[1][5] == "4.00 ± 0.00"  # messages a move


def test_a_claim_whose_cells_were_not_run_has_no_verdict(folder: Path, spark: SparkSession) -> None:
    study.aggregate(folder)
    judged = hold_against(claims.Cells(study.cells(folder)), GADDAH)
    verdicts = {verdict.claim.id: verdict for verdict in judged}

    assert verdicts["X"].text == "confirmed"
    assert verdicts["T2"].text == "cannot be decided"
    assert verdicts["T2"].reason.startswith("Not run: no cell closed, durable")


@pytest.mark.parametrize(
    ("mean", "half", "most", "text"),
    [
        (1.2, 0.3, 100, "1.20 ± 0.30"),
        (1.2, 1.7, 100, "1.20 [0.00, 2.90]"),
        (99.0, 2.0, 100, "99.00 [97.00, 100.00]"),
        (99.0, 2.0, inf, "99.00 ± 2.00"),
        (100.0, 0.0, 100, "100.00 ± 0.00"),
        (0.0, 0.0, 100, "0.00 ± 0.00"),
        (3.0, nan, inf, "3.00"),
    ],
)
def test_an_interval_is_told_within_what_is_possible(
    mean: float, half: float, most: float, text: str
) -> None:
    assert claims.interval(mean, half, 2, most) == text


def test_the_published_report_tells_the_spread_of_every_mean_and_both_kinds_of_moves() -> None:
    """Cells that are one outlier each were printed without an interval, and random moves alone were told."""
    cells = pd.read_parquet(Path(__file__).parents[2] / "results" / "gaddah" / "tables" / "cells.parquet")
    rows = {row[0]: row[1] for row in report._schemes(cells, "random").rows}
    assert rows["mhh"].startswith("11.94 [0.00, 43.79] / ")
    assert all(re.fullmatch(r"[\d.]+ (± [\d.]+|\[[\d., ]+\])", one) for one in rows["durable"].split(" / "))
    cliff = reasons.near_saturation(claims.Cells(cells))
    assert "random moves 1.16 ± 0.17, 0.66 ± 0.04, 0.26 ± 0.04" in cliff
    assert "neighbouring moves 1.15 ± 0.15, 0.66 ± 0.07, 10.33 [0.00, 38.31] %" in cliff


def test_a_study_of_ones_own_has_a_report_of_its_cells(folder: Path, spark: SparkSession) -> None:
    study.aggregate(folder)

    report.make(folder)

    text = (folder / "report.md").read_text()
    assert "## schemes\n" in text
    assert "(provenance.md)" in text
    assert "| durable | random | 4 | 16 | 0.5 |" in text
    assert text.count("| reactive | random |") == 2
    assert "Gaddah" not in text
    assert not (folder / "tables" / "claims.csv").exists()
    assert "figures/" not in text  # nothing varies


@pytest.mark.slow
def test_a_group_that_varies_a_number_has_a_picture(tmp_path: Path) -> None:
    row = {
        "group": "mine",
        "mobility": "random",
        "buffer_events": 16,
        "mean_connected": 60.0,
        "half_width": 1.0,
        "seeds": 3,
    }
    measures = ("loss_percent", "delay_first_copies_mean_s", "control_per_move.all")
    cells = pd.DataFrame(
        row | {"scheme": scheme, "subscribers": 4, "rate": rate, "metric": metric, "mean": rate}
        for scheme in ("durable", "my-scheme")
        for rate in (1.0, 2.0)
        for metric in measures
    )
    cells["half_width"] = 1.0
    still = cells[cells.rate == 1].assign(group="still")

    drawn = own.draw(tmp_path, pd.concat([cells, still]))

    assert drawn == {"mine": tmp_path / "figures" / "mine.png"}
    words = drawn["mine"].with_suffix(".svg").read_text()
    shown = ("Publications (events/s)", "Lost (%)", "Messages a move", ">my-scheme<")
    assert all(text in words for text in shown)
    assert "legend" not in words  # lines are named at their ends


@pytest.mark.spark
def test_a_study_of_ones_own_says_what_it_is_from_and_keeps_the_order_of_its_file(tmp_path: Path) -> None:
    base, config, out = tmp_path / "base.yaml", tmp_path / "mine.yaml", tmp_path / "out"
    base.write_text(
        "groups: {z 1: {schemes: [reactive, durable], mobility: [random, neighbouring],"
        " subscribers: [4], buffer_events: [16], rates: [0.5], seeds: 2, set: {window: 60, warm_up: 30}},"
        " a: {schemes: [durable], mobility: [random], subscribers: [4], buffer_events: [16], rates: [0.5],"
        " seeds: 1, set: {window: 60, warm_up: 30}}}"
    )
    config.write_text("base: base.yaml\n")
    call = partial(CliRunner().invoke, app)
    assert call(["handoff", "sweep", str(config), "--out", str(out), "--workers", "1"]).exit_code == 0
    assert call(["study", "tables", str(out), "--master", "local[1]"]).exit_code == 0
    assert call(["study", "report", str(out)]).exit_code == 0

    text = (out / "report.md").read_text()
    assert text.index("## z 1\n") < text.index("## a\n")
    rows = [line.split(" | ")[:2] for line in text.splitlines() if " | 0.5 | " in line]
    kinds = [("| reactive", "random"), ("| reactive", "neighbouring"), ("| durable", "random")]
    assert rows[:3] == [*map(list, kinds)]
    assert "(figures/z%201.png)" in text
    picture = (out / "figures" / "z 1.svg").read_text()
    assert picture.index(">random<") < picture.index(">neighbouring<")
    told = (out / "provenance.md").read_text()
    assert "- `mftpubsub handoff sweep mine.yaml --out out`\n- `mftpubsub study tables out`" in told
    assert "## Missing\n\nNone of 9 runs." in told
    assert f"9 of {source_hash()[:12]}." in told
    assert "(studies/mine.yaml)" in told


@pytest.mark.slow
def test_figures_whose_cells_were_not_run_are_not_drawn(tmp_path: Path) -> None:
    cells = pd.read_parquet(Path(__file__).parents[2] / "results" / "gaddah" / "tables" / "cells.parquet")

    drawn = figures.make(cells[(cells.group == "tables") & (cells.scheme != "pro-active")], tmp_path)

    assert drawn == []  # fig5 to fig8 compare with it
    assert not any(tmp_path.iterdir())


def test_ctrl_c_ends_a_run_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run is one call of C++: Python would hear of it when that returns."""
    handlers = []

    def noted(scenario: HandoffScenario) -> dict[str, Any]:
        handlers.append(signal.getsignal(signal.SIGINT))
        return {}

    monkeypatch.setattr("mftpubsub.worlds.handoff.world.run", noted)
    before = signal.getsignal(signal.SIGINT)
    assert CliRunner().invoke(app, ["handoff", "run", "--scheme", "durable"]).exit_code == 0
    assert handlers == [signal.SIG_DFL]
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interrupted_sweep_says_how_it_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> list[str]:
        raise KeyboardInterrupt

    monkeypatch.setattr(study, "sweep", interrupted)
    config = str(Path(__file__).parents[2] / "configs" / "gaddah.yaml")
    told = CliRunner().invoke(app, ["handoff", "sweep", config, "--out", str(tmp_path)])
    assert told.exit_code == 130
    assert "the same command goes on" in told.output
