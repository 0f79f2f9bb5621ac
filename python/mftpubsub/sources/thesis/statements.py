"""What the sources say of their evaluation: statements, and the effects that would bear them out.

T is the thesis, J the journal text. Words such as "keeps up" are given a number here. Network sizes are
compared at 8 m/s, as there. What is said of each size or every speed has a part for each that was run, and
what names a place has a part for that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mftpubsub.labels import LOST, SPEED_MPS, label
from mftpubsub.studies.evidence import POINTS, TIMES, Part, Runs, above, below
from mftpubsub.studies.source import Claim
from mftpubsub.trace.layout import axes_of

if TYPE_CHECKING:
    import pandas as pd

MFT, AODV, CASCADING = "mft-pubsub", "aodv", "cascading"
#: The networks that they speak of.
CONFIGS = ("C2", "C4", "C8", "C16", "C32")
#: m/s, of their nodes.
SPEEDS = (2.0, 4.0, 6.0, 8.0, 10.0)
#: Of the smallest of them.
FEWEST_NODES = 6
#: Of how many nodes on J 7 speaks of an order of magnitude.
MANY_NODES = 10


def concern(values: pd.DataFrame) -> bool:
    """Whether runs are of what the sources speak of: both of the thesis's protocols, in its networks.

    One axis may vary beside these: then each of its values is judged.
    """
    if len(axes_of(values)) > 1:
        return False
    return {MFT, AODV} <= {*values["protocol"]} and {*values["config"]} <= {*CONFIGS}


def _networks(runs: Runs, *protocols: str, speeds: int = 0) -> list[str]:
    """Those in which all of the protocols ran with a seed in common: at 8 m/s, or at so many `speeds`.

    If there is none, all networks: each is told to have too few runs.
    """
    common = {config: runs.speeds_of_all(config, *protocols) for config in runs.configs}
    found = [at for at, of in common.items() if (len(of) >= speeds if speeds else SPEED_MPS in of)]
    return found or runs.configs


def _resilience(runs: Runs) -> Iterator[Part]:
    for config in _networks(runs, MFT, AODV, speeds=2):
        speeds = _speeds_of_both(runs, runs.rate, config)
        ours, theirs = (runs.slope(runs.rate, protocol, config, speeds) for protocol in (MFT, AODV))
        yield above(config, f"{POINTS} per m/s", 100 * (ours - theirs).dropna(), 0)


def _rate_rises(runs: Runs) -> Iterator[Part]:
    for config in _networks(runs, MFT, speeds=2):
        if _is_always(1, runs.mean(runs.rate, MFT, config)):
            continue  # what is 100 % at every speed cannot rise
        yield above(config, f"{POINTS} per m/s", 100 * runs.slope(runs.rate, MFT, config), 0)


def _size_hurts(runs: Runs) -> Iterator[Part]:
    for protocol in (MFT, AODV):
        run = [speed for config in runs.configs for speed in runs.speeds_of_all(config, protocol)]
        for speed in [speed for speed in runs.speeds if run.count(speed) > 1] or runs.speeds:
            change = 100 * runs.per_doubling(runs.rate, protocol, speed)
            yield below(f"{label(protocol)}, {speed:g} m/s", f"{POINTS} per doubling", change, 0)


def _peak(runs: Runs) -> Iterator[Part]:
    slow, middle, fast = (runs.of("delivered_pairs", MFT, "C16", speed) for speed in (2.0, 6.0, 10.0))
    yield above("6 instead of 2 m/s", "messages", (middle - slow).dropna(), 0)
    yield below("10 instead of 6 m/s", "messages", (fast - middle).dropna(), 0)


def _is_always(value: float, values: pd.Series[float]) -> bool:
    """Whether there are values, and no other than this."""
    return len(values) > 0 and bool((values == value).all())


def _speeds_of_both(runs: Runs, metric: str, config: str) -> list[float]:
    """Those at which a metric of both protocols of the thesis is known, of a seed in common."""
    return [speed for speed in runs.speeds if len(_difference(runs, metric, config, speed))]


def _difference(runs: Runs, metric: str, config: str, speed: float = SPEED_MPS) -> pd.Series[float]:
    """MFT-PubSub minus AODV."""
    return (runs.of(metric, MFT, config, speed) - runs.of(metric, AODV, config, speed)).dropna()


def _ratio(runs: Runs, metric: str, config: str) -> pd.Series[float]:
    """MFT-PubSub over AODV."""
    return (runs.of(metric, MFT, config) / runs.of(metric, AODV, config)).dropna()


def _takes_longer(runs: Runs) -> Iterator[Part]:
    """Of one seed on one kind of machine, as one may be twice as fast as another."""
    config = "C32"
    ratio = _ratio(runs, "cpu_s", config)
    seeds = runs.seeds_on_one_machine(MFT, AODV, config).intersection(ratio.index)
    yield below(f"{config}, processor time", TIMES, ratio[seeds], 0.1, null=1)


def _never_matched(runs: Runs) -> Iterator[Part]:
    undelivered = 1 - runs.of("delivery_rate_strict", MFT, "C32")
    share = 100 * (1 - runs.of("matched_share", MFT, "C32")) / undelivered[undelivered > 0]
    yield above("C32, never matched of all that was not delivered", "%", share.dropna(), 50)
    strict = 100 * _difference(runs, "delivery_rate_strict", "C32")
    yield below("C32, strict rate, MFT-PubSub minus AODV", POINTS, strict, 0)


def _stored_meet_subscriber(runs: Runs) -> Iterator[Part]:
    queued = f"{LOST}QUEUED"
    for config in _networks(runs, MFT, speeds=2):
        if _is_always(0, runs.mean(queued, MFT, config)):
            continue  # where nothing is ever left, nothing can become less
        left = 100 * runs.slope(queued, MFT, config)
        yield below(f"{config}, share left in queues", f"{POINTS} per m/s", left, 0)


def _nothing_lost(runs: Runs) -> Iterator[Part]:
    for config in _networks(runs, MFT):
        missing = runs.of("matched_share", MFT, config) - runs.of("delivery_rate_strict", MFT, config)
        if _is_always(0, missing):
            continue  # where all is delivered, nothing is to be stored
        stored = runs.of(f"{LOST}QUEUED", MFT, config) + runs.of(f"{LOST}IN_FLIGHT", MFT, config)
        share = 100 * (stored / missing).dropna()
        yield above(f"{config}, stored of matched and undelivered", "%", share, 99)


def _rate_better(runs: Runs) -> Iterator[Part]:
    for config in _networks(runs, MFT, AODV, speeds=1):
        speeds = _speeds_of_both(runs, runs.rate, config)
        ours, theirs = (runs.mean(runs.rate, protocol, config, speeds) for protocol in (MFT, AODV))
        yield above(config, POINTS, 100 * (ours - theirs).dropna(), 0)


def _unimpaired(runs: Runs) -> Iterator[Part]:
    for config in runs.configs:
        speeds = runs.speeds_of_all(config, MFT)
        if len(speeds) < 2:
            continue
        slow, fast = speeds[0], speeds[-1]
        rates = (runs.of(runs.rate, MFT, config, speed) for speed in (fast, slow))
        change = 100 * next(rates).sub(next(rates)).dropna()
        if _is_always(0, change):
            continue  # what is 100 % slow and fast shows nothing of mobility
        yield Part(f"{config}, {fast:g} instead of {slow:g} m/s", POINTS, change, low=-10)


def _larger(runs: Runs, than: int) -> list[str]:
    """Networks of more nodes, of those in which both protocols ran."""
    sizes = {config: runs.of("nodes", MFT, config) for config in _networks(runs, MFT, AODV)}
    return [config for config, nodes in sizes.items() if len(nodes) and nodes.iloc[0] > than]


def _largest(runs: Runs, metric: str, protocol: str, configs: list[str]) -> pd.Series[float]:
    """The largest that a metric is in any of some configurations, by seed."""
    import pandas as pd

    values = [runs.of(metric, protocol, config) for config in configs]
    return pd.concat(values, axis=1, join="inner").max(axis=1)


def _delay_in_c4(runs: Runs) -> Iterator[Part]:
    ratio = runs.of("delay_mean_s", AODV, "C4") / _largest(runs, "delay_mean_s", AODV, ["C2", "C8"])
    yield above("C4 over the larger of C2 and C8", TIMES, ratio.dropna(), 1)


def _hops_in_c4(runs: Runs) -> Iterator[Part]:
    others = [config for config in _networks(runs, AODV) if config != "C4"]
    if others:
        more = runs.of("hops_mean", AODV, "C4") - _largest(runs, "hops_mean", AODV, others)
        yield above("C4 minus the largest of the others", "hops", more.dropna(), 0)


def _growth(
    runs: Runs, metric: str, protocol: str, small: str = "C2", large: str = "C32"
) -> pd.Series[float]:
    return (runs.of(metric, protocol, large) / runs.of(metric, protocol, small)).dropna()


def _scales_better(runs: Runs) -> Iterator[Part]:
    of_both = [config for config in runs.configs if len(_difference(runs, "frames", config))]
    ours, theirs = (runs.exponent("frames", protocol, of_both) for protocol in (MFT, AODV))
    yield below("exponent, MFT-PubSub minus AODV", "", (ours - theirs).dropna(), 0)


def _brokers_work(runs: Runs) -> Iterator[Part]:
    for config in _networks(runs, MFT):
        brokers = runs.of("frames_per_broker", MFT, config)
        for role in ("subscriber", "publisher"):
            ratio = (brokers / runs.of(f"frames_per_{role}", MFT, config)).dropna()
            yield above(f"{config}, broker over {role}", TIMES, ratio, 2, null=1)


def _migrations(runs: Runs) -> Iterator[Part]:
    for config, low, high in (("C2", 5, 20), ("C32", 600, 1200)):
        yield Part(config, "migrations", runs.mean("migrations", MFT, config), low, high)


def _less_per_migration(runs: Runs) -> Iterator[Part]:
    for metric, name in (("control_per_migration", "messages"), ("control_bytes_per_migration", "bytes")):
        for config in _networks(runs, MFT, CASCADING):
            ours, theirs = (runs.of(metric, protocol, config) for protocol in (MFT, CASCADING))
            yield below(f"{config}, {name}", TIMES, (ours / theirs).dropna(), 1)


def _load_near_leader(runs: Runs) -> Iterator[Part]:
    for config in _of_trees(runs):
        busiest = runs.of("load_busiest_broker", MFT, config)
        yield below(f"{config}, busiest over mean broker", TIMES, busiest, 2)
        yield below(f"{config}, correlation with depth", "", runs.of("load_by_depth", MFT, config), 0)


def _unbalanced(runs: Runs) -> Iterator[Part]:
    for config in _of_trees(runs):
        share = 100 * runs.of("largest_branch", MFT, config)
        yield above(f"{config}, brokers on the largest branch", "%", share, 50)


def _of_trees(runs: Runs) -> list[str]:
    """Configurations whose trees can be unbalanced."""
    return [config for config in runs.configs if len(runs.of("largest_branch", MFT, config))]


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "speed-resilience",
        "T 4.5.3, J 6.1",
        "MFT-PubSub's delivery rate resists speed better than AODV's: it changes more favourably with speed.",
        _resilience,
        is_about_rate=True,
    ),
    Claim(
        "rate-rises-with-speed",
        "T 4.5.3, J 6.1",
        "MFT-PubSub's delivery rate even rises with speed (wherever it is not 100 % at all speeds).",
        _rate_rises,
        is_about_rate=True,
    ),
    Claim(
        "size-lowers-rate",
        "T 4.5.3, T 4.6, T 5.1, J 6.1, J 7",
        "The larger the network, the lower the delivery rate, with both protocols.",
        _size_hurts,
        is_about_rate=True,
    ),
    Claim(
        "delivered-peaks-at-6",
        "T 4.5.3 (fig. 4.5b), J 6.1",
        "In C16, MFT-PubSub delivers slightly more with rising speed, up to 6 m/s, and less beyond.",
        _peak,
    ),
    Claim(
        "stored-meet-subscriber",
        "T 4.5.3, J 6.1",
        "The reason given: the faster nodes are, the more of the stored events meet their subscriber.",
        _stored_meet_subscriber,
    ),
    Claim(
        "c16-delivers-more",
        "T 4.5.3 (fig. 4.5b)",
        "In C16, MFT-PubSub delivers more messages than AODV at every speed.",
        lambda runs: (
            above(f"{speed:g} m/s", "messages", _difference(runs, "delivered_pairs", "C16", speed), 0)
            for speed in runs.speeds_of_all("C16", MFT, AODV) or runs.speeds
        ),
    ),
    Claim(
        "c32-aodv-delivers-more",
        "T 4.5.3 (fig. 4.5a)",
        "In C32 at 8 m/s, AODV delivers more messages than MFT-PubSub.",
        lambda runs: [below("C32", "messages", _difference(runs, "delivered_pairs", "C32"), 0)],
    ),
    Claim(
        "c32-rate-better",
        "T 4.5.3 (fig. 4.4)",
        "In that same configuration, MFT-PubSub has the better delivery rate nevertheless.",
        lambda runs: [above("C32", POINTS, 100 * _difference(runs, runs.rate, "C32"), 0)],
        is_about_rate=True,
    ),
    Claim(
        "c32-never-matched",
        "T 4.5.3, J 6.1",
        "The reason given: pairs of subscribers that no broker knows of, most of those without delivery, are "
        "not counted as losses.",
        _never_matched,
    ),
    Claim(
        "rate-better",
        "T 4.6, T 5.1, J 7",
        "MFT-PubSub improves on AODV's delivery rate (each size, all speeds together).",
        _rate_better,
        is_about_rate=True,
    ),
    Claim(
        "mobility-does-not-impair",
        "T 5.1",
        "Changes by mobility do not massively impair the system: with the fastest nodes the rate is less "
        "than 10 points below that with the slowest (a rise impairs nothing).",
        _unimpaired,
        is_about_rate=True,
    ),
    Claim(
        "undelivered-are-stored",
        "T 4.5.2",
        "What is not delivered is still stored at some broker (at least 99 % of what was matched).",
        _nothing_lost,
    ),
    Claim(
        "delay-keeps-up",
        "T 4.5.4 (fig. 4.6), J 6.2",
        "MFT-PubSub keeps up with AODV in the mean delay, though it stores events: at most twice as long.",
        lambda runs: (
            Part(config, TIMES, _ratio(runs, "delay_mean_s", config), low=0, high=2)
            for config in _networks(runs, MFT, AODV)
        ),
    ),
    Claim(
        "delay-better-when-large",
        "J 6.2",
        "In bigger networks (C16, C32), its delay is even shorter than AODV's.",
        lambda runs: (
            below(config, TIMES, _ratio(runs, "delay_mean_s", config), 1) for config in ("C16", "C32")
        ),
    ),
    Claim(
        "ready-routes-are-faster",
        "T 4.5.4",
        "Its routes are there before the event, which should so arrive sooner than with AODV (median delay).",
        lambda runs: (
            below(config, TIMES, _ratio(runs, "delay_median_s", config), 1)
            for config in _networks(runs, MFT, AODV)
        ),
    ),
    Claim(
        "stored-raise-delay",
        "T 4.5.4",
        "Stored events raise the mean delay greatly (mean over median, more than twice).",
        lambda runs: (
            above(
                config,
                TIMES,
                (runs.of("delay_mean_s", MFT, config) / runs.of("delay_median_s", MFT, config)).dropna(),
                2,
                null=1,
            )
            for config in _networks(runs, MFT)
        ),
    ),
    Claim(
        "aodv-delay-c4",
        "T 4.5.4 (fig. 4.6)",
        "AODV's delay is higher than it should be in C4: above that of the sizes next to it.",
        _delay_in_c4,
    ),
    Claim(
        "aodv-hops-c4",
        "T 4.5.4 (fig. 4.7)",
        "AODV needs more hops in C4 than in the other configurations.",
        _hops_in_c4,
    ),
    Claim(
        "aodv-fewer-in-c2",
        "T 4.5.5 (fig. 4.8), J 6.3",
        "In the smallest network AODV sends fewer messages than MFT-PubSub.",
        lambda runs: [above("C2", TIMES, _ratio(runs, "frames_per_node", "C2"), 1)],
    ),
    Claim(
        "mft-fewer-beyond-c2",
        "T 4.5.5 (fig. 4.8), J 6.3",
        "In all others MFT-PubSub sends fewer.",
        lambda runs: (
            below(config, TIMES, _ratio(runs, "frames_per_node", config), 1)
            for config in _larger(runs, FEWEST_NODES)
        ),
    ),
    Claim(
        "aodv-explodes",
        "T 4.5.5, J 6.3",
        "AODV's messages per node explode with the network's size (at least tenfold from C2 to C32).",
        lambda runs: [above("C32 over C2", TIMES, _growth(runs, "frames_per_node", AODV), 10, null=1)],
    ),
    Claim(
        "mft-flat",
        "T 4.5.5, J 6.3",
        "MFT-PubSub's messages per node barely change with it (between half and twice from C2 to C32).",
        lambda runs: [Part("C32 over C2", TIMES, _growth(runs, "frames_per_node", MFT), low=0.5, high=2)],
    ),
    Claim(
        "order-of-magnitude",
        "J 7",
        "With more than 10 nodes, MFT-PubSub sends an order of magnitude fewer messages than AODV.",
        lambda runs: (
            below(config, TIMES, _ratio(runs, "frames_per_node", config), 0.1, null=1)
            for config in _larger(runs, MANY_NODES)
        ),
    ),
    Claim(
        "linear-growth",
        "T 4.6, T 5.1, J 7",
        "MFT-PubSub's total of messages grows linearly with the number of nodes (power 0.8 to 1.2).",
        lambda runs: [Part("exponent", "", runs.exponent("frames", MFT), low=0.8, high=1.2)],
    ),
    Claim(
        "scales-better",
        "T 5.1",
        "MFT-PubSub's messages grow more slowly with the network's size than AODV's.",
        _scales_better,
    ),
    Claim(
        "brokers-work",
        "T 4.5.5, J 6.3",
        "Brokers do most of MFT-PubSub's work, publishers and subscribers send far less (less than half).",
        _brokers_work,
    ),
    Claim(
        "migrations",
        "J 6",
        "Migrations of a run range from about 10 (5 to 20) in the smallest network to over 600 (up to 1200) "
        "in the largest.",
        _migrations,
    ),
    Claim(
        "less-per-migration",
        "T 4.6",
        "A migration takes fewer messages than in the first approach, and smaller ones.",
        _less_per_migration,
    ),
    Claim(
        "aodv-takes-longer-to-simulate",
        "T 4.5.2",
        "The largest simulations take minutes with MFT-PubSub, hours with AODV (at least ten times as long).",
        _takes_longer,
    ),
    Claim(
        "load-near-leader",
        "T 4.6",
        "All nodes bear a similar load (the busiest broker less than twice the mean), those closer to the "
        "leader a higher one.",
        _load_near_leader,
    ),
    Claim(
        "unbalanced-trees",
        "T 4.6",
        "Trees are often severely unbalanced, most nodes on one branch (of the brokers below the leader).",
        _unbalanced,
    ),
)
