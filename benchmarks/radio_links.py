"""How the CC2420 and ns-3's 802.15.4 and Wi-Fi meet other frames: capture, carrier sense, answers.

Nodes stand still on one channel (log-distance, exponent 2.4, 55 dB at 1 m, no shadowing). All radios have the
same reach, as in configs/radios. docs/models/radios.md has the tables and the picture.
"""

from __future__ import annotations

import statistics
from bisect import bisect_right
from collections.abc import Iterable
from typing import Any

from common import HERE, arguments, publish
from matplotlib.figure import Figure
from radio_models import CHANNEL, Data, Once

import mftpubsub
from mftpubsub import (
    Broker,
    Cc2420,
    Group,
    LrWpan,
    Poisson,
    Publisher,
    Scenario,
    Static,
    Subscriber,
    Wifi,
    blackout,
)
from mftpubsub.protocols import Event, Station
from mftpubsub.scenario.radios import RadioModel

RADIOS: dict[str, RadioModel] = {
    "cc2420": Cc2420(),
    "lr-wpan": LrWpan(sensitivity=-90.8),
    "802.11b": Wifi(tx_power=10.2),
}
DURATION = 30.0  # s
LOAD = 0.16  # of the time each sender is on the air
WEAKER = -75.0  # dBm, of the two frames that meet
RATIOS = (-15, -10, -6, -4, -2, 0, 2, 4, 6, 10, 15)  # dB
SENSED = (-60, -70, -78, -81, -83, -88, -92, -94, -96, -98, -102)  # dBm
PICTURE = HERE.parent / "docs" / "pictures" / "radio-links-1.png"


class Answer(Station):
    """Who hears an event for the first time sends it on at once."""

    messages = (Data,)

    def publish(self, event: Event) -> None:
        self.broadcast(Data(event))

    def receive(self, message: Data, sender: int, rssi_dbm: float) -> None:
        if self.id == 1:
            self.broadcast(message)
        self.deliver(message.event, sender, 1)


def metres(radio: Any, strength_dbm: float) -> float:
    """At which a frame is so strong."""
    return float(10 ** ((radio.tx_power - CHANNEL.reference_loss - strength_dbm) / (10 * CHANNEL.exponent)))


def trace_of(
    radio: RadioModel, protocol: Station, places: list[float], rates: list[float], **more: Any
) -> Any:
    """Of publishers at the first places, each with so many events a second, and subscribers at the others."""
    publishers = [
        Group(
            1,
            [
                Publisher(rate=rate, stop=DURATION - 1, payload=40, event={"a": 1}, arrivals=Poisson()),
                Broker(),
            ],
            placement=[(place, 0.0)],
        )
        for place, rate in zip(places, rates, strict=False)
    ]
    others = [
        Group(1, [Subscriber("a = 1")], placement=[(place, 0.0)]) for place in places[len(publishers) :]
    ]
    scenario = Scenario(
        protocol=protocol,
        radio=radio,
        channel=CHANNEL,
        area=(max(*places, 1.0), 1.0),
        duration=DURATION,
        nodes=[*publishers, *others],
        mobility=Static(),
        **more,
    )
    return mftpubsub.run(scenario).to_pandas()


def starts(trace: Any, node: int) -> list[float]:
    """When frames of a node went on the air, s."""
    return [*trace[(trace["layer"] == "radio") & (trace["node"] == node)]["time_s"]]


def arrivals(trace: Any, node: int, sender: int) -> list[float]:
    """When frames of `sender` had arrived at a node, s."""
    heard = (trace["layer"] == "app") & trace["kind"].isin(["DELIVER", "DUPLICATE"])
    return [*trace[heard & (trace["node"] == node) & (trace["peer"] == sender)]["time_s"]]


def air_time(radio: RadioModel) -> float:
    """Of a frame, s."""
    trace = trace_of(radio, Once(), [0.0, 3.0], [1.0])
    return min(end - start for start, end in zip(starts(trace, 0), arrivals(trace, 1, 0), strict=True))


def over(times: Iterable[float], other: list[float], air: float) -> list[float]:
    """Those that begin while a frame of the other's is on the air."""
    return [time for time in times if _latest(other, time) > time - air]


def _latest(moments: list[float], until: float) -> float:
    """The last of `moments` up to then; they are in order."""
    place = bisect_right(moments, until)
    return moments[place - 1] if place else -1.0


def capture(radio: RadioModel, ratio_db: float, air: float) -> tuple[float, float]:
    """Which share of frames arrives that begin before, and during, one that is weaker by `ratio_db`.

    Their senders do not hear each other.
    """
    wanted, other = WEAKER + max(ratio_db, 0), WEAKER + max(-ratio_db, 0)
    places = [0.0, metres(radio, wanted) + metres(radio, other), metres(radio, wanted)]
    rates = [LOAD / air] * 2
    hidden = [blackout(0, 1, start=0.0, stop=DURATION)]
    trace = trace_of(radio, Once(), places, rates, faults=hidden)
    ours, theirs = starts(trace, 0), starts(trace, 1)
    arrived = arrivals(trace, 2, 0)
    later = {*over(ours, theirs, air)}
    before = {time for time in ours if _latest(theirs, time + air) > time} - later

    def share(times: set[float]) -> float:
        came = sum(_latest(arrived, time + 1.2 * air) > time for time in times)
        return came / len(times) if times else 0.0

    return share(before), share(later)


def deafness(radio: RadioModel, strength_dbm: float, air: float) -> float:
    """How many frames begin during one of so strong a neighbour's, of those that would if nobody listened."""
    apart = metres(radio, strength_dbm)
    trace = trace_of(radio, Once(), [0.0, apart, apart / 2], [LOAD / air] * 2)
    ours, theirs = starts(trace, 0), starts(trace, 1)
    blind = len(ours) * len(theirs) * air / DURATION
    return len(over(ours, theirs, air)) / blind


def answer(radio: RadioModel) -> dict[str, float]:
    """From the end of a frame to its receiver's own on the air, in a silent network, ms."""
    trace = trace_of(radio, Answer(), [0.0, 5.0], [2.0])
    ends, begins = arrivals(trace, 1, 0), starts(trace, 1)
    waits = sorted(1e3 * (begin - end) for end, begin in zip(ends, begins, strict=True))
    return {"least": waits[0], "median": statistics.median(waits), "most": waits[-1]}


def draw(rows: list[dict[str, Any]]) -> None:
    """The curves of capture and of carrier sense, over dB and dBm."""
    figure = Figure(figsize=(9, 3), layout="constrained")
    axes = figure.subplots(1, 3)
    titles = {
        "capture, earlier": ("the wanted frame begins first", "stronger by, dB"),
        "capture, later": ("the wanted frame begins second", "stronger by, dB"),
        "carrier sense": ("begun over a neighbour's frame", "strength of the neighbour, dBm"),
    }
    for place, (what, (title, x)) in zip(axes, titles.items(), strict=True):
        of = [row for row in rows if row["what"] == what]
        for name, marker in zip(RADIOS, "os^", strict=True):
            place.plot([row["at"] for row in of], [row[name] for row in of], marker=marker, ms=4, label=name)
        place.set(xlabel=x, ylim=(-0.05, 1.25))
        place.set_title(title, fontsize="medium")
    axes[0].set_ylabel("share")
    axes[0].legend(fontsize="small")
    figure.savefig(PICTURE, dpi=100, pil_kwargs={"optimize": True})


def main() -> None:
    arguments(__doc__, 1).parse_args()
    airs = {name: air_time(radio) for name, radio in RADIOS.items()}
    rows: list[dict[str, Any]] = [{"what": "air time, ms", "at": 0} | {n: 1e3 * a for n, a in airs.items()}]

    def add(what: str, at: float, values: dict[str, float]) -> None:
        rows.append({"what": what, "at": at} | {name: round(value, 3) for name, value in values.items()})

    caught = {at: {n: capture(r, at, airs[n]) for n, r in RADIOS.items()} for at in RATIOS}
    for number, what in enumerate(("capture, earlier", "capture, later")):
        for at, of in caught.items():
            add(what, at, {name: shares[number] for name, shares in of.items()})
    for at in SENSED:
        add("carrier sense", at, {name: deafness(radio, at, airs[name]) for name, radio in RADIOS.items()})
    waits = {name: answer(radio) for name, radio in RADIOS.items()}
    for what in ("least", "median", "most"):
        add(f"answer, {what}, ms", 0, {name: of[what] for name, of in waits.items()})
    publish("radio_links", rows)
    draw(rows)


if __name__ == "__main__":
    main()
