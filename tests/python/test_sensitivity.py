"""Variants of a study beside the study itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from made_up import as_the_thesis_says, study

from mftpubsub.errors import MftPubsubError
from mftpubsub.sources.thesis.source import THESIS
from mftpubsub.studies import claims, sensitivity
from mftpubsub.studies.results import StudyResults

GRID: dict[str, Any] = {"configs": ("C8", "C16"), "speeds": (2.0, 8.0)}


def slower(protocol: str, config: str, speed: float) -> dict[str, float]:
    """MFT-PubSub takes a hundred times as long, and sends as before."""
    found = as_the_thesis_says(protocol, config, speed)
    return found | ({"delay_mean_s": 100 * found["delay_mean_s"]} if protocol == "mft-pubsub" else {})


@pytest.fixture
def compared(tmp_path: Path) -> Path:
    """A study with three variants of a part of it: one changes nothing, one is slower, one too and alone."""
    study(tmp_path / "thesis", configs=("C2", *GRID["configs"]))
    for name, world in (("same", as_the_thesis_says), ("slow", slower)):
        study(tmp_path / "sensitivity" / name, world, **GRID)
    study(tmp_path / "sensitivity" / "slow-alone", slower, protocols=("mft-pubsub",), **GRID)
    sensitivity.make(StudyResults(tmp_path / "thesis"), tmp_path / "sensitivity", THESIS)
    return tmp_path / "thesis"


@pytest.mark.slow
def test_only_verdicts_that_change_are_told(compared: Path) -> None:
    verdicts, changes = sensitivity.tables(StudyResults(compared))
    assert [row[0] for row in verdicts.rows] == ["same", "slow", "slow-alone"]
    same, slow, alone = verdicts.rows
    assert same[1:] == ["-", "-", "-"]
    assert changes.heading[-1] == "migrations, times"
    assert "delay-keeps-up: confirmed → not confirmed" in slow[1]
    assert "delay-better-when-large, C16: holds → opposite" in slow[3]
    assert not any("rate-better" in cell for cell in slow)
    assert "delay-keeps-up" not in "".join(alone), "what AODV would have done is not known"
    assert "stored-raise-delay" in "".join(slow) or "delay-better-when-large" in slow[3]


@pytest.mark.slow
def test_changes_of_too_few_seeds_are_none(tmp_path: Path) -> None:
    """They were `nan [nan, nan]`."""
    study(tmp_path / "own", seeds=2)
    study(tmp_path / "variants" / "slow", slower, seeds=2)
    sensitivity.make(StudyResults(tmp_path / "own"), tmp_path / "variants", THESIS)
    verdicts, changes = sensitivity.tables(StudyResults(tmp_path / "own"))
    assert verdicts.command == changes.command == "mftpubsub sensitivity own variants"
    assert {cell for row in changes.rows for cell in row[3:]} == {"-"}


def test_statements_are_corrected_for_the_number_that_both_have_tested(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged: list[set[str]] = []
    judge = claims.judge

    def noting(values: Any, source: Any) -> Any:
        judged.append({*values["protocol"]})
        return judge(values, source)

    monkeypatch.setattr(claims, "judge", noting)
    study(tmp_path / "thesis", **GRID)
    study(tmp_path / "sensitivity" / "alone", protocols=("mft-pubsub",), **GRID)
    sensitivity.make(StudyResults(tmp_path / "thesis"), tmp_path / "sensitivity", THESIS)
    assert judged == [{"mft-pubsub"}, {"mft-pubsub"}]


@pytest.mark.slow
def test_a_verdict_that_noise_takes_away_does_not_count_as_changed(tmp_path: Path) -> None:
    study(tmp_path / "thesis", **GRID)
    noisy = study(tmp_path / "sensitivity" / "noisy", **GRID) / "tables" / "runs.parquet"
    runs = pd.read_parquet(noisy)
    runs.loc[runs["seed"] % 2 == 1, "delay_mean_s"] *= 1e6
    runs.to_parquet(noisy)
    sensitivity.make(StudyResults(tmp_path / "thesis"), tmp_path / "sensitivity", THESIS)
    verdicts, _ = sensitivity.tables(StudyResults(tmp_path / "thesis"))
    _, changed, once, turned = verdicts.rows[0]
    assert "stored-raise-delay: confirmed → cannot be decided" in once
    assert "cannot be decided" not in changed
    assert turned == "-", "what is open has not turned round"


@pytest.mark.slow
def test_changes_are_paired_by_seed(compared: Path) -> None:
    changes = pd.read_csv(compared / "tables" / "sensitivity_metrics.csv")
    changes = changes.query("config == 'C8' and protocol == 'mft-pubsub'").set_index(["variant", "metric"])
    slow: Any = ("slow", "delay_mean_s")
    assert changes.loc[slow, ["change", "ci_low", "ci_high"]].tolist() == pytest.approx([100, 100, 100])
    assert changes.loc[("same", "delivery_rate"), "change"] == 0


@pytest.mark.slow
def test_what_a_variant_does_not_run_has_not_changed(compared: Path) -> None:
    changes = pd.read_csv(compared / "tables" / "sensitivity_metrics.csv")
    assert set(changes.query("variant == 'slow-alone'").protocol) == {"mft-pubsub"}
    assert set(changes.query("variant == 'slow'").protocol) == {"mft-pubsub", "aodv"}


def test_without_variants_nothing_is_compared(tmp_path: Path) -> None:
    study(tmp_path / "thesis")
    with pytest.raises(MftPubsubError, match=r"sensitivity/\*/tables is missing"):
        sensitivity.make(StudyResults(tmp_path / "thesis"), tmp_path / "sensitivity", THESIS)
    with pytest.raises(MftPubsubError, match=r"/\*/tables is missing"):
        sensitivity.make(
            StudyResults(tmp_path / "thesis"), tmp_path, THESIS
        )  # the study is no variant of itself


def test_a_variant_of_cases_that_the_study_has_not_is_refused(tmp_path: Path) -> None:
    study(tmp_path / "thesis", configs=("C8",))
    study(tmp_path / "sensitivity" / "slow", slower, **GRID)
    with pytest.raises(MftPubsubError, match="runs of C16, 2 m/s, seed 1, of which the study has none"):
        sensitivity.make(StudyResults(tmp_path / "thesis"), tmp_path / "sensitivity", THESIS)


def test_a_variant_of_other_protocols_is_refused(tmp_path: Path) -> None:
    study(tmp_path / "thesis", protocols=("aodv",))
    study(tmp_path / "sensitivity" / "slow", slower, protocols=("mft-pubsub",))
    with pytest.raises(MftPubsubError, match="slow and the study have no run of the same protocol"):
        sensitivity.make(StudyResults(tmp_path / "thesis"), tmp_path / "sensitivity", THESIS)


def test_runs_that_a_variant_lacks_are_no_effect_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grid: dict[str, Any] = {"configs": ("C8", "C16"), "speeds": (8.0,)}
    study(tmp_path / "thesis", **grid)
    lacking = study(tmp_path / "sensitivity" / "lacking", **grid) / "tables" / "runs.parquet"
    runs = pd.read_parquet(lacking)
    runs[(runs["protocol"] != "aodv") | ((runs["config"] == "C8") & (runs["seed"] < 5))].to_parquet(lacking)
    sensitivity.make(StudyResults(tmp_path / "thesis"), tmp_path / "sensitivity", THESIS)
    outcomes, changes = (
        pd.read_csv(tmp_path / "thesis" / "tables" / f"sensitivity_{name}.csv")
        for name in ("claims", "metrics")
    )
    assert len(outcomes)
    assert outcomes["effect"].tolist() == outcomes["effect_before"].tolist()
    assert outcomes["verdict"].tolist() == outcomes["verdict_before"].tolist()
    assert {*changes[changes["protocol"] == "aodv"]["n"]} == {0, 4}
    assert "lacking: 6 runs are left out" in capsys.readouterr().err


@pytest.mark.slow
def test_tables_of_other_variants_are_kept(compared: Path, tmp_path: Path) -> None:
    """As if the folder of the readings had been named."""
    study(tmp_path / "readings" / "60s", **GRID)
    before = (compared / "tables" / "sensitivity_metrics.csv").read_text()
    with pytest.raises(MftPubsubError, match=r"variants that .*readings has not \(same, slow, slow-alone\)"):
        sensitivity.make(StudyResults(compared), tmp_path / "readings", THESIS)
    assert (compared / "tables" / "sensitivity_metrics.csv").read_text() == before


def lossy(protocol: str, config: str, speed: float) -> dict[str, float]:
    """MFT-PubSub delivers 20 points less of what is matched."""
    found = as_the_thesis_says(protocol, config, speed)
    less = {"delivery_rate": found["delivery_rate"] - 0.2} if protocol == "mft-pubsub" else {}
    return found | less


def test_a_rate_that_falls_changes_by_less_than_nothing(tmp_path: Path) -> None:
    grid: dict[str, Any] = {"configs": ("C8",), "speeds": (8.0,), "seeds": 3}
    study(tmp_path / "thesis", **grid)
    study(tmp_path / "sensitivity" / "lossy", lossy, **grid)
    sensitivity.make(StudyResults(tmp_path / "thesis"), tmp_path / "sensitivity", THESIS)
    changes = pd.read_csv(tmp_path / "thesis" / "tables" / "sensitivity_metrics.csv")
    of = changes.set_index(["protocol", "metric"])["change"]
    assert of["mft-pubsub", "delivery_rate"] == pytest.approx(-20, abs=1)
    assert of["aodv", "delivery_rate"] == pytest.approx(0, abs=0.5)


def test_a_number_on_an_axis_of_names_is_the_studys() -> None:
    """A variant with this value alone has numbers there, and pandas refuses to compare texts with them."""
    study = pd.DataFrame(
        {"protocol": "a", "config": "C2", "speed_mps": 2.0, "way": ["None", "5"], "seed": 1, "frames": [1, 2]}
    )
    varied = study[1:].assign(way=5.0)
    of_study, of_variant = sensitivity._of_both(study, varied, Path("variant"))
    assert [*of_study["frames"]] == [*of_variant["frames"]] == [2]
