"""What the tables say of why a statement comes out as it does: means over all seeds, at 8 m/s if not said.

These are the numbers next to a statement, not what causes them: a sentence that a table could contradict is
not written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from mftpubsub.labels import CAUSES, LOST, SPEED_MPS, label, rounded
from mftpubsub.sources.thesis.statements import AODV, CASCADING, MFT
from mftpubsub.studies.evidence import Runs

#: A sentence, or nothing if the runs that it is about are missing.
Fact = Callable[[Runs], str]
#: Causes that lose less than this share of all pairs are not told.
_SHARE = 0.01


def _mean(runs: Runs, metric: str, protocol: str, config: str, speed: float = SPEED_MPS) -> float | None:
    values = runs.of(metric, protocol, config, speed)
    return float(values.mean()) if len(values) else None


def _listed(what: str, numbers: Mapping[str, float | None], unit: str = "") -> str:
    """`what: C2 1.5, C4 2 s.`"""
    known = {name: value for name, value in numbers.items() if value is not None}
    if not known:
        return ""
    texts = (f"{name} {rounded(value, spread=abs(value) / 9)[0]}" for name, value in known.items())
    return f"{what}: {', '.join(texts)}{unit}."


def by_size(runs: Runs, metric: str, what: str, *protocols: str, unit: str = "") -> str:
    """A metric of protocols in each network."""
    return _sentences(
        _listed(
            f"{what}, {label(protocol)}",
            {config: _mean(runs, metric, protocol, config) for config in runs.configs},
            unit,
        )
        for protocol in protocols
    )


def by_speed(runs: Runs, metric: str, what: str, protocol: str) -> str:
    """A metric at the lowest and the highest speed, in each network."""
    ends = runs.speeds[0], runs.speeds[-1]
    return _sentences(
        _listed(
            f"{what} at {speed:g} m/s, {label(protocol)}",
            {config: _mean(runs, metric, protocol, config, speed) for config in runs.configs},
        )
        for speed in dict.fromkeys(ends)
    )


def losses(runs: Runs, protocol: str, *configs: str) -> str:
    """What became of the pairs that were not delivered, in some networks (all, if none is named)."""
    found = []
    for config in configs or runs.configs:
        shares = {cause: _mean(runs, f"{LOST}{cause}", protocol, config) or 0.0 for cause in CAUSES}
        large = sorted(((share, cause) for cause, share in shares.items() if share >= _SHARE), reverse=True)
        if large:
            found.append(
                f"{config} " + ", ".join(f"{100 * share:.0f} % {CAUSES[cause]}" for share, cause in large)
            )
    return f"Of all pairs of {label(protocol)}: {'; '.join(found)}." if found else ""


def _sentences(texts: Iterable[str]) -> str:
    return " ".join(text for text in texts if text)


def _lost(protocol: str, *configs: str) -> Fact:
    return lambda runs: losses(runs, protocol, *configs)


def _air(runs: Runs) -> str:
    return by_size(runs, "senders_mean", "Nodes that send at a time", MFT, AODV)


def _delays(runs: Runs) -> str:
    return _sentences(
        by_size(runs, f"delay_{name}_s", f"Delay ({name})", MFT, AODV, unit=" s")
        for name in ("mean", "median")
    )


def _hops(runs: Runs) -> str:
    return by_size(runs, "hops_mean", "Hops", MFT, AODV)


def _frames(runs: Runs) -> str:
    kinds = (("pub", "PUB and DATA"), ("control", "control"), ("ack", "ACK"))
    return _sentences(
        by_size(runs, f"frames_per_node_{kind}", f"A node's {name}", MFT, AODV) for kind, name in kinds
    )


def _migrations(runs: Runs) -> str:
    return by_speed(runs, "migrations", "Migrations a run", MFT)


#: What is told of a statement, by its id.
FACTS: Mapping[str, tuple[Fact, ...]] = {
    "speed-resilience": (_lost(MFT), _lost(AODV)),
    "rate-rises-with-speed": (_migrations, _lost(MFT)),
    "size-lowers-rate": (_air,),
    "delivered-peaks-at-6": (_lost(MFT, "C16"),),
    "stored-meet-subscriber": (_lost(MFT),),
    "c16-delivers-more": (_lost(AODV, "C16"),),
    "c32-aodv-delivers-more": (_lost(AODV, "C32"),),
    "c32-rate-better": (_lost(AODV, "C32"),),
    "c32-never-matched": (_lost(MFT, "C32"),),
    "rate-better": (_lost(AODV),),
    "mobility-does-not-impair": (_migrations, _lost(MFT)),
    "undelivered-are-stored": (_lost(MFT),),
    "delay-keeps-up": (_delays,),
    "delay-better-when-large": (_delays, _hops),
    "ready-routes-are-faster": (_delays, _hops),
    "stored-raise-delay": (_delays,),
    "aodv-delay-c4": (lambda runs: by_size(runs, "delay_mean_s", "Delay (mean)", AODV, unit=" s"),),
    "aodv-hops-c4": (lambda runs: by_size(runs, "hops_mean", "Hops", AODV),),
    "mft-fewer-beyond-c2": (_frames,),
    "aodv-explodes": (_frames,),
    "mft-flat": (_frames, _migrations),
    "order-of-magnitude": (_frames, _air),
    "linear-growth": (_frames, _air),
    "scales-better": (_air,),
    "migrations": (
        lambda runs: by_size(runs, "migrations_broker", "Migrations of brokers", MFT),
        lambda runs: by_size(runs, "attachments", "Attachments", MFT),
        lambda runs: by_size(runs, "reattachments", "To the same parent again", MFT),
    ),
    "less-per-migration": (
        lambda runs: by_size(runs, "control_per_migration", "Control messages a migration", MFT, CASCADING),
    ),
    "aodv-takes-longer-to-simulate": (
        lambda runs: by_size(runs, "cpu_s", "Processor time of a run", MFT, AODV, unit=" s"),
    ),
    "load-near-leader": (
        lambda runs: by_size(runs, "load_busiest_broker", "The busiest broker over the mean one", MFT),
    ),
    "unbalanced-trees": (_migrations,),
}


def reason(claim: str, runs: Runs) -> str:
    """What the tables say beside a statement; nothing if they say nothing."""
    return _sentences(fact(runs) for fact in FACTS.get(claim, ()))
