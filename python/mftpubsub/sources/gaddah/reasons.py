"""Why a statement of G comes out as it does: what our tables say beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from mftpubsub.sources.gaddah import printed
from mftpubsub.sources.gaddah.analytic import loss
from mftpubsub.sources.gaddah.claims import SIX, Cells, over_k
from mftpubsub.sources.gaddah.printed import MOBILITIES, SCHEMES, SUBSCRIBERS


def _row(values: Iterable[float], digits: int = 2) -> str:
    return " ".join(f"{value:.{digits}f}" for value in values)


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


def equal_rates(cells: Cells) -> str:
    """What the schemes lose at one rate."""
    losses = [cells.get("loss_percent", s, "random", 100, 128, "equal-rates") for s in SCHEMES]
    return (
        f"At one rate (30 events/s, K = 100, 128 events) all lose alike: {_row(losses)} %, closed form "
        f"{100 * loss(128, 30):.2f} %. What differs is the rate that G implies: pro-active's is highest."
    )


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _means(cells: Cells, metric: str, scheme: str) -> list[float]:
    return [one.mean for one in over_k(cells, metric, scheme)]


def _f5a_reason(cells: Cells) -> str:
    means = _means(cells, "delay_mean_s", "durable")
    return (
        f"Over all copies durable's mean is the largest, {_row(means)} s: copies from old visits come late."
    )


def _f5b_reason(cells: Cells) -> str:
    repeated = {scheme: _means(cells, "duplicates_percent", scheme) for scheme in SCHEMES}
    first = {
        scheme: [
            copies * (1 - percent / 100)
            for copies, percent in zip(_means(cells, "throughput", scheme), repeated[scheme], strict=True)
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


def _f7b_reason(cells: Cells) -> str:
    return f"Loss rises where brokers saturate: {near_saturation(cells)}."


def near_saturation(cells: Cells) -> str:
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


def _pro_active(cells: Cells) -> str:
    formula = [100 * loss(256, printed.implied_rate("pro-active", *cell)) for cell in SIX]
    return f"By the closed form it is {_row(formula)} %."


#: By the statement's id.
REASONS: Mapping[str, Callable[[Cells], str]] = {
    "T3": _durable_reason,
    "T3-pro": _pro_active,
    "T3a": equal_rates,
    "T3b": equal_rates,
    "T4": _durable_reason,
    "F5a": _f5a_reason,
    "F5b": _f5b_reason,
    "F5c": _f5c_reason,
    "F7b": _f7b_reason,
}


def reason(claim: str, cells: Cells) -> str:
    """What the tables say beside a statement; nothing if they say nothing."""
    return REASONS[claim](cells) if claim in REASONS else ""
