"""Ours against Castalia's own numbers, experiment by experiment.

Run as a script it writes a table and a page of plots for each experiment, and a README over them:

    python tests/fidelity/compare.py --out results/fidelity

`test_fidelity.py` runs the same functions. Seeds are fixed, so that a verdict never changes by itself; the
false-alarm rates that are stated hold over the choice of seeds.
"""

from __future__ import annotations

import argparse
import subprocess
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mftpubsub.castalia import experiments
from mftpubsub.studies.figures import save

Groups = Iterable[tuple[Any, pd.DataFrame]]
REFERENCE = Path(__file__).parent / "reference"
OFFSETS = {"same": 0.0, "c_1ms_later": 1.0, "c_3ms_later": 3.0, "c_1ms_earlier": -1.0}
LOSSES = [
    "rx_no_interf",
    "rx_despite_interf",
    "fail_no_interf",
    "fail_interf",
    "fail_non_rx",
    "fail_sensitivity",
]


@dataclass
class Check:
    """One statement about the agreement: `value` must not exceed `limit`."""

    quantity: str
    value: float
    limit: float

    @property
    def passed(self) -> bool:
        return bool(self.value <= self.limit)

    @property
    def verdict(self) -> str:
        return "ok" if self.passed else "FAILS"


@dataclass
class Comparison:
    """Both sides of one experiment, joined (suffixes: none ours, _castalia theirs), and the verdicts."""

    name: str
    title: str
    table: pd.DataFrame
    checks: list[Check] = field(default_factory=list)


def reference(name: str, folder: Path = REFERENCE) -> pd.DataFrame:
    return pd.read_csv(folder / name)


def _join(ours: pd.DataFrame, theirs: pd.DataFrame, on: Sequence[str]) -> pd.DataFrame:
    table = ours.merge(theirs, on=list(on), suffixes=("", "_castalia"))
    if len(table) != len(theirs):
        raise AssertionError(f"{len(theirs) - len(table)} points of the reference were not run")
    return table


def _largest(difference: pd.Series) -> float:
    return float(difference.abs().max())


def _surprise(ours: pd.Series, n_ours: pd.Series, theirs: pd.Series, n_theirs: pd.Series) -> float:
    """-log10 of the p-value that all pairs of counts come from the same proportions (chi-square)."""
    from scipy import stats  # where it is used: each process of a test run imports this file

    pooled = (ours + theirs) / (n_ours + n_theirs)
    variance = pooled * (1 - pooled) * (1 / n_ours + 1 / n_theirs)
    enough = pooled * (1 - pooled) * np.minimum(n_ours, n_theirs) >= 5
    z = ((ours / n_ours - theirs / n_theirs) / np.sqrt(variance))[enough]
    return float(-stats.chi2.logsf(float((z**2).sum()), int(enough.sum())) / np.log(10))


def _half(table: pd.DataFrame, prr: str) -> float:
    """Distance at which reception crosses one half, interpolated."""
    rows = table.sort_values("distance_m")
    above = rows[rows[prr] >= 0.5].iloc[-1]
    below = rows[rows["distance_m"] > above["distance_m"]].iloc[0]
    share = (above[prr] - 0.5) / (above[prr] - below[prr])
    return float(above["distance_m"] + share * (below["distance_m"] - above["distance_m"]))


def s1() -> Comparison:
    theirs = reference("s1_prr_distance.csv")
    keys = ["distance_m", "tx_power_dbm", "payload_bytes"]
    groups: Groups = theirs.groupby(["tx_power_dbm", "payload_bytes"])
    ours = pd.concat(
        [
            experiments.link(sorted(group["distance_m"]), power, payload, 10000, 1)
            for (power, payload), group in groups
        ]
    )
    table = _join(ours, theirs, keys)
    half = max(
        abs(_half(group, "prr") - _half(group, "prr_castalia"))
        for _, group in table.groupby(["tx_power_dbm", "payload_bytes"])
    )
    surprise = _surprise(table["received"], table["sent"], table["received_castalia"], table["sent_castalia"])
    return Comparison(
        "s1",
        "Reception over distance",
        table,
        [
            Check("largest difference of PRR", _largest(table["prr"] - table["prr_castalia"]), 0.02),
            Check("half-PRR distance, m", half, 0.2),
            Check("chi-square of all points, -log10 p", surprise, 4),
            Check("mean RSSI, dB", _largest(table["mean_rssi"] - table["mean_rssi_castalia"]), 0.001),
        ],
    )


def s2() -> Comparison:
    theirs = reference("s2_hidden_terminal_agg.csv")
    durations = {5: 400, 20: 200, 50: 100}
    groups: Groups = theirs.groupby("rate")
    ours = pd.concat(
        [
            experiments.hidden_terminal(list(group["x_m"]), rate, durations.get(rate, 200), range(3))
            for rate, group in groups
        ]
    )
    table = _join(ours, theirs, ["x_m", "rate"])
    return Comparison(
        "s2",
        "Hidden terminal",
        table,
        [
            Check("largest difference of A's PRR", _largest(table["prr_a"] - table["prr_a_castalia"]), 0.015),
            Check("largest difference of C's PRR", _largest(table["prr_c"] - table["prr_c_castalia"]), 0.015),
        ],
    )


def s3() -> Comparison:
    theirs = reference("s3_csma_contention_agg.csv")
    ours = experiments.contention(sorted(set(theirs["n"])), sorted(set(theirs["lambda"])), 50, range(5))
    table = _join(ours, theirs, ["n", "lambda"])
    ratio = table["reception_ratio_mean"] - table["reception_ratio_mean_castalia"]
    delay, castalia = table["mean_access_delay_ms_mean"], table["mean_access_delay_ms_mean_castalia"]
    allowed = np.maximum(0.1 * castalia, table["mean_access_delay_ms_sd_castalia"])
    shares: pd.Series[float] = ((delay - castalia).abs() / allowed)[castalia > 1]
    return Comparison(
        "s3",
        "Contention",
        table,
        [
            Check("largest difference of the reception ratio", _largest(ratio), 0.005),
            Check(
                "access delay above 1 ms, as a share of what is allowed (10 % or seed spread)",
                float(shares.max()),
                1,
            ),
        ],
    )


def s4() -> Comparison:
    from scipy import stats

    theirs = reference("s4_shadowing_by_distance.csv")
    ours = experiments.shadowing(4, 1, 40, 60, 100)
    table = _join(ours, theirs, ["d_lo", "d_hi"])
    bins, whole = table.iloc[:-1], table.iloc[-1]
    error = 4.031 * np.sqrt(1 / bins["n_pairs"] + 1 / bins["n_pairs_castalia"])
    chi_square = (((bins["mean_dev_db"] - bins["mean_dev_db_castalia"]) / error) ** 2).sum()
    surprise = float(-stats.chi2.logsf(float(chi_square), len(bins)) / np.log(10))
    differences = {
        "mean of the deviation, dB": ("mean_dev_db", 0.1),
        "standard deviation, dB": ("std_dev_db", 0.1),
        "standard deviation of the asymmetry, dB": ("std_asym_db", 0.05),
    }
    checks = [
        Check(name, abs(float(whole[column] - whole[f"{column}_castalia"])), limit)
        for name, (column, limit) in differences.items()
    ]
    return Comparison(
        "s4",
        "Shadowing",
        table,
        [*checks, Check("chi-square of the means by distance, -log10 p", surprise, 4)],
    )


def s5(largest: int = 66) -> Comparison:
    theirs = reference("s5_mobile_broadcast_30seeds_agg.csv")
    theirs = theirs[theirs["nodes"] <= largest]
    rows: Iterable[Any] = theirs.itertuples()
    ours = pd.concat(
        [experiments.broadcast(int(row.nodes), row.field, 8, row.sigma, 200, range(30)) for row in rows]
    )
    table = _join(ours, theirs, ["nodes", "field", "sigma"])
    checks = []
    for quantity in ["mean_neighbours", *LOSSES]:
        error = np.hypot(table[f"{quantity}_sd"], table[f"{quantity}_sd_castalia"]) / np.sqrt(30)
        difference = table[f"{quantity}_mean"] - table[f"{quantity}_mean_castalia"]
        z = (difference / error.where(error > 0, 1)).abs()
        checks.append(Check(f"{quantity}, standard errors", float(z.max()), 3))
    return Comparison("s5", "Moving nodes that broadcast", table, checks)


def replay(name: str = "n18_sigma4", folder: Path = REFERENCE) -> Comparison:
    files = {
        part: folder / f"s5_replay_{name}_seed0_{part}.csv.gz"
        for part in ("pathloss_cells", "positions", "tx", "receptions")
    }
    signals = experiments.replay(files["pathloss_cells"], files["positions"], files["tx"], every_signal=True)
    received = pd.read_csv(files["receptions"])[["rx", "src", "seq", "rssi_dbm", "min_sinr_db"]]
    table = signals.merge(
        received, on=["rx", "src", "seq"], how="outer", suffixes=("", "_castalia"), indicator="there"
    )
    there = table["there"] != "left_only"
    chance = table["success_probability"]
    random = (chance > 0) & (chance < 1)
    spread = np.sqrt((chance * (1 - chance))[random].sum())
    summary = pd.DataFrame(
        {
            "class": ["certain", "impossible", "random", "unknown signal"],
            "signals": [(chance == 1).sum(), (chance == 0).sum(), random.sum(), chance.isna().sum()],
            "expected": [(chance == 1).sum(), 0, chance[random].sum(), 0],
            "castalia": [
                there[chance == 1].sum(),
                there[chance == 0].sum(),
                there[random].sum(),
                there[chance.isna()].sum(),
            ],
        }
    )
    return Comparison(
        f"s5_replay_{name}",
        f"Replay of Castalia's transmissions ({name})",
        summary,
        [
            Check("certain frames that Castalia lost", float((~there)[chance == 1].sum()), 0),
            Check("impossible frames that Castalia received", float(there[chance == 0].sum()), 0),
            Check("receptions of signals that ours does not have", float(chance.isna().sum()), 0),
            Check(
                "random frames, z of their sum",
                abs(float(there[random].sum() - chance[random].sum()) / spread),
                4,
            ),
        ],
    )


def s6() -> Comparison:
    theirs = reference("s6_flood.csv")
    ours = experiments.flood(
        list(dict.fromkeys(theirs["topology"])),
        sorted(set(theirs["jitter_max_ms"])),
        sorted(set(theirs["seed"])),
    )
    keys = ["topology", "jitter_max_ms", "node"]
    table = _join(
        ours.groupby(keys, sort=False).mean(numeric_only=True).drop(columns="seed").reset_index(),
        theirs.groupby(keys, sort=False)
        .mean(numeric_only=True)
        .drop(columns=["seed", "x_m", "y_m"])
        .reset_index(),
        keys,
    )
    cases = table.groupby(["topology", "jitter_max_ms"]).mean(numeric_only=True)
    delay = cases["mean_link_delay_ms"] / cases["mean_link_delay_ms_castalia"] - 1
    node = table["mean_link_delay_ms"] / table["mean_link_delay_ms_castalia"] - 1
    return Comparison(
        "s6",
        "Flood",
        table,
        [
            Check("delivery of a node", _largest(table["delivery"] - table["delivery_castalia"]), 0.015),
            Check("link delay of a topology and jitter, relative", _largest(delay), 0.05),
            Check("link delay of a node, relative", _largest(node), 0.05),
        ],
    )


def s7() -> Comparison:
    theirs = reference("s7_cca_latency_summary.csv")
    table = _join(experiments.cca_latency(list(theirs["distance_m"])), theirs, ["distance_m"])
    ours, castalia = table["on_air_time_needed_us"], table["on_air_time_needed_us_castalia"]
    return Comparison(
        "s7",
        "Carrier-sense latency",
        table,
        [
            Check("largest difference of the threshold, us", _largest(ours - castalia), 2),
            Check("distances sensed by one only", float((ours.isna() != castalia.isna()).sum()), 0),
        ],
    )


def s8() -> Comparison:
    theirs = reference("s8_forced_overlap.csv")
    groups: Groups = theirs.groupby(["interferers", "d_a_m", "offset"], sort=False)
    ours = pd.concat(
        [
            experiments.overlap([distance], list(group["x_m"]), [OFFSETS[offset]], second=interferers == 2)
            for (interferers, distance, offset), group in groups
        ]
    )
    table = _join(ours, theirs, ["interferers", "d_a_m", "offset", "x_m"])
    surprise = _surprise(
        table["received_a"], table["sent_each"], table["received_a_castalia"], table["sent_each_castalia"]
    )
    return Comparison(
        "s8",
        "Forced overlap",
        table,
        [
            Check("largest difference of A's PRR", _largest(table["prr_a"] - table["prr_a_castalia"]), 0.03),
            Check("largest difference of C's PRR", _largest(table["prr_c"] - table["prr_c_castalia"]), 0.03),
            Check("chi-square of A, -log10 p", surprise, 4),
        ],
    )


def s9() -> Comparison:
    theirs = reference("s9_burst.csv")
    table = _join(experiments.burst(40), theirs, ["case", "rx", "src", "seq"])
    first = table[table["src"] == 0]
    second = table[table["src"] == 2]
    chained = [group["delay_ms"].diff().dropna() - 4 for _, group in second.groupby("case")]
    return Comparison(
        "s9",
        "Burst",
        table,
        [
            Check(
                "first sender's delays, us", 1e3 * _largest(first["delay_ms"] - first["delay_ms_castalia"]), 1
            ),
            Check("second sender's spacing, us", 1e3 * max(map(_largest, chained)), 1),
            Check("second sender before the first ends, packets", float((second["delay_ms"] < 128).sum()), 0),
            Check("packets received by one only", abs(len(experiments.burst(40)) - len(theirs)), 0),
        ],
    )


def s10() -> Comparison:
    theirs = reference("s10_second_packet.csv")
    table = _join(experiments.second_packet(list(theirs["delta_us"])), theirs, ["delta_us"])
    return Comparison(
        "s10",
        "Second packet",
        table,
        [
            Check(f"{name}, us", _largest(table[name] - table[f"{name}_castalia"]), 1)
            for name in theirs.columns.drop("delta_us")
        ],
    )


ALL: dict[str, Callable[[], Comparison]] = {
    "s1": s1,
    "s2": s2,
    "s3": s3,
    "s4": s4,
    "s5": s5,
    "replay": replay,
    "s6": s6,
    "s7": s7,
    "s8": s8,
    "s9": s9,
    "s10": s10,
}


def _draw(comparison: Comparison, path: Path) -> None:
    """Castalia as grey dots, ours as lines."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    curves = {
        "s1": ("distance_m", ["prr", "mean_rssi"], ["tx_power_dbm", "payload_bytes"]),
        "s2": ("x_m", ["prr_a", "prr_c"], ["rate"]),
        "s3": ("lambda", ["reception_ratio_mean", "mean_access_delay_ms_mean"], ["n"]),
        "s4": ("d_lo", ["std_dev_db", "std_asym_db", "mean_prr"], []),
        "s5": ("nodes", ["mean_neighbours_mean", "fail_interf_mean"], ["sigma"]),
        "s6": ("node", ["delivery", "mean_link_delay_ms"], ["topology", "jitter_max_ms"]),
        "s7": ("distance_m", ["on_air_time_needed_us"], []),
        "s8": ("x_m", ["prr_a", "prr_c"], ["interferers", "d_a_m", "offset"]),
        "s9": ("seq", ["delay_ms"], ["case", "src"]),
        "s10": ("delta_us", ["second_delay_us", "gap_between_frames_us"], []),
    }
    if comparison.name not in curves:
        table = comparison.table
        figure, axes = plt.subplots(figsize=(6, 4))
        places = np.arange(len(table))
        axes.bar(places - 0.2, table["castalia"], 0.4, color="0.7", label="received by Castalia")
        axes.bar(places + 0.2, table["expected"], 0.4, color="C0", label="expected by ours")
        axes.set_xticks(places, table["class"])
        axes.set_ylabel("frames")
        axes.legend()
    else:
        x, quantities, keys = curves[comparison.name]
        table = comparison.table
        if comparison.name == "s4":
            table = table.iloc[:-1]
        figure, grid = plt.subplots(1, len(quantities), figsize=(5.5 * len(quantities), 4), squeeze=False)
        groups = table.groupby(keys, sort=False) if keys else [((), table)]
        for axes, quantity in zip(grid[0], quantities, strict=True):
            for i, (key, group) in enumerate(groups):
                name = ", ".join(f"{value:g}" if not isinstance(value, str) else value for value in key)
                theirs = f"{quantity}_castalia"
                ordered = group.sort_values(x)
                axes.plot(ordered[x], ordered[theirs], "o", color="0.65", markersize=4)
                axes.plot(ordered[x], ordered[quantity], color=f"C{i % 10}", linewidth=1, label=name or None)
            axes.set_xlabel(x)
            axes.set_ylabel(quantity)
            if "delay" in quantity and comparison.name in ("s3", "s6"):
                axes.set_yscale("log")
            if keys:
                axes.legend(title=", ".join(keys), fontsize="x-small", title_fontsize="x-small")
    figure.suptitle(f"{comparison.name}: {comparison.title} (dots: Castalia, lines: ours)", fontsize="medium")
    figure.tight_layout()
    with plt.rc_context({"savefig.dpi": 90}):
        save(figure, [path])


def _report(comparisons: Sequence[Comparison], folder: Path) -> None:
    commit = subprocess.run(
        ["git", "log", "-1", "--format=%h", "--", "../../cpp/wsn", "../../cpp/castalia"],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parent,
        check=False,
    ).stdout.strip()
    lines = [
        "# Ours against Castalia",
        "",
        "Made by `python tests/fidelity/compare.py --out results/fidelity`; the radio was last changed in",
        f"{commit or 'no commit'}. `--more-replays` adds the replays that are too large for the repository.",
        "Dots are Castalia's own numbers (`tests/fidelity/reference`), lines are ours; the tables hold both,",
        "Castalia's with the suffix `_castalia`. A value must not exceed its limit; the limits are those of",
        "[the model's page](../../docs/models/wsn.md).",
        "",
        "| experiment | quantity | value | limit | |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {comparison.name} | {check.quantity} | {check.value:.4g} | {check.limit:g} | {check.verdict} |"
        for comparison in comparisons
        for check in comparison.checks
    ]
    for comparison in comparisons:
        lines += ["", f"## {comparison.name}: {comparison.title}", ""]
        lines += [f"[table]({comparison.name}.csv)", "", f"![{comparison.title}]({comparison.name}.png)"]
    (folder / "README.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="folder for tables and plots")
    parser.add_argument(
        "--more-replays", type=Path, help="folder with replay files that are not in the repository"
    )
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    comparisons = [run() for run in ALL.values()]
    if options.more_replays:
        names = sorted(path.name for path in options.more_replays.glob("s5_replay_*_seed0_tx.csv.gz"))
        comparisons += [
            replay(name.removeprefix("s5_replay_").removesuffix("_seed0_tx.csv.gz"), options.more_replays)
            for name in names
            if not (REFERENCE / name).exists()
        ]
    for comparison in comparisons:
        table = comparison.table.drop(columns=[c for c in comparison.table if str(c).startswith("cpu_s")])
        table.to_csv(options.out / f"{comparison.name}.csv", index=False, float_format="%.6g")
        _draw(comparison, options.out / f"{comparison.name}.png")
        for check in comparison.checks:
            print(
                check.verdict, comparison.name, f"{check.quantity}: {check.value:.4g} (limit {check.limit:g})"
            )
    _report(comparisons, options.out)


if __name__ == "__main__":
    main()
