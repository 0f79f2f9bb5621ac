"""What G says of its evaluation, checked against ours (section 11 of the specification)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf, isnan

import pandas as pd

from mftpubsub.sources.gaddah import printed
from mftpubsub.sources.gaddah.analytic import loss, printed_quantities
from mftpubsub.sources.gaddah.printed import MOBILITIES, SCHEMES, SUBSCRIBERS
from mftpubsub.statistics import ends

HOLDS, FAILS, REPORTED = "holds", "does not hold", "reported"


class Cells:
    """The aggregated runs: one number a metric of a cell."""

    def __init__(self, table: pd.DataFrame) -> None:
        keys = ["group", "scheme", "mobility", "subscribers", "buffer_events", "metric"]
        self._found: dict[tuple[object, ...], list[tuple[float, float]]] = {}
        values = table[["mean", "half_width"]].to_numpy().tolist()
        for row, (mean, half) in zip(table[keys].to_numpy().tolist(), values, strict=True):
            self._found.setdefault(tuple(row), []).append((mean, half))

    def get(
        self,
        metric: str,
        scheme: str,
        mobility: str = "random",
        subscribers: int = 200,
        buffer_events: int = 128,
        group: str = "tables",
    ) -> float:
        """Mean over the seeds. Raises KeyError for a cell that was not run, or of which there are several."""
        return self._one(group, scheme, mobility, subscribers, buffer_events, metric)[0]

    def percent(
        self, metric: str, scheme: str, mobility: str, subscribers: int, group: str = "tables"
    ) -> str:
        """A share with its interval, for print, of buffers of 256 events. Raises as `get`."""
        return interval(*self._one(group, scheme, mobility, subscribers, 256, metric), 2, 100)

    def _one(self, *key: object) -> tuple[float, float]:
        found = self._found[key]
        if len(found) > 1:
            raise KeyError(*key, f"{len(found)} rates or stays")
        return found[0]


def interval(mean: float, half: float, digits: int, most: float = inf) -> str:
    """`1.20 ± 0.30`; the ends, `1.20 [0.00, 2.90]`, of an interval that would reach beyond 0 or `most`."""
    if isnan(half):
        return f"{mean:.{digits}f}"
    if mean - half >= 0 and mean + half <= most:
        return f"{mean:.{digits}f} ± {half:.{digits}f}"
    low, high = ends(mean, half, (0, most))
    return f"{mean:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


@dataclass(frozen=True)
class Claim:
    """`kind` is X exact, I invariant, O order, N number; `check` gives the verdict and what was measured."""

    name: str
    statement: str
    kind: str
    check: Callable[[Cells], tuple[str, str]]
    reason: Callable[[Cells], str] = field(default=lambda cells: "")


def _verdict(is_right: bool) -> str:
    return HOLDS if is_right else FAILS


def _row(values: Iterable[float], digits: int = 2) -> str:
    return " ".join(f"{value:.{digits}f}" for value in values)


def _every(metric: str, cells: Cells, buffer_events: int = 128) -> dict[printed.Cell, float]:
    return {
        (scheme, mobility, k): cells.get(metric, scheme, mobility, k, buffer_events)
        for scheme in SCHEMES
        for mobility in MOBILITIES
        for k in SUBSCRIBERS
    }


def _by_scheme(values: dict[printed.Cell, float], digits: int = 2) -> str:
    return "; ".join(
        f"{scheme} {mobility} {_row((values[scheme, mobility, k] for k in SUBSCRIBERS), digits)}"
        for scheme in SCHEMES
        for mobility in MOBILITIES
    )


def _analytic(cells: Cells) -> tuple[str, str]:
    rows = printed_quantities()
    right = sum(row["printed"] == row["value"] for row in rows.values())
    return _verdict(right == len(rows)), f"{right} of {len(rows)} printed quantities to their digits"


def _closed_throughput(cells: Cells) -> dict[printed.Cell, float]:
    return {
        (scheme, mobility, k): cells.get("throughput", scheme, mobility, k, 128, "closed")
        for scheme in SCHEMES
        for mobility in MOBILITIES
        for k in SUBSCRIBERS
    }


def _t2(cells: Cells) -> tuple[str, str]:
    ours = _closed_throughput(cells)
    worst = max(abs(ours[cell] / printed.THROUGHPUT[cell] - 1) for cell in ours)
    return _verdict(worst <= 0.25), f"{_by_scheme(ours, 0)}; largest deviation {100 * worst:.0f} %"


def _t2a(cells: Cells) -> tuple[str, str]:
    ours = _closed_throughput(cells)
    rows = [
        [ours[scheme, mobility, k] for scheme in reversed(SCHEMES)]
        for mobility in MOBILITIES
        for k in (100, 200)
    ]
    return _verdict(all(a > b > c for a, b, c in rows)), "; ".join(_row(row, 0) for row in rows)


def _t2b(cells: Cells) -> tuple[str, str]:
    ours = _closed_throughput(cells)
    ratios = [ours["pro-active", "neighbouring", k] / ours["pro-active", "random", k] for k in SUBSCRIBERS]
    return _verdict(min(ratios) > 1), f"x {_row(ratios, 3)} (printed 1.145 1.181 1.211)"


def _t2c(cells: Cells) -> tuple[str, str]:
    ours = _closed_throughput(cells)
    ratios = [
        ours[scheme, "neighbouring", k] / ours[scheme, "random", k]
        for scheme in ("durable", "reactive")
        for k in SUBSCRIBERS
    ]
    return _verdict(all(abs(ratio - 1) <= 0.1 for ratio in ratios)), f"x {_row(ratios, 3)}"


def _t2d(cells: Cells) -> tuple[str, str]:
    ours = _closed_throughput(cells)
    right = all(
        ours[s, m, b] > ours[s, m, a] and ours[s, m, b] / ours[s, m, a] < b / a
        for s in SCHEMES
        for m in MOBILITIES
        for a, b in pairwise(SUBSCRIBERS)
    )
    return _verdict(right), "in all six columns" if right else "not in all six columns"


def _t3(cells: Cells) -> tuple[str, str]:
    values = [_by_scheme(_every("loss_percent", cells, size)) for size in (256, 128)]
    return REPORTED, f"256 events: {values[0]}. 128 events: {values[1]}"


def _durable_reason(cells: Cells) -> str:
    """Which buffers G's durable losses imply, and what these do to the duplicates."""
    implied = [
        next(
            size
            for size in range(1, 10_000)
            if 100 * loss(size, printed.implied_rate("durable", m, k)) <= printed.LOSS["durable", m, k]
        )
        for m in MOBILITIES
        for k in SUBSCRIBERS
    ]
    sizes = (32, 64, 128, 256)
    lost, twice = (
        [cells.get(metric, "durable", "random", 200, size, "durable-buffers") for size in sizes]
        for metric in ("loss_percent", "duplicates_percent")
    )
    cell = ("durable", "random", 200)
    return (
        f"By the closed form G's durable losses are those of buffers of {min(implied)} to {max(implied)} "
        f"events. No size gives both its losses and its duplicates: with 32, 64, 128, 256 events, K = 200, "
        f"loss is {_row(lost)} % (printed {printed.LOSS[cell]}), duplicates {_row(twice)} % (printed "
        f"{printed.DUPLICATES[cell]})."
    )


def _t3_pro_active(cells: Cells) -> tuple[str, str]:
    factors, formula = [], []
    for mobility in MOBILITIES:
        for k in SUBSCRIBERS:
            ours = cells.get("loss_percent", "pro-active", mobility, k, 256)
            factors.append(ours / printed.LOSS["pro-active", mobility, k])
            formula.append(100 * loss(256, printed.implied_rate("pro-active", mobility, k)))
    right = all(1 / 2.5 <= factor <= 2.5 for factor in factors)
    return _verdict(right), f"ours / printed {_row(factors)}; closed form {_row(formula)} %"


def _t3a(cells: Cells) -> tuple[str, str]:
    losses = _every("loss_percent", cells, 256)
    least = sum(
        losses["pro-active", m, k] < min(losses["durable", m, k], losses["reactive", m, k])
        for m in MOBILITIES
        for k in SUBSCRIBERS
    )
    return _verdict(least == 6), f"least in {least} of 6 cells"


def _equal_rates(cells: Cells) -> str:
    losses = [cells.get("loss_percent", s, "random", 100, 128, "equal-rates") for s in SCHEMES]
    return (
        f"At one rate (30 events/s, K = 100, 128 events) all lose alike: {_row(losses)} %, closed form "
        f"{100 * loss(128, 30):.2f} %. What differs is the rate that G implies: pro-active's is highest."
    )


def _t3b(cells: Cells) -> tuple[str, str]:
    rows = {s: [cells.get("loss_percent", s, "random", k, 256) for k in SUBSCRIBERS] for s in SCHEMES}
    falls = all(a > b for a, b in pairwise(rows["pro-active"]))
    rises = all(a < b for a, b in pairwise(rows["reactive"]))
    flat = max(rows["durable"]) < 1.5 * min(rows["durable"])
    text = "; ".join(f"{scheme} {_row(values)}" for scheme, values in rows.items())
    return _verdict(falls and rises and flat), f"falls for pro-active: {_yes(falls)}. {text}"


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _t3c(cells: Cells) -> tuple[str, str]:
    losses = _every("loss_percent", cells, 256)
    lower = [
        f"{s} {k}"
        for s in SCHEMES
        for k in SUBSCRIBERS
        if losses[s, "neighbouring", k] < losses[s, "random", k]
    ]
    return REPORTED, f"lower in {len(lower)} of 9 ({', '.join(lower)})"


def _t4(cells: Cells) -> tuple[str, str]:
    ours = _every("duplicates_percent", cells)
    right = all(5 <= ours["durable", m, k] <= 30 for m in MOBILITIES for k in SUBSCRIBERS) and all(
        0.3 <= ours["reactive", m, k] <= 3 for m in MOBILITIES for k in SUBSCRIBERS
    )
    return _verdict(right), _by_scheme(ours)


def _t4a(cells: Cells) -> tuple[str, str]:
    most = max(
        cells.get("duplicates_percent", "pro-active", m, k, size)
        for m in MOBILITIES
        for k in SUBSCRIBERS
        for size in (128, 256)
    )
    return _verdict(most == 0), f"at most {most:g} %"


def _t4b(cells: Cells) -> tuple[str, str]:
    ours = _every("duplicates_percent", cells)
    ratios = [ours["durable", m, k] / ours["reactive", m, k] for m in MOBILITIES for k in SUBSCRIBERS]
    return _verdict(min(ratios) >= 5), f"factors {_row(ratios, 1)}"


def _t4c(cells: Cells) -> tuple[str, str]:
    ours = _every("duplicates_percent", cells)
    ratios = [
        ours[s, "neighbouring", k] / ours[s, "random", k]
        for s in ("durable", "reactive")
        for k in SUBSCRIBERS
    ]
    return REPORTED, f"x {_row(ratios)} (durable, then reactive)"


def _over_k(cells: Cells, metric: str, scheme: str) -> list[float]:
    return [
        cells.get(metric, scheme, "random", k, 256, "tables" if k in SUBSCRIBERS else "figure5")
        for k in (10, 50, 100, 150, 200)
    ]


def _f5a(cells: Cells) -> tuple[str, str]:
    rows = {scheme: _over_k(cells, "delay_first_copies_mean_s", scheme) for scheme in SCHEMES}
    right = all(r > max(d, p) for d, r, p in zip(*rows.values(), strict=True))
    return _verdict(right), "; ".join(f"{scheme} {_row(values)}" for scheme, values in rows.items())


def _f5a_reason(cells: Cells) -> str:
    means = _over_k(cells, "delay_mean_s", "durable")
    return (
        f"Over all copies durable's mean is the largest, {_row(means)} s: copies from old visits come late."
    )


def _f5b(cells: Cells) -> tuple[str, str]:
    rows = {scheme: _over_k(cells, "throughput", scheme) for scheme in SCHEMES}
    right = all(p > r > d for d, r, p in zip(*rows.values(), strict=True))
    return _verdict(right), "; ".join(f"{scheme} {_row(values, 0)}" for scheme, values in rows.items())


def _f5b_reason(cells: Cells) -> str:
    repeated = {scheme: _over_k(cells, "duplicates_percent", scheme) for scheme in SCHEMES}
    first = {
        scheme: [
            copies * (1 - percent / 100)
            for copies, percent in zip(_over_k(cells, "throughput", scheme), repeated[scheme], strict=True)
        ]
        for scheme in SCHEMES
    }
    right = all(p > r > d for d, r, p in zip(*first.values(), strict=True))
    printed_percent = [printed.DUPLICATES["durable", "random", k] for k in SUBSCRIBERS]
    return (
        f"Duplicates count as throughput, and durable's buffers of 256 events give "
        f"{_row(repeated['durable'], 0)} % of them (printed, K = 10, 100, 200: "
        f"{_row(printed_percent, 0)} %). Without them the order holds: "
        f"{_yes(right)} ({'; '.join(f'{scheme} {_row(values, 0)}' for scheme, values in first.items())})."
    )


def _f5c(cells: Cells) -> tuple[str, str]:
    shares = [100 * cells.get("transferred_share", s, "random", 200, 256) for s in ("reactive", "pro-active")]
    return _verdict(shares[0] > 10 * shares[1]), f"reactive {shares[0]:.2f} %, pro-active {shares[1]:.3f} %"


def _f5c_reason(cells: Cells) -> str:
    ours = 100 * cells.get("transferred_share", "reactive", "random", 200, 256)
    unhurried = 100 * cells.get("transferred_share", "reactive", "random", 10, 256)
    late = cells.get("handoff_latency_s.0.5", "reactive", "random", 200, 256)
    away = (1.5 + 3.75) / 68.25
    return (
        f"The order holds, the 37-42 % do not: by time away alone a reactive subscriber gets "
        f"{100 * away:.1f} % by transfer; measured {unhurried:.1f} % at K = 10, {ours:.1f} % at K = 200, "
        f"where the median hand-off takes {late:.1f} s. For 37 % each of G's 0.75 moves a cycle of 68.25 s "
        f"must have left a backlog of {(0.37 - away) * 68.25 / 0.75:.0f} s."
    )


def _f6a(cells: Cells) -> tuple[str, str]:
    share = cells.get("handoffs_over_1_2_s_percent", "reactive", "random", 200, 256)
    return _verdict(abs(share - 60) <= 12), f"{share:.1f} % (what 30 ms an event was calibrated on)"


def _f6b(cells: Cells) -> tuple[str, str]:
    fast = cells.get("handoffs_under_0_35_s_percent", "pro-active", "random", 200, 256)
    faster = cells.get("handoffs_under_0_05_s_percent", "durable", "random", 200, 256)
    medians = [
        cells.get("handoff_latency_s.0.5", s, "random", 200, 256)
        for s in ("durable", "pro-active", "reactive")
    ]
    right = fast >= 60 and faster >= 60 and medians[0] <= medians[1] < medians[2] / 5
    return _verdict(right), f"{fast:.1f} %, {faster:.1f} %; medians {_row(medians, 3)} s"


def _f7(cells: Cells, schemes: Sequence[str]) -> tuple[list[bool], str]:
    right, texts = [], []
    for scheme in schemes:
        for metric in ("throughput", "loss_percent", "duplicates_percent"):
            long, short = (cells.get(metric, scheme, group=group) for group in ("figure7", "tables"))
            right.append(long < short if metric != "throughput" else long >= 0.9 * short)
            texts.append(f"{scheme} {metric} {short:.2f} -> {long:.2f}")
    return right, "; ".join(texts)


def _f7a(cells: Cells) -> tuple[str, str]:
    right, text = _f7(cells, ("durable", "pro-active"))
    losses = [right[1], right[4], right[2]]
    return _verdict(all(losses)), text


def _f7b(cells: Cells) -> tuple[str, str]:
    return REPORTED, _f7(cells, ("reactive",))[1]


def _f7b_reason(cells: Cells) -> str:
    return f"Loss rises where brokers saturate: {_near_saturation(cells)}."


def _near_saturation(cells: Cells) -> str:
    """The reactive scheme's loss under either kind of moves, and with brokers half as fast."""
    losses = (
        f"{mobility} moves "
        + ", ".join(cells.percent("loss_percent", "reactive", mobility, k) for k in SUBSCRIBERS)
        for mobility in MOBILITIES
    )
    beyond = cells.percent("loss_percent", "reactive", "random", 200, "slow-transfer")
    return (
        f"at K = 10, 100, 200 with 30 ms an event handed over, {', '.join(losses)} %; with 60 ms, random "
        f"moves at K = 200, {beyond} %"
    )


def _by_broker(cells: Cells, metric: str, mobility: str) -> list[float]:
    return [cells.get(f"{metric}.{broker}", "pro-active", mobility, 200, 256) for broker in range(1, 7)]


def _f8a(cells: Cells) -> tuple[str, str]:
    away, near = (_by_broker(cells, "stored_per_event_by_broker", m) for m in MOBILITIES)
    right = all(a > b for a, b in zip(away, near, strict=True)) and min(near) == near[4]
    return _verdict(right), f"stored copies an event: random {_row(away, 3)}; neighbouring {_row(near, 3)}"


def _f8b(cells: Cells) -> tuple[str, str]:
    away, near = (_by_broker(cells, "throughput_by_broker", m) for m in MOBILITIES)
    order = sorted(range(6), key=lambda index: near[index])
    right = order[0] == 4 and set(order[-2:]) == {2, 5} and max(away) < 1.1 * min(away)
    return _verdict(right), f"random {_row(away, 0)}; neighbouring {_row(near, 0)}"


def _f8c(cells: Cells) -> tuple[str, str]:
    away, near = (sum(_by_broker(cells, "stored_per_event_by_broker", m)) for m in MOBILITIES)
    return _verdict(near < away), f"{away:.2f} -> {near:.2f} stored copies an event"


def _control(cells: Cells) -> tuple[str, str]:
    wanted = [("durable", "random", 0.0), ("reactive", "random", 4.0)]
    wanted += [("pro-active", "random", 27.67), ("pro-active", "neighbouring", 18.67)]
    ours = [cells.get("control_per_move.all", s, m, 200, 256) for s, m, _ in wanted]
    right = all(
        abs(value - should) <= 0.01 * should for value, (_, _, should) in zip(ours, wanted, strict=True)
    )
    return _verdict(right), _row(ours)


def _cliff(cells: Cells) -> tuple[str, str]:
    share = 100 * cells.get("transferred_share", "reactive", "random", 200, 256)
    return REPORTED, f"loss {_near_saturation(cells)}; transferred {share:.1f} % (random moves, 30 ms)"


CLAIMS = (
    Claim("X", "The analytical model's printed quantities, table 5 included", "X", _analytic),
    Claim("T2", "Throughput in closed loop, costs fitted, within 25 % of table 2", "N", _t2),
    Claim("T2a", "pro-active > reactive > durable at K = 100, 200", "O", _t2a),
    Claim("T2b", "pro-active: neighbouring > random", "O", _t2b),
    Claim("T2c", "durable, reactive: neighbouring and random equal within 10 %", "O", _t2c),
    Claim("T2d", "Throughput grows with K, less than proportionally", "O", _t2d),
    Claim("T3", "Loss, %", "N", _t3, _durable_reason),
    Claim("T3'", "pro-active's loss (256 events) within a factor 2.5 of print", "N", _t3_pro_active),
    Claim("T3a", "pro-active has the least loss at every K", "O", _t3a, _equal_rates),
    Claim(
        "T3b",
        "Loss falls with K for pro-active, is flat for durable, rises for reactive",
        "O",
        _t3b,
        _equal_rates,
    ),
    Claim("T3c", "All slightly lower under neighbouring moves", "N", _t3c),
    Claim("T4", "Duplicates (128 events): durable 5-30 %, reactive 0.3-3 %", "N", _t4, _durable_reason),
    Claim("T4a", "pro-active has no duplicates", "I", _t4a),
    Claim("T4b", "durable's duplicates at least 5 times reactive's", "O", _t4b),
    Claim("T4c", "Duplicates slightly lower under neighbouring moves", "N", _t4c),
    Claim("F5a", "Delay of first copies: reactive the highest", "O", _f5a, _f5a_reason),
    Claim("F5b", "Throughput as T2a for K = 10 to 200, at the implied rates", "O", _f5b, _f5b_reason),
    Claim("F5c", "Message overhead: reactive more than 10 times pro-active", "O", _f5c, _f5c_reason),
    Claim("F6a", "reactive: about 60 % of hand-offs take more than 1.2 s", "N", _f6a),
    Claim("F6b", "60 % under 0.35 s (pro-active), 0.05 s (durable)", "I", _f6b),
    Claim("F7a", "T_beta 150 s: loss and duplicates of durable and pro-active down", "O", _f7a),
    Claim("F7b", "T_beta 150 s: reactive's throughput unchanged, loss up", "N", _f7b, _f7b_reason),
    Claim("F8a", "pro-active: less work at every broker under neighbouring moves, least at B5", "O", _f8a),
    Claim("F8b", "Throughput lowest at B5, highest at B3 and B6; equal under random moves", "O", _f8b),
    Claim("F8c", "Stored copies fall from random to neighbouring moves", "O", _f8c),
    Claim("M", "Messages a move: durable 0, reactive 4, pro-active 27.67 and 18.67", "X", _control),
    Claim("cliff", "reactive near saturation", "N", _cliff),
)


def check(cells: Cells) -> list[dict[str, str]]:
    """A row for each claim; one whose cells were not run says so and has no verdict."""
    rows = []
    for claim in CLAIMS:
        try:
            verdict, measured = claim.check(cells)
            reason = claim.reason(cells)
        except KeyError as error:
            verdict, measured, reason = "not run", f"no cell {error}", ""
        rows.append(
            {
                "claim": claim.name,
                "statement": claim.statement,
                "kind": claim.kind,
                "verdict": verdict,
                "measured": measured,
                "reason": reason,
            }
        )
    return rows
