"""The hand-off study: which runs are kept, and what its tables make of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import SparkSession
from scipy.stats import t

from mftpubsub.handoff import claims, report, study
from mftpubsub.handoff.scenario import HandoffScenario

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
    made = tmp_path_factory.mktemp("study")
    study.sweep(STUDY, made, workers=1)
    return made


def runs(folder: Path) -> dict[Path, dict[str, Any]]:
    return {path: json.loads(path.read_text()) for path in sorted((folder / "runs").glob("*.json"))}


def test_every_cell_has_its_seeds(folder: Path) -> None:
    cells = [(run["group"], run["scheme"], run["home"], run["seed"]) for run in runs(folder).values()]

    assert len(cells) == len(set(cells)) == 9


def test_a_run_is_kept_while_its_sources_are_these(folder: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in runs(folder)}

    study.sweep(STUDY, folder, workers=1)

    assert {path: path.stat().st_mtime_ns for path in runs(folder)} == before


def test_a_run_that_fails_is_told_and_costs_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    groups = {"groups": {**STUDY.model_dump()["groups"]}}
    groups["groups"]["reactive-home"]["schemes"] = ["durable"]  # it has no such option

    failures = study.sweep(study.HandoffStudy.model_validate(groups), tmp_path, workers=2, seeds=1)

    assert len(failures) == 1
    assert failures[0].startswith("reactive-home durable: ConfigurationError")
    assert failures[0] in capsys.readouterr().err
    assert {run["group"] for run in runs(tmp_path).values()} == {"schemes"}


def test_a_run_of_other_sources_is_made_anew(folder: Path) -> None:
    path, run = next(iter(runs(folder).items()))
    path.write_text(json.dumps(run | {"source": "other", "loss_percent": 99.0}))

    study.sweep(STUDY, folder, workers=1)

    assert runs(folder)[path] == run


@pytest.mark.parametrize("change", [{"seed": 2}, {"home": True}, {"event_bytes": 100}, {"interest": 0.5}])
def test_another_scenario_is_another_run(change: dict[str, Any]) -> None:
    scenario = HandoffScenario(scheme="reactive", rate=1)
    digest = study.Case("tables", scenario).fingerprint()

    assert study.Case("tables", scenario.model_copy(update=change)).fingerprint() != digest
    assert study.Case("figure5", scenario).fingerprint() != digest


def test_a_run_is_named_by_defaults_too() -> None:
    """So that a default that changes with the sources does not pass for what it was."""
    one, other = (
        study.Case("tables", HandoffScenario(scheme="reactive", rate=1, **given)).fingerprint()
        for given in ({}, {"transfer_time": 0.03})
    )

    assert one == other


def test_cells_are_means_with_t_intervals(folder: Path, spark: SparkSession) -> None:
    study.aggregate(folder)
    cells = study.cells(folder)
    values = [
        run["throughput"]
        for run in runs(folder).values()
        if run["group"] == "schemes" and run["scheme"] == "durable"
    ]
    cell = cells[(cells.scheme == "durable") & (cells.metric == "throughput")].iloc[0]

    assert cell["seeds"] == 3
    assert cell["mean"] == pytest.approx(sum(values) / 3, rel=1e-5)
    assert cell["half_width"] == pytest.approx(
        t.ppf(0.975, 2) * pd.Series(values).std() / 3**0.5, rel=1e-4, abs=1e-9
    )
    assert pd.read_csv(folder / "tables" / "sources.csv").runs.sum() == 9


def test_the_table_of_every_scheme_names_variants(folder: Path, spark: SparkSession) -> None:
    study.aggregate(folder)
    table = report._schemes(study.cells(folder), "random")

    assert [row[0] for row in table.rows] == ["durable", "reactive", "reactive, home"]
    assert table.rows[1][5] == "4.00"  # messages a move


def test_a_claim_whose_cells_were_not_run_has_no_verdict(folder: Path, spark: SparkSession) -> None:
    study.aggregate(folder)
    verdicts = {row["claim"]: row["verdict"] for row in claims.check(claims.Cells(study.cells(folder)))}

    assert verdicts["X"] == "holds"
    assert verdicts["T2"] == "not run"
