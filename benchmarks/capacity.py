"""What C32 carries under mft-mesh, by events a second, beside what its channel carries.

That is how many transmissions an event needs there, what the best schedule brings to all, and how many copies
of events a node can hear.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from statistics import fmean
from typing import Any, ClassVar

import numpy as np
from common import arguments, median, publish
from schedules import Network, best
from scipy.optimize import Bounds, LinearConstraint, milp

import mftpubsub
from mftpubsub import Group, RandomWaypoint, Snapshot, Subscriber
from mftpubsub import Publisher as Published
from mftpubsub.protocols import Station, message, timer

PUBLISHERS, SUBSCRIBERS, BROKERS = 2, 32, 32
#: For so long events are published, and so much longer runs go on, s.
PUBLISHED_S, AFTER_S = 60, 60
#: Of all publishers together.
EVENTS_PER_S = (2, 10, 20, 30, 40, 80, 160)
#: Of many publishers, and where events are published for long, s.
SHARED_EVENTS_PER_S, MANY_PUBLISHERS = (20, 30, 40), (4, 16, 32)
LASTING_EVENTS_PER_S, LASTING_S = (30, 40, 80), 200
BIT_RATE, NOISE_DBM, NOISE_BANDWIDTH = 250e3, -100, 194e3
#: The largest frame of the mesh with what the radio adds; an event of 100 B takes some 113 B of it.
FRAME_BYTES, EVENTS_A_FRAME = 1024, 8
#: Of each broker, where brokers chatter.
FULL_FRAMES_PER_S = (0.5, 1, 1.5, 2, 4)
CHATTER_S = PUBLISHED_S + AFTER_S
#: Where events come from, by whom they go, and where.
ROLES = ("publisher", "broker", "subscriber")
#: Whom each node hears.
Hearing = Mapping[int, set[int]]
#: Of the bounds: instants of a run, s, and the share of frames that a link must carry to count.
INSTANTS, LINK_QUALITY = range(5, 61, 2), 0.5
#: Events/s if one frame is on the air all the time.
FULL_EVENTS_PER_S = EVENTS_A_FRAME * BIT_RATE / (8 * FRAME_BYTES)


def scenario(
    events_per_s: float, seed: int, publishers: int = PUBLISHERS, published_s: float = PUBLISHED_S
) -> mftpubsub.Scenario:
    return mftpubsub.Scenario(
        protocol="mft-mesh",
        seed=seed,
        duration=published_s + AFTER_S,
        area=(110, 110),
        nodes=[
            Group(publishers, ["publisher"]),
            Group(SUBSCRIBERS, ["subscriber"]),
            Group(BROKERS, ["broker"]),
        ],
        publisher=Published(
            rate=events_per_s / publishers, stop=published_s, event=[{"topic": "f1"}, {"topic": "f2"}]
        ),
        subscriber=Subscriber(["topic = 'f1'", "topic = 'f2'"]),
        mobility=RandomWaypoint(speed=8),
    )


def reached(
    events_per_s: float, seeds: range, publishers: int = PUBLISHERS, published_s: float = PUBLISHED_S
) -> dict[str, Any]:
    """Medians over the seeds."""
    runs = [mftpubsub.run(scenario(events_per_s, seed, publishers, published_s)) for seed in seeds]

    def of(name: str) -> float:
        return median([run.metrics[name] for run in runs])

    return {
        "publishers": publishers,
        "events/s": events_per_s,
        "published for (s)": published_s,
        "runs": len(runs),
        "delivered": of("delivery_rate_strict"),
        "mean delay (s)": of("delay_mean_s"),
        "95 % (s)": of("delay_p95_s"),
        "frames an event": median([run.metrics["frames"] / run.metrics["published"] for run in runs]),
        "on the air at a time": of("senders_mean"),
    }


def strength_needed(frame_bytes: int) -> float:
    """dBm at which a frame arrives with LINK_QUALITY if nothing else is on the air (docs/models/wsn.md)."""

    def arrives(dbm: float) -> float:
        per_bit = 10 ** ((dbm - NOISE_DBM) / 10) * NOISE_BANDWIDTH / BIT_RATE
        error = 0.5 * math.erfc(math.sqrt(per_bit))
        return (1 - error) ** (8 * frame_bytes)

    low, high = -100.0, -80.0
    while high - low > 0.01:
        middle = (low + high) / 2
        low, high = (low, middle) if arrives(middle) >= LINK_QUALITY else (middle, high)
    return high


def transmissions(snapshot: Snapshot, dbm: float) -> Iterator[tuple[int, int] | None]:
    """For each publisher broadcasts, its own included, after which all have the event: those of a greedy
    schedule, and the fewest that any schedule takes. None: some cannot be reached."""
    hears: dict[int, set[int]] = {node.id: set() for node in snapshot.nodes}
    for (one, other), strength in snapshot.strengths_dbm.items():
        if strength >= dbm:
            hears[one].add(other)
            hears[other].add(one)
    brokers = {node.id for node in snapshot.nodes if "broker" in node.roles}
    wanting = {node.id for node in snapshot.nodes if "publisher" not in node.roles}
    for source in hears.keys() - wanting:
        greedy = greedy_broadcasts(hears, source, brokers, wanting)
        yield None if greedy is None else (greedy, fewest_broadcasts(hears, source, brokers, wanting))


def greedy_broadcasts(hears: Hearing, source: int, brokers: set[int], wanting: set[int]) -> int | None:
    """Whoever of the brokers that have the event reaches most of those that lack it is next: a greedy
    connected dominating set (Guha and Khuller 1998), with one sender at a time and no frame lost."""
    having, sent = {source} | hears[source], {source}
    while lacking := wanting - having:
        best = max((brokers & having) - sent, key=lambda b: (len(hears[b] & lacking), b), default=None)
        if best is None or not hears[best] & lacking:
            return None
        sent.add(best)
        having |= hears[best]
    return len(sent)


def fewest_broadcasts(hears: Hearing, source: int, brokers: set[int], wanting: set[int]) -> int:
    """The smallest set of senders of which each of `wanting` hears one or is one, by an integer program.

    That senders must have heard the event before is left out, so no schedule takes fewer.
    """
    senders = [source, *sorted(brokers)]
    covers = np.array([[node == each or node in hears[each] for each in senders] for node in sorted(wanting)])
    ones = np.ones(len(senders))
    found = milp(
        ones,
        integrality=ones,
        bounds=Bounds([1] + [0] * len(brokers), 1),
        constraints=LinearConstraint(covers.astype(float), lb=1),
    )
    count: int = round(found.fun)
    return count


def bound(name: str, dbm: float, seeds: range) -> dict[str, Any]:
    """Events/s of full frames if one node sends at a time, always, and no frame is lost or needless."""
    counts: list[tuple[int, int] | None] = []
    neighbours = []
    for seed in seeds:
        for snapshot in mftpubsub.run(scenario(2, seed)).snapshots([float(at) for at in INSTANTS]):
            counts += transmissions(snapshot, dbm)
            links = sum(strength >= dbm for strength in snapshot.strengths_dbm.values())
            neighbours.append(2 * links / len(snapshot.nodes))
    greedy, fewest = zip(*[count for count in counts if count is not None], strict=True)
    return {
        "who is reached": name,
        "from dBm": dbm,
        "neighbours": fmean(neighbours),
        "transmissions an event": fmean(greedy),
        "least": min(greedy),
        "most": max(greedy),
        "not connected (%)": 100 * counts.count(None) / len(counts),
        "events/s": FULL_EVENTS_PER_S / fmean(greedy),
        "fewest possible": fmean(fewest),
        "events/s at most": FULL_EVENTS_PER_S / fmean(fewest),
    }


def network(snapshot: Snapshot) -> Network:
    """Full frames go from the publishers by way of brokers to all subscribers.

    A frame must be as much stronger than another as it must be stronger than the noise. The radio takes all
    others together for no less than the strongest of them.
    """
    nodes = len(snapshot.nodes)
    strengths = np.full((nodes, nodes), -np.inf)
    for (one, other), strength in snapshot.strengths_dbm.items():
        strengths[one, other] = strengths[other, one] = strength
    least_dbm = math.ceil(strength_needed(FRAME_BYTES))
    of = [[node.id for node in snapshot.nodes if role in node.roles] for role in ROLES]
    return Network(strengths, least_dbm, least_dbm - NOISE_DBM, *of)


def scheduled(seeds: range) -> Iterator[dict[str, Any]]:
    """Events/s that come to every subscriber by the best schedule and the best code of each instant."""
    networks = [
        network(snapshot)
        for seed in seeds
        for snapshot in mftpubsub.run(scenario(2, seed)).snapshots([float(at) for at in INSTANTS])
    ]
    for name, slots in (("one", Network.alone), ("who do not hear each other", Network.apart)):
        found = [FULL_EVENTS_PER_S * best(each, slots(each)) for each in networks]
        rates = [rate for rate in found if rate > 0]
        yield {
            "send at a time": name,
            "instants": len(rates),
            "not connected (%)": 100 * (1 - len(rates) / len(found)),
            "events/s at most": fmean(rates),
            "least": min(rates),
            "most": max(rates),
        }


@message
class FullFrame:
    filler: str


@timer
class Next:
    pass


class Chatter(Station):
    """Brokers broadcast full frames of nothing, each `rate` times a second at random."""

    messages = (FullFrame,)
    heard: ClassVar[Counter[int]] = Counter()

    def __init__(self, rate: float) -> None:
        self.rate = rate

    def start(self) -> None:
        self.heard[self.id] = 0
        if self.is_broker:
            self.set_timer(Next(), self.random.expovariate(self.rate))

    def receive(self, message: FullFrame, sender: int, rssi_dbm: float) -> None:
        self.heard[self.id] += 1

    def expire(self, timer: Next) -> None:
        self.broadcast(FullFrame("x" * 990))
        self.set_timer(Next(), self.random.expovariate(self.rate))


def heard(rate: float, seeds: range) -> dict[str, Any]:
    """Copies of events that a node hears a second if all frames are full and brokers share the channel alike.

    Nobody gets more events than that, even if each copy is new.
    """
    copies: list[float] = []
    senders: list[float] = []
    for seed in seeds:
        Chatter.heard.clear()
        run = mftpubsub.run(scenario(1 / CHATTER_S, seed).replace(protocol=Chatter(rate)))
        senders.append(run.metrics["senders_mean"])
        copies += [EVENTS_A_FRAME * frames / CHATTER_S for frames in Chatter.heard.values()]
    return {
        "frames/s of each broker": rate,
        "on the air at a time": median(senders),
        "copies a node hears a second": fmean(copies),
        "the node that hears least": min(copies),
        "the node that hears most": max(copies),
    }


def main() -> None:
    given = arguments(__doc__, 3).parse_args()
    seeds = range(1, given.repetitions + 1)
    links = {
        "who hears anything": -95.0,
        f"half of frames of {FRAME_BYTES} B": math.ceil(strength_needed(FRAME_BYTES)),
    }
    publish("capacity_bound", [bound(name, dbm, seeds) for name, dbm in links.items()])
    publish("capacity_schedules", list(scheduled(seeds)))
    publish("capacity_heard", [heard(rate, seeds) for rate in FULL_FRAMES_PER_S])
    publish("capacity", [reached(rate, seeds) for rate in EVENTS_PER_S])
    publish(
        "capacity_publishers",
        [reached(rate, seeds, publishers) for publishers in MANY_PUBLISHERS for rate in SHARED_EVENTS_PER_S],
    )
    publish(
        "capacity_lasting",
        [reached(rate, seeds, published_s=LASTING_S) for rate in LASTING_EVENTS_PER_S],
    )


if __name__ == "__main__":
    main()
