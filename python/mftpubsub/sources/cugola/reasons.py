"""Why a statement of C comes out as it does: what our tables say beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mftpubsub.sources.cugola.checks import OURS
from mftpubsub.sources.cugola.tables import Estimate, Tables, mean


def _mean_improvement(tables: Tables, protocol: str) -> float:
    places = tables.places("scale", protocol)
    return sum(tables.improvement("scale", protocol, x=x).mean for x in places) / len(places)


def _rec(tables: Tables) -> str:
    every = mean(tables.kind("default", "rp", "REC", "hops"))
    return f"{every} REC in all: those of the tail path never carry patterns."


def _best(tables: Tables) -> str:
    most = max(_mean_improvement(tables, name) for name in OURS)
    return f"The largest of all means, which chance favours; over all N the best has {most:.1f} %."


def _no_gain(tables: Tables) -> str:
    return "Our ILA and RP gain nothing from a random tree, whose paths are longer for them too."


def _below_strawman(tables: Tables) -> str:
    dear = {
        x: ratio
        for x in tables.places("rate", "strawman")
        for name in ("tdu", "ndu", "ila")
        if (ratio := tables.ratio("rate", name, "strawman", "cost", x).mean) >= 1
    }
    if not dear:
        return ""
    return (
        f"From {min(dear):g}/s on, with {0.1 * min(dear):g} to {0.1 * max(dear):g} links down at once, parts "
        "are so small that strawman has little to send, while what is deferred keeps stale patterns alive."
    )


def _notified(tables: Tables) -> str:
    ratio = tables.ratio("rate", "ndu", "tdu", "cost", 400).mean
    return f"At 400/s, where most timers run out before their FLUSH finds its way, it is {ratio:.2f} times."


def _change(tables: Tables, series: str, protocol: str, x: float, other: float) -> float:
    return tables.mean(series, protocol, "cost", x).mean / tables.mean(series, protocol, "cost", other).mean


def _second_step(tables: Tables) -> str:
    timed = _change(tables, "unsubscribe-timer", "ila-timed", 0.26, 0.24)
    return (
        "FLUSH ends the wait before T_u does. On timers alone the cost rises "
        f"{timed:.1f} times between 0.24 and 0.26 s, just where C has it."
    )


def _threshold(tables: Tables) -> str:
    timed = _change(tables, "subscribe-timer", "ila-timed", 0.045, 0.055)
    return (
        "With FLUSH T_s need only outlast some ms. On timers alone the cost falls "
        f"{timed:.1f} times between 0.045 and 0.055 s."
    )


def _ghost(tables: Tables) -> str:
    return (
        "Our ILA keeps the lost row as a ghost that counts as a subscriber. Without a wait it tells the new "
        "neighbour of what only the lost one wanted. TDU, where that row is hidden, never sends that."
    )


def _involved(tables: Tables) -> str:
    found = {name: tables.improvement("default", name, "involved") for name in ("ila", "rp")}
    return f"In the default scenario {_listed(found)} fewer."


def _listed(found: Mapping[str, Estimate]) -> str:
    return ", ".join(f"{name} {value} %" for name, value in found.items())


#: By the statement's id.
REASONS: Mapping[str, Callable[[Tables], str]] = {
    "13a": _rec,
    "14b": _best,
    "15c": _no_gain,
    "18b": _below_strawman,
    "18c": _notified,
    "19c": _second_step,
    "20a": _ghost,
    "20b": _threshold,
    "27b": _involved,
}


def reason(claim: str, tables: Tables) -> str:
    """What the tables say beside a statement; nothing if they say nothing."""
    return REASONS[claim](tables) if claim in REASONS else ""
