"""Figures and report from a made-up table."""

from __future__ import annotations

import hashlib
import json
from itertools import product
from pathlib import Path

import pandas as pd
import pytest

from mftpubsub import figures, report
from mftpubsub.errors import MftPubsubError

ALL = ["4_4a", "4_4b", "4_5a", "4_5b", "4_6", "4_7a", "4_7b", "4_8"]
THESIS = ["C2", "C4", "C8", "C16", "C32"]
SPEEDS = [2.0, 4.0, 6.0, 8.0, 10.0]

#: For MFT-PubSub and AODV: the value in C2 and how it grows with each doubling.
SHAPES = {
    "delivery_rate": ((0.99, 0.96), (0.97, 0.8)),
    "delivery_rate_strict": ((0.95, 0.93), (0.97, 0.8)),
    "reachable": ((0.99, 0.98), (0.99, 0.98)),
    "delivered_pairs": ((900, 1.7), (880, 1.6)),
    "delay_mean_s": ((0.3, 3), (0.02, 4)),
    "delay_p95_s": ((0.9, 3), (0.07, 4)),
    "hops_mean": ((1.6, 1.2), (1.4, 1.15)),
    "hops_max": ((3, 1.4), (3, 1.3)),
    "frames_per_node": ((2100, 1.1), (500, 3)),
}


def write_table(
    folder: Path,
    protocols: tuple[str, ...] = ("mft-pubsub", "aodv"),
    configs: list[str] = THESIS,
    speeds: list[float] = SPEEDS,
    seeds: int = 10,
) -> None:
    rows = []
    for protocol, config, speed, metric in product(protocols, configs, speeds, SHAPES):
        start, growth = SHAPES[metric][protocol == "aodv"]
        mean = start * growth ** THESIS.index(config) * (1 - 0.01 * (speed - 2))
        rows.append((protocol, config, speed, metric, mean, 0.06 * mean, 0.08 * mean, seeds))
    columns = ["protocol", "config", "speed_mps", "metric", "mean", "ci95", "sd", "n"]
    (folder / "tables").mkdir(exist_ok=True)
    pd.DataFrame(rows, columns=columns).to_parquet(folder / "tables" / "metrics.parquet")


def digests(folder: Path) -> dict[str, str]:
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (folder / "figures").iterdir()
    }


def test_all_figures_of_the_thesis_are_drawn_and_are_the_same_each_time(tmp_path: Path) -> None:
    write_table(tmp_path)
    figures.make(tmp_path)
    first = digests(tmp_path)
    assert set(first) == {f"fig{name}.{kind}" for name in ALL for kind in ("png", "svg")}
    for path in (tmp_path / "figures").iterdir():
        path.unlink()
    figures.make(tmp_path)
    assert digests(tmp_path) == first


def test_only_missing_or_outdated_figures_are_drawn(tmp_path: Path) -> None:
    write_table(tmp_path, configs=["C2"], speeds=[8.0])
    figures.make(tmp_path)
    kept, lost = tmp_path / "figures" / "fig4_6.png", tmp_path / "figures" / "fig4_8.svg"
    before = kept.stat().st_mtime_ns
    lost.unlink()
    figures.make(tmp_path)
    assert lost.exists()
    assert kept.stat().st_mtime_ns == before


def test_a_part_of_the_study_shows_the_nearest_and_says_so(tmp_path: Path) -> None:
    write_table(tmp_path, configs=["C2", "C8"], speeds=[2.0, 4.0])
    titles = {figure.name: figure.title for figure in figures.plan(figures.read_table(tmp_path))}
    assert "configuration C8 (no runs of C16)" in titles["fig4_5b"]
    assert "node speed 4 m/s (no runs at 8 m/s)" in titles["fig4_6"]


def test_every_protocol_has_its_delivery_rate_and_the_thesis_letters_stay(tmp_path: Path) -> None:
    write_table(tmp_path, protocols=("aodv", "flooding", "phoenix"), configs=["C2"], speeds=[8.0])
    names = [figure.name for figure in figures.plan(figures.read_table(tmp_path))]
    assert names[:3] == ["fig4_4b", "fig4_4c", "fig4_4d"]


def test_a_single_seed_and_undefined_metrics_can_be_drawn(tmp_path: Path) -> None:
    write_table(tmp_path, configs=["C2"], speeds=[8.0], seeds=1)
    path = tmp_path / "tables" / "metrics.parquet"
    table = pd.read_parquet(path)
    table["ci95"] = float("nan")
    table.loc[table["metric"] == "delay_mean_s", "mean"] = float("nan")
    table.to_parquet(path)
    figures.make(tmp_path)
    assert (tmp_path / "figures" / "fig4_6.png").exists()


def test_without_tables_the_error_names_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(MftPubsubError, match="mftpubsub ingest"):
        figures.make(tmp_path)


def test_the_report_shows_figures_numbers_provenance_and_what_is_missing(tmp_path: Path) -> None:
    write_table(tmp_path, configs=["C2", "C8"], speeds=[2.0, 8.0], seeds=3)
    runs = [("mft-pubsub", "C2", 8.0, 1), ("mft-pubsub", "C2", 8.0, 2), ("aodv", "C2", 8.0, 1)]
    pd.DataFrame(runs, columns=["protocol", "config", "speed_mps", "seed"]).to_parquet(
        tmp_path / "tables" / "runs.parquet"
    )
    bad = {"file": "runs/notes.txt", "reason": "foreign"}
    (tmp_path / "ingest-report.json").write_text(json.dumps({"set_aside": [bad]}))
    folder = tmp_path / "runs/protocol=aodv/config=C2/speed=8/seed=1"
    folder.mkdir(parents=True)
    metadata = {"versions": {"ns3": "3.44"}, "git_commit": "0123abc", "seed": 1, "cpu_s": 36, "events": 5}
    (folder / "run.json").write_text(json.dumps(metadata))

    figures.make(tmp_path)
    report.make(tmp_path)
    text = (tmp_path / "report.md").read_text()

    for name in ALL:
        assert f"(figures/fig{name}.png)" in text
    assert "| MFT-PubSub | 846 ± 50.76 (3) |" in text  # 900 (1 - 0.06) in C2 at 8 m/s, 6 % of it
    assert "delivery rate (thesis)" in text
    assert "delivery rate (strict)" in text
    assert "reachable" in text
    assert "0123abc" in text
    assert "ns3 3.44" in text
    assert "`runs/notes.txt`: foreign" in text
    assert "no run: AODV, C2, 8 m/s, seed 2" in text
    assert str(tmp_path) not in text


def test_the_report_is_written_again_only_when_its_sources_changed(tmp_path: Path) -> None:
    write_table(tmp_path, configs=["C2"], speeds=[8.0])
    (tmp_path / "ingest-report.json").write_text(json.dumps({"set_aside": []}))
    report.make(tmp_path)
    path = tmp_path / "report.md"
    before = path.stat().st_mtime_ns
    report.make(tmp_path)
    assert path.stat().st_mtime_ns == before
    write_table(tmp_path, configs=["C2"], speeds=[8.0], seeds=5)
    report.make(tmp_path)
    assert "(5)" in path.read_text()
