"""Link-level experiments: the ones that Castalia was measured with.

Each function runs one experiment and returns its table; `mftpubsub experiment` prints it. The columns are
those of the reference files in `tests/fidelity/reference`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal, InvalidOperation
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mftpubsub.castalia import replay_files
from mftpubsub.errors import ConfigurationError
from mftpubsub.notes import console
from mftpubsub.simulator.worlds import link_level

BREAKDOWN = [
    "rx_no_interf",
    "rx_despite_interf",
    "fail_no_interf",
    "fail_interf",
    "fail_non_rx",
    "fail_sensitivity",
    "fail_modulation",
]
TX_POWERS = (0, -1, -3, -5, -7, -10, -15, -25)
FLOOD_ROW = 10  # nodes of a line


def parse_range(text: str, name: str = "range") -> list[float]:
    """Numbers by commas, or `a:b:step`, both ends included."""
    values: list[float] = []
    try:
        for part in text.split(","):
            if ":" not in part:
                values.append(float(Decimal(part)))
                continue
            low, high, step = (Decimal(bound) for bound in part.split(":"))
            if step <= 0 or high < low:
                raise ValueError
            values += [float(low + step * i) for i in range(int((high - low) / step) + 1)]
    except (InvalidOperation, ValueError):
        raise ConfigurationError(
            f"{name} {text!r}: expected numbers by commas or first:last:step, such as 1:60:0.5"
        ) from None
    if not all(np.isfinite(values)):
        raise ConfigurationError(f"{name} {text!r}: not a finite number")
    return values


def parse_counts(text: str, name: str) -> list[int]:
    """What `parse_range` gives, if these are positive whole numbers."""
    values = parse_range(text, name)
    _check(all(v == int(v) and v > 0 for v in values), f"{name} {text!r}: expected positive whole numbers")
    return [int(v) for v in values]


def parse_seeds(text: str) -> list[int]:
    """Seeds by commas, or `a:b` for a, a + 1, ..., b - 1."""
    seeds: list[int] = []
    try:
        for part in text.split(","):
            low, colon, high = part.partition(":")
            seeds += range(int(low), int(high)) if colon else [int(low)]
    except ValueError:
        seeds = []
    if not seeds or min(seeds) < 0:
        raise ConfigurationError(
            f"seeds {text!r}: expected whole numbers by commas or first:end, such as 0:3"
        )
    return seeds


def _check(condition: bool, message: str) -> None:
    if not condition:
        raise ConfigurationError(message)


def _run(name: str, **options: Any) -> pd.DataFrame:
    """Runs C++'s Run<name> with <name>Options."""
    namespace = link_level()
    given = getattr(namespace, f"{name}Options")()
    for key, value in options.items():
        if isinstance(value, np.ndarray):
            getattr(given, key).assign(value.tolist())
        else:
            setattr(given, key, value)
    try:
        table = getattr(namespace, f"Run{name}")(given)
    except Exception as error:
        if "invalid_argument" not in type(error).__name__:
            raise
        message = str(error).split("=>")[-1].strip().removeprefix("invalid_argument:").strip()
        raise ConfigurationError(message) from None
    columns = {}
    for column, values in zip(table.names, table.columns, strict=True):
        view: Any = (
            np.frombuffer(values.data(), dtype=np.float64, count=values.size()) if values.size() else []
        )
        columns[str(column)] = _narrow(np.array(view, dtype=np.float64))
    return pd.DataFrame(columns)


def _run_seed(name: str, seed: int, **options: Any) -> pd.DataFrame:
    """The same with the seed as a column."""
    return _run(name, seed=seed, **options).assign(seed=seed)


def _narrow(values: np.ndarray) -> np.ndarray:
    """Whole numbers as integers."""
    if values.size and np.isfinite(values).all() and (values == np.rint(values)).all():
        return values.astype(np.int64)
    return values


def _many(runs: Iterable[Callable[[], pd.DataFrame]], total: int) -> pd.DataFrame:
    """Runs one after the other, with progress on stderr if somebody looks."""
    from rich.progress import track

    shown = console()
    tables = [
        run()
        for run in track(
            runs, total=total, console=shown, transient=True, disable=total < 2 or not shown.is_terminal
        )
    ]
    return pd.concat(tables, ignore_index=True)


def _mean_and_sd(table: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """One row a key: mean and sample standard deviation over seeds."""
    groups = table.groupby(list(keys), sort=False)
    result = groups.size().rename("seeds").reset_index()
    for name in table.columns.drop([*keys, "seed"]):
        result[f"{name}_mean"] = groups[name].mean().to_numpy()
        result[f"{name}_sd"] = groups[name].std(ddof=1).to_numpy()
    return result


def link(distances: Sequence[float], tx_power: float, payload: int, packets: int, seed: int) -> pd.DataFrame:
    """s1: reception over distance."""
    _check(
        tx_power in TX_POWERS, f"tx-power {tx_power:g}: the CC2420 has {', '.join(map(str, TX_POWERS))} dBm"
    )
    return _many(
        (
            partial(
                _run,
                "Link",
                distance=d,
                txPower=tx_power,
                payload=payload,
                packets=packets,
                seed=seed * 100_003 + round(2 * d),
            )
            for d in distances
        ),
        len(distances),
    )


def hidden_terminal(
    xs: Sequence[float],
    rate: float,
    duration: float,
    seeds: Sequence[int],
    payload: int = 100,
    tx_power: float = 0,
) -> pd.DataFrame:
    """s2: A at 0, B at 25 m, C at x m; sums over seeds."""
    _check(
        tx_power in TX_POWERS, f"tx-power {tx_power:g}: the CC2420 has {', '.join(map(str, TX_POWERS))} dBm"
    )
    cases = [(x, seed) for x in xs for seed in seeds]
    runs = _many(
        (
            partial(
                _run,
                "HiddenTerminal",
                x=x,
                rate=rate,
                duration=duration,
                seed=seed,
                payload=payload,
                txPower=tx_power,
            )
            for x, seed in cases
        ),
        len(cases),
    )
    table = runs.groupby(["x_m", "rate"], sort=False, as_index=False).sum()
    table.insert(2, "seeds", len(seeds))
    table["prr_a"] = table["received_from_a"] / table["sent_a"]
    table["prr_c"] = table["received_from_c"] / table["sent_c"]
    return table


def contention(
    nodes: Sequence[int],
    rates: Sequence[float],
    duration: float,
    seeds: Sequence[int],
    field: float = 10,
    payload: int = 100,
) -> pd.DataFrame:
    """s3: N nodes in one place; mean and standard deviation over seeds."""
    cases = [(n, rate, seed) for n in nodes for rate in rates for seed in seeds]
    runs = _many(
        (
            partial(
                _run_seed,
                "Contention",
                nodes=n,
                rate=rate,
                duration=duration,
                seed=seed,
                field=field,
                payload=payload,
            )
            for n, rate, seed in cases
        ),
        len(cases),
    )
    return _mean_and_sd(runs, ["n", "lambda"])


def shadowing(
    sigma: float,
    bidirectional_sigma: float,
    nodes: int,
    field: float,
    placements: int,
    packets: int = 50,
    seed: int = 0,
) -> pd.DataFrame:
    """s4: deviation of the path loss from its mean, and reception, by distance; 2 m bins and all."""
    _check(sigma >= 0 and bidirectional_sigma >= 0, "a standard deviation is negative")
    _check(placements > 0, "there are no placements")
    pairs = _many(
        (
            partial(
                _run,
                "Shadowing",
                sigma=sigma,
                bidirectionalSigma=bidirectional_sigma,
                nodes=nodes,
                field=field,
                packets=packets,
                seed=s,
            )
            for s in range(seed, seed + placements)
        ),
        placements,
    )
    pairs["deviation_ab"] = pairs["loss_ab_db"] - pairs["mean_loss_db"]
    pairs["deviation_ba"] = pairs["loss_ba_db"] - pairs["mean_loss_db"]
    edges = [(low, low + 2) for low in np.arange(0, field, 2)] + [(0.0, field)]
    table = pd.DataFrame([_at_distances(pairs, low, high, sigma) for low, high in edges])
    for name in ("d_lo", "d_hi"):
        table[name] = _narrow(table[name].to_numpy())
    return table


def _at_distances(pairs: pd.DataFrame, low: float, high: float, sigma: float) -> dict[str, float]:
    """How the pairs that are `low` to `high` m apart hear each other."""
    chosen = pairs[(pairs["distance_m"] >= low) & (pairs["distance_m"] < high)]
    ab, ba = chosen["deviation_ab"], chosen["deviation_ba"]
    deviation = pd.concat([ab, ba])
    prr = pd.concat([chosen["prr_ab"], chosen["prr_ba"]])
    asymmetry = ab - ba
    return {
        "d_lo": low,
        "d_hi": high,
        "n_pairs": len(chosen),
        "mean_dev_db": deviation.mean(),
        "std_dev_db": deviation.std(),
        "mean_asym_db": asymmetry.mean(),
        "std_asym_db": asymmetry.std(),
        "corr_ab_ba": ab.corr(ba) if len(chosen) > 1 and sigma > 0 else np.nan,
        "skew": deviation.skew(),
        "n_directed_links": 2 * len(chosen),
        "prob_prr_gt_0_5": (prr > 0.5).mean(),
        "prob_prr_gt_0_9": (prr > 0.9).mean(),
        "prob_prr_gt_0": (prr > 0).mean(),
        "mean_prr": prr.mean(),
        "frac_stored_in_channel": pd.concat([chosen["stored_ab"], chosen["stored_ba"]]).mean(),
    }


def broadcast(
    nodes: int,
    field: float,
    speed: float,
    sigma: float,
    duration: float,
    seeds: Sequence[int],
    bidirectional_sigma: float | None = None,
    payload: int = 100,
    rate: float = 1,
    each_seed: bool = False,
) -> pd.DataFrame:
    """s5: moving nodes that broadcast; mean and standard deviation over seeds, or each seed."""
    _check(sigma >= 0, "a standard deviation is negative")
    if bidirectional_sigma is None:
        bidirectional_sigma = 1.0 if sigma > 0 else 0.0
    runs = _many(
        (
            partial(
                _run_seed,
                "Broadcast",
                nodes=nodes,
                field=field,
                speed=speed,
                sigma=sigma,
                bidirectionalSigma=bidirectional_sigma,
                duration=duration,
                seed=seed,
                payload=payload,
                rate=rate,
            )
            for seed in seeds
        ),
        len(seeds),
    )
    if not each_seed:
        return _mean_and_sd(runs, ["nodes", "field", "sigma"])
    runs.insert(3, "seed", runs.pop("seed"))
    return runs


def topology(name: str) -> tuple[list[float], list[float]]:
    """Positions for `line<spacing>` (10 nodes) or `grid<columns>x<rows>_<spacing>`; `12_5` is 12.5 m."""
    if match := re.fullmatch(r"line(\d+(?:[._]\d+)?)", name):
        spacing = float(match[1].replace("_", "."))
        return [spacing * i for i in range(FLOOD_ROW)], [0.0] * FLOOD_ROW
    if match := re.fullmatch(r"grid(\d+)x(\d+)_(\d+(?:[._]\d+)?)", name):
        columns, rows, spacing = int(match[1]), int(match[2]), float(match[3].replace("_", "."))
        if columns * rows > 1:
            places = [(spacing * x, spacing * y) for y in range(rows) for x in range(columns)]
            return [x for x, _ in places], [y for _, y in places]
    raise ConfigurationError(f"topology {name!r}: expected line25, line12_5, grid5x5_15 or one of that form")


def flood(
    topologies: Sequence[str],
    jitters_ms: Sequence[float],
    seeds: Sequence[int],
    duration: float = 400,
    rate: float = 1,
    payload: int = 100,
) -> pd.DataFrame:
    """s6: node 0 floods; one row a node and seed."""
    places = {name: topology(name) for name in topologies}
    cases = [(name, jitter, seed) for name in topologies for jitter in jitters_ms for seed in seeds]

    def one(name: str, jitter: float, seed: int) -> pd.DataFrame:
        x, y = places[name]
        table = _run(
            "Flood",
            x=np.array(x),
            y=np.array(y),
            jitterMs=jitter,
            duration=duration,
            rate=rate,
            payload=payload,
            seed=seed,
        )
        table.insert(0, "topology", name)
        table.insert(1, "jitter_max_ms", jitter)
        table.insert(2, "seed", seed)
        return table

    return _many((partial(one, *case) for case in cases), len(cases))


def cca_latency(distances: Sequence[float], trials: int = 150) -> pd.DataFrame:
    """s7: how long a frame must be on the air to be sensed."""
    return _many((partial(_run, "CcaLatency", distance=d, trials=trials) for d in distances), len(distances))


def _offset_name(offset_ms: float) -> str:
    if offset_ms == 0:
        return "same"
    return f"c_{abs(offset_ms):g}ms_{'later' if offset_ms > 0 else 'earlier'}"


def overlap(
    distances_a: Sequence[float],
    xs: Sequence[float],
    offsets_ms: Sequence[float],
    second: bool = False,
    packets: int = 4000,
    payload: int = 100,
    seed: int = 0,
) -> pd.DataFrame:
    """s8: two or three frames that overlap at a receiver, carrier sense off."""
    cases = [
        (d, offset, x, seed * 100_003 + i)
        for i, (d, offset, x) in enumerate(product(distances_a, offsets_ms, xs))
    ]
    table = _many(
        (
            partial(
                _run,
                "Overlap",
                distanceA=case[0],
                offsetMs=case[1],
                x=case[2],
                second=second,
                packets=packets,
                payload=payload,
                seed=case[3],
            )
            for case in cases
        ),
        len(cases),
    )
    table["offset_ms"] = [_offset_name(offset) for offset in table["offset_ms"]]
    return table.rename(columns={"offset_ms": "offset"})


def burst(packets: int = 40, seed: int = 0, payload: int = 100) -> pd.DataFrame:
    """s9: packets handed over at once, by one sender and by two."""
    cases = {"single": -1.0, "two_senders_offset_2ms": 2.0, "two_senders_offset_20us": 0.02}
    tables = []
    for name, offset in cases.items():
        table = _run("Burst", packets=packets, secondOffsetMs=offset, seed=seed, payload=payload)
        table.insert(0, "case", name)
        tables.append(table.sort_values(["src", "seq"], kind="stable"))
    return pd.concat(tables, ignore_index=True)


def second_packet(deltas_us: Sequence[float], payload: int = 100) -> pd.DataFrame:
    """s10: a second packet some time after the first."""
    return _many(
        (partial(_run, "SecondPacket", deltaUs=d, payload=payload) for d in deltas_us), len(deltas_us)
    )


def replay(
    pathloss: Path,
    positions: Path,
    tx: Path,
    field: float | None = None,
    seed: int = 0,
    payload: int = 100,
    every_signal: bool = False,
) -> pd.DataFrame:
    """s5_replay: the given transmissions; the receptions, or every signal with its chance of success."""
    loss = replay_files.read_losses(pathloss)
    place = replay_files.read_positions(positions, field)
    sent = replay_files.read_transmissions(tx, place["node"].max() + 1)
    if field is None:
        cells = int(loss[["tx_cell", "rx_cell"]].max().max()) + 1
        side = int(np.ceil(np.sqrt(cells)))
        field = 5.0 * max(side, int(np.ceil(place[["x", "y"]].max().max() / 5)))
    table = _run(
        "Replay",
        field=field,
        seed=seed,
        payload=payload,
        lossFrom=loss["tx_cell"].to_numpy(),
        lossTo=loss["rx_cell"].to_numpy(),
        lossDb=loss["pathloss_db"].to_numpy(),
        positionTime=place["time_s"].to_numpy(),
        positionNode=place["node"].to_numpy(),
        positionX=place["x"].to_numpy(),
        positionY=place["y"].to_numpy(),
        txTime=sent["on_air_start_s"].to_numpy(),
        txNode=sent["node"].to_numpy(),
    )
    if every_signal:
        return table
    received = table[table["received"] == 1]
    return received[["rx", "src", "seq", "on_air_start_s", "rssi_dbm", "min_sinr_db"]].reset_index(drop=True)
